//! The covariance of an estimate.
//!
//! With the quadratic loss `s² (JᵀJ + Λ)⁻¹`, `s² = |r|²/(n − rank)`. With another loss, for n residuals and k
//! parameters,
//!
//! ```text
//! s² = K² [Σ ψ²/(n − k)] / mean(ψ′)² ,   K = 1 + (k/n) var(ψ′)/mean(ψ′)² ,   ψ = ρ′
//! ```
//!
//! Source: P. Huber, *Robust statistics*, 1981, section 7.6.

use super::identifiable::{of_triangle, triangle};
use super::system::Rows;
use super::{Identifiability, Loss, Noise};
use crate::statistics::sum;
use gradyn_derivatives::difference::Manifold;
use nalgebra::DMatrix;

/// The certainty of an estimate.
pub(super) struct Certainty {
    pub(super) scale: Option<f64>,
    pub(super) covariance: Option<DMatrix<f64>>,
    pub(super) identifiability: Identifiability,
    pub(super) loose: Vec<bool>,
}

pub(super) fn certainty<M: Manifold>(
    rows: &Rows<'_, M>,
    p: &[f64],
    r: &[f64],
    j: &DMatrix<f64>,
    noise: Noise,
    tolerance: f64,
) -> Certainty {
    let (data, pull) = (triangle(j.clone()), rows.pull_jacobian(p));
    let k = data.ncols();
    let mut both = DMatrix::zeros(k + pull.nrows(), k);
    both.rows_mut(0, k).copy_from(&data);
    both.rows_mut(k, pull.nrows()).copy_from(&pull);
    let (identifiability, ..) = of_triangle(data, tolerance);
    let (held, factors, lengths) = of_triangle(triangle(both), tolerance);

    let scale = match (noise, rows.loss) {
        (Noise::Unit, Loss::Quadratic) => Some(1.0),
        _ => scale(rows.loss, r, identifiability.rank),
    };
    // D⁻¹ V Σ⁻² Vᵀ D⁻¹ over what data or regularizer determine.
    let covariance = scale.map(|scale| {
        let mut root = factors.v.columns(0, held.rank).into_owned();
        root.row_iter_mut().zip(&lengths).for_each(|(mut row, length)| row /= *length);
        root.column_iter_mut().zip(factors.values.iter()).for_each(|(mut column, value)| column *= scale / value);
        &root * root.transpose()
    });
    let loose = (0..k).map(|parameter| !held.is_told(parameter)).collect();
    Certainty { scale, covariance, identifiability, loose }
}

/// s, if there are residuals beyond the rank.
fn scale(loss: Loss, r: &[f64], rank: usize) -> Option<f64> {
    let (n, k) = (r.len() as f64, rank as f64);
    if r.len() <= rank {
        return None;
    }
    let all = |f: &dyn Fn(f64) -> f64| sum(&r.iter().map(|r| f(*r)).collect::<Vec<f64>>());
    let force = all(&|r| (loss.weight(r) * r).powi(2)) / (n - k);
    let mean = all(&|r| loss.curvature(r)) / n;
    let variance = all(&|r| (loss.curvature(r) - mean).powi(2)) / n;
    let factor = 1.0 + k / n * variance / (mean * mean);
    let scale = factor * force.sqrt() / mean;
    (mean > 0.0 && scale.is_finite()).then_some(scale)
}
