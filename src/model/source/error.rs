//! Why the text of a robot file cannot be read, whatever its format.

use super::text::{OneLine, Owner, Quoted};
use std::path::PathBuf;
use thiserror::Error;

/// Why the text of a robot file cannot be read, whatever its format: the file, the XML, an attribute. Every message is one line
/// and names the line of the file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SourceError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// The file is not UTF-8 text.
    #[error("line {line}: `{}` is not UTF-8 text", .path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Line of the first byte that is not UTF-8.
        line: u32,
    },
    /// The text is larger than any robot, and reading it could exhaust the machine.
    #[error("line {line}: more than {limit} {what}")]
    TooLarge {
        /// Line where the limit is passed.
        line: u32,
        /// What there is too much of: bytes, bytes of a name, nodes, attributes of one element, namespaces.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
    /// The text has a document type definition: entities and default values that it defines would be part of the numbers.
    #[error(
        "line {line}: a document type definition (DTD, `<!DOCTYPE`) is not read: remove it, and write what its entities stand for"
    )]
    DocumentType {
        /// Line of the definition.
        line: u32,
    },
    /// The text is xacro, of which robot files are made.
    #[error("line {line}: {} is xacro: run `xacro` first", Quoted(.found))]
    Xacro {
        /// Line of the element or attribute.
        line: u32,
        /// The element, or what the attribute holds.
        found: String,
    },
    /// The text is not well-formed XML.
    #[error("line {line}, column {column}: not well-formed XML: {}", OneLine(.reason))]
    Xml {
        /// Line of the fault.
        line: u32,
        /// Column of the fault, from 1.
        column: u32,
        /// What is wrong.
        reason: String,
    },
    /// An element that needs a name has none, or an empty one.
    #[error("line {line}: a {element} has no name")]
    MissingName {
        /// Line of the element.
        line: u32,
        /// The element.
        element: &'static str,
    },
    /// An element lacks an attribute.
    #[error("line {line}: {owner}: `{element}` has no attribute `{attribute}`")]
    MissingAttribute {
        /// Line of the element.
        line: u32,
        /// What it is a part of.
        owner: Owner,
        /// The element.
        element: String,
        /// The attribute it lacks.
        attribute: &'static str,
    },
    /// An element that may appear once appears twice, and the tree depends on it.
    #[error("line {line}: {owner}: a second element `{element}`, the first is in line {first_line}")]
    RepeatedElement {
        /// Line of the second one.
        line: u32,
        /// What it is a part of.
        owner: Owner,
        /// The element.
        element: &'static str,
        /// Line of the first one.
        first_line: u32,
    },
    /// A value is not a number.
    #[error("line {line}: {owner}: {} of {}: {} is not a number", Quoted(.attribute), Quoted(.element), Quoted(.found))]
    NotANumber {
        /// Line of the attribute.
        line: u32,
        /// What it is a part of.
        owner: Owner,
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// What stands there.
        found: String,
    },
    /// A number is infinite, not a number (NaN), or too large.
    #[error("line {line}: {owner}: {} of {}: {} is not finite", Quoted(.attribute), Quoted(.element), Quoted(.found))]
    NotFinite {
        /// Line of the attribute.
        line: u32,
        /// What it is a part of.
        owner: Owner,
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// What stands there.
        found: String,
    },
    /// An attribute has too few or too many numbers.
    #[error("line {line}: {owner}: `{attribute}` of `{element}`: {found} numbers instead of {expected}")]
    WrongCount {
        /// Line of the attribute.
        line: u32,
        /// What it is a part of.
        owner: Owner,
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// How many numbers it needs.
        expected: usize,
        /// How many it has.
        found: usize,
    },
}
