//! What users of gradyn write and what they are shown, as a library: task files, states, claims of other programs,
//! priors, solutions, pages.
//!
//! | module | contents |
//! |---|---|
//! | [`task`] | task files: a trajectory problem, its guesses and its solver, read from TOML |
//! | [`solution`] | solutions of tasks: solved, looked at, written as JSON, CSV, `.npz` and a page |
//! | [`claims`] | results of another program, read from JSON, CSV or NumPy's `.npz`, in its own coordinates |
//! | [`check`] | claims and methods checked, and the page of it |
//! | [`sensitivity`] | answers about parameters, as JSON, CSV and a page |
//! | [`excite`] | the motion that tells the most: a verdict, JSON, a table, a page |
//! | [`identify`] | what a fit of parameters found: a verdict, JSON, a page |
//! | [`logs`] | measured motions and poses, read from CSV |
//! | [`priors`] | priors of parameters, read from TOML |
//! | [`states`], [`constraints`], [`armature`] | inputs of a robot, read from JSON |
//! | [`robot`], [`rewritten`] | a robot with the file that it comes from; that file with other numbers |
//! | [`quantity`], [`evaluation`], [`answer`] | quantities by name, computed at states, written as JSON |
//! | [`page`] | pieces of HTML pages: documents, tables, plots |
//! | [`json`], [`csv`], [`npz`], [`number`], [`labels`], [`nearest`] | formats, numbers and names for people |
//!
//! A file that cannot be read is one [`Error`]: one line that names the file, and the line and the key where they are
//! known.

pub mod answer;
pub mod armature;
pub mod check;
pub mod claims;
pub mod constraints;
pub mod csv;
mod error;
pub mod evaluation;
pub mod excite;
pub mod identify;
pub mod input;
pub mod json;
pub mod labels;
pub mod logs;
pub mod nearest;
pub mod npz;
pub mod number;
pub mod page;
pub mod priors;
pub mod quantity;
pub mod rewritten;
pub mod robot;
pub mod sensitivity;
pub mod solution;
pub mod states;
pub mod task;

pub use error::Error;
