//! The XML document with line numbers: elements and attributes, each either asked for by name or noted as ignored.

use super::error::SourceError;
use super::guard::{self, Checked};
use super::note::NoteKind;
use super::number::{BadNumber, numbers};
use super::report::LoadReport;
use super::text::{Owner, kept};
use nalgebra::Vector3;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeSet;

/// Parses the text; its errors as ours.
pub(in crate::model) fn document<'t>(checked: &'t Checked) -> Result<Document<'t>, SourceError> {
    let text = &*checked.text;
    let options = ParsingOptions { nodes_limit: guard::MAX_NODES as u32, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        use roxmltree::Error as E;
        if matches!(error, E::NodesLimitReached) {
            return SourceError::TooLarge { line: 1, what: "nodes", limit: guard::MAX_NODES };
        }
        let position = error.pos();
        // The parser gives the beginning where it means the end.
        let at_end = matches!(error, E::UnclosedRootNode | E::UnexpectedEndOfStream | E::NoRootNode);
        let (line, mut column) = if at_end { end(text) } else { (position.row, position.col) };
        if let Some((at, bytes)) = checked.added {
            // What was added, all of it ASCII, is not in the user's line.
            let (at_line, at_column) = end(text.get(..at).unwrap_or_default());
            let bytes = bytes.try_into().unwrap_or(u32::MAX);
            if line == at_line && column > at_column {
                column = column.saturating_sub(bytes).max(at_column);
            }
        }
        let reason = error.to_string();
        let suffix = format!(" at {position}");
        let reason = reason.strip_suffix(&suffix).unwrap_or(&reason);
        SourceError::Xml { line, column, reason: reason.to_owned() }
    })
}

/// Line and column of the end of a text.
fn end(text: &str) -> (u32, u32) {
    let line = 1 + text.bytes().filter(|b| *b == b'\n').count();
    let column = 1 + text.rsplit('\n').next().unwrap_or_default().chars().count();
    (line.try_into().unwrap_or(u32::MAX), column.try_into().unwrap_or(u32::MAX))
}

/// Reads elements, knows their lines, and notes what nobody asks for.
pub(in crate::model) struct Reader {
    /// Where lines begin.
    lines: Vec<usize>,
    /// Whether the format, or a common extension, has an element of this name.
    is_known: fn(&str) -> bool,
    /// What was ignored so far.
    pub(in crate::model) report: LoadReport,
}

/// A reference by name, and where it stands.
pub(in crate::model) struct Named {
    pub(in crate::model) line: u32,
    pub(in crate::model) name: String,
}

/// An attribute that is there.
pub(in crate::model) struct Attribute<'a> {
    pub(in crate::model) line: u32,
    pub(in crate::model) value: &'a str,
    element: &'a str,
    name: &'static str,
    pub(in crate::model) owner: &'a Owner,
}

impl Reader {
    pub(in crate::model) fn new(text: &str) -> Self {
        let lines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { lines: lines.collect(), is_known: |_| false, report: LoadReport::default() }
    }

    /// The reader of a text that was checked: notes what was mended there.
    pub(in crate::model) fn of(checked: &Checked) -> Self {
        let mut reader = Self::new(&checked.text);
        if let Some(at) = checked.late {
            reader.report.push(reader.line_at(at), NoteKind::SpaceBeforeDeclaration);
        }
        reader
    }

    /// The same reader, which notes elements of these names as known ones.
    pub(in crate::model) fn knowing(self, is_known: fn(&str) -> bool) -> Self {
        Self { is_known, ..self }
    }

    /// Notes the prefixes of an element and of its attributes that the text does not declare, each once.
    pub(in crate::model) fn note_prefixes(&mut self, node: Node, seen: &mut BTreeSet<String>) {
        let of_attributes = node.attributes().map(|attribute| (attribute.namespace(), attribute.range().start));
        for (uri, position) in [(node.tag_name().namespace(), node.range().start)].into_iter().chain(of_attributes) {
            if let Some(prefix) = uri.and_then(|uri| uri.strip_prefix(guard::UNDECLARED))
                && !seen.contains(prefix)
            {
                seen.insert(prefix.to_owned());
                self.report.push(self.line_at(position), NoteKind::UndeclaredPrefix { prefix: kept(prefix) });
            }
        }
    }

    /// The name of an element that needs one.
    pub(in crate::model) fn name(&self, node: Node, element: &'static str) -> Result<String, SourceError> {
        let name = node.attribute("name").unwrap_or_default();
        let line = self.line(node);
        if name.is_empty() {
            return Err(SourceError::MissingName { line, element });
        }
        if name.len() > guard::MAX_NAME {
            return Err(SourceError::TooLarge { line, what: "bytes of a name", limit: guard::MAX_NAME });
        }
        Ok(name.to_owned())
    }

    /// Line, from 1, of a position in the text.
    pub(in crate::model) fn line_at(&self, position: usize) -> u32 {
        let line = 1 + self.lines.partition_point(|begin| *begin <= position);
        line.try_into().unwrap_or(u32::MAX)
    }

    /// Line of an element.
    pub(in crate::model) fn line(&self, node: Node) -> u32 {
        self.line_at(node.range().start)
    }

