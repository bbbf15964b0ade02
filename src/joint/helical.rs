//! Rotation about an axis with a translation along it in proportion: a screw.

use super::{Axis, JointKind, between};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Rotation by the angle `q` about an axis and translation by `pitch q` along it: `S = [h a; a]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "screw joint")]
pub struct Helical<P = f64> {
    /// The axis, the same in both frames.
    pub axis: Axis<P>,
    /// Translation a radian, m/rad.
    pub pitch: P,
}

impl<P: Real> JointKind<P> for Helical<P> {
    #[inline]
    fn nq(&self) -> usize {
        1
    }
    #[inline]
    fn nv(&self) -> usize {
        1
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        Transform::new(self.axis.turn(q[0]), self.axis.times(q[0] * self.pitch))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(self.axis.times(T::from(self.pitch)), self.axis.times(T::one()));
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        q[0] = between(unit(), lower[0], upper[0], std::f64::consts::PI);
    }
}
