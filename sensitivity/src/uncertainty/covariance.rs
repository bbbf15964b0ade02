//! The check of a given covariance, and its root.

use super::UncertaintyError;
use super::error::{expect_finite, expect_size};
use nalgebra::{DMatrix, SymmetricEigen};

/// Checks that it is a finite symmetric n × n matrix without negative variances on its diagonal.
pub(super) fn check(p: &DMatrix<f64>, n: usize) -> Result<(), UncertaintyError> {
    check_symmetric("the covariance", p, n, |i, j| p[(i, i)].abs().sqrt() * p[(j, j)].abs().sqrt())?;
    match (0..n).find(|i| p[(*i, *i)] < 0.0) {
        Some(entry) => Err(UncertaintyError::Negative { entry, variance: p[(entry, entry)] }),
        None => Ok(()),
    }
}

/// Checks that it is a finite n × n matrix, symmetric to 1e-12 of the size of an entry by `scale`.
pub(super) fn check_symmetric(
    what: &'static str,
    p: &DMatrix<f64>,
    n: usize,
    scale: impl Fn(usize, usize) -> f64,
) -> Result<(), UncertaintyError> {
    expect_size(what, p.len(), n * n)?;
    expect_size(what, p.nrows(), n)?;
    expect_finite(what, p.as_slice())?;
    for (row, column) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let (above, below) = (p[(row, column)], p[(column, row)]);
        if (above - below).abs() > 1e-12 * scale(row, column) {
            return Err(UncertaintyError::NotSymmetric { what, row, column, above, below });
        }
    }
    Ok(())
}

/// `S` with `S Sᵀ = P`, of a covariance that may be singular: `V √Λ` of its eigenvectors, of P scaled to a unit
/// diagonal.
pub(super) fn root(p: &DMatrix<f64>) -> Result<DMatrix<f64>, UncertaintyError> {
    let n = p.nrows();
    let deviation: Vec<f64> = (0..n).map(|i| if p[(i, i)] > 0.0 { p[(i, i)].sqrt() } else { 1.0 }).collect();
    let scaled = DMatrix::from_fn(n, n, |i, j| 0.5 * (p[(i, j)] + p[(j, i)]) / deviation[i] / deviation[j]);
    // An entry that exceeds its two variances makes it invalid.
    let far = UncertaintyError::Number { what: "a correlation", value: scaled.amax(), rule: "it must be at most 1" };
    if n == 0 {
        return Ok(scaled);
    }
    if scaled.amax() > 1.0 + 1e-12 {
        return Err(far);
    }
    let eigen = SymmetricEigen::try_new(scaled, f64::EPSILON, 100 * n).ok_or(far)?;
    let mut root = eigen.eigenvectors;
    for (mut column, value) in root.column_iter_mut().zip(eigen.eigenvalues.iter()) {
        // The rounding of a zero.
        if *value < -1e-12 * n as f64 {
            return Err(UncertaintyError::Negative { entry: column.iamax(), variance: *value });
        }
        column *= value.max(0.0).sqrt();
        column.iter_mut().zip(&deviation).for_each(|(x, deviation)| *x *= deviation);
    }
    Ok(root)
}
