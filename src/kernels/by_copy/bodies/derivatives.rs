//! Derivatives of a quadruped's inverse dynamics (S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives
//! of rigid-body dynamics using spatial vector algebra*, 2022), in axes of the bodies, about their origins.
//! Page: `dynamics/rnea_derivatives.rs`. Test:
//! `limbs_as_on_the_page::derivatives_of_accelerations_of_limbs_are_those_by_dual_numbers`.
//!
//! Inertias and Coriolis matrices are moments of mass and of flow ([`moments`](crate::spatial::moments)), summed over
//! subtrees. For a hinge, `S = (0, z)`, the motions of the paper are, with the velocity `v` and the acceleration `a` of
//! the origin, minus gravity,
//! ```text
//! Ψ̇ = (v × z, ω × z)        Ψ̈ = (a × z + 2 v × (ω × z), K z)        Ψ̇ + Ṡ = 2 Ψ̇ ,
//! ```
//!
//! and for a free base, whose columns are its axes,
//!
//! ```text
//! Ψ̇ = 0        Ψ̈ = (a₀ × w, 0)        Ψ̇ + Ṡ = v × S        with S = (s, w), and a₀ = −g in its axes.
//! ```
//!
//! The results of each column, `A = I_C S`, `Q`, `V` and `T`, are transformed to one body after the other on the path
//! to the root, in the lanes of that column. The entries are
//!
//! ```text
//! τ_q[i, j] = S_iᵀ Q_j              τ_v[i, j] = S_iᵀ V_j                    M[i, j] = S_iᵀ A_j        where i carries j's body
//! τ_q[j, i] = A_jᵀ Ψ̈_i + T_jᵀ Ψ̇_i    τ_v[j, i] = A_jᵀ (Ψ̇ + Ṡ)_i + T_jᵀ S_i
//! ```

use crate::kernels::by_copy::bodies::body_rows::{
    BODIES, BodyRow, by_rows, load_matrix, load_symmetric, load_vector, scatter, store_matrix, store_symmetric,
    store_vector, sums,
};
use crate::kernels::by_copy::bodies::mass_matrix::{Composite, base_block};
use crate::kernels::by_copy::bodies::rnea::{Body, add_to_parent, base_force, motions, three};
use crate::kernels::by_copy::bodies::{BASE, BodiesMemory, NV};
use crate::plan::bodies::{BodiesLayout, BodyGroup};
use crate::spatial::{Flow, Force, Mass, Motion, vector as v3};
use gradyn_derivatives::{Lanes, Real, Register};
use nalgebra::{Matrix3, Vector3};

/// How four subtrees move.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    /// Velocity of the bodies' origins.
    velocity: [BodyRow; 3],
    /// Moments of flow of the subtrees.
    momentum: [BodyRow; 3],
    flow: [BodyRow; 9],
    /// The linear part of `Ψ̈`.
    psi_dd: [BodyRow; 3],
}

impl Moving {
    pub(crate) const ZERO: Self = {
        let three = [BodyRow::ZERO; 3];
        Self { velocity: three, momentum: three, flow: [BodyRow::ZERO; 9], psi_dd: three }
    };
}

kernel!(
    halves,
    /// Torques and derivatives, without what joints add; entries that the tree makes zero are not written.
    pub(crate) fn derivatives<'a, R: Register>(
        gravity: Vector3<f64>,
        groups: &'a BodiesLayout,
        memory: &'a mut BodiesMemory,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
        tau: &'a mut [f64],
        /// By configurations, velocities and accelerations.
        to: [&'a mut [f64]; 3],
    ) {
        let mut to = to;
        motions::<R::Low>(gravity, groups, memory, q, v, a);
        let BodiesMemory { bodies, composites, moving, .. } = memory;
        for (i, group) in groups.groups.iter().enumerate() {
            flow::<R::Low>(group, bodies, composites, moving, i, v);
        }
        for (i, group) in groups.groups.iter().enumerate().skip(1).rev() {
            let column = columns::<R::Low>(group, bodies, composites, moving, i);
            scatter(load_vector::<R::Low>(&bodies[i].moment).z, &group.v, tau);
            entries::<R::Low>(&groups.groups, i, bodies, moving, column, (gravity, v), &mut to);
            add_to_parents::<R::Low>(group, bodies, composites, moving, i);
        }
        tau[..BASE].copy_from_slice(&base_force(&bodies[0]));
        let up = v3::neg(gravity);
        base_with_itself(&groups.groups[0], &bodies[0], &composites[0], &moving[0], up, v, &mut to);
    }
);

