//! Solvers, their reports, and their options.

mod algorithm;
mod blockers;
mod condense;
mod cost_model;
mod cycle;
mod domain;
mod driver;
mod evaluator;
mod fddp;
mod filter;
mod gaps;
mod inertia;
mod multi_start;
mod newton;
mod optimality;
mod proximal;
mod report;
mod state;
mod support;
mod trial;
mod warm;

pub use algorithm::{Algorithm, Context, Limits, Next, NoDirection, Step, Watch, iterate};
pub use driver::Solver;
pub use evaluator::{Evaluator, NodeValue, SecondTrial};
pub use fddp::{Fddp, FddpOptions, FeasibilityDriven};
pub use multi_start::{ConstrainedSolver, Guess, MultiStart, MultiStartOptions, Progress};
pub use newton::{Hessian, InteriorPoint, Newton, NewtonOptions, RollOut};
pub use proximal::{AugmentedLagrangian, Proximal, ProximalOptions};
pub use report::{Attempt, Control, Iteration, Report, Status, Warning};
pub use state::{Now, State};
pub use warm::{Begin, WarmNode, WarmStart};

#[cfg(test)]
#[path = "../../tests/unit/solver/mod.rs"]
pub(crate) mod tests;
