//! Giving changed parameters back to the file, whatever its format: numbers replaced in the text, and robots compared.
//!
//! [`urdf::rewrite`](crate::model::urdf::rewrite) and [`mjcf::rewrite`](crate::model::mjcf::rewrite) are made of it.

mod change;
pub(in crate::model) mod edits;
mod error;
pub(in crate::model) mod nearest;
pub(in crate::model) mod same;
pub(in crate::model) mod shares;

pub use change::Change;
pub use error::RewriteError;

use std::fmt;

/// A text with other numbers, and which they are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rewritten {
    /// The text. Without changes it is the one that was given, to the byte.
    pub text: String,
    /// The numbers that have changed, in the order of their lines.
    pub changes: Vec<Change>,
    /// What differs between the robots and has no place in the file.
    pub not_written: Vec<NotWritten>,
}

/// A difference between the robot of the file and the changed one that the file cannot hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotWritten {
    /// What differs, as "gravity" or "frame `camera`".
    pub what: String,
    /// What the file gives.
    pub file: String,
    /// What the model has.
    pub model: String,
    /// Why it is not written.
    pub reason: &'static str,
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, file, model, reason } = self;
        write!(f, "{what}: {file} by the file, {model} in the model; {reason}")
    }
}
