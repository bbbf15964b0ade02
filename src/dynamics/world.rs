//! Poses of the bodies in the world.
//!
//! This module has poses only. Motions and forces are summed about the root of each tree ([`placed`](super::placed)),
//! where no digits are lost if a robot is far from the world's origin.

use super::external::step_world_poses;
use super::{Workspace, step};
use crate::level::at_level;
use crate::model::Model;
use gradyn_derivatives::{Real, Scalar};

at_level! {
    /// Poses of all bodies, in their parents and in the world, and the columns of their joints in their own
    /// coordinates.
    pub(crate) fn place<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
        for i in 0..model.bodies.len() {
            place_body(model, ws, i, q);
        }
    }

    /// Poses in the world of bodies whose poses in their parents are known.
    pub(crate) fn compose<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
        step_world_poses(model, ws);
    }
}

/// [`place`] at one body; its parent has been placed.
#[inline(always)]
pub(crate) fn place_body<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, i: usize, q: &[T]) {
    let body = &model.bodies[i];
    let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
    let (q, trig) = (&q[body.q.clone()], &mut ws.trig[i]);
    T::call(step::Pose { body, q, columns, trig, x_pb: &mut ws.x_pb[i] });
    ws.x_wb[i] = match body.parent {
        Some(p) => ws.x_wb[p] * ws.x_pb[i],
        None => ws.x_pb[i],
    };
}
