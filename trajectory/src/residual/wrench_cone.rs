//! The wrench of a contact relative to what friction under a rectangular sole can provide.
//!
//! With X, Y half the lengths of the sole, μ the coefficient of a linearized friction cone, force `f` and moment `τ`
//! about its middle in its axes, z along the normal, there are forces at its corners that sum to the wrench if and only
//! if
//!
//! ```text
//! |f_x| ≤ μ f_z ,  |f_y| ≤ μ f_z ,  f_z ≥ 0 ,  |τ_x| ≤ Y f_z ,  |τ_y| ≤ X f_z ,  τ_min ≤ τ_z ≤ τ_max
//! τ_min = −μ (X + Y) f_z + |Y f_x − μ τ_x| + |X f_y − μ τ_y|
//! τ_max = +μ (X + Y) f_z − |Y f_x + μ τ_x| − |X f_y + μ τ_y|
//! ```
//!
//! Source: S. Caron, Q.-C. Pham and Y. Nakamura, *Stability of surface contacts for humanoid robots: closed-form
//! formulae of the contact wrench cone for rectangular support areas*, ICRA 2015, propositions 2 and 3.

use super::axes::Axes;
use super::center_of_pressure::{center_rows, check_lengths};
use super::own::second_opinion;
use super::sole::Sole;
use super::{Depends, Jacobian, PhaseInfo, Quantity, Residual, Snapshot, View};
use crate::fault::{ProblemError, Reason};
use crate::loss::Loss;
use gradyn::dynamics::FrameRef;
use gradyn::model::InputError;
use gradyn::{Model, Scalar};
use nalgebra::{DMatrix, Matrix3};
use std::f64::consts::FRAC_1_SQRT_2;

/// `r = W (f, τ)`, 17, not negative where friction can make the wrench: 4 rows of friction, N, the normal force, N, 4
/// of the [center of pressure](super::CenterOfPressure), N m, 8 of the moment about the normal, N m.
///
/// Of contacts with six rows whose point is the middle of the sole. With [`barrier`](Self::barrier) as its loss it
/// costs only outside.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelContactWrenchCone")]
pub struct WrenchCone {
    sole: Sole,
    half_length_x: f64,
    half_length_y: f64,
    friction: f64,
    inside: bool,
}

const ROWS: usize = 17;

impl WrenchCone {
    /// Of a contact of the phase, by name. `axes`: rotation from the sole's axes to those of the world, z along the
    /// normal, away from the ground; constant, unless the sole is [`following`](Self::following) a frame. **Half** of
    /// the sole's length along its x and half of that along its y, m; the coefficient of friction μ.
    #[must_use]
    pub fn new(contact: &str, axes: Matrix3<f64>, half_length_x: f64, half_length_y: f64, friction: f64) -> Self {
        Self { sole: Sole::new(contact, axes), half_length_x, half_length_y, friction, inside: false }
    }
    /// With the four facets of friction inside of the cone: `μ cos(π/4)` for μ, so that what they allow is never too
    /// much.
    #[must_use]
    pub fn inside(mut self) -> Self {
        self.inside = true;
        self
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

impl Quantity for WrenchCone {
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

impl Residual for WrenchCone {
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
        let (x, y, mu) = (self.half_length_x, self.half_length_y, self.friction);
        check_lengths(phase, x, y)?;
        if !(mu.is_finite() && mu > 0.0) {
            let (place, what) = (phase.place.clone(), "the coefficient of friction");
            return Err(ProblemError::Number { place, what, value: mu, rule: "it must be finite and positive" });
        }
        let mu = if self.inside { mu * FRAC_1_SQRT_2 } else { mu };
        self.sole.bind(phase, cone_rows(x, y, mu))
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

/// W, 17 × 6.
fn cone_rows(x: f64, y: f64, mu: f64) -> DMatrix<f64> {
    let mut w = DMatrix::zeros(ROWS, 6);
    for (row, (axis, sign)) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)].into_iter().enumerate() {
        (w[(row, axis)], w[(row, 2)]) = (sign, mu);
    }
    w[(4, 2)] = 1.0;
    w.rows_mut(5, 4).copy_from(&center_rows(x, y));
    // τ_z − τ_min with both signs of each magnitude, then τ_max − τ_z.
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let (normal, wide) = (mu * (x + y), [1.0, -1.0]);
    for (side, turn) in wide.into_iter().enumerate() {
        for (k, (s, t)) in signs.into_iter().enumerate() {
            let row = [s * y, t * x, normal, -turn * s * mu, -turn * t * mu, turn];
            row.into_iter().enumerate().for_each(|(i, entry)| w[(9 + 4 * side + k, i)] = entry);
        }
    }
    w
}
