//! Spatial algebra: motions, forces, inertias, poses. No robot here.
//!
//! 6-vectors have their linear part first. Poses are named as in Drake: `x_wb` is the pose of frame B in frame W, and
//! letters cancel: `x_wc = x_wb * x_bc`. Where two number types meet, the simpler one comes first.
//!
//! | | |
//! |---|---|
//! | [`Transform`] | a pose; acts on everything below |
//! | [`Motion`], [`Force`] | velocities and accelerations; wrenches and momenta |
//! | [`Inertia`] | of one body or several; shapes, validity, rates of change |
//! | [`Quaternion`], [`so3`], [`se3`] | rotations and displacements: exponential, logarithm, Jacobians |
//! | [`checked`] | the same quantities with their frames attached, for user code that wants mistakes reported |
//! | [`vector`], [`matrix6`] | products by component; 6×6 matrices by blocks |
//!
//! References: R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008 ("RBDA"); N. Mansard, *SE(3) operations*.

pub mod checked;
mod compare;
mod display;
mod force;
mod inertia;
pub mod matrix6;
pub(crate) mod moments;
mod motion;
mod plucker;
pub mod quaternion;
pub mod se3;
pub mod so3;
mod symmetric3;
mod transform;
pub mod vector;

pub use force::{Force, Momentum};
pub use inertia::regressor::{kinetic_energy_regressor, power_regressor, wrench_regressor};
pub use inertia::{
    ArticulatedInertia, BodyCoriolis, Inertia, InertiaAboutOrigin, InertiaError, LogCholesky, ParameterJacobian,
    Principal,
};
pub(crate) use moments::{Flow, Mass, spread};
pub use motion::Motion;
pub use quaternion::Quaternion;
pub use se3::{exp6, jexp6, jlog6, log6, log6_of};
pub use so3::{exp3, jexp3, jlog3, log3};
pub use symmetric3::Symmetric3;
pub use transform::{PoseError, Transform, Transformable};
