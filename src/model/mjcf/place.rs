//! Where in the files something stands.

use crate::model::source::text::Quoted;
use std::fmt;
use std::sync::Arc;

/// Where in the files something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The included file; none for the file itself.
    pub file: Option<Arc<str>>,
    /// Its line, from 1.
    pub line: u32,
}

impl Place {
    pub(super) fn new(file: Option<&Arc<str>>, line: u32) -> Self {
        Self { file: file.cloned(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}, ", Quoted(file))?;
        }
        write!(f, "line {}", self.line)
    }
}
