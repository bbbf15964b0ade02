//! Points and free vectors with the frame of their coordinates.

use super::{Expressed, Frame, FrameMismatch, same_coordinates};
use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// The position of a point, m, in coordinates of a frame, from that frame's origin.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Point3D")]
pub struct CheckedPoint<T> {
    expressed_in: Frame,
    value: Vector3<T>,
}

/// A free vector in coordinates of a frame: a direction, a difference of points, the velocity of a point.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "FreeVector3D")]
pub struct CheckedVector<T> {
    expressed_in: Frame,
    value: Vector3<T>,
}

impl<T: Real> CheckedPoint<T> {
    /// The point with the position `p`, m, in coordinates of the frame.
    pub fn new(expressed_in: &Frame, p: Vector3<T>) -> Self {
        Self { expressed_in: expressed_in.clone(), value: p }
    }

    /// The frame of its coordinates.
    pub fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }

    /// The plain position, m.
    pub fn value(&self) -> Vector3<T> {
        self.value
    }

    /// The vector from `other` to this point.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not in coordinates of one frame.
    pub fn sub(&self, other: &Self) -> Result<CheckedVector<T>, FrameMismatch> {
        same_coordinates("sub", &self.expressed_in, &other.expressed_in)?;
        Ok(CheckedVector::new(&self.expressed_in, v3::sub(self.value, other.value)))
    }

    /// This point, moved by a vector.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not in coordinates of one frame.
    pub fn add(&self, by: &CheckedVector<T>) -> Result<Self, FrameMismatch> {
        same_coordinates("add", &self.expressed_in, &by.expressed_in)?;
        Ok(Self::new(&self.expressed_in, v3::add(self.value, by.value)))
    }
}

impl<T: Real> CheckedVector<T> {
    /// The vector with these coordinates in the frame.
    pub fn new(expressed_in: &Frame, u: Vector3<T>) -> Self {
        Self { expressed_in: expressed_in.clone(), value: u }
    }

    /// The frame of its coordinates.
    pub fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }

    /// The plain coordinates.
    pub fn value(&self) -> Vector3<T> {
        self.value
    }

    /// Sum of two vectors.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not in coordinates of one frame.
    pub fn add(&self, other: &Self) -> Result<Self, FrameMismatch> {
        same_coordinates("add", &self.expressed_in, &other.expressed_in)?;
        Ok(Self::new(&self.expressed_in, v3::add(self.value, other.value)))
    }

    /// Scalar product of two vectors.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not in coordinates of one frame.
    pub fn dot(&self, other: &Self) -> Result<T, FrameMismatch> {
        same_coordinates("dot", &self.expressed_in, &other.expressed_in)?;
        Ok(v3::dot(self.value, other.value))
    }
}

impl<P: Real, T: Scalar<P>> Expressed<P> for CheckedPoint<T> {
    fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }
    fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
        Self { expressed_in: a.clone(), value: x_ab.point(self.value) }
    }
    fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
        Self { expressed_in: b.clone(), value: x_ab.inv_point(self.value) }
    }
}

impl<P: Real, T: Scalar<P>> Expressed<P> for CheckedVector<T> {
    fn expressed_in(&self) -> &Frame {
        &self.expressed_in
    }
    fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
        Self { expressed_in: a.clone(), value: x_ab.vector(self.value) }
    }
    fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
        Self { expressed_in: b.clone(), value: x_ab.inv_vector(self.value) }
    }
}
