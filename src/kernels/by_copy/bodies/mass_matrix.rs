//! The mass matrix: composite rigid bodies (RBDA, table 6.2), in axes of the bodies, about their origins.
//!
//! What moves the subtree of a hinge about its axis, `A = I_C S`, is seen from one body after the other on the way to the root. It
//! stays in the lanes of that hinge, and poses come to it.

use crate::kernels::by_copy::bodies::Memory;
use crate::kernels::by_copy::bodies::four::{
    ABREAST, Four, gather, load_matrix, load_symmetric, load_vector, permuted, permuted_matrix, permuted_symmetric,
    store_matrix, store_symmetric, store_vector, sums, turned,
};
use crate::kernels::by_copy::bodies::rnea::Body;
use crate::plan::bodies::Ranks;
use crate::plan::bodies::{Above, Parent, Rank};
use crate::spatial::moments::Mass;
use crate::spatial::{Symmetric3, vector as v3};
use gradyn_derivatives::simd::{Kernel, Register};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::Vector3;

/// Moments of mass of four subtrees, about the bodies' origins.
#[derive(Clone, Debug)]
pub(crate) struct Composite {
    pub(crate) first: [Four; 3],
    pub(crate) second: [Four; 6],
}

impl Composite {
    pub(crate) const ZERO: Self = Self { first: [Four::ZERO; 3], second: [Four::ZERO; 6] };

    #[inline(always)]
    pub(crate) fn mass<R: Register>(&self, rank: &Rank) -> Mass<Lanes<R>> {
        Mass { mass: rank.carried.load(), first: load_vector(&self.first), second: load_symmetric(&self.second) }
    }

    /// The trace of the second moment.
    #[inline(always)]
    pub(crate) fn second_trace<R: Register>(&self) -> Lanes<R> {
        load_symmetric::<R>(&self.second).trace()
    }

    /// Of everything, from shares in all lanes of a free base.
    #[inline(always)]
    pub(crate) fn total(&self, rank: &Rank) -> Mass<f64> {
        let ([x, y, z], [a, b, c, d, e, f]) = (sums(&self.first), sums(&self.second));
        Mass { mass: rank.carried.sum(), first: Vector3::new(x, y, z), second: Symmetric3::new(a, b, c, d, e, f) }
    }
}

/// The mass matrix, nv × nv; entries that the tree makes zero are not written.
pub(crate) struct MassMatrix<'a> {
    pub(crate) ranks: &'a Ranks,
    pub(crate) memory: &'a mut Memory,
    pub(crate) q: &'a [f64],
    pub(crate) to: &'a mut [f64],
}

impl Kernel for MassMatrix<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { ranks: Ranks { ranks, floats, nv, .. }, memory: Memory { bodies, composites, .. }, q, to } = self;
        let hinges = usize::from(*floats)..ranks.len();
        for (rank, of) in ranks.iter().zip(&mut *composites) {
            (of.first, of.second) = (rank.first, rank.second);
        }
        for i in hinges.clone() {
            let sin_cos = gather::<R::Low>(q, &ranks[i].q).sin_cos();
            store_matrix(&mut bodies[i].rotation, &turned(&load_matrix(&ranks[i].rotation), sin_cos));
        }
        for i in hinges.rev() {
            let momentum = carry::<R::Low>(&ranks[i], bodies, composites, i);
            walk::<R::Low>(ranks, i, bodies, momentum, *nv, to);
        }
        if *floats {
            weigh_base(&composites[0].total(&ranks[0]), *nv, to);
        }
    }
}

