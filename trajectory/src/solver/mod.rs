//! Solvers, their reports, and their options.

mod bare;
mod condense;
mod core;
mod crew;
mod cycle;
mod domain;
mod driver;
mod fddp;
mod filter;
mod gaps;
mod inertia;
mod method;
mod multi_start;
mod newton;
mod optimality;
mod proximal;
mod report;
mod shooting;
mod support;
mod trial;
mod warm;

pub use driver::Solver;
pub use fddp::{Fddp, FddpOptions};
pub use method::HasOptions;
pub use multi_start::{Guess, Method, MultiStart, MultiStartOptions, Progress};
pub use newton::{Hessian, InteriorPoint, Newton, NewtonOptions, RollOut};
pub use proximal::{AugmentedLagrangian, Proximal, ProximalOptions};
pub use report::{Attempt, Control, Iteration, Report, Status, Warning};
pub use shooting::{MultipleShooting, ShootingOptions};
pub use warm::{WarmNode, WarmStart};
