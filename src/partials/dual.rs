//! Derivatives of inverse dynamics by dual numbers.
//!
//! One run over `f64`, then for each chunk of eight directions one run over dual numbers, only as far as the directions
//! reach ([`Plan`](super::plan::Plan)), and with no more derivatives than needed:
//!
//! | with respect to | poses | velocities | accelerations, forces |
//! |---|---|---|---|
//! | `q` | dual where moved by the directions, else `f64` | dual | dual |
//! | `v` | `f64` | dual | dual |
//! | `a`, wrenches | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Bodies that carry moved ones without moving pass on derivatives of forces alone, by their `f64` poses.

use super::DerivativeWorkspace;
use super::plan::Chunk;
use super::result::RneaDerivatives;
use crate::dynamics::rnea::{self, to_root};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, step};
use crate::joint::{Elementary, Joint, JointKind};
use crate::model::{Body, Model};
use crate::spatial::{Force, Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Kernel, Register, dispatch};
use gradyn_derivatives::{Lanes, MulAdd, Real, VectorDual};
use nalgebra::{DMatrix, Vector3};
use std::any::Any;

/// Registers of one level.
struct Memory<R: Register> {
    dual: Workspace<VectorDual<R>>,
    state: State,
    jet: Jet,
    v: Vec<VectorDual<R>>,
    a: Vec<VectorDual<R>>,
    unit: Vec<Lanes<R>>,
    acceleration: Vec<Motion<Lanes<R>>>,
    force: Vec<Force<Lanes<R>>>,
    tau: Vec<Lanes<R>>,
}

