//! Upper bounds of total indices from gradients: one gradient per sample, for any number of parameters.
//!
//! ```text
//! T_j ≤ C_j ν_j / V ,     ν_j = E[(∂f/∂x_j)²]
//! ```
//!
//! C is the constant of Poincaré's inequality `Var g ≤ C E[g′²]` of the parameter's distribution:
//!
//! | distribution | C | derivative |
//! |---|---|---|
//! | normal | `sd²` | by x |
//! | uniform | `(high − low)²/π²` | by x |
//! | lognormal | `log_sd²` | by ln x, `x ∂f/∂x` |
//! | half-normal | `scale²/2` | by x |
//! | fixed | 0 | |
//!
//! A lognormal distribution has no such constant for the derivative by x: the inequality would give it exponential
//! tails. But `ln x` is normal, and its inequality holds for `z ↦ f(exp z)`, whose derivative is `x ∂f/∂x`.
//!
//! The constant of a half-normal distribution is one over the second eigenvalue of `−scale² g″ + x g′` with
//! `g′(0) = 0`, whose solutions are the even polynomials of Hermite: `2/scale²` of the second.
//!
//! Sources: I. Sobol', S. Kucherenko, *Derivative based global sensitivity measures and their link with global
//! sensitivity indices*, Math. Comput. Simul. 79(10), 2009; M. Lamboni, B. Iooss, A.-L. Popelin, F.
//! Gamboa, *Derivative-based global sensitivity measures: general links with Sobol' indices and numerical tests*, Math.
//! Comput. Simul. 87, 2013.

