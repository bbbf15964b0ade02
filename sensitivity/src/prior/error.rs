//! Why a distribution is invalid.

use thiserror::Error;

/// Why a distribution is invalid, or has no value at a point.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PriorError {
    /// A number of the distribution is invalid.
    #[error("{what} is {value}: {rule}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// The bounds of a uniform distribution are not in order.
    #[error("the lower bound {low} is not below the upper bound {high}")]
    Bounds {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The range of a uniform distribution exceeds what a double can hold.
    #[error("the range from {low} to {high} is too wide for a double")]
    Range {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// A list or a matrix has the wrong size.
    #[error("{what} has {found} entries instead of {expected}")]
    Size {
        /// Which.
        what: &'static str,
        /// The expected size.
        expected: usize,
        /// The actual size.
        found: usize,
    },
    /// An entry of a covariance is not finite.
    #[error("the covariance of `{row}` and `{column}` is {value}, which is not finite")]
    NotFinite {
        /// Name of the row.
        row: String,
        /// Name of the column.
        column: String,
        /// The entry.
        value: f64,
    },
    /// A covariance is not symmetric.
    #[error("the covariance of `{row}` and `{column}` is {above} in one place and {below} in the other")]
    NotSymmetric {
        /// Name of the row.
        row: String,
        /// Name of the column.
        column: String,
        /// Above the diagonal.
        above: f64,
        /// Below it.
        below: f64,
    },
    /// The remaining variance of one parameter, given those before it, is not positive.
    #[error(
        "the covariance is not positive definite: given the parameters before `{name}`, {left} of its variance {variance} remains"
    )]
    NotPositive {
        /// Name of the parameter.
        name: String,
        /// Its index.
        entry: usize,
        /// Its variance.
        variance: f64,
        /// The remaining variance.
        left: f64,
    },
}
