//! Springs and friction curves of joints, and what closes loops, for programs.

use gradyn::model::{FrictionCurve, JointSpring, Model, PoseSpring};
use gradyn_files::robot::Loop;
use serde::Serialize;

/// The friction curve of a degree of freedom.
#[derive(Serialize)]
pub(super) struct CurveAnswer {
    v_index: usize,
    multiplier: f64,
    stribeck: f64,
    stribeck_velocity: f64,
    asymmetry: f64,
}

impl CurveAnswer {
    pub(super) fn of(curve: &FrictionCurve) -> Self {
        let FrictionCurve { index, multiplier, stribeck, stribeck_velocity, asymmetry, .. } = *curve;
        Self { v_index: index, multiplier, stribeck, stribeck_velocity, asymmetry }
    }
}

/// The spring of a degree of freedom.
#[derive(Serialize)]
pub(super) struct SpringAnswer {
    v_index: usize,
    /// None where it measures turns in space, or the place of a joint that floats.
    q_index: Option<usize>,
    multiplier: f64,
    offset: f64,
    stiffness: f64,
    reference: f64,
}

impl SpringAnswer {
    pub(super) fn all(model: &Model) -> Vec<Self> {
        let of_poses = model.pose_springs().iter().flat_map(Self::of_pose);
        model.springs().iter().map(Self::of).chain(of_poses).collect()
    }

    fn of_pose(spring: &PoseSpring) -> impl Iterator<Item = Self> {
        let dofs = spring.dofs();
        let numbers = spring.stiffness.into_iter().zip(spring.reference).skip(6 - dofs.len());
        let one = |(v_index, (stiffness, reference))| Self {
            v_index,
            q_index: None,
            multiplier: 1.0,
            offset: 0.0,
            stiffness,
            reference,
        };
        dofs.zip(numbers).map(one)
    }

    fn of(spring: &JointSpring) -> Self {
        let JointSpring { index, coordinate, multiplier, offset, stiffness, reference, .. } = *spring;
        Self { v_index: index, q_index: Some(coordinate), multiplier, offset, stiffness, reference }
    }
}

/// What closes a loop.
#[derive(Serialize)]
pub(super) struct LoopAnswer {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl LoopAnswer {
    pub(super) fn of(Loop { kind, name, .. }: Loop) -> Self {
        Self { kind, name }
    }
}
