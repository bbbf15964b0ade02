//! A joint that moves with another one.

use super::{Elementary, Geometry, JointKind};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Stands at `k q + b`, where `q` is the coordinate of another joint, whose coordinates it shares: `S = k S₁`.
///
/// The inner joint has one coordinate. Whatever torque it needs, `k` times that is asked of the other joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic<P = f64> {
    inner: Elementary<P>,
    multiplier: P,
    offset: P,
}

/// Multiplier and offset of what follows by `(k, b)` what itself follows by `(k₁, b₁)`: `k (k₁ q + b₁) + b`.
pub(crate) fn compose<P: Real>((k, b): (P, P), (k1, b1): (P, P)) -> (P, P) {
    (k * k1, k * b1 + b)
}

impl<P: Real> Mimic<P> {
    /// From the joint itself, the multiplier `k` and the offset `b`.
    ///
    /// `None` if the joint has not exactly one coordinate and one velocity: only those can follow a number.
    #[must_use]
    pub fn new(inner: Elementary<P>, multiplier: P, offset: P) -> Option<Self> {
        let one = inner.nq() == 1 && inner.nv() == 1;
        one.then_some(Self { inner, multiplier, offset })
    }

    /// The joint that is moved.
    #[must_use]
    pub fn inner(&self) -> &Elementary<P> {
        &self.inner
    }

    /// `k`
    #[must_use]
    pub fn multiplier(&self) -> P {
        self.multiplier
    }

    /// `b`
    #[must_use]
    pub fn offset(&self) -> P {
        self.offset
    }

    /// The same joint with its constants in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Mimic<T> {
        Mimic { inner: self.inner.lift(), multiplier: T::from(self.multiplier), offset: T::from(self.offset) }
    }

    #[inline(always)]
    fn inner_q<T: Scalar<P>>(&self, q: &[T]) -> [T; 1] {
        [q[0].mul_plus(self.multiplier, T::from(self.offset))]
    }
}

impl<P: Real> JointKind<P> for Mimic<P> {
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
        self.inner.pose(&self.inner_q(q))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        self.inner.motion_subspace(&self.inner_q(q), columns);
        columns[0] = columns[0].scale(self.multiplier);
    }
    fn geometry(&self) -> Geometry {
        Geometry::Flat
    }
    fn random(&self, _unit: &mut dyn FnMut() -> f64, _lower: &[f64], _upper: &[f64], _q: &mut [f64]) {
        // The coordinate is the other joint's, which has drawn it.
    }
}
