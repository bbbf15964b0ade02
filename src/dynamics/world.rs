//! The state of the tree in coordinates of the world, where what bodies share is summed up without being transformed.
//!
//! Each step needs the one before it: [`place`], [`drive`], [`accelerate`].

use super::{Workspace, step};
use crate::model::Model;
use crate::spatial::Motion;
use gradyn_derivatives::{Real, Scalar};

/// Columns, motions and inertias in coordinates of the world, about its origin.
#[derive(Clone, Debug)]
pub(crate) struct World<T> {
    /// Columns of the motion subspaces, `S = x_wb S_b`; those of body `i` start at `Workspace::first[i]`.
    pub(crate) columns: Vec<Motion<T>>,
    /// Bias of each joint; zero where `S` does not depend on `q`.
    pub(crate) bias: Vec<Motion<T>>,
    /// Velocity of each body.
    pub(crate) velocity: Vec<Motion<T>>,
    /// Spatial acceleration of each body.
    pub(crate) acceleration: Vec<Motion<T>>,
}

impl<T: Real> World<T> {
    pub(crate) fn new(bodies: usize, columns: usize) -> Self {
        Self {
            columns: vec![Motion::zero(); columns],
            bias: vec![Motion::zero(); bodies],
            velocity: vec![Motion::zero(); bodies],
            acceleration: vec![Motion::zero(); bodies],
        }
    }
}

/// Poses of all bodies in the world, and the columns of their joints.
pub(crate) fn place<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    for i in 0..model.bodies.len() {
        place_body(model, ws, i, q);
    }
}

/// [`place`] at one body; its parent has been placed.
#[inline(always)]
pub(crate) fn place_body<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, i: usize, q: &[T]) {
    let (body, first) = (&model.bodies[i], ws.first[i]);
    let columns = &mut ws.columns[first..][..body.v.len()];
    step::pose(body, &q[body.q.clone()], columns, &mut ws.trig[i], &mut ws.x_pb[i]);
    let x_wb = body.parent.map_or(ws.x_pb[i], |p| ws.x_wb[p] * ws.x_pb[i]);
    for (to, column) in ws.world.columns[first..].iter_mut().zip(columns) {
        *to = x_wb.act(*column);
    }
    ws.x_wb[i] = x_wb;
}

/// Velocities of all bodies, `v_i = v_λ + S_i q̇`.
pub(crate) fn drive<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T], v: &[T]) {
    for (i, body) in model.bodies.iter().enumerate() {
        if body.subspace_varies {
            let bias = step::bias(body, &q[body.q.clone()], &v[body.v.clone()]);
            ws.bias[i] = bias;
            ws.world.bias[i] = ws.x_wb[i].act(bias);
        }
        let mut sum = body.parent.map_or_else(Motion::zero, |p| ws.world.velocity[p]);
        for (column, v) in ws.world.columns[ws.first[i]..].iter().zip(&v[body.v.clone()]) {
            sum = column.times_plus(*v, sum);
        }
        ws.world.velocity[i] = sum;
    }
}

/// Spatial accelerations of all bodies, `a_i = a_λ + v_i × S_i q̇ + S_i q̈ + c_i`, from that of the world, `a_0`.
pub(crate) fn accelerate<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    a_0: Motion<T>,
    v: &[T],
    a: &[T],
) {
    for (i, body) in model.bodies.iter().enumerate() {
        let (mut own, mut sum) = (Motion::zero(), body.parent.map_or(a_0, |p| ws.world.acceleration[p]));
        let (v, a) = (&v[body.v.clone()], &a[body.v.clone()]);
        for (k, column) in ws.world.columns[ws.first[i]..][..v.len()].iter().enumerate() {
            own = column.times_plus(v[k], own);
            sum = column.times_plus(a[k], sum);
        }
        if body.subspace_varies {
            sum += ws.world.bias[i];
        }
        ws.world.acceleration[i] = sum + ws.world.velocity[i].cross(own);
    }
}
