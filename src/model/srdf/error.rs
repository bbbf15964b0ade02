//! Why an SRDF file was refused.

use crate::model::InputError;
use crate::model::source::SourceError;
use crate::model::source::text::Quoted;
use thiserror::Error;

/// Why an SRDF file, or a state of it, was refused. Every message is one line.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SrdfError {
    /// The text, an element or a number cannot be read.
    #[error("{0}")]
    Source(Box<SourceError>),
    /// The root element is not `robot`.
    #[error("line {line}: the root element is {}, not `robot`", Quoted(.found))]
    NotARobot {
        /// Line of the root element.
        line: u32,
        /// Its name.
        found: String,
    },
    /// Two states of one name are of different groups, or of the same.
    #[error("line {line}: the state {} is there already, in line {first_line}", Quoted(.name))]
    RepeatedState {
        /// Line of the second one.
        line: u32,
        /// Its name.
        name: String,
        /// Line of the first one.
        first_line: u32,
    },
    /// There is no state of this name.
    #[error("there is no state {}{}", Quoted(.name), hint(.nearest.as_deref()))]
    UnknownState {
        /// The name that is asked for.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// The coordinates are no configuration.
    #[error(transparent)]
    NoConfiguration(#[from] InputError),
    /// A joint has another number of coordinates than the state gives.
    #[error("line {line}: joint {}: {found} values instead of {expected}", Quoted(.joint))]
    Coordinates {
        /// Line of the joint in the state.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// How many coordinates it has.
        expected: usize,
        /// How many the state gives.
        found: usize,
    },
}

impl From<SourceError> for SrdfError {
    fn from(error: SourceError) -> Self {
        Self::Source(Box::new(error))
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": perhaps {}", Quoted(name))).unwrap_or_default()
}
