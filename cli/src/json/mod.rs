//! JSON: as it stands in a file, and as answers are written.

mod read;
mod write;

pub(crate) use read::{Json, parse};
pub(crate) use write::{Entries, Rows};
