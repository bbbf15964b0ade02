//! The run over `f64` that the dual ones stand on: poses, columns and inertias of all bodies, and motions of those that some
//! directions leave as they are while bodies that hang from them move. In the axes of the world, about the root of each tree.
//!
//! Columns and inertias are those that the closed form takes, eight joints at a time: what the two methods share.
//! Differences share nothing with either.

use crate::dynamics::{Workspace, rnea, rooted, step, wide};
use crate::model::Model;
use crate::partials::plan::Plan;
use crate::spatial::Motion;
use gradyn_derivatives::Scalar;

/// What a joint adds to the motion of its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointMotion {
    /// `S v`
    pub(super) own: Motion<f64>,
    /// `S a + c`, with the bias `c` where columns depend on `q`
    pub(super) drive: Motion<f64>,
}

impl Default for JointMotion {
    fn default() -> Self {
        Self { own: Motion::zero(), drive: Motion::zero() }
    }
}

/// `S v` and `S a`.
#[inline(always)]
pub(super) fn joint_motion<T: Scalar>(columns: &[Motion<T>], v: &[f64], a: &[f64]) -> (Motion<T>, Motion<T>) {
    let (mut own, mut drive) = (Motion::zero(), Motion::zero());
    for ((column, v), a) in columns.iter().zip(v).zip(a) {
        own += column.scale::<f64>(*v);
        drive += column.scale::<f64>(*a);
    }
    (own, drive)
}

/// Columns, inertias, what joints add, and motions where the plan asks for them; poses if asked for, or where columns depend on
/// `q`.
#[inline(always)]
pub(super) fn run(
    model: &Model,
    plan: &Plan,
    ws: &mut Workspace<f64>,
    joints: &mut [JointMotion],
    (q, v, a): (&[f64], &[f64], &[f64]),
    poses: bool,
) {
    if wide::of(model, ws).and_then(|wide| wide.standing(q, poses)).is_none() {
        rooted::place(model, ws, q);
    }
    for (i, (body, joint)) in model.bodies.iter().zip(joints.iter_mut()).enumerate() {
        let (v, a) = (&v[body.v.clone()], &a[body.v.clone()]);
        let (own, mut drive) = joint_motion(&ws.rooted.columns[ws.first[i]..], v, a);
        if body.subspace_varies {
            ws.bias[i] = step::bias(body, &q[body.q.clone()], v);
            drive += ws.rooted.pose[i].act(ws.bias[i]);
        }
        *joint = JointMotion { own, drive };
        if plan.still[i] {
            let (v_p, a_p) = match body.parent {
                Some(p) => (ws.velocity[p], ws.acceleration[p]),
                None => (Motion::zero(), rnea::base_acceleration(model)),
            };
            let velocity = v_p + own;
            (ws.velocity[i], ws.acceleration[i]) = (velocity, a_p + drive + velocity.cross(own));
        }
    }
}