/// Velocities of origins, moments of bodies by themselves, and `Ψ̈`.
#[inline(always)]
fn flow<R: Register>(
    group: &BodyGroup,
    bodies: &[Body],
    composites: &mut [Composite],
    moving: &mut [Moving],
    i: usize,
    rates: &[f64],
) {
    let (before, here) = moving.split_at_mut(i);
    let (body, to) = (&bodies[i], &mut here[0]);
    let velocity = match i.checked_sub(1) {
        None => three(&rates[..3]),
        Some(of) => {
            let (v, w) = (load_vector::<R>(&before[of].velocity), load_vector::<R>(&bodies[of].angular));
            let seat = v3::cross_plus(w, load_vector(&group.translation), v);
            v3::rotate_back(&load_matrix::<R>(&body.rotation), seat)
        }
    };
    let w = load_vector::<R>(&body.angular);
    let mass = Mass {
        mass: group.mass.load::<R>(),
        first: load_vector::<R>(&group.first),
        second: load_symmetric::<R>(&group.second),
    };
    let Flow { momentum, second } = mass.flow(Motion::new(velocity, w));
    store_vector(&mut to.velocity, velocity);
    store_vector(&mut to.momentum, momentum);
    store_matrix(&mut to.flow, &second);
    // a × z + 2 v × (ω × z), with ω × z = (ω_y, −ω_x, 0)
    let a = load_vector::<R>(&body.acceleration);
    let by_z = Vector3::new(a.y, -a.x, Lanes::zero());
    store_vector(&mut to.psi_dd, v3::cross_plus(twice(velocity), Vector3::new(w.y, -w.x, Lanes::zero()), by_z));
    (composites[i].first, composites[i].second) = (group.first, group.second);
}

/// What a column of a hinge gives: see the [module](self).
struct Column<R: Register> {
    a: Force<Lanes<R>>,
    q: Force<Lanes<R>>,
    v: Force<Lanes<R>>,
    t: Vector3<Lanes<R>>,
}

/// `Ψ̇` of hinges, whose third entries are zero: linear and angular.
#[inline(always)]
fn psi_d<R: Register>(body: &Body, moving: &Moving) -> [Vector3<Lanes<R>>; 2] {
    let (v, w, zero) = (load_vector::<R>(&moving.velocity), load_vector::<R>(&body.angular), Lanes::zero());
    [Vector3::new(v.y, -v.x, zero), Vector3::new(w.y, -w.x, zero)]
}

/// `A`, `Q = B Ψ̇ + I Ψ̈ + f ×̄* S`, `V = B S + 2 I Ψ̇` and `T = Bᵀ S` of a group.
#[inline(always)]
fn columns<R: Register>(
    group: &BodyGroup,
    bodies: &[Body],
    composites: &[Composite],
    moving: &[Moving],
    i: usize,
) -> Column<R> {
    let (body, of, zero) = (&bodies[i], &moving[i], Lanes::<R>::zero());
    let mass = composites[i].mass::<R>(group);
    let flow = Flow { momentum: load_vector::<R>(&of.momentum), second: load_matrix::<R>(&of.flow) };
    let (f, n) = (load_vector::<R>(&body.force), load_vector::<R>(&body.moment));
    let (h, s, p) = (mass.first, mass.second, &flow.second);
    let (linear, angular) = (load_vector::<R>(&of.psi_dd), v3::column(&load_matrix::<R>(&body.spread), 2));
    let [d_linear, d_angular] = psi_d::<R>(body, of);
    let turned = Force::new(Vector3::new(-f.y, f.x, zero), Vector3::new(-n.y, n.x, zero));
    let spin = p.m11 + p.m22;
    // Half of B S, and of T.
    let half = Force::new(Vector3::new(-flow.momentum.y, flow.momentum.x, zero), Vector3::new(-p.m13, -p.m23, spin));
    let moved = mass.times_plus(Motion::new(d_linear, d_angular), half);
    Column {
        a: Force::new(Vector3::new(-h.y, h.x, zero), Vector3::new(-s.xz, -s.yz, s.xx + s.yy)),
        q: flow.times_plus(twice(d_angular), mass.times_plus(Motion::new(linear, angular), turned)),
        v: Force::new(twice(moved.linear), twice(moved.angular)),
        t: twice(Vector3::new(-p.m31, -p.m32, spin)),
    }
}

