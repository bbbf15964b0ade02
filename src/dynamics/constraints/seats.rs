//! Poses and motions of both sides of a constraint.

use super::constraint::Constraint;
use crate::dynamics::Workspace;
use crate::dynamics::reference::Attached;
use crate::formulas::constraints::Side;
use crate::level::at_level;
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Where the frames of both sides of a constraint are, in axes of the world.
pub(super) struct Seats<T> {
    /// Poses about one origin for both, that of A's tree.
    pub(super) poses: [Transform<T>; 2],
    /// Their origins, each about that of its own tree.
    pub(super) points: [Vector3<T>; 2],
}

impl<T: Real> Seats<T> {
    /// Once the bodies' poses are in `ws.placed`.
    pub(super) fn new<P: Real>(ws: &Workspace<T>, c: &Constraint<P>) -> Self
    where
        T: Scalar<P>,
    {
        seats(ws, c)
    }

    /// `p_b − p_a`
    #[inline(always)]
    pub(super) fn offset(&self) -> Vector3<T> {
        v3::sub(self.poses[1].translation, self.poses[0].translation)
    }
}

at_level! {
    fn seats<P: Real, T: Scalar<P>>(ws: &Workspace<T>, c: &Constraint<P>) -> Seats<T> {
        let (x_a, x_b) = (pose(ws, &c.a), pose(ws, &c.b));
        let apart = v3::sub(origin(ws, c.b.body), origin(ws, c.a.body));
        let moved = Transform::new(x_b.rotation, v3::add(x_b.translation, apart));
        Seats { poses: [x_a, moved], points: [x_a.translation, x_b.translation] }
    }
}

/// Pose about the origin of its tree.
#[inline(always)]
fn pose<P: Real, T: Scalar<P>>(ws: &Workspace<T>, at: &Attached<P>) -> Transform<T> {
    let placement: Transform<T> = at.placement.lift();
    match at.body {
        Some(b) => ws.placed.pose[b] * placement,
        None => placement,
    }
}

/// The origin of the tree of a body, in the world.
#[inline(always)]
fn origin<T: Real>(ws: &Workspace<T>, body: Option<usize>) -> Vector3<T> {
    match body {
        Some(b) => ws.placed.origin(b),
        None => v3::zero(),
    }
}

at_level! {
    /// How a side moves while no joint accelerates; the world is still.
    pub(super) fn side<T: Real>(ws: &Workspace<T>, body: Option<usize>, seats: &Seats<T>, which: usize) -> Side<T> {
        let (pose, p) = (seats.poses[which], seats.points[which]);
        match body {
            Some(i) => {
                let (v, a) = (ws.placed.velocity[i], ws.placed.acceleration[i]);
                let acceleration = Motion::new(a.acceleration_at::<T>(p, v), a.angular);
                Side { pose, velocity: v.shifted::<T>(p), acceleration }
            }
            None => Side { pose, velocity: Motion::zero(), acceleration: Motion::zero() },
        }
    }
}
