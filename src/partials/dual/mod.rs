//! Derivatives of inverse dynamics by dual numbers.
//!
//! One run over `f64`, then for each chunk of eight directions one run over dual numbers, only as far as the directions
//! reach ([`Plan`](super::plan::Plan)), and with no more derivatives than needed:
//!
//! | with respect to | poses | velocities | accelerations, forces |
//! |---|---|---|---|
//! | `q` | dual where the directions move the joint, else `f64` | dual | dual |
//! | `v` | `f64` | dual | dual |
//! | `a`, wrenches | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Bodies that carry moved ones without moving pass on derivatives of forces alone, by their `f64` poses.

mod jet;

use super::DerivativeWorkspace;
use super::plan::Chunk;
use super::result::RneaDerivatives;
use crate::dynamics::step::{self, Inward, Outward};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, rnea};
use crate::model::{Body, Model};
use crate::spatial::{Force, Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Kernel, Piece, Register, dispatch};
use gradyn_derivatives::{Lanes, Real, Scalar, VectorDual};
use jet::{Jet, vary_bias, vary_joint};
use nalgebra::{DMatrix, Vector3};
use std::any::Any;

/// Registers of one level.
struct Memory<R: Register> {
    dual: Workspace<VectorDual<R>>,
    jet: Jet,
    /// Motion of a parent that does not move along the directions.
    lifted: Pair<R>,
    v: Vec<VectorDual<R>>,
    a: Vec<VectorDual<R>>,
    unit: Vec<Lanes<R>>,
    acceleration: Vec<Motion<Lanes<R>>>,
    force: Vec<Force<Lanes<R>>>,
    tau: Vec<Lanes<R>>,
}

impl<R: Register> Memory<R> {
    fn new(model: &Model) -> Self {
        let (n, nv) = (model.bodies().len(), model.nv());
        Self {
            dual: Workspace::new(model),
            jet: Jet::new(model),
            lifted: (Motion::zero(), Motion::zero()),
            v: vec![VectorDual::zero(); nv],
            a: vec![VectorDual::zero(); nv],
            unit: vec![Lanes::zero(); nv],
            acceleration: vec![Motion::zero(); n],
            force: vec![Force::zero(); n],
            tau: vec![Lanes::zero(); nv],
        }
    }

    fn of<'m>(slot: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        let fits = slot.as_ref().is_some_and(|memory| memory.is::<Self>());
        if !fits {
            *slot = Some(Box::new(Self::new(model)));
        }
        slot.as_mut().and_then(|memory| memory.downcast_mut())
    }
}

/// Fills in the derivatives; `ws.base` holds the run over `f64` at this state.
pub(super) fn rnea_derivatives(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) {
    dispatch(Derivatives { model, ws, q, v, a, wrenches });
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
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { model, ws, q, v, a, wrenches } = self;
        let DerivativeWorkspace { base, plan, registers, result, .. } = ws;
        // The memory has this type: it was made with it or is replaced.
        let Some(memory) = Memory::<R>::of(registers, model) else { return };
        for (to, from) in memory.v.iter_mut().zip(v).chain(memory.a.iter_mut().zip(a)) {
            *to = VectorDual::from(*from);
        }
        for chunk in &plan.chunks {
            let base = &*base;
            R::call(ByConfiguration { model, base, chunk, memory: &mut *memory, q, v, wrenches });
            store(chunk, &memory.tau, &mut result.dtau_dq);
            R::call(ByVelocity { model, base, chunk, memory: &mut *memory, q, v });
            store(chunk, &memory.tau, &mut result.dtau_dv);
            R::call(ByAcceleration { model, base, chunk, memory: &mut *memory });
            store(chunk, &memory.tau, &mut result.dtau_da);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            R::call(ByWrench { model, base, wrench, memory: &mut *memory, matrix });
        }
        joint_dynamics(model, v, result);
    }
}

