//! The path from a page to a kernel: the inputs of kernels, from a model and a workspace.

mod body_motions;
mod composites;
mod hessian;
mod motions;
mod values;

use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame};
use crate::kernels::blocks::factors::Factors;
use crate::kernels::by_joint::constraints::rows::{self, Anchor};
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::by_joint::quantities::Bodies;
use crate::kernels::by_joint::{JointsMemory, State};
use crate::model::Model;
use crate::plan::{Floating, Form, JointsLayout, Quantity, StatesLayout, vector_level};
use gradyn_derivatives::{Level, Real, WIDTH};
use nalgebra::{DMatrix, Vector3};
use std::any::Any;

/// The model's constants for eight states at a time, if that is how the quantity is computed at this level.
pub(crate) fn states_layout(model: &Model, quantity: Quantity, level: Level) -> Option<&StatesLayout> {
    let layout = model.derived.get(|| JointsLayout::new(model))?;
    layout.states_layout.as_ref().filter(|_| layout.plan.form(quantity, level) == Form::States)
}

/// Which eight entries of a matrix like the mass matrix may be other than zero; empty if that is not known.
pub(crate) fn filled(model: &Model) -> &[bool] {
    let states = model.derived.get(|| JointsLayout::new(model)).and_then(|layout| layout.states_layout.as_ref());
    states.map_or(&[], |states| &states.filled)
}

/// Whether a quantity of a batch is computed one state at a time at this level, eight joints at a time.
pub(crate) fn is_alone(model: &Model, quantity: Quantity, level: Level) -> bool {
    let layout = model.derived.get(|| JointsLayout::new(model));
    layout.is_some_and(|layout| layout.plan.form(quantity, level) == Form::Joints)
}

/// Memory for a workspace, if the numbers are `f64`, the model has a layout, and the level is right.
pub(crate) fn memory<P: Real, T: Real>(model: &Model<P>) -> Option<Box<JointsMemory>> {
    T::as_f64s(&[])?;
    let level = vector_level()?;
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let layout = model.derived.get(|| JointsLayout::new(model))?;
    Some(Box::new(JointsMemory::new(layout, level)))
}

/// A model with a layout, and a workspace with its memory. Its methods know that lengths have been checked.
///
/// Not generic, so that what it does is compiled once.
pub(crate) struct Kernels<'a> {
    model: &'a Model,
    layout: &'a JointsLayout,
    ws: &'a mut Workspace<f64>,
}

/// The way in, if the numbers are `f64`, the model has a layout, and the level is right.
#[inline(always)]
pub(crate) fn of<'a, P: Real, T: Real>(model: &'a Model<P>, ws: &'a mut Workspace<T>) -> Option<Kernels<'a>> {
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let ws = (ws as &mut dyn Any).downcast_mut::<Workspace<f64>>()?;
    let layout = model.derived.get(|| JointsLayout::new(model))?;
    let level = vector_level()?;
    match &mut ws.by_joint {
        Some(memory) => memory.level = level,
        none => *none = Some(Box::new(JointsMemory::new(layout, level))),
    }
    Some(Kernels { model, layout, ws })
}

impl Kernels<'_> {
    /// Takes the wrenches of a call, which are of `f64`.
    #[inline(always)]
    pub(crate) fn under<T: Real>(self, wrenches: &[ExternalWrench<T>]) -> Self {
        if let Some(memory) = &mut self.ws.by_joint {
            memory.act(wrenches);
        }
        self
    }
}

/// The state of a call whose numbers are `f64`.
#[inline(always)]
pub(crate) fn state<'a, T: Real>((q, v, a): (&'a [T], &'a [T], &'a [T])) -> Option<State<'a>> {
    Some((T::as_f64s(q)?, T::as_f64s(v)?, T::as_f64s(a)?))
}

/// What turns out to have that type: a result to be filled in, of `f64`.
#[inline(always)]
pub(crate) fn same_mut<A: Any, B: Any>(x: &mut A) -> Option<&mut B> {
    (x as &mut dyn Any).downcast_mut()
}

/// What turns out to have that type: an argument, of `f64`, or a result where numbers are.
#[inline(always)]
pub(crate) fn same<A: Any, B: Any>(x: &A) -> Option<&B> {
    (x as &dyn Any).downcast_ref()
}

/// What [`Kernels::bodies`] has left of a body, in which lane, and where the coordinates of its tree have their origin.
pub(crate) fn rows_of<'w, P: Real, T: Real>(
    model: &Model<P>,
    ws: &'w Workspace<T>,
    body: usize,
) -> Option<(&'w Bodies, usize, Vector3<f64>)> {
    let layout = (model as &dyn Any).downcast_ref::<Model>()?.derived.peek::<JointsLayout>()?;
    let (step, memory) = (layout.bodies.get(body)?, ws.by_joint.as_deref()?);
    Some((&memory.bodies[step.lane / WIDTH], step.lane % WIDTH, memory.origins[step.tree]))
}

