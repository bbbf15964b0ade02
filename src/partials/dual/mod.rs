//! Derivatives of inverse dynamics by dual numbers.
//!
//! Poses over `f64` ([`base`]), then for each chunk of eight joints' directions, in `q` and in `v`, one run over dual numbers with
//! two registers of derivatives, only as far as the directions reach ([`Plan`](super::plan::Plan)), and with no more derivatives than needed:
//!
//! | with respect to | poses | velocities | accelerations, forces |
//! |---|---|---|---|
//! | `q`, `v` | `f64`, and a term for the joints that the directions move ([`frame`]) | dual | dual |
//! | `a`, wrenches | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Bodies that carry moved ones without moving pass on derivatives of forces by their `f64` poses.

mod base;
mod frame;
mod jet;

use super::DerivativeWorkspace;
use super::plan::{Chunk, Moved as MovedBody};
use super::result::RneaDerivatives;
use crate::dynamics::step::{self, Inward, Outward};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, rnea};
use crate::model::{Body, Model};
use crate::spatial::{Force, Motion, Transform};
use frame::{vary_force, vary_motion};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Kernel, Piece, Register, dispatch};
use gradyn_derivatives::{Dual, Lanes, Real, Scalar, Uniform};
use jet::{Jet, vary_subspace};
use nalgebra::{DMatrix, Vector3};
use std::any::Any;

/// A value with its derivatives along the chunk's configurations, and along its velocities.
pub(super) type StateDual<R> = Dual<Uniform<R>, [Lanes<R>; 2]>;

/// Registers of one level.
struct Memory<R: Register> {
    dual: Workspace<StateDual<R>>,
    jet: Jet,
    /// Motion of a parent that does not move along the directions.
    lifted: Pair<R>,
    no_bias: Motion<StateDual<R>>,
    /// Bodies from one to the root.
    path: Vec<usize>,
    v: Vec<StateDual<R>>,
    a: Vec<StateDual<R>>,
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
            no_bias: Motion::zero(),
            path: Vec::with_capacity(n),
            v: vec![StateDual::zero(); nv],
            a: vec![StateDual::zero(); nv],
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

/// Fills in torques and derivatives. Lengths have been checked.
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
        base::run::<R>(model, plan, base, (q, v, a), wrenches);
        for (to, from) in memory.v.iter_mut().zip(v).chain(memory.a.iter_mut().zip(a)) {
            *to = StateDual::from(*from);
        }
        for chunk in &plan.chunks {
            let base = &*base;
            R::call(ByState { model, base, chunk, memory: &mut *memory, q, v, wrenches });
            for dof in chunk.dofs.clone() {
                // All bodies that its torque carries have moved, so it is complete.
                result.tau[dof] = memory.dual.tau[dof].re.get();
            }
            store(chunk, |row| memory.dual.tau[row].eps[0], &mut result.dtau_dq);
            store(chunk, |row| memory.dual.tau[row].eps[1], &mut result.dtau_dv);
            R::call(ByAcceleration { model, base, chunk, memory: &mut *memory });
            store(chunk, |row| memory.tau[row], &mut result.dtau_da);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            R::call(ByWrench { model, base, wrench, memory: &mut *memory, matrix });
        }
        joint_dynamics(model, v, a, result);
    }
}

/// One column a lane.
#[inline(always)]
fn store<R: Register>(chunk: &Chunk, tau: impl Fn(usize) -> Lanes<R>, matrix: &mut DMatrix<f64>) {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for &row in &chunk.rows {
        let lanes = tau(row).to_array();
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
        memory.dual.tau[row] = StateDual::zero();
    }
    for &carrier in &chunk.carriers {
        memory.force[carrier] = Force::zero();
        memory.dual.force[carrier] = Force::zero();
    }
}

/// `∂τ/∂q` and `∂τ/∂v`: dual velocities, accelerations and forces of everything that moves.
struct ByState<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    chunk: &'a Chunk,
    memory: &'a mut Memory<R>,
    q: &'a [f64],
    v: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