#[inline(always)]
fn twice<R: Register>(x: Vector3<Lanes<R>>) -> Vector3<Lanes<R>> {
    v3::add(x, x)
}

/// A force in the axes of the body that carries the one it is given in.
#[inline(always)]
fn to_parent_axes<R: Register>(r: &Matrix3<Lanes<R>>, p: Vector3<Lanes<R>>, f: Force<Lanes<R>>) -> Force<Lanes<R>> {
    let linear = v3::rotate(r, f.linear);
    Force::new(linear, v3::cross_plus(p, linear, v3::rotate(r, f.angular)))
}

/// Entries of the columns of a group with themselves and with all between them and the root.
#[inline(always)]
fn entries<R: Register>(
    groups: &[BodyGroup],
    i: usize,
    bodies: &[Body],
    moving: &[Moving],
    mut of: Column<R>,
    (gravity, rates): (Vector3<f64>, &[f64]),
    [dq, dv, da]: &mut [&mut [f64]; 3],
) {
    let group = &groups[i];
    let own = group.v.map(|v| v * (NV + 1));
    scatter(of.q.angular.z, &own, dq);
    scatter(of.v.angular.z, &own, dv);
    scatter(of.a.angular.z, &own, da);
    let mut at = i;
    loop {
        of = of.to_parent_axes(&load_matrix(&bodies[at].rotation), load_vector(&groups[at].translation));
        at -= 1;
        if at == 0 {
            break;
        }
        let (body, there) = (&bodies[at], &moving[at]);
        let [d_linear, d_angular] = psi_d::<R>(body, there);
        let linear = load_vector::<R>(&there.psi_dd);
        let angular = v3::column(&load_matrix::<R>(&body.spread), 2);
        let Column { a, q, v, t } = &of;
        let by_q = v3::dot_plus(linear, a.linear, v3::dot_plus(angular, a.angular, v3::dot(d_angular, *t)));
        let by_v = v3::dot_plus(d_linear, a.linear, v3::dot(d_angular, a.angular));
        let to = (&groups[at].v, &group.v);
        put(dq, to, q.angular.z, by_q);
        put(dv, to, v.angular.z, by_v + by_v + t.z);
        put(da, to, a.angular.z, a.angular.z);
    }
    let Column { a, q, v, t } = of;
    let up = v3::rotate_back(&load_matrix::<R>(&bodies[0].rotation), three(&[-gravity.x, -gravity.y, -gravity.z]));
    let (u, w) = (three::<R>(&rates[..3]), three::<R>(&rates[3..6]));
    let zero = v3::zero();
    let by_q = Force::new(zero, v3::cross(a.linear, up));
    let turned = v3::cross_plus(a.angular, w, v3::cross_plus(a.linear, u, t));
    put_six(dq, &group.v, q, by_q);
    put_six(dv, &group.v, v, Force::new(v3::cross(a.linear, w), turned));
    put_six(da, &group.v, a, a);
}

impl<R: Register> Column<R> {
    /// From the body that carries it.
    #[inline(always)]
    fn to_parent_axes(&self, r: &Matrix3<Lanes<R>>, p: Vector3<Lanes<R>>) -> Self {
        let Self { a, q, v, t } = self;
        Self {
            a: to_parent_axes(r, p, *a),
            q: to_parent_axes(r, p, *q),
            v: to_parent_axes(r, p, *v),
            t: v3::rotate(r, *t),
        }
    }
}

/// Entries of four columns with one ancestor each: in its row, and in its column.
#[inline(always)]
fn put<R: Register>(
    to: &mut [f64],
    (above, at): (&[usize; BODIES], &[usize; BODIES]),
    row: Lanes<R>,
    column: Lanes<R>,
) {
    let (row, column) = (row.0.to_array(), column.0.to_array());
    let mut k = 0;
    while k < BODIES {
        to[above[k] + NV * at[k]] = row[k];
        to[at[k] + NV * above[k]] = column[k];
        k += 1;
    }
}

