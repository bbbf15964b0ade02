//! Colored residuals, and the effective number of independent samples.
//!
//! The residuals of each joint are tested (Ljung and Box 1978). If they are not white, an autoregressive model is
//! fitted (Burg), with its order by Akaike's criterion, and its covariances γ(l) enter those of the estimate:
//!
//! ```text
//! C' = C + (C/s²) (Jᵀ Ω J − s² Jᵀ J) (C/s²)        Ω(t, u) = γ(|t − u|) of each joint        n' = n / (1 + 2 Σ γ(l)/γ(0))
//! ```
//!
//! Sources: G. Ljung, G. Box, *On a measure of lack of fit in time series models*, Biometrika 65(2), 1978; W. den Haan,
//! A. Levin, *A practitioner's guide to robust covariance matrix estimation*, Handbook of Statistics 15, 1997.

use crate::estimate::Estimate;
use crate::statistics::normal_quantile;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// The share of fits, over all joints, in which white residuals are called colored.
const FALSE_ALARMS: f64 = 0.005;
/// Lags of the test, and the highest order of a model.
const LAGS: usize = 12;
/// Covariances are computed up to this lag.
const LONGEST: usize = 400;

/// The color of the residuals of one joint.
#[derive(Clone, Debug)]
pub(super) struct Color {
    pub(super) white: bool,
    /// The correlation at a lag of one sample.
    pub(super) correlation: f64,
    /// The effective number of independent samples.
    pub(super) effective: f64,
    /// γ(l); empty if white.
    covariance: Vec<f64>,
}

impl Color {
    /// The color of one joint of several.
    pub(super) fn of(r: &[f64], segments: &[Range<usize>], joints: usize) -> Self {
        let n = r.len() as f64;
        let at = |lag: usize| -> f64 {
            let of = |range: &Range<usize>| -> f64 {
                let rows = &r[range.clone()];
                rows.iter().zip(rows.iter().skip(lag)).map(|(a, b)| a * b).sum()
            };
            segments.iter().map(of).sum::<f64>() / n
        };
        let variance = at(0);
        let white = Self { white: true, correlation: 0.0, effective: n, covariance: Vec::new() };
        let lags = LAGS.min(r.len() / 5);
        if lags == 0 || variance <= 0.0 {
            return white;
        }
        let rho: Vec<f64> = (1..=lags).map(|lag| at(lag) / variance).collect();
        let q = n * (n + 2.0) * rho.iter().zip(1..).map(|(rho, lag)| rho * rho / (n - f64::from(lag))).sum::<f64>();
        // χ² by Wilson and Hilferty.
        let z = normal_quantile(1.0 - FALSE_ALARMS / joints as f64).unwrap_or(3.3);
        let k = lags as f64;
        let limit = k * (1.0 - 2.0 / (9.0 * k) + z * (2.0 / (9.0 * k)).sqrt()).powi(3);
        if q <= limit {
            return Self { correlation: rho[0], ..white };
        }
        let model = burg(r, segments, lags);
        let covariance = covariances(&model, variance, LONGEST.min(r.len() / 2));
        let sum: f64 = covariance.iter().skip(1).zip(1..).map(|(c, l)| c * (1.0 - f64::from(l) / n)).sum();
        let effective = (n / (1.0 + 2.0 * sum / variance).max(f64::MIN_POSITIVE)).clamp(1.0, n);
        Self { white: false, correlation: rho[0], effective, covariance }
    }
}

