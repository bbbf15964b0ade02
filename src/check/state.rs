//! The state of a robot that a claim is about.

use crate::dynamics::ExternalWrench;

/// The state that a claim is about. What the quantity does not depend on may be left empty; velocities, accelerations and
/// torques that are left empty are zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct State<'a> {
    /// Configuration, nq.
    pub q: &'a [f64],
    /// Velocity, nv.
    pub v: &'a [f64],
    /// Acceleration, nv: for torques and their derivatives.
    pub a: &'a [f64],
    /// Torques, nv: for accelerations and their derivatives.
    pub tau: &'a [f64],
    /// Wrenches from outside.
    pub wrenches: &'a [ExternalWrench],
}
