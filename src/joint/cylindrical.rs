//! Rotation about an axis and, apart from it, translation along it.

use super::{Axis, JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Translation by `q₀` along an axis and rotation by the angle `q₁` about it: `S = [a 0; 0 a]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylindrical<P = f64> {
    /// The axis, the same in both frames.
    pub axis: Axis<P>,
}

impl<P: Real> JointKind<P> for Cylindrical<P> {
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
        Transform::new(self.axis.turn(q[1]), self.axis.times(q[0]))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        let a = self.axis.times(T::one());
        columns[0] = Motion::new(a, v3::zero());
        columns[1] = Motion::new(v3::zero(), a);
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        q[0] = between(unit(), lower[0], upper[0], 1.0);
        q[1] = between(unit(), lower[1], upper[1], std::f64::consts::PI);
    }
}
