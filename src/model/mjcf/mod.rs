//! Reading robots from MJCF, the XML format of MuJoCo.
//!
//! [`Model::from_mjcf_file`](crate::model::Model::from_mjcf_file) makes a model of a file. What a file says that the model does not
//! have is listed line by line in the report, each with its [`Rank`]: *changes the dynamics*, *dubious*,
//! *not dynamics*. A file that makes no sense is refused with an [`MjcfError`] that names the line, the element and the values.
//!
//! What is read: the tree of bodies with frames, replicas and attached models, joints, inertias (those that the file gives, those of
//! simple shapes, those of meshes where they are needed), sites, classes of defaults, included files, equalities, actuators,
//! keyframes, gravity and the time step. `docs/robots.md` has the whole table, made of the one that the reader has.
//!
//! Coordinates are those of the file: a joint is at `ref` where its body has the pose of the file. They are numbered as in MuJoCo;
//! of quaternions the real part comes last, and the velocity of a free joint is that of the body in its own axes.
//! [`Coordinates`] translates.
//!
//! [`rewrite`] is the way back: it writes the parameters of a changed model into the text, and changes nothing else there.

mod actuators;
mod assembly;
mod classes;
mod copies;
mod description;
mod document;
mod drives;
mod element;
mod equalities;
mod error;
use crate::model::source::files;
mod following;
mod frames;
mod inertial;
mod joint;
mod keys;
mod load;
mod mesh;
mod mesh_file;
mod names;
mod options;
mod orientation;
mod parse;
mod place;
mod rewrite;
mod settings;
mod shape;
mod spring_damper;
mod table;
mod tree;

pub use crate::model::rewrite::{Change, NotWritten, RewriteError, Rewritten};
pub use crate::model::source::Files;
pub use crate::model::source::{LoadReport, MimicForm, Note, NoteKind, Owner, Rank, Severity};
pub use description::{
    ActuatorElement, ActuatorLaw, BodyElement, Description, Equality, EqualityElement, JointElement, JointKind,
    KeyElement, SiteElement, Transmission,
};
pub use error::{Fault, MjcfError};
pub use keys::{Configuration, Coordinates};
pub use options::MjcfOptions;
pub use parse::{Loaded, parse};
pub use place::Place;
pub use rewrite::rewrite;

/// The table of `docs/robots.md`: what of MJCF is read, and what the rest means for the dynamics.
#[must_use]
pub fn table() -> String {
    table::markdown()
}
