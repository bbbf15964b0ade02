//! Identification: parameters of a robot from measured torques.
//!
//! In this order: what the robot's structure lets be told at all ([`structure`]), whether the data are what they seem ([`Data::check`]),
//! the fit with its certainty ([`fit`]), and how it predicts what it has not seen.

mod data;
mod fit;
mod structure;

pub(crate) use fit::without_rounding;

pub use data::{Data, Warning};
pub use fit::{Fit, FitOptions, JointError, Validation, fit};
pub use structure::{Structure, structure};
