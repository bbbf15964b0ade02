//! Covariances by Taylor series.
//!
//! Source: M. Athans, R. Wishner, A. Bertolini, *Suboptimal state estimation for continuous-time nonlinear systems from
//! discrete noisy measurements*, IEEE Trans. Autom. Control 13(5), 1968 (the filter of second order).

use super::UncertaintyError;
use super::covariance::{check, check_symmetric};
use super::error::{expect_finite, expect_size};
use nalgebra::{DMatrix, DVector};

/// `A P Aᵀ`: exact if the function is linear. A: m × n, outputs by inputs, in tangent coordinates; P: n × n. O(m n (m +
/// n)).
///
/// # Errors
/// Wrong sizes; entries that are not finite; a covariance that is not symmetric or has a negative variance.
pub fn first_order(a: &DMatrix<f64>, p: &DMatrix<f64>) -> Result<DMatrix<f64>, UncertaintyError> {
    check(p, a.ncols())?;
    expect_finite("the Jacobian", a.as_slice())?;
    Ok(symmetric(&(a * p * a.transpose())))
}

/// Mean and covariance to second order.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondOrder {
    /// The mean of the outputs, less `f(x)`, in the tangent space there; m.
    pub shift: DVector<f64>,
    /// The covariance there, m × m.
    pub covariance: DMatrix<f64>,
}

/// With the Hessians `H_i` of the outputs, n × n each:
///
/// ```text
/// shift_i = ½ tr(H_i P)        C_ij = (A P Aᵀ)_ij + ½ tr(H_i P H_j P)
/// ```
///
/// Exact if outputs are quadratic and inputs normal. O(m n³ + m² n²).
///
/// # Errors
/// As [`first_order`]; Hessians that are not symmetric to 1e-9 of their largest entry.
pub fn second_order(
    a: &DMatrix<f64>,
    hessians: &[DMatrix<f64>],
    p: &DMatrix<f64>,
) -> Result<SecondOrder, UncertaintyError> {
    let mut covariance = first_order(a, p)?;
    let n = a.ncols();
    expect_size("the list of Hessians", hessians.len(), a.nrows())?;
    for h in hessians {
        // Hessians by dual numbers or differences carry more rounding than a covariance.
        check_symmetric("a Hessian", h, n, |_, _| 1e3 * h.amax())?;
    }
    let hp: Vec<DMatrix<f64>> = hessians.iter().map(|h| h * p).collect();
    let shift = DVector::from_iterator(hp.len(), hp.iter().map(|hp| 0.5 * hp.trace()));
    for (i, left) in hp.iter().enumerate() {
        for (j, right) in hp.iter().enumerate().skip(i) {
            // tr(X Y) = Σ X_kl Y_lk
            let trace = 0.5 * left.dot(&right.transpose());
            covariance[(i, j)] += trace;
            if i != j {
                covariance[(j, i)] += trace;
            }
        }
    }
    Ok(SecondOrder { shift, covariance })
}

pub(super) fn symmetric(p: &DMatrix<f64>) -> DMatrix<f64> {
    0.5 * (p + p.transpose())
}
