//! Wrenches with the body they act on and the frame of their coordinates.

use super::{Expressed, Frame, FrameMismatch, same, same_coordinates};
use crate::spatial::{Force, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::fmt::{Display, Formatter};

/// A wrench on `body`, in coordinates (axes and point) of `expressed_in`. Its momentum: [`CheckedMomentum`](super::CheckedMomentum).
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Wrench")]
pub struct CheckedForce<T> {
    body: Frame,
    expressed_in: Frame,
    value: Force<T>,
}

checked! {
    /// The wrench on `body`, in coordinates of `expressed_in`.
    CheckedForce: Force<T>, act, inv_act;
    /// The body it acts on.
    body,
    /// The frame of the coordinates: its axes, and its origin for the moment.
    expressed_in;
    /// The plain force.
    value
}

impl<T: Real> CheckedForce<T> {
    /// Sum of two wrenches on one body.
    ///
    /// # Errors
    /// [`FrameMismatch`] if they act on different bodies, or are not expressed in one frame.
    pub fn add(&self, other: &Self) -> Result<Self, FrameMismatch> {
        self.fits("add", other)?;
        Ok(Self { value: self.value + other.value, ..self.clone() })
    }

    /// Difference of two wrenches on one body.
    ///
    /// # Errors
    /// [`FrameMismatch`] if they act on different bodies, or are not expressed in one frame.
    pub fn sub(&self, other: &Self) -> Result<Self, FrameMismatch> {
        self.fits("sub", other)?;
        Ok(Self { value: self.value - other.value, ..self.clone() })
    }

    /// What `body` feels when this body pushes on it: the opposite wrench (Newton's third law).
    pub fn reaction_on(&self, body: &Frame) -> Self {
        Self::new(body, &self.expressed_in, -self.value)
    }

    fn fits(&self, operation: &'static str, other: &Self) -> Result<(), FrameMismatch> {
        same_coordinates(operation, &self.expressed_in, &other.expressed_in)?;
        same(operation, ("the left force acts on", &self.body), ("the right one on", &other.body))
    }
}

checked!(@display CheckedForce, "wrench on {}, expressed in {}: ", body, expressed_in);
