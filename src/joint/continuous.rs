//! Rotation about an axis without end, by the cosine and sine of the angle.

use super::{Axis, JointKind};
use crate::spatial::quaternion::SAFE_SQUARES;
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use std::ops::Range;

/// Rotation about an axis, `q = (cos θ, sin θ)`: `S = [0; a]`, `q̇ = (−sin θ, cos θ) v`.
///
/// The form other programs use for `continuous` joints. It never has to be wrapped; in exchange nq is not nv.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("RevoluteUnbounded", "SinCosRevolute"))]
pub struct Continuous<P = f64> {
    /// The axis, the same in both frames.
    pub axis: Axis<P>,
}

impl<P: Real> JointKind<P> for Continuous<P> {
    #[inline]
    fn nq(&self) -> usize {
        2
    }
    #[inline]
    fn nv(&self) -> usize {
        1
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        Transform::new(self.axis.rotation(q[0], q[1]), v3::zero())
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(v3::zero(), self.axis.times(T::one()));
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        q_dot[0] = -(q[1] * v[0]);
        q_dot[1] = q[0] * v[0];
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        q[0] = T::one();
        q[1] = T::zero();
    }
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        (out[0], out[1]) = turn((q[0], q[1]), v[0]);
    }
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        out[0] = angle_between((q0[0], q0[1]), (q1[0], q1[1]));
    }
    fn normalize(&self, q: &mut [f64]) {
        (q[0], q[1]) = normalized((q[0], q[1]));
    }
    fn direction(&self) -> Range<usize> {
        0..2
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, _lower: &[f64], _upper: &[f64], q: &mut [f64]) {
        let (sin, cos) = (std::f64::consts::TAU * unit()).sin_cos();
        (q[0], q[1]) = (cos, sin);
    }
}

/// The direction (cos, sin), turned by an angle. Brought back to length one to first order, without a square root.
#[inline(always)]
pub(super) fn turn<T: Real>((c, s): (T, T), angle: T) -> (T, T) {
    let (sin, cos) = angle.sin_cos();
    let (c1, s1) = (c * cos - s * sin, s * cos + c * sin);
    let k = (T::from(3.0) - (c1 * c1 + s1 * s1)) * 0.5;
    (c1 * k, s1 * k)
}

/// The angle in (−π, π] from one direction (cos, sin) to another.
#[inline(always)]
pub(super) fn angle_between<T: Real>((c0, s0): (T, T), (c1, s1): (T, T)) -> T {
    (s1 * c0 - c1 * s0).atan2(c1 * c0 + s1 * s0)
}

/// The direction at length one; (1, 0) if there is none.
pub(super) fn normalized((c, s): (f64, f64)) -> (f64, f64) {
    let square = c * c + s * s;
    let n = if SAFE_SQUARES.contains(&square) { square.sqrt() } else { c.hypot(s) };
    if n > 0.0 && n.is_finite() { (c / n, s / n) } else { (1.0, 0.0) }
}
