//! Claims in NumPy's `.npz`: arrays by name, with the states along the first axis.

use super::claimed::Claimed;
use super::npy::{self, Npy};
use super::read::is_reference;
use super::table::{Array, Content, Entry, JointPlace, Shape, Table};
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};
use std::io::Read;

/// What everything is computed from.
const INPUTS: [&str; 4] = ["q", "v", "a", "tau_given"];

/// More than this is refused, whatever it was packed in.
const MAX_BYTES: u64 = 1 << 30;

/// Bytes that a list of a state takes beside its numbers.
const LIST: u64 = 64;

pub(super) fn read(bytes: &[u8]) -> Result<Table, String> {
    let mut table = Table::default();
    let mut arrays: Vec<(String, Array)> = Vec::new();
    let mut references: Vec<(String, Vec<String>)> = Vec::new();
    let (members, left) = members(bytes)?;
    let too_much = too_much();
    for (key, array) in members {
        let key = key.as_str();
        match array {
            Npy::Texts(names) if key == "joints" => {
                table.joints = Some(names.into_iter().map(|name| JointPlace { name, start: None }).collect());
            }
            Npy::Texts(texts) if is_reference(key) => references.push((key.to_owned(), texts)),
            Npy::Texts(_) if INPUTS.contains(&key) || Claimed::parse(key).is_ok() => {
                return Err(format!("array `{key}`: expected numbers, found texts"));
            }
            // Remarks, such as the program's name.
            Npy::Texts(_) => {}
            // An empty list has no type.
            Npy::Numbers(array) if key == "joints" && array.numbers.is_empty() => table.joints = Some(Vec::new()),
            Npy::Numbers(_) if key == "joints" => {
                return Err(String::from("array `joints`: expected names, found numbers"));
            }
            Npy::Numbers(array) => {
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
            return Err(format!("array `q`: {states} states of {} arrays take {too_much}", arrays.len()));
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

fn too_much() -> String {
    format!("more than {MAX_BYTES} bytes: split it")
}

/// The arrays of an archive by name, and how many bytes are left of what may be read.
pub(super) fn members(bytes: &[u8]) -> Result<(Vec<(String, Npy)>, u64), String> {
    let broken = |error: rawzip::Error| format!("it is no whole archive: {error}");
    let archive = ZipArchive::from_slice(bytes).map_err(broken)?;
    let mut members: Vec<(String, Npy)> = Vec::new();
    let mut left = MAX_BYTES;
    let mut files = archive.entries();
    while let Some(file) = files.next_entry().map_err(broken)? {
        let name = String::from_utf8_lossy(file.file_path().as_bytes()).into_owned();
        let Some(key) = name.strip_suffix(".npy") else {
            return Err(format!("it holds `{name}`, expected .npy arrays"));
        };
        if members.iter().any(|(known, _)| known == key) {
            return Err(format!("array `{key}` is there twice"));
        }
        let packed = archive.get_entry(file.wayfinder()).map_err(broken)?;
        let unpacked: &mut dyn Read = match file.compression_method() {
            CompressionMethod::STORE => &mut packed.data(),
            CompressionMethod::DEFLATE => &mut DeflateDecoder::new(packed.data()),
            other => {
                return Err(format!("array `{key}`: expected it stored or deflated, found it packed by {other:?}"));
            }
        };
        let mut content = Vec::new();
        let read = packed.verifying_reader(unpacked).take(left + 1).read_to_end(&mut content);
        read.map_err(|error| format!("array `{key}` cannot be read: {error}"))?;
        left.checked_sub(content.len() as u64).ok_or_else(too_much)?;
        let array = npy::read(&content).map_err(|reason| format!("array `{key}`: {reason}"))?;
        // Numbers take eight bytes each, however short they were.
        let kept =
            if let Npy::Numbers(array) = &array { content.len().max(8 * array.numbers.len()) } else { content.len() };
        left = left.checked_sub(kept as u64).ok_or_else(too_much)?;
        members.push((key.to_owned(), array));
    }
    Ok((members, left))
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

/// Are all numbers finite? If not, the first that is not is named by its place.
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
