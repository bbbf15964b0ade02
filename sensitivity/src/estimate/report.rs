//! The result of a fit.

use super::{Identifiability, Noise};
use crate::statistics::{normal_quantile, student_quantile};
use nalgebra::DMatrix;
use std::fmt;

/// Why a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The gradient is zero up to the tolerance.
    Gradient,
    /// A step no longer moves any parameter.
    Step,
    /// The expected decrease of the cost is below the tolerance.
    Cost,
    /// No step decreases the cost, however short: rounding, or a wrong Jacobian.
    NoDecrease,
    /// The limit of iterations.
    Iterations,
}

impl Status {
    /// Whether the fit converged.
    #[must_use]
    pub fn converged(self) -> bool {
        matches!(self, Self::Gradient | Self::Step | Self::Cost)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gradient => "converged: the gradient is zero up to its tolerance",
            Self::Step => "converged: a step no longer moves any parameter",
            Self::Cost => "converged: the expected decrease of the cost is below its tolerance",
            Self::NoDecrease => {
                "stopped: no step decreases the cost, however short; check the Jacobian of the residuals"
            }
            Self::Iterations => "stopped: the limit of iterations is reached",
        })
    }
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The parameters, a point of the manifold.
    pub parameters: Vec<f64>,
    /// `Σ ρ(r) + ½ (p ⊖ p₀)ᵀ Λ (p ⊖ p₀)`
    pub cost: f64,
    /// Why it ended.
    pub status: Status,
    /// Steps taken.
    pub iterations: usize,
    /// The number of evaluations of the residuals.
    pub evaluations: usize,
    /// The residuals there.
    pub residuals: Vec<f64>,
    /// Their weights: 1, or less for outliers.
    pub weights: Vec<f64>,
    /// Residuals less the rank.
    pub freedom: usize,
    /// The source of the noise.
    pub noise: Noise,
    /// s, the estimated standard deviation of a residual; one if it is known and the loss is quadratic. `None` if there
    /// are no residuals beyond the rank.
    pub scale: Option<f64>,
    /// The covariance of the estimate in the tangent space there, k × k: `s² (JᵀJ + Λ)⁻¹`, along identifiable
    /// directions. `None` without a scale.
    pub covariance: Option<DMatrix<f64>>,
    /// The parameters that the data identify without the regularizer.
    pub identifiability: Identifiability,
    /// For each parameter, whether neither data nor regularizer identify it.
    pub(super) loose: Vec<bool>,
}

impl Estimate {
    /// The standard deviation of one parameter: infinite if neither data nor regularizer identify it, `None` without a
    /// covariance or for an invalid index.
    #[must_use]
    pub fn deviation(&self, parameter: usize) -> Option<f64> {
        let loose = *self.loose.get(parameter)?;
        let covariance = self.covariance.as_ref()?;
        Some(if loose { f64::INFINITY } else { covariance[(parameter, parameter)].max(0.0).sqrt() })
    }

    /// Half the width of the interval of one parameter at this level: Student's if the noise is estimated. `None`
    /// without a deviation, or for a level that is not between 0 and 1.
    #[must_use]
    pub fn half_width(&self, parameter: usize, level: f64) -> Option<f64> {
        if !(level > 0.0 && level < 1.0) {
            return None;
        }
        let p = 0.5 + 0.5 * level;
        let deviate = match self.noise {
            Noise::Estimated => student_quantile(p, self.freedom as f64)?,
            Noise::Unit => normal_quantile(p)?,
        };
        Some(deviate * self.deviation(parameter)?)
    }

    /// Pairs of parameters whose absolute correlation is above the threshold, the strongest first. Unidentifiable
    /// parameters are not among them.
    #[must_use]
    pub fn correlated(&self, threshold: f64) -> Vec<(usize, usize, f64)> {
        let Some(covariance) = &self.covariance else { return Vec::new() };
        let told: Vec<usize> =
            (0..self.loose.len()).filter(|i| !self.loose[*i] && covariance[(*i, *i)] > 0.0).collect();
        let mut pairs = Vec::new();
        for (at, i) in told.iter().enumerate() {
            for j in &told[at + 1..] {
                let correlation = covariance[(*i, *j)] / (covariance[(*i, *i)].sqrt() * covariance[(*j, *j)].sqrt());
                if correlation.abs() > threshold {
                    pairs.push((*i, *j, correlation));
                }
            }
        }
        pairs.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        pairs
    }
}
