//! Errors of propagating uncertainty.

use thiserror::Error;

/// Errors of propagating uncertainty.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UncertaintyError {
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
    /// A number is not finite.
    #[error("{what} has {value} at entry {entry}, which is not finite")]
    NotFinite {
        /// Where.
        what: &'static str,
        /// Which entry.
        entry: usize,
        /// The number.
        value: f64,
    },
    /// A matrix is not symmetric.
    #[error("{what} is {above} at ({row}, {column}) and {below} at ({column}, {row})")]
    NotSymmetric {
        /// Which matrix.
        what: &'static str,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The one entry.
        above: f64,
        /// The other.
        below: f64,
    },
    /// A covariance has a direction of negative variance.
    #[error("the covariance has a variance of {variance} along a direction that is mostly entry {entry}")]
    Negative {
        /// The largest entry of the direction.
        entry: usize,
        /// The variance.
        variance: f64,
    },
    /// A number of a method is invalid.
    #[error("{what} is {value}: {rule}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// Too many outputs are not finite.
    #[error(
        "outputs of {count} of {total} samples are not finite, and at most 1 % can be excluded; the first are {samples:?}"
    )]
    Failed {
        /// The first of them.
        samples: Vec<usize>,
        /// Their number.
        count: usize,
        /// The number of all samples.
        total: usize,
    },
    /// Outputs are so far apart on their manifold that they have no mean.
    #[error("outputs have no mean on their manifold: after {iterations} iterations it still moves by {step}")]
    NoMean {
        /// The number of iterations.
        iterations: usize,
        /// The length of the last step.
        step: f64,
    },
}

/// Checks that it has the expected length.
pub(super) fn expect_size(what: &'static str, found: usize, expected: usize) -> Result<(), UncertaintyError> {
    if found == expected { Ok(()) } else { Err(UncertaintyError::Size { what, expected, found }) }
}

/// Checks that all entries are finite.
pub(super) fn expect_finite(what: &'static str, x: &[f64]) -> Result<(), UncertaintyError> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(entry) => Err(UncertaintyError::NotFinite { what, entry, value: x[entry] }),
        None => Ok(()),
    }
}
