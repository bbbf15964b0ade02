//! Elements of a file, includes put in, with what their class of defaults gives.

use super::error::{Fault, MjcfError};
use super::place::Place;
use super::table::{AttributeSpec, ElementSpec, Kind, Use};
use crate::model::source::number::{BadNumber, list};
use crate::model::source::{Owner, SourceError};
use nalgebra::Vector3;

/// An element that is read.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) spec: &'static ElementSpec,
    pub(super) place: Place,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
}

/// An attribute that is read.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) spec: &'static AttributeSpec,
    pub(super) value: String,
    pub(super) place: Place,
}

impl Element {
    /// The children of this name.
    pub(super) fn each<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.spec.name == name)
    }

    /// Its own attribute.
    pub(super) fn own(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.spec.name == name)
    }

    /// Its name; none if that is empty.
    pub(super) fn name(&self) -> Option<&str> {
        self.own("name").map(|name| name.value.as_str()).filter(|name| !name.is_empty())
    }

    /// What messages call it.
    pub(super) fn owner(&self) -> Owner {
        let name = self.name().unwrap_or_default().to_owned();
        if self.spec.name == "joint" && !name.is_empty() {
            Owner::Joint(name)
        } else {
            Owner::Element(self.spec.name.to_owned(), name)
        }
    }

    /// Its values, without a class of defaults.
    pub(super) fn plain(&self) -> Values<'_> {
        Values { element: self, defaults: &[] }
    }

    /// A fault of it.
    pub(super) fn fault(&self, fault: Fault) -> MjcfError {
        fault.at(&self.place)
    }
}

/// The values of an element: its own, else those of its class, else the defaults of MJCF.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) element: &'a Element,
    /// Those of its class.
    pub(super) defaults: &'a [Attribute],
}

