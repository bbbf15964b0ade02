//! Loss functions of residuals: `ρ(r)`, for one number at a time.
//!
//! Sources: P. Huber, *Robust estimation of a location parameter*, Ann. Math. Statist. 35(1), 1964; weights: P.
//! Holland, R. Welsch, *Robust regression using iteratively reweighted least-squares*, Commun. Statist. A6(9), 1977.

use super::EstimateError;
use super::error::expect_positive;
use serde::{Deserialize, Serialize};

/// The loss of a residual. All are `½ r²` near zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Loss {
    /// `½ r²`
    #[default]
    Quadratic,
    /// `½ r²` up to a width w, `w (|r| − w/2)` beyond: the influence of outliers is bounded. 1.345 loses 5 % of
    /// efficiency on normal noise.
    Huber {
        /// Where it stops being quadratic, in units of the noise.
        width: f64,
    },
    /// `½ w² ln(1 + (r/w)²)`: the influence of outliers fades. 2.385 loses 5 % of efficiency on normal noise.
    Cauchy {
        /// Where the influence is largest, in units of the noise.
        width: f64,
    },
}

impl Loss {
    pub(super) fn check(&self) -> Result<(), EstimateError> {
        match self {
            Self::Quadratic => Ok(()),
            Self::Huber { width } | Self::Cauchy { width } => expect_positive("the width of the loss", *width),
        }
    }

    /// `ρ(r)`
    #[must_use]
    pub fn value(&self, r: f64) -> f64 {
        match *self {
            Self::Quadratic => 0.5 * r * r,
            Self::Huber { width } => huber(width).value(&[r]),
            Self::Cauchy { width } => 0.5 * width * width * (r / width).powi(2).ln_1p(),
        }
    }

    /// `ρ′(r)/r`: the weight with which least squares has the gradient of the loss; 1 near zero.
    #[must_use]
    pub fn weight(&self, r: f64) -> f64 {
        match *self {
            Self::Quadratic => 1.0,
            Self::Huber { width } if r.abs() <= width => 1.0,
            Self::Huber { width } => slopes(width, r)[0] / r,
            Self::Cauchy { width } => 1.0 / (1.0 + (r / width).powi(2)),
        }
    }

    /// `ρ″(r)`; at its jump, the value from inside.
    #[must_use]
    pub fn curvature(&self, r: f64) -> f64 {
        match *self {
            Self::Quadratic => 1.0,
            Self::Huber { width } => slopes(width, r)[1],
            Self::Cauchy { width } => {
                let square = (r / width).powi(2);
                (1.0 - square) / (1.0 + square) / (1.0 + square)
            }
        }
    }
}

/// That of residuals of trajectories.
fn huber(width: f64) -> gradyn_trajectory::Loss {
    gradyn_trajectory::Loss::Huber { width }
}

/// `ρ′` and `ρ″` of Huber's; not numbers for an invalid width.
fn slopes(width: f64, r: f64) -> [f64; 2] {
    if width.is_nan() || width <= 0.0 {
        return [f64::NAN; 2];
    }
    let [mut slope, mut curvature] = [[0.0], [0.0]];
    huber(width).derivatives(&[r], &mut slope, &mut curvature);
    [slope[0], curvature[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ρ′ = weight · r is the slope of ρ, and ρ″ the slope of ρ′.
    #[test]
    fn weights_and_curvatures_are_the_derivatives() {
        let h = 1e-5;
        for loss in [Loss::Quadratic, Loss::Huber { width: 1.3 }, Loss::Cauchy { width: 0.7 }] {
            for r in [-4.0, -0.9, 0.2, 1.1, 2.5] {
                let slope = (loss.value(r + h) - loss.value(r - h)) / (2.0 * h);
                let force = |r: f64| loss.weight(r) * r;
                // Central differences: h² and ε/h are both 1e-10.
                assert!((slope - force(r)).abs() < 1e-8, "{loss:?} at {r}");
                let slope = (force(r + h) - force(r - h)) / (2.0 * h);
                assert!((slope - loss.curvature(r)).abs() < 1e-8, "{loss:?} at {r}");
            }
        }
    }
}
