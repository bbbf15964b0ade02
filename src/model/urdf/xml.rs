//! The XML document with line numbers: elements and attributes, each either asked for by name or noted as ignored.

use super::error::UrdfError;
use super::guard;
use super::number::{BadNumber, numbers};
use super::report::{LoadReport, NoteKind};
use super::text::Owner;
use nalgebra::Vector3;
use roxmltree::{Document, Node, ParsingOptions};

/// Elements that URDF or a common extension knows and the dynamics does not use.
const KNOWN: [&str; 8] =
    ["visual", "collision", "material", "transmission", "gazebo", "ros2_control", "safety_controller", "calibration"];

/// Parses the text; its errors as ours.
pub(super) fn document(text: &str) -> Result<Document<'_>, UrdfError> {
    guard::check(text)?;
    let options = ParsingOptions { nodes_limit: guard::MAX_NODES as u32, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        use roxmltree::Error as E;
        if matches!(error, E::NodesLimitReached) {
            return UrdfError::TooLarge { line: 1, what: "nodes", limit: guard::MAX_NODES };
        }
        let position = error.pos();
        // The parser gives the beginning where it means the end.
        let at_end = matches!(error, E::UnclosedRootNode | E::UnexpectedEndOfStream | E::NoRootNode);
        let (line, column) = if at_end { end(text) } else { (position.row, position.col) };
        let reason = error.to_string();
        let suffix = format!(" at {position}");
        let reason = reason.strip_suffix(&suffix).unwrap_or(&reason);
        UrdfError::Xml { line, column, reason: reason.to_owned() }
    })
}

/// Line and column of the end of a text.
fn end(text: &str) -> (u32, u32) {
    let line = 1 + text.bytes().filter(|b| *b == b'\n').count();
    let column = 1 + text.rsplit('\n').next().unwrap_or_default().chars().count();
    (line.try_into().unwrap_or(u32::MAX), column.try_into().unwrap_or(u32::MAX))
}

/// Reads elements, knows their lines, and notes what nobody asks for.
pub(super) struct Reader {
    /// Where lines begin.
    lines: Vec<usize>,
    /// What was ignored so far.
    pub(super) report: LoadReport,
}

/// An attribute that is there.
pub(super) struct Attribute<'a> {
    pub(super) line: u32,
    pub(super) value: &'a str,
    element: &'a str,
    name: &'static str,
    owner: &'a Owner,
}

impl Reader {
    pub(super) fn new(text: &str) -> Self {
        let lines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { lines: lines.collect(), report: LoadReport::default() }
    }

    /// Line, from 1, of a position in the text.
    fn line_at(&self, position: usize) -> u32 {
        let line = 1 + self.lines.partition_point(|begin| *begin <= position);
        line.try_into().unwrap_or(u32::MAX)
    }

    /// Line of an element.
    pub(super) fn line(&self, node: Node) -> u32 {
        self.line_at(node.range().start)
    }