impl<'a> Values<'a> {
    /// The attribute, its own or that of its class.
    pub(super) fn find(&self, name: &str) -> Option<&'a Attribute> {
        let inherited = || self.defaults.iter().find(|attribute| attribute.spec.name == name);
        self.element.own(name).or_else(inherited)
    }

    fn spec(&self, name: &str) -> Option<&'static AttributeSpec> {
        self.element.spec.attribute(name).filter(|spec| spec.used == Use::Read)
    }

    /// A text; none where there is none, or an empty one.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let own = self.find(name).map(|attribute| attribute.value.as_str());
        own.filter(|text| !text.is_empty())
    }

    /// One of the words that the table has for it.
    pub(super) fn word(&self, name: &'static str) -> Result<&'static str, MjcfError> {
        let Some(spec) = self.spec(name) else { return Ok("") };
        let Kind::Word(words) = spec.kind else { return Ok("") };
        let Some(found) = self.find(name) else { return Ok(spec.default) };
        let known = words.iter().find(|word| **word == found.value.trim());
        known.copied().ok_or_else(|| {
            let expected = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            let (owner, found) = (self.element.owner(), found.clone());
            Fault::UnknownWord { owner, attribute: spec.name, found: found.value, expected }.at(&found.place)
        })
    }

    /// Whether a flag is `true`.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, MjcfError> {
        Ok(self.word(name)? == "true")
    }

    /// Whether limits count: as the flag says, or, if that is `auto`, if there is a range that is not zero.
    pub(super) fn limits(
        &self,
        flag: &'static str,
        range: &'static str,
        autolimits: bool,
    ) -> Result<Option<[f64; 2]>, MjcfError> {
        let limits = self.array::<2>(range)?;
        let is_there = limits != [0.0, 0.0];
        match self.word(flag)? {
            "true" => Ok(Some(limits)),
            "auto" if is_there && !autolimits => {
                let reason =
                    "it has a range, and neither it nor the compiler (`autolimits`) says whether that limits it";
                Err(self.element.fault(Fault::Misplaced { owner: self.element.owner(), reason }))
            }
            "auto" => Ok(is_there.then_some(limits)),
            _ => Ok(None),
        }
    }

    /// Its numbers: so many as the file has, of a list or less than the table has for it.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<f64>>, MjcfError> {
        self.find(name).map(|attribute| self.parse(attribute)).transpose()
    }

    /// Its numbers, if it has any; of those that may be fewer the rest is that of the class or the table.
    pub(super) fn given<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, MjcfError> {
        if self.find(name).is_none() {
            return Ok(None);
        }
        self.array(name).map(Some)
    }

    /// Its numbers, else those of the table.
    pub(super) fn array<const N: usize>(&self, name: &str) -> Result<[f64; N], MjcfError> {
        let mut numbers = [0.0; N];
        let Some(spec) = self.spec(name) else { return Ok(numbers) };
        let mut fill = |read: &[f64]| {
            for (place, x) in numbers.iter_mut().zip(read) {
                *place = *x;
            }
        };
        fill(&list(spec.default).unwrap_or_default());
        let inherited = self.defaults.iter().find(|attribute| attribute.spec.name == name);
        for attribute in inherited.into_iter().chain(self.element.own(name)) {
            let read = self.parse(attribute)?;
            let (least, most) = match spec.kind {
                Kind::UpTo(most) => (0, most),
                _ => (N, N),
            };
            if read.len() < least || read.len() > most {
                let (owner, element) = (self.element.owner(), self.element.spec.name.to_owned());
                let (line, attribute_name) = (attribute.place.line, name.to_owned());
                let error = SourceError::WrongCount {
                    line,
                    owner,
                    element,
                    attribute: attribute_name,
                    expected: most,
                    found: read.len(),
                };
                return Err(source(&attribute.place, error));
            }
            fill(&read);
        }
        Ok(numbers)
    }

    /// Its number, else that of the table.
    pub(super) fn number(&self, name: &str) -> Result<f64, MjcfError> {
        self.array::<1>(name).map(|[x]| x)
    }

    /// Its vector, else that of the table.
    pub(super) fn vector(&self, name: &str) -> Result<Vector3<f64>, MjcfError> {
        self.array::<3>(name).map(Vector3::from)
    }

    /// A number that is not negative.
    pub(super) fn not_negative(&self, name: &'static str) -> Result<f64, MjcfError> {
        let value = self.number(name)?;
        if value < 0.0 {
            return Err(self.bad(name, value, "expected a number that is not negative"));
        }
        Ok(value)
    }

    /// A number that breaks a rule.
    pub(super) fn bad(&self, attribute: &'static str, value: f64, rule: &'static str) -> MjcfError {
        Fault::BadNumber { owner: self.element.owner(), attribute, value, rule }.at(self.place(attribute))
    }

    /// Where an attribute is, or the element.
    pub(super) fn place(&self, attribute: &str) -> &'a Place {
        self.find(attribute).map_or(&self.element.place, |attribute| &attribute.place)
    }

    /// The unit vector of an attribute.
    pub(super) fn direction(&self, attribute: &'static str) -> Result<Vector3<f64>, MjcfError> {
        let vector = self.vector(attribute)?;
        let zero = || Fault::Zero { owner: self.element.owner(), attribute }.at(self.place(attribute));
        crate::model::source::rotation::unit(vector).ok_or_else(zero)
    }

    /// The text of an attribute that has to be there.
    pub(super) fn required(&self, attribute: &'static str) -> Result<&'a str, MjcfError> {
        self.text(attribute).ok_or_else(|| self.lacks(attribute))
    }

    /// That an attribute is not there.
    pub(super) fn lacks(&self, attribute: &'static str) -> MjcfError {
        let (owner, element) = (self.element.owner(), self.element.spec.name.to_owned());
        let error = SourceError::MissingAttribute { line: self.element.place.line, owner, element, attribute };
        source(&self.element.place, error)
    }

    fn parse(&self, attribute: &Attribute) -> Result<Vec<f64>, MjcfError> {
        list(&attribute.value).map_err(|bad| {
            let (line, owner) = (attribute.place.line, self.element.owner());
            let (element, name) = (self.element.spec.name.to_owned(), attribute.spec.name.to_owned());
            let error = match bad {
                BadNumber::NotANumber(found) => {
                    SourceError::NotANumber { line, owner, element, attribute: name, found }
                }
                BadNumber::NotFinite(found) => SourceError::NotFinite { line, owner, element, attribute: name, found },
                BadNumber::WrongCount(found) => {
                    SourceError::WrongCount { line, owner, element, attribute: name, expected: 1, found }
                }
            };
            source(&attribute.place, error)
        })
    }
}

/// An error of the text, in its file.
pub(super) fn source(place: &Place, error: SourceError) -> MjcfError {
    MjcfError::Source { file: place.file.as_deref().map(str::to_owned), error: Box::new(error) }
}

/// Two numbers, or texts, as far as they are the same: a default that is written out.
pub(super) fn same_value(a: &str, b: &str) -> bool {
    match (list(a), list(b)) {
        (Ok(a), Ok(b)) => {
            let n = a.len().max(b.len());
            let at = |list: &[f64], k| list.get(k).copied().unwrap_or_default();
            (0..n).all(|k| at(&a, k) - at(&b, k) == 0.0)
        }
        _ => a.trim() == b.trim(),
    }
}
