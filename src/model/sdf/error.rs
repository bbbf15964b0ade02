//! Why an SDF file was refused.

use crate::model::ModelError;
use crate::model::source::{Note, Owner, SourceError};
use thiserror::Error;

use crate::model::source::text::Quoted;

/// Why an SDF file was refused. Every message is one line and names the line of the file, the element and the values.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SdfError {
    /// The text, an element or a number cannot be read.
    #[error("{}{error}", of_file(.file.as_deref()))]
    Source {
        /// The included file; none for the file itself.
        file: Option<String>,
        /// What is wrong with it.
        error: Box<SourceError>,
    },
    /// Something in the file makes no sense.
    #[error("{}line {line}: {fault}", of_file(.file.as_deref()))]
    Fault {
        /// The included file; none for the file itself.
        file: Option<String>,
        /// Line of the element.
        line: u32,
        /// What is wrong.
        fault: Box<SdfFault>,
    },
    /// The model cannot be built.
    #[error("{0}")]
    Model(Box<ModelError>),
    /// The first warning, under [`SdfOptions::strict`](super::SdfOptions::strict).
    #[error("{0}")]
    Strict(Box<Note>),
}

/// What makes no sense in an SDF file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SdfFault {
    /// The root element is not `sdf`.
    #[error("the root element is {}, not `sdf`", Quoted(.found))]
    NotSdf {
        /// Its name.
        found: String,
    },
    /// The version is not one that is read.
    #[error("version {} is not read: expected 1.4 to 1.12", Quoted(.found))]
    Version {
        /// What the file says.
        found: String,
    },
    /// There is no model in the file, or not the one that is asked for.
    #[error("there is no model{}", asked_for(.asked))]
    NoModel {
        /// The model that is asked for; empty for any.
        asked: String,
    },
    /// A name that stands for nothing here.
    #[error("{owner}: {what} {} is unknown{}", Quoted(.name), hint(.nearest.as_deref()))]
    Unknown {
        /// The link, joint, frame or model.
        owner: Owner,
        /// What the name is: `relative_to`, `parent`, …
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// Two elements have one name.
    #[error("{owner}: its name is taken by the element in line {first_line}")]
    Taken {
        /// The second one.
        owner: Owner,
        /// Line of the first one.
        first_line: u32,
    },
    /// Poses, frames or joints go round in a circle.
    #[error("{owner}: {what} leads back to itself")]
    Circle {
        /// One of them.
        owner: Owner,
        /// What: `relative_to`, `attached_to`, `include`, a chain of joints.
        what: &'static str,
    },
    /// An element lacks another one.
    #[error("{owner}: there is no element `{element}`")]
    Lacks {
        /// The link or joint.
        owner: Owner,
        /// What it lacks.
        element: &'static str,
    },
    /// A value that is not one of those that there are.
    #[error("{owner}: {what} is {}: expected {expected}", Quoted(.found))]
    Word {
        /// The link, joint or element.
        owner: Owner,
        /// The element or attribute.
        what: &'static str,
        /// What the file says.
        found: String,
        /// What there is.
        expected: &'static str,
    },
    /// A number that breaks a rule.
    #[error("{owner}: {what} is {value}: {rule}")]
    Number {
        /// The link or joint.
        owner: Owner,
        /// The element.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The rule.
        rule: &'static str,
    },
    /// An axis of length zero.
    #[error("{owner}: its {what} is zero")]
    ZeroAxis {
        /// The joint.
        owner: Owner,
        /// `axis` or `axis2`.
        what: &'static str,
    },
    /// A file that cannot be read.
    #[error("{owner}: {}: {reason}", Quoted(.uri))]
    Unreadable {
        /// The include.
        owner: Owner,
        /// What it asks for.
        uri: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// A joint that cannot be read.
    #[error("{owner}: {reason}")]
    Joint {
        /// The joint.
        owner: Owner,
        /// Why.
        reason: &'static str,
    },
    /// Finite numbers make one that is not.
    #[error("{owner}: {what} is not finite")]
    Overflow {
        /// The link or joint.
        owner: Owner,
        /// The number.
        what: &'static str,
    },
}

impl From<ModelError> for SdfError {
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}

fn of_file(file: Option<&str>) -> String {
    file.map(|file| format!("{}, ", Quoted(file))).unwrap_or_default()
}

fn asked_for(asked: &str) -> String {
    if asked.is_empty() { String::new() } else { format!(" {}", Quoted(asked)) }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(": perhaps {}", Quoted(name))).unwrap_or_default()
}
