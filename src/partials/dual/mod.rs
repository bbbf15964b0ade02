//! Derivatives of inverse dynamics by dual numbers.
//!
//! Values over `f64` ([`base`]), then for each chunk of eight joints' directions, in `q` and in `v`, a run over dual numbers
//! with these values, only as far as the directions reach ([`Plan`](super::plan::Plan)), and with no more derivatives than
//! needed:
//!
//! | with respect to | poses | joint velocities | motions of bodies, forces |
//! |---|---|---|---|
//! | `q` | `f64`, and a term for the joints that the directions move ([`frame`]) | `f64` | dual |
//! | `v` | `f64` | dual | dual |
//! | `a`, wrenches | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Axes are those of the world and the origin is the root body of each tree, so motions and forces go from body to body as they
//! are. From body to body go derivatives alone: the value that belongs to them is put in front of them again.

mod base;
mod frame;
mod jet;

use super::DerivativeWorkspace;
use super::plan::{Chunk, Moved as MovedBody};
use super::result::RneaDerivatives;
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, jacobian::path};
use crate::model::{Body, Model};
use crate::spatial::{Force, InertiaAboutOrigin, Motion};
use frame::{vary_force, vary_joint_velocity, vary_motion};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Kernel, Piece, Register, WIDTH, dispatch};
use gradyn_derivatives::{Lanes, Real, Scalar, VectorDual};
use jet::{Jet, vary_by_configuration, vary_by_velocity};
use nalgebra::{DMatrix, Vector3};
use std::any::Any;

/// A value with its derivatives along the chunk's configurations, or along its velocities.
pub(super) type StateDual<R> = VectorDual<R>;

/// Registers of one level.
struct Memory<R: Register> {
    jet: Jet,
    /// `S v` of each joint.
    own: Vec<Motion<f64>>,
    /// Columns that depend on `q`.
    columns: Vec<Motion<StateDual<R>>>,
    /// Derivatives of velocities and accelerations: of what stands still, then of each body.
    velocity: Vec<Motion<Lanes<R>>>,
    acceleration: Vec<Motion<Lanes<R>>>,
    /// Of forces and torques.
    force: Vec<Force<Lanes<R>>>,
    tau: Vec<Lanes<R>>,
    unit: Vec<Lanes<R>>,
}

impl<R: Register> Memory<R> {
    fn new(model: &Model) -> Self {
        let (n, nv) = (model.bodies().len(), model.nv());
        let columns = model.bodies.iter().map(|body| body.v.len()).sum();
        Self {
            jet: Jet::new(model),
            own: vec![Motion::zero(); n],
            columns: vec![Motion::zero(); columns],
            velocity: vec![Motion::zero(); n + 1],
            acceleration: vec![Motion::zero(); n + 1],
            force: vec![Force::zero(); n],
            tau: vec![Lanes::zero(); nv],
            unit: vec![Lanes::zero(); nv],
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
        let Some(memory) = Memory::<R>::of(registers, model) else { return false };
        let mut zero = R::splat(0.0);
        base::run(model, base, (q, v, a), wrenches);
        let base = &*base;
        result.tau.copy_from_slice(&base.tau);
        for ((body, first), own) in model.bodies.iter().zip(&base.first).zip(&mut memory.own) {
            *own = base::combined(&base.rooted.columns[*first..], &v[body.v.clone()]);
        }
        let ground = base::ground(model);
        for chunk in &plan.chunks {
            let common = Common { model, base, ground: &ground, chunk, q, v, a, wrenches };
            R::call(ByConfiguration { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_dq, zero);
            R::call(ByVelocity { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_dv, zero);
            R::call(ByAcceleration { common, memory: &mut *memory });
            zero = store(chunk, &memory.tau, &mut result.dtau_da, zero);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            R::call(ByWrench { model, base, wrench, memory: &mut *memory, matrix });
        }
        let rest = joint_dynamics(model, v, result);
        wrenches.is_empty() && zero.add(R::splat(rest)).all_lt(R::splat(1.0))
    }
}

/// One column a lane: rows that follow each other, eight at a time, are turned into pieces of columns. Returns `zero` plus all
/// entries times zero, which is not a number if one is not finite.
#[inline(always)]
fn store<R: Register>(chunk: &Chunk, tau: &[Lanes<R>], matrix: &mut DMatrix<f64>, mut zero: R) -> R {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for rows in &chunk.runs {
        let mut block = [R::splat(0.0); WIDTH];
        for (to, tau) in block.iter_mut().zip(&tau[rows.clone()]) {
            *to = tau.0;
            zero = to.mul_add(R::splat(0.0), zero);
        }
        let block = R::transpose(block);
        for lane in 0..width {
            block[lane].store_first(&mut entries[lane * nv..][rows.clone()]);
        }
    }
    zero
}

/// Zero where forces and torques are summed up.
#[inline(always)]
fn clear<R: Register>(chunk: &Chunk, memory: &mut Memory<R>) {
    for rows in &chunk.runs {
        memory.tau[rows.clone()].fill(Lanes::zero());
    }
    for &carrier in &chunk.carriers {
        memory.force[carrier] = Force::zero();
    }
}

/// What the runs over dual numbers share.
#[derive(Clone, Copy)]
struct Common<'a> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    /// Velocity and acceleration of what trees stand on.
    ground: &'a (Motion<f64>, Motion<f64>),
    chunk: &'a Chunk,
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

/// `∂τ/∂q`
struct ByConfiguration<'a, R: Register> {
    common: Common<'a>,
    memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByConfiguration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { model, base, chunk, q, v, a, .. } = common;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let columns = base.first[i]..base.first[i] + body.v.len();
            let driven = moved.driven.then_some(chunk);
            if body.subspace_varies {
                let (q_i, v_i, a_i) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
                let varied = &mut memory.columns[columns.clone()];
                for (to, from) in varied.iter_mut().zip(&base.rooted.columns[columns]) {
                    *to = from.lift();
                }
                let x = &base.rooted.pose[i];
                let mut bias: Motion<StateDual<R>> = x.act(base.bias[i]).lift();
                if moved.driven {
                    vary_by_configuration(body, chunk, (q_i, v_i), x, &mut memory.jet, varied, &mut bias);
                }
                let (own, drive) = (base::combined(varied, v_i), base::combined(varied, a_i));
                R::call(outward(common, moved, memory, &own, &(drive + bias), driven));
            } else {
                let own = memory.own[i];
                in_place::<R, _>(outward(common, moved, memory, &own, &Motion::<f64>::zero(), driven));
            }
        }
        subtract_wrenches(common, memory);
        let Memory { columns: varied, force, tau, .. } = &mut *memory;
        for moved in chunk.moved.iter().rev() {
            in_place::<R, _>(Returned { common, moved, varied, force, tau });
        }
        R::call(Carried { common, order: &chunk.carriers, force, tau });
    }
}

