//! The work of each sweep at one body: pose, motion, projection onto the joint. In coordinates of the body.
//!
//! Revolute joints, which most robots consist of, are written out. Every other kind uses its columns. The work at one
//! body is a [`Piece`]: for `f64` it is inlined into the sweep, for types made of registers it is a separate function.

use crate::joint::{Axis, Elementary, Joint, JointKind, Revolute};
use crate::level::at_level;
use crate::model::Body;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Piece, Real, Scalar};
use nalgebra::Vector3;

/// `x_pb = placement ∘ joint(q)`; columns of `S(q)` are refreshed where they depend on `q`.
///
/// Written in place by each kind: a result that two branches return goes through memory twice.
#[inline(always)]
pub(crate) fn pose<P: Real, Q: Scalar<P>>(
    body: &Body<P>,
    q: &[Q],
    columns: &mut [Motion<Q>],
    trig: &mut (Q, Q),
    x_pb: &mut Transform<Q>,
) {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => {
            *trig = q[0].sin_cos();
            *x_pb = revolute_pose(joint, &body.placement, *trig);
        }
        joint => other_pose(joint, &body.placement, q, columns, x_pb),
    }
}

/// [`pose`] of a revolute joint: two columns of the placement are turned.
#[inline(always)]
pub(crate) fn revolute_pose<P: Real, Q: Scalar<P>>(
    joint: &Revolute<P>,
    placement: &Transform<P>,
    (sin, cos): (Q, Q),
) -> Transform<Q> {
    let rotation = joint.axis.rotate_after(&placement.rotation, cos, sin);
    Transform::new(rotation, v3::lift(placement.translation))
}

at_level! {
    /// [`pose`] of any kind of joint. Not inlined: there are many, and they are rare.
    #[inline(never)]
    pub(crate) fn other_pose<P: Real, T: Scalar<P>>(
        joint: &Joint<P>,
        placement: &Transform<P>,
        q: &[T],
        columns: &mut [Motion<T>],
        x_pb: &mut Transform<T>,
    ) {
        if joint.subspace_varies() {
            joint.motion_subspace(q, columns);
        }
        *x_pb = *placement * joint.pose(q);
    }

    /// `c(q, v)`; zero where `S` does not depend on `q`, so ask only where it does.
    #[inline(never)]
    pub(crate) fn bias<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(body: &Body<P>, q: &[Q], v: &[V]) -> Motion<V> {
        body.joint.bias(q, v)
    }
}

/// [`pose`], written to where it is kept.
pub(crate) struct Pose<'a, P, Q> {
    pub(crate) body: &'a Body<P>,
    pub(crate) q: &'a [Q],
    pub(crate) columns: &'a mut [Motion<Q>],
    pub(crate) trig: &'a mut (Q, Q),
    pub(crate) x_pb: &'a mut Transform<Q>,
}

impl<P: Real, Q: Scalar<P>> Piece for Pose<'_, P, Q> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        pose(self.body, self.q, self.columns, self.trig, self.x_pb);
    }
}

/// The outward step of RNEA at one body: its motion, and the force that it needs (RBDA, table 5.1):
/// `φ = Y α + ν ×* Y ν`.
pub(crate) struct Outward<'a, P, Q, V, A> {
    pub(crate) body: &'a Body<P>,
    pub(crate) x_pb: &'a Transform<Q>,
    pub(crate) columns: &'a [Motion<Q>],
    pub(crate) bias: &'a Motion<V>,
    pub(crate) v: &'a [V],
    pub(crate) a: &'a [A],
    /// Motion of the parent.
    pub(crate) parent: (&'a Motion<V>, &'a Motion<A>),
    /// Motion of the body, and force.
    pub(crate) velocity: &'a mut Motion<V>,
    pub(crate) acceleration: &'a mut Motion<A>,
    pub(crate) force: &'a mut Force<A>,
}

impl<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>, A: Scalar<P> + Scalar<Q> + Scalar<V>> Piece
    for Outward<'_, P, Q, V, A>
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (v_p, a_p) = (*self.parent.0, *self.parent.1);
        let (v_b, a_b) = motion(self.body, self.x_pb, self.columns, self.bias, self.v, self.a, v_p, a_p);
        *self.force = self.body.inertia.newton_euler(v_b, a_b);
        (*self.velocity, *self.acceleration) = (v_b, a_b);
    }
}

/// Motions and forces of all bodies, parents before their children: what an outward sweep fills in.
pub(crate) struct Motions<'a, V, A> {
    /// Motion of what the trees stand on.
    pub(crate) ground: (Motion<V>, Motion<A>),
    pub(crate) velocity: &'a mut [Motion<V>],
    pub(crate) acceleration: &'a mut [Motion<A>],
    pub(crate) force: &'a mut [Force<A>],
}

impl<V: Real, A: Real> Motions<'_, V, A> {
    /// The [`Outward`] step at body `i`, whose joint has this pose and these columns, this bias, and this velocity and
    /// acceleration.
    #[inline(always)]
    pub(crate) fn outward<'s, P: Real, Q: Real>(
        &'s mut self,
        (i, body): (usize, &'s Body<P>),
        (x_pb, columns): (&'s Transform<Q>, &'s [Motion<Q>]),
        bias: &'s Motion<V>,
        (v, a): (&'s [V], &'s [A]),
    ) -> Outward<'s, P, Q, V, A> {
        let (velocities, velocity) = self.velocity.split_at_mut(i);
        let (accelerations, acceleration) = self.acceleration.split_at_mut(i);
        let parent = match body.parent {
            Some(p) => (&velocities[p], &accelerations[p]),
            None => (&self.ground.0, &self.ground.1),
        };
        let (velocity, acceleration, force) = (&mut velocity[0], &mut acceleration[0], &mut self.force[i]);
        Outward { body, x_pb, columns, bias, v, a, parent, velocity, acceleration, force }
    }
}

