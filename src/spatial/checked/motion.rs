//! Velocities and accelerations with their three frames: of which body, measured in what, expressed in what.

use super::{CheckedForce, CheckedPoint, CheckedVector, Expressed, Frame, FrameMismatch, same, same_coordinates};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::fmt::{Display, Formatter};

/// The spatial velocity of `body` measured in `base`, in coordinates (axes and point) of `expressed_in`.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Twist")]
pub struct CheckedMotion<T> {
    body: Frame,
    base: Frame,
    expressed_in: Frame,
    value: Motion<T>,
}

/// The spatial acceleration of `body` measured in `base`, in coordinates (axes and point) of `expressed_in`.
///
/// Another type than the velocity, because it composes differently. A change of coordinates is that of a fixed vector at
/// one instant: it needs no velocity.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "SpatialAcceleration")]
pub struct CheckedAcceleration<T> {
    body: Frame,
    base: Frame,
    expressed_in: Frame,
    value: Motion<T>,
}

macro_rules! three_frames {
    ($($type:ident: $what:literal;)*) => { $(
        checked! {
            #[doc = concat!("The spatial ", $what, " of `body` in `base`, in coordinates of `expressed_in`.")]
            $type: Motion<T>, act, inv_act;
            /// The body that moves.
            body,
            /// The frame it moves against.
            base,
            /// The frame of the coordinates: its axes, and its origin for the linear part.
            expressed_in;
            /// The plain motion.
            value
        }

        checked!(@display $type, concat!($what, " of {} in {}, expressed in {}: "), body, base, expressed_in);
    )* };
}
three_frames! {
    CheckedMotion: "velocity";
    CheckedAcceleration: "acceleration";
}

impl<T: Real> CheckedMotion<T> {
    /// `v_ac = v_ab + v_bc`, from `self`, the velocity of B in A.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the right side is not measured in B, or the two not expressed in one frame.
    pub fn compose(&self, v_bc: &Self) -> Result<Self, FrameMismatch> {
        chained("compose", self, v_bc)?;
        Ok(Self::new(&v_bc.body, &self.base, &self.expressed_in, self.value + v_bc.value))
    }

    /// `v_bc = v_ac − v_ab`, from `self`, the velocity of C in A: that of its body relative to another's.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not measured in one frame, or not expressed in one.
    pub fn relative_to(&self, v_ab: &Self) -> Result<Self, FrameMismatch> {
        let operation = "relative_to";
        same_coordinates(operation, &self.expressed_in, &v_ab.expressed_in)?;
        let (left, right) = ("the left velocity is measured in", "the right one in");
        same(operation, (left, &self.base), (right, &v_ab.base))?;
        Ok(Self::new(&self.body, &v_ab.body, &self.expressed_in, self.value - v_ab.value))
    }

    /// `v_ba = −v_ab`: the velocity of the base seen from the body, in the same coordinates.
    pub fn inverse(&self) -> Self {
        Self::new(&self.base, &self.body, &self.expressed_in, -self.value)
    }

    /// Power of a force on the body, W.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the force acts on another body, or the two are not expressed in one frame.
    pub fn power(&self, f: &CheckedForce<T>) -> Result<T, FrameMismatch> {
        same_coordinates("power", &self.expressed_in, f.expressed_in())?;
        same("power", ("the velocity is of", &self.body), ("the force acts on", f.body()))?;
        Ok(self.value.power(f.value()))
    }

    /// Velocity, measured in the base, of the body-fixed point passing `p`, m/s.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not expressed in one frame.
    pub fn velocity_at(&self, p: &CheckedPoint<T>) -> Result<CheckedVector<T>, FrameMismatch> {
        same_coordinates("velocity_at", &self.expressed_in, p.expressed_in())?;
        Ok(CheckedVector::new(&self.expressed_in, self.value.velocity_at::<T>(p.value())))
    }
}

impl<T: Real> CheckedAcceleration<T> {
    /// `a_ac = a_ab + a_bc + v_ab × v_bc`, from `self`, the acceleration of B in A, and both velocities.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocities are not those of the accelerations' bodies in their bases, the right side is not
    /// measured in B, or not all are expressed in one frame.
    pub fn compose(
        &self,
        v_ab: &CheckedMotion<T>,
        a_bc: &Self,
        v_bc: &CheckedMotion<T>,
    ) -> Result<Self, FrameMismatch> {
        belongs("compose", self, v_ab)?;
        belongs("compose", a_bc, v_bc)?;
        chained("compose", v_ab, v_bc)?;
        let value = self.value + a_bc.value + v_ab.value.cross(v_bc.value);
        Ok(Self::new(&a_bc.body, &self.base, &self.expressed_in, value))
    }

    /// `a_bc = a_ac − a_ab − v_ab × v_bc` with `v_bc = v_ac − v_ab`, from `self`, the acceleration of C in A: that of its body seen from
    /// another that moves.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocities are not those of the accelerations' bodies in their bases, the two are not measured in one
    /// frame, or not all are expressed in one.
    pub fn relative_to(
        &self,
        v_ac: &CheckedMotion<T>,
        a_ab: &Self,
        v_ab: &CheckedMotion<T>,
    ) -> Result<Self, FrameMismatch> {
        belongs("relative_to", self, v_ac)?;
        belongs("relative_to", a_ab, v_ab)?;
        let v_bc = v_ac.relative_to(v_ab)?;
        let value = self.value - a_ab.value - v_ab.value.cross(v_bc.value);
        Ok(Self::new(&self.body, &a_ab.body, &self.expressed_in, value))
    }

    /// Acceleration, measured in the base, of the body-fixed point passing `p`, m/s², with the velocity `v` of the body.
    ///
    /// # Errors
    /// [`FrameMismatch`] if `v` is not the velocity of the same body in the same base, or not all are expressed in one frame.
    pub fn acceleration_at(
        &self,
        p: &CheckedPoint<T>,
        v: &CheckedMotion<T>,
    ) -> Result<CheckedVector<T>, FrameMismatch> {
        belongs("acceleration_at", self, v)?;
        same_coordinates("acceleration_at", &self.expressed_in, p.expressed_in())?;
        Ok(CheckedVector::new(&self.expressed_in, self.value.acceleration_at::<T>(p.value(), v.value)))
    }
}

/// Checks that the second velocity begins at the body of the first, in the same coordinates.
fn chained<T>(operation: &'static str, v_ab: &CheckedMotion<T>, v_bc: &CheckedMotion<T>) -> Result<(), FrameMismatch> {
    same_coordinates(operation, &v_ab.expressed_in, &v_bc.expressed_in)?;
    let (left, right) = ("the left velocity is of", "the right one is measured in");
    same(operation, (left, &v_ab.body), (right, &v_bc.base))
}

/// Checks that acceleration and velocity are of one body in one base, in the same coordinates.
pub(super) fn belongs<T>(
    operation: &'static str,
    a: &CheckedAcceleration<T>,
    v: &CheckedMotion<T>,
) -> Result<(), FrameMismatch> {
    let coordinates = ("the acceleration is expressed in", &a.expressed_in);
    same(operation, coordinates, ("the velocity in", &v.expressed_in))?;
    same(operation, ("the acceleration is of", &a.body), ("the velocity is of", &v.body))?;
    same(operation, ("the acceleration is measured in", &a.base), ("the velocity in", &v.base))
}