/// `∂τ/∂v`
struct ByVelocity<'a, R: Register> {
    common: Common<'a>,
    memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByVelocity<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { model, base, chunk, q, v, .. } = common;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let mut own: Motion<StateDual<R>> = memory.own[i].lift();
            if moved.driven {
                let columns = &base.rooted.columns[base.first[i]..][..body.v.len()];
                vary_joint_velocity(body, chunk, columns, &mut own);
            }
            if body.subspace_varies && moved.driven {
                let mut drive: Motion<StateDual<R>> = Motion::zero();
                let state = (&q[body.q.clone()], &v[body.v.clone()]);
                vary_by_velocity(body, chunk, state, &base.rooted.pose[i], &mut memory.jet, &mut drive);
                R::call(outward(common, moved, memory, &own, &drive, None));
            } else {
                in_place::<R, _>(outward(common, moved, memory, &own, &Motion::<f64>::zero(), None));
            }
        }
        let Memory { force, tau, .. } = &mut *memory;
        for order in [&chunk.moved_up, &chunk.carriers] {
            R::call(Carried { common, order, force: &mut *force, tau: &mut *tau });
        }
    }
}

/// Runs a piece where it stands; in builds for finding mistakes, which may not be optimised, as a function of its own: what is
/// inlined would pile up on the stack.
#[inline(always)]
fn in_place<R: Register, P: Piece>(piece: P) -> P::Output {
    if cfg!(debug_assertions) { R::call(piece) } else { piece.run() }
}

/// [`Outward`] at a body, from its parent's motion to its own places.
#[inline(always)]
fn outward<'a, R: Register, W, D>(
    common: Common<'a>,
    moved: &MovedBody,
    memory: &'a mut Memory<R>,
    own: &'a Motion<W>,
    drive: &'a Motion<D>,
    chunk: Option<&'a Chunk>,
) -> Outward<'a, W, D, R> {
    let Common { model, base, ground, .. } = common;
    let (i, body) = (moved.body, &model.bodies[moved.body]);
    // Parents come before their children.
    let (velocities, velocity) = memory.velocity.split_at_mut(i + 1);
    let (accelerations, acceleration) = memory.acceleration.split_at_mut(i + 1);
    let from = body.parent.filter(|_| moved.parent_moves).map_or(0, |p| p + 1);
    let values_of_parent = body.parent.map_or((&ground.0, &ground.1), |p| (&base.velocity[p], &base.acceleration[p]));
    Outward {
        body,
        chunk,
        subspace: &base.rooted.columns[base.first[i]..][..body.v.len()],
        inertia: &base.rooted.inertia[i],
        own,
        drive,
        values_of_parent,
        of_parent: (&velocities[from], &accelerations[from]),
        values: (&base.velocity[i], &base.acceleration[i]),
        velocity: &mut velocity[0],
        acceleration: &mut acceleration[0],
        force: &mut memory.force[i],
    }
}

