//! Xacro, of which URDF files are made: refused where it would add to the dynamics.

use super::error::UrdfError;
use crate::model::source::note::NoteKind;
use crate::model::source::text::kept;
use crate::model::source::xml::{Reader, full_name};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;

/// Refuses xacro where it would add to the dynamics, notes it where it would not, and notes prefixes that the text does not declare.
pub(super) fn look(reader: &mut Reader, document: &Document) -> Result<(), UrdfError> {
    let mut seen = BTreeSet::new();
    for node in document.descendants().filter(Node::is_element) {
        let uri = node.tag_name().namespace();
        if uri.is_some_and(|uri| uri.starts_with("http") && uri.ends_with("/xacro"))
            || uri.is_some() && full_name(node).starts_with("xacro:")
        {
            let element = full_name(node);
            if !has_no_effect(node) {
                return Err(UrdfError::Xacro { line: reader.line(node), found: format!("<{element}>") });
            }
            // Children of the robot are noted as ignored where they are read.
            if node.parent() != Some(document.root_element()) {
                reader.report.push(reader.line(node), NoteKind::LeftOverXacro { element: kept(element) });
            }
            continue;
        }
        reader.note_prefixes(node, &mut seen);
    }
    Ok(())
}

/// Whether this element of xacro does not affect the dynamics: it is inside an element that the dynamics do not use,
/// such as a `visual`, or defines what others may use.
fn has_no_effect(node: Node) -> bool {
    let path: Vec<&str> = node.ancestors().skip(1).filter(Node::is_element).map(full_name).collect();
    let is_definition = ["property", "arg", "macro"].contains(&node.tag_name().name());
    match path.iter().rev().copied().collect::<Vec<_>>()[..] {
        [_] => is_definition,
        [_, "link", part, ..] => part != "inertial",
        [_, "link" | "joint" | "transmission", ..] => false,
        [_, _, ..] => true,
        [] => false,
    }
}