    /// The children of an element by name, each at most once; notes the others.
    pub(super) fn once<'a, 'i, const N: usize>(
        &mut self,
        node: Node<'a, 'i>,
        owner: &Owner,
        names: [&'static str; N],
    ) -> Result<[Option<Node<'a, 'i>>; N], UrdfError> {
        let mut found = [None; N];
        for child in node.children() {
            if !child.is_element() {
                self.note_text(child, node, owner);
                continue;
            }
            let name = full_name(child);
            match found.iter_mut().zip(names).find(|(_, known)| *known == name) {
                Some((place @ None, _)) => *place = Some(child),
                Some((Some(first), element)) => {
                    let (line, first_line) = (self.line(child), self.line(*first));
                    return Err(UrdfError::RepeatedElement { line, owner: owner.clone(), element, first_line });
                }
                None => self.note_element(child, owner),
            }
        }
        Ok(found)
    }

    /// Notes an element as ignored.
    pub(super) fn note_element(&mut self, node: Node, owner: &Owner) {
        let element = full_name(node).to_owned();
        let known = KNOWN.contains(&element.as_str());
        self.report.push(self.line(node), NoteKind::IgnoredElement { owner: owner.clone(), element, known });
    }

    /// Notes a child that is text as ignored, unless it is blank.
    pub(super) fn note_text(&mut self, child: Node, parent: Node, owner: &Owner) {
        let text = if child.is_text() { child.text().unwrap_or_default() } else { "" };
        let blank = text.len() - text.trim_start().len();
        if blank < text.len() {
            let element = full_name(parent).to_owned();
            let line = self.line_at(child.range().start + blank);
            self.report.push(line, NoteKind::IgnoredText { owner: owner.clone(), element });
        }
    }

    /// The attributes of an element by name; notes the others.
    pub(super) fn attributes<'a, const N: usize>(
        &mut self,
        node: Node<'a, '_>,
        owner: &'a Owner,
        names: [&'static str; N],
    ) -> [Option<Attribute<'a>>; N] {
        let mut found = [const { None }; N];
        let element = full_name(node);
        for attribute in node.attributes() {
            let line = self.line_at(attribute.range().start);
            let plain = attribute.namespace().is_none();
            match found.iter_mut().zip(names).find(|(_, name)| plain && *name == attribute.name()) {
                Some((place, name)) => {
                    *place = Some(Attribute { line, value: attribute.value(), element, name, owner })
                }
                None => {
                    let (element, attribute) = (element.to_owned(), attribute.name().to_owned());
                    self.report.push(line, NoteKind::IgnoredAttribute { owner: owner.clone(), element, attribute });
                }
            }
        }
        found
    }

    /// The attributes of an element that has no children.
    pub(super) fn leaf<'a, const N: usize>(
        &mut self,
        node: Node<'a, '_>,
        owner: &'a Owner,
        names: [&'static str; N],
    ) -> Result<[Option<Attribute<'a>>; N], UrdfError> {
        let [] = self.once(node, owner, [])?;
        Ok(self.attributes(node, owner, names))
    }

    /// An attribute that has to be there.
    pub(super) fn required<'a>(
        &self,
        attribute: Option<Attribute<'a>>,
        node: Node,
        owner: &Owner,
        name: &'static str,
    ) -> Result<Attribute<'a>, UrdfError> {
        attribute.ok_or_else(|| UrdfError::MissingAttribute {
            line: self.line(node),
            owner: owner.clone(),
            element: full_name(node).to_owned(),
            attribute: name,
        })
    }
}

impl Attribute<'_> {
    /// Its one number.
    pub(super) fn number(&self) -> Result<f64, UrdfError> {
        let [x] = self.numbers()?;
        Ok(x)
    }

    /// Its three numbers.
    pub(super) fn vector(&self) -> Result<Vector3<f64>, UrdfError> {
        let [x, y, z] = self.numbers()?;
        Ok(Vector3::new(x, y, z))
    }

    fn numbers<const N: usize>(&self) -> Result<[f64; N], UrdfError> {
        numbers(self.value).map_err(|bad| {
            let (line, owner) = (self.line, self.owner.clone());
            let (element, attribute) = (self.element.to_owned(), self.name.to_owned());
            match bad {
                BadNumber::NotANumber(found) => UrdfError::NotANumber { line, owner, element, attribute, found },
                BadNumber::NotFinite(found) => UrdfError::NotFinite { line, owner, element, attribute, found },
                BadNumber::WrongCount(found) => {
                    UrdfError::WrongCount { line, owner, element, attribute, expected: N, found }
                }
            }
        })
    }
}

/// Name of an element as written, prefix included: `xacro:macro` is not a `macro`.
pub(super) fn full_name<'a>(node: Node<'a, '_>) -> &'a str {
    let text = node.document().input_text();
    let tag = text.get(node.range().start + 1..).unwrap_or_default();
    let end = tag.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}
