//! Elementary effects: screening of parameters with few samples.
//!
//! ```text
//! d = (f(u + Δ e_i) − f(u)) / Δ                     on each path, once for each parameter
//! μ = mean of d    μ* = mean of |d|    σ = standard deviation of d
//! ```
//!
//! Sources: M. Morris, Technometrics 33(2), 1991; μ*: F. Campolongo, J. Cariboni, A. Saltelli, *An effective screening
//! design for sensitivity analysis of large models*, Environ. Model. Softw. 22(10), 2007.

use super::failed::{Centered, Finite};
use super::{GlobalError, NONE, Warning, drop_rounding};
use crate::statistics::{Columns, Interval, Resampling, deviations, multiplier, sum};
use serde::{Deserialize, Serialize};

/// The effect of each parameter on each output, per unit of its coordinate: `outputs` lists of k, one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// The number of parameters, k.
    pub parameters: usize,
    /// μ: effects of opposite signs cancel.
    pub mean: Vec<Interval>,
    /// μ*: how much the parameter matters.
    pub magnitude: Vec<Interval>,
    /// σ, with n − 1: its nonlinearity, or interaction with the others.
    pub deviation: Vec<Interval>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

impl Effects {
    /// Sets the effects on outputs to NaN if none of them exceeds a hundred times the output's
    /// [rounding](crate::local::rounding()), with [`Warning::Rounding`].
    #[must_use]
    pub fn above_rounding(mut self, rounding: &[f64]) -> Self {
        let k = self.parameters;
        let largest = |of: &[Interval]| of.iter().fold(0.0, |largest: f64, x| largest.max(x.value));
        let scatter: Vec<f64> = self.magnitude.chunks_exact(k.max(1)).map(largest).collect();
        let of = [&mut self.mean, &mut self.magnitude, &mut self.deviation];
        drop_rounding(&scatter, rounding, k, of, &mut self.warnings);
        self
    }
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The parameter that moves.
    pub(super) parameter: usize,
    /// Its change.
    pub(super) length: f64,
}

/// Elementary effects of any samples: path after path of `k + 1` samples. `units`: the samples in the coordinates whose
/// units the effects are per, k numbers each; `values`: `outputs` numbers for each sample.
///
/// # Errors
/// Lists of wrong lengths; a path whose steps do not move every parameter once; more than 1 % of samples whose outputs
/// are not finite; fewer than two effects of a parameter.
pub fn morris_effects(
    units: &[f64],
    parameters: usize,
    values: &[f64],
    outputs: usize,
    resampling: &Resampling,
) -> Result<Effects, GlobalError> {
    let k = parameters;
    if k == 0 {
        return Err(GlobalError::Count { what: "the number of parameters", value: 0, rule: "there must be one" });
    }
    let unit = k.saturating_mul(k.saturating_add(1));
    if !units.len().is_multiple_of(unit) {
        return Err(GlobalError::Multiple { what: "the list of samples", unit, found: units.len() });
    }
    let mut steps = Vec::with_capacity(units.len() / (k + 1));
    for (path, samples) in units.chunks_exact(unit).enumerate() {
        let mut seen = vec![false; k];
        for (step, pair) in samples.windows(2 * k).step_by(k).enumerate() {
            let length = |parameter: usize| pair[k + parameter] - pair[parameter];
            let moved: Vec<usize> = (0..k).filter(|parameter| length(*parameter) != 0.0).collect();
            match moved[..] {
                [parameter] if !seen[parameter] && length(parameter).is_finite() => {
                    seen[parameter] = true;
                    steps.push(Step { parameter, length: length(parameter) });
                }
                _ => return Err(GlobalError::Path { path, step, moved: moved.len() }),
            }
        }
    }
    effects_of_steps(&steps, k, values, outputs, resampling)
}

