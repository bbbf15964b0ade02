//! Claims in JSON, in the form that `gradyn evaluate` writes.

use super::table::{Array, Content, Entry, JointPlace, Shape, Table};
use crate::json::{self, Json};
use crate::quantity::{self, Parts};

/// Inputs that are objects.
const NESTED: [&str; 3] = ["f_ext", "f_ext_world", "direction"];

/// Whether it is an object, with a field for each link or part.
fn is_nested(key: &str) -> bool {
    NESTED.contains(&key) || quantity::parse(key).is_ok_and(|quantity| quantity.parts() != Parts::Whole)
}

pub(super) fn read(text: &str) -> Result<Table, String> {
    let Json::Object(entries) = json::parse(text).map_err(|error| error.to_string())? else {
        return Err(String::from("expected an object with the key `states`"));
    };
    let mut table = Table::default();
    let mut states = None;
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("states", value) => states = Some(value),
            ("joints", value) => table.joints = Some(joints(value)?),
            ("nq", Json::Number(n)) => table.nq = Some(n),
            ("nv", Json::Number(n)) => table.nv = Some(n),
            ("constraints", value) => table.constraints = Some(value),
            ("restitution", value) => table.restitution = Some(value),
            // What `evaluate` writes beside, and a place for remarks.
            ("robot" | "method" | "mimic" | "constraint_rows" | "program" | "comment", _) => {}
            (_, value) => {
                let found = value.describe();
                return Err(format!(
                    "unknown key `{key}` ({found}), expected `states`, `joints`, `nq`, `nv`, `constraints`, `restitution`, or \
                     `robot`, `method`, `mimic`, `constraint_rows`, `program`, `comment`, which are not read"
                ));
            }
        }
    }
    let list = match states.ok_or("missing key `states`")? {
        Json::List(list) => list,
        Json::Numbers(list) if list.is_empty() => Vec::new(),
        other => return Err(format!("key `states`: expected a list of objects, found {}", other.describe())),
    };
    for (k, state) in list.into_iter().enumerate() {
        let Json::Object(fields) = state else {
            return Err(format!("state {k}: expected an object, found {}", state.describe()));
        };
        let mut entries = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            flatten(key, value, &mut entries).map_err(|reason| format!("state {k}, {reason}"))?;
        }
        table.states.push(entries);
    }
    Ok(table)
}

/// The joints: names, or the objects that `evaluate` writes.
pub fn joints(value: Json) -> Result<Vec<JointPlace>, String> {
    let list = match value {
        Json::List(list) => list,
        Json::Numbers(list) if list.is_empty() => Vec::new(),
        other => return Err(format!("key `joints`: expected a list of names, found {}", other.describe())),
    };
    let joint = |(k, value): (usize, Json)| match value {
        Json::String(name) => Ok(JointPlace { name, start: None }),
        Json::Object(fields) => {
            let (mut name, mut q, mut v) = (None, None, None);
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("name", Json::String(text)) => name = Some(text),
                    ("q_index", Json::Number(n)) => q = index(n),
                    ("v_index", Json::Number(n)) => v = index(n),
                    _ => {}
                }
            }
            let name = name.ok_or_else(|| format!("key `joints`, entry {k}: missing key `name`"))?;
            Ok(JointPlace { name, start: q.zip(v) })
        }
        other => Err(format!("key `joints`, entry {k}: expected a name, found {}", other.describe())),
    };
    list.into_iter().enumerate().map(joint).collect()
}

/// A place in a list.
fn index(x: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "is compared with what it came from")]
    let n = x as usize;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "whole numbers")]
    let whole = n as f64 == x;
    whole.then_some(n)
}

/// One field of a state, those of objects by their path: `energy.kinetic`.
fn flatten(key: String, value: Json, entries: &mut Vec<Entry>) -> Result<(), String> {
    let value = match value {
        Json::Object(fields) if is_nested(&key) => {
            for (inner, value) in fields {
                match (inner.as_str(), value) {
                    ("frames" | "points" | "pairs", Json::Object(parts)) => {
                        for (part, value) in parts {
                            flatten(format!("{key}.{part}"), value, entries)?;
                        }
                    }
                    (_, value) => flatten(format!("{key}.{inner}"), value, entries)?,
                }
            }
            return Ok(());
        }
        Json::String(text) => Content::Text(text),
        value => Content::Array(array(value).map_err(|reason| format!("key `{key}`{reason}"))?),
    };
    entries.push(Entry { key, value });
    Ok(())
}

/// A number, a list of numbers, a list of rows, or a list of matrices.
fn array(value: Json) -> Result<Array, String> {
    match value {
        Json::Number(x) => Ok(Array { shape: Vec::new(), numbers: vec![x] }),
        Json::Numbers(numbers) => Ok(Array { shape: vec![numbers.len()], numbers }),
        Json::List(rows) => {
            let count = rows.len();
            let (mut shape, mut numbers) = (None, Vec::new());
            for (k, row) in rows.into_iter().enumerate() {
                if !matches!(row, Json::Numbers(_) | Json::List(_)) {
                    return Err(format!(", entry {k}: expected a row of numbers, found {}", row.describe()));
                }
                let row = array(row).map_err(|reason| format!(", entry {k}{reason}"))?;
                let first: &Vec<usize> = shape.get_or_insert_with(|| row.shape.clone());
                if row.shape != *first {
                    let (expected, found) = (Shape(first), Shape(&row.shape));
                    return Err(format!(", row {k}: expected {expected} as in row 0, found {found}"));
                }
                numbers.extend(row.numbers);
            }
            let mut whole = vec![count];
            whole.extend(shape.unwrap_or_default());
            Ok(Array { shape: whole, numbers })
        }
        other => Err(format!(": expected numbers, found {}", other.describe())),
    }
}
