//! Claims in NumPy's `.npz`: arrays by name, with the states along the first axis.

use super::claimed::Claimed;
use super::read::is_reference;
use super::table::{Array, Content, Entry, JointPlace, Shape, Table};
use crate::npz;

/// What everything is computed from.
const INPUTS: [&str; 4] = ["q", "v", "a", "tau_given"];

/// Bytes that a list of a state takes beside its numbers.
const LIST: u64 = 64;

pub(super) fn read(bytes: &[u8]) -> Result<Table, String> {
    let mut table = Table::default();
    let mut arrays: Vec<(String, Array)> = Vec::new();
    let mut references: Vec<(String, Vec<String>)> = Vec::new();
    let (members, left) = npz::read(bytes)?;
    for (key, array) in members {
        let key = key.as_str();
        match array {
            npz::Array::Texts(names) if key == "joints" => {
                table.joints = Some(names.into_iter().map(|name| JointPlace { name, start: None }).collect());
            }
            npz::Array::Texts(texts) if is_reference(key) => references.push((key.to_owned(), texts)),
            npz::Array::Texts(_) if INPUTS.contains(&key) || Claimed::parse(key).is_ok() => {
                return Err(format!("array `{key}`: expected numbers, found texts"));
            }
            // Remarks, such as the program's name.
            npz::Array::Texts(_) => {}
            // An empty list has no type.
            npz::Array::Numbers(_, numbers) if key == "joints" && numbers.is_empty() => table.joints = Some(Vec::new()),
            npz::Array::Numbers(..) if key == "joints" => {
                return Err(String::from("array `joints`: expected names, found numbers"));
            }
            npz::Array::Numbers(shape, numbers) => {
                let array = Array { shape, numbers };
                finite(key, &array)?;
                match (key, array.numbers.as_slice()) {
                    ("nq", [n]) => table.nq = Some(*n),
                    ("nv", [n]) => table.nv = Some(*n),
                    _ => arrays.push((key.to_owned(), array)),
                }
            }
        }
    }
    let q = arrays.iter().find(|(key, _)| key == "q").map(|(_, q)| q.shape.clone());
    match q.ok_or("missing array `q`, the configurations")?.as_slice() {
        [_] => {
            table.states.push(arrays.into_iter().map(|(key, array)| entry(key, array)).collect());
        }
        // Each state has a list of its own for each array.
        [states, _] if (*states as u64).saturating_mul(LIST * arrays.len() as u64) > left => {
            return Err(format!("array `q`: {states} states of {} arrays take {}", arrays.len(), npz::too_much()));
        }
        [states, _] => {
            table.states.resize_with(*states, Vec::new);
            for (key, array) in arrays {
                split(&key, array, &mut table.states)?;
            }
        }
        shape => {
            return Err(format!("array `q`: expected states by nq, or nq numbers, found {}", Shape(shape)));
        }
    }
    let count = table.states.len();
    for (key, texts) in references {
        if texts.len() != 1 && texts.len() != count {
            return Err(format!("array `{key}`: expected 1 text, or {count}, one a state, found {}", texts.len()));
        }
        for (entries, text) in table.states.iter_mut().zip(texts.iter().cycle()) {
            entries.push(Entry { key: key.clone(), value: Content::Text(text.clone()) });
        }
    }
    Ok(table)
}

fn entry(key: String, array: Array) -> Entry {
    Entry { key, value: Content::Array(array) }
}

/// Gives each state its part.
fn split(key: &str, array: Array, states: &mut [Vec<Entry>]) -> Result<(), String> {
    let Array { shape, numbers } = array;
    let count = states.len();
    let Some((found, shape)) = shape.split_first().filter(|(found, _)| **found == count) else {
        return Err(format!(
            "array `{key}`: expected {count} states along its first axis, as `q` has, found {}",
            Shape(&shape)
        ));
    };
    let size = numbers.len().checked_div(*found).unwrap_or(0);
    for (k, entries) in states.iter_mut().enumerate() {
        let numbers = numbers[k * size..(k + 1) * size].to_vec();
        entries.push(entry(key.to_owned(), Array { shape: shape.to_vec(), numbers }));
    }
    Ok(())
}

/// Checks that all numbers are finite. The error names the place of the first that is not.
fn finite(key: &str, array: &Array) -> Result<(), String> {
    let Some(at) = array.numbers.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let mut place = Vec::with_capacity(array.shape.len());
    let mut rest = at;
    for size in array.shape.iter().rev() {
        place.push((rest % size).to_string());
        rest /= size;
    }
    place.reverse();
    Err(format!("array `{key}`[{}]: expected a finite number, found {}", place.join(", "), array.numbers[at]))
}
