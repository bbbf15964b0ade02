//! Changes of the text: numbers replaced where they stand, attributes and elements inserted where they are missing.

use super::Change;
use super::nearest::{same, text as shortest};
use crate::model::source::guard::{Checked, DECLARATION, Tag};
use crate::model::source::number::numbers;
use crate::model::source::text::Owner;
use crate::model::source::xml::{Reader, full_name};
use roxmltree::{Attribute, Node};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where numbers belong.
#[derive(Clone)]
pub(in crate::model) struct EditTarget<'a, 'i> {
    /// The link, joint or transmission.
    pub(in crate::model) owner: Owner,
    /// The element that holds `element`, or has to.
    pub(in crate::model) parent: Node<'a, 'i>,
    /// An element between the two that is missing.
    pub(in crate::model) within: Option<&'static str>,
    /// The element that has the attributes.
    pub(in crate::model) element: &'static str,
    /// The body whose inertia, that of several links, the link makes up for.
    pub(in crate::model) whole_body: Option<String>,
}

/// The numbers of an attribute, as many as `new`.
pub(in crate::model) struct Numbers<'n> {
    pub(in crate::model) attribute: &'static str,
    /// As read; what the reader takes where there is none.
    pub(in crate::model) old: &'n [f64],
    pub(in crate::model) new: &'n [f64],
}

impl Numbers<'_> {
    pub(in crate::model) fn differ(&self) -> bool {
        self.old.iter().zip(self.new).any(|(old, new)| !same(*old, *new))
    }
    fn text(&self) -> String {
        self.new.iter().map(|x| shortest(*x)).collect::<Vec<_>>().join(" ")
    }
}

/// An element to be inserted.
struct Insert {
    within: Option<&'static str>,
    text: String,
}

/// All changes of a text.
pub(in crate::model) struct Edits<'a, 'i> {
    text: &'a str,
    reader: Reader,
    edits: Vec<(Range<usize>, String)>,
    /// By where the element that gets them begins.
    inserts: BTreeMap<usize, (Node<'a, 'i>, Vec<Insert>)>,
    pub(in crate::model) changes: Vec<Change>,
}

/// The first child of this name: the one that the reader reads.
pub(in crate::model) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.is_element() && full_name(*child) == name)
}

/// The attribute of this name, prefix included.
pub(in crate::model) fn attribute<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Attribute<'a, 'i>> {
    let text = node.document().input_text();
    node.attributes().find(|attribute| text.get(attribute.range_qname()) == Some(name))
}

/// The number of an attribute.
pub(in crate::model) fn number(node: Node, name: &str) -> Option<f64> {
    attribute(node, name).and_then(|attribute| numbers(attribute.value()).ok()).map(|[x]| x)
}

