//! A sample under another distribution, without new evaluations.
//!
//! ```text
//! w_i = q(x_i)/p(x_i) ,   E_q[y] ≈ Σ w_i y_i / Σ w_i ,   n_eff = (Σ w_i)² / Σ w_i²
//! ```
//!
//! Sources: A. Owen, *Monte Carlo theory, methods and examples*, 2013, chapter 9 (self-normalized importance sampling
//! and its error); n_eff: L. Kish, *Survey sampling*, 1965.

use super::error::check_priors;
use super::failed::Finite;
use super::{GlobalError, Warning};
use crate::prior::Prior;
use crate::statistics::{Interval, dot, multiplier, sum};
use serde::{Deserialize, Serialize};

/// The least effective share of a sample.
const LEAST: f64 = 0.1;

/// Outputs under another distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reweighted {
    /// The effective number of samples, drawn from the other distribution.
    pub effective: f64,
    /// The weight of each sample, zero where its outputs are not finite; their sum is one.
    pub weights: Vec<f64>,
    /// The mean of each output.
    pub mean: Vec<Interval>,
    /// The variance of each output.
    pub variance: Vec<Interval>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// Means and variances that outputs would have under the distributions `to`, from samples drawn from `from`, with
/// intervals at `level`.
///
/// `x`: k numbers for each sample; `values`: `outputs` numbers for each. O(samples · (k + outputs)).
///
/// # Errors
/// Invalid distributions; lists of wrong lengths; a sample outside the support of its own distribution; a range of `to`
/// beyond that of `from`; more than 1 % of samples whose outputs are not finite; an effective number of samples below
/// 10 %.
pub fn reweight(
    x: &[f64],
    values: &[f64],
    outputs: usize,
    from: &[Prior],
    to: &[Prior],
    level: f64,
) -> Result<Reweighted, GlobalError> {
    check_priors(from)?;
    check_priors(to)?;
    let k = from.len();
    GlobalError::length("the list of other distributions", to.len(), k)?;
    if !(level > 0.0 && level < 1.0) {
        return Err(GlobalError::Number { what: "the level", value: level, rule: "it must be between 0 and 1" });
    }
    let finite = Finite::of(values, outputs)?;
    let samples = finite.flags.len();
    GlobalError::length("the list of samples", x.len(), samples * k)?;
    check_support(from, to)?;

    let log = x
        .chunks_exact(k)
        .zip(&finite.flags)
        .map(|(x, finite)| if *finite { log_weight(x, from, to) } else { Ok(f64::NEG_INFINITY) });
    let log: Vec<f64> = log.collect::<Result<_, _>>()?;
    let largest = log.iter().fold(f64::NEG_INFINITY, |largest, log| largest.max(*log));
    if largest.is_infinite() {
        return Err(GlobalError::Weights { effective: 0.0, samples });
    }
    let mut weights: Vec<f64> = log.iter().map(|log| (log - largest).exp()).collect();
    let all = sum(&weights);
    weights.iter_mut().for_each(|w| *w /= all);
    let effective = 1.0 / dot(&weights, &weights);
    if effective < LEAST * samples as f64 {
        return Err(GlobalError::Weights { effective, samples });
    }

    let mut found = Reweighted { effective, weights, mean: vec![], variance: vec![], warnings: vec![] };
    if finite.failed > 0 {
        found.warnings.push(Warning::KeptOut { count: finite.failed, total: samples });
    }
    for output in 0..outputs {
        let y = values.iter().skip(output).step_by(outputs).zip(&finite.flags);
        let y: Vec<f64> = y.map(|(y, finite)| if *finite { *y } else { 0.0 }).collect();
        let mean = dot(&found.weights, &y);
        let squares: Vec<f64> = y.iter().map(|y| (y - mean) * (y - mean)).collect();
        let variance = dot(&found.weights, &squares);
        let apart: Vec<f64> = squares.iter().map(|square| square - variance).collect();
        let interval = |value, apart: &[f64]| {
            let parts: Vec<f64> = found.weights.iter().zip(apart).map(|(w, apart)| w * apart).collect();
            Interval { value, half_width: Some(multiplier(level) * dot(&parts, &parts).sqrt()) }
        };
        let distances: Vec<f64> = y.iter().map(|y| y - mean).collect();
        let (mean, variance) = (interval(mean, &distances), interval(variance, &apart));
        found.mean.push(mean);
        found.variance.push(variance);
    }
    Ok(found)
}

/// `ln q(x)/p(x)`
fn log_weight(x: &[f64], from: &[Prior], to: &[Prior]) -> Result<f64, GlobalError> {
    let mut log = 0.0;
    for ((x, from), to) in x.iter().zip(from).zip(to) {
        if from == to {
            continue;
        }
        let own = from.log_density(*x);
        if !own.is_finite() {
            let rule = "its own distribution cannot be there";
            return Err(GlobalError::Number { what: "an entry of a sample", value: *x, rule });
        }
        log += to.log_density(*x) - own;
    }
    // A fixed value has an infinite density: no finite sample can be reweighted to it.
    Ok(if log == f64::INFINITY { f64::NEG_INFINITY } else { log })
}

fn check_support(from: &[Prior], to: &[Prior]) -> Result<(), GlobalError> {
    for (parameter, (from, to)) in from.iter().zip(to).enumerate() {
        let ((sampled_low, sampled_high), (low, high)) = (from.support(), to.support());
        if low < sampled_low || high > sampled_high {
            return Err(GlobalError::Support { parameter, low, high, sampled_low, sampled_high });
        }
    }
    Ok(())
}
