//! How what a body carries varies with the configuration of its joint.
//!
//! All is written in the axes of the world about one origin, where nothing has to be transformed from body to body; what
//! is differentiated are the **coordinates in the body**, in which a body's inertia and most columns are constant. Along
//! `q ⊕ ε e_k` a joint's pose changes by `dX = X [S_k]×`: that is what `S` means, for every kind of joint. So a motion or a
//! force that is handed over a joint changes its derivative by a term in the lane of the direction:
//!
//! ```text
//! d(X⁻¹ m) = X⁻¹ dm + X⁻¹ m × S_k       of motions, from parent to body
//! d(X⁻¹ f) = X⁻¹ df − S_k ×* X⁻¹ f      of forces, from parent to body
//! d(X f)   = X (df + S_k ×* f)          of forces, from body to parent
//! ```
//!
//! with `X` left out, as both sides have the same axes. Along `v + ε e_k` the joint's velocity `S v` changes by `S_k`, so the
//! body's by `S_k` and its acceleration, of which `ν_λ × S v` is part, by `ν_λ × S_k`.
//!
//! These products are the same whatever the direction: [`ColumnValues`](super::base::ColumnValues) has them.

use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, MulAdd};
use nalgebra::Vector3;

/// Adds a motion in one lane.
#[inline(always)]
pub(super) fn add_motion<R: Register>(lane: usize, change: &Motion<f64>, to: &mut Motion<Lanes<R>>) {
    let lane = Lanes::unit(lane);
    add(lane, &change.linear, &mut to.linear);
    add(lane, &change.angular, &mut to.angular);
}

/// Adds a force in one lane.
#[inline(always)]
pub(super) fn add_force<R: Register>(lane: usize, change: &Force<f64>, to: &mut Force<Lanes<R>>) {
    let lane = Lanes::unit(lane);
    add(lane, &change.linear, &mut to.linear);
    add(lane, &change.angular, &mut to.angular);
}

#[inline(always)]
fn add<R: Register>(lane: Lanes<R>, change: &Vector3<f64>, to: &mut Vector3<Lanes<R>>) {
    to.x = lane.mul_plus(change.x, to.x);
    to.y = lane.mul_plus(change.y, to.y);
    to.z = lane.mul_plus(change.z, to.z);
}