/// Attributes of one number each: name, old and new.
pub(in crate::model) fn singles<'n>(all: &'n [(&'static str, f64, f64)]) -> Vec<Numbers<'n>> {
    let numbers = |(attribute, old, new): &'n (&'static str, f64, f64)| Numbers {
        attribute,
        old: std::slice::from_ref(old),
        new: std::slice::from_ref(new),
    };
    all.iter().map(numbers).collect()
}

impl<'a, 'i> Edits<'a, 'i> {
    pub(in crate::model) fn new(checked: &'a Checked<'i>) -> Self {
        let mut edits = Vec::new();
        if let Some((at, bytes)) = checked.added {
            edits.push((at..at + bytes, String::new())); // the user did not write this
        }
        if let Some(at) = checked.late {
            edits.push((at..at + DECLARATION.len(), DECLARATION.to_owned()));
        }
        let (text, reader) = (&*checked.text, Reader::new(&checked.text));
        Self { text, reader, edits, inserts: BTreeMap::new(), changes: Vec::new() }
    }

    /// Writes the numbers of an element that differ. An element that is missing gets the attributes that differ.
    pub(in crate::model) fn set(&mut self, place: &EditTarget<'a, 'i>, attributes: &[Numbers]) {
        if attributes.iter().any(Numbers::differ) {
            self.write(place, self.element(place), attributes, false);
        }
    }

    /// The same for an element that is there.
    pub(in crate::model) fn set_on(&mut self, place: &EditTarget<'a, 'i>, node: Node<'a, 'i>, attributes: &[Numbers]) {
        self.write(place, Some(node), attributes, false);
    }

    /// Takes an attribute away, and the blanks before it.
    pub(in crate::model) fn remove(&mut self, node: Node<'a, 'i>, name: &str) {
        let Some(found) = attribute(node, name) else { return };
        let Range { start, end } = found.range();
        let before = self.text.get(..start).map_or(start, |before| before.trim_end().len());
        self.edits.push((before..end, String::new()));
    }

    /// The same for an element that has all attributes or none. If it `must` be there it is inserted even without a
    /// difference.
    pub(in crate::model) fn set_all(&mut self, place: &EditTarget<'a, 'i>, attributes: &[Numbers], must: bool) {
        if must || attributes.iter().any(Numbers::differ) {
            self.write(place, self.element(place), attributes, true);
        }
    }

    /// The element that has the attributes, if it is there.
    fn element(&self, place: &EditTarget<'a, 'i>) -> Option<Node<'a, 'i>> {
        if place.within.is_none() { child(place.parent, place.element) } else { None }
    }

    fn write(&mut self, place: &EditTarget<'a, 'i>, node: Option<Node<'a, 'i>>, attributes: &[Numbers], whole: bool) {
        for numbers in attributes.iter().filter(|numbers| numbers.differ()) {
            let found = node.and_then(|node| attribute(node, numbers.attribute));
            let at = found.map_or(node.unwrap_or(place.parent).range().start, |found| found.range().start);
            self.note(place, numbers, at, found.is_none());
            match (node, found) {
                (Some(_), Some(found)) => {
                    let range = self.value_range(&found);
                    self.replace(range, numbers);
                }
                (Some(node), None) => {
                    let attribute = format!(" {}=\"{}\"", numbers.attribute, numbers.text());
                    let at = end_of_attributes(node);
                    self.edits.push((at..at, attribute));
                }
                (None, _) => {}
            }
        }
        if node.is_none() {
            let mut text = format!("<{}", place.element);
            for numbers in attributes.iter().filter(|numbers| whole || numbers.differ()) {
                text += &format!(" {}=\"{}\"", numbers.attribute, numbers.text());
            }
            text += "/>";
            let (_, inserts) =
                self.inserts.entry(place.parent.range().start).or_insert_with(|| (place.parent, Vec::new()));
            inserts.push(Insert { within: place.within, text });
        }
    }

    /// Writes the number that an element gives by its attribute `value`, or else by its text.
    pub(in crate::model) fn set_value(&mut self, place: &EditTarget<'a, 'i>, node: Node<'a, 'i>, old: f64, new: f64) {
        let numbers = Numbers { attribute: "value", old: &[old], new: &[new] };
        if !numbers.differ() {
            return;
        }
        let found = attribute(node, "value");
        self.note(place, &numbers, node.range().start, false);
        let range = match found {
            Some(found) => self.value_range(&found),
            None => {
                let Some(child) = node.first_child() else { return };
                let Range { start, end } = child.range();
                let raw = self.text.get(start..end).unwrap_or_default();
                let blank = raw.len() - raw.trim_start().len();
                start + blank..start + raw.trim_end().len().max(blank)
            }
        };
        self.replace(range, &numbers);
    }

    /// What is between the quotes. The parser keeps 255 blanks around `=` at most, so not from it.
    fn value_range(&self, attribute: &Attribute) -> Range<usize> {
        let end = attribute.range().end.saturating_sub(1);
        let quote = self.text.get(end..).and_then(|rest| rest.chars().next()).unwrap_or('"');
        let start = self.text.get(..end).and_then(|before| before.rfind(quote)).map_or(end, |at| at + 1);
        start..end
    }

    /// Replaces the numbers that differ; all, where they are not written plainly.
    fn replace(&mut self, range: Range<usize>, numbers: &Numbers) {
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let parts: Vec<_> = raw.split_ascii_whitespace().collect();
        let plain = parts.len() == numbers.new.len() && !raw.contains(['&', '<']);
        if !plain {
            self.edits.push((range, numbers.text()));
            return;
        }
        let mut at = 0;
        for ((part, old), new) in parts.into_iter().zip(numbers.old).zip(numbers.new) {
            at += raw.get(at..).and_then(|rest| rest.find(part)).unwrap_or_default();
            if !same(*old, *new) {
                let start = range.start + at;
                self.edits.push((start..start + part.len(), shortest(*new)));
            }
            at += part.len();
        }
    }

    fn note(&mut self, place: &EditTarget<'a, 'i>, numbers: &Numbers, at: usize, inserted: bool) {
        let line = self.reader.line_at(at);
        let several = numbers.new.len() > 1;
        for (index, (old, new)) in numbers.old.iter().zip(numbers.new).enumerate() {
            if !same(*old, *new) {
                self.changes.push(Change {
                    line,
                    owner: place.owner.clone(),
                    element: place.element,
                    attribute: numbers.attribute,
                    index: several.then_some(index),
                    old: *old,
                    new: *new,
                    inserted,
                    whole_body: place.whole_body.clone(),
                });
            }
        }
    }

    /// The changed text, and what has changed in the order of lines.
    pub(in crate::model) fn finish(mut self) -> (String, Vec<Change>) {
        let layout = Layout::of(self.text, self.inserts.values().next().map(|(node, _)| *node));
        for (node, inserts) in std::mem::take(&mut self.inserts).into_values() {
            self.edits.push(layout.insertion(node, inserts));
        }
        self.edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut text, mut done) = (String::with_capacity(self.text.len()), 0);
        for (range, new) in &self.edits {
            text += self.text.get(done..range.start).unwrap_or_default();
            text += new;
            done = range.end;
        }
        text += self.text.get(done..).unwrap_or_default();
        self.changes.sort_by_key(|change| change.line);
        (text, self.changes)
    }
}

