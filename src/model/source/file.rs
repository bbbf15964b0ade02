//! The text of a file.

use super::error::SourceError;
use super::guard::MAX_BYTES;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file, of bounded size.
pub(in crate::model) fn text(path: &Path) -> Result<String, SourceError> {
    String::from_utf8(bytes(path, MAX_BYTES)?).map_err(|error| {
        let before = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(before).filter(|b| **b == b'\n').count();
        SourceError::NotUtf8 { path: path.to_owned(), line: line.try_into().unwrap_or(u32::MAX) }
    })
}

/// The bytes of a file, at most so many.
pub(in crate::model) fn bytes(path: &Path, limit: usize) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that an endless file ends and is refused.
    File::open(path)
        .and_then(|file| file.take(limit as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| SourceError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    if bytes.len() > limit {
        return Err(SourceError::TooLarge { line: 1, what: "bytes", limit });
    }
    Ok(bytes)
}
