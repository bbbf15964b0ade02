//! Several joints in a row, as one.

use super::{Elementary, Geometry, JointKind};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::ops::Range;

/// Elementary joints in a row without bodies between them: coordinates and velocities are the parts', in order.
///
/// With `x_k` the pose of part k and `S_k` its subspace: the pose is the product of the `x_k`, and each part's columns
/// are carried into the last frame by the inverse actions of the parts after it. The bias is the acceleration of the
/// last frame at zero joint acceleration, by the recursion of RBDA, table 5.1.
#[derive(Clone, Debug, PartialEq)]
pub struct Composite<P = f64> {
    parts: Vec<Part<P>>,
}

/// One of the joints in the row.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<P = f64> {
    /// Pose of its mounting frame in the part before it.
    pub placement: Transform<P>,
    /// The joint.
    pub joint: Elementary<P>,
    q: Range<usize>,
    v: Range<usize>,
}

impl<P: Real> Composite<P> {
    /// Joints in a row, all mounted at the same place.
    #[must_use]
    pub fn new(joints: impl IntoIterator<Item = Elementary<P>>) -> Self {
        Self::with_placements(joints.into_iter().map(|joint| (Transform::identity(), joint)))
    }

    /// Joints in a row, each with the pose of its mounting frame in the one before.
    #[must_use]
    pub fn with_placements(joints: impl IntoIterator<Item = (Transform<P>, Elementary<P>)>) -> Self {
        let (mut nq, mut nv) = (0, 0);
        let part = |(placement, joint): (Transform<P>, Elementary<P>)| {
            let (q, v) = (nq..nq + joint.nq(), nv..nv + joint.nv());
            (nq, nv) = (q.end, v.end);
            Part { placement, joint, q, v }
        };
        Self { parts: joints.into_iter().map(part).collect() }
    }

    /// The joints in the row.
    #[must_use]
    pub fn parts(&self) -> &[Part<P>] {
        &self.parts
    }

    /// The same joint with its constants in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Composite<T> {
        let part = |part: &Part<P>| (part.placement.lift(), part.joint.lift());
        Composite::with_placements(self.parts.iter().map(part))
    }

    pub(crate) fn each_joint_mut(&mut self, change: impl FnMut(&mut Elementary<P>)) {
        self.parts.iter_mut().map(|part| &mut part.joint).for_each(change);
    }

    /// Each part with its block of coordinates and of velocities.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (&Elementary<P>, Range<usize>, Range<usize>)> {
        self.parts.iter().map(|part| (&part.joint, part.q.clone(), part.v.clone()))
    }
}

impl<P: Real> JointKind<P> for Composite<P> {
    fn nq(&self) -> usize {
        self.parts.last().map_or(0, |part| part.q.end)
    }
    fn nv(&self) -> usize {
        self.parts.last().map_or(0, |part| part.v.end)
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        let mut x = Transform::<T>::identity();
        for part in &self.parts {
            let own: Transform<T> = part.placement * part.joint.pose(&q[part.q.clone()]);
            x = x * own;
        }
        x
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        for part in &self.parts {
            let q = &q[part.q.clone()];
            let x = part.placement * part.joint.pose(q);
            for column in &mut columns[..part.v.start] {
                *column = x.inv_act(*column);
            }
            part.joint.motion_subspace(q, &mut columns[part.v.clone()]);
        }
    }
    fn subspace_varies(&self) -> bool {
        true
    }
    /// Those of its parts, one after the other.
    #[inline]
    fn stage_end(&self, column: usize) -> usize {
        let part = self.parts.iter().find(|part| part.v.contains(&column));
        part.map_or(column + 1, |part| part.v.start + part.joint.stage_end(column - part.v.start))
    }
    #[inline(always)]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        let (mut velocity, mut acceleration) = (Motion::<V>::zero(), Motion::<V>::zero());
        for part in &self.parts {
            let (q, v) = (&q[part.q.clone()], &v[part.v.clone()]);
            let x: Transform<Q> = part.placement * part.joint.pose(q);
            let own = part.joint.velocity(q, v);
            velocity = x.inv_act(velocity) + own;
            acceleration = x.inv_act(acceleration) + part.joint.bias(q, v) + velocity.cross(own);
        }
        acceleration
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        for part in &self.parts {
            part.joint.q_dot(&q[part.q.clone()], &v[part.v.clone()], &mut q_dot[part.q.clone()]);
        }
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        for part in &self.parts {
            JointKind::<P>::neutral(&part.joint, &mut q[part.q.clone()]);
        }
    }
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for part in &self.parts {
            part.joint.integrate(&q[part.q.clone()], &v[part.v.clone()], &mut out[part.q.clone()]);
        }
    }
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        for part in &self.parts {
            part.joint.difference(&q0[part.q.clone()], &q1[part.q.clone()], &mut out[part.v.clone()]);
        }
    }
    /// That of its parts, block by block; asked here, flat.
    fn geometry(&self) -> Geometry {
        Geometry::Flat
    }
    fn normalize(&self, q: &mut [f64]) {
        for part in &self.parts {
            part.joint.normalize(&mut q[part.q.clone()]);
        }
    }
    fn norm_error(&self, q: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.joint.norm_error(&q[part.q.clone()])).fold(0.0, f64::max)
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for part in &self.parts {
            let r = part.q.clone();
            part.joint.random(unit, &lower[r.clone()], &upper[r.clone()], &mut q[r]);
        }
    }
}
