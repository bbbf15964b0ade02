//! The center of pressure of a contact, relative to a rectangular sole.
//!
//! With force `f` and moment `τ` about the middle of the rectangle, in its axes, z along the normal, the center of
//! pressure is at `x = −τ_y/f_z`, `y = τ_x/f_z`. It is inside if `|τ_y| ≤ X f_z` and `|τ_x| ≤ Y f_z`, with X and Y half
//! the rectangle's lengths.

use super::axes::Axes;
use super::own::second_opinion;
use super::sole::Sole;
use super::{Depends, Jacobian, PhaseInfo, Quantity, Residual, Snapshot, View};
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
    /// With an x axis along that of a frame, projected on the ground, at the configuration of each node. Only the
    /// normal, the third column, of the constant axes then counts. There must be an angle between the frame's x axis
    /// and the normal.
    #[must_use]
    pub fn following(mut self, frame: impl Into<FrameRef>) -> Self {
        self.sole.follow(frame.into());
        self
    }
    /// The loss that keeps it: the quadratic barrier below zero.
    #[must_use]
    pub fn barrier() -> Loss {
        Loss::QuadraticBarrier { lower: vec![0.0; ROWS], upper: vec![f64::INFINITY; ROWS] }
    }
}

impl Quantity for CenterOfPressure {
    fn rows(&self, _model: &Model) -> usize {
        ROWS
    }
    fn depends(&self) -> Depends {
        self.sole.depends()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut Snapshot<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        self.sole.evaluate(on, r)
    }
}

impl Residual for CenterOfPressure {
    fn rows(&self) -> usize {
        ROWS
    }
    fn depends(&self) -> Depends {
        self.sole.depends()
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let (x, y) = (self.half_length_x, self.half_length_y);
        check_lengths(phase, x, y)?;
        self.sole.bind(phase, center_rows(x, y))
    }
    fn value(&self, on: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.sole.value(self, on, r)
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.sole.jacobian(self, on, r, out)
    }
    fn is_linear(&self) -> bool {
        self.sole.is_linear()
    }
    second_opinion!(Axes);
    fn add_hessian(&self, on: &mut View<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        self.sole.add_hessian(on, lambda, out)
    }
}

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
