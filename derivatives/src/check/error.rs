//! Why nothing could be checked.

use super::Guess;
use thiserror::Error;

/// Why nothing could be checked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A list has the wrong length.
    #[error("`{what}` has {found} entries instead of {expected}")]
    Size {
        /// Which list.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// The claimed matrix has another shape than the derivative.
    #[error("`{name}` is {found_rows} × {found_columns}, expected {rows} × {columns}{}", hint(guess))]
    Shape {
        /// Name of the derivative.
        name: String,
        /// Rows that it has.
        rows: usize,
        /// Columns that it has.
        columns: usize,
        /// Rows claimed.
        found_rows: usize,
        /// Columns claimed.
        found_columns: usize,
        /// What probably happened.
        guess: Option<Guess>,
    },
    /// An entry of a sparse matrix is outside of it.
    #[error("entry ({row}, {column}) is outside of the {rows} × {columns} matrix")]
    Place {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A number is not finite or not positive, as required.
    #[error("`{what}[{index}]` is {value}: {rule}")]
    Number {
        /// Which list or option.
        what: &'static str,
        /// Its entry.
        index: usize,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A table of values lacks a required value.
    #[error("there is no value {} {} along input {input}", step.abs(), if *step > 0.0 { "ahead" } else { "behind" })]
    Sample {
        /// Along which input.
        input: usize,
        /// How far from the point.
        step: f64,
    },
    /// The function fails at the point itself.
    #[error("the function fails at the point: {error}")]
    Function {
        /// Its error.
        error: String,
    },
}

fn hint(guess: &Option<Guess>) -> String {
    guess.as_ref().map_or_else(String::new, |guess| format!(": {guess}"))
}
