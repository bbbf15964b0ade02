//! Jointly normal parameters.

use super::PriorError;
use crate::statistics::{dot, normal};
use nalgebra::{DMatrix, DVector};

/// `x ~ N(mean, P)`, with a full covariance `P = L Lᵀ`, n × n, in the units of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Normals {
    names: Vec<String>,
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    factor: DMatrix<f64>,
}

impl Normals {
    /// The distribution with these names, means and covariance. O(n³).
    ///
    /// # Errors
    /// Wrong sizes; a mean or an entry that is not finite; a covariance that is not symmetric to 1e-12 of its
    /// deviations, or not positive definite: then the error names the first parameter without remaining variance, given
    /// those before it.
    pub fn new(names: &[impl AsRef<str>], mean: &[f64], covariance: &DMatrix<f64>) -> Result<Self, PriorError> {
        let n = names.len();
        let size = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(PriorError::Size { what, expected, found }) }
        };
        size("the list of means", mean.len(), n)?;
        size("the covariance, by rows,", covariance.nrows(), n)?;
        size("the covariance, by columns,", covariance.ncols(), n)?;
        if let Some(value) = mean.iter().find(|x| !x.is_finite()) {
            return Err(PriorError::Number { what: "a mean", value: *value, rule: "it must be finite" });
        }
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_string()).collect();
        let factor = cholesky(&names, covariance)?;
        Ok(Self { names, mean: DVector::from_column_slice(mean), covariance: covariance.clone(), factor })
    }

    /// The names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// The means.
    #[must_use]
    pub fn mean(&self) -> &DVector<f64> {
        &self.mean
    }
    /// `P`
    #[must_use]
    pub fn covariance(&self) -> &DMatrix<f64> {
        &self.covariance
    }
    /// `L`, lower triangular.
    #[must_use]
    pub fn factor(&self) -> &DMatrix<f64> {
        &self.factor
    }

    /// `mean + L Φ⁻¹(u)`: the sample of a point `u` of the open unit cube, n numbers.
    ///
    /// # Errors
    /// A point of the wrong length, or with an entry that is not between 0 and 1.
    pub fn sample(&self, u: &[f64]) -> Result<DVector<f64>, PriorError> {
        self.length("the point", u)?;
        if let Some(value) = u.iter().find(|u| !(**u > 0.0 && **u < 1.0)) {
            let rule = "it must be between 0 and 1";
            return Err(PriorError::Number { what: "an entry of the point", value: *value, rule });
        }
        let z = DVector::from_iterator(u.len(), u.iter().map(|u| normal::quantile(*u)));
        Ok(&self.mean + &self.factor * z)
    }

    /// The logarithm of the density at `x`: `−½ |L⁻¹ (x − mean)|² − ½ n ln 2π − ln det L`.
    ///
    /// # Errors
    /// A point of the wrong length.
    pub fn log_density(&self, x: &[f64]) -> Result<f64, PriorError> {
        self.length("the point", x)?;
        let n = x.len();
        let mut z = vec![0.0; n];
        let mut log = 0.0;
        for i in 0..n {
            let known: f64 = (0..i).map(|j| self.factor[(i, j)] * z[j]).sum();
            z[i] = (x[i] - self.mean[i] - known) / self.factor[(i, i)];
            log -= self.factor[(i, i)].ln();
        }
        log -= 0.5 * (dot(&z, &z) + n as f64 * std::f64::consts::TAU.ln());
        Ok(if log.is_nan() { f64::NEG_INFINITY } else { log })
    }

    fn length(&self, what: &'static str, x: &[f64]) -> Result<(), PriorError> {
        let (expected, found) = (self.mean.len(), x.len());
        if found == expected { Ok(()) } else { Err(PriorError::Size { what, expected, found }) }
    }
}

/// `L` with `P = L Lᵀ`, of a square P.
fn cholesky(names: &[String], p: &DMatrix<f64>) -> Result<DMatrix<f64>, PriorError> {
    let n = p.nrows();
    check_symmetric(names, p)?;
    let mut l = DMatrix::zeros(n, n);
    for j in 0..n {
        let left = p[(j, j)] - (0..j).map(|k: usize| l[(j, k)] * l[(j, k)]).sum::<f64>();
        // The rounding of a zero variance: n products of its own size.
        if left <= (4.0 * n as f64 * f64::EPSILON * p[(j, j)]).max(0.0) {
            return Err(PriorError::NotPositive { name: names[j].clone(), entry: j, variance: p[(j, j)], left });
        }
        l[(j, j)] = left.sqrt();
        for i in j + 1..n {
            let known: f64 = (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum();
            l[(i, j)] = (p[(i, j)] - known) / l[(j, j)];
        }
    }
    Ok(l)
}

fn check_symmetric(names: &[String], p: &DMatrix<f64>) -> Result<(), PriorError> {
    for j in 0..p.ncols() {
        for i in 0..p.nrows() {
            if !p[(i, j)].is_finite() {
                let (row, column) = (names[i].clone(), names[j].clone());
                return Err(PriorError::NotFinite { row, column, value: p[(i, j)] });
            }
            let scale = p[(i, i)].abs().sqrt() * p[(j, j)].abs().sqrt();
            if i < j && (p[(i, j)] - p[(j, i)]).abs() > 1e-12 * scale {
                let (row, column) = (names[i].clone(), names[j].clone());
                return Err(PriorError::NotSymmetric { row, column, above: p[(i, j)], below: p[(j, i)] });
            }
        }
    }
    Ok(())
}
