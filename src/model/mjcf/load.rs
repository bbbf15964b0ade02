//! From texts to one tree of elements: includes are put in, what is not read is noted.

use super::element::{Attribute, Element, same_value, source};
use super::error::{Fault, MjcfError};
use super::files::{Files, folder, is_absolute, tidy};
use super::place::Place;
use super::table::{MUJOCO, Use};
use crate::model::source::guard::{self, MAX_BYTES, MAX_NAME, MAX_NODES};
use crate::model::source::text::kept;
use crate::model::source::xml::{self, Reader, full_name};
use crate::model::source::{LoadReport, NoteKind, Owner, Rank, SourceError};
use roxmltree::Node;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Elements within elements, those of attached models included. The parser of MuJoCo allows 500; a robot has some fifty, and each takes a
/// few kB of the stack.
pub(super) const MAX_LEVELS: usize = 200;

/// Reads files into trees.
pub(super) struct Loader<'f> {
    pub(super) files: &'f Files,
    pub(super) report: LoadReport,
    /// Files that are included already.
    included: HashSet<String>,
    /// The folder of the model, with its slash; empty for the first one.
    folder: String,
    /// Elements so far, of all files.
    elements: usize,
}

/// A text on its way into the tree.
struct Source<'s> {
    reader: Reader,
    file: Option<Arc<str>>,
    /// The folder of the included file.
    folder: &'s str,
    seen: BTreeSet<String>,
}

impl<'f> Loader<'f> {
    pub(super) fn new(files: &'f Files) -> Self {
        Self { files, report: LoadReport::default(), included: HashSet::new(), folder: String::new(), elements: 0 }
    }

    /// A whole model. `file`: its name, if it is one that another model names.
    pub(super) fn model(&mut self, text: &str, file: Option<&str>) -> Result<Element, MjcfError> {
        let file: Option<Arc<str>> = file.map(Into::into);
        let path = file.as_deref().unwrap_or_default().to_owned();
        // Each model has its own includes.
        let others = std::mem::take(&mut self.included);
        self.included.insert(path.clone());
        let above = std::mem::replace(&mut self.folder, folder(&path).to_owned());
        let mut root = Element {
            spec: &MUJOCO,
            place: Place::new(file.as_ref(), 1),
            attributes: Vec::new(),
            children: Vec::new(),
        };
        self.text(text, file, folder(&path), &mut root, 0, true)?;
        (self.included, self.folder) = (others, above);
        Ok(root)
    }

    /// Reads a text, and puts the children of its root into `into`.
    fn text(
        &mut self,
        text: &str,
        file: Option<Arc<str>>,
        folder: &str,
        into: &mut Element,
        level: usize,
        is_model: bool,
    ) -> Result<(), MjcfError> {
        let place = Place::new(file.as_ref(), 1);
        let of_text = |error| source(&place, error);
        let checked = guard::check(text).map_err(of_text)?;
        let document = xml::document(&checked).map_err(of_text)?;
        let reader = Reader::of(&checked);
        let mut from = Source { reader, file, folder, seen: BTreeSet::new() };
        let root = document.root_element();
        if is_model {
            into.place = from.place(root);
            let found = full_name(root);
            if found != "mujoco" {
                return Err(into.fault(Fault::NotMjcf { found: found.to_owned() }));
            }
            self.attributes(&mut from, root, into)?;
        }
        self.children(&mut from, root, into, level)?;
        self.report.append(std::mem::take(&mut from.reader.report), from.file.as_ref());
        Ok(())
    }

    fn children(&mut self, from: &mut Source, node: Node, into: &mut Element, level: usize) -> Result<(), MjcfError> {
        for child in node.children() {
            if !child.is_element() {
                from.reader.note_text(child, node, &into.owner());
                continue;
            }
            if full_name(child) == "include" {
                self.include(from, child, into, level)?;
            } else if let Some(mut element) = self.element(from, child, into, level + 1)? {
                self.children(from, child, &mut element, level + 1)?;
                into.children.push(element);
            }
        }
        Ok(())
    }

