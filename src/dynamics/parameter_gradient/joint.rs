//! Gradients with respect to the constants of one joint: placement, axes, pitch, multiplier and offset; (2) to (5) of
//! the [page](super).

use crate::dynamics::placed::Placed;
use crate::dynamics::rnea::base_acceleration;
use crate::dynamics::rnea_gradient::RneaGradientMemory;
use crate::joint::{Elementary, Joint, JointKind};
use crate::level::at_level;
use crate::model::{Model, ParameterLayout};
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// What the next body's constants are, among all.
pub(super) struct Next {
    pub(super) axis: usize,
    pub(super) pitch: usize,
    pub(super) mimic: usize,
}

/// How a place moves, and what λ makes of it.
#[derive(Clone, Copy)]
struct PlaceMotions<T> {
    v: Motion<T>,
    a: Motion<T>,
    w: Motion<T>,
}

/// Sums over the bodies that a place carries.
#[derive(Clone, Copy)]
struct Carried<T> {
    /// `h`
    momentum: Force<T>,
    /// `z`
    coriolis: Force<T>,
    /// `f − φ`
    force: Force<T>,
    /// `u`
    turned: Force<T>,
}

impl<T: Real + Scalar<T>> PlaceMotions<T> {
    /// (2)
    #[inline(always)]
    fn force(&self, carried: &Carried<T>) -> Force<T> {
        let Carried { momentum: h, coriolis: z, force: f, turned: u } = *carried;
        let moved = self.v.cross_force(self.v.cross_force(h) - z);
        moved - self.a.cross_force(h) - (f.bar_cross(self.w) + u)
    }
    /// Behind a link.
    #[inline(always)]
    fn behind(&self, placed: &Placed<T>, link: usize, (v, a): (&[T], &[T]), lambda: &[T]) -> Self {
        let (mut s_v, mut s_a, mut w) = (Motion::zero(), Motion::zero(), self.w);
        for k in placed.links[link].columns.clone() {
            let (s, dof) = (placed.columns[k], placed.dof[k]);
            s_v = s.times_plus(v[dof], s_v);
            s_a = s.times_plus(a[dof], s_a);
            w = s.times_plus(lambda[dof], w);
        }
        let v = self.v + s_v;
        Self { v, a: self.a + s_a + v.cross(s_v), w }
    }
}

/// A joint along whose motion another one is, in proportion: (5).
struct Along<T> {
    q: T,
    v: T,
    a: T,
    lambda: T,
}

impl<T: Real + Scalar<T>> Along<T> {
    /// Of the motion `s`, between these two places.
    #[inline(always)]
    fn derivative(&self, s: Motion<T>, before: &PlaceMotions<T>, behind: &PlaceMotions<T>, carried: &Carried<T>) -> T {
        let (h, z) = (carried.momentum, carried.coriolis);
        let of_v = z - before.v.cross_force(h) - behind.v.cross_force(h);
        let of_state = self.q * s.power(before.force(carried)) + self.v * s.power(of_v);
        of_state + self.a * s.power(h) + self.lambda * s.power(carried.force)
    }
}

at_level! {
    /// One body's joint: placement, axes, pitch, multiplier and offset.
    #[expect(clippy::too_many_arguments, reason = "a state, sums over it, and where the results go")]
    #[inline(always)]
    pub(super) fn of_joint<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        placed: &Placed<T>,
        sums: &RneaGradientMemory<T>,
        layout: &ParameterLayout,
        i: usize,
        state: (&[T], &[T], &[T]),
        lambda: &[T],
        next: &mut Next,
        dp: &mut [T],
    ) {
        let (q, v, a) = state;
        let body = &model.bodies[i];
        let carried = Carried {
            momentum: sums.momentum[i],
            coriolis: sums.coriolis[i],
            force: sums.force[i] - sums.standing[i],
            turned: sums.turned[i],
        };
        let own: Transform<T> = body.placement.lift();
        let (before, mount) = match body.parent {
            Some(p) => {
                (PlaceMotions { v: placed.velocity[p], a: placed.acceleration[p], w: sums.w[p] }, placed.pose[p] * own)
            }
            None => (
                PlaceMotions { v: Motion::zero(), a: base_acceleration(model), w: Motion::zero() },
                Transform::new(own.rotation, v3::sub(own.translation, placed.origin(i))),
            ),
        };
        let g = mount.inv_act(before.force(&carried));
        put(&mut dp[layout.placement.start + 6 * i..][..3], g.linear); // (3)
        put(&mut dp[layout.placement.start + 6 * i + 3..][..3], g.angular);

        let there = (PlaceMotions { v: placed.velocity[i], a: placed.acceleration[i], w: sums.w[i] }, placed.pose[i]);
        let link = placed.of_body[i].start;
        let q = &q[body.q.clone()];
        match &body.joint {
            Joint::Elementary(part) => {
                let stages = Stages { placed, carried: &carried, v, a, lambda };
                stages.of_part(part, q, (before, mount), Some(there), link, T::one(), next, dp);
            }
            Joint::Composite(joint) => {
                let stages = Stages { placed, carried: &carried, v, a, lambda };
                let (mut here, mut link) = ((before, mount), link);
                for (part, (_, q_of, _)) in joint.parts().iter().zip(joint.blocks()) {
                    here.1 = here.1 * part.placement.lift::<T>();
                    (here, link) = stages.of_part(&part.joint, &q[q_of], here, None, link, T::one(), next, dp);
                }
            }
            Joint::Mimic(joint) => {
                let (inner_q, k) = (joint.inner_q(q), T::from(joint.multiplier()));
                let stages = Stages { placed, carried: &carried, v, a, lambda };
                stages.of_part(joint.inner(), &inner_q, (before, mount), Some(there), link, k, next, dp);
                let mut s = [Motion::zero()];
                JointKind::<P>::motion_subspace(joint.inner(), &inner_q, &mut s);
                let (s, dof) = (placed.pose[i].act(s[0]), body.v.start);
                let leader = Along { q: joint.followed(q), v: v[dof], a: a[dof], lambda: lambda[dof] };
                dp[layout.multiplier.start + next.mimic] = leader.derivative(s, &before, &there.0, &carried);
                dp[layout.offset.start + next.mimic] = s.power(before.force(&carried));
                next.mimic += 1;
            }
        }
    }
}

