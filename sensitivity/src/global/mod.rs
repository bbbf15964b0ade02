//! The contribution of each parameter to the scatter of outputs, over the whole range of the parameters.
//!
//! A plan defines the samples: [`Saltelli`] for variance-based indices, [`Morris`] for elementary effects, [`Sampling`]
//! for everything else. A [`Run`] evaluates a function at these samples, block by block, over threads; it can be
//! stopped, written, read and continued. The analysis is [`Run::<Saltelli>::indices`](Run::indices),
//! [`Run::<Morris>::effects`](Run::effects), [`dgsm`] or [`reweight`]. For a linear function, [`linear`] needs no
//! samples.
//!
//! The same plan and the same function give the same bits, for any number of threads and interruptions.

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

/// An output that scatters by less than this times its rounding has no index. [`rounding`](crate::local::rounding())
/// rounds each number of the robot once; an algorithm rounds each some ten times. At a scatter of a hundred roundings,
/// (10/100)² = 1 % of the variance is rounding, a negligible error of an index.
pub(crate) const CLEAR: f64 = 100.0;

/// Not a number.
const NONE: Interval = Interval { value: f64::NAN, half_width: None };

/// Sets the numbers of outputs whose scatter is rounding to NaN; those that are NaN already are unchanged.
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
