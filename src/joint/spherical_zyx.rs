//! Rotation in space by three angles.

use super::{JointKind, between};
use crate::spatial::so3::{rpy3, sin_cos};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Rotation by angles about z, then the new y, then the new x: `R = R_z(q₀) R_y(q₁) R_x(q₂)`, velocities are the angles'
/// rates. At `q₁ = ±π/2` two axes fall together and S loses rank; values and derivatives stay right there.
///
/// `S` (angular rows): `[−s₁, 0, 1; c₁ s₂, c₂, 0; c₁ c₂, −s₂, 0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("roll pitch yaw", "Euler angles"))]
pub struct SphericalZyx;

impl<P: Real> JointKind<P> for SphericalZyx {
    #[inline]
    fn nq(&self) -> usize {
        3
    }
    #[inline]
    fn nv(&self) -> usize {
        3
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        Transform::new(rpy3(q[2], q[1], q[0]), v3::zero())
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        let ((s1, c1), (s2, c2)) = (sin_cos(q[1]), sin_cos(q[2]));
        let (o, i) = (T::zero(), T::one());
        columns[0] = Motion::new(v3::zero(), Vector3::new(-s1, c1 * s2, c1 * c2));
        columns[1] = Motion::new(v3::zero(), Vector3::new(o, c2, -s2));
        columns[2] = Motion::new(v3::zero(), Vector3::new(i, o, o));
    }
    fn subspace_varies(&self) -> bool {
        true
    }
    /// One axis after the other.
    #[inline]
    fn stage_end(&self, column: usize) -> usize {
        column + 1
    }
    /// The columns' rates `Ṡ₀ = (−c₁ v₁, −s₁ s₂ v₁ + c₁ c₂ v₂, −s₁ c₂ v₁ − c₁ s₂ v₂)`, `Ṡ₁ = (0, −s₂ v₂, −c₂ v₂)`, times v.
    #[inline(always)]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        let ((s1, c1), (s2, c2)) = (sin_cos(q[1]), sin_cos(q[2]));
        let (v01, v02, v12) = (v[0] * v[1], v[0] * v[2], v[1] * v[2]);
        let angular = Vector3::new(
            -(v01 * c1),
            v02 * (c1 * c2) - v01 * (s1 * s2) - v12 * s2,
            -(v01 * (s1 * c2)) - v02 * (c1 * s2) - v12 * c2,
        );
        Motion::new(v3::zero(), angular)
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for i in 0..3 {
            q[i] = between(unit(), lower[i], upper[i], std::f64::consts::PI);
        }
    }
}