/// The same with the six of a free base.
#[inline(always)]
fn put_six<R: Register>(to: &mut [f64], at: &[usize; BODIES], rows: Force<Lanes<R>>, columns: Force<Lanes<R>>) {
    let (f, n) = (rows.linear, rows.angular);
    let (a, b, c) = (f.x.0.to_array(), f.y.0.to_array(), f.z.0.to_array());
    let (d, e, f) = (n.x.0.to_array(), n.y.0.to_array(), n.z.0.to_array());
    let mut k = 0;
    while k < BODIES {
        to[NV * at[k]..][..BASE].copy_from_slice(&[a[k], b[k], c[k], d[k], e[k], f[k]]);
        k += 1;
    }
    let six = columns.to_array();
    let mut row = 0;
    while row < BASE {
        let x = six[row].0.to_array();
        let mut k = 0;
        while k < BODIES {
            to[NV * row + at[k]] = x[k];
            k += 1;
        }
        row += 1;
    }
}

/// Adds moments and forces of a group to those of its parents.
#[inline(always)]
fn add_to_parents<R: Register>(
    group: &BodyGroup,
    bodies: &mut [Body],
    composites: &mut [Composite],
    moving: &mut [Moving],
    i: usize,
) {
    let (r, p) = (load_matrix::<R>(&bodies[i].rotation), load_vector::<R>(&group.translation));
    let Mass { first, second, .. } = composites[i].mass::<R>(group).placed(&r, p);
    // ∫ u (r + p)ᵀ = P + l pᵀ
    let momentum = v3::rotate(&r, load_vector::<R>(&moving[i].momentum));
    let turned = v3::product(&r, &load_matrix::<R>(&moving[i].flow));
    let (a, b, c) = (v3::column(&turned, 0), v3::column(&turned, 1), v3::column(&turned, 2));
    let flow = v3::from_columns(
        v3::times_plus(a, r.m11, v3::times_plus(b, r.m12, v3::times_plus(c, r.m13, v3::times(momentum, p.x)))),
        v3::times_plus(a, r.m21, v3::times_plus(b, r.m22, v3::times_plus(c, r.m23, v3::times(momentum, p.y)))),
        v3::times_plus(a, r.m31, v3::times_plus(b, r.m32, v3::times_plus(c, r.m33, v3::times(momentum, p.z)))),
    );
    let (to, sums) = (&mut moving[i - 1], &mut composites[i - 1]);
    let l = v3::add(load_vector::<R>(&to.momentum), momentum);
    let m = v3::add_matrix(&load_matrix::<R>(&to.flow), &flow);
    let (h, s) = (v3::add(load_vector::<R>(&sums.first), first), load_symmetric::<R>(&sums.second) + second);
    store_vector(&mut to.momentum, l);
    store_matrix(&mut to.flow, &m);
    store_vector(&mut sums.first, h);
    store_symmetric(&mut sums.second, s);
    let (force, moment) = (load_vector::<R>(&bodies[i].force), load_vector::<R>(&bodies[i].moment));
    add_to_parent(group, bodies, i, force, moment);
}

/// The columns of a free base with themselves. Within its joint the force does not turn with them: `Q = I_C Ψ̈`.
#[inline(always)]
fn base_with_itself(
    group: &BodyGroup,
    body: &Body,
    of: &Composite,
    moving: &Moving,
    up: Vector3<f64>,
    rates: &[f64],
    [dq, dv, da]: &mut [&mut [f64]; 3],
) {
    let mass = of.total(group);
    let [x, y, z] = sums(&moving.momentum);
    let flow = Flow { momentum: Vector3::new(x, y, z), second: by_rows(sums(&moving.flow)) };
    let axes = body.first_rotation();
    let up: Vector3<f64> = v3::rotate_back(&axes, up);
    let v: Motion<f64> =
        Motion::new(Vector3::new(rates[0], rates[1], rates[2]), Vector3::new(rates[3], rates[4], rates[5]));
    let fall: Motion<f64> = Motion::new(up, v3::zero());
    base_block(&mass, da);
    let mut k = 0;
    while k < BASE {
        let mut six = [0.0; 6];
        six[k] = 1.0;
        let s: Motion<f64> = Motion::new(Vector3::new(six[0], six[1], six[2]), Vector3::new(six[3], six[4], six[5]));
        let by_q: Force<f64> = mass.times(fall.cross(s));
        let by_v = flow.times_plus(v3::add(s.angular, s.angular), mass.times(v.cross(s)));
        dq[k * NV..][..BASE].copy_from_slice(&by_q.to_array());
        dv[k * NV..][..BASE].copy_from_slice(&by_v.to_array());
        k += 1;
    }
}
