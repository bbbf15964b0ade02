//! What each sweep does at one body: pose, motion, projection on the joint. In coordinates of the body.
//!
//! Revolute joints, of which robots are made, are written out; every other kind goes through its columns. Code that is
//! compiled once for each level of registers stays small that way: the other kinds' formulas are called, not inlined.

use crate::joint::{Axis, Elementary, Joint, JointKind};
use crate::model::Body;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// `x_pb = placement ∘ joint(q)`; columns of `S(q)` are refreshed where they depend on `q`.
#[inline(always)]
pub(crate) fn pose<P: Real, Q: Scalar<P>>(body: &Body<P>, q: &[Q], columns: &mut [Motion<Q>]) -> Transform<Q> {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => {
            let (sin, cos) = q[0].sin_cos();
            let rotation = joint.axis.rotate_after(&body.placement.rotation, cos, sin);
            Transform::new(rotation, v3::lift(body.placement.translation))
        }
        joint => other_pose(joint, &body.placement, q, columns),
    }
}

#[inline(never)]
fn other_pose<P: Real, Q: Scalar<P>>(
    joint: &Joint<P>,
    placement: &Transform<P>,
    q: &[Q],
    columns: &mut [Motion<Q>],
) -> Transform<Q> {
    if joint.subspace_varies() {
        joint.motion_subspace(q, columns);
    }
    *placement * joint.pose(q)
}

/// `c(q, v)`; zero where `S` does not depend on `q`, so ask only where it does.
#[inline(never)]
pub(crate) fn bias<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(body: &Body<P>, q: &[Q], v: &[V]) -> Motion<V> {
    body.joint.bias(q, v)
}

/// Velocity and acceleration of a body from its parent's (RBDA, table 5.1):
///
/// ```text
/// ν_i = X⁻¹ ν_λ + S v
/// α_i = X⁻¹ α_λ + S a + c + ν_i × S v
/// ```
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the state of a joint and of the parent")]
pub(crate) fn motion<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>, A: Scalar<P> + Scalar<Q> + Scalar<V>>(
    body: &Body<P>,
    x_pb: &Transform<Q>,
    columns: &[Motion<Q>],
    bias: Motion<V>,
    v: &[V],
    a: &[A],
    v_p: Motion<V>,
    a_p: Motion<A>,
) -> (Motion<V>, Motion<A>) {
    let (v_b, a_b) = (x_pb.inv_act(v_p), x_pb.inv_act(a_p));
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => match joint.axis {
            Axis::X => about_axis(X, v_b, a_b, v[0], a[0]),
            Axis::Y => about_axis(Y, v_b, a_b, v[0], a[0]),
            Axis::Z => about_axis(Z, v_b, a_b, v[0], a[0]),
            Axis::Any(axis) => {
                let w: Vector3<V> = v3::times(axis, v[0]);
                let own = Motion::new(v3::zero(), w);
                let v_b = Motion::new(v_b.linear, v3::add(w, v_b.angular));
                let a_b = Motion::new(a_b.linear, v3::times_plus(axis, a[0], a_b.angular));
                (v_b, v_b.cross(own) + a_b)
            }
        },
        _ => {
            let mut own = Motion::<V>::zero();
            let mut a_b = a_b;
            for k in 0..columns.len() {
                own = columns[k].times_plus(v[k], own);
                a_b = columns[k].times_plus(a[k], a_b);
            }
            if body.subspace_varies {
                a_b = bias + a_b;
            }
            let v_b = own + v_b;
            (v_b, v_b.cross(own) + a_b)
        }
    }
}

/// Number of a coordinate axis, to be known when compiled.
const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// [`motion`] for rotation about a coordinate axis: of `ν × (0, e v)` only four products are left.
#[inline(always)]
fn about_axis<V: Real, A: Scalar<V>>(
    axis: usize,
    v_b: Motion<V>,
    a_b: Motion<A>,
    v: V,
    a: A,
) -> (Motion<V>, Motion<A>) {
    let mut v_b = v_b;
    let mut a_b = a_b;
    let (l, w) = (v_b.linear, v_b.angular);
    match axis {
        X => {
            a_b.linear = Vector3::new(a_b.linear.x, a_b.linear.y + l.z * v, a_b.linear.z - l.y * v);
            a_b.angular = Vector3::new(a_b.angular.x + a, a_b.angular.y + w.z * v, a_b.angular.z - w.y * v);
            v_b.angular.x += v;
        }
        Y => {
            a_b.linear = Vector3::new(a_b.linear.x - l.z * v, a_b.linear.y, a_b.linear.z + l.x * v);
            a_b.angular = Vector3::new(a_b.angular.x - w.z * v, a_b.angular.y + a, a_b.angular.z + w.x * v);
            v_b.angular.y += v;
        }
        _ => {
            a_b.linear = Vector3::new(a_b.linear.x + l.y * v, a_b.linear.y - l.x * v, a_b.linear.z);
            a_b.angular = Vector3::new(a_b.angular.x + w.y * v, a_b.angular.y - w.x * v, a_b.angular.z + a);
            v_b.angular.z += v;
        }
    }
    (v_b, a_b)
}

/// `X⁻¹ α_λ + S a`: how accelerations depend on joint accelerations.
#[inline(always)]
pub(crate) fn accelerate<P: Real, Q: Scalar<P>, A: Scalar<P> + Scalar<Q>>(
    body: &Body<P>,
    x_pb: &Transform<Q>,
    columns: &[Motion<Q>],
    a: &[A],
    a_p: Motion<A>,
) -> Motion<A> {
    let mut a_b = x_pb.inv_act(a_p);
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => match joint.axis {
            Axis::X => a_b.angular.x += a[0],
            Axis::Y => a_b.angular.y += a[0],
            Axis::Z => a_b.angular.z += a[0],
            Axis::Any(axis) => a_b.angular = v3::times_plus(axis, a[0], a_b.angular),
        },
        _ => {
            for k in 0..columns.len() {
                a_b = columns[k].times_plus(a[k], a_b);
            }
        }
    }
    a_b
}

/// `τ += Sᵀ f`
#[inline(always)]
pub(crate) fn project<P: Real, Q: Scalar<P>, A: Scalar<P> + Scalar<Q>>(
    body: &Body<P>,
    columns: &[Motion<Q>],
    f: Force<A>,
    tau: &mut [A],
) {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => match joint.axis {
            Axis::X => tau[0] += f.angular.x,
            Axis::Y => tau[0] += f.angular.y,
            Axis::Z => tau[0] += f.angular.z,
            Axis::Any(axis) => tau[0] += v3::dot(axis, f.angular),
        },
        _ => {
            for k in 0..columns.len() {
                tau[k] += columns[k].power(f);
            }
        }
    }
}
