//! Why a node cannot be evaluated, and why a solver cannot start.

use super::ProblemError;
use gradyn::InputError;
use std::any::Any;
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
    /// Trajectory, gains or another argument do not have the sizes of the problem.
    #[error("{0}")]
    Problem(Box<ProblemError>),
    /// A list, a guess or a solver has other sizes than the problem.
    #[error("{what} has other sizes than {of}")]
    SizeMismatch {
        /// Which argument, with its article.
        what: &'static str,
        /// What it must fit, with its article.
        of: &'static str,
    },
    /// The gain of a step has the wrong shape.
    #[error("its gain is {}, expected {} × {}", found.map_or("none".into(), |[n, m]| format!("{n} × {m}")), expected[0], expected[1])]
    GainShape {
        /// Rows and columns; `None` if there is no gain.
        found: Option<[usize; 2]>,
        /// nu and ndx.
        expected: [usize; 2],
    },
    /// State and controls of a feedback do not have the sizes of the node.
    #[error("a state of {} and controls of {} numbers, expected {expected:?}", found.0, found.1)]
    FeedbackSizes {
        /// Numbers of the state and of the controls.
        found: (usize, usize),
        /// nx and nu.
        expected: (usize, usize),
    },
    /// The memory was created by another step, residual or node.
    #[error("the memory belongs to another step, residual or node")]
    ForeignMemory,
    /// A frame has no index in this model.
    #[error("the frame is another model's")]
    ForeignFrame,
    /// The robot with other numbers is used by something else, and cannot be changed.
    #[error("the robot with other numbers is shared")]
    SharedModel,
    /// A step without duration has no rate of controls.
    #[error("a step that takes no time has no rate of controls")]
    NoControlRate,
    /// A function has no derivative at this point.
    #[error("{why}: their distance has no derivative there")]
    NotDifferentiable {
        /// What is special there.
        why: &'static str,
    },
    /// The x axis of a sole is along the normal of the ground.
    #[error("the x axis of the sole's frame is along the normal of the ground, which leaves the sole no direction")]
    NoSoleDirection,
    /// A node has no second derivatives.
    #[error("this node does not know its second derivatives")]
    NoSecondDerivatives,
    /// An entry outside of the sparsity pattern is not zero.
    #[error("an entry outside of the pattern is {value:e}")]
    OutsidePattern {
        /// The entry.
        value: f64,
    },
    /// A joint has turned by a whole turn, where the chart has no inverse.
    #[error("a joint has turned a whole turn away from the base of the view")]
    WholeTurn,
    /// The duration of a phase is not positive.
    #[error("the duration of the phase is {seconds} s: it must be positive")]
    InvalidDuration {
        /// The duration, s.
        seconds: f64,
    },
    /// The state has no duration of the phase.
    #[error("the state has no duration of the phase")]
    NoDuration,
    /// A step has no method of higher order.
    #[error("the step has no method of higher order")]
    NoReference,
    /// A step has no derivative by its length.
    #[error("the step cannot be differentiated by its length")]
    NoLengthDerivative,
    /// Newton's method has not solved the equations of the midpoint.
    #[error(
        "the equations of the midpoint were not solved in {iterations} iterations of Newton's method: the last \
         correction is {correction:e}; the step of {dt} s is too long"
    )]
    MidpointNotSolved {
        /// Iterations done.
        iterations: usize,
        /// The largest entry of the last correction, rad/s or m/s.
        correction: f64,
        /// Length of the step, s.
        dt: f64,
    },
    /// The fixed-point iteration of the midpoint has not converged.
    #[error("the midpoint was not found in {iterations} fixed-point iterations: the step is too long")]
    MidpointNotFound {
        /// Iterations done.
        iterations: usize,
    },
    /// Newton's method has not solved the equations of implicit friction.
    #[error(
        "the velocity at the end of a step with implicit friction was not found in {iterations} iterations of \
         Newton's method: {residual:e} is left of its equations; the step of {dt} s is too long"
    )]
    FrictionNotSolved {
        /// Iterations done.
        iterations: usize,
        /// What is left of the equations, N m s or N s.
        residual: f64,
        /// Length of the step, s.
        dt: f64,
    },
    /// The equations of an implicit step have no unique solution.
    #[error("the equations of {of} are singular{}", if *too_long { ": the step is too long" } else { "" })]
    SingularStep {
        /// Which equations.
        of: &'static str,
        /// Whether a shorter step always mends it.
        too_long: bool,
    },
    /// A solver does not support a constraint of the problem.
    #[error("this solver does not keep {what}; {} do", solvers.join(" and "))]
    UnsupportedConstraint {
        /// Which constraints.
        what: &'static str,
        /// Solvers that support them, as in code.
        solvers: &'static [&'static str],
    },
    /// The problem has durations or parameters that a solver chooses, which cannot be shifted in time.
    #[error("durations and parameters are chosen once: a trajectory with such is not moved in time")]
    ChosenOnce,
    /// The time to shift by is negative or not finite.
    #[error("the time to shift by is {seconds}: it must be finite and not negative")]
    InvalidShift {
        /// The time, s.
        seconds: f64,
    },
    /// Feedback was asked for before anything was prepared.
    #[error("nothing has been prepared")]
    NotPrepared,
    /// An option of a solver is invalid.
    #[error("{what}")]
    InvalidOption {
        /// The option, its value, and the rule that it breaks.
        what: String,
    },
    /// The Riccati sweep failed.
    #[error("{why}")]
    SweepFailed {
        /// The node and the matrix that failed.
        why: String,
    },
    /// A multi-start has no guess.
    #[error("there is no guess")]
    NoGuess,
    /// No body has the inertia that the parameters describe.
    #[error("no body has the inertia that its parameters make")]
    UnphysicalInertia,
    /// A solver outside this crate stopped without a solution.
    #[error("{solver} has stopped without an answer")]
    NoAnswer {
        /// The solver.
        solver: &'static str,
    },
    /// An error of a user's own node, step or residual, in words.
    #[error("{0}")]
    Other(String),
}

/// The first entry that is not finite, as a reason.
pub(crate) fn finite(what: &'static str, x: &[f64]) -> Result<(), Reason> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(entry) => Err(Reason::NotFinite { what, entry, value: x[entry] }),
        None => Ok(()),
    }
}

/// Memory as what made it.
pub(crate) fn memory_of<M: Any>(own: &mut dyn Any) -> Result<&mut M, Reason> {
    own.downcast_mut().ok_or(Reason::ForeignMemory)
}
