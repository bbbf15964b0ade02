//! A change of one number.

use super::nearest;
use crate::model::source::text::{Owner, Quoted};
use std::fmt;

/// A number of a file that has changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// Line of the text that was given, from 1: of the attribute, else of the element that gets it.
    pub line: u32,
    /// The link, joint or transmission.
    pub owner: Owner,
    /// The element, as `origin`.
    pub element: &'static str,
    /// The attribute, as `xyz`.
    pub attribute: &'static str,
    /// Which of its numbers, from 0, where it has several.
    pub index: Option<usize>,
    /// The number before; what is taken where the file has none.
    pub old: f64,
    /// The number now.
    pub new: f64,
    /// Whether the attribute has been inserted.
    pub inserted: bool,
    /// The body that the number makes up for, where the inertia of the body is that of several links fixed to each other; the name of
    /// the root link for what is fixed to the world.
    pub whole_body: Option<String>,
}

/// `line 12: link `hand`: mass value 0.73 → 0.8`
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, owner, element, attribute, old, new, .. } = self;
        write!(f, "line {line}: {owner}: {element} {attribute}")?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        write!(f, " {} → {}", nearest::text(*old), nearest::text(*new))?;
        if let Some(body) = &self.whole_body {
            write!(f, ", for all links of body {}", Quoted(body))?;
        }
        if self.inserted { f.write_str(", inserted") } else { Ok(()) }
    }
}
