//! Where answers go: all of an answer, or nothing.

use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Takes an answer piece by piece, and shows it when it is complete.
///
/// An answer for standard output is kept in memory. One for a file is written beside it under another name, which takes
/// the file's name at the end: an error before that leaves the file as it was.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(Vec<u8>),
    File(Replacement),
}

impl Output {
    /// Makes sure early that the file can be written. `-` is standard output.
    pub(crate) fn new(path: Option<&Path>, inputs: &[&Path]) -> Result<Self, Error> {
        let Some(path) = path.filter(|path| *path != "-") else { return Ok(Self::Stdout(Vec::new())) };
        if let Ok(output) = path.canonicalize()
            && inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == output && input.is_file()))
        {
            return Err(Error::write(path, "it is an input of the same command"));
        }
        Replacement::new(path).map(Self::File).map_err(|error| Error::write(path, error))
    }

    /// Writes to the answer.
    pub(crate) fn write(&mut self, piece: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        match self {
            Self::Stdout(memory) => piece(memory).map_err(Error::Stdout),
            Self::File(file) => piece(&mut file.writer).map_err(|error| Error::write(&file.path, error)),
        }
    }

    /// The answer is complete: a file takes its name. Returns what is for standard output.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Stdout(memory) => Ok(memory),
            Self::File(file) => {
                let path = file.path.clone();
                file.finish().map_err(|error| Error::write(&path, error))?;
                Ok(Vec::new())
            }
        }
    }
}

/// A file that takes another one's name when it is complete, and vanishes if that does not happen.
#[derive(Debug)]
pub(crate) struct Replacement {
    /// As the user named it.
    path: PathBuf,
    /// Where it really is, behind symbolic links.
    target: PathBuf,
    /// `None` for what is no file, such as `/dev/null`: that is written directly.
    temporary: Option<PathBuf>,
    writer: BufWriter<File>,
}

impl Replacement {
    fn new(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) || path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        let Some(existing) = existing else { return Self::beside(path, path.to_owned(), None) };
        // Opening it says whether it may be written.
        let file = OpenOptions::new().write(true).open(path)?;
        if !existing.is_file() {
            let (path, target) = (path.to_owned(), path.to_owned());
            return Ok(Self { path, target, temporary: None, writer: BufWriter::new(file) });
        }
        Self::beside(path, path.canonicalize()?, Some(existing.permissions()))
    }

    fn beside(path: &Path, target: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Self> {
        let mut attempt = 0_u32;
        loop {
            let mut name = target.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}-{attempt}.tmp", std::process::id()));
            let temporary = target.with_file_name(name);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let writer = BufWriter::new(file);
                    let this = Self { path: path.to_owned(), target, temporary: Some(temporary), writer };
                    if let Some(permissions) = permissions {
                        this.writer.get_ref().set_permissions(permissions)?;
                    }
                    return Ok(this);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}
