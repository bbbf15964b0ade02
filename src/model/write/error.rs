//! What cannot be written.

use crate::model::ModelError;
use crate::model::source::text::Quoted;
use crate::model::source::{Format, Owner, Rank};
use std::fmt;
use thiserror::Error;

/// Something of a model that a format cannot say.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unsaid {
    /// The format.
    pub format: Format,
    /// What it is of: a joint, a body, a frame, the robot.
    pub owner: Owner,
    /// What it is, with its value.
    pub what: String,
    /// Why it cannot be said.
    pub reason: &'static str,
    /// What it means for the dynamics that it is left out.
    pub rank: Rank,
}

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, owner, what, reason, .. } = self;
        write!(f, "{owner}: {what} cannot be written to {}: {reason}", word(*format))
    }
}

/// Something that the file says in another way, though the robot moves the same: a joint with other coordinates, friction without the width
/// that readers give to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restated {
    /// The format.
    pub format: Format,
    /// What it is of: a joint, the robot.
    pub owner: Owner,
    /// How the file says it.
    pub how: String,
}

impl fmt::Display for Restated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, owner, how } = self;
        write!(f, "{owner}: in {}, {how}", word(*format))
    }
}

/// Why a model could not be written.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format cannot say something.
    #[error("{0}")]
    Unsaid(Unsaid),
    /// A name cannot stand in a file.
    #[error("{what} {}: {reason}", Quoted(.name))]
    Name {
        /// `robot`, `body`, `joint` or `frame`.
        what: &'static str,
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A number of the model was changed to one that no model has.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Files of this format are read, not written.
    #[error("{format} is read, not written: expected URDF or MJCF")]
    Format {
        /// The format.
        format: &'static str,
    },
}

/// The name of a format.
pub(super) fn word(format: Format) -> &'static str {
    match format {
        Format::Urdf => "URDF",
        Format::Mjcf => "MJCF",
        Format::Sdf => "SDF",
    }
}
