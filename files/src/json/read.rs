//! JSON as it stands in a file: names that appear twice are kept, and an error knows where it happened.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    String(String),
    /// A list of nothing but numbers; the empty list.
    Numbers(Vec<f64>),
    /// Any other list.
    List(Vec<Json>),
    /// Values by key, in the order of the file.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => String::from("null"),
            Self::Bool(_) => String::from("true or false"),
            Self::Number(x) => format!("the number {x}"),
            Self::String(_) => String::from("a string"),
            Self::Numbers(list) => format!("a list of {} numbers", list.len()),
            Self::List(list) => format!("a list with {} entries", list.len()),
            Self::Object(_) => String::from("an object"),
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(x) => x.serialize(serializer),
            Self::Number(x) => x.serialize(serializer),
            Self::String(text) => text.serialize(serializer),
            Self::Numbers(list) => list.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
            Self::Object(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// A step on the way to a value.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonError {
    line: usize,
    column: usize,
    path: Vec<Step>,
    reason: String,
    /// The word that stands there: `NaN`, `1e400`.
    word: Option<String>,
}

/// So many steps of the way are shown: states have fewer.
const SHOWN: usize = 4;

impl fmt::Display for JsonError {
    /// ``line 3, column 14: state 2, key `q`, entry 1: expected a finite number, found `NaN` ``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        let path = match self.path.as_slice() {
            [Step::Key(states), Step::Index(state), rest @ ..] if states == "states" => {
                write!(f, "state {state}{}", if rest.is_empty() { ": " } else { ", " })?;
                rest
            }
            path => path,
        };
        for (n, step) in path.iter().enumerate() {
            if n == SHOWN {
                f.write_str("…: ")?;
                break;
            }
            let end = if n + 1 == path.len() { ": " } else { ", " };
            match step {
                Step::Key(key) => write!(f, "key `{key}`{end}")?,
                Step::Index(index) => write!(f, "entry {index}{end}")?,
            }
        }
        match &self.word {
            Some(word) => write!(f, "expected a finite number, found `{word}`"),
            None => f.write_str(&self.reason),
        }
    }
}

/// Reads a text that holds one JSON value. A byte order mark before it is skipped.
pub fn parse(text: &str) -> Result<Json, JsonError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        let reason = String::from("the text is empty, expected JSON");
        return Err(JsonError { line: 1, column: 1, path: Vec::new(), reason, word: None });
    }
    let path = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Value(&path).deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let full = error.to_string();
        let reason = full.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&full);
        // The parser's limit keeps the stack small.
        let reason = reason.replace("recursion limit exceeded", "nested too deeply");
        let reason = reason.replace("EOF while parsing", "the text ends within");
        JsonError { line, column, path: path.into_inner(), reason, word: number_like(text, line, column) }
    })
}

/// The word at this place, if somebody may have meant it as a number.
fn number_like(text: &str, line: usize, column: usize) -> Option<String> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let belongs = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.');
    let bytes = line.as_bytes();
    let at = column.saturating_sub(1).min(bytes.len());
    let start = bytes[..at].iter().rposition(|c| !belongs(*c)).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|c| !belongs(*c)).map_or(bytes.len(), |after| at + after);
    let word = line.get(start..end)?;
    // What Rust reads as a number and JSON does not, or not as a finite one: NaN, Infinity, +1, .5, 1e400.
    let meant = word.len() <= 40 && word.parse::<f64>().is_ok() && serde_json::from_str::<f64>(word).is_err();
    meant.then(|| word.to_owned())
}

/// Reads one value and notes the way to it, which stays where it was when reading fails.
struct Value<'p>(&'p RefCell<Vec<Step>>);

impl<'p> Value<'p> {
    fn inside<R, E>(&self, step: Step, read: impl FnOnce(Value<'p>) -> Result<R, E>) -> Result<R, E> {
        self.0.borrow_mut().push(step);
        let value = read(Value(self.0))?;
        self.0.borrow_mut().pop();
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Json;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, x: bool) -> Result<Json, E> {
        Ok(Json::Bool(x))
    }
    fn visit_i64<E>(self, x: i64) -> Result<Json, E> {
        #[expect(clippy::cast_precision_loss, reason = "to the nearest, as any decimal number")]
        Ok(Json::Number(x as f64))
    }
    fn visit_u64<E>(self, x: u64) -> Result<Json, E> {
        #[expect(clippy::cast_precision_loss, reason = "to the nearest, as any decimal number")]
        Ok(Json::Number(x as f64))
    }
    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Json, E> {
        if x.is_finite() { Ok(Json::Number(x)) } else { Err(E::custom("number out of range")) }
    }
    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        loop {
            let index = numbers.len() + others.len();
            match self.inside(Step::Index(index), |value| seq.next_element_seed(value))? {
                Some(Json::Number(x)) if others.is_empty() => numbers.push(x),
                Some(other) => {
                    others.extend(numbers.drain(..).map(Json::Number));
                    others.push(other);
                }
                None if others.is_empty() => return Ok(Json::Numbers(numbers)),
                None => return Ok(Json::List(others)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries: Vec<(String, Json)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("key `{key}` is there twice")));
            }
            let value = self.inside(Step::Key(key.clone()), |value| map.next_value_seed(value))?;
            entries.push((key, value));
        }
        Ok(Json::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).map_or_else(|error| error.to_string(), |value| format!("no error: {value:?}"))
    }

    #[test]
    fn values_are_read() {
        let numbers = |x: &[f64]| Json::Numbers(x.to_vec());
        assert_eq!(parse("[1, -2.5, 1e3]"), Ok(numbers(&[1.0, -2.5, 1000.0])));
        assert_eq!(parse("\u{feff} [] "), Ok(numbers(&[])));
        assert_eq!(parse("[1, null]"), Ok(Json::List(vec![Json::Number(1.0), Json::Null])));
        assert_eq!(parse(r#"{"a": [1]}"#), Ok(Json::Object(vec![("a".into(), numbers(&[1.0]))])));
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(
            error("{\"states\": [{\"q\": [0, NaN]}]}"),
            "line 1, column 23: state 0, key `q`, entry 1: expected a finite number, found `NaN`"
        );
        assert!(error(r#"{"states": [{"q": [1e400]}]}"#).contains("state 0, key `q`, entry 0: expected a finite"));
        assert!(error(r#"{"states": [{"q": [-Infinity]}]}"#).ends_with("found `-Infinity`"));
        assert!(error(r#"{"states": [{"v": 1, "v": 2}]}"#).contains("state 0: key `v` is there twice"));
        assert!(error(r#"{"states": [{"q": [1"#).ends_with("the text ends within a list"));
        assert_eq!(error(" \n"), "line 1, column 1: the text is empty, expected JSON");
        assert!(error(&"[".repeat(100_000)).contains("nested too deeply"));
        assert!(error("[] []").contains("trailing characters"));
    }
}
