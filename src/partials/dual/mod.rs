//! Derivatives of inverse dynamics by dual numbers.
//!
//! Poses over `f64` ([`base`]), then for each chunk of eight joints' directions, in `q` and in `v`, a run over dual numbers, only
//! as far as the directions reach ([`Plan`](super::plan::Plan)), and with no more derivatives than needed:
//!
//! | with respect to | poses | joint velocities | motions of bodies, forces |
//! |---|---|---|---|
//! | `q` | `f64`, and a term for the joints that the directions move ([`frame`]) | `f64` | dual |
//! | `v` | `f64` | dual | dual |
//! | `a`, wrenches | `f64` | – | eight directions at once: τ is linear in them |
//!
//! Axes are those of the world and the origin is the root body of each tree, so motions and forces go from body to body as they
//! are.

mod base;
mod frame;
mod jet;

use super::DerivativeWorkspace;
use super::plan::{Chunk, Moved as MovedBody};
use super::result::RneaDerivatives;
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, jacobian::path, rnea};
use crate::model::{Body, Model};
use crate::spatial::{Force, InertiaAboutOrigin, Motion};
use base::JointMotion;
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
    dual: Workspace<StateDual<R>>,
    jet: Jet,
    joints: Vec<JointMotion>,
    /// Motion of a parent that does not move along the directions.
    lifted: Pair<R>,
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
            joints: vec![JointMotion::default(); n],
            lifted: (Motion::zero(), Motion::zero()),
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
        let joints = &mut memory.joints;
        base::run(model, plan, base, joints, (q, v, a), !wrenches.is_empty());
        for chunk in &plan.chunks {
            let base = &*base;
            let common = Common { model, base, chunk, q, v, a, wrenches };
            R::call(ByConfiguration { common, memory: &mut *memory });
            for dof in chunk.dofs.clone() {
                // All bodies that its torque carries have moved, so it is complete.
                result.tau[dof] = memory.dual.tau[dof].value();
            }
            zero = store(chunk, |row| memory.dual.tau[row].eps, &mut result.dtau_dq, zero);
            R::call(ByVelocity { common, memory: &mut *memory });
            zero = store(chunk, |row| memory.dual.tau[row].eps, &mut result.dtau_dv, zero);
            R::call(ByAcceleration { model, base, chunk, memory: &mut *memory });
            zero = store(chunk, |row| memory.tau[row], &mut result.dtau_da, zero);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            R::call(ByWrench { model, base, wrench, memory: &mut *memory, matrix });
        }
        let rest = joint_dynamics(model, v, a, result);
        wrenches.is_empty() && zero.add(R::splat(rest)).all_lt(R::splat(1.0))
    }
}

