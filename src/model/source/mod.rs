//! What the readers of robot files have in common, whatever the format: limits of size and depth, XML with line numbers, numbers,
//! and the report of what was not used.
//!
//! A reader asks for elements and attributes by name. Whatever nobody asks for gets a line in the [`LoadReport`].

mod error;
pub(in crate::model) mod file;
pub(in crate::model) mod files;
mod format;
pub(in crate::model) mod guard;
mod joint_type;
mod loop_joint;
pub(in crate::model) mod merge;
mod mimic_form;
pub(in crate::model) mod note;
mod note_text;
pub(in crate::model) mod number;
pub(in crate::model) mod physical;
pub(in crate::model) mod report;
pub(in crate::model) mod rotation;
pub(in crate::model) mod text;
pub(in crate::model) mod xml;

pub use error::SourceError;
pub use files::Files;
pub use format::Format;
pub use joint_type::JointType;
pub use loop_joint::LoopJoint;
pub use mimic_form::MimicForm;
pub use note::{Note, NoteKind, Rank, Severity};
pub use physical::Unphysical;
pub use report::LoadReport;
pub use text::Owner;
