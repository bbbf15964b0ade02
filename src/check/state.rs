//! The state of a robot that a claim is about.

use crate::dynamics::ExternalWrench;

/// The state that a claim is about. Inputs that the quantity does not depend on may be empty; empty velocities,
/// accelerations and torques are zero.
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
    /// External wrenches.
    pub wrenches: &'a [ExternalWrench],
}
