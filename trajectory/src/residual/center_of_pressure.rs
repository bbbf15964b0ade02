//! Is the centre of pressure of a contact inside of a sole?
//!
//! With force `f` and moment `τ` about the middle of a rectangle, in its axes, z along the normal, the centre of pressure is at
//! `x = −τ_y/f_z`, `y = τ_x/f_z`. It is inside if `|τ_y| ≤ X f_z` and `|τ_x| ≤ Y f_z`, X and Y half the rectangle's lengths.

use super::force_rows::{ForceRows, wrench_in};
use super::{Depends, Jacobian, PhaseInfo, Residual, View};
use crate::fault::{ProblemError, Reason};
use crate::loss::Loss;
use nalgebra::{DMatrix, Matrix3};

/// `r = (X f_z + τ_y, X f_z − τ_y, Y f_z + τ_x, Y f_z − τ_x)`, 4, N m, not negative where the centre of pressure is inside of the sole.
///
/// Of contacts with six rows whose point is the middle of the sole. With [`barrier`](Self::barrier) as its loss it costs only outside.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelContactCoPPosition")]
pub struct CenterOfPressure {
    force: ForceRows,
    axes: Matrix3<f64>,
    half_length_x: f64,
    half_length_y: f64,
}

const ROWS: usize = 4;

impl CenterOfPressure {
    /// Of a contact of the phase, by name. `axes`: rotation from the sole's axes to those of the world, z along the normal, away from the
    /// ground. **Half** of the sole's length along its x and half of that along its y, m.
    #[must_use]
    pub fn new(contact: &str, axes: Matrix3<f64>, half_length_x: f64, half_length_y: f64) -> Self {
        let force = ForceRows::of(contact);
        Self { force, axes, half_length_x, half_length_y }
    }
    /// The loss that keeps it: the quadratic barrier below zero.
    #[must_use]
    pub fn barrier() -> Loss {
        Loss::QuadraticBarrier { lower: vec![0.0; ROWS], upper: vec![f64::INFINITY; ROWS] }
    }
}

impl Residual for CenterOfPressure {
    fn rows(&self) -> usize {
        ROWS
    }
    fn depends(&self) -> Depends {
        Depends::F
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        self.force.bind_wrench(phase)?;
        let (x, y) = (self.half_length_x, self.half_length_y);
        check_lengths(phase, x, y)?;
        self.force.matrix = center_rows(x, y) * wrench_in(&self.axes);
        Ok(())
    }
    fn value(&self, on: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.force.value(on.f, r);
        Ok(())
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.force.jacobian(out);
        self.value(on, r)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut View<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}

/// Are half-lengths numbers of a sole?
pub(super) fn check_lengths(phase: &PhaseInfo<'_>, x: f64, y: f64) -> Result<(), ProblemError> {
    match [x, y].into_iter().find(|x| !(x.is_finite() && *x >= 0.0)) {
        Some(value) => Err(ProblemError::Number {
            place: format!("phase `{}`", phase.name),
            what: "half the length of a sole",
            value,
            rule: "it must be finite and not negative, m",
        }),
        None => Ok(()),
    }
}

/// Rows of the centre of pressure, by force and moment in axes of the sole: 4 × 6.
#[rustfmt::skip]
pub(super) fn center_rows(x: f64, y: f64) -> DMatrix<f64> {
    DMatrix::from_row_slice(ROWS, 6, &[
        0.0, 0.0, x, 0.0, 1.0, 0.0,
        0.0, 0.0, x, 0.0, -1.0, 0.0,
        0.0, 0.0, y, 1.0, 0.0, 0.0,
        0.0, 0.0, y, -1.0, 0.0, 0.0,
    ])
}
