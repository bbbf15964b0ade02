//! XML, element by element.

use nalgebra::Vector3;
use std::fmt::Write;

/// Elements within more elements than this are not moved further to the right, so that the text of a long chain stays linear in its length.
const MOST_INDENTED: usize = 40;

/// A text that grows.
pub(super) struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub(super) fn new() -> Self {
        Self { text: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), open: Vec::new() }
    }

    /// Begins an element that holds others.
    pub(super) fn open(&mut self, element: Element) {
        self.write(&element, ">\n");
        self.open.push(element.name);
    }

    /// An element that holds nothing.
    pub(super) fn leaf(&mut self, element: Element) {
        self.write(&element, "/>\n");
    }

    /// An element that holds a text without signs of XML.
    pub(super) fn value(&mut self, element: Element, text: &str) {
        let name = element.name;
        self.write(&element, ">");
        self.text.extend([text, "</", name, ">\n"]);
    }

    /// Ends the element that was begun last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.extend(["</", name, ">\n"]);
        }
    }

    /// Ends all elements.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn write(&mut self, element: &Element, end: &str) {
        self.indent();
        self.text.extend(["<", element.name, &element.attributes, end]);
    }

    fn indent(&mut self) {
        for _ in 0..self.open.len().min(MOST_INDENTED) {
            self.text.push_str("  ");
        }
    }
}

/// An element with its attributes.
pub(super) struct Element {
    name: &'static str,
    attributes: String,
}

impl Element {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new() }
    }

    /// Whether it has no attribute.
    pub(super) fn is_bare(&self) -> bool {
        self.attributes.is_empty()
    }

    pub(super) fn text(mut self, attribute: &str, value: &str) -> Self {
        // Writing to a string does not fail.
        let _ = write!(self.attributes, " {attribute}=\"");
        for c in value.chars() {
            match c {
                '&' => self.attributes.push_str("&amp;"),
                '<' => self.attributes.push_str("&lt;"),
                '>' => self.attributes.push_str("&gt;"),
                '"' => self.attributes.push_str("&quot;"),
                // Readers make spaces of these, if they stand there as they are.
                '\t' | '\n' | '\r' => _ = write!(self.attributes, "&#{};", u32::from(c)),
                c => self.attributes.push(c),
            }
        }
        self.attributes.push('"');
        self
    }

    pub(super) fn numbers(self, attribute: &str, numbers: &[f64]) -> Self {
        self.text(attribute, &list(numbers))
    }

    pub(super) fn number(self, attribute: &str, value: f64) -> Self {
        self.numbers(attribute, &[value])
    }

    /// Unless it is the default, to the bit.
    pub(super) fn number_unless(self, attribute: &str, default: f64, value: f64) -> Self {
        if value.to_bits() == default.to_bits() { self } else { self.number(attribute, value) }
    }

    /// Unless all are zero.
    pub(super) fn vector_unless_zero(self, attribute: &str, v: &Vector3<f64>) -> Self {
        if v.iter().all(|x| *x == 0.0) { self } else { self.numbers(attribute, v.as_slice()) }
    }
}

/// Numbers with a space between them, each with as many digits as bring back its bits.
pub(super) fn list(numbers: &[f64]) -> String {
    let mut text = String::new();
    for x in numbers {
        if !text.is_empty() {
            text.push(' ');
        }
        let digits = format!("{x:?}");
        text.push_str(digits.strip_suffix(".0").unwrap_or(&digits));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_with_their_bits() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            0.1,
            -9.81,
            1e-7,
            1e300,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
            1.0 / 3.0,
            1e16,
            123456789.0,
        ];
        let read: Vec<f64> = list(&numbers).split(' ').map(|x| x.parse().expect("is a number")).collect();
        assert_eq!(read.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), numbers.map(f64::to_bits));
        assert_eq!(list(&[0.0, 2.0, 0.5]), "0 2 0.5");
    }

    #[test]
    fn names_are_escaped() {
        let text = "a&b <c> \"d\" 'e'\nf\tg é";
        let written = Element::new("x").text("name", text);
        assert_eq!(written.attributes, " name=\"a&amp;b &lt;c&gt; &quot;d&quot; 'e'&#10;f&#9;g é\"");
        let mut xml = Xml::new();
        xml.leaf(written);
        let document = xml.finish();
        let read = roxmltree::Document::parse(&document).expect("is XML");
        assert_eq!(read.root_element().attribute("name"), Some(text));
    }
}