    /// The children of an element by name; notes the others. Of several the first, the others are noted; which link a
    /// joint's parent is, and which its child, may be said only once.
    pub(in crate::model) fn once<'a, 'i, const N: usize>(
        &mut self,
        node: Node<'a, 'i>,
        owner: &Owner,
        names: [&'static str; N],
    ) -> Result<[Option<Node<'a, 'i>>; N], SourceError> {
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
                    let (line, first_line, owner) = (self.line(child), self.line(*first), owner.clone());
                    if matches!(element, "parent" | "child") {
                        return Err(SourceError::RepeatedElement { line, owner, element, first_line });
                    }
                    self.report.push(line, NoteKind::RepeatedElement { owner, element, first_line });
                }
                None => self.note_element(child, owner),
            }
        }
        Ok(found)
    }

    /// Notes an element as ignored.
    pub(in crate::model) fn note_element(&mut self, node: Node, owner: &Owner) {
        let element = full_name(node);
        let known = (self.is_known)(element);
        let kind = NoteKind::IgnoredElement { owner: owner.clone(), element: kept(element), known };
        self.report.push(self.line(node), kind);
    }

    /// Notes a child that is text as ignored, unless it is blank.
    pub(in crate::model) fn note_text(&mut self, child: Node, parent: Node, owner: &Owner) {
        let text = if child.is_text() { child.text().unwrap_or_default() } else { "" };
        let blank = text.len() - text.trim_start().len();
        if blank < text.len() {
            let element = kept(full_name(parent));
            let line = self.line_at(child.range().start + blank);
            self.report.push(line, NoteKind::IgnoredText { owner: owner.clone(), element });
        }
    }

    /// The attributes of an element by name, as written; notes the others.
    pub(in crate::model) fn attributes<'a, const N: usize>(
        &mut self,
        node: Node<'a, '_>,
        owner: &'a Owner,
        names: [&'static str; N],
    ) -> Result<[Option<Attribute<'a>>; N], SourceError> {
        let mut found = [const { None }; N];
        let element = full_name(node);
        for attribute in node.attributes() {
            let line = self.line_at(attribute.range().start);
            let full = node.document().input_text().get(attribute.range_qname()).unwrap_or_default();
            match found.iter_mut().zip(names).find(|(_, name)| *name == full) {
                Some((place, name)) => {
                    let value = attribute.value();
                    refuse_xacro(line, value)?;
                    *place = Some(Attribute { line, value, element, name, owner });
                }
                None => {
                    let (element, attribute) = (kept(element), kept(full));
                    self.report.push(line, NoteKind::IgnoredAttribute { owner: owner.clone(), element, attribute });
                }
            }
        }
        Ok(found)
    }

    /// The attributes of an element that has no children.
    pub(in crate::model) fn leaf<'a, const N: usize>(
        &mut self,
        node: Node<'a, '_>,
        owner: &'a Owner,
        names: [&'static str; N],
    ) -> Result<[Option<Attribute<'a>>; N], SourceError> {
        let [] = self.once(node, owner, [])?;
        self.attributes(node, owner, names)
    }

    /// What an element says: its attribute `value`, or else its text.
    pub(in crate::model) fn value<'a>(
        &self,
        node: Node<'a, '_>,
        owner: &'a Owner,
    ) -> Result<Attribute<'a>, SourceError> {
        let (element, name) = (full_name(node), "value");
        let attribute = node.attribute_node("value");
        let line = self.line_at(attribute.map_or(node.range(), |attribute| attribute.range()).start);
        let value = attribute.map(|attribute| attribute.value()).or_else(|| node.text());
        let value = value.map(str::trim).filter(|value| !value.is_empty());
        value.map_or(Ok(()), |value| refuse_xacro(line, value))?;
        let attribute = value.map(|value| Attribute { line, value, element, name, owner });
        self.required(attribute, node, owner, name)
    }

    /// An attribute that has to be there.
    pub(in crate::model) fn required<'a>(
        &self,
        attribute: Option<Attribute<'a>>,
        node: Node,
        owner: &Owner,
        name: &'static str,
    ) -> Result<Attribute<'a>, SourceError> {
        attribute.ok_or_else(|| SourceError::MissingAttribute {
            line: self.line(node),
            owner: owner.clone(),
            element: kept(full_name(node)),
            attribute: name,
        })
    }
}

impl Attribute<'_> {
    /// Its one number.
    pub(in crate::model) fn number(&self) -> Result<f64, SourceError> {
        let [x] = self.numbers()?;
        Ok(x)
    }

    /// Its three numbers.
    pub(in crate::model) fn vector(&self) -> Result<Vector3<f64>, SourceError> {
        let [x, y, z] = self.numbers()?;
        Ok(Vector3::new(x, y, z))
    }

    /// Its numbers, so many.
    pub(in crate::model) fn numbers<const N: usize>(&self) -> Result<[f64; N], SourceError> {
        numbers(self.value).map_err(|bad| {
            let (line, owner) = (self.line, self.owner.clone());
            let (element, attribute) = (self.element.to_owned(), self.name.to_owned());
            match bad {
                BadNumber::NotANumber(found) => SourceError::NotANumber { line, owner, element, attribute, found },
                BadNumber::NotFinite(found) => SourceError::NotFinite { line, owner, element, attribute, found },
                BadNumber::WrongCount(found) => {
                    SourceError::WrongCount { line, owner, element, attribute, expected: N, found }
                }
            }
        })
    }
}

/// Expressions and substitutions of xacro are no values.
fn refuse_xacro(line: u32, value: &str) -> Result<(), SourceError> {
    if value.contains("${") || value.contains("$(") {
        return Err(SourceError::Xacro { line, found: value.to_owned() });
    }
    Ok(())
}

/// Name of an element as written, prefix included: `xacro:macro` is not a `macro`.
pub(in crate::model) fn full_name<'a>(node: Node<'a, '_>) -> &'a str {
    let text = node.document().input_text();
    let tag = text.get(node.range().start + 1..).unwrap_or_default();
    let end = tag.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}