/// `steps`: k for each path.
pub(super) fn effects_of_steps(
    steps: &[Step],
    k: usize,
    values: &[f64],
    outputs: usize,
    resampling: &Resampling,
) -> Result<Effects, GlobalError> {
    super::error::check_resampling(resampling)?;
    let finite = Finite::of(values, outputs)?;
    let paths = steps.len() / k;
    GlobalError::length("the list of outputs, by samples,", finite.flags.len(), paths * (k + 1))?;
    let mut effects = Effects { parameters: k, mean: vec![], magnitude: vec![], deviation: vec![], warnings: vec![] };
    if finite.failed > 0 {
        effects.warnings.push(Warning::KeptOut { count: finite.failed, total: finite.flags.len() });
    }
    for output in 0..outputs {
        let f = Centered::of(values, outputs, output, &finite);
        if f.constant {
            effects.warnings.push(Warning::Constant { output });
        } else if f.dominated {
            effects.warnings.push(Warning::Dominated { output });
            [&mut effects.mean, &mut effects.magnitude, &mut effects.deviation]
                .into_iter()
                .for_each(|of| of.extend(vec![NONE; k]));
            continue;
        }
        let table = Table::new(steps, k, &f.values, &finite)?;
        let found = table.estimates(&table.columns.sums());
        let half_widths = if resampling.times == 0 {
            vec![None; found.len()]
        } else {
            let again = table.columns.resampled(resampling);
            let again: Vec<_> = again.iter().map(|sums| table.estimates(sums)).collect();
            deviations(&again).iter().map(|d| Some(f.scale * multiplier(resampling.level) * d)).collect()
        };
        let found = found.iter().zip(half_widths);
        let mut found = found.map(|(value, half_width)| Interval { value: f.scale * value, half_width });
        effects.mean.extend(found.by_ref().take(k));
        effects.magnitude.extend(found.by_ref().take(k));
        effects.deviation.extend(found);
    }
    Ok(effects)
}

/// The effects of one output, one row per path.
struct Table {
    columns: Columns,
    /// The mean of each parameter's effects, which was subtracted so that squares do not cancel.
    center: Vec<f64>,
}

/// Columns of a parameter: `d − center`, its square, `|d|`, and one if there is an effect.
const EACH: usize = 4;

impl Table {
    fn new(steps: &[Step], k: usize, f: &[f64], finite: &Finite) -> Result<Self, GlobalError> {
        let paths = steps.len() / k;
        // By parameters: the effect on each path, if both of its samples are finite.
        let mut effects = vec![None; paths * k];
        for path in 0..paths {
            for step in 0..k {
                let (Step { parameter, length }, at) = (steps[path * k + step], path * (k + 1) + step);
                if finite.flags[at] && finite.flags[at + 1] {
                    effects[parameter * paths + path] = Some((f[at + 1] - f[at]) / length);
                }
            }
        }
        let (mut columns, mut center) = (Columns::new(paths), Vec::with_capacity(k));
        for effects in effects.chunks_exact(paths.max(1)) {
            let known: Vec<f64> = effects.iter().flatten().copied().collect();
            if known.len() < 2 {
                return Err(GlobalError::Few { what: "an elementary effect", found: known.len(), least: 2 });
            }
            let mean = sum(&known) / known.len() as f64;
            let column = |entry: fn(f64, f64) -> f64| effects.iter().map(move |d| d.map_or(0.0, |d| entry(d, mean)));
            columns.push(column(|d, mean| d - mean));
            columns.push(column(|d, mean| (d - mean) * (d - mean)));
            columns.push(column(|d, _| d.abs()));
            columns.push(column(|_, _| 1.0));
            center.push(mean);
        }
        Ok(Self { columns, center })
    }

    /// μ, μ*, σ of all parameters; not finite if the drawn paths have too few effects.
    fn estimates(&self, sums: &[f64]) -> Vec<f64> {
        let of = |parameter: usize| -> [f64; EACH] { std::array::from_fn(|i| sums[EACH * parameter + i]) };
        let k = self.center.len();
        let mean = (0..k).map(|p| self.center[p] + of(p)[0] / of(p)[3]);
        let magnitude = (0..k).map(|p| of(p)[2] / of(p)[3]);
        let deviation = (0..k).map(|p| {
            let [d, square, _, n] = of(p);
            ((square - d * d / n).max(0.0) / (n - 1.0)).sqrt()
        });
        mean.chain(magnitude).chain(deviation).collect()
    }
}
