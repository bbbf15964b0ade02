//! The central difference, with a second one to judge it.

use super::error::{DifferenceError, Outcome};
use super::manifold::Manifold;
use super::method::Estimate;
use super::path::Path;

/// `D(h)`, and the error estimate `|D(2h) − D(h)| / 3 + ε |y| / h + ε |D|`.
///
/// `D(h) = y′ + c h² + O(h⁴)`, so `D(2h) − D(h) = 3 c h² + O(h⁴)`. The last two terms are rounding: of `y`, and of the
/// step.
pub(super) fn central<M, G, O>(path: &mut Path<'_, M, G>, h: f64) -> Result<Estimate, DifferenceError<O::Error>>
where
    M: Manifold,
    G: FnMut(f64, &mut [f64]) -> O,
    O: Outcome,
{
    let m = path.directions();
    let mut estimate = Estimate::zeros(m, 1);
    let mut twice = vec![0.0; m];
    path.quotient(h, &mut estimate.value)?;
    path.quotient(2.0 * h, &mut twice)?;
    for (i, twice) in twice.into_iter().enumerate() {
        let truncation = (twice - estimate.value[i]).abs() / 3.0;
        estimate.error[i] = truncation + path.rounding(i, h) + f64::EPSILON * estimate.value[i].abs();
    }
    Ok(estimate)
}