impl<R: Register> Piece for ByState<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, chunk, memory, q, v, wrenches } = self;
        clear(chunk, memory);
        for (lane, dof) in chunk.dofs.clone().enumerate() {
            memory.v[dof].eps[1] = Lanes::unit(lane);
        }
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let own = base.first[i]..base.first[i] + body.v.len();
            let ws = &mut memory.dual;
            let (v_i, a) = (&memory.v[body.v.clone()], &memory.a[body.v.clone()]);
            lift_parent(model, base, body, moved.parent_moves, &mut memory.lifted);
            let (velocity, acceleration, parent) =
                with_parent(body, moved.parent_moves, i, &mut ws.velocity, &mut ws.acceleration, &memory.lifted);
            let force = &mut ws.force[i];
            let (x_pb, columns) = (&base.x_pb[i], &base.columns[own.clone()]);
            if moved.driven && body.subspace_varies {
                let state = (&q[body.q.clone()], &v[body.v.clone()]);
                let varied = &mut ws.columns[own];
                let bias = &vary_subspace(body, chunk, state, &mut memory.jet, varied);
                let (subspace, varied) = (columns, &*varied);
                let step = Moved { body, chunk, x_pb, subspace, columns: varied, bias, v: v_i, a, parent };
                R::call(step.to(velocity, acceleration, force));
            } else if moved.driven {
                let (subspace, bias) = (columns, &memory.no_bias);
                let step = Moved { body, chunk, x_pb, subspace, columns, bias, v: v_i, a, parent };
                R::call(step.to(velocity, acceleration, force));
            } else {
                let bias = &base.bias[i].lift();
                R::call(Outward { body, x_pb, columns, bias, v: v_i, a, parent, velocity, acceleration, force });
            }
        }
        if !wrenches.is_empty() {
            subtract_wrenches(model, base, chunk, memory, wrenches);
        }
        let ws = &mut memory.dual;
        for moved in chunk.moved.iter().rev() {
            R::call(Returned {
                model,
                base,
                chunk,
                moved,
                varied: &ws.columns,
                force: &mut ws.force,
                tau: &mut ws.tau,
            });
        }
        inward(model, base, &chunk.carriers, &mut ws.force, &mut ws.tau);
        for dof in chunk.dofs.clone() {
            memory.v[dof].eps[1] = Lanes::zero();
        }
    }
}

/// The outward step at a body whose joint the directions move: motion of the parent varies in coordinates of the body.
struct Moved<'a, X, R: Register> {
    body: &'a Body,
    chunk: &'a Chunk,
    x_pb: &'a Transform<f64>,
    subspace: &'a [Motion<f64>],
    columns: &'a [Motion<X>],
    bias: &'a Motion<StateDual<R>>,
    v: &'a [StateDual<R>],
    a: &'a [StateDual<R>],
    parent: (&'a Motion<StateDual<R>>, &'a Motion<StateDual<R>>),
}

/// [`Moved`], with the places for velocity, acceleration and force.
struct MovedTo<'a, X, R: Register>(
    Moved<'a, X, R>,
    &'a mut Motion<StateDual<R>>,
    &'a mut Motion<StateDual<R>>,
    &'a mut Force<StateDual<R>>,
);

impl<'a, X, R: Register> Moved<'a, X, R> {
    #[inline(always)]
    fn to(
        self,
        velocity: &'a mut Motion<StateDual<R>>,
        acceleration: &'a mut Motion<StateDual<R>>,
        force: &'a mut Force<StateDual<R>>,
    ) -> MovedTo<'a, X, R> {
        MovedTo(self, velocity, acceleration, force)
    }
}

