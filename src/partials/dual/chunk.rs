//! Inverse dynamics over dual numbers, along the directions of one chunk and as far as they reach.

use super::in_place::in_place;
use super::reach::{Chunk, Moved};
use super::seeds::Seeds;
use super::tangents::{Parts, Tangents, Velocity};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, external, rnea, step};
use crate::formulas::joint_dynamics::JointDynamics;
use crate::formulas::joint_forces::JointForces;
use crate::kernels::macros::piece;
use crate::model::{Body, Model, PoseSpring};
use crate::spatial::{Force, Motion, Transform};
use gradyn_derivatives::{Lanes, Piece, Register, Scalar, VectorDual};

/// What the runs share.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) model: &'a Model,
    pub(super) chunk: &'a Chunk,
    pub(super) wrenches: &'a [ExternalWrench],
    /// Where inverse dynamics over `f64` have been: all values.
    pub(super) base: &'a Workspace<f64>,
}

/// Workspace over dual numbers.
type Dual<R> = Workspace<VectorDual<R>>;

piece!(
    /// Along configurations: `q ⊕ ε e_k`.
    pub(super) fn by_configuration<'a, R: Register>(
        common: Common<'a>,
        seeds: &'a Seeds<R>,
        ws: &'a mut Dual<R>,
        tangents: &'a mut Tangents<R>,
    ) {
        let Common { model, chunk, base, .. } = common;
        begin(common, ws, tangents);
        for &Moved { body: i, driven } in &chunk.moved {
            let body = &model.bodies[i];
            let own = base.first[i]..base.first[i] + body.v.len();
            let (columns, bias) = (&mut ws.columns[own.clone()], &mut ws.bias[i]);
            let drive = (&seeds.v[body.v.clone()], &seeds.a[body.v.clone()]);
            if driven {
                let (q, trig, x_pb) = (&seeds.q[body.q.clone()], &mut ws.trig[i], &mut ws.x_pb[i]);
                in_place::<R, _>(step::Pose { body, q, columns: &mut *columns, trig, x_pb: &mut *x_pb });
                if body.subspace_varies {
                    *bias = step::bias(body, q, drive.0);
                }
                in_place::<R, _>(Outward { common, body: (i, body), pose: (x_pb, columns), bias, drive, tangents });
            } else {
                if body.subspace_varies {
                    *bias = base.bias[i].lift();
                }
                let pose = (&base.x_pb[i], &base.columns[own]);
                in_place::<R, _>(Outward { common, body: (i, body), pose, bias, drive, tangents });
            }
        }
        subtract_wrenches(common, ws, tangents);
        for &Moved { body: i, driven } in chunk.moved.iter().rev() {
            let own = base.first[i]..base.first[i] + model.bodies[i].v.len();
            if driven {
                let pose = (&ws.x_pb[i], &ws.columns[own]);
                in_place::<R, _>(Inward { common, i, pose, force: &mut tangents.force, tau: &mut ws.tau });
            } else {
                let pose = (&base.x_pb[i], &base.columns[own]);
                in_place::<R, _>(Inward { common, i, pose, force: &mut tangents.force, tau: &mut ws.tau });
            }
        }
        inward(common, chunk.carriers.iter().copied(), tangents, &mut ws.tau);
        for spring in model.springs.iter().filter(|spring| chunk.dofs.contains(&spring.index)) {
            ws.tau[spring.index] += spring.torque(seeds.q[spring.coordinate]);
        }
        let of_chunk = |spring: &&PoseSpring| spring.dofs().any(|dof| chunk.dofs.contains(&dof));
        for spring in model.pose_springs.iter().filter(of_chunk) {
            let torque = spring.bent(&seeds.q).torque().to_array();
            spring.numbered().for_each(|(dof, i)| ws.tau[dof] += torque[i]);
        }
    }

    /// Along velocities: `v + ε e_k`.
    pub(super) fn by_velocity<'a, R: Register>(
        common: Common<'a>,
        q: &'a [f64],
        seeds: &'a Seeds<R>,
        ws: &'a mut Dual<R>,
        tangents: &'a mut Tangents<R>,
    ) {
        let Common { model, chunk, base, .. } = common;
        begin(common, ws, tangents);
        for &Moved { body: i, driven } in &chunk.moved {
            let (body, bias) = (&model.bodies[i], &mut ws.bias[i]);
            let drive = (&seeds.v[body.v.clone()], &seeds.a[body.v.clone()]);
            if body.subspace_varies {
                *bias = if driven { step::bias(body, &q[body.q.clone()], drive.0) } else { base.bias[i].lift() };
            }
            let pose = (&base.x_pb[i], &base.columns[base.first[i]..][..body.v.len()]);
            in_place::<R, _>(Outward { common, body: (i, body), pose, bias, drive, tangents });
        }
        return_forces(common, tangents, &mut ws.tau);
        for dof in model.dofs.iter().filter(|dof| chunk.dofs.contains(&dof.index)) {
            let i = dof.index;
            JointDynamics::of(model).add_torque(dof, seeds.v[i], seeds.a[i], &mut ws.tau[i]);
        }
        let joints = JointForces::of(model);
        for curve in joints.curves.iter().filter(|curve| chunk.dofs.contains(&curve.index)) {
            ws.tau[curve.index] += curve.torque(seeds.v[curve.index], joints.width);
        }
    }

    /// Along accelerations: `a + ε e_k`.
    pub(super) fn by_acceleration<'a, R: Register>(
        common: Common<'a>,
        v: &'a [f64],
        seeds: &'a Seeds<R>,
        ws: &'a mut Dual<R>,
        tangents: &'a mut Tangents<R>,
    ) {
        let Common { model, chunk, base, .. } = common;
        begin(common, ws, tangents);
        for &Moved { body: i, .. } in &chunk.moved {
            let body = &model.bodies[i];
            let pose = (&base.x_pb[i], &base.columns[base.first[i]..][..body.v.len()]);
            let drive = (&v[body.v.clone()], &seeds.a[body.v.clone()]);
            in_place::<R, _>(Outward { common, body: (i, body), pose, bias: &base.bias[i], drive, tangents });
        }
        return_forces(common, tangents, &mut ws.tau);
        for dof in model.dofs.iter().filter(|dof| chunk.dofs.contains(&dof.index)) {
            let i = dof.index;
            JointDynamics::of(model).add_torque(dof, v[i], seeds.a[i], &mut ws.tau[i]);
        }
    }
);

