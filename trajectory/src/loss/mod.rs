//! What a residual costs: `ρ(r)`, with its gradient and its second derivatives.

mod barrier;
mod quadratic;

use crate::fault::ProblemError;
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
        }
    }

    /// `ρ(r)`, `∂ρ/∂r` into `gradient`, and, but for [`Full`](Self::Full), the diagonal of `∂²ρ/∂r²` into `diagonal`, m each.
    pub fn derivatives(&self, r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
        match self {
            Self::Quadratic => quadratic::derivatives(r, gradient, diagonal),
            Self::Diagonal(w) => quadratic::derivatives_diagonal(w, r, gradient, diagonal),
            Self::Full(w) => quadratic::derivatives_full(w, r, gradient),
            Self::QuadraticBarrier { lower, upper } => barrier::derivatives(lower, upper, r, gradient, diagonal),
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

    /// Are there residuals around which it does not change?
    pub(crate) fn is_flat_somewhere(&self) -> bool {
        matches!(self, Self::QuadraticBarrier { .. })
    }

    /// Is it one for residuals of so many numbers?
    pub(crate) fn check(&self, place: &str, rows: usize) -> Result<(), ProblemError> {
        let length = |what, found| {
            let place = place.to_string();
            if found == rows { Ok(()) } else { Err(ProblemError::Length { place, what, expected: rows, found }) }
        };
        match self {
            Self::Quadratic => Ok(()),
            Self::Diagonal(w) => {
                length("the list of weights", w.len())?;
                match w.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                    Some(w) => Err(ProblemError::Number {
                        place: place.to_string(),
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
        }
    }
}
