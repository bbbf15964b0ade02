//! Errors of sensitivities.

use gradyn::InputError;
use gradyn::spatial::InertiaError;
use gradyn_trajectory::Reason;
use gradyn_trajectory::step::Scheme;
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SensitivityError {
    /// The engine rejects its input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// No parameter has this name, or fits this pattern.
    #[error("no parameter of `{robot}` fits `{pattern}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; the nearest is `{n}`")))]
    Unknown {
        /// The pattern.
        pattern: String,
        /// The robot.
        robot: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// A pattern is invalid.
    #[error("`{pattern}` is not a pattern: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// Two parameters of one body belong to different charts of its inertia.
    #[error("`{first}` and `{second}` both describe the inertia of `{body}`: choose one of the charts")]
    Overlap {
        /// The body.
        body: String,
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Two parameters are one number of the robot in two units: armature, and the inertia of a rotor behind its gear.
    #[error(
        "`{first}` and `{second}` are one number in two units, which no measurement tells apart: choose one of them"
    )]
    SameNumber {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// An inertia has no coordinates in the requested chart.
    #[error("`{name}`: {error}")]
    Chart {
        /// The parameter.
        name: String,
        /// Why.
        error: Box<InertiaError>,
    },
    /// A list has a wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// A number is invalid.
    #[error("{what} is {value}: {rule}")]
    Number {
        /// Which number, by name.
        what: String,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// Two parameters cannot be tied.
    #[error("`{left}` and `{right}` cannot be tied: {reason}")]
    Tie {
        /// The leading parameter.
        left: String,
        /// The following parameter.
        right: String,
        /// Why not.
        reason: &'static str,
    },
    /// Roll-outs do not step by this scheme.
    #[error("roll-outs do not step by `{0}`: expected `semi-implicit-euler`, `euler` or `rk4`")]
    Scheme(Scheme),
    /// A step could not be computed.
    #[error("{0}")]
    Step(Reason),
    /// Something else, in words.
    #[error("{0}")]
    Other(String),
}

impl From<Reason> for SensitivityError {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Input(error) => Self::Input(error),
            other => Self::Step(other),
        }
    }
}
