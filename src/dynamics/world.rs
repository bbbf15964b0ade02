//! Where the bodies are in the world.
//!
//! Poses only: motions and forces are summed up about the root of each tree ([`rooted`](super::rooted)), where no digits are
//! lost when a robot has gone far from the world's origin.

use super::{Workspace, step};
use crate::model::Model;
use gradyn_derivatives::{Real, Scalar};

/// Poses of all bodies, in their parents and in the world, and the columns of their joints in their own coordinates.
pub(crate) fn place<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    for i in 0..model.bodies.len() {
        place_body(model, ws, i, q);
    }
}

/// [`place`] at one body; its parent has been placed.
#[inline(always)]
pub(crate) fn place_body<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, i: usize, q: &[T]) {
    let body = &model.bodies[i];
    let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
    step::pose(body, &q[body.q.clone()], columns, &mut ws.trig[i], &mut ws.x_pb[i]);
    ws.x_wb[i] = body.parent.map_or(ws.x_pb[i], |p| ws.x_wb[p] * ws.x_pb[i]);
}
