//! The mass matrix of a quadruped: composite rigid bodies (RBDA, table 6.2), in axes of the bodies, about their
//! origins.
//! Page: `dynamics/crba.rs`. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.
//!
//! The force that moves the subtree of a hinge about its axis, `A = I_C S`, is transformed to one body after the other
//! on the path to the root. It stays in the lanes of that hinge, and poses are brought to it.

use crate::kernels::by_copy::bodies::body_rows::{
    BODIES, BodyRow, gather, load_matrix, load_symmetric, load_vector, store_matrix, store_symmetric, store_vector,
    sums, turned,
};
use crate::kernels::by_copy::bodies::rnea::Body;
use crate::kernels::by_copy::bodies::{BASE, BodiesMemory, NV};
use crate::plan::bodies::{BodiesLayout, BodyGroup};
use crate::spatial::{Mass, Symmetric3, vector as v3};
use gradyn_derivatives::{Lanes, Real, Register};
use nalgebra::Vector3;

/// Moments of mass of four subtrees, about the bodies' origins.
#[derive(Clone, Debug)]
pub(crate) struct Composite {
    pub(crate) first: [BodyRow; 3],
    pub(crate) second: [BodyRow; 6],
}

impl Composite {
    pub(crate) const ZERO: Self = Self { first: [BodyRow::ZERO; 3], second: [BodyRow::ZERO; 6] };

    #[inline(always)]
    pub(crate) fn mass<R: Register>(&self, group: &BodyGroup) -> Mass<Lanes<R>> {
        Mass { mass: group.carried.load(), first: load_vector(&self.first), second: load_symmetric(&self.second) }
    }

    /// The trace of the second moment.
    #[inline(always)]
    pub(crate) fn second_trace<R: Register>(&self) -> Lanes<R> {
        load_symmetric::<R>(&self.second).trace()
    }

    /// Of everything, from shares in all lanes of a free base.
    #[inline(always)]
    pub(crate) fn total(&self, group: &BodyGroup) -> Mass<f64> {
        let ([x, y, z], [a, b, c, d, e, f]) = (sums(&self.first), sums(&self.second));
        Mass { mass: group.carried.sum(), first: Vector3::new(x, y, z), second: Symmetric3::new(a, b, c, d, e, f) }
    }
}

kernel!(
    halves,
    /// The mass matrix; entries that the tree makes zero are not written.
    pub(crate) fn mass_matrix<'a, R: Register>(
        groups: &'a BodiesLayout,
        memory: &'a mut BodiesMemory,
        q: &'a [f64],
        to: &'a mut [f64],
    ) {
        let BodiesLayout { groups, .. } = groups;
        let BodiesMemory { bodies, composites, .. } = memory;
        for (group, of) in groups.iter().zip(&mut *composites) {
            (of.first, of.second) = (group.first, group.second);
        }
        for (group, body) in groups.iter().zip(bodies.iter_mut()).skip(1) {
            let sin_cos = gather::<R::Low>(q, &group.q).sin_cos();
            store_matrix(&mut body.rotation, &turned(&load_matrix(&group.rotation), sin_cos));
        }
        for i in (1..groups.len()).rev() {
            let momentum = add_to_parents::<R::Low>(&groups[i], bodies, composites, i);
            entries::<R::Low>(groups, i, bodies, momentum, to);
        }
        base_block(&composites[0].total(&groups[0]), to);
    }
);

/// Adds what a group carries to what its parents do. Returns `A`: its force and its moment.
#[inline(always)]
fn add_to_parents<R: Register>(
    group: &BodyGroup,
    bodies: &[Body],
    composites: &mut [Composite],
    i: usize,
) -> [Vector3<Lanes<R>>; 2] {
    let own @ Mass { first, second, .. } = composites[i].mass::<R>(group);
    let Mass { first: h, second: s, .. } =
        own.placed(&load_matrix(&bodies[i].rotation), load_vector(&group.translation));
    let to = &mut composites[i - 1];
    let (sum, squares) = (v3::add(load_vector::<R>(&to.first), h), load_symmetric::<R>(&to.second) + s);
    store_vector(&mut to.first, sum);
    store_symmetric(&mut to.second, squares);
    // About the third axis.
    let zero = Lanes::zero();
    [Vector3::new(-first.y, first.x, zero), Vector3::new(-second.xz, -second.yz, second.xx + second.yy)]
}

/// Entries of the columns of a group with themselves and with all between them and the root.
#[inline(always)]
fn entries<R: Register>(
    groups: &[BodyGroup],
    i: usize,
    bodies: &[Body],
    [mut f, mut n]: [Vector3<Lanes<R>>; 2],
    to: &mut [f64],
) {
    let group = &groups[i];
    let own = (n.z + group.armature.load()).0.to_array();
    let mut k = 0;
    while k < BODIES {
        to[group.v[k] * (NV + 1)] = own[k];
        k += 1;
    }
    // From each body to the next.
    let mut at = i;
    loop {
        let (r, p) = (load_matrix::<R>(&bodies[at].rotation), load_vector::<R>(&groups[at].translation));
        f = v3::rotate(&r, f);
        n = v3::cross_plus(p, f, v3::rotate(&r, n));
        at -= 1;
        if at == 0 {
            break;
        }
        let x = n.z.0.to_array();
        let mut k = 0;
        while k < BODIES {
            let (row, column) = (groups[at].v[k], group.v[k]);
            to[row + NV * column] = x[k];
            to[column + NV * row] = x[k];
            k += 1;
        }
    }
    let (a, b, c) = (f.x.0.to_array(), f.y.0.to_array(), f.z.0.to_array());
    let (d, e, f) = (n.x.0.to_array(), n.y.0.to_array(), n.z.0.to_array());
    let mut k = 0;
    while k < BODIES {
        let (six, v) = ([a[k], b[k], c[k], d[k], e[k], f[k]], group.v[k]);
        to[NV * v..][..BASE].copy_from_slice(&six);
        let mut row = 0;
        while row < BASE {
            to[v + NV * row] = six[row];
            row += 1;
        }
        k += 1;
    }
}

/// The columns of a free base with themselves.
#[inline(always)]
pub(crate) fn base_block(mass: &Mass<f64>, to: &mut [f64]) {
    let (columns, mut k) = (mass.matrix(), 0);
    while k < BASE {
        to[k * NV..][..BASE].copy_from_slice(&columns[k]);
        k += 1;
    }
}
