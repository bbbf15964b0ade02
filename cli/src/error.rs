//! What can go wrong, each as one line for the user.

use gradyn::model::InputError;
use gradyn::model::urdf::UrdfError;
pub(crate) use gradyn::text::one_line;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no answer. All end the program with exit code 2.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// The command line itself.
    #[error("{0}")]
    Usage(String),
    /// The robot's file makes no sense.
    #[error("{}: {error}", .path.display())]
    Robot { path: PathBuf, error: Box<UrdfError> },
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read { path: PathBuf, reason: String },
    /// A file cannot be written.
    #[error("cannot write {}: {reason}", .path.display())]
    Write { path: PathBuf, reason: String },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// The states make no sense.
    #[error("{file}: {reason}")]
    States { file: String, reason: String },
    /// The task makes no sense.
    #[error("{file}, line {line}: {reason}")]
    Task { file: String, line: usize, reason: String },
    /// There is not so much memory.
    #[error("{what} {reason}")]
    Memory { what: String, reason: String },
    /// The library refuses a state, or its result is not finite.
    #[error("{place}: {error}")]
    Input { place: String, error: InputError },
}

impl Error {
    pub(crate) fn read(path: &Path, reason: impl ToString) -> Self {
        Self::Read { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn write(path: &Path, reason: impl ToString) -> Self {
        Self::Write { path: path.to_owned(), reason: reason.to_string() }
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
