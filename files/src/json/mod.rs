//! JSON: as it stands in a file, and as answers are written.

mod read;
mod write;

pub use read::{Json, parse};
pub use write::{Entries, Rows};