/// Coefficients of `x_t + Σ a_k x_{t−k} = e_t`.
fn burg(r: &[f64], segments: &[Range<usize>], most: usize) -> Vec<f64> {
    let n = r.len() as f64;
    let (mut f, mut b) = (r.to_vec(), r.to_vec());
    let mut error = r.iter().map(|r| r * r).sum::<f64>() / n;
    let mut a: Vec<f64> = Vec::new();
    let (mut best, mut least) = (Vec::new(), n * error.ln());
    for order in 1..=most {
        let (mut up, mut down) = (0.0, 0.0);
        for range in segments {
            for t in range.start + order..range.end {
                up += f[t] * b[t - 1];
                down += f[t] * f[t] + b[t - 1] * b[t - 1];
            }
        }
        if down <= 0.0 {
            break;
        }
        let k = -2.0 * up / down;
        for range in segments {
            for t in (range.start + order..range.end).rev() {
                let (forwards, backwards) = (f[t], b[t - 1]);
                (f[t], b[t]) = (forwards + k * backwards, backwards + k * forwards);
            }
        }
        let mirrored: Vec<f64> = a.iter().rev().copied().collect();
        a.iter_mut().zip(&mirrored).for_each(|(a, m)| *a += k * m);
        a.push(k);
        error *= 1.0 - k * k;
        if error <= 0.0 {
            break;
        }
        let criterion = n * error.ln() + 2.0 * order as f64;
        if criterion < least {
            (best, least) = (a.clone(), criterion);
        }
    }
    best
}

/// γ(0), γ(1), … of a model with this variance.
fn covariances(a: &[f64], variance: f64, longest: usize) -> Vec<f64> {
    let mut pulse = vec![1.0_f64];
    for t in 1..4 * longest.max(1) {
        let next: f64 = -a.iter().enumerate().filter(|(k, _)| *k < t).map(|(k, a)| a * pulse[t - k - 1]).sum::<f64>();
        pulse.push(next);
    }
    let at = |lag: usize| -> f64 { pulse.iter().zip(pulse.iter().skip(lag)).map(|(a, b)| a * b).sum() };
    let scale = variance / at(0);
    (0..=longest).map(|lag| scale * at(lag)).collect()
}

/// Corrects the covariance and the degrees of freedom of an estimate for color; `jacobian` and residuals are by sample
/// and joint.
pub(super) fn correct(estimate: &mut Estimate, jacobian: &DMatrix<f64>, segments: &[Range<usize>], colors: &[Color]) {
    let (Some(scale), Some(covariance)) = (estimate.scale, &estimate.covariance) else { return };
    if scale <= 0.0 || colors.iter().all(|color| color.white) {
        return;
    }
    let (nv, k) = (colors.len(), jacobian.ncols());
    let rank = estimate.identifiability.rank as f64 / nv as f64;
    let mut more = DMatrix::zeros(k, k);
    let weighted = |row: usize, column: usize| estimate.weights[row].sqrt() * jacobian[(row, column)];
    for (j, color) in colors.iter().enumerate().filter(|(_, color)| !color.white) {
        let n = segments.iter().map(Range::len).sum::<usize>();
        let of_joint = DMatrix::from_fn(n, k, |t, c| weighted(t * nv + j, c));
        let mut through = DMatrix::zeros(n, k);
        // A fit reduces the variance of the residuals.
        let factor = color.effective / (color.effective - rank).max(0.25 * color.effective);
        let least = 1e-3 * color.covariance[0];
        let longest = color.covariance.iter().rposition(|c| c.abs() > least).unwrap_or(0);
        for c in 0..k {
            let from: DVector<f64> = of_joint.column(c).into_owned();
            for range in segments {
                for t in range.clone() {
                    let first = range.start.max(t.saturating_sub(longest));
                    let last = (t + longest + 1).min(range.end);
                    through[(t, c)] =
                        factor * (first..last).map(|u| color.covariance[t.abs_diff(u)] * from[u]).sum::<f64>();
                }
            }
        }
        through -= scale * scale * &of_joint;
        more += of_joint.tr_mul(&through);
    }
    let bread = covariance / (scale * scale);
    let all = covariance + &bread * more * &bread;
    // The sum is symmetric and positive up to rounding.
    let found = 0.5 * (&all + all.transpose());
    let least = colors.iter().map(|color| color.effective).fold(f64::INFINITY, f64::min);
    estimate.covariance = Some(found);
    estimate.freedom = estimate.freedom.min((least - rank).max(1.0) as usize);
}
