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

checked! {
    /// The point with the position `value`, m, in coordinates of the frame.
    CheckedPoint: Vector3<T>, point, inv_point;
    /// The frame of its coordinates.
    expressed_in;
    /// The plain position, m.
    value
}

impl<T: Real> CheckedPoint<T> {
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

checked! {
    /// The vector with these coordinates in the frame.
    CheckedVector: Vector3<T>, vector, inv_vector;
    /// The frame of its coordinates.
    expressed_in;
    /// The plain coordinates.
    value
}

impl<T: Real> CheckedVector<T> {
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
