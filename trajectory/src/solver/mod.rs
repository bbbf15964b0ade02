//! Solvers, what they report, and what they may be told.

mod fddp;
mod nodes;
mod report;

pub use fddp::{Fddp, FddpOptions};
pub use report::{Control, Iteration, Report, Status};
