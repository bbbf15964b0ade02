//! Inverse and forward dynamics, the mass matrix and derivatives over `f64`, eight joints at a time.
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
//! - [`rnea`], [`derivatives`], [`mass_matrix`], [`forward`], [`coriolis`]: the results
//! - [`standing`]: columns and inertias, body by body, for what goes on from there
//! - [`entries`]: what entries of matrices are made of, and how they come to their places
//! - [`factors`], [`inverse`]: sparse factors of the mass matrix, its inverse, in rows of registers
//! - [`product`]: products of matrices that have hardly a zero
//!
//! Coordinates have the axes of the world and their origin at the root body of each tree, so that a robot far from the
//! world's origin loses nothing; nothing that is returned depends on that origin. Models with joints whose motion subspace
//! depends on `q` go through the plain form, which this one is tested against.

mod coriolis;
mod derivatives;
mod entries;
mod factors;
mod forward;
mod inverse;
mod inward;
mod layout;
mod mass_matrix;
mod memory;
mod outward;
mod product;
mod rnea;
mod standing;

use crate::dynamics::{ExternalWrench, Workspace};
use crate::model::Model;
pub(crate) use derivatives::Results;
pub(crate) use factors::Factors;
use gradyn_derivatives::{Level, Real};
pub(crate) use layout::Layout;
pub(crate) use memory::Memory;
use nalgebra::DMatrix;
pub(crate) use product::negated_product;
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
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    memory.act(wrenches);
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
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    memory.act(wrenches);
    let finite = derivatives::derivatives(model, layout, memory, (q, v, a), results);
    for (w, to) in wrenches.iter().zip(by_wrench) {
        derivatives::by_wrench(model, layout, memory, q, w, to.as_mut_slice());
    }
    Some(finite && wrenches.is_empty())
}

/// What the forms over `f64` work with, if the numbers are that and the model has a layout.
#[inline(always)]
fn of<'a, P: Real, T: Real>(
    model: &'a Model<P>,
    ws: &'a mut Workspace<T>,
) -> Option<(&'a Model, &'a Layout, &'a mut Workspace<f64>)> {
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let ws = (ws as &mut dyn Any).downcast_mut::<Workspace<f64>>()?;
    let layout = model.derived.get(|| Layout::new(model))?;
    if ws.wide.is_none() {
        ws.wide = Some(Box::new(Memory::new(layout)));
    }
    Some((model, layout, ws))
}

/// Columns and inertias of all bodies into `ws.rooted`, and their poses if asked for, if the model has a layout. Lengths have
/// been checked.
#[inline(always)]
pub(crate) fn standing(model: &Model, ws: &mut Workspace<f64>, q: &[f64], poses: bool) -> Option<()> {
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    ws.rooted.size(model, ws.dof.len());
    standing::place(model, layout, memory, q, &mut ws.rooted);
    if poses {
        standing::poses(model, layout, memory, q, &mut ws.rooted);
    }
    Some(())
}

/// The mass matrix into `ws.crba`, where the numbers are `f64` and the model has a layout. Lengths have been checked.
#[inline(always)]
pub(crate) fn mass_matrix<P: Real, T: Real>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) -> Option<()> {
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    mass_matrix::of_lanes(model, layout, memory, T::as_f64s(q)?);
    mass_matrix::collect(model, layout, memory, ws.crba.sized(model.nv));
    Some(())
}

/// Factors of the mass matrix into `ws.ltl`, where the numbers are `f64` and the model has a layout. The error is the first
/// degree of freedom whose pivot is lost, and the pivot. Lengths have been checked.
#[inline(always)]
pub(crate) fn factors<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
) -> Option<Result<(), (usize, f64)>> {
    let done = factorize(model, ws, q)?;
    let (model, _, ws) = of(model, ws)?;
    ws.ltl.size(model);
    let factors = ws.wide.as_deref()?.factors.as_deref()?;
    Some(done.map(|()| ws.ltl.copy(factors)))
}

/// Factors of the mass matrix into `ws.wide`, as [`factors`].
#[inline(always)]
fn factorize<P: Real, T: Real>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) -> Option<Result<(), (usize, f64)>> {
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    Some(forward::factorize(model, layout, memory, T::as_f64s(q)?, ws.crba.sized(model.nv)))
}

/// The inverse of the mass matrix into `ws.minv`, as [`factorize`], where factors are the faster way.
#[inline(always)]
pub(crate) fn minv<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
) -> Option<Result<(), (usize, f64)>> {
    let (own, _, wide) = of(model, ws)?;
    if too_deep(own, wide.wide.as_deref_mut()?.factors.get_or_insert_with(|| Box::new(Factors::new(own)))) {
        return None;
    }
    let done = factorize(model, ws, q)?;
    let (_, _, ws) = of(model, ws)?;
    let factors = ws.wide.as_deref_mut()?.factors.as_deref_mut()?;
    Some(done.map(|()| factors.invert(&mut ws.minv.matrix)))
}

/// Are factors of the mass matrix a slower way to its inverse than sweeps along the tree? With mimic joints they are the only
/// one.
pub(crate) fn too_deep(model: &Model, factors: &Factors) -> bool {
    !factors.pays() && model.bodies.iter().all(|body| body.owns_coordinates)
}

/// Accelerations by torques into `ws.aba`, where the numbers are `f64`, the model has a layout and factors of the mass
/// matrix are the faster way. The error is the first degree of freedom whose pivot is lost, and the pivot. Lengths have
/// been checked.
#[inline(always)]
pub(crate) fn aba<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    wrenches: &[ExternalWrench<T>],
) -> Option<Result<(), (usize, f64)>> {
    let state = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(tau)?);
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    if !memory.factors.get_or_insert_with(|| Box::new(Factors::new(model))).pays() {
        return None;
    }
    memory.act(wrenches);
    ws.still.resize(model.nv, 0.0);
    let (matrix, ddq) = (ws.crba.sized(model.nv), &mut ws.aba.ddq);
    Some(forward::accelerations(model, layout, memory, state, &ws.still, matrix, ddq))
}

/// The factors that the last call of [`aba`] left, if that is how it got its accelerations.
pub(crate) fn take_factors(ws: &mut Workspace<f64>) -> Option<Box<Factors>> {
    ws.wide.as_mut()?.factors.take_if(|factors| factors.pays())
}

/// Returns what [`take_factors`] took.
pub(crate) fn give_back_factors(ws: &mut Workspace<f64>, factors: Option<Box<Factors>>) {
    if let Some(memory) = &mut ws.wide
        && factors.is_some()
    {
        memory.factors = factors;
    }
}

/// The Coriolis matrix, where the numbers are `f64` and the model has a layout. Lengths have been checked.
#[inline(always)]
pub(crate) fn coriolis<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v): (&[T], &[T]),
    to: &mut DMatrix<T>,
) -> Option<()> {
    let state = (T::as_f64s(q)?, T::as_f64s(v)?);
    let to = (to as &mut dyn Any).downcast_mut::<DMatrix<f64>>()?;
    let (model, layout, ws) = of(model, ws)?;
    ws.still.resize(model.nv, 0.0);
    coriolis::coriolis(model, layout, ws.wide.as_deref_mut()?, state, &ws.still, to);
    Some(())
}
