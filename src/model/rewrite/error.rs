//! Why a model could not be written into a file.

use super::NotWritten;
use crate::model::mjcf::MjcfError;
use crate::model::source::text::{Owner, Quoted};
use crate::model::urdf::UrdfError;
use thiserror::Error;

/// Why a model could not be written into a file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RewriteError {
    /// The text cannot be read; or, changed, could not be read any more.
    #[error("{0}")]
    Urdf(Box<UrdfError>),
    /// The same of an MJCF file.
    #[error("{0}")]
    Mjcf(Box<MjcfError>),
    /// What has changed does not stand in the text itself, or stands there for several.
    #[error("{owner}: its numbers have changed, and cannot be written: {reason}")]
    Elsewhere {
        /// The body or joint.
        owner: Owner,
        /// Where it stands.
        reason: String,
    },
    /// The model is not that of the file with other numbers.
    #[error("the model is another robot than the file's: {what} is {file} by the file and {model} in the model")]
    OtherTree {
        /// What differs: a count, the name of a body, the kind of a joint, ….
        what: String,
        /// What the file gives.
        file: String,
        /// What the model has.
        model: String,
    },
    /// The mass of a body cannot be shared out among its links.
    #[error(
        "body {}: its mass of {mass} kg cannot be written: link {} would have {left} kg, for others fixed to it have {others} kg",
        Quoted(.body),
        Quoted(.link)
    )]
    NegativeMass {
        /// Name of the body; of the root link for what is fixed to the world.
        body: String,
        /// Mass in the model, kg.
        mass: f64,
        /// The link that would take the difference.
        link: String,
        /// What would be left for it, kg.
        left: f64,
        /// Mass of the other links of the body, kg.
        others: f64,
    },
    /// A number that the format refuses.
    #[error("{owner}: {what} is {value} in the model: {rule}")]
    Unwritable {
        /// The link or joint.
        owner: Owner,
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What the format asks for.
        rule: &'static str,
    },
    /// The changed text does not give the model.
    #[error(
        "{what}: the changed file would give {read} instead of {wanted}: the format cannot say this, or not beside what the file says elsewhere"
    )]
    NotReproduced {
        /// What cannot be written.
        what: String,
        /// What the model has.
        wanted: String,
        /// What the changed text gives.
        read: String,
    },
    /// Something has no place in a file, and `strict` was asked for.
    #[error("{first}{}", if *.count > 1 { format!(" (and {} more)", .count - 1) } else { String::new() })]
    NotWritten {
        /// The first of them.
        first: Box<NotWritten>,
        /// How many there are.
        count: usize,
    },
}

impl From<UrdfError> for RewriteError {
    fn from(error: UrdfError) -> Self {
        Self::Urdf(Box::new(error))
    }
}

impl From<MjcfError> for RewriteError {
    fn from(error: MjcfError) -> Self {
        Self::Mjcf(Box::new(error))
    }
}
