//! Which inertias a body can have; principal moments.

use super::Inertia;
use crate::spatial::Transform;
use nalgebra::Matrix3;
use thiserror::Error;

/// Why no body has this inertia.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum InertiaError {
    /// A number is infinite or NaN.
    #[error(
        "inertia: mass {mass} kg, mass center {com:?} m, moments xx xy xz yy yz zz {rotational:?} kg m²: not all finite"
    )]
    NotFinite {
        /// Mass, kg.
        mass: f64,
        /// Center of mass, m.
        com: [f64; 3],
        /// Rotational inertia about the center of mass, upper triangle row by row, kg m².
        rotational: [f64; 6],
    },
    /// The mass is below zero.
    #[error("inertia: mass {mass} kg is negative")]
    NegativeMass {
        /// Mass, kg.
        mass: f64,
    },
    /// A principal moment is below zero.
    #[error("inertia: principal moments {moments:?} kg m² are not all positive or zero")]
    NotPositive {
        /// Principal moments about the center of mass, ascending, kg m².
        moments: [f64; 3],
    },
    /// One principal moment exceeds the sum of the others: some mass would have to be negative.
    #[error("inertia: principal moments {moments:?} kg m² break the triangle inequality")]
    TriangleInequality {
        /// Principal moments about the center of mass, ascending, kg m².
        moments: [f64; 3],
    },
    /// Rotational inertia without mass.
    #[error("inertia: no mass, but principal moments {moments:?} kg m²")]
    MasslessRotational {
        /// Principal moments about the center of mass, ascending, kg m².
        moments: [f64; 3],
    },
    /// A first moment of mass without mass.
    #[error("inertia: no mass, but first moment of mass {first_moment:?} kg m")]
    MasslessFirstMoment {
        /// `m c`, kg m.
        first_moment: [f64; 3],
    },
    /// No mass, or none in some direction: a point, a rod, a plate.
    #[error(
        "inertia: mass {mass} kg with second moments of mass {second_moments:?} kg m² has no extent in some direction"
    )]
    Flat {
        /// Mass, kg.
        mass: f64,
        /// Second moments of mass about the center of mass along the frame's axes, `Σ m x²`, kg m².
        second_moments: [f64; 3],
    },
    /// A matrix is not the matrix of an inertia.
    #[error(
        "inertia matrix: entry ({row}, {column}), counted from zero, is {value} where the pattern asks for {expected}"
    )]
    NotAnInertiaMatrix {
        /// Row, from zero.
        row: usize,
        /// Column, from zero.
        column: usize,
        /// The entry.
        value: f64,
        /// What the other entries ask for.
        expected: f64,
    },
    /// A size of a shape, or its mass, is negative or not finite.
    #[error("{shape}: {name} = {value} is negative or not finite")]
    Size {
        /// Which shape.
        shape: &'static str,
        /// Which of its sizes, or `mass`.
        name: &'static str,
        /// The number given, kg or m, as text, since it may be of any number type.
        value: String,
    },
}

/// Principal moments of inertia and their axes, about the center of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// Principal moments, ascending, kg m².
    pub moments: [f64; 3],
    /// Principal axes in the frame's coordinates: the columns of a rotation matrix, in the order of `moments`.
    pub axes: Matrix3<f64>,
}

/// Moments may break an inequality by this much of the largest one: files round them.
const TOLERANCE: f64 = 1e-9;

impl Inertia<f64> {
    /// Checks that a body can have this inertia: all numbers finite, mass not negative, no rotational inertia without
    /// mass, principal moments not negative and none above the sum of the other two (within 1e-9 of the largest).
    ///
    /// # Errors
    /// The first [`InertiaError`] that applies, in this order.
    pub fn validity(&self) -> Result<(), InertiaError> {
        let Principal { moments, .. } = self.principal()?;
        if self.mass < 0.0 {
            return Err(InertiaError::NegativeMass { mass: self.mass });
        }
        if self.mass <= 0.0 && moments.iter().any(|m| m.abs() > 0.0) {
            return Err(InertiaError::MasslessRotational { moments });
        }
        let [a, b, c] = moments;
        let slack = TOLERANCE * a.abs().max(c.abs());
        if a < -slack {
            return Err(InertiaError::NotPositive { moments });
        }
        if a + b < c - slack {
            return Err(InertiaError::TriangleInequality { moments });
        }
        Ok(())
    }

    /// Principal moments and axes about the center of mass.
    ///
    /// # Errors
    /// [`InertiaError::NotFinite`]
    pub fn principal(&self) -> Result<Principal, InertiaError> {
        let rotational = self.rotational.to_array();
        if !(self.mass.is_finite() && self.com.iter().chain(&rotational).all(|x| x.is_finite())) {
            return Err(InertiaError::NotFinite { mass: self.mass, com: self.com.into(), rotational });
        }
        let (moments, axes) = self.rotational.eigen();
        Ok(Principal { moments, axes })
    }

    /// The solid ellipsoid with this inertia, to draw a body of unknown shape: its pose in the frame, and its semi-axes
    /// along the axes of that pose, m. Of no mass, all zero.
    ///
    /// # Errors
    /// As [`validity`](Self::validity).
    pub fn equivalent_ellipsoid(&self) -> Result<(Transform<f64>, [f64; 3]), InertiaError> {
        self.validity()?;
        let Principal { moments, axes } = self.principal()?;
        let half_sum = moments.iter().sum::<f64>() * 0.5;
        let mass = super::one_if_zero(self.mass);
        // I_x = m (⟨y²⟩ + ⟨z²⟩) and a² = 5 ⟨x²⟩; rounding may leave a plate's ⟨x²⟩ below zero
        let semi_axes = moments.map(|moment| (5.0 * (half_sum - moment).max(0.0) / mass).sqrt());
        Ok((Transform::new(axes, self.com), semi_axes))
    }
}
