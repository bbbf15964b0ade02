//! Elements of a file, with the values that the table gives them.

use super::error::{SdfError, SdfFault};
use super::table::{MODEL, SDF, Spec, Use, Value};
use crate::model::source::guard::{self, MAX_NAME};
use crate::model::source::number::{BadNumber, list};
use crate::model::source::rotation::{NEAR_ONE, of_quaternion, of_rpy};
use crate::model::source::text::kept;
use crate::model::source::xml::{self, Reader, full_name};
use crate::model::source::{LoadReport, NoteKind, Owner, SourceError};
use crate::spatial::Transform;
use nalgebra::Vector3;
use roxmltree::Node;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Elements within elements.
const MAX_LEVELS: usize = 200;

/// Where something stands.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The included file; none for the file itself.
    pub(super) file: Option<Arc<str>>,
    pub(super) line: u32,
}

impl Place {
    pub(super) fn fault(&self, fault: SdfFault) -> SdfError {
        SdfError::Fault { file: self.file.as_deref().map(str::to_owned), line: self.line, fault: Box::new(fault) }
    }
    pub(super) fn source(&self, error: SourceError) -> SdfError {
        SdfError::Source { file: self.file.as_deref().map(str::to_owned), error: Box::new(error) }
    }
}

/// An element that is read.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) spec: &'static Spec,
    pub(super) place: Place,
    /// Its text, trimmed.
    text: String,
    attributes: Vec<(&'static str, String)>,
    pub(super) children: Vec<Element>,
}

/// Reads a text into elements, and notes what is not read.
pub(super) fn parse(text: &str, file: Option<&Arc<str>>, report: &mut LoadReport) -> Result<Element, SdfError> {
    let place = |line| Place { file: file.cloned(), line };
    let checked = guard::check(text).map_err(|error| place(1).source(error))?;
    let document = xml::document(&checked).map_err(|error| place(1).source(error))?;
    let mut from = From { reader: Reader::of(&checked), file: file.cloned(), seen: BTreeSet::new() };
    let root = document.root_element();
    let found = full_name(root);
    if found != "sdf" {
        return Err(place(from.reader.line(root)).fault(SdfFault::NotSdf { found: found.to_owned() }));
    }
    let element = from.element(root, &SDF, 0)?;
    report.append(std::mem::take(&mut from.reader.report), file);
    Ok(element)
}

/// A text on its way into elements.
struct From {
    reader: Reader,
    file: Option<Arc<str>>,
    seen: BTreeSet<String>,
}

