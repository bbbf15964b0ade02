//! Solvers, what they report, and what they may be told.

mod crew;
mod fddp;
mod filter;
mod gaps;
mod newton;
mod report;
mod shooting;
mod support;

pub use fddp::{Fddp, FddpOptions};
pub use newton::{Hessian, Newton, NewtonOptions, RollOut};
pub use report::{Control, Iteration, Report, Status};
pub use shooting::{MultipleShooting, ShootingOptions};