use super::error::{check_priors, check_resampling};
use super::failed::{Centered, Finite};
use super::{GlobalError, NONE, Plan, Points, Run, Sampling, Warning, drop_rounding};
use crate::prior::Prior;
use crate::statistics::{Columns, Interval, Resampling, deviations, multiplier};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Bounds of total indices: for each output, k of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dgsm {
    /// The number of parameters, k.
    pub parameters: usize,
    /// The variance of each output.
    pub variance: Vec<f64>,
    /// ν: the mean of the squared derivative by the parameter, or by its logarithm if it is lognormal.
    pub squares: Vec<Interval>,
    /// `C ν / V`: an upper bound of the total index, up to the error of the sample. NaN if one sample makes the
    /// variance.
    pub bounds: Vec<Interval>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// Bounds from any samples. `x`: k numbers for each sample; `values`: for each sample `outputs` outputs, then the
/// gradient of each output, k numbers.
///
/// # Errors
/// Invalid distributions; lists of wrong lengths; more than 1 % of samples with numbers that are not finite; fewer than
/// two samples.
pub fn dgsm(
    priors: &[Prior],
    x: &[f64],
    values: &[f64],
    outputs: usize,
    resampling: &Resampling,
) -> Result<Dgsm, GlobalError> {
    check_priors(priors)?;
    check_resampling(resampling)?;
    let k = priors.len();
    let each = outputs.saturating_mul(k + 1);
    let finite = Finite::of(values, each)?;
    let samples = finite.flags.len();
    GlobalError::length("the list of samples", x.len(), samples * k)?;
    let left = samples - finite.failed;
    if left < 2 {
        return Err(GlobalError::Few { what: "a bound", found: left, least: 2 });
    }
    let mut found = Dgsm { parameters: k, variance: vec![], squares: vec![], bounds: vec![], warnings: vec![] };
    if finite.failed > 0 {
        found.warnings.push(Warning::KeptOut { count: finite.failed, total: samples });
    }
    for output in 0..outputs {
        let f = Centered::of(values, each, output, &finite);
        if f.constant {
            found.warnings.push(Warning::Constant { output });
        } else if f.dominated {
            found.warnings.push(Warning::Dominated { output });
        }
        // One if the sample counts, the output, its square, the squared derivatives.
        let mut columns = Columns::new(samples);
        columns.push(finite.flags.iter().map(|finite| f64::from(*finite)));
        columns.push(f.values.iter().copied());
        columns.push(f.values.iter().map(|y| y * y));
        for (j, prior) in priors.iter().enumerate() {
            let place = outputs + output * k + j;
            let rows = values.chunks_exact(each).zip(x.chunks_exact(k)).zip(&finite.flags);
            columns.push(rows.map(|((y, x), finite)| match (finite, prior) {
                (false, _) => 0.0,
                (true, Prior::LogNormal { .. }) => (x[j] * y[place] / f.scale).powi(2),
                (true, _) => (y[place] / f.scale).powi(2),
            }));
        }
        let estimates = |sums: &Vec<f64>| -> Vec<f64> {
            let n = sums[0];
            let variance = sums[2] / n - (sums[1] / n).powi(2);
            let squares = sums[3..].iter().map(|sum| sum / n);
            let bounds = squares.clone().zip(priors).map(|(nu, prior)| bound(constant(prior) * nu, variance));
            squares.map(|nu| nu * f.scale * f.scale).chain(bounds).collect()
        };
        let values = estimates(&columns.sums());
        let half_widths = if resampling.times == 0 {
            vec![None; 2 * k]
        } else {
            let again: Vec<Vec<f64>> = columns.resampled(resampling).iter().map(estimates).collect();
            deviations(&again).iter().map(|d| Some(multiplier(resampling.level) * d)).collect()
        };
        let all = values.iter().zip(half_widths).map(|(value, half_width)| Interval { value: *value, half_width });
        let mut all: Vec<Interval> = all.collect();
        if f.dominated {
            all.fill(NONE);
        }
        let sums = columns.sums();
        found.variance.push(f.scale * f.scale * (sums[2] / sums[0] - (sums[1] / sums[0]).powi(2)).max(0.0));
        found.squares.extend(&all[..k]);
        found.bounds.extend(&all[k..]);
    }
    Ok(found)
}

impl Dgsm {
    /// Sets the numbers of outputs that scatter by at most a hundred times their [rounding](crate::local::rounding())
    /// to NaN, with [`Warning::Rounding`].
    #[must_use]
    pub fn above_rounding(mut self, rounding: &[f64]) -> Self {
        let scatter: Vec<f64> = self.variance.iter().map(|variance| variance.sqrt()).collect();
        let of = [&mut self.squares, &mut self.bounds];
        drop_rounding(&scatter, rounding, self.parameters, of, &mut self.warnings);
        self
    }
}

/// The bound of an output: zero if all gradients are zero; infinite if the output does not vary but gradients are
/// nonzero.
fn bound(above: f64, variance: f64) -> f64 {
    match (above > 0.0, variance > 0.0) {
        (false, _) => 0.0,
        (true, true) => above / variance,
        (true, false) => f64::INFINITY,
    }
}

/// Poincaré's constant.
fn constant(prior: &Prior) -> f64 {
    match *prior {
        Prior::Fixed { .. } => 0.0,
        Prior::Normal { sd, .. } => sd * sd,
        Prior::LogNormal { log_sd, .. } => log_sd * log_sd,
        Prior::HalfNormal { scale } => 0.5 * scale * scale,
        Prior::Uniform { low, high } => ((high - low) / PI).powi(2),
    }
}

impl Run<Sampling> {
    /// The samples, k numbers each.
    ///
    /// # Errors
    /// An invalid plan.
    pub fn samples(&self) -> Result<Vec<f64>, GlobalError> {
        let mut x = vec![0.0; self.plan().samples()? * self.plan().parameters()];
        self.plan().points()?.write(0, &mut x);
        Ok(x)
    }

    /// Bounds of total indices. The function gives for each sample its outputs, then the gradient of each output:
    /// `m (1 + k)` numbers.
    ///
    /// # Errors
    /// As [`dgsm`]; a number of outputs that is not a multiple of `1 + k`; an unfinished run.
    pub fn derivative_bounds(&self, resampling: &Resampling) -> Result<Dgsm, GlobalError> {
        let unit = self.plan().priors.len() + 1;
        if !self.outputs().is_multiple_of(unit) {
            let what = "what the function gives for a sample";
            return Err(GlobalError::Multiple { what, unit, found: self.outputs() });
        }
        dgsm(&self.plan().priors, &self.samples()?, self.values()?, self.outputs() / unit, resampling)
    }
}
