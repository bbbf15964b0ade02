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

impl<T: Real> CheckedForce<T> {
    /// The wrench on `body`, in coordinates of `expressed_in`.
    pub fn new(body: &Frame, expressed_in: &Frame, value: Force<T>) -> Self {
        Self { body: body.clone(), expressed_in: expressed_in.clone(), value }
    }

    /// The body it acts on.
    pub fn body(&self) -> &Frame {
        &self.body
    }

    /// The frame of the coordinates: its axes, and its origin for the moment.
    pub fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }

    /// The plain force.
    pub fn value(&self) -> Force<T> {
        self.value
    }

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

impl<P: Real, T: Scalar<P>> Expressed<P> for CheckedForce<T> {
    fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }
    fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
        Self { expressed_in: a.clone(), value: x_ab.act(self.value), ..self.clone() }
    }
    fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
        Self { expressed_in: b.clone(), value: x_ab.inv_act(self.value), ..self.clone() }
    }
}

impl<T: Display> Display for CheckedForce<T> {
    /// `wrench on b, expressed in a: …`
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "wrench on {}, expressed in {}: ", self.body, self.expressed_in)?;
        self.value.fmt(f)
    }
}
