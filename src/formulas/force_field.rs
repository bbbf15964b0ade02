//! Forces that act on a robot by themselves: gravity, and those of joints.

use super::joint_forces::JointForces;
use crate::model::Model;
use gradyn_derivatives::Real;
use nalgebra::Vector3;

/// What acts on a robot by itself, but for damping and Coulomb friction. A call may ask for inverse dynamics without it: impulses, products with the mass matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForceField<'a, P = f64> {
    /// Acceleration of gravity, m/s², in the world.
    pub(crate) gravity: Vector3<P>,
    pub(crate) joints: JointForces<'a, P>,
}

impl<'a, P: Real> ForceField<'a, P> {
    /// That of a model.
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<P>) -> Self {
        Self { gravity: model.gravity, joints: JointForces::of(model) }
    }

    /// Gravity alone.
    pub(crate) fn of_gravity(model: &Model<P>) -> Self {
        Self { gravity: model.gravity, joints: JointForces::none() }
    }

    /// No forces.
    pub(crate) fn none() -> Self {
        Self { gravity: Vector3::new(P::zero(), P::zero(), P::zero()), joints: JointForces::none() }
    }
}