impl<X: Scalar, R: Register> Piece for MovedTo<'_, X, R>
where
    StateDual<R>: Scalar<X>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(Moved { body, chunk, x_pb, subspace, columns, bias, v, a, parent }, velocity, acceleration, force) =
            self;
        let (mut v_b, mut a_b) = (x_pb.inv_act(*parent.0), x_pb.inv_act(*parent.1));
        vary_motion(body, chunk, subspace, &mut v_b);
        vary_motion(body, chunk, subspace, &mut a_b);
        let (v_b, a_b) = step::joint_motion(body, columns, bias, v, a, v_b, a_b);
        *force = body.inertia.newton_euler(v_b, a_b);
        (*velocity, *acceleration) = (v_b, a_b);
    }
}

/// The inward step at one body that moves: the force varies on its way to the parent.
struct Returned<'a, R: Register> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    chunk: &'a Chunk,
    moved: &'a MovedBody,
    varied: &'a [Motion<StateDual<R>>],
    force: &'a mut [Force<StateDual<R>>],
    tau: &'a mut [StateDual<R>],
}

impl<R: Register> Piece for Returned<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, chunk, moved, varied, force, tau } = self;
        let (i, body) = (moved.body, &model.bodies[moved.body]);
        let own = base.first[i]..base.first[i] + body.v.len();
        let (mut f, tau) = (force[i], &mut tau[body.v.clone()]);
        let columns = &base.columns[own.clone()];
        if moved.driven && body.subspace_varies {
            step::project(body, &varied[own], f, tau);
        } else {
            step::project(body, columns, f, tau);
        }
        if let Some(p) = body.parent {
            if moved.driven {
                vary_force(body, chunk, columns, 1.0, &mut f);
            }
            force[p] += base.x_pb[i].act(f);
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
type Pair<R> = (Motion<StateDual<R>>, Motion<StateDual<R>>);

/// Where motion of body `i` goes, and that of its parent: dual if it moves, else the lifted one.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "two places to write to and two to read from")]
fn with_parent<'m, R: Register>(
    body: &Body,
    parent_moves: bool,
    i: usize,
    velocity: &'m mut [Motion<StateDual<R>>],
    acceleration: &'m mut [Motion<StateDual<R>>],
    lifted: &'m Pair<R>,
) -> (&'m mut Motion<StateDual<R>>, &'m mut Motion<StateDual<R>>, (&'m Motion<StateDual<R>>, &'m Motion<StateDual<R>>))
{
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

/// Subtracts the wrenches on bodies that move. One that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register>(
    model: &Model,
    base: &Workspace<f64>,
    chunk: &Chunk,
    memory: &mut Memory<R>,
    wrenches: &[ExternalWrench],
) {
    for w in wrenches {
        let b = w.body.index();
        if chunk.moved.binary_search_by_key(&b, |moved| moved.body).is_err() {
            continue;
        }
        let f_b = match w.frame {
            WrenchFrame::Body => w.wrench.lift(),
            WrenchFrame::World => {
                // From the world to the body, joint by joint.
                memory.path.clear();
                memory.path.extend(std::iter::successors(Some(b), |i| model.bodies[*i].parent));
                let mut f: Force<StateDual<R>> = w.wrench.lift();
                for &i in memory.path.iter().rev() {
                    let body = &model.bodies[i];
                    f = base.x_pb[i].inv_act(f);
                    vary_force(body, chunk, &base.columns[base.first[i]..][..body.v.len()], -1.0, &mut f);
                }
                f
            }
        };
        memory.dual.force[b] -= f_b;
    }
}

/// Armature, damping and friction: on the diagonal, each by its own formula.
fn joint_dynamics(model: &Model, v: &[f64], a: &[f64], result: &mut RneaDerivatives) {
    for dof in &model.dofs {
        let i = dof.index;
        result.tau[i] += a[i] * dof.mass();
        result.dtau_da[(i, i)] += dof.mass();
        if model.joint_friction {
            let friction = dof.friction_torque(Dual64::new(v[i], 1.0), model.friction_width);
            result.tau[i] += friction.re;
            result.dtau_dv[(i, i)] += friction.eps;
        }
    }
}