impl From {
    fn element(&mut self, node: Node, spec: &'static Spec, level: usize) -> Result<Element, SdfError> {
        // A model in a model is a model.
        let spec = if spec.name == "model" { &MODEL } else { spec };
        let place = Place { file: self.file.clone(), line: self.reader.line(node) };
        if level > MAX_LEVELS {
            let what = "levels of elements";
            return Err(place.source(SourceError::TooLarge { line: place.line, what, limit: MAX_LEVELS }));
        }
        let mut element = Element { spec, place, text: String::new(), attributes: Vec::new(), children: Vec::new() };
        self.attributes(node, &mut element)?;
        let owner = element.owner();
        let mut firsts: Vec<(&'static str, u32)> = Vec::new();
        for child in node.children() {
            if !child.is_element() {
                if spec.value == Value::None {
                    self.reader.note_text(child, node, &owner);
                } else if child.is_text() {
                    element.text.push_str(child.text().unwrap_or_default());
                }
                continue;
            }
            self.reader.note_prefixes(child, &mut self.seen);
            let (name, line) = (full_name(child), self.reader.line(child));
            let Some(of) = spec.child(name) else {
                self.reader.note_element(child, &owner);
                continue;
            };
            if let Use::Not(rank, reason) = of.used {
                let text = child.text().unwrap_or_default().trim();
                if of.value == Value::None || !same_value(text, of.default) {
                    let (element, attribute) = (of.name.to_owned(), None);
                    let kind = NoteKind::NotUsed { owner: owner.clone(), element, attribute, rank, reason };
                    self.reader.report.push(line, kind);
                }
                continue;
            }
            if !matches!(of.name, "link" | "joint" | "frame" | "model" | "include" | "world") {
                if let Some((element, first_line)) = firsts.iter().find(|(name, _)| *name == of.name).copied() {
                    self.reader
                        .report
                        .push(line, NoteKind::RepeatedElement { owner: owner.clone(), element, first_line });
                    continue;
                }
                firsts.push((of.name, line));
            }
            element.children.push(self.element(child, of, level + 1)?);
        }
        element.text = element.text.trim().to_owned();
        Ok(element)
    }

    fn attributes(&mut self, node: Node, element: &mut Element) -> Result<(), SdfError> {
        for attribute in node.attributes() {
            let line = self.reader.line_at(attribute.range().start);
            let name = node.document().input_text().get(attribute.range_qname()).unwrap_or_default();
            if let Some(known) = element.spec.attributes.iter().find(|known| **known == name) {
                if attribute.value().len() > MAX_NAME {
                    let error = SourceError::TooLarge { line, what: "bytes of a name", limit: MAX_NAME };
                    return Err(element.place.source(error));
                }
                element.attributes.push((known, attribute.value().to_owned()));
            } else if !element.spec.ignored.contains(&name) && !name.starts_with("xmlns") {
                let (owner, of, attribute) = (element.owner(), element.spec.name.to_owned(), kept(name));
                self.reader.report.push(line, NoteKind::IgnoredAttribute { owner, element: of, attribute });
            }
        }
        Ok(())
    }
}

/// Whether a text is the default, written out in another way.
fn same_value(text: &str, default: &str) -> bool {
    let flag = |text: &str| match text {
        "1" | "true" | "True" => Some(true),
        "0" | "false" | "False" => Some(false),
        _ => None,
    };
    match (list(text), list(default)) {
        (Ok(a), Ok(b)) if !b.is_empty() => a == b,
        _ => text == default || flag(text).is_some_and(|a| flag(default) == Some(a)),
    }
}

impl Element {
    /// The children of this name.
    pub(super) fn each<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.spec.name == name)
    }

    /// The first child of this name.
    pub(super) fn child(&self, name: &'static str) -> Option<&Self> {
        self.each(name).next()
    }

    /// An attribute that is not empty.
    pub(super) fn attribute(&self, name: &'static str) -> Option<&str> {
        let found = self.attributes.iter().find(|(of, _)| *of == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Its text; none if that is empty.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.text.as_str()).filter(|text| !text.is_empty())
    }

    /// What messages call it.
    pub(super) fn owner(&self) -> Owner {
        let name = self.attribute("name").unwrap_or_default().to_owned();
        match self.spec.name {
            "link" => Owner::Link(name),
            "joint" => Owner::Joint(name),
            kind => Owner::Element(kind.to_owned(), name),
        }
    }

    /// Its name, which it needs.
    pub(super) fn name(&self) -> Result<&str, SdfError> {
        self.attribute("name").ok_or_else(|| {
            let (line, element) = (self.place.line, self.spec.name);
            self.place.source(SourceError::MissingName { line, element })
        })
    }

    /// The numbers of a child, or its default.
    pub(super) fn numbers<const N: usize>(&self, child: &'static str, owner: &Owner) -> Result<[f64; N], SdfError> {
        let spec = self.spec.child(child);
        match self.child(child) {
            Some(child) => child.own_numbers(owner),
            None => {
                let default = list(spec.map_or("", |spec| spec.default)).unwrap_or_default();
                Ok(std::array::from_fn(|k| default.get(k).copied().unwrap_or_default()))
            }
        }
    }

    /// The number of a child, or its default.
    pub(super) fn number(&self, child: &'static str, owner: &Owner) -> Result<f64, SdfError> {
        self.numbers(child, owner).map(|[x]| x)
    }

    /// The number of a child that may not be negative.
    pub(super) fn not_negative(&self, child: &'static str, owner: &Owner) -> Result<f64, SdfError> {
        let value = self.number(child, owner)?;
        if value < 0.0 {
            let place = self.child(child).map_or(&self.place, |child| &child.place);
            let rule = "expected a number that is not negative";
            return Err(place.fault(SdfFault::Number { owner: owner.clone(), what: child, value, rule }));
        }
        Ok(value)
    }

    /// The flag of a child, or its default.
    pub(super) fn flag(&self, child: &'static str, owner: &Owner) -> Result<bool, SdfError> {
        let default = self.spec.child(child).is_some_and(|spec| spec.default == "true");
        let Some(element) = self.child(child) else { return Ok(default) };
        flag(element.text().unwrap_or_default()).ok_or_else(|| element.no_flag(owner, child, &element.text))
    }

    /// The flag of an attribute, or false.
    pub(super) fn flag_attribute(&self, name: &'static str, owner: &Owner) -> Result<bool, SdfError> {
        let Some(text) = self.attribute(name) else { return Ok(false) };
        flag(text).ok_or_else(|| self.no_flag(owner, name, text))
    }

    fn no_flag(&self, owner: &Owner, what: &'static str, found: &str) -> SdfError {
        let expected = "`true` or `false`";
        self.place.fault(SdfFault::Word { owner: owner.clone(), what, found: found.to_owned(), expected })
    }

    /// Its numbers, so many.
    fn own_numbers<const N: usize>(&self, owner: &Owner) -> Result<[f64; N], SdfError> {
        let read = self.list(owner)?;
        let found = read.len();
        <[f64; N]>::try_from(read).map_err(|_| self.wrong_count(owner, N, found))
    }

    fn wrong_count(&self, owner: &Owner, expected: usize, found: usize) -> SdfError {
        let (line, owner, element) = (self.place.line, owner.clone(), self.spec.name.to_owned());
        let attribute = String::from("text");
        self.place.source(SourceError::WrongCount { line, owner, element, attribute, expected, found })
    }

    fn list(&self, owner: &Owner) -> Result<Vec<f64>, SdfError> {
        list(&self.text).map_err(|bad| {
            let (line, owner, element) = (self.place.line, owner.clone(), self.spec.name.to_owned());
            let attribute = String::from("text");
            self.place.source(match bad {
                BadNumber::NotANumber(found) => SourceError::NotANumber { line, owner, element, attribute, found },
                BadNumber::NotFinite(found) => SourceError::NotFinite { line, owner, element, attribute, found },
                BadNumber::WrongCount(found) => {
                    SourceError::WrongCount { line, owner, element, attribute, expected: 1, found }
                }
            })
        })
    }

    /// The pose that a child `pose` holds, in the frame that it is relative to.
    pub(super) fn pose(&self, owner: &Owner, report: &mut LoadReport) -> Result<Transform<f64>, SdfError> {
        self.child("pose").map_or(Ok(Transform::identity()), |pose| pose.own_pose(owner, report))
    }

    fn own_pose(&self, owner: &Owner, report: &mut LoadReport) -> Result<Transform<f64>, SdfError> {
        let quaternion = match self.attribute("rotation_format").unwrap_or("euler_rpy") {
            "euler_rpy" => false,
            "quat_xyzw" => true,
            found => {
                let expected = "`euler_rpy` or `quat_xyzw`";
                let (what, found) = ("rotation_format", found.to_owned());
                return Err(self.place.fault(SdfFault::Word { owner: owner.clone(), what, found, expected }));
            }
        };
        let in_degrees = self.flag_attribute("degrees", owner)?;
        if self.text.is_empty() {
            return Ok(Transform::identity());
        }
        if quaternion {
            let [x, y, z, qx, qy, qz, qw] = self.own_numbers(owner)?;
            let Some((rotation, length)) = of_quaternion([qx, qy, qz, qw]) else {
                let (what, value, rule) = ("the length of the quaternion", 0.0, "expected one");
                return Err(self.place.fault(SdfFault::Number { owner: owner.clone(), what, value, rule }));
            };
            if (length - 1.0).abs() > NEAR_ONE {
                let kind = NoteKind::QuaternionLength { owner: owner.clone(), length };
                report.push_in(self.place.file.as_ref(), self.place.line, kind);
            }
            return Ok(Transform::new(rotation, Vector3::new(x, y, z)));
        }
        let [x, y, z, r, p, yaw] = self.own_numbers(owner)?;
        let rpy = Vector3::new(r, p, yaw);
        let rpy = if in_degrees { rpy.map(f64::to_radians) } else { rpy };
        Ok(Transform::new(of_rpy(rpy), Vector3::new(x, y, z)))
    }

    /// The text of a child that has to be there.
    pub(super) fn required(&self, child: &'static str) -> Result<(&str, &Place), SdfError> {
        let lacks = || self.place.fault(SdfFault::Lacks { owner: self.owner(), element: child });
        let found = self.child(child).ok_or_else(lacks)?;
        found.text().map(|text| (text, &found.place)).ok_or_else(lacks)
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" | "True" | "TRUE" => Some(true),
        "false" | "0" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