/// The outward step at one body (RBDA, table 5.1, in coordinates of the world):
///
/// ```text
/// ν = ν_λ + S v        α = α_λ + ν × S v + S a + c        φ = Y α + ν ×* Y ν
/// ```
struct Outward<'a, W, D, R: Register> {
    body: &'a Body,
    /// The chunk, if its directions move the body's joint: then what comes from the parent varies.
    chunk: Option<&'a Chunk>,
    subspace: &'a [Motion<f64>],
    inertia: &'a InertiaAboutOrigin<f64>,
    /// `S v`
    own: &'a Motion<W>,
    /// What varies of `S a + c`; the value is not asked for.
    drive: &'a Motion<D>,
    /// Velocity and acceleration of the parent.
    values_of_parent: (&'a Motion<f64>, &'a Motion<f64>),
    of_parent: (&'a Motion<Lanes<R>>, &'a Motion<Lanes<R>>),
    /// Velocity and acceleration of the body.
    values: (&'a Motion<f64>, &'a Motion<f64>),
    velocity: &'a mut Motion<Lanes<R>>,
    acceleration: &'a mut Motion<Lanes<R>>,
    force: &'a mut Force<Lanes<R>>,
}

impl<W: Scalar, D: Scalar, R: Register> Piece for Outward<'_, W, D, R>
where
    StateDual<R>: Scalar<W> + Scalar<D>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { body, chunk, subspace, inertia, own, drive, values_of_parent, of_parent, values, .. } = self;
        let mut v = dual_motion(values_of_parent.0, *of_parent.0);
        let mut a = dual_motion(values_of_parent.1, *of_parent.1);
        if let Some(chunk) = chunk {
            vary_motion(body, chunk, subspace, &mut v);
            vary_motion(body, chunk, subspace, &mut a);
        }
        // Values are known: with them in place of those computed here, the compiler leaves the latter out.
        let v = dual_motion(values.0, tangent(*own + v));
        let a = dual_motion(values.1, tangent(*drive + a - own.cross(v)));
        let f = inertia.newton_euler(v, *inertia * v, a);
        (*self.velocity, *self.acceleration) = (tangent(v), tangent(a));
        *self.force = Force::new(tangents(f.linear), tangents(f.angular));
    }
}

/// The inward step at one body that moves: the force varies on its way to the parent.
struct Returned<'a, R: Register> {
    common: Common<'a>,
    moved: &'a MovedBody,
    varied: &'a [Motion<StateDual<R>>],
    force: &'a mut [Force<Lanes<R>>],
    tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Returned<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, chunk, .. }, moved, varied, force, tau } = self;
        let (i, body) = (moved.body, &model.bodies[moved.body]);
        let own = base.first[i]..base.first[i] + body.v.len();
        let columns = &base.rooted.columns[own.clone()];
        let value = &base.force[i];
        let mut f = Force::new(duals(value.linear, force[i].linear), duals(value.angular, force[i].angular));
        if body.subspace_varies {
            for (column, tau) in varied[own].iter().zip(&mut tau[body.v.clone()]) {
                *tau += column.power(f).eps;
            }
        } else {
            project(columns, force[i], &mut tau[body.v.clone()]);
        }
        if let Some(p) = body.parent {
            if moved.driven {
                vary_force(body, chunk, columns, 1.0, &mut f);
            }
            force[p] += Force::new(tangents(f.linear), tangents(f.angular));
        }
    }
}

/// The sweep to the root over bodies whose joints stand still.
struct Carried<'a, R: Register> {
    common: Common<'a>,
    order: &'a [usize],
    force: &'a mut [Force<Lanes<R>>],
    tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Carried<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, .. }, order, force, tau } = self;
        for &i in order {
            let (body, f) = (&model.bodies[i], force[i]);
            project(&base.rooted.columns[base.first[i]..][..body.v.len()], f, &mut tau[body.v.clone()]);
            if let Some(p) = body.parent {
                force[p] += f;
            }
        }
    }
}

