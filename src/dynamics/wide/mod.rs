//! Kinematics, dynamics and derivatives over `f64`, eight joints at a time.
//!
//! In coordinates of the world what bodies share is summed up without being transformed, so all but the poses and the
//! sums along the tree is the same computation for every joint: eight of them go through one register, by the same
//! formulas of [`spatial`](crate::spatial) that the plain form uses, over [`Lanes`](gradyn_derivatives::Lanes). A sum
//! along a chain takes three steps a register ([`lanes`]), or at AVX2 one a lane ([`by_lane`]).
//!
//! - [`lanes`]: which degree of freedom stands in which lane, and who is summed up with whom
//! - [`layout`]: the constants lane by lane, and what bodies, groups and pairs of them take
//! - [`memory`]: rows of eight numbers
//! - [`outward`]: poses, then motions, forces, and what derivatives need, root to leaves
//! - [`inward`]: sums over subtrees, leaves to root
//! - [`by_lane`]: the sums of both, where permutations of lanes are dear
//! - [`sweeps`]: these, where many results begin with them
//! - [`rnea`], [`derivatives`], [`mass_matrix`], [`forward`], [`coriolis`]: the results
//! - [`part`]: what columns move of the robot or of a subtree
//! - [`bodies`], [`jacobians`], [`weights`], [`energies`], [`centroidal`], [`regressor`]: results with a column a degree of freedom, and
//!   what bodies do; [`matrix`] brings them to their places
//! - [`moving`], [`composites`]: poses, columns and motions body by body, or what second derivatives begin with column by
//!   column, for what goes on from there
//! - [`entries`]: what entries of matrices are made of, and how they come to their places
//! - [`blocks`], [`factors`], [`inverse`]: sparse factors of the mass matrix and its inverse, in blocks of eight by eight
//! - [`articulated`], [`pivots`]: forward dynamics, the inverse, and products with it, by articulated bodies, for deep trees
//! - [`halves`]: halves of these products, for motions of deep trees under constraints
//! - [`branches`](super::branches): bodies of several limbs at a time, where that takes fewer steps
//! - [`afloat`]: fewer lanes for robots on a floating base
//! - [`floating`]: columns of a floating base, which nothing has to be solved for
//! - [`anchors`], [`held`], [`variations`], [`projections`]: motions under constraints; how these vary, and what derivatives are multiplied by
//! - [`forward_mode`]: eight directional derivatives of inverse dynamics, by formulas
//! - [`finite`]: are numbers finite?
//! - [`product`]: products of matrices that have hardly a zero
//!
//! Coordinates have the axes of the world and their origin at the root body of each tree, so that a robot far from the
//! world's origin loses nothing; nothing that is returned depends on that origin. Models with joints whose motion subspace
//! depends on `q` go through the plain form, which this one is tested against; so does everything where the processor has
//! only the registers of the plain level, at which this one would be slower.
//!
//! The way in is [`of`]: it gives a [`Wide`] where numbers, model and level are right, whose methods are in [`values`]
//! (inverse and forward dynamics, derivatives, matrices of the mass) and [`motions`] (kinematics, weights, momentum).

/// Calls a function that does the same in each lane: once, or where a register is two of the processor's for one half after the other.
/// Of a long formula more stays in registers then.
macro_rules! lane_by_lane {
    ($function:ident::<$registers:ident $(, $constant:ident)*>($($argument:expr),*)) => {
        if $registers::HALVES {
            $function::<$registers::Low $(, $constant)*>($($argument),*);
            $function::<$registers::High $(, $constant)*>($($argument),*);
        } else {
            $function::<$registers $(, $constant)*>($($argument),*);
        }
    };
}

mod afloat;
mod anchors;
mod articulated;
mod blocks;
mod bodies;
mod by_lane;
mod centroidal;
mod composites;
mod coriolis;
mod derivatives;
mod energies;
mod entries;
mod factors;
mod finite;
pub(crate) mod floating;
mod forward;
mod forward_mode;
mod halves;
mod held;
mod inverse;
mod inward;
mod jacobians;
mod lanes;
mod layout;
mod mass_matrix;
mod matrix;
mod memory;
mod motions;
mod moving;
mod outward;
mod part;
mod pivots;
mod product;
mod projections;
mod regressor;
mod rnea;
mod sweeps;
mod values;
mod variations;
mod weights;

