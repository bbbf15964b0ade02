//! Files that are read, `-` being standard input.

mod parts;

pub use parts::Parts;

use crate::error::Error;
use crate::json::{self, Json};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The path that means standard input.
const STDIN: &str = "-";

/// A larger file is refused: an endless one ends here.
const MAX_BYTES: u64 = 1 << 30;

/// Reads a file of JSON; errors name it.
pub fn json<R>(path: &Path, read: impl FnOnce(Json) -> Result<R, String>) -> Result<R, Error> {
    let (file, text) = text(path)?;
    let refused = |reason: String| Error::content(file.clone(), reason);
    let value = json::parse(&text).map_err(|error| refused(error.to_string()))?;
    drop(text);
    read(value).map_err(refused)
}

/// What to call the file in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(STDIN) { String::from("standard input") } else { path.display().to_string() }
}

/// The name for messages, and the text.
fn text(path: &Path) -> Result<(String, String), Error> {
    let (file, bytes) = bytes(path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((file, text)),
        Err(_) => Err(Error::content(file, String::from("it is not UTF-8 text"))),
    }
}

/// The name for messages, and what the file holds; `-` is standard input.
pub fn bytes(path: &Path) -> Result<(String, Vec<u8>), Error> {
    let mut bytes = Vec::new();
    let file = name(path);
    let read = if path == Path::new(STDIN) {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Error::read(Path::new(&file), error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::content(file, format!("more than {MAX_BYTES} bytes: split it")));
    }
    Ok((file, bytes))
}
