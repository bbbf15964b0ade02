//! Kinematics, dynamics and derivatives over `f64`, eight joints at a time.
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
//! - [`sweeps`]: these, where many results begin with them
//! - [`rnea`], [`derivatives`], [`mass_matrix`], [`forward`], [`coriolis`]: the results
//! - [`bodies`], [`jacobians`], [`weights`], [`centroidal`], [`regressor`]: results with a column a degree of freedom, and
//!   what bodies do; [`matrix`] brings them to their places
//! - [`standing`]: columns and inertias, body by body, for what goes on from there
//! - [`entries`]: what entries of matrices are made of, and how they come to their places
//! - [`factors`], [`inverse`]: sparse factors of the mass matrix, its inverse, in rows of registers
//! - [`product`]: products of matrices that have hardly a zero
//!
//! Coordinates have the axes of the world and their origin at the root body of each tree, so that a robot far from the
//! world's origin loses nothing; nothing that is returned depends on that origin. Models with joints whose motion subspace
//! depends on `q` go through the plain form, which this one is tested against.

mod bodies;
mod centroidal;
mod coriolis;
mod derivatives;
mod entries;
mod factors;
mod forward;
mod inverse;
mod inward;
mod jacobians;
mod layout;
mod mass_matrix;
mod matrix;
mod memory;
mod outward;
mod product;
mod regressor;
mod rnea;
mod standing;
mod sweeps;
mod weights;

use crate::dynamics::centroidal::Whole;
use crate::dynamics::reference::Attached;
use crate::dynamics::{CentroidalDerivatives, ExternalWrench, FrameDerivatives, ReferenceFrame, Workspace};
use crate::model::Model;
use crate::spatial::vector as v3;
pub(crate) use derivatives::Results;
pub(crate) use factors::Factors;
use gradyn_derivatives::{Level, Real, simd::WIDTH};
pub(crate) use layout::Layout;
pub(crate) use memory::{Bodies, Memory};
use nalgebra::{DMatrix, Vector3};
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

/// Can the model's joints go eight at a time?
pub(crate) fn has_layout(model: &Model) -> bool {
    model.derived.get(|| Layout::new(model)).is_some()
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

// Of the functions below each is `None` also where something is not finite, or there is no mass: it is left to the plain
// form to say what.

/// Poses and motions of all bodies into `ws.wide`.
#[inline(always)]
pub(crate) fn bodies<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> Option<()> {
    let (q, v, a) = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?);
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q)
        && sweeps::drive::<{ outward::BODIES }>(v3::zero(), layout, memory, v, a);
    finite.then_some(())
}

/// What [`bodies`] has left of a body, in which lane, and where the coordinates of its tree have their origin.
pub(crate) fn rows_of<'w, P: Real, T: Real>(
    model: &Model<P>,
    ws: &'w Workspace<T>,
    body: usize,
) -> Option<(&'w Bodies, usize, Vector3<f64>)> {
    let layout = (model as &dyn Any).downcast_ref::<Model>()?.derived.get(|| None::<Layout>)?;
    let (step, memory) = (layout.bodies.get(body)?, ws.wide.as_deref()?);
    Some((&memory.bodies[step.lane / WIDTH], step.lane % WIDTH, memory.origins[step.tree]))
}

/// The columns of all joints in the world into `ws.jacobian`.
#[inline(always)]
pub(crate) fn joint_jacobians<P: Real, T: Real>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) -> Option<()> {
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, T::as_f64s(q)?);
    let to = matrix::shape(&mut ws.jacobian.joints, 6, model.nv);
    (finite && jacobians::joints(layout, memory, to)).then_some(())
}

/// The rate of the Jacobian of a frame into `ws.jacobian`.
#[inline(always)]
pub(crate) fn frame_jacobian_rate<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v): (&[T], &[T]),
    at: &Attached<P>,
    reference: ReferenceFrame,
) -> Option<()> {
    let (q, v) = (T::as_f64s(q)?, T::as_f64s(v)?);
    let at = (at as &dyn Any).downcast_ref::<Attached<f64>>()?;
    let (b, (model, layout, ws)) = (at.body?, of(model, ws)?);
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q)
        && sweeps::drive::<{ outward::VELOCITIES }>(v3::zero(), layout, memory, v, &[]);
    let seen = jacobians::seen(layout, memory, b, at, reference);
    let to = matrix::shape(&mut ws.jacobian.rate, 6, model.nv);
    (finite && jacobians::rate(layout, memory, b, seen, to)).then_some(())
}

/// Motion of a frame and its derivatives; all matrices have their shape and are zero.
#[inline(always)]
pub(crate) fn frame_derivatives<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
    at: &Attached<P>,
    reference: ReferenceFrame,
    out: &mut FrameDerivatives<T>,
) -> Option<()> {
    let (q, v, a) = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?);
    let at = (at as &dyn Any).downcast_ref::<Attached<f64>>()?;
    let out = (out as &mut dyn Any).downcast_mut::<FrameDerivatives>()?;
    let (b, (model, layout, ws)) = (at.body?, of(model, ws)?);
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q)
        && sweeps::drive::<{ outward::MOTIONS }>(v3::zero(), layout, memory, v, a);
    let seen = jacobians::seen(layout, memory, b, at, reference);
    (finite && jacobians::frame(layout, memory, b, seen, out)).then_some(())
}