/// The inward step at bodies in an order that puts children before parents:
///
/// ```text
/// τ_i += Sᵀ φ_i
/// φ_λ += X φ_i
/// ```
pub(crate) struct Inward<'a, P, Q, A, I> {
    pub(crate) bodies: &'a [Body<P>],
    pub(crate) order: I,
    pub(crate) x_pb: &'a [Transform<Q>],
    pub(crate) columns: &'a [Motion<Q>],
    pub(crate) first: &'a [usize],
    pub(crate) force: &'a mut [Force<A>],
    pub(crate) tau: &'a mut [A],
}

impl<P: Real, Q: Scalar<P>, A: Scalar<P> + Scalar<Q>, I: Iterator<Item = usize>> Piece for Inward<'_, P, Q, A, I> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for i in self.order {
            let (body, f) = (&self.bodies[i], self.force[i]);
            let columns = &self.columns[self.first[i]..][..body.v.len()];
            project(body, columns, f, &mut self.tau[body.v.clone()]);
            if let Some(p) = body.parent {
                self.force[p] += self.x_pb[i].act(f);
            }
        }
    }
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
    bias: &Motion<V>,
    v: &[V],
    a: &[A],
    v_p: Motion<V>,
    a_p: Motion<A>,
) -> (Motion<V>, Motion<A>) {
    let v_i = velocity(body, columns, v, x_pb.inv_act(v_p));
    (v_i, acceleration(body, columns, bias, (v, a), v_i, x_pb.inv_act(a_p)))
}

/// The velocity of [`motion`] from the parent's in coordinates of the body.
#[inline(always)]
pub(crate) fn velocity<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(
    body: &Body<P>,
    columns: &[Motion<Q>],
    v: &[V],
    mut v_b: Motion<V>,
) -> Motion<V> {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => match joint.axis {
            Axis::X => v_b.angular.x += v[0],
            Axis::Y => v_b.angular.y += v[0],
            Axis::Z => v_b.angular.z += v[0],
            Axis::Any(axis) => v_b.angular = v3::add(v3::times(axis, v[0]), v_b.angular),
        },
        _ => v_b = along(columns, v) + v_b,
    }
    v_b
}

/// The acceleration of [`motion`], from the velocity of the body and the parent's acceleration in its coordinates.
#[inline(always)]
pub(crate) fn acceleration<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>, A: Scalar<P> + Scalar<Q> + Scalar<V>>(
    body: &Body<P>,
    columns: &[Motion<Q>],
    bias: &Motion<V>,
    (v, a): (&[V], &[A]),
    v_i: Motion<V>,
    mut a_b: Motion<A>,
) -> Motion<A> {
    match &body.joint {
        Joint::Elementary(Elementary::Revolute(joint)) => match joint.axis {
            Axis::X => about_axis(X, v_i, &mut a_b, v[0], a[0]),
            Axis::Y => about_axis(Y, v_i, &mut a_b, v[0], a[0]),
            Axis::Z => about_axis(Z, v_i, &mut a_b, v[0], a[0]),
            Axis::Any(axis) => {
                let own = Motion::new(v3::zero(), v3::times(axis, v[0]));
                let turned = v3::times_plus(axis, a[0], a_b.angular);
                a_b = v_i.cross(own) + Motion::new(a_b.linear, turned);
            }
        },
        _ => {
            for k in 0..columns.len() {
                a_b = columns[k].times_plus(a[k], a_b);
            }
            if body.subspace_varies {
                a_b = *bias + a_b;
            }
            a_b = v_i.cross(along(columns, v)) + a_b;
        }
    }
    a_b
}

/// `S v`
#[inline(always)]
fn along<Q: Real, V: Scalar<Q>>(columns: &[Motion<Q>], v: &[V]) -> Motion<V> {
    let mut own = Motion::zero();
    for k in 0..columns.len() {
        own = columns[k].times_plus(v[k], own);
    }
    own
}

/// Number of a coordinate axis, to be known when compiled.
const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// Adds `S a + ν_i × S v` for rotation about a coordinate axis: of `ν × (0, e v)` only four products are left.
#[inline(always)]
fn about_axis<V: Real, A: Scalar<V>>(axis: usize, v_i: Motion<V>, a_b: &mut Motion<A>, v: V, a: A) {
    let (l, w) = (v_i.linear, v_i.angular);
    match axis {
        X => {
            a_b.linear = Vector3::new(a_b.linear.x, a_b.linear.y + l.z * v, a_b.linear.z - l.y * v);
            a_b.angular = Vector3::new(a_b.angular.x + a, a_b.angular.y + w.z * v, a_b.angular.z - w.y * v);
        }
        Y => {
            a_b.linear = Vector3::new(a_b.linear.x - l.z * v, a_b.linear.y, a_b.linear.z + l.x * v);
            a_b.angular = Vector3::new(a_b.angular.x - w.z * v, a_b.angular.y + a, a_b.angular.z + w.x * v);
        }
        _ => {
            a_b.linear = Vector3::new(a_b.linear.x + l.y * v, a_b.linear.y - l.x * v, a_b.linear.z);
            a_b.angular = Vector3::new(a_b.angular.x + w.y * v, a_b.angular.y - w.x * v, a_b.angular.z + a);
        }
    }
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
