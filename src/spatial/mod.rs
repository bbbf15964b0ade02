//! Spatial algebra: motions, forces, inertias, poses. No robot here.
//!
//! 6-vectors have their linear part first. Poses are named as in Drake: `x_wb` is the pose of frame B in frame W, and
//! letters cancel: `x_wc = x_wb * x_bc`. Where two number types meet, the simpler one comes first.
//!
//! References: R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008 ("RBDA"); N. Mansard, *SE(3) operations*.

mod force;
mod inertia;
mod motion;
pub mod quaternion;
mod se3;
mod transform;
pub mod vector;

pub use force::Force;
pub use inertia::{Inertia, Symmetric3};
pub use motion::Motion;
pub use quaternion::Quaternion;
pub use se3::{exp3, exp6, log6_of};
pub use transform::{Transform, Transformable};
