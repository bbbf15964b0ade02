//! Classes of defaults: attributes that elements have unless they say otherwise.

use super::element::{Attribute, Element};
use super::error::{Fault, MjcfError};
use super::place::Place;
use super::table::Kind;
use crate::model::source::text::nearest;
use crate::model::source::{Owner, SourceError};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Attributes by the kind of element that they are for.
type Kinds = BTreeMap<&'static str, Arc<[Attribute]>>;

/// The classes of a model. Each has all that it inherits.
#[derive(Debug)]
pub(super) struct Classes {
    list: Vec<(Kinds, Place)>,
    by_name: HashMap<String, usize>,
}

/// The class of all elements that name none.
pub(super) const MAIN: usize = 0;

/// Orientations: of several the last one counts.
const ORIENTATIONS: [&str; 4] = ["axisangle", "xyaxes", "zaxis", "euler"];

impl Classes {
    /// Those of all sections `default`.
    pub(super) fn of(root: &Element) -> Result<Self, MjcfError> {
        let mut classes = Self {
            list: vec![(Kinds::new(), root.place.clone())],
            by_name: HashMap::from([("main".to_owned(), MAIN)]),
        };
        for section in root.each("default") {
            let name = section.plain().text("class").unwrap_or("main");
            if name != "main" {
                let reason = "the outermost class of defaults is `main`, and may have no other name";
                return Err(section.fault(Fault::Misplaced { owner: owner(name), reason }));
            }
            classes.read(section, MAIN)?;
        }
        Ok(classes)
    }

    /// Reads what a class says itself, then the classes within.
    fn read(&mut self, section: &Element, class: usize) -> Result<(), MjcfError> {
        for element in section.children.iter().filter(|child| child.spec.name != "default") {
            let Some((kinds, _)) = self.list.get_mut(class) else { continue };
            let inherited = kinds.get(element.spec.defaults).cloned().unwrap_or_default();
            kinds.insert(element.spec.defaults, merged(&inherited, &element.attributes).into());
        }
        for within in section.each("default") {
            let name = within.plain().text("class").ok_or_else(|| {
                let error = SourceError::MissingName { line: within.place.line, element: "class of defaults" };
                super::element::source(&within.place, error)
            })?;
            let Some((kinds, _)) = self.list.get(class).cloned() else { continue };
            if let Some((_, first)) = self.by_name.get(name).and_then(|i| self.list.get(*i)) {
                let (what, name, first) = ("class", name.to_owned(), first.clone());
                return Err(within.fault(Fault::DuplicateName { what, name, first }));
            }
            let new = self.list.len();
            self.list.push((kinds, within.place.clone()));
            self.by_name.insert(name.to_owned(), new);
            self.read(within, new)?;
        }
        Ok(())
    }

    /// The class that an attribute of an element names, else `otherwise`.
    pub(super) fn named(
        &self,
        element: &Element,
        attribute: &'static str,
        otherwise: usize,
    ) -> Result<usize, MjcfError> {
        let Some(name) = element.plain().text(attribute) else { return Ok(otherwise) };
        self.by_name.get(name).copied().ok_or_else(|| {
            let nearest = nearest(name, self.by_name.keys().map(String::as_str));
            let (owner, name) = (element.owner(), name.to_owned());
            Fault::UnknownName { owner, attribute, what: "class", name, nearest }.at(element.plain().place(attribute))
        })
    }

    /// What a class gives to a kind of element.
    pub(super) fn attributes(&self, class: usize, kind: &str) -> &[Attribute] {
        self.list.get(class).and_then(|(kinds, _)| kinds.get(kind)).map_or(&[], |attributes| attributes)
    }
}

fn owner(name: &str) -> Owner {
    Owner::Element("default".to_owned(), name.to_owned())
}

/// The attributes of `own`, then those of `inherited` that it does not have. Of numbers that may be fewer the rest is inherited.
fn merged(inherited: &[Attribute], own: &[Attribute]) -> Vec<Attribute> {
    let turned = own.iter().any(|attribute| ORIENTATIONS.contains(&attribute.spec.name));
    let mut merged: Vec<Attribute> = Vec::with_capacity(inherited.len() + own.len());
    for attribute in own.iter().filter(|attribute| !matches!(attribute.spec.name, "class" | "name")) {
        let mut attribute = attribute.clone();
        let old = inherited.iter().find(|old| old.spec.name == attribute.spec.name);
        if let (Kind::UpTo(_), Some(old)) = (attribute.spec.kind, old) {
            let count = attribute.value.split_ascii_whitespace().count();
            for rest in old.value.split_ascii_whitespace().skip(count) {
                attribute.value.push(' ');
                attribute.value.push_str(rest);
            }
        }
        merged.push(attribute);
    }
    for old in inherited {
        let is_replaced = own.iter().any(|attribute| attribute.spec.name == old.spec.name)
            || turned && ORIENTATIONS.contains(&old.spec.name);
        if !is_replaced {
            merged.push(old.clone());
        }
    }
    merged
}