/// One column a lane: rows that follow each other, eight at a time, are turned into pieces of columns. Returns `zero` plus all
/// entries times zero, which is not a number if one is not finite.
#[inline(always)]
fn store<R: Register>(chunk: &Chunk, tau: impl Fn(usize) -> Lanes<R>, matrix: &mut DMatrix<f64>, mut zero: R) -> R {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for rows in &chunk.runs {
        let mut block = [R::splat(0.0); WIDTH];
        for (to, row) in block.iter_mut().zip(rows.clone()) {
            *to = tau(row).0;
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
fn clear<T: Scalar>(chunk: &Chunk, force: &mut [Force<T>], tau: &mut [T]) {
    for &row in &chunk.rows {
        tau[row] = T::zero();
    }
    for &carrier in &chunk.carriers {
        force[carrier] = Force::zero();
    }
}

/// What the runs over dual numbers share.
#[derive(Clone, Copy)]
struct Common<'a> {
    model: &'a Model,
    base: &'a Workspace<f64>,
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
        let Common { model, base, chunk, q, v, a, wrenches } = common;
        clear(chunk, &mut memory.dual.force, &mut memory.dual.tau);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let columns = base.first[i]..base.first[i] + body.v.len();
            let (q_i, v_i, a_i) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
            let subspace = &base.rooted.columns[columns.clone()];
            let driven = moved.driven.then_some(chunk);
            if body.subspace_varies {
                let varied = &mut memory.dual.columns[columns];
                for (to, from) in varied.iter_mut().zip(subspace) {
                    *to = from.lift();
                }
                let x = &base.rooted.pose[i];
                let mut bias: Motion<StateDual<R>> = x.act(base.bias[i]).lift();
                if moved.driven {
                    vary_by_configuration(body, chunk, (q_i, v_i), x, &mut memory.jet, varied, &mut bias);
                }
                let (own, drive) = base::joint_motion(varied, v_i, a_i);
                let drive = drive + bias;
                R::call(outward(common, moved, memory, &own, &drive, driven, subspace));
            } else {
                let JointMotion { own, drive } = memory.joints[i];
                in_place::<R, _>(outward(common, moved, memory, &own, &drive, driven, subspace));
            }
        }
        subtract_wrenches::<R, true>(model, base, chunk, memory, wrenches);
        let Workspace { columns: varied, force, tau, .. } = &mut memory.dual;
        for moved in chunk.moved.iter().rev() {
            in_place::<R, _>(Returned { model, base, chunk, moved, varied, force, tau });
        }
        R::call(Carried { model, base, order: &chunk.carriers, force, tau });
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
        let Common { model, base, chunk, q, v, wrenches, .. } = common;
        clear(chunk, &mut memory.dual.force, &mut memory.dual.tau);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let (q_i, v_i) = (&q[body.q.clone()], &v[body.v.clone()]);
            let subspace = &base.rooted.columns[base.first[i]..][..body.v.len()];
            let JointMotion { own, drive } = memory.joints[i];
            let mut own: Motion<StateDual<R>> = own.lift();
            if moved.driven {
                vary_joint_velocity(body, chunk, subspace, &mut own);
            }
            if body.subspace_varies && moved.driven {
                let mut drive: Motion<StateDual<R>> = drive.lift();
                let x = &base.rooted.pose[i];
                vary_by_velocity(body, chunk, (q_i, v_i), x, &mut memory.jet, &mut drive);
                R::call(outward(common, moved, memory, &own, &drive, None, subspace));
            } else {
                in_place::<R, _>(outward(common, moved, memory, &own, &drive, None, subspace));
            }
        }
        subtract_wrenches::<R, false>(model, base, chunk, memory, wrenches);
        let Workspace { force, tau, .. } = &mut memory.dual;
        for order in [&chunk.moved_up, &chunk.carriers] {
            R::call(Carried { model, base, order, force: &mut *force, tau: &mut *tau });
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
    subspace: &'a [Motion<f64>],
) -> Outward<'a, W, D, R> {
    let Common { model, base, .. } = common;
    let (i, body) = (moved.body, &model.bodies[moved.body]);
    lift_parent(model, base, body, moved.parent_moves, &mut memory.lifted);
    let Workspace { velocity, acceleration, force, .. } = &mut memory.dual;
    let (velocity, acceleration, parent) =
        with_parent(body, moved.parent_moves, i, velocity, acceleration, &memory.lifted);
    let (inertia, force) = (&base.rooted.inertia[i], &mut force[i]);
    Outward { body, chunk, subspace, inertia, own, drive, parent, velocity, acceleration, force }
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
    /// `S a + c`
    drive: &'a Motion<D>,
    /// Velocity and acceleration of the parent.
    parent: (&'a Motion<StateDual<R>>, &'a Motion<StateDual<R>>),
    velocity: &'a mut Motion<StateDual<R>>,
    acceleration: &'a mut Motion<StateDual<R>>,
    force: &'a mut Force<StateDual<R>>,
}

