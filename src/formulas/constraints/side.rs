//! One side of a constraint.

use crate::spatial::{Motion, Transform};

/// The frame of one side, in axes of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<T> {
    /// Its pose in the world.
    pub(crate) pose: Transform<T>,
    /// Velocity of its origin, and angular velocity.
    pub(crate) velocity: Motion<T>,
    /// Acceleration of its origin, the classical one, and angular acceleration.
    pub(crate) acceleration: Motion<T>,
}