/// Torques that hold the robot still against gravity, into `ws.tau`.
#[inline(always)]
pub(crate) fn gravity<P: Real, T: Real>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) -> Option<()> {
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, T::as_f64s(q)?);
    sweeps::stand::<{ sweeps::WEIGHTS }>(layout, memory);
    let finite = finite && weights::gravity(model, layout, memory);
    rnea::of_lanes(layout, memory, &mut ws.tau);
    finite.then_some(())
}

/// The Jacobian of the centre of mass of the robot.
#[inline(always)]
pub(crate) fn com_jacobian<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    to: &mut DMatrix<T>,
) -> Option<()> {
    let to = (to as &mut dyn Any).downcast_mut::<DMatrix<f64>>()?;
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, T::as_f64s(q)?);
    sweeps::stand::<{ sweeps::WEIGHTS }>(layout, memory);
    let share = 1.0 / weights::center(layout, memory);
    let to = matrix::shape(to, 3, model.nv);
    (finite && share.is_finite() && weights::com_jacobian(layout, memory, share, to)).then_some(())
}

/// Kinetic and potential energy.
#[inline(always)]
pub(crate) fn energies<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Option<(f64, f64)> {
    let (q, v) = (T::as_f64s(q)?, T::as_f64s(v)?);
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q);
    let (kinetic, potential) = weights::energy(model, layout, memory, v);
    (finite && kinetic.is_finite() && potential.is_finite()).then_some((kinetic, potential))
}

/// The centroidal momentum matrix.
#[inline(always)]
pub(crate) fn momentum_matrix<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    to: &mut DMatrix<T>,
) -> Option<()> {
    let to = (to as &mut dyn Any).downcast_mut::<DMatrix<f64>>()?;
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, T::as_f64s(q)?);
    sweeps::stand::<{ memory::INERTIA }>(layout, memory);
    let some = weights::center(layout, memory).recip().is_finite();
    (finite && some && centroidal::momentum_matrix(layout, memory, matrix::shape(to, 6, model.nv))).then_some(())
}

/// The robot as a whole, the centroidal momentum matrix and its rate.
#[inline(always)]
pub(crate) fn centroidal<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    state: (&[T], &[T], &[T]),
    to: &mut DMatrix<T>,
    rate: &mut DMatrix<T>,
) -> Option<Whole<T>> {
    let to = (to as &mut dyn Any).downcast_mut::<DMatrix<f64>>()?;
    let rate = (rate as &mut dyn Any).downcast_mut::<DMatrix<f64>>()?;
    let (model, layout, memory, whole) = whole(model, ws, state)?;
    let to = (matrix::shape(to, 6, model.nv), matrix::shape(rate, 6, model.nv));
    let finite = centroidal::matrices(layout, memory, whole.com.velocity, to);
    finite.then(|| (&whole as &dyn Any).downcast_ref().copied())?
}

/// The momentum of the robot, its rate of change, and their derivatives.
#[inline(always)]
pub(crate) fn centroidal_derivatives<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    state: (&[T], &[T], &[T]),
    out: &mut CentroidalDerivatives<T>,
) -> Option<()> {
    let out = (out as &mut dyn Any).downcast_mut::<CentroidalDerivatives>()?;
    let (model, layout, memory, whole) = whole(model, ws, state)?;
    (out.momentum, out.momentum_rate, out.errors) = (whole.momentum, whole.force, None);
    for m in out.matrices_mut() {
        matrix::shape(m, 6, model.nv);
    }
    (whole.is_finite() && centroidal::derivatives(layout, memory, &whole, out)).then_some(())
}

/// The robot as a whole, and what its momentum and derivatives are made of.
#[inline(always)]
fn whole<'a, P: Real, T: Real>(
    model: &'a Model<P>,
    ws: &'a mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> Option<(&'a Model, &'a Layout, &'a Memory, Whole<f64>)> {
    let (q, v, a) = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?);
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q)
        && sweeps::drive::<{ outward::COLUMNS }>(v3::zero(), layout, memory, v, a);
    let whole = centroidal::whole(layout, memory);
    (finite && whole.com.mass.recip().is_finite()).then_some((model, layout, memory, whole))
}

/// The joint-torque regressor into `ws.regressor`.
#[inline(always)]
pub(crate) fn torque_regressor<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> Option<()> {
    let (q, v, a) = (T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?);
    let (model, layout, ws) = of(model, ws)?;
    let memory = ws.wide.as_deref_mut()?;
    let finite = sweeps::place(model, layout, memory, q)
        && sweeps::drive::<{ outward::BODIES }>(model.gravity, layout, memory, v, a);
    let to = matrix::shape(&mut ws.regressor.torque, model.nv, 10 * model.bodies.len());
    (finite && regressor::torques(layout, memory, model.nv, to)).then_some(())
}
