//! Springs and friction curves of joints, and what closes loops, for programs.

use gradyn::model::{FrictionCurve, JointSpring};
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
    q_index: usize,
    multiplier: f64,
    offset: f64,
    stiffness: f64,
    reference: f64,
}

impl SpringAnswer {
    pub(super) fn of(spring: &JointSpring) -> Self {
        let JointSpring { index, coordinate, multiplier, offset, stiffness, reference, .. } = *spring;
        Self { v_index: index, q_index: coordinate, multiplier, offset, stiffness, reference }
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