    /// An element without what it holds; none if it is not read.
    #[inline(never)] // The frames of elements within elements are on the stack: the smaller the better.
    fn element(
        &mut self,
        from: &mut Source,
        child: Node,
        within: &Element,
        level: usize,
    ) -> Result<Option<Element>, MjcfError> {
        from.reader.note_prefixes(child, &mut from.seen);
        let (name, line) = (full_name(child), from.reader.line(child));
        let Some(spec) = within.spec.child(name) else {
            from.reader.note_element(child, &within.owner());
            return Ok(None);
        };
        if let Use::Not(rank, reason) = spec.used {
            from.reader.report.push(line, not_used(within.owner(), spec.name, None, (rank, reason)));
            return Ok(None);
        }
        let place = from.place(child);
        // Tendons are no part of a model; what forces they exert is noted with their attributes.
        if spec.defaults == "tendon" && name != "tendon" {
            let kind = not_used(within.owner(), spec.name, None, (Rank::NotDynamics, ""));
            from.reader.report.push(line, kind);
        }
        self.elements += 1;
        let excess = [("levels of elements", level, MAX_LEVELS), ("elements", self.elements, MAX_NODES)];
        for (what, count, limit) in excess {
            if count > limit {
                return Err(source(&place, SourceError::TooLarge { line, what, limit }));
            }
        }
        let mut element = Element { spec, place, attributes: Vec::new(), children: Vec::new() };
        self.attributes(from, child, &mut element)?;
        Ok(Some(element))
    }

    /// Keeps the attributes that are read, and notes the others.
    fn attributes(&mut self, from: &mut Source, node: Node, element: &mut Element) -> Result<(), MjcfError> {
        for attribute in node.attributes() {
            let line = from.reader.line_at(attribute.range().start);
            let full = node.document().input_text().get(attribute.range_qname()).unwrap_or_default();
            let place = Place::new(from.file.as_ref(), line);
            match element.spec.attribute(full) {
                Some(spec) => {
                    let value = attribute.value().to_owned();
                    if matches!(spec.kind, super::table::Kind::Text) && value.len() > MAX_NAME {
                        let error = SourceError::TooLarge { line, what: "bytes of a name", limit: MAX_NAME };
                        return Err(source(&place, error));
                    }
                    element.attributes.push(Attribute { spec, value, place });
                }
                None if element.spec.ignored.contains(&full) => {}
                None => {
                    let owner = Owner::Element(element.spec.name.to_owned(), named(node));
                    let (element, attribute) = (element.spec.name.to_owned(), kept(full));
                    from.reader.report.push(line, NoteKind::IgnoredAttribute { owner, element, attribute });
                }
            }
        }
        // Once the name is known.
        let owner = element.owner();
        for attribute in &element.attributes {
            if let Use::Not(rank, reason) = attribute.spec.used
                && !same_value(&attribute.value, attribute.spec.default)
            {
                let kind = not_used(owner.clone(), element.spec.name, Some(attribute.spec.name), (rank, reason));
                from.reader.report.push(attribute.place.line, kind);
            }
        }
        Ok(())
    }

    /// Puts the elements of an included file in the place of `include`.
    fn include(&mut self, from: &mut Source, node: Node, into: &mut Element, level: usize) -> Result<(), MjcfError> {
        let place = from.place(node);
        let named = node.attribute("file").unwrap_or_default();
        let file = if named.is_empty() || is_absolute(named) {
            named.to_owned()
        } else {
            tidy(&format!("{}{named}", self.folder))
        };
        let refuse = |reason: String| Fault::File { element: "include", file: file.clone(), reason }.at(&place);
        if file.is_empty() || file.len() > MAX_NAME {
            return Err(refuse("it has no usable attribute `file`".into()));
        }
        // Relative to the model, else to the file that includes it.
        let beside = tidy(&format!("{}{named}", from.folder));
        let (path, read) = match self.files.read(&file, MAX_BYTES) {
            Err(_) if beside != file && !is_absolute(named) => (beside.clone(), self.files.read(&beside, MAX_BYTES)),
            read => (file.clone(), read),
        };
        let bytes = read.map_err(|reason| refuse(format!("cannot be read: {reason}")))?;
        if !self.included.insert(path.clone()) {
            return Err(refuse("it is included already: a file may be included once".into()));
        }
        // Each included file is a level: the stack is bounded by it.
        if level + 1 > MAX_LEVELS {
            let error = SourceError::TooLarge { line: place.line, what: "levels of elements", limit: MAX_LEVELS };
            return Err(source(&place, error));
        }
        let text = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8 text".into()))?;
        let name: Arc<str> = path.as_str().into();
        self.text(&text, Some(name), folder(&path), into, level + 1, false)
    }
}

impl Source<'_> {
    fn place(&self, node: Node) -> Place {
        Place::new(self.file.as_ref(), self.reader.line(node))
    }
}

fn named(node: Node) -> String {
    kept(node.attribute("name").unwrap_or_default())
}

/// A note of what is not read.
pub(super) fn not_used(
    owner: Owner,
    element: &str,
    attribute: Option<&str>,
    (rank, reason): (Rank, &'static str),
) -> NoteKind {
    if rank == Rank::NotDynamics && attribute.is_none() {
        return NoteKind::IgnoredElement { owner, element: element.to_owned(), known: true };
    }
    let attribute = attribute.map(str::to_owned);
    NoteKind::NotUsed { owner, element: element.to_owned(), attribute, rank, reason }
}
