//! Momenta with their three frames: of which body, measured in what, expressed in what.

use super::{CheckedMotion, Expressed, Frame, FrameMismatch, same, same_coordinates};
use crate::spatial::{Force, Momentum, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::fmt::{Display, Formatter};

/// The spatial momentum of `body`, or of a system of bodies, measured in `base`, in coordinates (axes and point) of `expressed_in`.
///
/// Another type than the wrench ([`CheckedForce`](super::CheckedForce)): it depends on what is at rest, and its units are N s and N m s.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedMomentum<T> {
    body: Frame,
    base: Frame,
    expressed_in: Frame,
    value: Momentum<T>,
}

impl<T: Real> CheckedMomentum<T> {
    /// The momentum of `body` in `base`, in coordinates of `expressed_in`.
    pub fn new(body: &Frame, base: &Frame, expressed_in: &Frame, value: Momentum<T>) -> Self {
        Self { body: body.clone(), base: base.clone(), expressed_in: expressed_in.clone(), value }
    }

    /// The body whose momentum it is.
    pub fn body(&self) -> &Frame {
        &self.body
    }

    /// The frame that velocities are measured in.
    pub fn base(&self) -> &Frame {
        &self.base
    }

    /// The frame of the coordinates: its axes, and its origin for the angular part.
    pub fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }

    /// The plain momentum.
    pub fn value(&self) -> Momentum<T> {
        self.value
    }

    /// The momentum of two bodies, which are called `system`.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not measured in one frame, or not expressed in one.
    pub fn joined_with(&self, other: &Self, system: &Frame) -> Result<Self, FrameMismatch> {
        same_coordinates("joined_with", &self.expressed_in, &other.expressed_in)?;
        let (left, right) = ("the left momentum is measured in", "the right one in");
        same("joined_with", (left, &self.base), (right, &other.base))?;
        Ok(Self::new(system, &self.base, &self.expressed_in, self.value + other.value))
    }

    /// `h·v`, twice the kinetic energy if `v` is the velocity of the body that has this momentum, J.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocity is another body's, or measured in another frame, or the two are not expressed in one.
    pub fn times_velocity(&self, v: &CheckedMotion<T>) -> Result<T, FrameMismatch> {
        let operation = "times_velocity";
        same_coordinates(operation, &self.expressed_in, v.expressed_in())?;
        same(operation, ("the momentum is of", &self.body), ("the velocity is of", v.body()))?;
        same(operation, ("the momentum is measured in", &self.base), ("the velocity in", v.base()))?;
        Ok(v.value().power::<T>(self.value))
    }
}

impl<P: Real, T: Scalar<P>> Expressed<P> for CheckedMomentum<T> {
    fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }
    fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
        Self { expressed_in: a.clone(), value: x_ab.act::<Force<T>>(self.value), ..self.clone() }
    }
    fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
        Self { expressed_in: b.clone(), value: x_ab.inv_act::<Force<T>>(self.value), ..self.clone() }
    }
}

impl<T: Display> Display for CheckedMomentum<T> {
    /// `momentum of b in a, expressed in c: …`
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "momentum of {} in {}, expressed in {}: ", self.body, self.base, self.expressed_in)?;
        self.value.fmt(f)
    }
}
