//! Indices of functions that are linear in their parameters, without samples.

use super::error::check_priors;
use super::{GlobalError, Warning};
use crate::prior::Prior;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The share of each parameter in the variance of each output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The number of parameters, k.
    pub parameters: usize,
    /// The variance of each output.
    pub variance: Vec<f64>,
    /// First order and total at once: for each output, k of them, whose sum is one.
    pub share: Vec<f64>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// Indices of `y = Y p + c` with independent parameters: `S_ij = Y_ij² s_j² / Σ_l Y_il² s_l²`, with the variances s² of
/// any distributions. `y`: one row per output, one column per parameter. Exact; O(outputs · parameters).
///
/// # Errors
/// Invalid distributions; a matrix of the wrong size; an entry that is not finite.
pub fn linear(y: &DMatrix<f64>, priors: &[Prior]) -> Result<Linear, GlobalError> {
    check_priors(priors)?;
    let k = priors.len();
    GlobalError::length("the matrix, by columns,", y.ncols(), k)?;
    if let Some(value) = y.iter().find(|y| !y.is_finite()) {
        let what = "an entry of the matrix";
        return Err(GlobalError::Number { what, value: *value, rule: "it must be finite" });
    }
    let mut found = Linear { parameters: k, variance: vec![], share: vec![], warnings: vec![] };
    for (output, row) in y.row_iter().enumerate() {
        let parts: Vec<f64> = row.iter().zip(priors).map(|(y, prior)| y.abs() * prior.variance().sqrt()).collect();
        // Divided by the largest, so that no square overflows.
        let largest = parts.iter().fold(0.0_f64, |largest, part| largest.max(*part));
        if !largest.is_finite() {
            let what = "the deviation of an output";
            return Err(GlobalError::Number { what, value: largest, rule: "it must be finite" });
        }
        if largest <= 0.0 {
            found.warnings.push(Warning::Constant { output });
        }
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let squares: Vec<f64> = parts.iter().map(|part| (part / unit) * (part / unit)).collect();
        let all: f64 = squares.iter().sum();
        found.variance.push(unit * unit * all);
        found.share.extend(squares.iter().map(|square| if all > 0.0 { square / all } else { 0.0 }));
    }
    Ok(found)
}
