//! Faults, with a description: of a problem that cannot be built, and of a node that cannot be evaluated.

use gradyn::InputError;
use std::fmt;
use thiserror::Error;

/// Why a number of a node could not be computed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The engine refuses its input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A number is infinite or not a number.
    #[error("{what}[{entry}] is {value}, which is not finite")]
    NotFinite {
        /// Which result.
        what: &'static str,
        /// Which entry of it.
        entry: usize,
        /// The number.
        value: f64,
    },
    /// Something else, in words.
    #[error("{0}")]
    Other(String),
}

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

/// Why a description is no problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ProblemError {
    /// The engine refuses a configuration, an id, or a frame.
    #[error("{place}: {error}")]
    Input {
        /// Where: a phase, a term.
        place: String,
        /// What it says.
        error: InputError,
    },
    /// A list does not have the length that it should have.
    #[error("{place}: {what} has {found} entries, expected {expected}")]
    Length {
        /// Where.
        place: String,
        /// Which list.
        what: &'static str,
        /// As many as it should have.
        expected: usize,
        /// As many as it has.
        found: usize,
    },
    /// A number is not what it must be.
    #[error("{place}: {what} is {value}: {rule}")]
    Number {
        /// Where.
        place: String,
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A name that nothing has.
    #[error("{place}: there is no {what} `{name}`{}", nearest.as_ref().map_or(String::new(), |x| format!("; did you mean `{x}`?")))]
    Unknown {
        /// Where.
        place: String,
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// Two things of the same name.
    #[error("{place}: there are two {what} of the name `{name}`")]
    Twice {
        /// Where.
        place: String,
        /// Of what there are two.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// A goal that a residual cannot have.
    #[error("{place}: the goal is invalid: {why}")]
    Goal {
        /// Where.
        place: String,
        /// Why not.
        why: String,
    },
    /// Something is missing.
    #[error("{place}: {what}")]
    Missing {
        /// Where.
        place: String,
        /// What.
        what: &'static str,
    },
}

/// The first entry that is not finite, as a reason.
pub(crate) fn finite(what: &'static str, x: &[f64]) -> Result<(), Reason> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(entry) => Err(Reason::NotFinite { what, entry, value: x[entry] }),
        None => Ok(()),
    }
}
