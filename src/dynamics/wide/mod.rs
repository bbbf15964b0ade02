//! Inverse dynamics and its derivatives over `f64`, eight joints at a time.
//!
//! In coordinates of the world what bodies share is summed up without being transformed, so all but the poses and the
//! sums along the tree is the same computation for every joint: eight of them go through one register, by the same
//! formulas of [`spatial`](crate::spatial) that the plain form uses, over [`Lanes`](gradyn_derivatives::Lanes). A sum
//! along a chain takes three steps a register ([`layout`]).
//!
//! - [`layout`]: which degree of freedom stands in which lane, the constants lane by lane, and who is summed up with whom
//! - [`memory`]: rows of eight numbers
//! - [`outward`]: poses, then motions, forces, and what derivatives need, root to leaves
//! - [`inward`]: sums over subtrees, leaves to root
//! - [`rnea`], [`derivatives`]: the two results
//!
//! Coordinates have the axes of the world and their origin at the root body of each tree, so that a robot far from the
//! world's origin loses nothing; nothing that is returned depends on that origin. Models with joints whose motion subspace
//! depends on `q` go through the plain form, which this one is tested against.

mod derivatives;
mod inward;
mod layout;
mod memory;
mod outward;
mod rnea;

use crate::dynamics::{ExternalWrench, Workspace};
use crate::model::Model;
pub(crate) use derivatives::Results;
use gradyn_derivatives::{Level, Real};
pub(crate) use layout::Layout;
pub(crate) use memory::Memory;
use nalgebra::DMatrix;
use std::any::Any;

/// Memory for a workspace, if the numbers are `f64` and the model has a layout.
pub(crate) fn memory<P: Real, T: Real>(model: &Model<P>) -> Option<Box<Memory>> {
    T::as_f64s(&[])?;
    let _ = Level::active(); // asks the environment once
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    Some(Box::new(Memory::new(model.derived.get(|| Layout::new(model))?)))
}

/// Inverse dynamics into `ws.tau`, if the numbers are `f64` and the model has a layout. Are all torques finite? Lengths
/// have been checked.
#[inline(always)]
pub(crate) fn rnea<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Option<bool> {
    let state = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?);
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let ws = (ws as &mut dyn Any).downcast_mut::<Workspace<f64>>()?;
    let layout = model.derived.get(|| Layout::new(model))?;
    let memory = ws.wide.get_or_insert_with(|| Box::new(Memory::new(layout)));
    memory.wrenches.clear();
    memory.wrenches.extend(wrenches.iter().filter_map(|w| (w as &dyn Any).downcast_ref::<ExternalWrench>()));
    Some(rnea::rnea(model, layout, memory, state, &mut ws.tau) || ws.tau.iter().all(|tau| tau.is_finite()))
}

/// Derivatives of inverse dynamics, if the model has a layout. Are all surely finite? Lengths have been checked.
#[inline(always)]
pub(crate) fn rnea_derivatives(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
    results: &mut Results<'_>,
    by_wrench: &mut [DMatrix<f64>],
) -> Option<bool> {
    let layout = model.derived.get(|| Layout::new(model))?;
    let memory = ws.wide.get_or_insert_with(|| Box::new(Memory::new(layout)));
    memory.wrenches.clear();
    memory.wrenches.extend(wrenches);
    let finite = derivatives::derivatives(model, layout, memory, (q, v, a), results);
    for (w, to) in wrenches.iter().zip(by_wrench) {
        derivatives::by_wrench(model, layout, memory, q, w, to.as_mut_slice());
    }
    Some(finite && wrenches.is_empty())
}
