//! Rotation about two axes, one after the other.

use super::{Axis, JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Rotation by `q₀` about a first axis and by `q₁` about a second one that the first carries along:
/// `R = R(a, q₀) R(b, q₁)`, `S = [0 0; R(b, q₁)ᵀ a, b]`.
///
/// The first column of S depends on `q₁`: `c = [0; (R(b, q₁)ᵀ a) × b] v₀ v₁`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Universal<P = f64> {
    /// The first axis, in the mounting frame.
    pub first: Axis<P>,
    /// The second axis, in the body.
    pub second: Axis<P>,
}

impl<P: Real> Universal<P> {
    /// `R(b, q₁)ᵀ a`, the first axis in coordinates of the body.
    #[inline(always)]
    fn first_in_body<T: Scalar<P>>(&self, q1: T) -> nalgebra::Vector3<T> {
        v3::rotate_back(&self.second.turn(q1), self.first.times(T::one()))
    }
}

impl<P: Real> JointKind<P> for Universal<P> {
    #[inline]
    fn nq(&self) -> usize {
        2
    }
    #[inline]
    fn nv(&self) -> usize {
        2
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        let first: nalgebra::Matrix3<T> = self.first.turn(q[0]);
        Transform::new(v3::product(&first, &self.second.turn(q[1])), v3::zero())
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(v3::zero(), self.first_in_body(q[1]));
        columns[1] = Motion::new(v3::zero(), self.second.times(T::one()));
    }
    fn subspace_varies(&self) -> bool {
        true
    }
    /// One axis after the other.
    #[inline]
    fn stage_end(&self, column: usize) -> usize {
        column + 1
    }
    #[inline(always)]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        let a = self.first_in_body(q[1]);
        let b: nalgebra::Vector3<Q> = self.second.times(Q::one());
        Motion::new(v3::zero(), v3::times(v3::cross(a, b), v[0] * v[1]))
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for i in 0..2 {
            q[i] = between(unit(), lower[i], upper[i], std::f64::consts::PI);
        }
    }
}
