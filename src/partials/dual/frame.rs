//! How what a body carries varies with the configuration of its joint.
//!
//! All is written in the axes of the world about one origin, where nothing has to be transformed from body to body; what
//! is differentiated are the **coordinates in the body**, in which a body's inertia and most columns are constant. Along
//! `q ⊕ ε e_k` a joint's pose changes by `dX = X [S_k]×`: that is what `S` means, for every kind of joint. So a motion or a
//! force that is handed over a joint changes its derivative by a term in the lane of the direction:
//!
//! ```text
//! d(X⁻¹ m) = X⁻¹ dm − S_k × X⁻¹ m       of motions, from parent to body
//! d(X⁻¹ f) = X⁻¹ df − S_k ×* X⁻¹ f      of forces, from parent to body
//! d(X f)   = X (df + S_k ×* f)          of forces, from body to parent
//! ```
//!
//! with `X` left out, as both sides have the same axes.

use super::StateDual;
use crate::model::Body;
use crate::partials::plan::Chunk;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, Tangent, Uniform};
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

/// `− S_k × m` in the lanes of the directions.
#[inline(always)]
pub(super) fn vary_motion<R: Register>(
    body: &Body,
    chunk: &Chunk,
    columns: &[Motion<f64>],
    m: &mut Motion<StateDual<R>>,
) {
    let value = Motion::new(values(m.linear), values(m.angular));
    for (lane, column) in directions(body, chunk, columns) {
        let (lane, change) = (Lanes::unit(lane), (-*column).cross(value));
        add(&mut m.linear, change.linear, lane);
        add(&mut m.angular, change.angular, lane);
    }
}

/// `S_k` in the lanes of the directions: how a joint's velocity `S v` varies along `v`.
#[inline(always)]
pub(super) fn vary_joint_velocity<R: Register>(
    body: &Body,
    chunk: &Chunk,
    columns: &[Motion<f64>],
    m: &mut Motion<StateDual<R>>,
) {
    for (lane, column) in directions(body, chunk, columns) {
        let (lane, change) = (Lanes::unit(lane), column.lift());
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
    let value = Force::new(values(f.linear), values(f.angular));
    for (lane, column) in directions(body, chunk, columns) {
        let (lane, change) = (Lanes::unit(lane) * sign, column.cross_force(value));
        add(&mut f.linear, change.linear, lane);
        add(&mut f.angular, change.angular, lane);
    }
}

#[inline(always)]
fn values<R: Register>(a: Vector3<StateDual<R>>) -> Vector3<Uniform<R>> {
    Vector3::new(a.x.re, a.y.re, a.z.re)
}

#[inline(always)]
fn add<R: Register>(to: &mut Vector3<StateDual<R>>, change: Vector3<Uniform<R>>, lane: Lanes<R>) {
    to.x.eps = lane.scale_plus(change.x, to.x.eps);
    to.y.eps = lane.scale_plus(change.y, to.y.eps);
    to.z.eps = lane.scale_plus(change.z, to.z.eps);
}
