//! Why a driver gave no derivative.

use std::convert::Infallible;
use thiserror::Error;

/// Why a driver gave no derivative.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DriverError {
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
    /// The function has no finite value here, or did not write this output.
    #[error("output {output} is {value}")]
    Value {
        /// Index of the output.
        output: usize,
        /// What it came out as.
        value: f64,
    },
    /// The value is finite, its derivative is not: `√x` at zero, for instance.
    #[error("the derivative of output {output} along direction {direction} is {derivative}")]
    Derivative {
        /// Index of the output.
        output: usize,
        /// Index of the input, or zero for the one direction of a directional derivative.
        direction: usize,
        /// What it came out as.
        derivative: f64,
    },
    /// Each derivative is finite, their weighted sum is not.
    #[error("the weighted sum of derivatives along direction {direction} is {derivative}")]
    Weighted {
        /// Index of the input.
        direction: usize,
        /// What it came out as.
        derivative: f64,
    },
    /// Value and first derivatives are finite, a second derivative is not.
    #[error("the second derivative along directions {row} and {column} is {derivative}")]
    SecondDerivative {
        /// Index of the first input, or zero for the vector of a Hessian-vector product.
        row: usize,
        /// Index of the second input.
        column: usize,
        /// What it came out as.
        derivative: f64,
    },
}

/// Why a driver gave no derivative of a [function that can fail](crate::FallibleFunction).
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TryError<E> {
    /// The function failed.
    #[error("{0}")]
    Function(E),
    /// The function did not fail, but there is no derivative, or an argument is wrong.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

impl TryError<Infallible> {
    /// Of a function that does not fail.
    pub(super) fn driver(self) -> DriverError {
        match self {
            Self::Function(never) => match never {},
            Self::Driver(error) => error,
        }
    }
}

/// Checks that the argument `what` has the expected length.
pub(super) fn expect_len(what: &'static str, found: usize, expected: usize) -> Result<(), DriverError> {
    if found == expected { Ok(()) } else { Err(DriverError::Size { what, expected, found }) }
}

/// `value`, if it is finite.
#[inline(always)]
pub(super) fn finite_value(output: usize, value: f64) -> Result<f64, DriverError> {
    if value.is_finite() { Ok(value) } else { Err(DriverError::Value { output, value }) }
}

/// `derivative`, if it is finite.
#[inline(always)]
pub(super) fn finite_derivative(output: usize, direction: usize, derivative: f64) -> Result<f64, DriverError> {
    if derivative.is_finite() { Ok(derivative) } else { Err(DriverError::Derivative { output, direction, derivative }) }
}

/// `derivative`, if it is finite.
#[inline(always)]
pub(super) fn finite_weighted(direction: usize, derivative: f64) -> Result<f64, DriverError> {
    if derivative.is_finite() { Ok(derivative) } else { Err(DriverError::Weighted { direction, derivative }) }
}

/// `derivative`, if it is finite.
#[inline(always)]
pub(super) fn finite_second(row: usize, column: usize, derivative: f64) -> Result<f64, DriverError> {
    if derivative.is_finite() { Ok(derivative) } else { Err(DriverError::SecondDerivative { row, column, derivative }) }
}
