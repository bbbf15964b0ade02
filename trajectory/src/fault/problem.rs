//! Why a problem cannot be built, or changed.

use super::ProblemPlace;
use gradyn::InputError;
use thiserror::Error;

/// Why a description is not a valid problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ProblemError {
    /// The engine refuses a configuration, an id, or a frame.
    #[error("{place}: {error}")]
    Input {
        /// Where: a phase, a term.
        place: ProblemPlace,
        /// What it says.
        error: Box<InputError>,
    },
    /// A list does not have the length that it should have.
    #[error("{place}: {what} has {found} entries, expected {expected}")]
    Length {
        /// Where.
        place: ProblemPlace,
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
        place: ProblemPlace,
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
        place: ProblemPlace,
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
        place: ProblemPlace,
        /// Of what there are two.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// A goal that a residual cannot have.
    #[error("{place}: the goal is invalid: {why}")]
    Goal {
        /// Where.
        place: ProblemPlace,
        /// Why not.
        why: String,
    },
    /// Something is missing.
    #[error("{place}: {what}")]
    Missing {
        /// Where.
        place: ProblemPlace,
        /// What.
        what: &'static str,
    },
}

impl ProblemError {
    /// Where in the description the error is.
    #[must_use]
    pub fn place(&self) -> &ProblemPlace {
        match self {
            Self::Input { place, .. }
            | Self::Length { place, .. }
            | Self::Number { place, .. }
            | Self::Unknown { place, .. }
            | Self::Twice { place, .. }
            | Self::Goal { place, .. }
            | Self::Missing { place, .. } => place,
        }
    }
}