/// Adds the rows of what is held to the world to columns of so many rows, from its first row on, after
/// [`Kernels::place_bodies`], [`Kernels::free_accelerations`] or [`Kernels::factorize_and_place`]. Returns the sums of the squares of what
/// positions and rotations were summed from.
pub(crate) fn add_anchor<P: Real, T: Real>(
    model: &Model<P>,
    ws: &Workspace<T>,
    anchor: Anchor,
    to: &mut [f64],
    height: usize,
) -> Option<[f64; 2]> {
    let layout = (model as &dyn Any).downcast_ref::<Model>()?.derived.peek::<JointsLayout>()?;
    Some(rows::add(layout, ws.by_joint.as_deref()?, anchor, to, height))
}

/// Whether derivatives of forward dynamics use the legs of a quadruped, four at a time.
pub(crate) fn derivatives_by_bodies(model: &Model) -> bool {
    let layout = model.derived.get(|| JointsLayout::new(model));
    layout.zip(vector_level()).is_some_and(|(layout, level)| {
        layout.plan.at_vector(Quantity::ForwardDynamicsDerivatives, level) == Form::Bodies
    })
}

/// What the last call of [`Kernels::aba`] has left for derivatives under such wrenches.
pub(crate) fn reuse<'m>(model: &'m Model, ws: &mut Workspace<f64>, wrenches: &[ExternalWrench]) -> Reuse<'m> {
    let factors = ws.by_joint.as_ref().and_then(|memory| memory.factors.as_ref());
    if vector_level().is_some() && factors.is_some_and(|factors| factors.pays()) {
        Reuse::Velocities(floating(model, wrenches))
    } else if vector_level().is_some() && ws.by_joint.as_ref().is_some_and(|memory| memory.articulated.is_some()) {
        Reuse::Poses
    } else {
        Reuse::Nothing
    }
}

/// Factors of the mass matrix: those that the last call of [`Kernels::aba`] left; of a deep tree, whose accelerations
/// are found otherwise, new ones, unless a pivot is lost.
pub(crate) fn take_factors(model: &Model, ws: &mut Workspace<f64>, q: &[f64]) -> Option<Box<Factors>> {
    vector_level()?;
    let left = ws.by_joint.as_mut()?.factors.take_if(|factors| factors.pays());
    left.or_else(|| of(model, ws)?.factorized(q))
}

/// `x := M⁻¹ x` with what the last call of [`Kernels::aba`] left, if that is how accelerations were made.
pub(crate) fn solve<T: Real>(ws: &mut Workspace<T>, x: &mut Vec<T>) -> Option<()> {
    vector_level()?;
    let JointsMemory { factors, articulated, .. } = ws.by_joint.as_deref_mut()?;
    match factors.as_deref_mut().filter(|factors| factors.pays()) {
        Some(factors) => factors.solve(same_mut::<_, Vec<f64>>(x)?),
        None => articulated.as_deref_mut()?.solve(same_mut::<_, Vec<f64>>(x)?),
    }
    Some(())
}

/// The bodies whose columns of derivatives of forward dynamics need no solution, under such wrenches: one that stands
/// still in the world is seen from where a body is.
fn floating<'m>(model: &'m Model, wrenches: &[ExternalWrench]) -> &'m [Floating] {
    match model.derived.get(|| JointsLayout::new(model)) {
        Some(layout) if wrenches.iter().all(|w| w.frame == WrenchFrame::Body) => &layout.floating,
        _ => &[],
    }
}

/// These columns of derivatives by configurations and velocities, at the state of the last sweep.
pub(crate) fn fill_floating(
    model: &Model,
    ws: &Workspace<f64>,
    floating: &[Floating],
    v: &[f64],
    [dq, dv]: [&mut DMatrix<f64>; 2],
) {
    if let (Some(layout), Some(memory)) = (model.derived.get(|| JointsLayout::new(model)), ws.by_joint.as_deref()) {
        for base in floating {
            base.fill(model.gravity, layout, memory, v, [&mut *dq, &mut *dv]);
        }
    }
}

/// Returns what [`take_factors`] took.
pub(crate) fn give_back_factors(ws: &mut Workspace<f64>, factors: Option<Box<Factors>>) {
    if let Some(memory) = &mut ws.by_joint
        && factors.is_some()
    {
        memory.factors = factors;
    }
}
