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
