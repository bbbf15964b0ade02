//! Identification: parameters of a robot from measured torques.
//!
//! In this order: what the robot's structure lets be told at all ([`structure`]), whether the data are what they seem ([`Data::check`]),
//! the fit with its certainty ([`fit`]), and how it predicts what it has not seen. Where torques were commanded and motions measured,
//! [`fit_motion`] fits the simulation itself.

mod data;
mod fit;
mod motion;
mod structure;

pub use data::{Data, Warning};
pub use fit::{Fit, FitOptions, JointError, Validation, fit};
pub use motion::{Measured, MotionFit, fit_motion};
pub use structure::{Structure, structure};
