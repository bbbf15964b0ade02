//! Forces of the configuration: gravity, and springs of joints.

use crate::model::{JointSpring, Model};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

/// What acts on a robot at rest. A call may ask for inverse dynamics without it: impulses, products with the mass matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForceField<'a, P = f64> {
    /// Acceleration of gravity, m/s², in the world.
    pub(crate) gravity: Vector3<P>,
    pub(crate) springs: &'a [JointSpring<P>],
}

impl<'a, P: Real> ForceField<'a, P> {
    /// That of a model.
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<P>) -> Self {
        Self { gravity: model.gravity, springs: &model.springs }
    }

    /// Gravity alone.
    pub(crate) fn of_gravity(model: &Model<P>) -> Self {
        Self { gravity: model.gravity, springs: &[] }
    }

    /// No forces.
    pub(crate) fn none() -> Self {
        Self { gravity: Vector3::new(P::zero(), P::zero(), P::zero()), springs: &[] }
    }
}