/// One column a lane.
#[inline(always)]
fn store<R: Register>(chunk: &Chunk, tau: &[Lanes<R>], matrix: &mut DMatrix<f64>) {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for &row in &chunk.rows {
        let lanes = tau[row].to_array();
        for lane in 0..width {
            entries[lane * nv + row] = lanes[lane];
        }
    }
}

/// Zero where forces and torques are summed up.
#[inline(always)]
fn clear<R: Register>(chunk: &Chunk, memory: &mut Memory<R>) {
    for &row in &chunk.rows {
        memory.tau[row] = Lanes::zero();
        memory.dual.tau[row] = VectorDual::zero();
    }
    for &carrier in &chunk.carriers {
        memory.force[carrier] = Force::zero();
        memory.dual.force[carrier] = Force::zero();
    }
}

/// `∂τ/∂q`: poses are dual where the directions move a joint, velocities and forces of everything that moves.
struct ByConfiguration<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    chunk: &'a Chunk,
    memory: &'a mut Memory<R>,
    q: &'a [f64],
    v: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

impl<R: Register> Piece for ByConfiguration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, chunk, memory, q, v, wrenches } = self;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let own = base.first[i]..base.first[i] + body.v.len();
            let ws = &mut memory.dual;
            let (v_i, a) = (&memory.v[body.v.clone()], &memory.a[body.v.clone()]);
            lift_parent(model, base, body, moved.parent_moves, &mut memory.lifted);
            let (velocity, acceleration, parent) =
                with_parent(body, moved.parent_moves, i, &mut ws.velocity, &mut ws.acceleration, &memory.lifted);
            let force = &mut ws.force[i];
            if moved.driven {
                let (x_pb, columns) = (&mut ws.x_pb[i], &mut ws.columns[own]);
                let state = (&q[body.q.clone()], &v[body.v.clone()]);
                let bias = &vary_joint(body, chunk, state, base.trig[i], &mut memory.jet, x_pb, columns);
                let (x_pb, columns) = (&*x_pb, &*columns);
                R::call(Outward { body, x_pb, columns, bias, v: v_i, a, parent, velocity, acceleration, force });
            } else {
                let (x_pb, columns, bias) = (&base.x_pb[i], &base.columns[own], &base.bias[i].lift());
                R::call(Outward { body, x_pb, columns, bias, v: v_i, a, parent, velocity, acceleration, force });
            }
        }
        if !wrenches.is_empty() {
            subtract_wrenches(model, base, chunk, memory, wrenches);
        }
        for moved in chunk.moved.iter().rev() {
            let (bodies, order, ws) = (&model.bodies[..], [moved.body].into_iter(), &mut memory.dual);
            let (first, force, tau) = (&ws.first[..], &mut ws.force[..], &mut ws.tau[..]);
            if moved.driven {
                R::call(Inward { bodies, order, x_pb: &ws.x_pb, columns: &ws.columns, first, force, tau });
            } else {
                R::call(Inward { bodies, order, x_pb: &base.x_pb, columns: &base.columns, first, force, tau });
            }
        }
        through_carriers(model, base, chunk, memory);
    }
}

/// `∂τ/∂v`: poses are constant.
struct ByVelocity<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    chunk: &'a Chunk,
    memory: &'a mut Memory<R>,
    q: &'a [f64],
    v: &'a [f64],
}

impl<R: Register> Piece for ByVelocity<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, chunk, memory, q, v } = self;
        clear(chunk, memory);
        for (lane, dof) in chunk.dofs.clone().enumerate() {
            memory.v[dof].eps = Lanes::unit(lane);
        }
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let columns = &base.columns[base.first[i]..][..body.v.len()];
            let bias = if moved.driven && body.subspace_varies {
                &vary_bias(body, chunk, (&q[body.q.clone()], &v[body.v.clone()]), &mut memory.jet)
            } else {
                &base.bias[i].lift()
            };
            let (ws, x_pb) = (&mut memory.dual, &base.x_pb[i]);
            let (v, a) = (&memory.v[body.v.clone()], &memory.a[body.v.clone()]);
            lift_parent(model, base, body, moved.parent_moves, &mut memory.lifted);
            let (velocity, acceleration, parent) =
                with_parent(body, moved.parent_moves, i, &mut ws.velocity, &mut ws.acceleration, &memory.lifted);
            let force = &mut ws.force[i];
            R::call(Outward { body, x_pb, columns, bias, v, a, parent, velocity, acceleration, force });
        }
        let ws = &mut memory.dual;
        inward(model, base, &chunk.moved_up, &mut ws.force, &mut ws.tau);
        through_carriers(model, base, chunk, memory);
        for dof in chunk.dofs.clone() {
            memory.v[dof].eps = Lanes::zero();
        }
    }
}

