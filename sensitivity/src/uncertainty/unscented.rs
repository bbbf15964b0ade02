//! Covariances by sigma points.
//!
//! Source: E. Wan, R. van der Merwe, *The unscented Kalman filter for nonlinear estimation*, AS-SPCC 2000, equations 12
//! to 15.

use super::covariance::{check, root};
use super::error::{expect_finite, expect_size};
use super::expansion::symmetric;
use super::mean::mean;
use super::{Manifold, Moments, UncertaintyError};
use nalgebra::DMatrix;

/// Positions and weights of the points: `λ = α² (n + κ) − n`, points at `± √(n + λ)` times the columns of a root of P,
/// weights `1/(2 (n + λ))`; the middle one weighs `λ/(n + λ)` in the mean and `1 − α² + β` more in the covariance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SigmaPoints {
    /// The spread of the points, positive.
    pub alpha: f64,
    /// Prior knowledge of the distribution: 2 for a normal one.
    pub beta: f64,
    /// A further parameter, `n + κ > 0`.
    pub kappa: f64,
}

impl Default for SigmaPoints {
    /// α = 1, β = 2, κ = 0: no weight is negative, and none is large. (The paper's α = 1e-3 has weights of a million,
    /// which cost six digits.)
    fn default() -> Self {
        Self { alpha: 1.0, beta: 2.0, kappa: 0.0 }
    }
}

/// Mean and covariance of `y = f(x ⊕ δ)`, `δ ~ N(0, P)`, from 2 n + 1 evaluations.
///
/// # Errors
/// Wrong sizes; numbers that are not finite; a covariance with a negative variance; an α or a κ out of range; outputs
/// that have no mean on their manifold.
pub fn unscented(
    inputs: &impl Manifold,
    x: &[f64],
    p: &DMatrix<f64>,
    outputs: &impl Manifold,
    mut f: impl FnMut(&[f64], &mut [f64]),
    sigma: &SigmaPoints,
) -> Result<Moments, UncertaintyError> {
    let (n, coordinates) = (inputs.directions(), outputs.coordinates());
    expect_size("the point", x.len(), inputs.coordinates())?;
    expect_finite("the point", x)?;
    check(p, n)?;
    let (spread, weight) = sigma.spread(n)?;
    let root = root(p)? * spread;

    let mut points = vec![f64::NAN; (2 * n + 1) * coordinates];
    let (mut step, mut moved) = (vec![0.0; n], x.to_vec());
    for (i, y) in points.chunks_exact_mut(coordinates.max(1)).enumerate() {
        if i > 0 {
            let sign = if i <= n { 1.0 } else { -1.0 };
            step.iter_mut().zip(root.column((i - 1) % n).iter()).for_each(|(step, root)| *step = sign * root);
            inputs.integrate(x, &step, &mut moved);
        }
        f(&moved, y);
        expect_finite("an output", y)?;
    }
    let middle = 1.0 - 2.0 * n as f64 * weight;
    let start = points[..coordinates].to_vec();
    let (mean, apart) = mean(outputs, &points, |i| if i == 0 { middle } else { weight }, &start)?;
    let apart = DMatrix::from_column_slice(outputs.directions(), 2 * n + 1, &apart);
    let mut weighted = apart.clone();
    for (i, mut column) in weighted.column_iter_mut().enumerate() {
        column *= if i == 0 { middle + 1.0 - sigma.alpha * sigma.alpha + sigma.beta } else { weight };
    }
    Ok(Moments { mean, covariance: symmetric(&(weighted * apart.transpose())) })
}

impl SigmaPoints {
    /// `√(n + λ)` and `1/(2 (n + λ))`.
    fn spread(&self, n: usize) -> Result<(f64, f64), UncertaintyError> {
        let number = |what, value, rule| Err(UncertaintyError::Number { what, value, rule });
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            return number("alpha", self.alpha, "it must be positive and finite");
        }
        if !self.beta.is_finite() {
            return number("beta", self.beta, "it must be finite");
        }
        let square = self.alpha * self.alpha * (n as f64 + self.kappa);
        if n > 0 && !(square.is_normal() && square > 0.0) {
            return number("alpha² (n + kappa)", square, "it must be positive and finite");
        }
        Ok(if n == 0 { (0.0, 0.0) } else { (square.sqrt(), 0.5 / square) })
    }
}
