//! NumPy's `.npz`: arrays by name, read packed or stored, written stored.
//!
//! Zip archives are those of `rawzip`. Arrays are read here: the parser of `npyz` 0.9 multiplies sizes of a damaged
//! header without a check, which panics, and says of it nothing but the whole header.

mod npy;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};
use std::io::{self, Cursor, Read, Write};

/// More than this is refused, whatever it was packed in.
const MAX_BYTES: u64 = 1 << 30;

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Its shape, and its numbers, the last axis the fastest.
    Numbers(Vec<usize>, Vec<f64>),
    /// Texts, whatever their shape.
    Texts(Vec<String>),
}

/// What is said of more than [`MAX_BYTES`].
pub(crate) fn too_much() -> String {
    format!("more than {MAX_BYTES} bytes: split it")
}

/// The arrays of an archive by name, and how many bytes are left of what may be read.
///
/// # Errors
/// The first array that cannot be read, by its name, with what it has and what was expected.
pub fn read(bytes: &[u8]) -> Result<(Vec<(String, Array)>, u64), String> {
    let broken = |error: rawzip::Error| format!("not a complete archive: {error}");
    let archive = ZipArchive::from_slice(bytes).map_err(broken)?;
    let mut members: Vec<(String, Array)> = Vec::new();
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
            if let Array::Numbers(_, numbers) = &array { content.len().max(8 * numbers.len()) } else { content.len() };
        left = left.checked_sub(kept as u64).ok_or_else(too_much)?;
        members.push((key.to_owned(), array));
    }
    Ok((members, left))
}

/// The archive. Zip stores no time of its own, so the same arrays give the same bytes.
pub fn write(arrays: &[(String, Array)]) -> io::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, array) in arrays {
        let path = format!("{name}.npy");
        let (mut entry, config) = archive.new_file(path.as_str()).start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&npy::write(array))?;
        let (_, output) = writer.finish().map_err(io::Error::other)?;
        entry.finish(output).map_err(io::Error::other)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(bytes.into_inner())
}