impl<W: Scalar, D: Scalar, R: Register> Piece for Outward<'_, W, D, R>
where
    StateDual<R>: Scalar<W> + Scalar<D>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { body, chunk, subspace, inertia, own, drive, parent, velocity, acceleration, force } = self;
        let (mut v, mut a) = (*parent.0, *parent.1);
        if let Some(chunk) = chunk {
            vary_motion(body, chunk, subspace, &mut v);
            vary_motion(body, chunk, subspace, &mut a);
        }
        let v = *own + v;
        let a = *drive + a - own.cross(v);
        *force = *inertia * a + v.cross_force(*inertia * v);
        (*velocity, *acceleration) = (v, a);
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
        let columns = &base.rooted.columns[own.clone()];
        if body.subspace_varies {
            project(&varied[own], f, tau);
        } else {
            project(columns, f, tau);
        }
        if let Some(p) = body.parent {
            if moved.driven {
                vary_force(body, chunk, columns, 1.0, &mut f);
            }
            force[p] += f;
        }
    }
}

/// The sweep to the root over bodies whose joints stand still.
struct Carried<'a, T> {
    model: &'a Model,
    base: &'a Workspace<f64>,
    order: &'a [usize],
    force: &'a mut [Force<T>],
    tau: &'a mut [T],
}

impl<T: Scalar> Piece for Carried<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, order, force, tau } = self;
        for &i in order {
            let (body, f) = (&model.bodies[i], force[i]);
            project(&base.rooted.columns[base.first[i]..][..body.v.len()], f, &mut tau[body.v.clone()]);
            if let Some(p) = body.parent {
                force[p] += f;
            }
        }
    }
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
        clear(chunk, &mut memory.force, &mut memory.tau);
        for (lane, dof) in chunk.dofs.clone().enumerate() {
            memory.unit[dof] = Lanes::unit(lane);
        }
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let mut a_b = match (moved.parent_moves, body.parent) {
                (true, Some(p)) => memory.acceleration[p],
                _ => Motion::zero(),
            };
            for (column, dof) in base.rooted.columns[base.first[i]..].iter().zip(body.v.clone()) {
                a_b = column.times_plus(memory.unit[dof], a_b);
            }
            (memory.acceleration[i], memory.force[i]) = (a_b, base.rooted.inertia[i] * a_b);
        }
        let Memory { force, tau, .. } = &mut *memory;
        for order in [&chunk.moved_up, &chunk.carriers] {
            R::call(Carried { model, base, order, force: &mut *force, tau: &mut *tau });
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
        let f = match wrench.frame {
            WrenchFrame::Body => base.rooted.pose[wrench.body.index()].act(unit),
            WrenchFrame::World => base.rooted.standing(wrench.body.index(), unit),
        };
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

/// Subtracts the wrenches on bodies that move. One that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register, const VARY: bool>(
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
        let f: Force<StateDual<R>> = match w.frame {
            WrenchFrame::Body => base.rooted.pose[b].act(w.wrench).lift(),
            WrenchFrame::World => {
                let mut f = base.rooted.standing(b, w.wrench).lift();
                for (i, body) in path(&model.bodies, Some(b)).filter(|_| VARY) {
                    let columns = &base.rooted.columns[base.first[i]..][..body.v.len()];
                    vary_force(body, chunk, columns, -1.0, &mut f);
                }
                f
            }
        };
        memory.dual.force[b] -= f;
    }
}

/// Armature, damping and friction: on the diagonal, each by its own formula. Returns the sum of what it has changed of the
/// derivatives times zero.
fn joint_dynamics(model: &Model, v: &[f64], a: &[f64], result: &mut RneaDerivatives) -> f64 {
    let mut zero = 0.0;
    for dof in &model.dofs {
        let i = dof.index;
        result.tau[i] += a[i] * dof.mass();
        result.dtau_da[(i, i)] += dof.mass();
        if model.joint_friction {
            let friction = dof.friction_torque(Dual64::new(v[i], 1.0), model.friction_width);
            result.tau[i] += friction.re;
            result.dtau_dv[(i, i)] += friction.eps;
        }
        zero += (result.dtau_da[(i, i)] + result.dtau_dv[(i, i)]) * 0.0;
    }
    zero
}
