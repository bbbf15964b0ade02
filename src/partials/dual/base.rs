//! The run over `f64` that the dual ones stand on: columns, inertias, motions, forces and torques, in the axes of the world,
//! about the root of each tree. What the dual runs add are derivatives.
//!
//! These values are those that the closed form takes, eight joints at a time: what the two methods share. Differences share
//! nothing with either.

use crate::dynamics::{ExternalWrench, Workspace, rnea, rooted, step, wide};
use crate::model::Model;
use crate::spatial::moments::Mass;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::simd::{Piece, Register};

/// What the dual runs take of bodies, and of columns of joints.
pub(super) struct Values {
    pub(super) bodies: Vec<BodyValues>,
    /// Those of one body after those of another.
    pub(super) columns: Vec<ColumnValues>,
}

/// One body.
#[derive(Clone, Debug)]
pub(super) struct BodyValues {
    /// `S v` of its joint.
    pub(super) own: Motion<f64>,
    /// `ν_λ`
    pub(super) of_parent: Motion<f64>,
    /// `ν`
    pub(super) velocity: Motion<f64>,
    pub(super) mass: Mass<f64>,
}

/// One column `s` of a joint, and the seeds of its direction ([`frame`](super::frame)).
#[derive(Clone, Debug)]
pub(super) struct ColumnValues {
    pub(super) s: Motion<f64>,
    /// `ν_λ × s`
    pub(super) velocity: Motion<f64>,
    /// `α_λ × s`
    pub(super) acceleration: Motion<f64>,
    /// `s ×* f`
    pub(super) force: Force<f64>,
}

impl Values {
    pub(super) fn new(model: &Model) -> Self {
        let (m, f) = (Motion::zero(), Force::zero());
        let columns = model.bodies.iter().map(|body| body.v.len()).sum();
        Self {
            bodies: vec![BodyValues { own: m, of_parent: m, velocity: m, mass: Mass::zero() }; model.bodies.len()],
            columns: vec![ColumnValues { s: m, velocity: m, acceleration: m, force: f }; columns],
        }
    }
}

/// Takes what [`run`] has left.
struct Take<'a> {
    model: &'a Model,
    ws: &'a Workspace<f64>,
    v: &'a [f64],
    values: &'a mut Values,
}

impl Piece for Take<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, ws, v, values } = self;
        let ground = ground(model);
        let mut columns = values.columns.iter_mut().zip(&ws.rooted.columns);
        for (i, (body, to)) in model.bodies.iter().zip(&mut values.bodies).enumerate() {
            let (v_p, a_p) = match body.parent {
                Some(p) => (ws.velocity[p], ws.acceleration[p]),
                None => ground,
            };
            let mut own = Motion::zero();
            for ((to, s), v) in columns.by_ref().take(body.v.len()).zip(&v[body.v.clone()]) {
                own = s.times_plus(*v, own);
                to.s = *s;
                to.velocity = v_p.cross(*s);
                to.acceleration = a_p.cross(*s);
                to.force = s.cross_force(ws.force[i]);
            }
            *to = BodyValues { own, of_parent: v_p, velocity: ws.velocity[i], mass: ws.rooted.inertia[i].into() };
        }
    }
}

/// `S x`: the motion of a joint from its columns.
#[inline(always)]
pub(super) fn combined<T: Scalar>(columns: &[Motion<T>], x: &[f64]) -> Motion<T> {
    let mut sum = Motion::zero();
    for (column, x) in columns.iter().zip(x) {
        sum += column.scale::<f64>(*x);
    }
    sum
}

/// Velocity and acceleration of what a tree stands on, which falls upwards.
pub(super) fn ground(model: &Model) -> (Motion<f64>, Motion<f64>) {
    (Motion::zero(), rnea::base_acceleration(model))
}

/// Fills in `ws.rooted` (poses only under wrenches, or where columns depend on `q`), `velocity`, `acceleration`, `force` (through
/// the joint of each body) and `tau`; and takes the values.
pub(super) fn run<R: Register>(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
    values: &mut Values,
) {
    let poses = !wrenches.is_empty();
    if wide::of(model, ws).and_then(|wide| wide.moving((q, v, a), wrenches, poses)).is_none() {
        one_by_one(model, ws, (q, v, a), wrenches);
    }
    R::call(Take { model, ws, v, values });
}

/// Inverse dynamics (RBDA, table 5.1), one body after the other:
///
/// ```text
/// ν = ν_λ + S v        α = α_λ + ν × S v + S a + c        φ = Y α + ν ×* Y ν        τ = Sᵀ Σ φ
/// ```
#[inline(never)]
fn one_by_one(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) {
    rooted::place(model, ws, q);
    for (i, body) in model.bodies.iter().enumerate() {
        let columns = &ws.rooted.columns[ws.first[i]..][..body.v.len()];
        let (own, mut drive) = (combined(columns, &v[body.v.clone()]), combined(columns, &a[body.v.clone()]));
        if body.subspace_varies {
            ws.bias[i] = step::bias(body, &q[body.q.clone()], &v[body.v.clone()]);
            drive += ws.rooted.pose[i].act(ws.bias[i]);
        }
        let (v_p, a_p) = body.parent.map_or_else(|| ground(model), |p| (ws.velocity[p], ws.acceleration[p]));
        let velocity = v_p + own;
        let acceleration = a_p + drive + velocity.cross(own);
        let inertia = &ws.rooted.inertia[i];
        ws.force[i] = inertia.newton_euler(velocity, *inertia * velocity, acceleration);
        (ws.velocity[i], ws.acceleration[i]) = (velocity, acceleration);
    }
    ws.rooted.subtract(wrenches, &mut ws.force);
    rooted::carry_forces(model, ws);
    rnea::add_joint_dynamics(model, v, a, &mut ws.tau);
}
