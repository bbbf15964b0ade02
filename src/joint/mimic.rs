//! A joint that moves with another one.

use super::{Axis, Continuous, Elementary, Geometry, JointKind, Revolute};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Stands at `k q + b`, where `q` is the coordinate of another joint, whose coordinates it shares: `S = k S₁`.
///
/// The inner joint has one coordinate. Whatever torque it needs, `k` times that is asked of the other joint.
///
/// Where the other joint has the coordinates `(cos θ, sin θ)`, `q` is the angle `θ` in (−π, π]. If `k` is not whole, or the inner
/// joint no rotation, then the pose jumps where the other joint passes ±π.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic<P = f64> {
    inner: Elementary<P>,
    multiplier: P,
    offset: P,
    /// Whether the coordinates of the other joint are (cos, sin).
    of_direction: bool,
}

/// Multiplier and offset of what follows by `(k, b)` what itself follows by `(k₁, b₁)`: `k (k₁ q + b₁) + b`.
pub(crate) fn compose<P: Real>((k, b): (P, P), (k1, b1): (P, P)) -> (P, P) {
    (k * k1, k * b1 + b)
}

impl<P: Real> Mimic<P> {
    /// From the joint itself, the multiplier `k` and the offset `b`.
    ///
    /// `None` if the joint has not exactly one coordinate and one velocity: only those can follow a number. A continuous joint is
    /// taken as a revolute one.
    #[must_use]
    pub fn new(inner: Elementary<P>, multiplier: P, offset: P) -> Option<Self> {
        // What follows an angle turns by that angle: cosine and sine are never coordinates.
        let inner = match inner {
            Elementary::Continuous(Continuous { axis }) => Elementary::Revolute(Revolute { axis }),
            other => other,
        };
        let one = inner.nq() == 1 && inner.nv() == 1;
        one.then_some(Self { inner, multiplier, offset, of_direction: false })
    }

    /// The same behind a joint with the coordinates (cos, sin).
    #[must_use]
    pub fn of_direction(self) -> Self {
        Self { of_direction: true, ..self }
    }

    /// Whether the other joint has two coordinates, (cos, sin).
    #[must_use]
    pub fn is_of_direction(&self) -> bool {
        self.of_direction
    }

    /// The joint that is moved.
    #[must_use]
    pub fn inner(&self) -> &Elementary<P> {
        &self.inner
    }

    pub(crate) fn inner_mut(&mut self) -> &mut Elementary<P> {
        &mut self.inner
    }

    pub(crate) fn set(&mut self, multiplier: P, offset: P) {
        (self.multiplier, self.offset) = (multiplier, offset);
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
        Mimic {
            inner: self.inner.lift(),
            multiplier: T::from(self.multiplier),
            offset: T::from(self.offset),
            of_direction: self.of_direction,
        }
    }

    /// `q`, the coordinate that it follows: an angle where those are (cos, sin).
    #[inline(always)]
    pub(crate) fn followed<T: Real>(&self, q: &[T]) -> T {
        if self.of_direction { q[1].atan2(q[0]) } else { q[0] }
    }

    #[inline(always)]
    pub(crate) fn inner_q<T: Scalar<P>>(&self, q: &[T]) -> [T; 1] {
        [self.followed(q).mul_plus(self.multiplier, T::from(self.offset))]
    }

    /// A joint with the coordinates of the other one.
    fn other(&self) -> Elementary<P> {
        if self.of_direction { Continuous { axis: Axis::X }.into() } else { Revolute { axis: Axis::X }.into() }
    }
}

impl<P: Real> JointKind<P> for Mimic<P> {
    #[inline]
    fn nq(&self) -> usize {
        1 + usize::from(self.of_direction)
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
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        self.other().q_dot(q, v, q_dot);
    }
    fn neutral<T: Real>(&self, q: &mut [T]) {
        self.other().neutral(q);
    }
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        self.other().integrate(q, v, out);
    }
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        self.other().difference(q0, q1, out);
    }
    fn normalize(&self, q: &mut [f64]) {
        self.other().normalize(q);
    }
    fn norm_error(&self, q: &[f64]) -> f64 {
        self.other().norm_error(q)
    }
    fn geometry(&self) -> Geometry {
        Geometry::Flat
    }
    fn random(&self, _unit: &mut dyn FnMut() -> f64, _lower: &[f64], _upper: &[f64], _q: &mut [f64]) {
        // The coordinate is the other joint's, which has drawn it.
    }
}
