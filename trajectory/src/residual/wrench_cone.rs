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

use super::center_of_pressure::{center_rows, check_lengths};
use super::sole::{Sole, residual_of_sole};
use super::{Depends, Jacobian, PhaseInfo, Quantity, QuantityPoint, Residual, ResidualPoint};
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
}

residual_of_sole!(WrenchCone, rows ROWS, |this, phase| {
    let (x, y, mu) = (this.half_length_x, this.half_length_y, this.friction);
    check_lengths(phase, x, y)?;
    if !(mu.is_finite() && mu > 0.0) {
        let (place, what) = (phase.place.clone(), "the coefficient of friction");
        return Err(ProblemError::Number { place, what, value: mu, rule: "it must be finite and positive" });
    }
    let mu = if this.inside { mu * FRAC_1_SQRT_2 } else { mu };
    this.sole.bind(phase, cone_rows(x, y, mu))
});

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
