//! The mass matrix of a quadruped: composite rigid bodies (RBDA, table 6.2), in axes of the bodies, about their origins.
//!
//! What moves the subtree of a hinge about its axis, `A = I_C S`, is seen from one body after the other on the way to the root. It
//! stays in the lanes of that hinge, and poses come to it.

use crate::kernels::by_copy::bodies::four::{
    ABREAST, Four, gather, load_matrix, load_symmetric, load_vector, store_matrix, store_symmetric, store_vector, sums,
    turned,
};
use crate::kernels::by_copy::bodies::rnea::Body;
use crate::kernels::by_copy::bodies::{BASE, Memory, NV};
use crate::plan::bodies::{Rank, Ranks};
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

/// The mass matrix; entries that the tree makes zero are not written.
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
        let Self { ranks: Ranks { ranks, .. }, memory: Memory { bodies, composites, .. }, q, to } = self;
        for (rank, of) in ranks.iter().zip(&mut *composites) {
            (of.first, of.second) = (rank.first, rank.second);
        }
        for (rank, body) in ranks.iter().zip(bodies.iter_mut()).skip(1) {
            let sin_cos = gather::<R::Low>(q, &rank.q).sin_cos();
            store_matrix(&mut body.rotation, &turned(&load_matrix(&rank.rotation), sin_cos));
        }
        for i in (1..ranks.len()).rev() {
            let momentum = carry::<R::Low>(&ranks[i], bodies, composites, i);
            walk::<R::Low>(ranks, i, bodies, momentum, to);
        }
        weigh_base(&composites[0].total(&ranks[0]), to);
    }
}

/// Adds what a rank carries to what its parents do. Returns `A`: its force and its moment.
#[inline(always)]
fn carry<R: Register>(rank: &Rank, bodies: &[Body], composites: &mut [Composite], i: usize) -> [Vector3<Lanes<R>>; 2] {
    let own @ Mass { first, second, .. } = composites[i].mass::<R>(rank);
    let Mass { first: h, second: s, .. } =
        own.placed(&load_matrix(&bodies[i].rotation), load_vector(&rank.translation));
    let to = &mut composites[i - 1];
    let (sum, squares) = (v3::add(load_vector::<R>(&to.first), h), load_symmetric::<R>(&to.second) + s);
    store_vector(&mut to.first, sum);
    store_symmetric(&mut to.second, squares);
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
    to: &mut [f64],
) {
    let rank = &ranks[i];
    let own = (n.z + rank.armature.load()).0.to_array();
    let mut k = 0;
    while k < ABREAST {
        to[rank.v[k] * (NV + 1)] = own[k];
        k += 1;
    }
    // From each body to the next.
    let mut at = i;
    loop {
        let (r, p) = (load_matrix::<R>(&bodies[at].rotation), load_vector::<R>(&ranks[at].translation));
        f = v3::rotate(&r, f);
        n = v3::cross_plus(p, f, v3::rotate(&r, n));
        at -= 1;
        if at == 0 {
            break;
        }
        let x = n.z.0.to_array();
        let mut k = 0;
        while k < ABREAST {
            let (row, column) = (ranks[at].v[k], rank.v[k]);
            to[row + NV * column] = x[k];
            to[column + NV * row] = x[k];
            k += 1;
        }
    }
    let (a, b, c) = (f.x.0.to_array(), f.y.0.to_array(), f.z.0.to_array());
    let (d, e, f) = (n.x.0.to_array(), n.y.0.to_array(), n.z.0.to_array());
    let mut k = 0;
    while k < ABREAST {
        let (six, v) = ([a[k], b[k], c[k], d[k], e[k], f[k]], rank.v[k]);
        to[NV * v..][..BASE].copy_from_slice(&six);
        let mut row = 0;
        while row < BASE {
            to[v + NV * row] = six[row];
            row += 1;
        }
        k += 1;
    }
}

/// The columns of a free base with themselves:
///
/// ```text
/// [ m E  −[h]× ]
/// [ [h]×   I   ]
/// ```
#[inline(always)]
pub(crate) fn weigh_base(&Mass { mass: m, first, second }: &Mass<f64>, to: &mut [f64]) {
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
    while k < BASE {
        to[k * NV..][..BASE].copy_from_slice(&columns[k]);
        k += 1;
    }
}
