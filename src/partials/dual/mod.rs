//! Derivatives of inverse dynamics by dual numbers.
//!
//! Values over `f64` ([`base`]), then for each chunk of eight joints' directions, in `q` and in `v`, a run over dual numbers
//! with these values, only as far as the directions reach ([`Plan`](super::plan::Plan)), and with no more derivatives than
//! needed:
//!
//! | with respect to | poses | joint velocities | motions of bodies, forces |
//! |---|---|---|---|
//! | `q` ([`configuration`]) | `f64`, and a term for the joints that the directions move ([`frame`]) | `f64` | dual |
//! | `v` ([`velocity`]) | `f64` | `f64`, and a term for these joints | dual |
//! | `a`, wrenches ([`linear`]) | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Axes are those of the world and the origin is the root body of each tree, so motions and forces go from body to body as they
//! are. From body to body go derivatives alone: the value that belongs to them is put in front of them again. Joints whose
//! columns depend on `q` have these, and their bias, as dual numbers too ([`jet`]).

mod base;
mod configuration;
mod frame;
mod inward;
mod jet;
mod linear;
mod matrix;
mod numbers;
mod outward;
mod velocity;

use super::DerivativeWorkspace;
use super::plan::{Chunk, Plan};
use crate::dynamics::{ExternalWrench, Workspace};
use crate::model::Model;
use crate::spatial::{Force, Motion};
use base::Values;
use configuration::ByConfiguration;
use gradyn_derivatives::simd::{Kernel, Piece, Register, dispatch};
use gradyn_derivatives::{Lanes, Real};
use jet::Jet;
use linear::{ByAcceleration, ByWrench};
use matrix::{joint_dynamics, store};
use numbers::StateDual;
use std::any::Any;
use velocity::ByVelocity;

/// Registers of one level.
struct Memory<R: Register> {
    jet: Jet,
    /// Columns that depend on `q`.
    columns: Vec<Motion<StateDual<R>>>,
    /// Derivatives of velocities and accelerations: of what stands still, then of each body.
    velocity: Vec<Motion<Lanes<R>>>,
    acceleration: Vec<Motion<Lanes<R>>>,
    /// Of forces and torques.
    force: Vec<Force<Lanes<R>>>,
    tau: Vec<Lanes<R>>,
}

/// What runs stand on, and what they need.
struct Both<R: Register> {
    values: Values,
    memory: Memory<R>,
}

impl<R: Register> Both<R> {
    fn new(model: &Model) -> Self {
        let (n, nv) = (model.bodies().len(), model.nv());
        let columns = model.bodies.iter().map(|body| body.v.len()).sum();
        let memory = Memory {
            jet: Jet::new(model),
            columns: vec![Motion::zero(); columns],
            velocity: vec![Motion::zero(); n + 1],
            acceleration: vec![Motion::zero(); n + 1],
            force: vec![Force::zero(); n],
            tau: vec![Lanes::zero(); nv],
        };
        Self { values: Values::new(model), memory }
    }

    fn of<'m>(slot: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        let fits = slot.as_ref().is_some_and(|memory| memory.is::<Self>());
        if !fits {
            *slot = Some(Box::new(Self::new(model)));
        }
        slot.as_mut().and_then(|memory| memory.downcast_mut())
    }
}

/// Fills in torques and derivatives. Are the derivatives surely finite? Lengths have been checked.
pub(super) fn rnea_derivatives(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) -> bool {
    dispatch(Derivatives { model, ws, q, v, a, wrenches })
}

struct Derivatives<'a> {
    model: &'a Model,
    ws: &'a mut DerivativeWorkspace,
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

impl Kernel for Derivatives<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { model, ws, q, v, a, wrenches } = self;
        let DerivativeWorkspace { base, plan, registers, result, .. } = ws;
        // The memory has this type: it was made with it or is replaced.
        let Some(Both { values, memory }) = Both::<R>::of(registers, model) else { return false };
        let mut zero = R::splat(0.0);
        base::run::<R>(model, base, (q, v, a), wrenches, values);
        let (base, values) = (&*base, &*values);
        result.tau.copy_from_slice(&base.tau);
        for chunk in &plan.get_or_insert_with(|| Box::new(Plan::new(model))).chunks {
            let common = Common { model, base, values, chunk, q, v, a, wrenches };
            R::call(ByConfiguration { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_dq, zero);
            R::call(ByVelocity { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_dv, zero);
            R::call(ByAcceleration { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_da, zero);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            R::call(ByWrench { model, base, values, wrench, tau: &mut memory.tau, matrix });
        }
        let rest = joint_dynamics(model, v, result);
        wrenches.is_empty() && zero.add(R::splat(rest)).all_lt(R::splat(1.0))
    }
}

/// What the runs over dual numbers share.
#[derive(Clone, Copy)]
struct Common<'a> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    values: &'a Values,
    chunk: &'a Chunk,
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

/// Zero where forces and torques are summed up.
#[inline(always)]
fn clear<R: Register>(chunk: &Chunk, memory: &mut Memory<R>) {
    if chunk.shares {
        for rows in &chunk.runs {
            memory.tau[rows.clone()].fill(Lanes::zero());
        }
    }
    for &junction in &chunk.junctions {
        memory.force[junction] = Force::zero();
    }
}

/// Runs a piece where it stands; in builds for finding mistakes, which may not be optimised, as a function of its own: what is
/// inlined would pile up on the stack.
#[inline(always)]
fn in_place<R: Register, P: Piece>(piece: P) -> P::Output {
    if cfg!(debug_assertions) { R::call(piece) } else { piece.run() }
}
