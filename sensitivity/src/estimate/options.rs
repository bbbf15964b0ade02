//! Options of a fit.

use super::error::{expect_finite, expect_positive, expect_size};
use super::{EstimateError, Loss};
use nalgebra::{DMatrix, SymmetricEigen};

/// A quadratic regularizer, the prior knowledge of the parameters: `½ (p ⊖ at)ᵀ information (p ⊖ at)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Regularizer {
    /// A point of the manifold.
    pub at: Vec<f64>,
    /// The inverse of a covariance in the tangent space there; zero along unknown directions. k × k, symmetric.
    pub information: DMatrix<f64>,
}

/// The noise of the residuals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Estimated from the residuals of the fit. Intervals are Student's.
    #[default]
    Estimated,
    /// One: residuals are in units of their noise. Intervals are normal.
    Unit,
}

/// Options of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The loss of a residual.
    pub loss: Loss,
    /// The regularizer.
    pub regularizer: Option<Regularizer>,
    /// The noise.
    pub noise: Noise,
    /// The iteration limit.
    pub iterations: usize,
    /// Converged if every column of the Jacobian is orthogonal to the residuals up to this cosine.
    pub gradient_tolerance: f64,
    /// Converged if a step moves no parameter by more than this share of its size.
    pub step_tolerance: f64,
    /// Converged if the expected decrease of the cost is less than this share of it.
    pub cost_tolerance: f64,
    /// How much the first step is damped, as a part of the squared lengths of the columns.
    pub damping: f64,
    /// Directions along which the Jacobian, with its columns scaled to unit length, is below this share of its largest
    /// are not identifiable.
    pub rank_tolerance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loss: Loss::Quadratic,
            regularizer: None,
            noise: Noise::Estimated,
            iterations: 200,
            gradient_tolerance: 1e-12,
            step_tolerance: 1e-14,
            cost_tolerance: 1e-20,
            damping: 1e-4,
            rank_tolerance: 1e-10,
        }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<(), EstimateError> {
        self.loss.check()?;
        expect_positive("the damping", self.damping)?;
        expect_positive("the tolerance of the rank", self.rank_tolerance)?;
        for (what, value) in [
            ("the tolerance of the gradient", self.gradient_tolerance),
            ("the tolerance of the step", self.step_tolerance),
            ("the tolerance of the cost", self.cost_tolerance),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(EstimateError::Number { what, value, rule: "it must not be negative, and finite" });
            }
        }
        Ok(())
    }
}

impl Regularizer {
    /// `S` with `SᵀS = information`, k × k.
    pub(super) fn root(&self, coordinates: usize, directions: usize) -> Result<DMatrix<f64>, EstimateError> {
        let k = directions;
        expect_size("the point of the regularizer", self.at.len(), coordinates)?;
        expect_finite("the point of the regularizer", &self.at)?;
        expect_size("the information matrix, by rows,", self.information.nrows(), k)?;
        expect_size("the information matrix, by columns,", self.information.ncols(), k)?;
        expect_finite("the information matrix", self.information.as_slice())?;
        let largest = self.information.amax();
        let skew = (&self.information - self.information.transpose()).amax();
        if skew > 1e-12 * largest {
            let what = "the difference of the information matrix and its transpose";
            return Err(EstimateError::Number { what, value: skew, rule: "the matrix must be symmetric" });
        }
        // Scaled to a unit diagonal, because the units of the parameters may differ by orders of magnitude.
        let scale: Vec<f64> =
            self.information.diagonal().iter().map(|x| if *x > 0.0 { x.sqrt() } else { 1.0 }).collect();
        let scaled = DMatrix::from_fn(k, k, |i, j| self.information[(i, j)] / scale[i] / scale[j]);
        let none =
            EstimateError::Number { what: "the information matrix", value: largest, rule: "it has no eigenvalues" };
        let eigen = if k == 0 { None } else { SymmetricEigen::try_new(scaled, f64::EPSILON, 100 * k) };
        let Some(eigen) = eigen else { return if k == 0 { Ok(DMatrix::zeros(0, 0)) } else { Err(none) } };
        let mut root = eigen.eigenvectors.transpose();
        for (i, mut row) in root.row_iter_mut().enumerate() {
            let value = eigen.eigenvalues[i];
            if value < -1e-12 * k as f64 {
                return Err(EstimateError::Negative { entry: row.transpose().iamax(), value });
            }
            row *= value.max(0.0).sqrt();
            row.iter_mut().zip(&scale).for_each(|(x, scale)| *x *= scale);
        }
        Ok(root)
    }
}