/// The outward step at one body, from the derivatives of its parent's motion to those of its own motion and force.
struct Outward<'a, R: Register, Q, V> {
    common: Common<'a>,
    body: (usize, &'a Body),
    pose: (&'a Transform<Q>, &'a [Motion<Q>]),
    bias: &'a Motion<V>,
    drive: (&'a [V], &'a [VectorDual<R>]),
    tangents: &'a mut Tangents<R>,
}

impl<R: Register, Q: Scalar<f64>, V: Velocity<R> + Scalar<Q>> Piece for Outward<'_, R, Q, V>
where
    VectorDual<R>: Scalar<Q> + Scalar<V>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, .. }, body: (i, body), pose, bias, drive, tangents } = self;
        let (ground, still) = (rnea::ground(model), Motion::zero());
        let (velocities, velocity) = tangents.velocity.split_at_mut(i);
        let (accelerations, acceleration) = tangents.acceleration.split_at_mut(i);
        let (velocity, acceleration) = (&mut velocity[0], &mut acceleration[0]);
        let (values, varying) = match body.parent {
            Some(p) => ((&base.velocity[p], &base.acceleration[p]), (&velocities[p], &accelerations[p])),
            None => ((&ground.0, &ground.1), (&still, &still)),
        };
        // A value is known as soon as the derivatives are: all that follows takes it from there.
        let v_b = pose.0.inv_act(V::join(values.0, varying.0));
        V::keep(step::velocity(body, pose.1, drive.0, v_b), velocity);
        let v = V::join(&base.velocity[i], velocity);
        let a_b = pose.0.inv_act(Motion::join(values.1, varying.1));
        *acceleration = step::acceleration(body, pose.1, bias, drive, v, a_b).tangents();
        let a = Motion::<VectorDual<R>>::join(&base.acceleration[i], acceleration);
        tangents.force[i] = body.inertia.newton_euler(v, a).tangents();
    }
}

