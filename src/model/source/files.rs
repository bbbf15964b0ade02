//! The files that a file names: included ones, attached models, meshes.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Gives the content of files that a file names, by their paths relative to it.
///
/// ```
/// use gradyn::model::source::Files;
/// let files = Files::new(|path| match path {
///     "arm.xml" => Ok(b"<mujoco/>".to_vec()),
///     _ => Err("there is no such file".to_owned()),
/// });
/// assert!(files.read("arm.xml", 100).is_ok() && files.read("leg.xml", 100).is_err());
/// ```
#[derive(Clone)]
pub struct Files {
    read: Arc<Reading>,
}

/// Content of a file, or why there is none.
type Reading = dyn Fn(&str, usize) -> Result<Vec<u8>, String> + Send + Sync;

impl Files {
    /// By a function of the caller, which gives the bytes of a file, or why it cannot.
    pub fn new(read: impl Fn(&str) -> Result<Vec<u8>, String> + Send + Sync + 'static) -> Self {
        Self { read: Arc::new(move |path, _| read(path)) }
    }

    /// No file at all: what names one is refused.
    pub fn none() -> Self {
        Self::new(|_| Err("no files are given: the text was read without a folder".to_owned()))
    }

    /// Those of a folder.
    pub fn of_folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let read = move |path: &str, limit: usize| {
            let mut bytes = Vec::new();
            // Paths of other systems have the other slash. One byte more than is allowed: an endless file ends.
            let read = File::open(folder.join(path.replace('\\', "/")))
                .and_then(|file| file.take(limit as u64 + 1).read_to_end(&mut bytes));
            read.map(|_| bytes).map_err(|error| error.to_string())
        };
        Self { read: Arc::new(read) }
    }

    /// The bytes of a file, at most `limit`.
    ///
    /// # Errors
    /// Why it cannot be read, or that it is larger.
    pub fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>, String> {
        let bytes = (self.read)(path, limit)?;
        if bytes.len() > limit { Err(format!("it has more than {limit} bytes")) } else { Ok(bytes) }
    }
}

impl Default for Files {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

/// A path without `.` and `..` where they can be left out, so that one file has one name.
pub(in crate::model) fn tidy(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | "..")) => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folder of a path, with its slash; empty for none.
pub(in crate::model) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| path.get(..=slash).unwrap_or_default())
}

/// Whether a path starts at the root of a file system.
pub(in crate::model) fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.contains(":/") || path.contains(":\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_name() {
        for (path, name) in
            [("a/../b.xml", "b.xml"), ("./a//b", "a//b"), ("../a", "../a"), ("/../a", "/../a"), ("a\\b", "a/b")]
        {
            assert_eq!(tidy(path), name, "{path}");
        }
        assert_eq!((folder("a/b/c.xml"), folder("c.xml")), ("a/b/", ""));
    }
}
