//! Inverse dynamics: motions and forces in axes of the bodies, about their origins.
//! Page: `dynamics/rnea.rs`. Source: RBDA, table 5.1. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::bodies::BodiesMemory;
use crate::kernels::by_copy::bodies::body_rows::{
    BodyRow, by_rows, gather, load_matrix, load_symmetric, load_vector, permuted, scatter, store_matrix, store_vector,
    turned,
};
use crate::kernels::by_copy::newton_euler::{Motion, free, hinged, to_parent};
use crate::plan::bodies::{BodiesLayout, BodyGroup, Parent};
use crate::spatial::{Force, Mass, spread, vector as v3};
use gradyn_derivatives::{Lanes, Real, Register};
use nalgebra::{Matrix3, Vector3};

/// How four bodies move, and what moves them.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) rotation: [BodyRow; 9],
    /// `ω`, `ω̇`
    pub(crate) angular: [BodyRow; 3],
    angular_rate: [BodyRow; 3],
    /// The acceleration of the origin, less gravity.
    pub(crate) acceleration: [BodyRow; 3],
    /// `[ω̇]× + [ω]×²`: what is at `r` accelerates at `a + K r`.
    pub(crate) spread: [BodyRow; 9],
    pub(crate) force: [BodyRow; 3],
    pub(crate) moment: [BodyRow; 3],
}

impl Body {
    pub(crate) const ZERO: Self = {
        let (three, nine) = ([BodyRow::ZERO; 3], [BodyRow::ZERO; 9]);
        Self {
            rotation: nine,
            angular: three,
            angular_rate: three,
            acceleration: three,
            spread: nine,
            force: three,
            moment: three,
        }
    };

    /// The rotation in the first lane: that of a free base, which stands in all.
    #[inline(always)]
    pub(crate) fn first_rotation(&self) -> Matrix3<f64> {
        by_rows(self.rotation.map(|four| four.0[0]))
    }
}

kernel!(
    halves,
    /// Torques without those of armature, damping and friction.
    pub(crate) fn rnea<'a, R: Register>(
        gravity: Vector3<f64>,
        groups: &'a BodiesLayout,
        memory: &'a mut BodiesMemory,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
        tau: &'a mut [f64],
    ) {
        motions::<R::Low>(gravity, groups, memory, q, v, a);
        for (i, group) in groups.groups.iter().enumerate().rev() {
            if i == 0 && groups.floats {
                tau[..6].copy_from_slice(&base_force(&memory.bodies[0]));
                break;
            }
            let body = &memory.bodies[i];
            let (force, moment) = (load_vector::<R::Low>(&body.force), load_vector::<R::Low>(&body.moment));
            scatter(moment.z, &group.v, tau);
            add_to_parent(group, &mut memory.bodies, i, force, moment);
        }
    }
);

/// The force on everything, from shares in all lanes of a free base.
#[inline(always)]
pub(crate) fn base_force(base: &Body) -> [f64; 6] {
    let (f, n) = (&base.force, &base.moment);
    [f[0].sum(), f[1].sum(), f[2].sum(), n[0].sum(), n[1].sum(), n[2].sum()]
}

/// Adds the force that a group needs to that of its parents.
#[inline(always)]
pub(crate) fn add_to_parent<R: Register>(
    group: &BodyGroup,
    bodies: &mut [Body],
    i: usize,
    force: Vector3<Lanes<R>>,
    moment: Vector3<Lanes<R>>,
) {
    let of = match &group.parent {
        Parent::World => return,
        Parent::Same(of) | Parent::Other { group: of, .. } => *of,
    };
    let rotation = load_matrix::<R>(&bodies[i].rotation);
    let (force, moment) =
        to_parent::<Lanes<R>, _>(&rotation, load_vector(&group.translation), (force, moment), v3::zero());
    let parent = &mut bodies[of];
    let (mut f, mut n) = (load_vector::<R>(&parent.force), load_vector::<R>(&parent.moment));
    match &group.parent {
        Parent::Other { children, .. } => {
            for of in children {
                f = v3::add(f, permuted(force, of));
                n = v3::add(n, permuted(moment, of));
            }
        }
        _ => (f, n) = (v3::add(f, force), v3::add(n, moment)),
    }
    store_vector(&mut parent.force, f);
    store_vector(&mut parent.moment, n);
}

