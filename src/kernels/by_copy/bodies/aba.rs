//! Forward dynamics: the articulated-body algorithm (RBDA, table 7.1), in axes of the bodies, about their origins.
//! Page: `dynamics/aba.rs`. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.
//!
//! Inverse dynamics without joint accelerations come first. The remainder, `r = τ − c`, moves the robot as if it were
//! at rest without gravity, so nothing here depends on velocities. With the articulated inertia `I` of a body, about
//! whose third axis its hinge rotates, `S = (0, z)`,
//!
//! ```text
//! U = I S    D = Sᵀ U    u = r − Sᵀ p    I_λ += X (I − U D⁻¹ Uᵀ) Xᵀ    p_λ += X (p + U D⁻¹ u)       (1)
//! q̈ = D⁻¹ (u − Uᵀ a_λ)    a = a_λ + S q̈                                                            (2)
//! ```
//!
//! The force of inverse dynamics is propagated in the same way as `p`, so their sum is.

use crate::formulas::singular;
use crate::kernels::by_copy::bodies::BodiesMemory;
use crate::kernels::by_copy::bodies::articulated::{Articulated, Inertia, Passed, add_third, plus_outer, turned};
use crate::kernels::by_copy::bodies::body_rows::{
    gather, load_matrix, load_symmetric, load_vector, permuted, scatter, store_vector, sums,
};
use crate::kernels::by_copy::bodies::rnea::{Body, base_force, motions, three};
use crate::plan::bodies::{BodiesLayout, BodyGroup, Parent};
use crate::spatial::{ArticulatedInertia, Symmetric3, vector as v3};
use gradyn_derivatives::{Lanes, MulAdd, Real, Register};
use nalgebra::Vector3;

kernel!(
    halves,
    /// Accelerations by torques that friction has been taken from, unless a pivot is lost.
    pub(crate) fn aba<'a, R: Register>(
        gravity: Vector3<f64>,
        groups: &'a BodiesLayout,
        memory: &'a mut BodiesMemory,
        q: &'a [f64],
        v: &'a [f64],
        /// Zeros.
        zeros: &'a [f64],
        tau: &'a [f64],
        ddq: &'a mut [f64],
    ) -> Option<()> {
        motions::<R::Low>(gravity, groups, memory, q, v, zeros);
        let BodiesMemory { bodies, articulated, .. } = memory;
        for (group, of) in groups.groups.iter().zip(&mut *articulated) {
            rigid_bodies::<R::Low>(group, of);
        }
        for (i, group) in groups.groups.iter().enumerate().rev() {
            if i == 0 && groups.floats {
                base_acceleration::<R::Low>(group, &bodies[0], &mut articulated[0], tau, ddq)?;
            } else {
                eliminate::<R::Low>(group, bodies, articulated, i, tau)?;
            }
        }
        for (i, group) in groups.groups.iter().enumerate().skip(usize::from(groups.floats)) {
            accelerations::<R::Low>(group, &bodies[i], articulated, i, ddq);
        }
        Some(())
    }
);

/// Bodies by themselves.
#[inline(always)]
fn rigid_bodies<R: Register>(group: &BodyGroup, to: &mut Articulated) {
    let (mass, zero) = (group.mass.load::<R>(), Lanes::zero());
    let (first, second) = (load_vector::<R>(&group.first), load_symmetric::<R>(&group.second));
    let j = second.trace_minus();
    to.inertia.store(&ArticulatedInertia {
        linear: Symmetric3::new(mass, zero, zero, mass, zero, mass),
        coupling: v3::skew(v3::neg(first)),
        angular: j,
    });
    store_vector(&mut to.first, first);
    to.trace.store(j.trace());
}

/// Equation (1), unless a pivot is lost.
#[inline(always)]
fn eliminate<R: Register>(
    group: &BodyGroup,
    bodies: &mut [Body],
    articulated: &mut [Articulated],
    i: usize,
    tau: &[f64],
) -> Option<()> {
    let (before, here) = articulated.split_at_mut(i);
    let own = &mut here[0];
    let ArticulatedInertia { linear: m, coupling: h, angular: j } = own.inertia.load::<R>();
    let (push, turn) = (v3::column(&h, 2), Vector3::new(j.xz, j.yz, j.zz));
    let d = j.zz + group.armature.load();
    let trace = own.trace.load::<R>();
    if singular::is_lost(d, trace) {
        return None;
    }
    let (force, moment) = (load_vector::<R>(&bodies[i].force), load_vector::<R>(&bodies[i].moment));
    let inverse = d.recip();
    let rest = (gather::<R>(tau, &group.v) - moment.z) * inverse;
    own.reciprocal.store(inverse);
    own.rest.store(rest);
    store_vector(&mut own.force, push);
    store_vector(&mut own.moment, turn);
    let of = match &group.parent {
        Parent::World => return Some(()),
        Parent::Same(of) | Parent::Other { group: of, .. } => *of,
    };
    // What passes on: nothing about the hinge, unless its armature is pushed.
    let less = -inverse;
    let (push_less, by_x, by_y) = (v3::times(push, less), turn.x * less, turn.y * less);
    let m = plus_outer(m, push, push_less);
    let columns = [v3::times_plus(push, by_x, v3::column(&h, 0)), v3::times_plus(push, by_y, v3::column(&h, 1))];
    let flat = [turn.x.mul_plus(by_x, j.xx), turn.x.mul_plus(by_y, j.xy), turn.y.mul_plus(by_y, j.yy)];
    let r = load_matrix::<R>(&bodies[i].rotation);
    let p = load_vector::<R>(&group.translation);
    let mut passed = turned(&r, m, columns, flat);
    if group.has_armature {
        let part = group.armature.load::<R>() * inverse;
        add_third(&mut passed, &r, v3::times(push, part), v3::times(turn, part));
    }
    let force = v3::rotate(&r, v3::times_plus(push, rest, force));
    let moment = v3::cross_plus(p, force, v3::rotate(&r, v3::times_plus(turn, rest, moment)));
    // Σ 2 (r + p)² − 2 r² = 2 p · (2 h + m p)
    let at_joint = v3::rotate(&r, load_vector::<R>(&own.first));
    let first = v3::times_plus(p, group.carried.load::<R>(), at_joint);
    let trace = v3::dot_plus(v3::add(p, p), v3::add(at_joint, first), trace);
    let passed = Passed { inertia: passed.shifted(p), force, moment, first, trace };
    passed.on(&group.parent, &mut before[of], &mut bodies[of]);
    Some(())
}

