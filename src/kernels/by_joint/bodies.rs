//! Forward kinematics: poses and motions of bodies, eight at a time.
//! Page: `dynamics/forward_kinematics.rs`. Source: RBDA, table 5.1, without forces. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::poses::of_tree;
use crate::kernels::by_joint::quantities::{Bodies, Row, Six, load_matrix, load_motion, load_vector, store_motion};
use crate::plan::JointsLayout;
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Lanes, Real, Register};
use nalgebra::{Matrix3, Vector3};

/// Keeps poses and motions of the bodies of a group, given in axes of the lanes.
#[inline(always)]
pub(crate) fn keep<R: Register>(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
    x: Transform<Lanes<R>>,
    v: Motion<Lanes<R>>,
    a: Motion<Lanes<R>>,
) {
    let axes = load_matrix::<R>(&layout.groups[g].axes);
    let x: Transform<Lanes<R>> = Transform::new(v3::product(&x.rotation, &axes), x.translation);
    let (v, a): (Motion<Lanes<R>>, Motion<Lanes<R>>) = (x.inv_act(v), x.inv_act(a));
    let to = &mut memory.bodies[g];
    let mut k = 0;
    while k < 3 {
        to.rotation[3 * k].store(x.rotation[(k, 0)]);
        to.rotation[3 * k + 1].store(x.rotation[(k, 1)]);
        to.rotation[3 * k + 2].store(x.rotation[(k, 2)]);
        to.translation[k].store(x.translation[k]);
        k += 1;
    }
    store_motion(&mut to.velocity, v);
    store_motion(&mut to.acceleration, a);
}

/// What is zero if the poses in the world and the motions that are kept of a group are finite, and hardly ever else:
/// sums of them, times zero. Rotations enter the motions, which are not finite where one of their numbers is not.
#[inline(always)]
pub(crate) fn zero_if_finite<R: Register>(layout: &JointsLayout, memory: &JointsMemory, g: usize) -> R {
    let Bodies { translation, velocity, acceleration, .. } = &memory.bodies[g];
    let p = v3::add(of_tree::<R>(layout, &memory.origins, g), load_vector::<R>(translation));
    let (v, a) = (load_motion::<R>(velocity), load_motion::<R>(acceleration));
    let sum = |x: Vector3<Lanes<R>>, y: Vector3<Lanes<R>>| (x.x + y.x) + (x.y + y.y) + (x.z + y.z);
    let all = (sum(v.linear, v.angular) + sum(a.linear, a.angular)) + (p.x + p.y + p.z);
    all.0.mul(R::splat(0.0))
}

impl Bodies {
    /// Pose of the body that stands in a lane, in its tree.
    #[inline(always)]
    pub(crate) fn pose_of<T: Real>(&self, lane: usize) -> Transform<T> {
        let (r, p) = (&self.rotation, &self.translation);
        #[rustfmt::skip]
        let rotation = Matrix3::new(
            number(&r[0], lane), number(&r[1], lane), number(&r[2], lane),
            number(&r[3], lane), number(&r[4], lane), number(&r[5], lane),
            number(&r[6], lane), number(&r[7], lane), number(&r[8], lane),
        );
        Transform::new(rotation, Vector3::new(number(&p[0], lane), number(&p[1], lane), number(&p[2], lane)))
    }
    /// Its velocity, in its coordinates.
    #[inline(always)]
    pub(crate) fn velocity_of<T: Real>(&self, lane: usize) -> Motion<T> {
        motion(&self.velocity, lane)
    }
    /// Its acceleration, in its coordinates.
    #[inline(always)]
    pub(crate) fn acceleration_of<T: Real>(&self, lane: usize) -> Motion<T> {
        motion(&self.acceleration, lane)
    }
}

#[inline(always)]
fn motion<T: Real>(x: &Six, lane: usize) -> Motion<T> {
    Motion::new(
        Vector3::new(number(&x[0], lane), number(&x[1], lane), number(&x[2], lane)),
        Vector3::new(number(&x[3], lane), number(&x[4], lane), number(&x[5], lane)),
    )
}

#[inline(always)]
fn number<T: Real>(row: &Row, lane: usize) -> T {
    T::from(row.0[lane])
}
