//! What every parameter of a robot does to its motion, and how well data can tell.

pub mod error;
pub mod local;
pub mod parameters;

pub use error::SensitivityError;
pub use local::{Local, Output, local, local_second};
pub use parameters::{Parameter, Parameters, parameters_of};

/// The engine.
pub use gradyn;
