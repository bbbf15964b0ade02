//! How a fit is made.

use super::error::{expect_finite, expect_positive, expect_size};
use super::{EstimateError, Loss};
use nalgebra::{DMatrix, SymmetricEigen};

/// What is known of the parameters before: `½ (p ⊖ at)ᵀ information (p ⊖ at)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// A point of the manifold.
    pub at: Vec<f64>,
    /// The inverse of a covariance in the tangent space there; zero along what is not known. k × k, symmetric.
    pub information: DMatrix<f64>,
}

/// How large the noise of the residuals is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Estimated from what is left of the residuals. Intervals are Student's.
    #[default]
    Estimated,
    /// One: residuals are in units of their noise. Intervals are normal.
    Unit,
}

/// How a fit is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What a residual costs.
    pub loss: Loss,
    /// What is known before.
    pub pull: Option<Pull>,
    /// How large the noise is.
    pub noise: Noise,
    /// Most iterations.
    pub iterations: usize,
    /// It ends where every column of the Jacobian is at right angles to the residuals up to this cosine.
    pub gradient_tolerance: f64,
    /// It ends where a step moves no parameter by more than this part of its size.
    pub step_tolerance: f64,
    /// It ends where a step promises to reduce the cost by less than this part.
    pub cost_tolerance: f64,
    /// How much the first step is damped, as a part of the squared lengths of the columns.
    pub damping: f64,
    /// Directions along which the Jacobian, its columns scaled to unit length, is below this part of its largest are not identifiable.
    pub rank_tolerance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loss: Loss::Quadratic,
            pull: None,
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

impl Pull {
    /// `S` with `SᵀS = information`, k × k.
    pub(super) fn root(&self, coordinates: usize, directions: usize) -> Result<DMatrix<f64>, EstimateError> {
        let k = directions;
        expect_size("the point of the pull", self.at.len(), coordinates)?;
        expect_finite("the point of the pull", &self.at)?;
        expect_size("the information matrix, by rows,", self.information.nrows(), k)?;
        expect_size("the information matrix, by columns,", self.information.ncols(), k)?;
        expect_finite("the information matrix", self.information.as_slice())?;
        let largest = self.information.amax();
        let skew = (&self.information - self.information.transpose()).amax();
        if skew > 1e-12 * largest {
            let what = "the difference of the information matrix and its transpose";
            return Err(EstimateError::Number { what, value: skew, rule: "the matrix must be symmetric" });
        }
        // Scaled to a unit diagonal, as the units of the parameters may be far apart.
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