impl<R: Register> Memory<R> {
    fn new(model: &Model) -> Self {
        let (n, nq, nv) = (model.bodies().len(), model.nq(), model.nv());
        Self {
            dual: Workspace::new(model),
            state: State { q: vec![0.0; nq], v: vec![0.0; nv] },
            jet: Jet::new(model),
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
        let DerivativeWorkspace { base, plan, registers, result } = ws;
        // The memory has this type: it was made with it or is replaced.
        let Some(memory) = Memory::<R>::of(registers, model) else { return };
        memory.state.q.copy_from_slice(q);
        memory.state.v.copy_from_slice(v);
        constants(&mut memory.v, v);
        constants(&mut memory.a, a);
        for chunk in &plan.chunks {
            by_configuration(model, base, chunk, memory, wrenches);
            store(chunk, &memory.tau, &mut result.dtau_dq);
            by_velocity(model, base, chunk, memory);
            store(chunk, &memory.tau, &mut result.dtau_dv);
            by_acceleration(model, base, chunk, memory);
            store(chunk, &memory.tau, &mut result.dtau_da);
        }
        for (k, w) in wrenches.iter().enumerate() {
            by_wrench(model, base, w, memory, &mut result.dtau_df_ext[k]);
        }
        joint_dynamics(model, v, result);
    }
}

#[inline(always)]
fn constants<R: Register>(to: &mut [VectorDual<R>], from: &[f64]) {
    for i in 0..to.len() {
        to[i] = VectorDual::from(from[i]);
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
#[inline(always)]
fn by_configuration<R: Register>(
    model: &Model,
    base: &Workspace<f64>,
    chunk: &Chunk,
    memory: &mut Memory<R>,
    wrenches: &[ExternalWrench],
) {
    clear(chunk, memory);
    for moved in &chunk.moved {
        let (i, body) = (moved.body, &model.bodies[moved.body]);
        let (k, nv) = (base.first[i], body.v.len());
        let (v, a) = (&memory.v[body.v.clone()], &memory.a[body.v.clone()]);
        let ws = &mut memory.dual;
        let (v_p, a_p) = match (moved.parent_moves, body.parent) {
            (true, Some(p)) => (ws.velocity[p], ws.acceleration[p]),
            (_, parent) => still(model, base, parent),
        };
        let (v_b, a_b) = if moved.driven {
            let bias =
                vary_joint(body, chunk, &memory.state, &mut memory.jet, &mut ws.x_pb[i], &mut ws.columns[k..k + nv]);
            step::motion(body, &ws.x_pb[i], &ws.columns[k..k + nv], bias, v, a, v_p, a_p)
        } else {
            let bias = base.bias[i].lift();
            step::motion(body, &base.x_pb[i], &base.columns[k..k + nv], bias, v, a, v_p, a_p)
        };
        ws.force[i] = body.inertia.newton_euler(v_b, a_b);
        (ws.velocity[i], ws.acceleration[i]) = (v_b, a_b);
    }
    if !wrenches.is_empty() {
        subtract_wrenches(model, base, chunk, memory, wrenches);
    }
    let ws = &mut memory.dual;
    for moved in chunk.moved.iter().rev() {
        let order = [moved.body].into_iter();
        if moved.driven {
            to_root(model, order, &ws.x_pb, &ws.columns, &ws.first, &mut ws.force, &mut ws.tau);
        } else {
            to_root(model, order, &base.x_pb, &base.columns, &base.first, &mut ws.force, &mut ws.tau);
        }
    }
    through_carriers(model, base, chunk, memory);
}

/// `∂τ/∂v`: poses are constant.
#[inline(always)]
fn by_velocity<R: Register>(model: &Model, base: &Workspace<f64>, chunk: &Chunk, memory: &mut Memory<R>) {
    clear(chunk, memory);
    for (lane, dof) in chunk.dofs.clone().enumerate() {
        memory.v[dof].eps = Lanes::unit(lane);
    }
    for moved in &chunk.moved {
        let (i, body) = (moved.body, &model.bodies[moved.body]);
        let columns = &base.columns[base.first[i]..][..body.v.len()];
        let (v, a) = (&memory.v[body.v.clone()], &memory.a[body.v.clone()]);
        let ws = &mut memory.dual;
        let (v_p, a_p) = match (moved.parent_moves, body.parent) {
            (true, Some(p)) => (ws.velocity[p], ws.acceleration[p]),
            (_, parent) => still(model, base, parent),
        };
        let bias = if moved.driven && body.subspace_varies {
            vary_bias(body, chunk, &memory.state, &mut memory.jet)
        } else {
            base.bias[i].lift()
        };
        let (v_b, a_b) = step::motion(body, &base.x_pb[i], columns, bias, v, a, v_p, a_p);
        ws.force[i] = body.inertia.newton_euler(v_b, a_b);
        (ws.velocity[i], ws.acceleration[i]) = (v_b, a_b);
    }
    let ws = &mut memory.dual;
    let moved = chunk.moved.iter().rev().map(|moved| moved.body);
    to_root(model, moved, &base.x_pb, &base.columns, &base.first, &mut ws.force, &mut ws.tau);
    through_carriers(model, base, chunk, memory);
    for dof in chunk.dofs.clone() {
        memory.v[dof].eps = Lanes::zero();
    }
}

/// `∂τ/∂a`: τ is linear in a, so eight unit accelerations go through at once: `α = X⁻¹ α_λ + S e`, `φ = Y α`.
#[inline(always)]
fn by_acceleration<R: Register>(model: &Model, base: &Workspace<f64>, chunk: &Chunk, memory: &mut Memory<R>) {
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
    let moved = chunk.moved.iter().rev().map(|moved| moved.body);
    let order = moved.chain(chunk.carriers.iter().copied());
    to_root(model, order, &base.x_pb, &base.columns, &base.first, &mut memory.force, &mut memory.tau);
    for dof in chunk.dofs.clone() {
        memory.unit[dof] = Lanes::zero();
    }
}

/// `∂τ/∂φ = −Jᵀ`: six unit wrenches on one body, on their way to the root.
#[inline(always)]
fn by_wrench<R: Register>(
    model: &Model,
    base: &Workspace<f64>,
    wrench: &ExternalWrench,
    memory: &mut Memory<R>,
    matrix: &mut DMatrix<f64>,
) {
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

/// Velocity and acceleration of a parent that does not vary.
#[inline(always)]
fn still<R: Register>(
    model: &Model,
    base: &Workspace<f64>,
    parent: Option<usize>,
) -> (Motion<VectorDual<R>>, Motion<VectorDual<R>>) {
    match parent {
        Some(p) => (base.velocity[p].lift(), base.acceleration[p].lift()),
        None => (Motion::zero(), rnea::base_acceleration(model)),
    }
}

/// The sweep to the root through bodies that carry moved ones: derivatives of forces, by poses that are constant.
#[inline(always)]
fn through_carriers<R: Register>(model: &Model, base: &Workspace<f64>, chunk: &Chunk, memory: &mut Memory<R>) {
    for &carrier in &chunk.carriers {
        memory.force[carrier] = tangent(memory.dual.force[carrier]);
    }
    for &row in &chunk.rows {
        memory.tau[row] = memory.dual.tau[row].eps;
    }
    let carriers = chunk.carriers.iter().copied();
    to_root(model, carriers, &base.x_pb, &base.columns, &base.first, &mut memory.force, &mut memory.tau);
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

/// Pose, columns and bias of a joint that the chunk's directions move, with their derivatives along them.
///
/// A joint depends on its own few directions only. The formulas of its kind are evaluated for one direction at a time,
/// with [`Dual64`], and each derivative is put in its lane; for the revolute joint they are written out.
#[inline(always)]
fn vary_joint<R: Register>(
    body: &Body,
    chunk: &Chunk,
    state: &State,
    jet: &mut Jet,
    x_pb: &mut Transform<VectorDual<R>>,
    columns: &mut [Motion<VectorDual<R>>],
) -> Motion<VectorDual<R>> {
    if let Joint::Elementary(Elementary::Revolute(_)) = body.joint {
        let q = VectorDual::variable(state.q[body.q.start], body.v.start - chunk.dofs.start);
        *x_pb = step::pose(body, &[q], columns);
        return Motion::zero();
    }
    let mut bias = Motion::zero();
    let mut first = true;
    for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
        jet.by_configuration(body, state, dof - body.v.start);
        let lane = dof - chunk.dofs.start;
        let (r, p) = (&mut x_pb.rotation, &mut x_pb.translation);
        for (to, from) in r.iter_mut().zip(jet.x_pb.rotation.iter()) {
            add(to, *from, lane, first);
        }
        for (to, from) in p.iter_mut().zip(jet.x_pb.translation.iter()) {
            add(to, *from, lane, first);
        }
        for (to, from) in columns.iter_mut().zip(&jet.columns) {
            add_motion(to, from, lane, first);
        }
        add_motion(&mut bias, &jet.bias, lane, first);
        first = false;
    }
    bias
}

/// Bias of a joint with its derivatives along the chunk's velocities.
#[inline(always)]
fn vary_bias<R: Register>(body: &Body, chunk: &Chunk, state: &State, jet: &mut Jet) -> Motion<VectorDual<R>> {
    let mut bias = Motion::zero();
    let mut first = true;
    for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
        jet.by_velocity(body, state, dof - body.v.start);
        add_motion(&mut bias, &jet.bias, dof - chunk.dofs.start, first);
        first = false;
    }
    bias
}

#[inline(always)]
fn add_motion<R: Register>(to: &mut Motion<VectorDual<R>>, from: &Motion<Dual64>, lane: usize, first: bool) {
    for (to, from) in to.linear.iter_mut().zip(from.linear.iter()) {
        add(to, *from, lane, first);
    }
    for (to, from) in to.angular.iter_mut().zip(from.angular.iter()) {
        add(to, *from, lane, first);
    }
}

/// Puts a derivative in its lane; the first one brings the value and clears the other lanes.
#[inline(always)]
fn add<R: Register>(to: &mut VectorDual<R>, from: Dual64, lane: usize, first: bool) {
    if first {
        *to = VectorDual::from(from.re);
    }
    to.eps = Lanes::unit(lane).mul_plus(from.eps, to.eps);
}

/// The state that the derivatives are taken at.
struct State {
    q: Vec<f64>,
    v: Vec<f64>,
}

/// Pose, columns and bias of one joint with their derivatives in one direction.
struct Jet {
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    unit: Vec<f64>,
    rate: Vec<f64>,
    x_pb: Transform<Dual64>,
    columns: Vec<Motion<Dual64>>,
    bias: Motion<Dual64>,
}

impl Jet {
    fn new(model: &Model) -> Self {
        let largest = |size: fn(&Body) -> usize| model.bodies.iter().map(size).max().unwrap_or(0);
        let (nq, nv) = (largest(|body| body.q.len()), largest(|body| body.v.len()));
        Self {
            q: vec![Dual64::from(0.0); nq],
            v: vec![Dual64::from(0.0); nv],
            unit: vec![0.0; nv],
            rate: vec![0.0; nq],
            x_pb: Transform::identity(),
            columns: vec![Motion::zero(); nv],
            bias: Motion::zero(),
        }
    }

    /// Along `q ⊕ ε e_k`: coordinates change by `ε G(q) e_k`.
    #[inline(never)]
    fn by_configuration(&mut self, body: &Body, state: &State, k: usize) {
        let (nq, nv) = (body.q.len(), body.v.len());
        let (q, v) = (&state.q[body.q.clone()], &state.v[body.v.clone()]);
        self.unit[..nv].fill(0.0);
        self.unit[k] = 1.0;
        body.joint.q_dot(q, &self.unit[..nv], &mut self.rate[..nq]);
        for i in 0..nq {
            self.q[i] = Dual64::new(q[i], self.rate[i]);
        }
        for i in 0..nv {
            self.v[i] = Dual64::from(v[i]);
        }
        body.joint.motion_subspace(&self.q[..nq], &mut self.columns[..nv]);
        self.x_pb = body.placement * body.joint.pose(&self.q[..nq]);
        self.bias = body.joint.bias(&self.q[..nq], &self.v[..nv]);
    }

    /// Along `v + ε e_k`.
    #[inline(never)]
    fn by_velocity(&mut self, body: &Body, state: &State, k: usize) {
        let (nq, nv) = (body.q.len(), body.v.len());
        for (to, from) in self.q.iter_mut().zip(&state.q[body.q.clone()]) {
            *to = Dual64::from(*from);
        }
        for (to, from) in self.v.iter_mut().zip(&state.v[body.v.clone()]) {
            *to = Dual64::from(*from);
        }
        self.v[k].eps = 1.0;
        self.bias = body.joint.bias(&self.q[..nq], &self.v[..nv]);
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