/// The inward step at one body.
struct Inward<'a, R: Register, Q> {
    common: Common<'a>,
    i: usize,
    pose: (&'a Transform<Q>, &'a [Motion<Q>]),
    force: &'a mut [Force<Lanes<R>>],
    tau: &'a mut [VectorDual<R>],
}

impl<R: Register, Q: Scalar<f64>> Piece for Inward<'_, R, Q>
where
    VectorDual<R>: Scalar<Q>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, .. }, i, pose, force, tau } = self;
        let body = &model.bodies[i];
        let f = Force::join(&base.force[i], &force[i]);
        step::project(body, pose.1, f, &mut tau[body.v.clone()]);
        if let Some(p) = body.parent {
            let sum = Force::join(&base.force[p], &force[p]) + pose.0.act(f);
            force[p] = sum.tangents();
        }
    }
}

/// Motions where what moves is a child of what does not; and no force and no torque yet where none is set but several may be summed up.
/// Values of torques lack what does not vary: derivatives do not ask for them.
#[inline(always)]
fn begin<R: Register>(common: Common<'_>, ws: &mut Dual<R>, tangents: &mut Tangents<R>) {
    let chunk = common.chunk;
    for &i in &chunk.standing {
        tangents.velocity[i] = Motion::zero();
        tangents.acceleration[i] = Motion::zero();
    }
    for &i in &chunk.carriers {
        tangents.force[i] = Force::zero();
    }
    for rows in &chunk.runs {
        for tau in &mut ws.tau[rows.clone()] {
            *tau = VectorDual::from(0.0);
        }
    }
}

/// Subtracts the wrenches on bodies that move: one that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register>(common: Common<'_>, ws: &mut Dual<R>, tangents: &mut Tangents<R>) {
    let Common { model, chunk, wrenches, base } = common;
    if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
        for &i in &chunk.standing {
            ws.x_wb[i] = base.x_wb[i].lift();
        }
        for moved in chunk.moved.iter().filter(|moved| !moved.driven) {
            ws.x_pb[moved.body] = base.x_pb[moved.body].lift();
        }
        external::world_poses(model, chunk.moved.iter().map(|moved| moved.body), ws);
    }
    for w in wrenches.iter().filter(|w| chunk.moves(w.body.index())) {
        let b = w.body.index();
        let mut force = Force::join(&base.force[b], &tangents.force[b]);
        external::subtract_from(&mut force, &w.lift(), &ws.x_wb[b]);
        tangents.force[b] = force.tangents();
    }
}

/// The way back, over joints that hold still.
#[inline(always)]
fn return_forces<R: Register>(common: Common<'_>, tangents: &mut Tangents<R>, tau: &mut [VectorDual<R>]) {
    let Chunk { moved, carriers, .. } = common.chunk;
    let order = moved.iter().rev().map(|moved| moved.body).chain(carriers.iter().copied());
    inward(common, order, tangents, tau);
}

/// The inward step at bodies whose joints hold still.
#[inline(always)]
fn inward<R: Register>(
    common: Common<'_>,
    order: impl Iterator<Item = usize>,
    tangents: &mut Tangents<R>,
    tau: &mut [VectorDual<R>],
) {
    let Common { model, base, .. } = common;
    for i in order {
        let pose = (&base.x_pb[i], &base.columns[base.first[i]..][..model.bodies[i].v.len()]);
        in_place::<R, _>(Inward { common, i, pose, force: &mut tangents.force, tau: &mut *tau });
    }
}
