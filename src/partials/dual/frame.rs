//! How coordinates of a body vary with the configuration of its joint.
//!
//! Along `q ⊕ ε e_k` a joint's pose changes by `dX = X [S_k]×`: that is what `S` means, for every kind of joint. So the
//! actions of `X` need no dual pose, only a term in the lane of the direction:
//!
//! ```text
//! d(X⁻¹ m) = X⁻¹ dm − S_k × X⁻¹ m       of motions, from parent to body
//! d(X⁻¹ f) = X⁻¹ df − S_k ×* X⁻¹ f      of forces, from parent to body
//! d(X f)   = X (df + S_k ×* f)          of forces, from body to parent
//! ```

use super::StateDual;
use crate::joint::{Axis, Elementary, Joint, Revolute};
use crate::model::Body;
use crate::partials::plan::Chunk;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, MulAdd, Tangent};
use nalgebra::Vector3;

/// The directions of a chunk that move a joint: the lane and the column of `S` of each.
#[inline(always)]
fn directions<'a>(
    body: &Body,
    chunk: &'a Chunk,
    columns: &'a [Motion<f64>],
) -> impl Iterator<Item = (usize, &'a Motion<f64>)> {
    let first = body.v.start;
    columns.iter().enumerate().filter_map(move |(k, column)| {
        let dof = first + k;
        chunk.dofs.contains(&dof).then(|| (dof - chunk.dofs.start, column))
    })
}

/// `− S_k × m` in the lanes of the directions, for a motion already in coordinates of the body.
#[inline(always)]
pub(super) fn vary_motion<R: Register>(
    body: &Body,
    chunk: &Chunk,
    columns: &[Motion<f64>],
    m: &mut Motion<StateDual<R>>,
) {
    if let Some((lane, axis)) = hinge(body, chunk) {
        let lane = Lanes::unit(lane);
        add_cross(&mut m.linear, axis, lane);
        add_cross(&mut m.angular, axis, lane);
        return;
    }
    let value = Motion::new(values(m.linear), values(m.angular));
    for (lane, column) in directions(body, chunk, columns) {
        let change = value.cross(*column); // m × S = − S × m
        add(&mut m.linear, change.linear, lane);
        add(&mut m.angular, change.angular, lane);
    }
}

/// `± S_k ×* f` in the lanes of the directions.
#[inline(always)]
pub(super) fn vary_force<R: Register>(
    body: &Body,
    chunk: &Chunk,
    columns: &[Motion<f64>],
    sign: f64,
    f: &mut Force<StateDual<R>>,
) {
    if let Some((lane, axis)) = hinge(body, chunk) {
        // e × f = − f × e
        let lane = Lanes::unit(lane) * -sign;
        add_cross(&mut f.linear, axis, lane);
        add_cross(&mut f.angular, axis, lane);
        return;
    }
    let value = Force::new(values(f.linear), values(f.angular));
    for (lane, column) in directions(body, chunk, columns) {
        let change = column.cross_force(value).scale(sign);
        add(&mut f.linear, change.linear, lane);
        add(&mut f.angular, change.angular, lane);
    }
}

/// The lane of a joint that turns about a coordinate axis, and the axis.
#[inline(always)]
fn hinge<'a>(body: &'a Body, chunk: &Chunk) -> Option<(usize, &'a Axis)> {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(Revolute { axis }))
            if !matches!(axis, Axis::Any(_)) && chunk.dofs.contains(&body.v.start) =>
        {
            Some((body.v.start - chunk.dofs.start, axis))
        }
        _ => None,
    }
}

/// `u × e` in a lane, for a coordinate axis: two products are left of six.
#[inline(always)]
fn add_cross<R: Register>(u: &mut Vector3<StateDual<R>>, axis: &Axis, lane: Lanes<R>) {
    let (x, y, z) = (u.x.re, u.y.re, u.z.re);
    match axis {
        Axis::X => {
            u.y.eps[0] = lane.scale_plus(z, u.y.eps[0]);
            u.z.eps[0] = lane.scale_plus(-y, u.z.eps[0]);
        }
        Axis::Y => {
            u.z.eps[0] = lane.scale_plus(x, u.z.eps[0]);
            u.x.eps[0] = lane.scale_plus(-z, u.x.eps[0]);
        }
        _ => {
            u.x.eps[0] = lane.scale_plus(y, u.x.eps[0]);
            u.y.eps[0] = lane.scale_plus(-x, u.y.eps[0]);
        }
    }
}

#[inline(always)]
fn values<R: Register>(a: Vector3<StateDual<R>>) -> Vector3<f64> {
    Vector3::new(a.x.re.get(), a.y.re.get(), a.z.re.get())
}

#[inline(always)]
fn add<R: Register>(to: &mut Vector3<StateDual<R>>, change: Vector3<f64>, lane: usize) {
    let lane = Lanes::unit(lane);
    to.x.eps[0] = lane.mul_plus(change.x, to.x.eps[0]);
    to.y.eps[0] = lane.mul_plus(change.y, to.y.eps[0]);
    to.z.eps[0] = lane.mul_plus(change.z, to.z.eps[0]);
}