/// Adds what a rank carries to what its parents do. Returns `A`: its force and its moment.
#[inline(always)]
fn carry<R: Register>(rank: &Rank, bodies: &[Body], composites: &mut [Composite], i: usize) -> [Vector3<Lanes<R>>; 2] {
    let own @ Mass { first, second, .. } = composites[i].mass::<R>(rank);
    if let Parent::Same(of) | Parent::Other { rank: of, .. } = &rank.parent {
        let Mass { first, second, .. } = own.placed(&load_matrix(&bodies[i].rotation), load_vector(&rank.translation));
        let to = &mut composites[*of];
        let (mut sum, mut squares) = (load_vector::<R>(&to.first), load_symmetric::<R>(&to.second));
        if let Parent::Other { children, .. } = &rank.parent {
            for of in children {
                sum = v3::add(sum, permuted(first, of));
                squares = squares + permuted_symmetric(second, of);
            }
        } else {
            (sum, squares) = (v3::add(sum, first), squares + second);
        }
        store_vector(&mut to.first, sum);
        store_symmetric(&mut to.second, squares);
    }
    // About the third axis.
    let zero = Lanes::zero();
    [Vector3::new(-first.y, first.x, zero), Vector3::new(-second.xz, -second.yz, second.xx + second.yy)]
}

/// Entries of the columns of a rank with themselves and with all between them and the root.
#[inline(always)]
fn walk<R: Register>(
    ranks: &[Rank],
    i: usize,
    bodies: &[Body],
    [mut f, mut n]: [Vector3<Lanes<R>>; 2],
    nv: usize,
    to: &mut [f64],
) {
    let rank = &ranks[i];
    // Lanes that are over write where the first does, before it.
    let own = (n.z + rank.armature.load()).0.to_array();
    let mut k = ABREAST;
    while k > 0 {
        k -= 1;
        to[rank.v[k] * (nv + 1)] = own[k];
    }
    // From each body to the next.
    let (mut r, mut p) = (load_matrix::<R>(&bodies[i].rotation), load_vector::<R>(&rank.translation));
    for Above { rank: above, of, entries, translation } in &rank.above {
        f = v3::rotate(&r, f);
        n = v3::cross_plus(p, f, v3::rotate(&r, n));
        let x = n.z.0.to_array();
        let mut k = ABREAST;
        while k > 0 {
            k -= 1;
            to[entries[k][0]] = x[k];
            to[entries[k][1]] = x[k];
        }
        (r, p) = (load_matrix::<R>(&bodies[*above].rotation), load_vector::<R>(translation));
        if let Some(of) = of {
            r = permuted_matrix(&r, of);
        }
    }
    if rank.on_base {
        f = v3::rotate(&r, f);
        n = v3::cross_plus(p, f, v3::rotate(&r, n));
        let (a, b, c) = (f.x.0.to_array(), f.y.0.to_array(), f.z.0.to_array());
        let (d, e, f) = (n.x.0.to_array(), n.y.0.to_array(), n.z.0.to_array());
        let mut k = ABREAST;
        while k > 0 {
            k -= 1;
            let (six, v) = ([a[k], b[k], c[k], d[k], e[k], f[k]], rank.v[k]);
            to[nv * v..][..6].copy_from_slice(&six);
            let mut row = 0;
            while row < 6 {
                to[v + nv * row] = six[row];
                row += 1;
            }
        }
    }
}

/// The columns of a free base with themselves:
///
/// ```text
/// [ m E  −[h]× ]
/// [ [h]×   I   ]
/// ```
#[inline(always)]
pub(crate) fn weigh_base(&Mass { mass: m, first, second }: &Mass<f64>, nv: usize, to: &mut [f64]) {
    let (x, y, z, i) = (first.x, first.y, first.z, second.trace_minus());
    #[rustfmt::skip]
    let columns = [
        [m, 0.0, 0.0, 0.0, z, -y],
        [0.0, m, 0.0, -z, 0.0, x],
        [0.0, 0.0, m, y, -x, 0.0],
        [0.0, -z, y, i.xx, i.xy, i.xz],
        [z, 0.0, -x, i.xy, i.yy, i.yz],
        [-y, x, 0.0, i.xz, i.yz, i.zz],
    ];
    let mut k = 0;
    while k < 6 {
        to[k * nv..][..6].copy_from_slice(&columns[k]);
        k += 1;
    }
}
