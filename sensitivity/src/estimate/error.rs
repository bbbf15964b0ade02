//! Errors of a fit.

use thiserror::Error;

/// Errors of a fit.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum EstimateError {
    /// Something has the wrong size.
    #[error("{what} has {found} entries instead of {expected}")]
    Size {
        /// What.
        what: &'static str,
        /// The expected size.
        expected: usize,
        /// The actual size.
        found: usize,
    },
    /// A number is invalid.
    #[error("{what} is {value}: {rule}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A number at the start is not finite.
    #[error("at the start, {what} is {value} at entry {entry}, which is not finite")]
    NotFinite {
        /// Where.
        what: &'static str,
        /// Which entry, of a matrix counted column by column.
        entry: usize,
        /// The number.
        value: f64,
    },
    /// The residuals cannot be computed at the start.
    #[error("the residuals cannot be computed at the start: {why}")]
    Start {
        /// The function's error.
        why: String,
    },
    /// An information matrix has a direction of negative information.
    #[error(
        "the information matrix is {value} along a direction that is mostly entry {entry}: it must not be negative"
    )]
    Negative {
        /// The largest entry of the direction.
        entry: usize,
        /// Its eigenvalue.
        value: f64,
    },
}

/// Checks that it has the expected length.
pub(super) fn expect_size(what: &'static str, found: usize, expected: usize) -> Result<(), EstimateError> {
    if found == expected { Ok(()) } else { Err(EstimateError::Size { what, expected, found }) }
}

/// Checks that all entries are finite.
pub(super) fn expect_finite(what: &'static str, x: &[f64]) -> Result<(), EstimateError> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(entry) => Err(EstimateError::NotFinite { what, entry, value: x[entry] }),
        None => Ok(()),
    }
}

/// Checks that it is positive and finite.
pub(super) fn expect_positive(what: &'static str, value: f64) -> Result<(), EstimateError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(EstimateError::Number { what, value, rule: "it must be positive and finite" })
}
