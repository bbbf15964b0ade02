//! What can go wrong, each as one line for the user.

use gradyn::model::InputError;
pub(crate) use gradyn::text::one_line;
use gradyn_files::Error as FileError;
use std::io;
use std::path::Path;
use thiserror::Error;

/// Why there is no answer. All end the program with exit code 2.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// The command line itself.
    #[error("{0}")]
    Usage(String),
    /// What the command line names: files, and what they hold.
    #[error(transparent)]
    File(#[from] FileError),
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// There is not so much memory.
    #[error("{what} {reason}")]
    Memory { what: String, reason: String },
}

impl Error {
    pub(crate) fn read(path: &Path, reason: impl ToString) -> Self {
        FileError::read(path, reason).into()
    }

    pub(crate) fn write(path: &Path, reason: impl ToString) -> Self {
        FileError::write(path, reason).into()
    }

    /// A file with invalid content.
    pub(crate) fn content(file: impl Into<String>, reason: impl Into<String>) -> Self {
        FileError::content(file, reason).into()
    }

    /// A line with invalid content, counted from 1.
    pub(crate) fn in_line(file: impl Into<String>, line: usize, reason: impl Into<String>) -> Self {
        FileError::in_line(file, line, reason).into()
    }

    /// A state that the engine refuses.
    pub(crate) fn input(place: impl Into<String>, error: InputError) -> Self {
        FileError::Input { place: place.into(), error }.into()
    }

    /// What clap says, on one line and without the usage that follows.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::Usage(String::from("no command given; try `gradyn --help`"));
        }
        let text = error.render().to_string();
        let lines = text.lines().map(str::trim);
        let wanted = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
        let joined = wanted.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let message = joined.strip_prefix("error: ").unwrap_or(&joined).replace(" tip: ", "; ");
        Self::Usage(format!("{message}; try `gradyn --help`"))
    }
}