/// Where an attribute may be added.
fn end_of_attributes(node: Node) -> usize {
    let name_end = node.range().start + 1 + full_name(node).len();
    node.attributes().map(|attribute| attribute.range().end).fold(name_end, usize::max)
}

/// How the file is laid out.
struct Layout<'a> {
    text: &'a str,
    newline: &'static str,
    /// One level of indentation.
    unit: &'a str,
}

impl<'a> Layout<'a> {
    /// `node`: any of the document.
    fn of(text: &'a str, node: Option<Node>) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut layout = Self { text, newline, unit: "  " };
        if let Some(robot) = node.map(|node| node.document().root_element())
            && let Some(own) = layout.indent(robot)
            && let Some(inner) = robot.children().filter(Node::is_element).find_map(|child| layout.indent(child))
            && let Some(unit) = inner.strip_prefix(own).filter(|unit| !unit.is_empty())
        {
            layout.unit = unit;
        }
        layout
    }

    /// The blanks before something that begins its line.
    fn indent(&self, node: Node) -> Option<&'a str> {
        let before = self.text.get(..node.range().start)?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        // A byte order mark is no blank, and no text.
        let line = line.trim_start_matches('\u{feff}');
        line.bytes().all(|b| matches!(b, b' ' | b'\t')).then_some(line)
    }

    /// Where elements go that an element gets, and their text.
    fn insertion(&self, node: Node, inserts: Vec<Insert>) -> (Range<usize>, String) {
        let (start, name) = (node.range().start, full_name(node));
        let after = self.text.get(start + 1..).unwrap_or_default();
        let open = start + 1 + Tag::of(after, |_| {}).end.unwrap_or_default(); // its `>`
        let closed = self.text.get(..open).is_some_and(|before| before.ends_with('/'));
        let own = self.indent(node);
        let inner = node.children().filter(Node::is_element).find_map(|child| self.indent(child)).map(str::to_owned);
        let inner = inner.or_else(|| own.map(|own| format!("{own}{}", self.unit)));
        let last = node.children().rfind(|child| !child.is_text());
        // Beside a neighbor that does not begin its line, or in an element that does not: in the same line.
        let beside = last.is_some_and(|last| last.is_element() && self.indent(last).is_none());
        let inner = inner.filter(|_| !beside);
        let line = |deeper: &str| match &inner {
            Some(inner) => format!("{}{inner}{deeper}", self.newline),
            None => String::new(),
        };

        let mut text = String::new();
        let (nested, flat): (Vec<_>, Vec<_>) = inserts.into_iter().partition(|insert| insert.within.is_some());
        if let Some(within) = nested.first().and_then(|insert| insert.within) {
            text += &format!("{}<{within}>", line(""));
            for insert in &nested {
                text += &format!("{}{}", line(self.unit), insert.text);
            }
            text += &format!("{}</{within}>", line(""));
        }
        for insert in &flat {
            text += &format!("{}{}", line(""), insert.text);
        }

        let back = match (&inner, own) {
            (Some(_), Some(own)) => format!("{}{own}", self.newline),
            _ => String::new(),
        };
        if closed {
            let from = self.text.get(..open - 1).unwrap_or_default().trim_end().len();
            return (from..open + 1, format!(">{text}{back}</{name}>"));
        }
        if let Some(last) = last {
            let end = last.range().end;
            return (end..end, text);
        }
        // No element yet: what blanks there are stand before the end of the element.
        let content = self.text.get(open + 1..).and_then(|rest| rest.split('<').next()).unwrap_or_default();
        (open + 1..open + 1, if content.contains('\n') { text } else { text + &back })
    }
}