/// `∂τ/∂a`: τ is linear in a, so eight unit accelerations go through at once: `α = X⁻¹ α_λ + S e`, `φ = Y α`.
struct ByAcceleration<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    chunk: &'a Chunk,
    memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByAcceleration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, chunk, memory } = self;
        clear(chunk, memory);
        for (lane, dof) in chunk.dofs.clone().enumerate() {
            memory.unit[dof] = Lanes::unit(lane);
        }
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let columns = &base.columns[base.first[i]..][..body.v.len()];
            let a_p = match (moved.parent_moves, body.parent) {
                (true, Some(p)) => memory.acceleration[p],
                _ => Motion::zero(),
            };
            let a_b = step::accelerate(body, &base.x_pb[i], columns, &memory.unit[body.v.clone()], a_p);
            (memory.acceleration[i], memory.force[i]) = (a_b, body.inertia * a_b);
        }
        inward(model, base, &chunk.moved_up, &mut memory.force, &mut memory.tau);
        inward(model, base, &chunk.carriers, &mut memory.force, &mut memory.tau);
        for dof in chunk.dofs.clone() {
            memory.unit[dof] = Lanes::zero();
        }
    }
}

/// `∂τ/∂φ = −Jᵀ`: six unit wrenches on one body, on their way to the root.
struct ByWrench<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    wrench: &'a ExternalWrench,
    memory: &'a mut Memory<R>,
    matrix: &'a mut DMatrix<f64>,
}

impl<R: Register> Piece for ByWrench<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, wrench, memory, matrix } = self;
        let minus = |k| -Lanes::<R>::unit(k);
        let unit = Force::new(Vector3::new(minus(0), minus(1), minus(2)), Vector3::new(minus(3), minus(4), minus(5)));
        let mut f = match wrench.frame {
            WrenchFrame::Body => unit,
            WrenchFrame::World => base.x_wb[wrench.body.index()].inv_act(unit),
        };
        for tau in &mut memory.tau {
            *tau = Lanes::zero();
        }
        let mut next = Some(wrench.body.index());
        while let Some(i) = next {
            let body = &model.bodies[i];
            let columns = &base.columns[base.first[i]..][..body.v.len()];
            step::project(body, columns, f, &mut memory.tau[body.v.clone()]);
            f = base.x_pb[i].act(f);
            next = body.parent;
        }
        for (row, tau) in memory.tau.iter().enumerate() {
            let lanes = tau.to_array();
            for k in 0..6 {
                matrix[(row, k)] = lanes[k];
            }
        }
    }
}

/// Velocity and acceleration of a parent that does not move along the directions, as constants.
#[inline(always)]
fn lift_parent<R: Register>(model: &Model, base: &Workspace<f64>, body: &Body, moves: bool, to: &mut Pair<R>) {
    match (moves, body.parent) {
        (true, _) => {}
        (false, Some(p)) => *to = (base.velocity[p].lift(), base.acceleration[p].lift()),
        (false, None) => *to = (Motion::zero(), rnea::base_acceleration(model)),
    }
}

/// A velocity and an acceleration.
type Pair<R> = (Motion<VectorDual<R>>, Motion<VectorDual<R>>);

