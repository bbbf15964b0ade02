//! The central difference, with a second one to judge it.

use super::error::DifferenceError;
use super::estimate::Estimate;
use super::path::Path;
use std::fmt::{Debug, Display};

/// `D(h)`, and the error estimate `|D(2h) − D(h)| / 3 + ε |y| / h + ε |D|`.
///
/// `D(h) = y′ + c h² + O(h⁴)`, so `D(2h) − D(h) = 3 c h² + O(h⁴)`. The last two terms are rounding: of `y`, and of the
/// step.
pub(super) fn central<E: Debug + Display>(path: &mut Path<'_, E>, h: f64) -> Result<Estimate, DifferenceError<E>> {
    let m = path.directions();
    let mut estimate = Estimate::zeros(m, 1);
    let mut twice = vec![0.0; m];
    path.quotient(h, &mut estimate.value)?;
    let rounding: Vec<f64> = (0..m).map(|i| path.rounding(i, h, estimate.value[i])).collect();
    path.quotient(2.0 * h, &mut twice)?;
    for (i, twice) in twice.into_iter().enumerate() {
        let truncation = (twice - estimate.value[i]).abs() / 3.0;
        estimate.error[i] = truncation + rounding[i];
    }
    Ok(estimate)
}
