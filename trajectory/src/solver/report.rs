//! The report of a solver: its status and its history.

use crate::certificate::Certificate;
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
    /// No step improves, and regularization is at its largest.
    Stalled {
        /// The node where the expected improvement is largest.
        node: usize,
        /// The cost with the largest gradient there, or, if none has one there, at any node.
        term: Option<String>,
    },
    /// The constraints cannot all hold, from any guess.
    Infeasible(Certificate),
    /// No trajectory was found that keeps all constraints. One may still exist: the statement is local.
    NoFeasiblePoint {
        /// The names of those that block each other where the solver ended, the strongest first.
        constraints: Vec<String>,
    },
    /// The iteration limit is reached.
    IterationLimit,
    /// The time limit is reached.
    TimeLimit,
    /// Costs are unbounded.
    Diverged,
    /// A node could not be evaluated, at the guess or at any trial step.
    Fault(Fault),
    /// The caller requested it.
    Stopped,
}

impl Status {
    /// One word for it, for files and programs: `converged`, `acceptable`, `stalled`, `infeasible`,
    /// `no-feasible-point`, `iteration-limit`, `time-limit`, `diverged`, `fault` or `stopped`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Acceptable => "acceptable",
            Self::Stalled { .. } => "stalled",
            Self::Infeasible(_) => "infeasible",
            Self::NoFeasiblePoint { .. } => "no-feasible-point",
            Self::IterationLimit => "iteration-limit",
            Self::TimeLimit => "time-limit",
            Self::Diverged => "diverged",
            Self::Fault(_) => "fault",
            Self::Stopped => "stopped",
        }
    }
    /// Whether the result is a solution.
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
                term.as_ref().map_or(Ok(()), |term| write!(f, "; `{term}` is the steepest cost"))
            }
            Self::Infeasible(certificate) => write!(f, "infeasible: {certificate}"),
            Self::NoFeasiblePoint { constraints } => match &constraints[..] {
                [] => f.write_str("no feasible point found"),
                [one] => write!(f, "no feasible point found: {one} could not be made to hold"),
                all => write!(f, "no feasible point found: {} block each other where it ended", all.join(", ")),
            },
            Self::IterationLimit => f.write_str("iteration limit"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::Diverged => f.write_str("diverged: the cost grows beyond all bounds"),
            Self::Fault(fault) => write!(f, "fault: {fault}"),
            Self::Stopped => f.write_str("stopped by the caller"),
        }
    }
}

/// One iteration of a solver. Values that a method does not have are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Counted from 0.
    pub iteration: usize,
    /// Cost of the trajectory after it.
    pub cost: f64,
    /// The largest gap between a step's end and the next state, before it.
    pub gap: f64,
    /// The largest violation of gaps, equalities and inequalities, before it.
    pub violation: f64,
    /// The KKT residual before it, by Wächter and Biegler's (2006) equation (5), of the scaled cost: of
    /// [`Newton`](super::Newton) and [`Proximal`](super::Proximal).
    pub kkt_error: Option<f64>,
    /// The decrease of the quadratic model of the cost for a full step along its direction: of [`Fddp`](super::Fddp).
    pub expected_decrease: Option<f64>,
    /// The residual of the gradient, `max |Qᵤ|`, or of the dual optimality conditions.
    pub stationarity: f64,
    /// The length of the last trial step.
    pub step: f64,
    /// Whether the step was accepted.
    pub accepted: bool,
    /// Regularization afterwards.
    pub regularization: f64,
    /// μ of the barriers `−μ Σ ln` of bounds, of [`Newton`](super::Newton); zero without bounds.
    pub mu: Option<f64>,
    /// ρ of violations, which cost `½ ρ c²`, of [`Proximal`](super::Proximal): `1/μ`.
    pub penalty: Option<f64>,
    /// Whether the direction comes from the exact second derivatives of the Lagrangian, instead of Gauss-Newton.
    pub exact: bool,
}

/// How a solver ended. Values that a method does not have are `None`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Why it stopped.
    pub status: Status,
    /// Iterations done, those of all [`attempts`](Self::attempts) together.
    pub iterations: usize,
    /// Cost of the iterate.
    pub cost: f64,
    /// Its largest gap.
    pub gap: f64,
    /// The largest violation of its gaps, equalities and inequalities, when last evaluated.
    pub violation: f64,
    /// As [`Iteration::kkt_error`], at the end.
    pub kkt_error: Option<f64>,
    /// As [`Iteration::expected_decrease`], of the last direction.
    pub expected_decrease: Option<f64>,
    /// As [`Iteration::mu`], at the end.
    pub mu: Option<f64>,
    /// As [`Iteration::penalty`], at the end.
    pub penalty: Option<f64>,
    /// Warnings about the solution, in addition to its status.
    pub warnings: Vec<Warning>,
    /// The attempts, in order, if there was more than one. The report describes the last one kept.
    pub attempts: Vec<Attempt>,
}

impl Report {
    /// Of a status and the last iteration, if there was one.
    pub(crate) fn new(status: Status, history: &[Iteration]) -> Self {
        let last = history.last();
        Self {
            status,
            iterations: history.len(),
            cost: last.map_or(f64::INFINITY, |it| it.cost),
            gap: last.map_or(f64::INFINITY, |it| it.gap),
            violation: last.map_or(f64::INFINITY, |it| it.violation),
            kkt_error: last.and_then(|it| it.kkt_error),
            expected_decrease: last.and_then(|it| it.expected_decrease),
            mu: last.and_then(|it| it.mu),
            penalty: last.and_then(|it| it.penalty),
            warnings: Vec::new(),
            attempts: Vec::new(),
        }
    }
}

/// A warning about a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The constraint, joint, frame or phase that it is about.
    pub about: String,
    /// Its node, counted from the start of the trajectory, if it has one.
    pub node: Option<usize>,
    /// One sentence, with values, units, and what to do.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One of several attempts, from the same or different guesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The guess, and the solver or strategy.
    pub what: String,
    /// How it ended.
    pub status: Status,
    /// Iterations that it took.
    pub iterations: usize,
    /// Cost where it ended.
    pub cost: f64,
    /// The largest violation there.
    pub violation: f64,
}

/// The request of a solver's caller after each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// Stop here.
    Stop,
}