/// Where motion of body `i` goes, and that of its parent: dual if it moves, else the lifted one.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "two places to write to and two to read from")]
fn with_parent<'m, R: Register>(
    body: &Body,
    parent_moves: bool,
    i: usize,
    velocity: &'m mut [Motion<VectorDual<R>>],
    acceleration: &'m mut [Motion<VectorDual<R>>],
    lifted: &'m Pair<R>,
) -> (
    &'m mut Motion<VectorDual<R>>,
    &'m mut Motion<VectorDual<R>>,
    (&'m Motion<VectorDual<R>>, &'m Motion<VectorDual<R>>),
) {
    // Parents come before their children.
    let (velocities, velocity) = velocity.split_at_mut(i);
    let (accelerations, acceleration) = acceleration.split_at_mut(i);
    let parent = match (parent_moves, body.parent) {
        (true, Some(p)) => (&velocities[p], &accelerations[p]),
        _ => (&lifted.0, &lifted.1),
    };
    (&mut velocity[0], &mut acceleration[0], parent)
}

/// The sweep to the root by poses that are constant.
#[inline(always)]
fn inward<T: Scalar>(model: &Model, base: &Workspace<f64>, order: &[usize], force: &mut [Force<T>], tau: &mut [T]) {
    let (bodies, order) = (&model.bodies[..], order.iter().copied());
    T::call(Inward { bodies, order, x_pb: &base.x_pb, columns: &base.columns, first: &base.first, force, tau });
}

/// The sweep to the root through bodies that carry moved ones: derivatives of forces alone.
#[inline(always)]
fn through_carriers<R: Register>(model: &Model, base: &Workspace<f64>, chunk: &Chunk, memory: &mut Memory<R>) {
    for &carrier in &chunk.carriers {
        memory.force[carrier] = tangent(memory.dual.force[carrier]);
    }
    for &row in &chunk.rows {
        memory.tau[row] = memory.dual.tau[row].eps;
    }
    inward(model, base, &chunk.carriers, &mut memory.force, &mut memory.tau);
}

/// The derivatives of a force.
#[inline(always)]
fn tangent<R: Register>(f: Force<VectorDual<R>>) -> Force<Lanes<R>> {
    let eps = |a: Vector3<VectorDual<R>>| Vector3::new(a.x.eps, a.y.eps, a.z.eps);
    Force::new(eps(f.linear), eps(f.angular))
}

/// Subtracts the wrenches on bodies that move.
#[inline(always)]
fn subtract_wrenches<R: Register>(
    model: &Model,
    base: &Workspace<f64>,
    chunk: &Chunk,
    memory: &mut Memory<R>,
    wrenches: &[ExternalWrench],
) {
    let ws = &mut memory.dual;
    if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
        for moved in &chunk.moved {
            let (i, parent) = (moved.body, model.bodies[moved.body].parent);
            let x_pb: Transform<VectorDual<R>> = if moved.driven { ws.x_pb[i] } else { base.x_pb[i].lift() };
            ws.x_wb[i] = match (moved.parent_moves, parent) {
                (true, Some(p)) => ws.x_wb[p] * x_pb,
                (false, Some(p)) => base.x_wb[p] * x_pb,
                (_, None) => x_pb,
            };
        }
    }
    for moved in &chunk.moved {
        let i = moved.body;
        for w in wrenches.iter().filter(|w| w.body.index() == i) {
            let wrench: Force<VectorDual<R>> = w.wrench.lift();
            let f_b = match w.frame {
                WrenchFrame::Body => wrench,
                WrenchFrame::World => ws.x_wb[i].inv_act(wrench),
            };
            ws.force[i] -= f_b;
        }
    }
}

/// Armature, damping and friction: on the diagonal, each by its own formula.
fn joint_dynamics(model: &Model, v: &[f64], result: &mut RneaDerivatives) {
    for dof in &model.dofs {
        let i = dof.index;
        result.dtau_da[(i, i)] += dof.mass();
        if model.joint_friction {
            let rate = dof.friction_torque(Dual64::new(v[i], 1.0), model.friction_width).eps;
            result.dtau_dv[(i, i)] += rate;
        }
    }
}
