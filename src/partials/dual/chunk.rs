//! Inverse dynamics over dual numbers, along the directions of one chunk and as far as they reach.

use super::in_place;
use super::reach::{Chunk, Moved};
use super::seeds::Seeds;
use crate::dynamics::step::{self, Inward, Motions};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, external, rnea};
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::VectorDual;
use gradyn_derivatives::simd::{Piece, Register};
use std::iter::once;

/// What the runs share.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) model: &'a Model,
    pub(super) chunk: &'a Chunk,
    pub(super) wrenches: &'a [ExternalWrench],
}

/// Workspace over dual numbers.
type Dual<R> = Workspace<VectorDual<R>>;

/// Along configurations: `q ⊕ ε e_k`.
pub(super) struct ByConfiguration<'a, R: Register> {
    pub(super) common: Common<'a>,
    /// Where inverse dynamics over `f64` have been.
    pub(super) base: &'a Workspace<f64>,
    pub(super) seeds: &'a Seeds<R>,
    pub(super) ws: &'a mut Dual<R>,
}

impl<R: Register> Piece for ByConfiguration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, base, seeds, ws } = self;
        let Common { model, chunk, .. } = common;
        begin(common, base, ws);
        let Workspace { x_pb, columns, trig, bias, velocity, acceleration, force, first, .. } = &mut *ws;
        let mut motions = Motions { ground: rnea::ground(model), velocity, acceleration, force };
        for &Moved { body: i, driven } in &chunk.moved {
            let body = &model.bodies[i];
            let (own, bias) = (first[i]..first[i] + body.v.len(), &mut bias[i]);
            let drive = (&seeds.v[body.v.clone()], &seeds.a[body.v.clone()]);
            if driven {
                let (q, columns, x_pb) = (&seeds.q[body.q.clone()], &mut columns[own], &mut x_pb[i]);
                let trig = &mut trig[i];
                in_place::<R, _>(step::Pose { body, q, columns: &mut *columns, trig, x_pb: &mut *x_pb });
                if body.subspace_varies {
                    *bias = step::bias(body, q, drive.0);
                }
                in_place::<R, _>(motions.outward((i, body), (x_pb, columns), bias, drive));
            } else {
                if body.subspace_varies {
                    *bias = base.bias[i].lift();
                }
                let pose = (&base.x_pb[i], &base.columns[own]);
                in_place::<R, _>(motions.outward((i, body), pose, bias, drive));
            }
        }
        subtract_wrenches(common, base, ws);
        for &Moved { body, driven } in chunk.moved.iter().rev() {
            if driven {
                let Workspace { x_pb, columns, first, force, tau, .. } = &mut *ws;
                let (bodies, order) = (&model.bodies, once(body));
                in_place::<R, _>(Inward { bodies, order, x_pb, columns, first, force, tau });
            } else {
                inward(common, once(body), base, ws);
            }
        }
        inward(common, chunk.carriers.iter().copied(), base, ws);
    }
}

/// Along velocities: `v + ε e_k`.
pub(super) struct ByVelocity<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) base: &'a Workspace<f64>,
    pub(super) q: &'a [f64],
    pub(super) seeds: &'a Seeds<R>,
    pub(super) ws: &'a mut Dual<R>,
}

impl<R: Register> Piece for ByVelocity<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, base, q, seeds, ws } = self;
        let Common { model, chunk, .. } = common;
        begin(common, base, ws);
        let Workspace { bias, velocity, acceleration, force, .. } = &mut *ws;
        let mut motions = Motions { ground: rnea::ground(model), velocity, acceleration, force };
        for &Moved { body: i, driven } in &chunk.moved {
            let (body, bias) = (&model.bodies[i], &mut bias[i]);
            let drive = (&seeds.v[body.v.clone()], &seeds.a[body.v.clone()]);
            if body.subspace_varies {
                *bias = if driven { step::bias(body, &q[body.q.clone()], drive.0) } else { base.bias[i].lift() };
            }
            let pose = (&base.x_pb[i], &base.columns[base.first[i]..][..body.v.len()]);
            in_place::<R, _>(motions.outward((i, body), pose, bias, drive));
        }
        return_forces(common, base, ws);
        for dof in model.dofs.iter().filter(|dof| chunk.dofs.contains(&dof.index)) {
            let i = dof.index;
            rnea::add_dof_dynamics(model, dof, seeds.v[i], seeds.a[i], &mut ws.tau[i]);
        }
    }
}

