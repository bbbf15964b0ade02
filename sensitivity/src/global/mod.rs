//! How much of the scatter of outputs comes from which parameter, over all of what parameters can be.
//!
//! A plan says which samples are wanted: [`Saltelli`] for variance-based indices, [`Morris`] for elementary effects, [`Sampling`] for
//! everything else. A [`Run`] evaluates a function at these samples, block by block, over threads; it can be stopped, written, read and
//! continued. Then: [`Run::<Saltelli>::indices`](Run::indices), [`Run::<Morris>::effects`](Run::effects), [`dgsm`], [`reweight`]. Where
//! the function is linear, [`linear`] needs no samples.
//!
//! The same plan and the same function give the same bits, whatever the number of threads, and however often a run was interrupted.

mod dgsm;
mod error;
mod failed;
mod linear;
mod morris;
mod morris_plan;
mod points;
mod reweight;
mod run;
mod saltelli;
mod sampling;
mod sobol;
mod warning;

use crate::statistics::Interval;

/// An output that scatters by less than this times its rounding has no index. [`rounding`](crate::local::rounding()) rounds each number of the
/// robot once; an algorithm rounds each some ten times on its way. At a hundred times it, (10/100)² = 1 % of the variance is rounding: as
/// much as an index may be off without anybody's noticing.
pub(crate) const CLEAR: f64 = 100.0;

/// No number.
const NONE: Interval = Interval { value: f64::NAN, half_width: None };

/// Makes the numbers of outputs none whose scatter is rounding; those that have none already stay as they are.
fn drop_rounding<const N: usize>(
    scatter: &[f64],
    rounding: &[f64],
    each: usize,
    of: [&mut Vec<Interval>; N],
    warnings: &mut Vec<Warning>,
) {
    let told: Vec<usize> = warnings.iter().filter_map(Warning::without_index).collect();
    let lost = |output: &usize| scatter[*output] <= CLEAR * rounding[*output] && !told.contains(output);
    let lost: Vec<usize> = (0..scatter.len().min(rounding.len())).filter(lost).collect();
    for intervals in of {
        lost.iter().for_each(|output| intervals[output * each..][..each].fill(NONE));
    }
    warnings.extend(lost.into_iter().map(|output| Warning::Rounding { output }));
}

pub use dgsm::{Dgsm, dgsm};
pub use error::GlobalError;
pub use linear::{Linear, linear};
pub use morris::{Effects, morris_effects};
pub use morris_plan::Morris;
pub use points::{Scramble, SobolPoints};
pub use reweight::{Reweighted, reweight};
pub use run::{Plan, Points, Progress, Run};
pub use saltelli::Saltelli;
pub(crate) use sampling::open;
pub use sampling::{Rule, Sampling};
pub use sobol::{Layout, SobolIndices, sobol_indices};
pub use warning::Warning;
