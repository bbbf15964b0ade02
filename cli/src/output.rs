//! Where answers go: all of an answer, or nothing.

use crate::error::Error;
use crate::temporary::Temporary;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Takes an answer piece by piece, and shows it when it is complete: an error before that leaves what was there.
///
/// An answer for a file is written beside it under another name, which takes the file's name at the end. Where that
/// cannot be, on standard output, in devices and pipes, and in folders where nothing may be made, it is kept in memory.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(Vec<u8>),
    File(Replacement),
}

impl Output {
    /// Makes sure early that the file can be written. `-` and `/dev/stdout` are standard output.
    pub(crate) fn new(path: Option<&Path>, inputs: &[&Path]) -> Result<Self, Error> {
        let is_stdout = |path: &Path| path == Path::new("-") || path == Path::new("/dev/stdout");
        let Some(path) = path.filter(|path| !is_stdout(path)) else { return Ok(Self::Stdout(Vec::new())) };
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
            Self::File(file) => match &mut file.place {
                Place::Memory(memory, _) => piece(memory),
                Place::Beside(writer, _) => piece(writer),
            }
            .map_err(|error| Error::write(&file.path, error)),
        }
    }

    /// Whether the whole answer is kept in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        match self {
            Self::Stdout(_) => true,
            Self::File(file) => matches!(file.place, Place::Memory(..)),
        }
    }

    /// The answer is complete: a file takes its name. Returns what is for standard output.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Stdout(memory) => Ok(memory),
            Self::File(Replacement { path, target, place }) => {
                place.finish(&target).map_err(|error| Error::write(&path, error))?;
                Ok(Vec::new())
            }
        }
    }
}

/// A file that is written when the answer is complete.
#[derive(Debug)]
pub(crate) struct Replacement {
    /// As the user named it.
    path: PathBuf,
    /// Where it really is, behind symbolic links.
    target: PathBuf,
    place: Place,
}

/// Where an answer is until it is complete.
#[derive(Debug)]
enum Place {
    /// A file beside the target.
    Beside(BufWriter<File>, Temporary),
    /// For this file.
    Memory(Vec<u8>, File),
}

impl Replacement {
    fn new(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(Metadata::is_dir) || is_folder(path) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        let (target, place) = match existing {
            None => {
                let target = behind_links(path)?;
                let place = Place::beside(&target)?;
                (target, place)
            }
            Some(existing) => {
                // Opening it says whether it may be written.
                let file = OpenOptions::new().write(true).open(path)?;
                let target = if existing.is_file() { path.canonicalize()? } else { path.to_owned() };
                let place = match existing.is_file().then(|| Place::beside(&target)) {
                    Some(Ok(place)) => {
                        place.like(&existing)?;
                        place
                    }
                    // No file, or in a folder where nothing may be made.
                    None | Some(Err(_)) => Place::Memory(Vec::new(), file),
                };
                (target, place)
            }
        };
        Ok(Self { path: path.to_owned(), target, place })
    }
}

impl Place {
    fn beside(target: &Path) -> io::Result<Self> {
        let (file, temporary) = Temporary::beside(target)?;
        Ok(Self::Beside(BufWriter::new(file), temporary))
    }

    /// With owner and permissions of the file whose name it takes. The owner as far as the system lets us.
    fn like(&self, existing: &Metadata) -> io::Result<()> {
        let Self::Beside(writer, _) = self else { return Ok(()) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let own = writer.get_ref().metadata()?;
            if (own.uid(), own.gid()) != (existing.uid(), existing.gid()) {
                let _ = fchown(writer.get_ref(), Some(existing.uid()), Some(existing.gid()));
            }
        }
        writer.get_ref().set_permissions(existing.permissions())
    }

    fn finish(self, target: &Path) -> io::Result<()> {
        match self {
            Self::Memory(memory, mut file) => {
                if file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                match file.write_all(&memory) {
                    // Whoever reads a pipe may have gone.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    written => written,
                }
            }
            Self::Beside(mut writer, temporary) => {
                writer.flush()?;
                // A file that something is mounted on, or that is another's in a folder of all, may be written and not
                // replaced.
                match temporary.rename(target) {
                    Err((_, temporary)) if target.is_file() => {
                        io::copy(&mut File::open(temporary.path())?, &mut File::create(target)?).map(|_| ())
                    }
                    Err((error, _)) => Err(error),
                    Ok(()) => Ok(()),
                }
            }
        }
    }
}

/// Whether the path is written as a folder's.
fn is_folder(path: &Path) -> bool {
    path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// The file that a path leads to through symbolic links to nothing.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&target) {
            // From the folder of the link, if it does not begin at the root.
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    // As the system says it.
    fs::metadata(path).map(|_| target)
}

#[cfg(test)]
mod tests {
    use super::is_folder;
    use std::path::Path;

    #[test]
    fn a_path_that_ends_in_a_slash_is_a_folders() {
        for (path, folder) in [("a/", true), ("..", true), ("/", true), ("a/b", false), ("a/.b", false)] {
            assert_eq!(is_folder(Path::new(path)), folder, "{path}");
        }
    }
}
