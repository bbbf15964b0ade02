//! Values, and derivatives that belong to them.

use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, VectorDual};
use nalgebra::Vector3;

/// A value with its derivatives along the chunk's configurations, or along its velocities.
pub(super) type StateDual<R> = VectorDual<R>;

/// A motion with its derivatives.
#[inline(always)]
pub(super) fn dual_motion<R: Register>(value: &Motion<f64>, tangent: Motion<Lanes<R>>) -> Motion<StateDual<R>> {
    Motion::new(duals(value.linear, tangent.linear), duals(value.angular, tangent.angular))
}

/// A force with its derivatives.
#[inline(always)]
pub(super) fn dual_force<R: Register>(value: &Force<f64>, tangent: Force<Lanes<R>>) -> Force<StateDual<R>> {
    Force::new(duals(value.linear, tangent.linear), duals(value.angular, tangent.angular))
}

/// The derivatives of a motion alone.
#[inline(always)]
pub(super) fn motion_tangent<R: Register>(m: Motion<StateDual<R>>) -> Motion<Lanes<R>> {
    Motion::new(tangents(m.linear), tangents(m.angular))
}

/// The derivatives of a force alone.
#[inline(always)]
pub(super) fn force_tangent<R: Register>(f: Force<StateDual<R>>) -> Force<Lanes<R>> {
    Force::new(tangents(f.linear), tangents(f.angular))
}

#[inline(always)]
fn duals<R: Register>(value: Vector3<f64>, tangent: Vector3<Lanes<R>>) -> Vector3<StateDual<R>> {
    Vector3::new(
        StateDual::new(value.x.into(), tangent.x),
        StateDual::new(value.y.into(), tangent.y),
        StateDual::new(value.z.into(), tangent.z),
    )
}

#[inline(always)]
fn tangents<R: Register>(x: Vector3<StateDual<R>>) -> Vector3<Lanes<R>> {
    Vector3::new(x.x.eps, x.y.eps, x.z.eps)
}
