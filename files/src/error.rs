//! What can go wrong, each as one line for the user.

use gradyn::model::InputError;
use gradyn::model::mjcf::MjcfError;
use gradyn::model::sdf::SdfError;
use gradyn::model::urdf::UrdfError;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why something could not be read, written or computed. Each is one line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The robot's file is invalid.
    #[error("{}: {error}", .path.display())]
    Robot {
        /// The file.
        path: PathBuf,
        /// What is wrong in it, with its line.
        error: Box<RobotError>,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {reason}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The content of a file is invalid.
    #[error("{file}{}: {}{reason}", Line(*.line), Key(.key))]
    Content {
        /// The file as the user named it, or `standard input`.
        file: String,
        /// Counted from 1, where it is known.
        line: Option<usize>,
        /// The key, as `costs[2].weight`, where it is known.
        key: Option<String>,
        /// Both values, and the nearest name, where there are such.
        reason: String,
    },
    /// The engine refuses a state, or its result is not finite.
    #[error("{place}: {error}")]
    Input {
        /// The file, and the state in it.
        place: String,
        /// What the engine says.
        error: InputError,
    },
}

/// Why a robot's file is invalid, by its format.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RobotError {
    /// Of a URDF file.
    #[error(transparent)]
    Urdf(#[from] UrdfError),
    /// Of an MJCF file.
    #[error(transparent)]
    Mjcf(#[from] MjcfError),
    /// Of an SDF file.
    #[error(transparent)]
    Sdf(#[from] SdfError),
}

impl Error {
    /// A file that cannot be read.
    pub fn read(path: &Path, reason: impl ToString) -> Self {
        Self::Read { path: path.to_owned(), reason: reason.to_string() }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, reason: impl ToString) -> Self {
        Self::Write { path: path.to_owned(), reason: reason.to_string() }
    }

    /// A file with invalid content.
    pub fn content(file: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Content { file: file.into(), line: None, key: None, reason: reason.into() }
    }

    /// A line with invalid content, counted from 1.
    pub fn in_line(file: impl Into<String>, line: usize, reason: impl Into<String>) -> Self {
        Self::Content { file: file.into(), line: Some(line), key: None, reason: reason.into() }
    }
}

/// `, line 3`, if it is known.
struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

/// ``key `steps.dt`: ``, if it is known.
struct Key<'a>(&'a Option<String>);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |key| write!(f, "key `{key}`: "))
    }
}
