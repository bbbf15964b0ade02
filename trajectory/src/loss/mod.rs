//! The cost of a residual: `ρ(r)`, with its gradient and its second derivatives.

mod barrier;
mod huber;
mod log_barrier;
mod quadratic;
mod smooth_l1;

use crate::fault::{ProblemError, ProblemPlace};
use crate::residual::Weights;
use nalgebra::DMatrix;

/// A loss `ρ(r)` of a residual of m numbers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// `½ rᵀ r`
    #[default]
    #[doc(alias = "ActivationModelQuad")]
    Quadratic,
    /// `½ Σ w_i r_i²`, one weight an entry.
    #[doc(alias = "ActivationModelWeightedQuad")]
    Diagonal(Vec<f64>),
    /// `½ rᵀ W r`, W symmetric and positive semidefinite.
    Full(DMatrix<f64>),
    /// `½ Σ min(r_i − l_i, 0)² + ½ Σ max(r_i − u_i, 0)²`: nothing between the bounds, which may be infinite.
    #[doc(alias = "ActivationModelQuadraticBarrier")]
    QuadraticBarrier {
        /// Least values, m.
        lower: Vec<f64>,
        /// Greatest values, m.
        upper: Vec<f64>,
    },
    /// `Σ ½ r_i²` up to a width w, `Σ w (|r_i| − w/2)` beyond: outliers pull with a force that no longer grows. The
    /// second derivative is 1 within, 0 beyond.
    Huber {
        /// Where it stops to be quadratic, in units of the residual.
        width: f64,
    },
    /// `Σ (√(r_i² + w²) − w)`: the sum of magnitudes without their kink; within the width w about `r²/(2 w)`. Times w
    /// it is the pseudo-Huber loss. The second derivative is `w²/(r_i² + w²)^(3/2)`.
    #[doc(alias("ActivationModelSmooth1Norm", "pseudo-Huber"))]
    SmoothL1 {
        /// Where it bends, in units of the residual.
        width: f64,
    },
    /// `−Σ ln((r_i − l_i)/w) − Σ ln((u_i − r_i)/w)`, one term for each finite bound, relaxed: where less than the width
    /// w is left of the way to a bound it goes on as the parabola that meets it with the same slope and curvature, so
    /// that it is finite everywhere.
    ///
    /// With `z` the way that is left in units of w: `½ ((z − 2)² − 1)` for `z < 1`. Zero at `z = 1`. Source: C. Feller
    /// and C. Ebenbauer, *Relaxed logarithmic barrier function based model predictive control of linear systems*, 2017.
    LogBarrier {
        /// Least values, m.
        lower: Vec<f64>,
        /// Greatest values, m.
        upper: Vec<f64>,
        /// Where it stops to be a logarithm, in units of the residual.
        width: f64,
    },
}

impl Loss {
    /// `ρ(r)`
    #[must_use]
    pub fn value(&self, r: &[f64]) -> f64 {
        match self {
            Self::Quadratic => quadratic::value(r),
            Self::Diagonal(w) => quadratic::value_diagonal(w, r),
            Self::Full(w) => quadratic::value_full(w, r),
            Self::QuadraticBarrier { lower, upper } => barrier::value(lower, upper, r),
            Self::Huber { width } => huber::value(*width, r),
            Self::SmoothL1 { width } => smooth_l1::value(*width, r),
            Self::LogBarrier { lower, upper, width } => log_barrier::value(lower, upper, *width, r),
        }
    }

    /// `ρ(r)`, `∂ρ/∂r` into `gradient`, and, but for [`Full`](Self::Full), the diagonal of `∂²ρ/∂r²` into `diagonal`, m
    /// each.
    pub fn derivatives(&self, r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
        match self {
            Self::Quadratic => quadratic::derivatives(r, gradient, diagonal),
            Self::Diagonal(w) => quadratic::derivatives_diagonal(w, r, gradient, diagonal),
            Self::Full(w) => quadratic::derivatives_full(w, r, gradient),
            Self::QuadraticBarrier { lower, upper } => barrier::derivatives(lower, upper, r, gradient, diagonal),
            Self::Huber { width } => huber::derivatives(*width, r, gradient, diagonal),
            Self::SmoothL1 { width } => smooth_l1::derivatives(*width, r, gradient, diagonal),
            Self::LogBarrier { lower, upper, width } => {
                log_barrier::derivatives((lower, upper), *width, r, gradient, diagonal)
            }
        }
    }

    /// `∂²ρ/∂r²`, from the diagonal that [`derivatives`](Self::derivatives) has written.
    #[must_use]
    pub fn weights<'a>(&'a self, diagonal: &'a [f64]) -> Weights<'a> {
        match self {
            Self::Full(w) => Weights::Full(w),
            _ => Weights::Diagonal(diagonal),
        }
    }

    /// Whether there are residuals around which it is constant.
    pub(crate) fn is_flat_somewhere(&self) -> bool {
        matches!(self, Self::QuadraticBarrier { .. })
    }

    /// Checks that it is a loss for residuals of so many numbers.
    pub(crate) fn check(&self, place: &ProblemPlace, rows: usize) -> Result<(), ProblemError> {
        let length = |what, found| place.check_length(what, rows, found);
        match self {
            Self::Quadratic => Ok(()),
            Self::Diagonal(w) => {
                length("the list of weights", w.len())?;
                match w.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                    Some(w) => Err(ProblemError::Number {
                        place: place.clone(),
                        what: "a weight",
                        value: *w,
                        rule: "weights are finite and not negative",
                    }),
                    None => Ok(()),
                }
            }
            Self::Full(w) => quadratic::check_full(place, w, rows),
            Self::QuadraticBarrier { lower, upper } => {
                length("the list of lower bounds", lower.len())?;
                length("the list of upper bounds", upper.len())?;
                barrier::check(place, lower, upper)
            }
            Self::Huber { width } | Self::SmoothL1 { width } => check_width(place, *width),
            Self::LogBarrier { lower, upper, width } => {
                length("the list of lower bounds", lower.len())?;
                length("the list of upper bounds", upper.len())?;
                barrier::check(place, lower, upper)?;
                check_width(place, *width)
            }
        }
    }
}

fn check_width(place: &ProblemPlace, width: f64) -> Result<(), ProblemError> {
    if width.is_finite() && width > 0.0 {
        return Ok(());
    }
    let (place, what) = (place.clone(), "the width of a loss");
    Err(ProblemError::Number { place, what, value: width, rule: "it must be finite and positive" })
}