/// The stages of one joint.
struct Stages<'a, T> {
    placed: &'a Placed<T>,
    carried: &'a Carried<T>,
    v: &'a [T],
    a: &'a [T],
    lambda: &'a [T],
}

impl<T: Real + Scalar<T>> Stages<'_, T> {
    /// An elementary joint, mounted at `mount` behind `before`, whose links begin with `link`, and which moves `k`
    /// times as fast as its velocity says; returns where it ends, and the next link. A part that is its body's whole
    /// joint ends `there`, where the body is.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "closures would do arithmetic at no level")]
    fn of_part<P: Real>(
        &self,
        part: &Elementary<P>,
        q: &[T],
        (before, mount): (PlaceMotions<T>, Transform<T>),
        there: Option<(PlaceMotions<T>, Transform<T>)>,
        link: usize,
        k: T,
        next: &mut Next,
        dp: &mut [T],
    ) -> ((PlaceMotions<T>, Transform<T>), usize)
    where
        T: Scalar<P>,
    {
        let Self { placed, carried, v, a, lambda } = *self;
        let nv = JointKind::<P>::nv(part);
        if nv == 0 {
            return ((before, mount), link);
        }
        if let Elementary::Universal(joint) = part {
            let turns = [joint.first.turn(q[0]), joint.second.turn(q[1])];
            let (mut here, mut link) = ((before, mount), link);
            for turn in turns {
                let behind = here.0.behind(placed, link, (v, a), lambda);
                let end = here.1 * Transform::new(turn, v3::zero());
                turned_axis(carried, here, (behind, end), next, dp);
                here = (behind, end);
                link += 1;
            }
            return (here, link);
        }
        let mut next_link = link;
        let there = if let Some(there) = there {
            there
        } else {
            let (mut behind, mut stage) = (before, 0);
            while stage < nv {
                behind = behind.behind(placed, next_link, (v, a), lambda);
                (stage, next_link) = (JointKind::<P>::stage_end(part, stage), next_link + 1);
            }
            (behind, mount * JointKind::<P>::pose(part, q))
        };
        if part.axes()[0].is_some() {
            turned_axis(carried, (before, mount), there, next, dp);
        }
        if let Elementary::Helical(joint) = part {
            let s = mount.act(Motion::new(joint.axis.times(T::one()), v3::zero()));
            let dof = placed.dof[placed.links[link].columns.start];
            let turn = Along { q: q[0], v: k * v[dof], a: k * a[dof], lambda: k * lambda[dof] };
            dp[next.pitch] = turn.derivative(s, &before, &there.0, carried);
            next.pitch += 1;
        }
        (there, next_link)
    }
}

/// (4)
#[inline(always)]
fn turned_axis<T: Real + Scalar<T>>(
    carried: &Carried<T>,
    (before, mount): (PlaceMotions<T>, Transform<T>),
    (behind, end): (PlaceMotions<T>, Transform<T>),
    next: &mut Next,
    dp: &mut [T],
) {
    let (first, last) = (mount.inv_act(before.force(carried)), end.inv_act(behind.force(carried)));
    put(&mut dp[next.axis..][..3], v3::sub(first.angular, last.angular));
    next.axis += 3;
}

#[inline(always)]
pub(super) fn put<T: Real>(to: &mut [T], x: Vector3<T>) {
    (to[0], to[1], to[2]) = (x.x, x.y, x.z);
}
