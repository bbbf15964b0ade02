//! Rotation about an axis, by an angle.

use super::{Axis, JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Rotation by the angle `q` about an axis through the joint's origin: `S = [0; a]`.
///
/// Also a `continuous` joint of a robot file, with the angle as its one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("hinge", "JointModelRevolute"))]
pub struct Revolute<P = f64> {
    /// The axis, the same in both frames.
    pub axis: Axis<P>,
}

impl<P: Real> JointKind<P> for Revolute<P> {
    #[inline(always)]
    fn nq(&self) -> usize {
        1
    }
    #[inline(always)]
    fn nv(&self) -> usize {
        1
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        Transform::new(self.axis.turn(q[0]), v3::zero())
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(v3::zero(), self.axis.times(T::one()));
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        q[0] = between(unit(), lower[0], upper[0], std::f64::consts::PI);
    }
}
