//! Inertias with their body and the frame of their coordinates.

use super::motion::belongs;
use super::{
    CheckedAcceleration, CheckedForce, CheckedMomentum, CheckedMotion, CheckedPoint, Expressed, Frame, FrameMismatch,
    same, same_coordinates,
};
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::fmt::{Display, Formatter};

/// The spatial inertia of `body`, in coordinates (axes and origin) of `expressed_in`.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "SpatialInertia")]
pub struct CheckedInertia<T> {
    body: Frame,
    expressed_in: Frame,
    value: Inertia<T>,
}

checked! {
    /// The inertia of `body`, in coordinates of `expressed_in`.
    CheckedInertia: Inertia<T>, act, inv_act;
    /// The body.
    body,
    /// The frame of the coordinates.
    expressed_in;
    /// The plain inertia.
    value
}

impl<T: Real> CheckedInertia<T> {
    /// The center of mass.
    pub fn center_of_mass(&self) -> CheckedPoint<T> {
        CheckedPoint::new(&self.expressed_in, self.value.com)
    }

    /// The inertia of this body with another joined to it rigidly; the two together are this body now.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not expressed in one frame.
    pub fn joined_with(&self, other: &Self) -> Result<Self, FrameMismatch> {
        same_coordinates("joined_with", &self.expressed_in, &other.expressed_in)?;
        Ok(Self { value: self.value + other.value, ..self.clone() })
    }

    /// Spatial momentum at a velocity, measured in the velocity's base.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocity is another body's, or the two are not expressed in one frame.
    pub fn momentum(&self, v: &CheckedMotion<T>) -> Result<CheckedMomentum<T>, FrameMismatch> {
        self.moves_with("momentum", v)?;
        Ok(CheckedMomentum::new(&self.body, v.base(), &self.expressed_in, self.value * v.value()))
    }

    /// Kinetic energy at a velocity, measured in the velocity's base, J.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocity is another body's, or the two are not expressed in one frame.
    pub fn kinetic_energy(&self, v: &CheckedMotion<T>) -> Result<T, FrameMismatch> {
        self.moves_with("kinetic_energy", v)?;
        Ok(self.value.kinetic_energy(v.value()))
    }

    /// The wrench that gives the body the acceleration `a` at the velocity `v`, both in an inertial base:
    /// `Y a + v ×* Y v`.
    ///
    /// # Errors
    /// [`FrameMismatch`] if velocity and acceleration are not of this body in one base, or not all are expressed in one
    /// frame.
    pub fn newton_euler(
        &self,
        v: &CheckedMotion<T>,
        a: &CheckedAcceleration<T>,
    ) -> Result<CheckedForce<T>, FrameMismatch> {
        self.moves_with("newton_euler", v)?;
        belongs("newton_euler", a, v)?;
        let wrench = self.value.newton_euler::<T, T>(v.value(), a.value());
        Ok(CheckedForce::new(&self.body, &self.expressed_in, wrench))
    }

    fn moves_with(&self, operation: &'static str, v: &CheckedMotion<T>) -> Result<(), FrameMismatch> {
        same(operation, ("the inertia is expressed in", &self.expressed_in), ("the velocity in", v.expressed_in()))?;
        same(operation, ("the inertia is of", &self.body), ("the velocity is of", v.body()))
    }
}

checked!(@display CheckedInertia, "inertia of {}, expressed in {}: ", body, expressed_in);
