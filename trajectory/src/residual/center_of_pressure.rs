//! The center of pressure of a contact, relative to a rectangular sole.
//!
//! With force `f` and moment `τ` about the middle of the rectangle, in its axes, z along the normal, the center of
//! pressure is at `x = −τ_y/f_z`, `y = τ_x/f_z`. It is inside if `|τ_y| ≤ X f_z` and `|τ_x| ≤ Y f_z`, with X and Y half
//! the rectangle's lengths.

use super::sole::{Sole, residual_of_sole};
use super::{Depends, Jacobian, PhaseInfo, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use crate::loss::Loss;
use gradyn::dynamics::FrameRef;
use gradyn::model::InputError;
use gradyn::{Model, Scalar};
use nalgebra::{DMatrix, Matrix3};

/// `r = (X f_z + τ_y, X f_z − τ_y, Y f_z + τ_x, Y f_z − τ_x)`, 4, N m, not negative where the center of pressure is
/// inside of the sole.
///
/// Of contacts with six rows whose point is the middle of the sole. With [`barrier`](Self::barrier) as its loss it
/// costs only outside.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelContactCoPPosition")]
pub struct CenterOfPressure {
    sole: Sole,
    half_length_x: f64,
    half_length_y: f64,
}

const ROWS: usize = 4;

impl CenterOfPressure {
    /// Of a contact of the phase, by name. `axes`: rotation from the sole's axes to those of the world, z along the
    /// normal, away from the ground; constant, unless the sole is [`following`](Self::following) a frame. **Half** of
    /// the sole's length along its x and half of that along its y, m.
    #[must_use]
    pub fn new(contact: &str, axes: Matrix3<f64>, half_length_x: f64, half_length_y: f64) -> Self {
        Self { sole: Sole::new(contact, axes), half_length_x, half_length_y }
    }
}

residual_of_sole!(CenterOfPressure, rows ROWS, |this, phase| {
    let (x, y) = (this.half_length_x, this.half_length_y);
    check_lengths(phase, x, y)?;
    this.sole.bind(phase, center_rows(x, y))
});

/// Checks the half-lengths of a sole.
pub(super) fn check_lengths(phase: &PhaseInfo<'_>, x: f64, y: f64) -> Result<(), ProblemError> {
    match [x, y].into_iter().find(|x| !(x.is_finite() && *x >= 0.0)) {
        Some(value) => Err(ProblemError::Number {
            place: phase.place.clone(),
            what: "half the length of a sole",
            value,
            rule: "it must be finite and not negative, m",
        }),
        None => Ok(()),
    }
}

/// Rows of the center of pressure, by force and moment in axes of the sole: 4 × 6.
#[rustfmt::skip]
pub(super) fn center_rows(x: f64, y: f64) -> DMatrix<f64> {
    DMatrix::from_row_slice(ROWS, 6, &[
        0.0, 0.0, x, 0.0, 1.0, 0.0,
        0.0, 0.0, x, 0.0, -1.0, 0.0,
        0.0, 0.0, y, 1.0, 0.0, 0.0,
        0.0, 0.0, y, -1.0, 0.0, 0.0,
    ])
}