use crate::dynamics::abreast::Table;
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame};
use crate::model::Model;
pub(crate) use anchors::Anchor;
pub(crate) use articulated::Articulated;
pub(crate) use derivatives::{Begun, Results};
pub(crate) use factors::Factors;
pub(crate) use finite::all_finite;
pub(crate) use floating::Floating;
pub(crate) use forward_mode::{AtLevelOfCall, Tangents, is_flat};
use gradyn_derivatives::Real;
use gradyn_derivatives::simd::{VectorLevel, WIDTH};
pub(crate) use held::HeldRows;
pub(crate) use layout::Layout;
pub(crate) use matrix::shape;
pub(crate) use memory::{Bodies, Memory, Row};
use nalgebra::{DMatrix, Vector3};
pub(crate) use product::{add_product, negated_product};
pub(crate) use projections::Changes;
use std::any::Any;
pub(crate) use variations::Sums;

/// The model's constants for eight states at a time.
pub(crate) fn table(model: &Model) -> Option<&Table> {
    model.derived.get(|| Layout::new(model))?.table.as_ref()
}

/// Memory for a workspace, if the numbers are `f64`, the model has a layout, and the level is right.
pub(crate) fn memory<P: Real, T: Real>(model: &Model<P>) -> Option<Box<Memory>> {
    T::as_f64s(&[])?;
    let level = VectorLevel::active()?;
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let layout = model.derived.get(|| Layout::new(model))?;
    Some(Box::new(Memory::new(layout, level)))
}

/// Can the model's joints go eight at a time?
pub(crate) fn has_layout(model: &Model) -> bool {
    model.derived.get(|| Layout::new(model)).is_some()
}

/// A model with a layout, and a workspace with its memory. Its methods know that lengths have been checked.
///
/// Not generic, so that what it does is compiled once.
pub(crate) struct Wide<'a> {
    model: &'a Model,
    layout: &'a Layout,
    ws: &'a mut Workspace<f64>,
}

/// A state, and a second rate: configuration, velocity, acceleration or torques.
type State<'a> = (&'a [f64], &'a [f64], &'a [f64]);

/// The way in, if the numbers are `f64`, the model has a layout, and the level is right.
#[inline(always)]
pub(crate) fn of<'a, P: Real, T: Real>(model: &'a Model<P>, ws: &'a mut Workspace<T>) -> Option<Wide<'a>> {
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let ws = (ws as &mut dyn Any).downcast_mut::<Workspace<f64>>()?;
    let layout = model.derived.get(|| Layout::new(model))?;
    let level = VectorLevel::active()?;
    match &mut ws.wide {
        Some(memory) => memory.level = level,
        none => *none = Some(Box::new(Memory::new(layout, level))),
    }
    Some(Wide { model, layout, ws })
}

/// Inverse dynamics over numbers with eight derivatives, these by formulas, if the model has a layout and the level is right: `read`
/// fills in the state, or says that it cannot, and `write` takes the torques. Are these surely finite?
pub(crate) fn forward_mode<P: Real, T: Real>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    read: impl FnOnce(&Model, &mut Tangents, VectorLevel) -> Option<()>,
    write: impl FnOnce(&Tangents, &mut [T], VectorLevel),
) -> Option<bool> {
    let model = (model as &dyn Any).downcast_ref::<Model>()?;
    let layout = model.derived.get(|| Layout::new(model))?;
    let level = VectorLevel::active()?;
    let memory = ws.wide.get_or_insert_with(|| Box::new(Memory::new(layout, level)));
    memory.level = level;
    // With the memory of these lanes: a robot that the workspace serves besides may have others, if its base is held.
    let (layout, memory) = afloat::fewer(layout, memory);
    let mut tangents = memory.tangents.take().unwrap_or_else(|| Box::new(Tangents::new(model, layout)));
    let finite = read(model, &mut tangents, level).map(|()| forward_mode::run(model, layout, memory, &mut tangents));
    if finite.is_some() {
        write(&tangents, &mut ws.tau, level);
    }
    memory.tangents = Some(tangents);
    finite
}

