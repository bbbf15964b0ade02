//! Axes whose third axis is that of a joint, in which its formulas are shortest.

use crate::joint::{Axis, Continuous, Elementary, Joint, Revolute};
use crate::spatial::vector as v3;
use nalgebra::{Matrix3, Vector3};

/// A unit vector and two more that make it the third of a right-handed system.
pub(crate) fn axes(axis: &Axis<f64>) -> Matrix3<f64> {
    let z = axis.vector();
    let (x, y, e_z) = (Vector3::x(), Vector3::y(), Vector3::z());
    match axis {
        Axis::X => v3::from_columns(y, e_z, x),
        Axis::Y => v3::from_columns(e_z, x, y),
        Axis::Z => Matrix3::identity(),
        Axis::Any(_) => {
            let helper = if z.x.abs() < 0.6 { x } else { y };
            let first = v3::cross(helper, z);
            let first = v3::scale(1.0 / v3::norm_squared(first).sqrt(), first);
            v3::from_columns(first, v3::cross(z, first), z)
        }
    }
}

/// From axes whose third is that of a hinge to those of its body; the same axes for every other joint.
pub(crate) fn joint_axes(joint: &Joint) -> Matrix3<f64> {
    hinge(joint).map_or_else(Matrix3::identity, axes)
}

/// The axis of a hinge, if the joint is one.
pub(crate) fn hinge(joint: &Joint) -> Option<&Axis> {
    match joint {
        Joint::Elementary(kind) => hinge_kind(kind),
        Joint::Mimic(mimic) => hinge_kind(mimic.inner()),
        Joint::Composite(_) => None,
    }
}

fn hinge_kind(kind: &Elementary) -> Option<&Axis> {
    match kind {
        Elementary::Revolute(Revolute { axis }) | Elementary::Continuous(Continuous { axis }) => Some(axis),
        _ => None,
    }
}
