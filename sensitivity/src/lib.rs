//! What every parameter of a robot does to its motion, and how well data can tell.

pub mod error;
pub mod local;
pub mod parameters;
pub mod rollout;

pub use error::SensitivityError;
pub use local::{Local, Output, local, local_second};
pub use parameters::{Parameter, Parameters, parameters_of};
pub use rollout::{Adjoint, Feedback, Forward, Memory, QuadraticCost, Rollout, Scheme, TrajectoryCost};

/// The engine.
pub use gradyn;
