//! Identification: parameters of a robot from measured torques.
//!
//! The steps are: which parameters the robot's structure makes identifiable at all ([`structure`]), checks of the data
//! ([`Data::check`]), the fit with its covariance ([`fit`]), and its prediction of held-out data. If torques were
//! commanded and motions measured, [`fit_motion`] fits the simulation itself, [`fit_output_error`] that of a log. If
//! poses were measured, [`fit_poses`] calibrates the geometry.

mod attenuation;
mod color;
mod data;
mod delay;
mod differences;
mod entropic;
mod explain;
mod filter;
mod fit;
mod fit_options;
#[cfg(feature = "lmi")]
mod lmi;
mod motion;
mod nullspace;
mod output_error;
mod poses;
mod rows;
mod structure;
mod verdict;
mod warning;

pub(crate) use rows::without_rounding;

pub use data::{ContactForces, Data};
pub use delay::Delay;
pub use entropic::divergence;
pub use fit::{Compared, Fit, JointError, Validation, fit};
pub use fit_options::FitOptions;
#[cfg(feature = "lmi")]
pub use lmi::{ConvexFit, fit_convex};
pub use motion::{Measured, MotionFit, fit_motion};
pub use output_error::{OutputErrorFit, OutputErrorOptions, PositionError, fit_output_error};
pub use poses::{PoseError, PoseFit, Poses, fit_poses};
pub use structure::{FoundBy, Structure, base_parameters_by_body, structure, structure_by_motions};
pub use warning::Warning;
