//! A task file as it stands: values that know their line and their key, so that an error can say both.

use crate::error::Error;
use crate::nearest::nearest;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A text, and the file that it is of.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name for messages.
    pub file: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// The line, from 1, of a place in the text.
    pub fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    /// An error at a place in the text.
    pub fn refuse(&self, at: usize, key: &str, reason: impl Into<String>) -> Error {
        let key = Some(key.to_owned()).filter(|key| !key.is_empty());
        Error::Content { file: self.file.clone(), line: Some(self.line(at)), key, reason: reason.into() }
    }

    /// An error at a place that was noted before.
    pub fn refuse_at(&self, place: &SourcePlace, reason: impl Into<String>) -> Error {
        self.refuse(place.span, &place.key, reason)
    }

    /// The tables of the file.
    pub fn parse(&self) -> Result<DeTable<'_>, Error> {
        DeTable::parse(&self.text).map(toml::Spanned::into_inner).map_err(|error| {
            let at = error.span().map_or(self.text.len(), |span| span.start);
            self.refuse(at, "", format!("it is not TOML: {}", error.message()))
        })
    }
}

/// Where a value stands, for errors that are found when the file has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// The first byte.
    pub span: usize,
    /// The key, as `costs[2].weight`.
    pub key: String,
}

/// A value, with where it stands.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The file.
    pub source: &'a Source,
    /// `costs[2].weight`
    pub key: String,
    /// The bytes.
    pub span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// What a number must be.
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// Any finite one.
    Any,
    /// Any, and infinite ones.
    Bound,
    /// Zero or more.
    NotNegative,
    /// More than zero.
    Positive,
}

impl<'a> Item<'a> {
    /// An error here.
    pub fn refuse(&self, reason: impl Into<String>) -> Error {
        self.source.refuse(self.span.start, &self.key, reason)
    }
    /// Where it stands.
    pub fn place(&self) -> SourcePlace {
        SourcePlace { span: self.span.start, key: self.key.clone() }
    }
    /// An error here: something else was expected.
    pub fn expected(&self, what: &str) -> Error {
        self.refuse(format!("expected {what}, found {}", self.describe()))
    }
    /// An error here: there is no such name.
    pub fn unknown<'n>(&self, what: &str, found: &str, names: impl Iterator<Item = &'n str> + Clone) -> Error {
        self.refuse(unknown(what, found, names))
    }
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self.value {
            DeValue::String(text) => format!("the text `{}`", text.chars().take(60).collect::<String>()),
            DeValue::Integer(_) | DeValue::Float(_) => {
                format!("the number {}", self.source.text.get(self.span.clone()).unwrap_or_default())
            }
            DeValue::Boolean(yes) => yes.to_string(),
            DeValue::Datetime(_) => String::from("a date"),
            DeValue::Array(list) => format!("a list with {} entries", list.len()),
            DeValue::Table(_) => String::from("a table"),
        }
    }
    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.value.is_table()
    }
    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// A table.
    pub fn table(&self, what: &str) -> Result<Table<'a>, Error> {
        match self.value {
            DeValue::Table(entries) => {
                Ok(Table { source: self.source, key: self.key.clone(), span: self.span.clone(), entries })
            }
            _ => Err(self.expected(what)),
        }
    }
    /// The entries of a list.
    pub fn list(&self, what: &str) -> Result<Vec<Item<'a>>, Error> {
        let DeValue::Array(list) = self.value else { return Err(self.expected(what)) };
        let entry = |(k, value): (usize, &'a toml::Spanned<DeValue<'a>>)| Item {
            source: self.source,
            key: format!("{}[{k}]", self.key),
            span: value.span(),
            value: value.get_ref(),
        };
        Ok(list.iter().enumerate().map(entry).collect())
    }
    /// A text, if it is one.
    pub fn as_text(&self) -> Option<&'a str> {
        self.value.as_str()
    }
    /// A text.
    pub fn text(&self, what: &str) -> Result<&'a str, Error> {
        self.as_text().ok_or_else(|| self.expected(what))
    }
    /// One of these names, by its place.
    pub fn one_of(&self, what: &str, names: &[&str]) -> Result<usize, Error> {
        let found = self.text(&format!("{what}: {}", names.join(", ")))?;
        let at = names.iter().position(|name| *name == found);
        at.ok_or_else(|| self.unknown(what, found, names.iter().copied()))
    }
    /// `true` or `false`.
    pub fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }
    /// A number, if it is a finite one.
    pub fn as_number(&self) -> Option<f64> {
        self.any_number().filter(|x| x.is_finite())
    }
    /// A number, `inf` and `nan` among them.
    fn any_number(&self) -> Option<f64> {
        match self.value {
            DeValue::Float(x) => x.as_str().parse().ok(),
            #[expect(clippy::cast_precision_loss, reason = "to the nearest, as any decimal number")]
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
            _ => None,
        }
    }
    /// A finite number, or for [`Sign::Bound`] an infinite one.
    pub fn number(&self, sign: Sign) -> Result<f64, Error> {
        let (what, good): (_, fn(f64) -> bool) = match sign {
            Sign::Any => ("a finite number", f64::is_finite),
            Sign::Bound => ("a number, inf or -inf", |x| !x.is_nan()),
            Sign::NotNegative => ("a number that is not negative", |x| x >= 0.0 && x.is_finite()),
            Sign::Positive => ("a positive number", |x| x > 0.0 && x.is_finite()),
        };
        self.any_number().filter(|x| good(*x)).ok_or_else(|| self.expected(what))
    }
    /// How many: from `least` to a million.
    pub fn count(&self, least: usize) -> Result<usize, Error> {
        let number = match self.value {
            DeValue::Integer(n) => usize::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        let what = format!("a whole number from {least} to 1000000");
        number.filter(|n| (least..=1_000_000).contains(n)).ok_or_else(|| self.expected(&what))
    }
    /// A whole number, which may be negative.
    pub fn integer(&self) -> Result<i64, Error> {
        let number = match self.value {
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.expected("a whole number"))
    }
    /// A list of finite numbers; `length`: how many there must be.
    pub fn numbers(&self, length: Option<usize>, what: &str) -> Result<Vec<f64>, Error> {
        self.numbers_of(length, what, Sign::Any)
    }
    /// A list of numbers.
    pub fn numbers_of(&self, length: Option<usize>, what: &str, sign: Sign) -> Result<Vec<f64>, Error> {
        let described =
            length.map_or_else(|| format!("a list of {what}"), |n| format!("a list of {n} numbers ({what})"));
        let list = self.list(&described)?;
        if let Some(expected) = length
            && list.len() != expected
        {
            return Err(self.refuse(format!("expected {expected} numbers ({what}), found {}", list.len())));
        }
        list.iter().map(|item| item.number(sign)).collect()
    }
    /// A vector in space.
    pub fn vector(&self, what: &str) -> Result<nalgebra::Vector3<f64>, Error> {
        let numbers = self.numbers(Some(3), what)?;
        Ok(nalgebra::Vector3::new(numbers[0], numbers[1], numbers[2]))
    }
    /// A list of texts.
    pub fn texts(&self, what: &str) -> Result<Vec<(Item<'a>, &'a str)>, Error> {
        let list = self.list(&format!("a list of {what}"))?;
        list.into_iter().map(|item| item.text(what).map(|text| (item.clone(), text))).collect()
    }
}

