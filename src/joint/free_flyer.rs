//! Free motion in space.

use super::{Geometry, JointKind, between};
use crate::spatial::quaternion::{self, Quaternion};
use crate::spatial::{Motion, Transform, log6_of, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// A free body: `q` is its position and the unit quaternion `(x, y, z, w)`; the velocity is the body's, in its own
/// coordinates, linear part first: `S = E`, `ṗ = R v`, `q̇ = ½ q ⊗ (ω, 0)`.
///
/// The layout of Pinocchio. Seven coordinates, six velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("floating base", "QuaternionFloating", "free joint", "SixDof", "root joint"))]
pub struct FreeFlyer;

#[inline(always)]
fn parts<T: Real>(q: &[T]) -> (Vector3<T>, Quaternion<T>) {
    (Vector3::new(q[0], q[1], q[2]), Quaternion::from_slice(&q[3..7]))
}

#[inline(always)]
fn motion<T: Real>(v: &[T]) -> Motion<T> {
    Motion::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
}

impl<P: Real> JointKind<P> for FreeFlyer {
    #[inline]
    fn nq(&self) -> usize {
        7
    }
    #[inline]
    fn nv(&self) -> usize {
        6
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        let (p, quaternion) = parts(q);
        Transform::new(quaternion.rotation(), p)
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        for k in 0..3 {
            columns[k] = Motion::new(v3::column(&v3::identity(), k), v3::zero());
            columns[k + 3] = Motion::new(v3::zero(), v3::column(&v3::identity(), k));
        }
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        let ((_, quaternion), v) = (parts(q), motion(v));
        let (p, r) = (v3::rotate(&quaternion.rotation(), v.linear), quaternion.rate(v.angular).to_array());
        q_dot.copy_from_slice(&[p.x, p.y, p.z, r[0], r[1], r[2], r[3]]);
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        q[..3].copy_from_slice(&[T::zero(); 3]);
        q[3..].copy_from_slice(&Quaternion::identity().to_array());
    }
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        let ((p, quaternion), v) = (parts(q), motion(v));
        let (step, displacement) = quaternion::exp_with_translation(v);
        let p = v3::rotate_plus(&quaternion.rotation(), displacement, p);
        let r = (quaternion * step).renormalized().to_array();
        out.copy_from_slice(&[p.x, p.y, p.z, r[0], r[1], r[2], r[3]]);
    }
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        let ((p0, r0), (p1, r1)) = (parts(q0), parts(q1));
        let displacement = v3::rotate_back(&r0.rotation(), v3::sub(p1, p0));
        let m = log6_of(r0.conjugate() * r1, displacement);
        let (v, w) = (m.linear, m.angular);
        out.copy_from_slice(&[v.x, v.y, v.z, w.x, w.y, w.z]);
    }
    fn geometry(&self) -> Geometry {
        Geometry::Se3
    }
    fn normalize(&self, q: &mut [f64]) {
        let unit = Quaternion::from_slice(&q[3..7]).normalized();
        q[3..7].copy_from_slice(&unit.to_array());
    }
    fn direction(&self) -> Range<usize> {
        3..7
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for i in 0..3 {
            q[i] = between(unit(), lower[i], upper[i], 1.0);
        }
        q[3..].copy_from_slice(&quaternion::uniform(unit(), unit(), unit()).to_array());
    }
}
