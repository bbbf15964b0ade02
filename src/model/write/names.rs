//! Names that a file can hold, and new ones.

use super::error::WriteError;
use crate::model::source::Format;
use crate::model::source::guard::MAX_NAME;
use std::collections::HashSet;

/// Checks a name that the file will have.
pub(super) fn check(format: Format, what: &'static str, name: &str) -> Result<(), WriteError> {
    let refuse = |reason| Err(WriteError::Name { what, name: name.to_owned(), reason });
    if name.is_empty() {
        return refuse("the name is empty, and the file could not refer to it");
    }
    if name.len() > MAX_NAME {
        return refuse("the name is longer than 1024 bytes, and no reader takes it");
    }
    // XML 1.0, section 2.2.
    let is_character =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if !name.chars().all(is_character) {
        return refuse("the name has a character that XML cannot hold");
    }
    if format == Format::Urdf && (name.contains("${") || name.contains("$(")) {
        return refuse("the name is an expression of xacro, and no reader of URDF takes it");
    }
    Ok(())
}

/// Names that are taken.
#[derive(Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    pub(super) fn insert(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }

    /// The name, or the same with as many `_` as make it new; it is taken then.
    pub(super) fn unused(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.0.contains(&name) {
            name.push('_');
        }
        self.0.insert(name.clone());
        name
    }
}