/// Poses, motions and forces of all bodies.
#[inline(always)]
pub(crate) fn motions<R: Register>(
    gravity: Vector3<f64>,
    groups: &BodiesLayout,
    memory: &mut BodiesMemory,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) {
    let up = v3::lift::<f64, Lanes<R>>(v3::neg(gravity));
    for (i, group) in groups.groups.iter().enumerate() {
        let (before, here) = memory.bodies.split_at_mut(i);
        let body = &mut here[0];
        let motion = if i == 0 && groups.floats {
            free_motion::<R>(group, body, up, (q, v, a))
        } else {
            let (v, a) = (gather(v, &group.v), gather(a, &group.v));
            hinge_motion::<R>(group, before, body, up, gather::<R>(q, &group.q).sin_cos(), (v, a))
        };
        body_force(group, body, &motion);
    }
}

/// How the parents of a group move, and the places where they carry it.
#[inline(always)]
fn parent_motion<R: Register>(group: &BodyGroup, before: &[Body], up: Vector3<Lanes<R>>) -> Motion<Lanes<R>> {
    let of = match &group.parent {
        Parent::World => return Motion { angular: v3::zero(), angular_rate: v3::zero(), acceleration: up },
        Parent::Same(of) | Parent::Other { group: of, .. } => &before[*of],
    };
    let p = load_vector::<R>(&group.translation);
    let (mut angular, mut angular_rate) = (load_vector::<R>(&of.angular), load_vector::<R>(&of.angular_rate));
    let (mut origin, mut k) = (load_vector::<R>(&of.acceleration), load_matrix::<R>(&of.spread));
    if let Parent::Other { of, .. } = &group.parent {
        (angular, angular_rate, origin) = (permuted(angular, of), permuted(angular_rate, of), permuted(origin, of));
        k = spread(angular, angular_rate);
    }
    Motion { angular, angular_rate, acceleration: v3::rotate_plus(&k, p, origin) }
}

/// Motion of bodies whose joints are hinges.
#[inline(always)]
fn hinge_motion<R: Register>(
    group: &BodyGroup,
    before: &[Body],
    body: &mut Body,
    up: Vector3<Lanes<R>>,
    sin_cos: (Lanes<R>, Lanes<R>),
    rates: (Lanes<R>, Lanes<R>),
) -> Motion<Lanes<R>> {
    let rotation = turned(&load_matrix::<R>(&group.rotation), sin_cos);
    store_matrix(&mut body.rotation, &rotation);
    hinged(&rotation, &parent_motion(group, before, up), rates)
}

/// Motion of a free base.
#[inline(always)]
fn free_motion<R: Register>(
    group: &BodyGroup,
    body: &mut Body,
    up: Vector3<Lanes<R>>,
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Motion<Lanes<R>> {
    let pose = JointKind::<f64>::pose::<f64>(&FreeFlyer, &q[..7]);
    let mount = load_matrix::<R>(&group.rotation);
    let rotation: Matrix3<Lanes<R>> = v3::product(&mount, &v3::lift_matrix::<f64, Lanes<R>>(&pose.rotation));
    store_matrix(&mut body.rotation, &rotation);
    free(&rotation, up, [three(&v[..3]), three(&v[3..6])], [three(&a[..3]), three(&a[3..6])])
}

/// Three numbers, the same in all lanes.
#[inline(always)]
pub(crate) fn three<R: Register>(x: &[f64]) -> Vector3<Lanes<R>> {
    v3::lift(Vector3::new(x[0], x[1], x[2]))
}

/// Forces and moments about the bodies' origins that motions take: equation (5) of [`moments`](crate::spatial::moments).
#[inline(always)]
fn body_force<R: Register>(group: &BodyGroup, body: &mut Body, of: &Motion<Lanes<R>>) {
    let k = spread(of.angular, of.angular_rate);
    let mass = Mass {
        mass: group.mass.load::<R>(),
        first: load_vector::<R>(&group.first),
        second: load_symmetric::<R>(&group.second),
    };
    let Force { linear, angular } = mass.load(&k, of.acceleration);
    store_vector(&mut body.angular, of.angular);
    store_vector(&mut body.angular_rate, of.angular_rate);
    store_vector(&mut body.acceleration, of.acceleration);
    store_matrix(&mut body.spread, &k);
    store_vector(&mut body.force, linear);
    store_vector(&mut body.moment, angular);
}
