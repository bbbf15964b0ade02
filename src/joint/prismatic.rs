//! Translation along an axis.

use super::{Axis, JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Translation by `q` along an axis: `S = [a; 0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("slider", "slide"))]
pub struct Prismatic<P = f64> {
    /// The axis, the same in both frames.
    pub axis: Axis<P>,
}

impl<P: Real> JointKind<P> for Prismatic<P> {
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
        Transform::new(v3::identity(), self.axis.times(q[0]))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        columns[0] = Motion::new(self.axis.times(T::one()), v3::zero());
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        q[0] = between(unit(), lower[0], upper[0], 1.0);
    }
}