/// Values with the derivatives that belong to them.
#[inline(always)]
fn duals<R: Register>(value: Vector3<f64>, tangent: Vector3<Lanes<R>>) -> Vector3<StateDual<R>> {
    Vector3::new(
        StateDual::new(value.x.into(), tangent.x),
        StateDual::new(value.y.into(), tangent.y),
        StateDual::new(value.z.into(), tangent.z),
    )
}

#[inline(always)]
fn dual_motion<R: Register>(value: &Motion<f64>, tangent: Motion<Lanes<R>>) -> Motion<StateDual<R>> {
    Motion::new(duals(value.linear, tangent.linear), duals(value.angular, tangent.angular))
}

/// The derivatives alone.
#[inline(always)]
fn tangents<R: Register>(x: Vector3<StateDual<R>>) -> Vector3<Lanes<R>> {
    Vector3::new(x.x.eps, x.y.eps, x.z.eps)
}

#[inline(always)]
fn tangent<R: Register>(m: Motion<StateDual<R>>) -> Motion<Lanes<R>> {
    Motion::new(tangents(m.linear), tangents(m.angular))
}

/// `τ += Sᵀ f`
#[inline(always)]
fn project<X: Scalar, T: Scalar<X>>(columns: &[Motion<X>], f: Force<T>, tau: &mut [T]) {
    for (column, tau) in columns.iter().zip(tau) {
        *tau += column.power(f);
    }
}

/// `∂τ/∂a`: τ is linear in a, so eight unit accelerations go through at once: `α = α_λ + S e`, `φ = Y α`.
struct ByAcceleration<'a, R: Register> {
    common: Common<'a>,
    memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByAcceleration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { model, base, chunk, .. } = common;
        clear(chunk, memory);
        for (lane, dof) in chunk.dofs.clone().enumerate() {
            memory.unit[dof] = Lanes::unit(lane);
        }
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let from = body.parent.filter(|_| moved.parent_moves).map_or(0, |p| p + 1);
            let mut a_b = memory.acceleration[from];
            for (column, dof) in base.rooted.columns[base.first[i]..].iter().zip(body.v.clone()) {
                a_b = column.times_plus(memory.unit[dof], a_b);
            }
            (memory.acceleration[i + 1], memory.force[i]) = (a_b, base.rooted.inertia[i] * a_b);
        }
        let Memory { force, tau, .. } = &mut *memory;
        for order in [&chunk.moved_up, &chunk.carriers] {
            R::call(Carried { common, order, force: &mut *force, tau: &mut *tau });
        }
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
        let f = base.rooted.wrench(wrench.body.index(), wrench.frame, unit);
        for tau in &mut memory.tau {
            *tau = Lanes::zero();
        }
        for (i, body) in path(&model.bodies, Some(wrench.body.index())) {
            project(&base.rooted.columns[base.first[i]..][..body.v.len()], f, &mut memory.tau[body.v.clone()]);
        }
        for (row, tau) in memory.tau.iter().enumerate() {
            let lanes = tau.to_array();
            for k in 0..6 {
                matrix[(row, k)] = lanes[k];
            }
        }
    }
}

/// Subtracts the wrenches on bodies that move: one that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register>(common: Common<'_>, memory: &mut Memory<R>) {
    let Common { model, base, chunk, wrenches, .. } = common;
    for w in wrenches.iter().filter(|w| w.frame == WrenchFrame::World) {
        let b = w.body.index();
        if chunk.moved.binary_search_by_key(&b, |moved| moved.body).is_err() {
            continue;
        }
        let mut f: Force<StateDual<R>> = base.rooted.wrench(b, w.frame, w.wrench).lift();
        for (i, body) in path(&model.bodies, Some(b)) {
            let columns = &base.rooted.columns[base.first[i]..][..body.v.len()];
            vary_force(body, chunk, columns, -1.0, &mut f);
        }
        memory.force[b] -= Force::new(tangents(f.linear), tangents(f.angular));
    }
}

/// Armature, damping and friction: on the diagonal, each by its own formula. Returns the sum of what it has changed of the
/// derivatives times zero.
fn joint_dynamics(model: &Model, v: &[f64], result: &mut RneaDerivatives) -> f64 {
    let mut zero = 0.0;
    for dof in &model.dofs {
        let i = dof.index;
        result.dtau_da[(i, i)] += dof.mass();
        if model.joint_friction {
            let friction = dof.friction_torque(Dual64::new(v[i], 1.0), model.friction_width);
            result.dtau_dv[(i, i)] += friction.eps;
        }
        zero += (result.dtau_da[(i, i)] + result.dtau_dv[(i, i)]) * 0.0;
    }
    zero
}
