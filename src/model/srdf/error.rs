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
    /// Two states of a group have one name.
    #[error("line {line}: the state {}{} is there already, in line {first_line}", Quoted(.name), of_group(.group))]
    RepeatedState {
        /// Line of the second one.
        line: u32,
        /// Its name.
        name: String,
        /// The group of both.
        group: String,
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
    /// States of this name, of several groups, give a joint different values.
    #[error(
        "the states {} of the groups {} and {} give joint {} different values, in lines {} and {line}: ask for {} or {}",
        Quoted(.name), Quoted(&.groups[0]), Quoted(&.groups[1]), Quoted(.joint), .first_line,
        Quoted(&full_name(&.groups[0], .name)), Quoted(&full_name(&.groups[1], .name))
    )]
    Contradiction {
        /// The name that is asked for.
        name: String,
        /// The groups of the two states.
        groups: [String; 2],
        /// The joint.
        joint: String,
        /// Line of the joint in the first state.
        first_line: u32,
        /// Line of the joint in the second state.
        line: u32,
    },
    /// The coordinates are no configuration.
    #[error(transparent)]
    NoConfiguration(#[from] InputError),
    /// The quaternion of a joint has length zero.
    #[error("line {line}: joint {}: its quaternion has length zero", Quoted(.joint))]
    NoRotation {
        /// Line of the joint in the state.
        line: u32,
        /// Name of the joint.
        joint: String,
    },
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

fn of_group(group: &str) -> String {
    if group.is_empty() { String::new() } else { format!(" of the group {}", Quoted(group)) }
}

/// The name of a state with that of its group.
pub(super) fn full_name(group: &str, name: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{group}/{name}") }
}
