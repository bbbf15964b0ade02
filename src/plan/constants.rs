//! Constants that all bodies of a robot share.

use crate::formulas::joint_dynamics::JointDynamics;
use crate::model::{DofDynamics, Model};
use nalgebra::Vector3;

/// Gravity and friction of a model, as kernels take them: a call may have other gravity than the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointConstants {
    /// Acceleration of gravity, m/s², in the world.
    pub(crate) gravity: Vector3<f64>,
    /// Whether damping and friction of joints are included.
    pub(crate) joint_friction: bool,
    /// The velocity at which friction has reached 76 % of its size, rad/s or m/s.
    pub(crate) friction_width: f64,
}

impl JointConstants {
    /// Those of a model.
    #[inline(always)]
    pub(crate) fn of(model: &Model) -> Self {
        let Model { gravity, joint_friction, friction_width, .. } = model;
        Self { gravity: *gravity, joint_friction: *joint_friction, friction_width: *friction_width }
    }

    /// With these entries, some of the model's.
    #[inline(always)]
    pub(crate) fn joints<'a>(&self, entries: &'a [DofDynamics]) -> JointDynamics<'a, f64> {
        JointDynamics { entries, friction: self.joint_friction, width: self.friction_width }
    }
}
