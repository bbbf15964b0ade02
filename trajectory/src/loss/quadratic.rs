//! `½ rᵀ W r`

use crate::fault::{ProblemError, ProblemPlace};
use nalgebra::DMatrix;

pub(super) fn value(r: &[f64]) -> f64 {
    0.5 * r.iter().map(|r| r * r).sum::<f64>()
}

pub(super) fn value_diagonal(w: &[f64], r: &[f64]) -> f64 {
    0.5 * r.iter().zip(w).map(|(r, w)| w * r * r).sum::<f64>()
}

pub(super) fn value_full(w: &DMatrix<f64>, r: &[f64]) -> f64 {
    0.5 * r.iter().enumerate().map(|(i, ri)| ri * row_times(w, i, r)).sum::<f64>()
}

pub(super) fn derivatives(r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
    gradient.copy_from_slice(r);
    diagonal.fill(1.0);
    value(r)
}

pub(super) fn derivatives_diagonal(w: &[f64], r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
    for ((g, r), w) in gradient.iter_mut().zip(r).zip(w) {
        *g = w * r;
    }
    diagonal.copy_from_slice(w);
    value_diagonal(w, r)
}

pub(super) fn derivatives_full(w: &DMatrix<f64>, r: &[f64], gradient: &mut [f64]) -> f64 {
    for (i, g) in gradient.iter_mut().enumerate() {
        *g = row_times(w, i, r);
    }
    value_full(w, r)
}

fn row_times(w: &DMatrix<f64>, i: usize, r: &[f64]) -> f64 {
    r.iter().enumerate().map(|(j, r)| w[(i, j)] * r).sum()
}

/// Square, finite, symmetric, positive semidefinite.
pub(super) fn check_full(place: &ProblemPlace, w: &DMatrix<f64>, rows: usize) -> Result<(), ProblemError> {
    place.check_length("the weight matrix, by rows,", rows, w.nrows())?;
    place.check_length("the weight matrix, by columns,", rows, w.ncols())?;
    let number = |what, value, rule| Err(ProblemError::Number { place: place.clone(), what, value, rule });
    if let Some(x) = w.iter().find(|x| !x.is_finite()) {
        return number("an entry of the weight matrix", *x, "it must be finite");
    }
    let size = w.amax();
    for i in 0..rows {
        for j in 0..i {
            // Entries that were computed may be off by rounding.
            if (w[(i, j)] - w[(j, i)]).abs() > 1e-12 * size {
                return number("an entry of the weight matrix", w[(i, j)], "the matrix must be symmetric");
            }
        }
    }
    // The least eigenvalue of a semidefinite matrix comes out as zero to rounding.
    let least = w.clone().symmetric_eigenvalues().min();
    if least < -1e-12 * size {
        return number("the least eigenvalue of the weight matrix", least, "it must not be negative");
    }
    Ok(())
}
