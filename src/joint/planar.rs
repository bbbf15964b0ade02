//! Motion in a plane.

use super::continuous::{angle_between, normalized, turn};
use super::{Axis, Geometry, JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::scalar::smooth::stumpff;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// Translation in a plane and rotation about its normal: `q = (x, y, cos θ, sin θ)`; the velocity `(v_x, v_y, ω)` is the
/// body's, along its own axes: `S = [e₁ e₂ 0; 0 0 n]`.
///
/// `e₁, e₂, n` are right-handed; for the normal z they are x, y, z. `x e₁ + y e₂` is the position in the mounting frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planar<P = f64> {
    normal: Axis<P>,
    first: Vector3<P>,
    second: Vector3<P>,
}

impl<P: Real> Planar<P> {
    /// From the normal of the plane.
    ///
    /// The axes in the plane follow Duff et al., *Building an Orthonormal Basis, Revisited*, JCGT 6(1), 2017.
    #[must_use]
    pub fn new(normal: Axis<P>) -> Self {
        let n = normal.vector();
        let (i, o) = (P::one(), P::zero());
        let sign = n.z.select_lt(0.0, -i, i);
        let a = -(sign + n.z).recip();
        let b = n.x * n.y * a;
        let (first, second) = match normal {
            Axis::Z => (Vector3::new(i, o, o), Vector3::new(o, i, o)),
            _ => (
                Vector3::new(i + sign * n.x * n.x * a, sign * b, -(sign * n.x)),
                Vector3::new(b, sign + n.y * n.y * a, -n.y),
            ),
        };
        Self { normal, first, second }
    }

    /// The normal of the plane.
    #[must_use]
    pub fn normal(&self) -> Axis<P> {
        self.normal
    }

    /// The axes in the plane, `e₁` and `e₂`, unit vectors in the mounting frame.
    #[must_use]
    pub fn in_plane(&self) -> (Vector3<P>, Vector3<P>) {
        (self.first, self.second)
    }

    /// The same joint with its constants in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Planar<T> {
        Planar { normal: self.normal.lift(), first: v3::lift(self.first), second: v3::lift(self.second) }
    }
}

impl<P: Real> JointKind<P> for Planar<P> {
    #[inline]
    fn nq(&self) -> usize {
        4
    }
    #[inline]
    fn nv(&self) -> usize {
        3
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        let translation = v3::times_plus(self.first, q[0], v3::times(self.second, q[1]));
        Transform::new(self.normal.rotation(q[2], q[3]), translation)
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(v3::lift(self.first), v3::zero());
        columns[1] = Motion::new(v3::lift(self.second), v3::zero());
        columns[2] = Motion::new(v3::zero(), self.normal.times(T::one()));
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        let (c, s) = (q[2], q[3]);
        q_dot[0] = c * v[0] - s * v[1];
        q_dot[1] = s * v[0] + c * v[1];
        q_dot[2] = -(s * v[2]);
        q_dot[3] = c * v[2];
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        q.copy_from_slice(&[T::zero(), T::zero(), T::one(), T::zero()]);
    }
    /// `V(ω) = [C₁ −ωC₂; ωC₂ C₁]` carries the body velocity to the displacement.
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        let w = v[2];
        let [_, c1, c2, ..] = stumpff(w * w);
        let d = (c1 * v[0] - w * c2 * v[1], w * c2 * v[0] + c1 * v[1]);
        let (c, s) = (q[2], q[3]);
        out[0] = q[0] + c * d.0 - s * d.1;
        out[1] = q[1] + s * d.0 + c * d.1;
        (out[2], out[3]) = turn((c, s), w);
    }
    /// `V(ω)⁻¹ = [α ω/2; −ω/2 α]` with `α = (ω/2) cot(ω/2) = 1 − ω² (C₃ − 2C₄)/(2C₂)`.
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        let (c, s) = (q0[2], q0[3]);
        let w = angle_between((c, s), (q1[2], q1[3]));
        let (dx, dy) = (q1[0] - q0[0], q1[1] - q0[1]);
        let d = (c * dx + s * dy, c * dy - s * dx);
        let [_, _, c2, c3, c4, _] = stumpff(w * w);
        let alpha = T::one() - w * w * (c3 - c4 * 2.0) / (c2 * 2.0);
        let half = w * 0.5;
        out[0] = alpha * d.0 + half * d.1;
        out[1] = alpha * d.1 - half * d.0;
        out[2] = w;
    }
    fn geometry(&self) -> Geometry {
        Geometry::Se2
    }
    fn normalize(&self, q: &mut [f64]) {
        (q[2], q[3]) = normalized((q[2], q[3]));
    }
    fn direction(&self) -> Range<usize> {
        2..4
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for i in 0..2 {
            q[i] = between(unit(), lower[i], upper[i], 1.0);
        }
        let (sin, cos) = (std::f64::consts::TAU * unit()).sin_cos();
        (q[2], q[3]) = (cos, sin);
    }
}