/// Along accelerations: `a + ε e_k`.
pub(super) struct ByAcceleration<'a, R: Register> {
    pub(super) common: Common<'a>,
    /// Its velocities are computed once more, as they are.
    pub(super) base: &'a mut Workspace<f64>,
    pub(super) v: &'a [f64],
    pub(super) seeds: &'a Seeds<R>,
    pub(super) ws: &'a mut Dual<R>,
}

impl<R: Register> Piece for ByAcceleration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, base, v, seeds, ws } = self;
        let Common { model, chunk, .. } = common;
        begin(common, base, ws);
        let Workspace { acceleration, force, .. } = &mut *ws;
        let mut motions = Motions { ground: rnea::ground(model), velocity: &mut base.velocity, acceleration, force };
        for &Moved { body: i, .. } in &chunk.moved {
            let body = &model.bodies[i];
            let pose = (&base.x_pb[i], &base.columns[base.first[i]..][..body.v.len()]);
            let drive = (&v[body.v.clone()], &seeds.a[body.v.clone()]);
            in_place::<R, _>(motions.outward((i, body), pose, &base.bias[i], drive));
        }
        return_forces(common, base, ws);
        for dof in model.dofs.iter().filter(|dof| chunk.dofs.contains(&dof.index)) {
            let i = dof.index;
            rnea::add_dof_dynamics(model, dof, v[i], seeds.a[i], &mut ws.tau[i]);
        }
    }
}

/// Motions where what moves hangs on what does not; and no force and no torque yet where none is set but several may be summed up.
/// There sums lack what does not vary: derivatives do not ask for it.
#[inline(always)]
fn begin<R: Register>(common: Common<'_>, base: &Workspace<f64>, ws: &mut Dual<R>) {
    let Common { chunk, wrenches, .. } = common;
    for &i in &chunk.standing {
        ws.velocity[i] = base.velocity[i].lift();
        ws.acceleration[i] = base.acceleration[i].lift();
        if !wrenches.is_empty() {
            ws.x_wb[i] = base.x_wb[i].lift();
        }
    }
    for &i in &chunk.carriers {
        ws.force[i] = Force::zero();
    }
    for rows in &chunk.runs {
        for tau in &mut ws.tau[rows.clone()] {
            *tau = VectorDual::from(0.0);
        }
    }
}

/// Subtracts the wrenches on bodies that move: one that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register>(common: Common<'_>, base: &Workspace<f64>, ws: &mut Dual<R>) {
    let Common { model, chunk, wrenches } = common;
    if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
        for moved in chunk.moved.iter().filter(|moved| !moved.driven) {
            ws.x_pb[moved.body] = base.x_pb[moved.body].lift();
        }
        external::world_poses(model, chunk.moved.iter().map(|moved| moved.body), ws);
    }
    for w in wrenches.iter().filter(|w| chunk.moves(w.body.index())) {
        let b = w.body.index();
        external::subtract_from(&mut ws.force[b], &w.lift(), &ws.x_wb[b]);
    }
}

/// The way back, over joints that hold still.
#[inline(always)]
fn return_forces<R: Register>(common: Common<'_>, base: &Workspace<f64>, ws: &mut Dual<R>) {
    let Chunk { moved, carriers, .. } = common.chunk;
    let order = moved.iter().rev().map(|moved| moved.body).chain(carriers.iter().copied());
    inward(common, order, base, ws);
}

/// The inward step at bodies whose joints hold still.
#[inline(always)]
pub(super) fn inward<R: Register>(
    common: Common<'_>,
    order: impl Iterator<Item = usize>,
    base: &Workspace<f64>,
    ws: &mut Dual<R>,
) {
    let (bodies, x_pb, columns, first) = (&common.model.bodies, &base.x_pb, &base.columns, &base.first);
    in_place::<R, _>(Inward { bodies, order, x_pb, columns, first, force: &mut ws.force, tau: &mut ws.tau });
}
