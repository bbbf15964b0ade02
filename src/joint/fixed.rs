//! No motion: a body welded to its parent.

use super::JointKind;
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// No coordinates; the body stands still in its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "weld")]
pub struct Fixed;

impl<P: Real> JointKind<P> for Fixed {
    #[inline]
    fn nq(&self) -> usize {
        0
    }
    #[inline]
    fn nv(&self) -> usize {
        0
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, _q: &[T]) -> Transform<T> {
        Transform::identity()
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], _columns: &mut [Motion<T>]) {}
    fn random(&self, _unit: &mut dyn FnMut() -> f64, _lower: &[f64], _upper: &[f64], _q: &mut [f64]) {}
}
