//! Faults, with a description: of a problem that cannot be built, and of a node that cannot be evaluated.

mod place;
mod problem;
mod reason;

pub use place::{Item, ProblemPlace};
pub use problem::ProblemError;
pub use reason::Reason;
pub(crate) use reason::{finite, memory_of};

use gradyn::InputError;
use std::fmt;

/// What went wrong at which node: phase, term, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The node, counted from the start of the trajectory.
    pub node: usize,
    /// Its phase.
    pub phase: String,
    /// The cost, residual or constraint; `None` if it was the dynamics.
    pub term: Option<String>,
    /// Why.
    pub reason: Box<Reason>,
}

impl Fault {
    /// The entry that is not finite, if that is the reason.
    #[must_use]
    pub fn entry(&self) -> Option<usize> {
        match &*self.reason {
            Reason::NotFinite { entry, .. } => Some(*entry),
            Reason::Input(InputError::NotFinite { index, .. } | InputError::Overflow { index, .. }) => Some(*index),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} (phase `{}`), ", self.node, self.phase)?;
        match &self.term {
            Some(term) => write!(f, "term `{term}`: {}", self.reason),
            None => write!(f, "dynamics: {}", self.reason),
        }
    }
}

impl std::error::Error for Fault {}
