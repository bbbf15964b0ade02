//! Writes NumPy's `.npz`: arrays by name, stored as they are.

use rawzip::ZipArchiveWriter;
use std::io::{self, Cursor, Write};

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Its shape, and its numbers, the last axis the fastest.
    Numbers(Vec<usize>, Vec<f64>),
    /// Names along one axis.
    Texts(Vec<String>),
}

/// The archive. Zip stores no time of its own, so the same arrays give the same bytes.
pub fn write(arrays: &[(String, Array)]) -> io::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, array) in arrays {
        let path = format!("{name}.npy");
        let (mut entry, config) = archive.new_file(path.as_str()).start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&npy(array))?;
        let (_, output) = writer.finish().map_err(io::Error::other)?;
        entry.finish(output).map_err(io::Error::other)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(bytes.into_inner())
}

/// One array, as format version 1.
fn npy(array: &Array) -> Vec<u8> {
    let (descr, shape) = match array {
        Array::Numbers(shape, _) => (String::from("<f8"), shape.clone()),
        Array::Texts(texts) => {
            let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            (format!("<U{width}"), vec![texts.len()])
        }
    };
    let mut sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    if shape.len() > 1 {
        sizes.truncate(sizes.len() - 2);
    }
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    // Magic, version and length take ten bytes; data begin at a multiple of 64, after the end of a line.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    let mut bytes = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes()].concat();
    match array {
        Array::Numbers(_, numbers) => numbers.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes())),
        Array::Texts(texts) => {
            let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            for text in texts {
                let characters = text.chars().map(u32::from).chain(std::iter::repeat(0));
                characters.take(width).for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
            }
        }
    }
    bytes
}