impl Wide<'_> {
    /// Takes the wrenches of a call, which are of `f64`.
    #[inline(always)]
    pub(crate) fn under<T: Real>(self, wrenches: &[ExternalWrench<T>]) -> Self {
        if let Some(memory) = &mut self.ws.wide {
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

/// What [`Wide::bodies`] has left of a body, in which lane, and where the coordinates of its tree have their origin.
pub(crate) fn rows_of<'w, P: Real, T: Real>(
    model: &Model<P>,
    ws: &'w Workspace<T>,
    body: usize,
) -> Option<(&'w Bodies, usize, Vector3<f64>)> {
    let layout = (model as &dyn Any).downcast_ref::<Model>()?.derived.peek::<Layout>()?;
    let (step, memory) = (layout.bodies.get(body)?, ws.wide.as_deref()?);
    Some((&memory.bodies[step.lane / WIDTH], step.lane % WIDTH, memory.origins[step.tree]))
}

/// Adds the rows of what is held to the world to columns of so many rows, from its first row on, after [`Wide::seats`],
/// [`Wide::unconstrained`] or [`Wide::still`]. Returns the sums of the squares of what positions and rotations were summed from.
pub(crate) fn add_anchor<P: Real, T: Real>(
    model: &Model<P>,
    ws: &Workspace<T>,
    anchor: Anchor,
    to: &mut [f64],
    height: usize,
) -> Option<[f64; 2]> {
    let layout = (model as &dyn Any).downcast_ref::<Model>()?.derived.peek::<Layout>()?;
    Some(anchors::add(layout, ws.wide.as_deref()?, anchor, to, height))
}

/// Are factors of the mass matrix a slower way to its inverse than sweeps along the tree? With mimic joints they are the only
/// one.
pub(crate) fn too_deep(model: &Model, factors: &Factors) -> bool {
    !factors.pays() && model.bodies.iter().all(|body| body.owns_coordinates)
}

/// Do derivatives of forward dynamics go by the legs of a quadruped, four at a time?
pub(crate) fn by_legs(model: &Model) -> bool {
    let layout = model.derived.get(|| Layout::new(model));
    let ranks = layout.and_then(|layout| layout.ranks.as_ref());
    ranks.zip(VectorLevel::active()).is_some_and(|(ranks, level)| ranks.derivatives_pay(level.holds_eight()))
}

/// What the last call of [`Wide::aba`] has left for derivatives under such wrenches.
pub(crate) fn begun<'m>(model: &'m Model, ws: &mut Workspace<f64>, wrenches: &[ExternalWrench]) -> Begun<'m> {
    let factors = ws.wide.as_ref().and_then(|memory| memory.factors.as_ref());
    if VectorLevel::active().is_some() && factors.is_some_and(|factors| factors.pays()) {
        Begun::Moving(floating(model, wrenches))
    } else if articulated(ws).is_some() {
        Begun::Placed
    } else {
        Begun::Nothing
    }
}

/// The factors that the last call of [`Wide::aba`] left, if that is how it got its accelerations.
pub(crate) fn take_factors(ws: &mut Workspace<f64>) -> Option<Box<Factors>> {
    VectorLevel::active()?;
    ws.wide.as_mut()?.factors.take_if(|factors| factors.pays())
}

/// `x := M⁻¹ x` with what the last call of [`Wide::aba`] left, if that is how accelerations were made.
pub(crate) fn solve<T: Real>(ws: &mut Workspace<T>, x: &mut Vec<T>) -> Option<()> {
    let level = VectorLevel::active()?;
    let Memory { factors, articulated, .. } = ws.wide.as_deref_mut()?;
    match factors.as_deref_mut().filter(|factors| factors.pays()) {
        Some(factors) => factors.solve(same_mut::<_, Vec<f64>>(x)?),
        None => articulated.as_deref_mut()?.solve(level, same_mut::<_, Vec<f64>>(x)?),
    }
    Some(())
}

/// The mass matrix by articulated bodies, that the last call of [`Wide::aba`] or [`Wide::minv`] has left, if that is how it was
/// inverted.
pub(crate) fn articulated(ws: &mut Workspace<f64>) -> Option<(&mut Articulated, VectorLevel)> {
    let level = VectorLevel::active()?;
    Some((ws.wide.as_deref_mut()?.articulated.as_deref_mut()?, level))
}

/// The bodies whose columns of derivatives of forward dynamics need no solution, under such wrenches: one that stands still in the
/// world is seen from where a body is.
fn floating<'m>(model: &'m Model, wrenches: &[ExternalWrench]) -> &'m [Floating] {
    match model.derived.get(|| Layout::new(model)) {
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
    if let (Some(layout), Some(memory)) = (model.derived.get(|| Layout::new(model)), ws.wide.as_deref()) {
        for base in floating {
            base.fill(model.gravity, layout, memory, v, [&mut *dq, &mut *dv]);
        }
    }
}

/// Returns what [`take_factors`] took.
pub(crate) fn give_back_factors(ws: &mut Workspace<f64>, factors: Option<Box<Factors>>) {
    if let Some(memory) = &mut ws.wide
        && factors.is_some()
    {
        memory.factors = factors;
    }
}