/// Acceleration of a free base, `I a = τ − p`, unless a pivot is lost.
#[inline(always)]
fn base_acceleration<R: Register>(
    group: &BodyGroup,
    body: &Body,
    base: &mut Articulated,
    tau: &[f64],
    ddq: &mut [f64],
) -> Option<()> {
    let Inertia { m, h, j } = &base.inertia;
    let (m, h, j) = (sums(m), sums(h), sums(j));
    #[rustfmt::skip]
    let rows = [
        [m[0], m[1], m[2], h[0], h[1], h[2]],
        [m[1], m[3], m[4], h[3], h[4], h[5]],
        [m[2], m[4], m[5], h[6], h[7], h[8]],
        [h[0], h[3], h[6], j[0], j[1], j[2]],
        [h[1], h[4], h[7], j[1], j[3], j[4]],
        [h[2], h[5], h[8], j[2], j[4], j[5]],
    ];
    let force = base_force(body);
    let mut x = [0.0; 6];
    let mut k = 0;
    while k < 6 {
        x[k] = tau[k] - force[k];
        k += 1;
    }
    let mass = group.carried.sum();
    let trace = base.trace.sum();
    let a = solved(rows, x, [mass, mass, mass, trace, trace, trace])?;
    ddq[..6].copy_from_slice(&a);
    store_vector(&mut base.linear, three::<R>(&a[..3]));
    store_vector(&mut base.angular, three::<R>(&a[3..]));
    Some(())
}

/// `A⁻¹ x` of a symmetric matrix, `A = Lᵀ D L`, unless a pivot is lost.
#[inline(always)]
fn solved(mut a: [[f64; 6]; 6], mut x: [f64; 6], scale: [f64; 6]) -> Option<[f64; 6]> {
    let mut k = 6;
    while k > 0 {
        k -= 1;
        let pivot = a[k][k];
        if singular::is_lost(pivot, scale[k]) {
            return None;
        }
        let inverse = pivot.recip();
        let mut i = 0;
        while i < k {
            let less = -a[k][i] * inverse;
            let mut j = 0;
            while j <= i {
                a[i][j] = less.mul_plus(a[k][j], a[i][j]);
                j += 1;
            }
            x[i] = less.mul_plus(x[k], x[i]);
            i += 1;
        }
        x[k] *= inverse;
        let mut i = 0;
        while i < k {
            a[k][i] *= inverse;
            i += 1;
        }
    }
    while k < 6 {
        let mut i = 0;
        while i < k {
            x[k] = (-a[k][i]).mul_plus(x[i], x[k]);
            i += 1;
        }
        k += 1;
    }
    Some(x)
}

/// Equation (2).
#[inline(always)]
fn accelerations<R: Register>(
    group: &BodyGroup,
    body: &Body,
    articulated: &mut [Articulated],
    i: usize,
    ddq: &mut [f64],
) {
    let (before, here) = articulated.split_at_mut(i);
    let own = &mut here[0];
    let rest = own.rest.load::<R>();
    let (linear, angular) = match &group.parent {
        Parent::World => (v3::zero(), v3::zero()),
        Parent::Same(of) | Parent::Other { group: of, .. } => {
            let parent = &before[*of];
            let (mut v, mut w) = (load_vector::<R>(&parent.linear), load_vector::<R>(&parent.angular));
            if let Parent::Other { of, .. } = &group.parent {
                (v, w) = (permuted(v, of), permuted(w, of));
            }
            let r = load_matrix::<R>(&body.rotation);
            let v = v3::cross_plus(w, load_vector(&group.translation), v);
            (v3::rotate_back(&r, v), v3::rotate_back(&r, w))
        }
    };
    let taken = v3::dot_plus(load_vector(&own.force), linear, v3::dot(load_vector(&own.moment), angular));
    let a = (-taken).mul_plus(own.reciprocal.load(), rest);
    scatter(a, &group.v, ddq);
    store_vector(&mut own.linear, linear);
    store_vector(&mut own.angular, Vector3::new(angular.x, angular.y, angular.z + a));
}
