//! When nine numbers are a rotation, and what is wrong when they are not.

use super::Transform;
use gradyn_derivatives::Real;
use nalgebra::Matrix3;
use std::any::Any;
use thiserror::Error;

/// Why numbers are not a pose.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// An entry is infinite or NaN.
    #[error("pose: rotation {rotation:?} and translation {translation:?} m are not all finite")]
    NotFinite {
        /// The rotation matrix, row by row.
        rotation: [[f64; 3]; 3],
        /// The position, m.
        translation: [f64; 3],
    },
    /// The columns are not unit vectors at right angles.
    #[error("pose: rotation {rotation:?} is not orthonormal, RᵀR differs from the unit matrix by {deviation:e}")]
    NotOrthonormal {
        /// The rotation matrix, row by row.
        rotation: [[f64; 3]; 3],
        /// Largest entry of `|RᵀR − 1|`.
        deviation: f64,
    },
    /// The columns are orthonormal but left-handed.
    #[error("pose: rotation {rotation:?} is a reflection, its determinant is {determinant}")]
    Reflection {
        /// The rotation matrix, row by row.
        rotation: [[f64; 3]; 3],
        /// Its determinant, −1.
        determinant: f64,
    },
    /// The last row of a homogeneous matrix has to be `[0, 0, 0, 1]`.
    #[error("pose: last row of the homogeneous matrix is {row:?}, not [0, 0, 0, 1]")]
    BottomRow {
        /// The row given.
        row: [f64; 4],
    },
    /// An axis of rotation is zero or not finite.
    #[error("pose: {axis:?} is not an axis of rotation")]
    Axis {
        /// The axis given.
        axis: [f64; 3],
    },
    /// A quaternion is zero or not finite.
    #[error("pose: quaternion x y z w {quaternion:?} is not a rotation")]
    Quaternion {
        /// The quaternion given, x y z w.
        quaternion: [f64; 4],
    },
}

/// How far `RᵀR` may be from the unit matrix: a rotation written with ten digits passes, one with eight does not.
const ORTHONORMAL_WITHIN: f64 = 1e-9;

impl Transform<f64> {
    /// Checks that this is a pose: finite, orthonormal within 1e-9, and right-handed.
    ///
    /// # Errors
    /// [`PoseError::NotFinite`], [`PoseError::NotOrthonormal`] or [`PoseError::Reflection`], the first that applies.
    pub fn validity(&self) -> Result<(), PoseError> {
        self.finite()?;
        let r = &self.rotation;
        let deviation = (r.transpose() * r - Matrix3::identity()).amax();
        let finite_and_small = deviation <= ORTHONORMAL_WITHIN; // false for the overflow of huge entries, too
        if !finite_and_small {
            return Err(PoseError::NotOrthonormal { rotation: rows(r), deviation });
        }
        let determinant = r.determinant();
        if determinant < 0.0 {
            return Err(PoseError::Reflection { rotation: rows(r), determinant });
        }
        Ok(())
    }

    /// Checks that all twelve numbers are finite.
    pub(super) fn finite(&self) -> Result<(), PoseError> {
        if self.is_finite() {
            return Ok(());
        }
        Err(PoseError::NotFinite { rotation: rows(&self.rotation), translation: self.translation.into() })
    }
}

impl<T: Real> Transform<T> {
    /// Its [`validity`](Transform::validity) over `f64`; over other numbers, checks that it is finite.
    pub(crate) fn check(&self) -> Result<(), PoseError> {
        match (self as &dyn Any).downcast_ref::<Transform<f64>>() {
            Some(x) => x.validity(),
            None if self.is_finite() => Ok(()),
            None => Err(PoseError::NotFinite { rotation: [[f64::NAN; 3]; 3], translation: [f64::NAN; 3] }),
        }
    }

    /// Whether all twelve numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.rotation.as_slice().iter().all(|x| x.is_finite())
            && self.translation.as_slice().iter().all(|x| x.is_finite())
    }
}

/// Row by row.
fn rows(r: &Matrix3<f64>) -> [[f64; 3]; 3] {
    [[r.m11, r.m12, r.m13], [r.m21, r.m22, r.m23], [r.m31, r.m32, r.m33]]
}
