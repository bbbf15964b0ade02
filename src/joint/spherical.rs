//! Rotation in space.

use super::{Geometry, JointKind};
use crate::spatial::quaternion::{self, Quaternion};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// Rotation by the unit quaternion `q = (x, y, z, w)`; the velocity is the angular velocity in body coordinates:
/// `S = [0; E]`, `q̇ = ½ q ⊗ (v, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("ball joint", "QuaternionSpherical"))]
pub struct Spherical;

impl<P: Real> JointKind<P> for Spherical {
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
        Transform::new(Quaternion::from_slice(q).rotation(), v3::zero())
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        for (k, column) in columns.iter_mut().enumerate() {
            *column = Motion::new(v3::zero(), v3::column(&v3::identity(), k));
        }
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        let rate = Quaternion::from_slice(q).rate(Vector3::new(v[0], v[1], v[2]));
        q_dot.copy_from_slice(&rate.to_array());
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        q.copy_from_slice(&Quaternion::identity().to_array());
    }
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        let turned = Quaternion::from_slice(q) * quaternion::exp(Vector3::new(v[0], v[1], v[2]));
        out.copy_from_slice(&turned.renormalized().to_array());
    }
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        let v = (Quaternion::from_slice(q0).conjugate() * Quaternion::from_slice(q1)).log();
        out.copy_from_slice(&[v.x, v.y, v.z]);
    }
    fn geometry(&self) -> Geometry {
        Geometry::So3
    }
    fn normalize(&self, q: &mut [f64]) {
        q.copy_from_slice(&Quaternion::from_slice(q).normalized().to_array());
    }
    fn direction(&self) -> Range<usize> {
        0..4
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, _lower: &[f64], _upper: &[f64], q: &mut [f64]) {
        q.copy_from_slice(&quaternion::uniform(unit(), unit(), unit()).to_array());
    }
}
