//! What a differenced function may return, and why a difference may not exist.

use std::convert::Infallible;
use std::fmt::{Debug, Display};
use thiserror::Error;

/// What a differenced function returns: `()`, or `Result<(), E>` if it can fail.
pub trait Outcome {
    /// Why it failed.
    type Error: Debug + Display;
    /// As a result.
    ///
    /// # Errors
    /// If the function failed.
    fn outcome(self) -> Result<(), Self::Error>;
}

impl Outcome for () {
    type Error = Infallible;
    fn outcome(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<E: Debug + Display> Outcome for Result<(), E> {
    type Error = E;
    fn outcome(self) -> Self {
        self
    }
}

/// Why there is no difference quotient; `E` is the function's own error.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DifferenceError<E: Debug + Display = Infallible> {
    /// A slice has the wrong length.
    #[error("`{what}` has {found} entries instead of {expected}")]
    Size {
        /// Name of the argument.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A step is zero, negative or not finite.
    #[error("the step {step} is not a positive number")]
    Step {
        /// The step.
        step: f64,
    },
    /// The function failed.
    #[error("the function failed at step {step} along direction {direction}: {error}")]
    Function {
        /// Index of the direction, zero where there is one only.
        direction: usize,
        /// How far from the point, zero at the point itself.
        step: f64,
        /// Its error.
        error: E,
    },
    /// The function, or the difference of two of its values, is not finite.
    #[error("output {output} is {value} at step {step} along direction {direction}")]
    NotFinite {
        /// Index of the output.
        output: usize,
        /// What it came out as.
        value: f64,
        /// Index of the direction, zero where there is one only.
        direction: usize,
        /// How far from the point, zero at the point itself.
        step: f64,
    },
}

impl<E: Debug + Display> DifferenceError<E> {
    /// The same, along the direction of that index.
    pub(super) fn along(mut self, index: usize) -> Self {
        if let Self::Function { direction, .. } | Self::NotFinite { direction, .. } = &mut self {
            *direction = index;
        }
        self
    }
}

/// Checks that the argument `what` has the expected length.
pub(super) fn expect_len<E: Debug + Display>(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), DifferenceError<E>> {
    if found == expected { Ok(()) } else { Err(DifferenceError::Size { what, expected, found }) }
}

/// Checks that it is a valid step.
pub(super) fn expect_step<E: Debug + Display>(step: f64) -> Result<(), DifferenceError<E>> {
    if step > 0.0 && step.is_finite() { Ok(()) } else { Err(DifferenceError::Step { step }) }
}
