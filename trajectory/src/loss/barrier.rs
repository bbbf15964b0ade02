//! `½ Σ min(r_i − l_i, 0)² + ½ Σ max(r_i − u_i, 0)²`

use crate::fault::{ProblemError, ProblemPlace};

/// What a number lacks to be within its bounds.
fn beyond(lower: f64, upper: f64, r: f64) -> f64 {
    (r - lower).min(0.0) + (r - upper).max(0.0)
}

pub(super) fn value(lower: &[f64], upper: &[f64], r: &[f64]) -> f64 {
    0.5 * r.iter().zip(lower).zip(upper).map(|((r, l), u)| beyond(*l, *u, *r).powi(2)).sum::<f64>()
}

/// The second derivative jumps at the bounds; on them it is 1, as Crocoddyl has it.
pub(super) fn derivatives(lower: &[f64], upper: &[f64], r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
    for (i, r) in r.iter().enumerate() {
        gradient[i] = beyond(lower[i], upper[i], *r);
        diagonal[i] = f64::from(*r <= lower[i] || *r >= upper[i]);
    }
    value(lower, upper, r)
}

pub(super) fn check(place: &ProblemPlace, lower: &[f64], upper: &[f64]) -> Result<(), ProblemError> {
    let wrong = lower.iter().zip(upper).find(|(l, u)| l.is_nan() || u.is_nan() || l > u);
    match wrong {
        Some((l, _)) => Err(ProblemError::Number {
            place: place.clone(),
            what: "a lower bound",
            value: *l,
            rule: "it must not be greater than the upper bound",
        }),
        None => Ok(()),
    }
}
