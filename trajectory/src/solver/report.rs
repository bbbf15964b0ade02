//! Why a solver stopped, and how it got there.

use crate::fault::Fault;
use std::fmt;

/// Why a solver stopped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Status {
    /// Gaps are closed, and the expected improvement is below the tolerance.
    Converged,
    /// Nothing improves any more, at a point that is good to a hundred times the tolerance or more.
    Acceptable,
    /// No step improves, and regularization is at its greatest.
    Stalled {
        /// Where the expected improvement is greatest.
        node: usize,
        /// The cost that weighs most there, if the node has names for its costs.
        term: Option<String>,
    },
    /// Constraints that cannot all hold.
    Infeasible {
        /// The names of those that are violated.
        constraints: Vec<String>,
    },
    /// As many iterations as were allowed.
    IterationLimit,
    /// As much time as was allowed.
    TimeLimit,
    /// Costs grow beyond all bounds.
    Diverged,
    /// A node could not be evaluated at all, at the guess or wherever the solver stepped.
    Fault(Fault),
    /// The caller has asked for it.
    Stopped,
}

impl Status {
    /// Is the result a solution?
    #[must_use]
    pub fn is_solved(&self) -> bool {
        matches!(self, Self::Converged)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged => f.write_str("converged"),
            Self::Acceptable => f.write_str("acceptable: nothing improves any more, short of the tolerance"),
            Self::Stalled { node, term } => {
                write!(f, "stalled: no step improves; most is missing at node {node}")?;
                term.as_ref().map_or(Ok(()), |term| write!(f, ", where `{term}` costs most"))
            }
            Self::Infeasible { constraints } => {
                let together = if constraints.len() > 1 { " together" } else { "" };
                write!(f, "infeasible: {} cannot hold{together}", constraints.join(", "))
            }
            Self::IterationLimit => f.write_str("iteration limit"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::Diverged => f.write_str("diverged: the cost grows beyond all bounds"),
            Self::Fault(fault) => write!(f, "fault: {fault}"),
            Self::Stopped => f.write_str("stopped by the caller"),
        }
    }
}

/// One iteration of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Counted from 0.
    pub iteration: usize,
    /// Cost of the trajectory after it.
    pub cost: f64,
    /// The largest gap between a step's end and the next state, before it.
    pub gap: f64,
    /// The largest sum of equalities that do not hold, before it.
    pub violation: f64,
    /// What the direction promised: zero at an optimum.
    pub expected: f64,
    /// What is left of the gradient, `max |Qᵤ|`.
    pub stationarity: f64,
    /// Length of the step that was tried last.
    pub step: f64,
    /// Was it taken?
    pub accepted: bool,
    /// Regularization afterwards.
    pub regularization: f64,
    /// μ: of the barriers of bounds, zero where there are none; of `Proximal` that of violations, which cost `c²/2μ`.
    pub barrier: f64,
    /// Did the direction come from the exact second derivatives of the Lagrangian, and not from those of Gauss and Newton?
    pub exact: bool,
}

/// How a solver ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Why it stopped.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
    /// Cost of the trajectory that is kept.
    pub cost: f64,
    /// Its largest gap.
    pub gap: f64,
    /// What the last direction promised.
    pub expected: f64,
}

/// What the caller of a solver says after each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop here.
    Stop,
}