/// Says that there is no such name, and which one is most like it.
fn unknown<'n>(what: &str, found: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    const SHOWN: usize = 12;
    let found: String = found.chars().take(60).collect();
    let known: Vec<&str> = names.clone().collect();
    let hint = nearest(&found, names).unwrap_or_else(|| match known.len() {
        0 => String::from("; there is none"),
        n if n <= SHOWN => format!("; there are {}", known.join(", ")),
        _ => String::new(),
    });
    format!("there is no {what} `{found}`{hint}")
}

/// A table, with where it stands.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The file.
    pub source: &'a Source,
    /// The key, as `costs[2].weight`.
    pub key: String,
    /// The bytes.
    pub span: Range<usize>,
    entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// The whole file.
    pub fn root(source: &'a Source, entries: &'a DeTable<'a>) -> Self {
        Self { source, key: String::new(), span: 0..0, entries }
    }
    /// An error here.
    pub fn refuse(&self, reason: impl Into<String>) -> Error {
        self.source.refuse(self.span.start, &self.key, reason)
    }
    fn path(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) }
    }
    /// Refuses keys other than these.
    pub fn only(&self, known: &[&str]) -> Result<(), Error> {
        let strange = self.entries.iter().map(|(key, _)| key).filter(|key| !known.contains(&key.get_ref().as_ref()));
        // The first one of the file.
        match strange.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => {
                let name = key.get_ref();
                Err(self.source.refuse(key.span().start, &self.path(name), unknown("key", name, known.iter().copied())))
            }
        }
    }
    /// A value that may be left out.
    pub fn get(&self, key: &str) -> Option<Item<'a>> {
        let value = self.entries.get(key)?;
        Some(Item { source: self.source, key: self.path(key), span: value.span(), value: value.get_ref() })
    }
    /// A value that must be there.
    pub fn need(&self, key: &str, what: &str) -> Result<Item<'a>, Error> {
        self.get(key).ok_or_else(|| self.refuse(format!("missing key `{key}`, expected {what}")))
    }
    /// All values, in the order of the file.
    pub fn entries(&self) -> Vec<(&'a str, Item<'a>)> {
        let entry = |(key, value): (&'a toml::Spanned<std::borrow::Cow<'a, str>>, &'a toml::Spanned<DeValue<'a>>)| {
            let name: &'a str = key.get_ref();
            let item = Item { source: self.source, key: self.path(name), span: value.span(), value: value.get_ref() };
            (key.span().start, (name, item))
        };
        let mut entries: Vec<_> = self.entries.iter().map(entry).collect();
        entries.sort_by_key(|(at, _)| *at);
        entries.into_iter().map(|(_, entry)| entry).collect()
    }
}
