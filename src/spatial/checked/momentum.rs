//! Momenta with their three frames: of which body, measured in what, expressed in what.

use super::{CheckedMotion, Expressed, Frame, FrameMismatch, same, same_coordinates};
use crate::spatial::{Momentum, Transform};
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

checked! {
    /// The momentum of `body` in `base`, in coordinates of `expressed_in`.
    CheckedMomentum: Momentum<T>, act, inv_act;
    /// The body whose momentum it is.
    body,
    /// The frame that velocities are measured in.
    base,
    /// The frame of the coordinates: its axes, and its origin for the angular part.
    expressed_in;
    /// The plain momentum.
    value
}

impl<T: Real> CheckedMomentum<T> {
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

checked!(@display CheckedMomentum, "momentum of {} in {}, expressed in {}: ", body, base, expressed_in);
