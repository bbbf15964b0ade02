//! Where entries of a quadruped's matrices come to stand: of the columns of four legs, and of its base.

use crate::kernels::by_copy::bodies::body_rows::{BODIES, BodyRow};
use crate::kernels::by_copy::bodies::{BASE, NV};
use crate::spatial::moments::{Flow, Mass};
use crate::spatial::{Force, Symmetric3};
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::Register;
use nalgebra::{Matrix3, Vector3};

/// Entries of four columns with one ancestor each: in its row, and in its column.
#[inline(always)]
pub(crate) fn put<R: Register>(
    to: &mut [f64],
    (above, at): (&[usize; BODIES], &[usize; BODIES]),
    (row, column): (Lanes<R>, Lanes<R>),
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
pub(crate) fn put_six<R: Register>(
    to: &mut [f64],
    at: &[usize; BODIES],
    (rows, columns): (Force<Lanes<R>>, Force<Lanes<R>>),
) {
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

/// Column `k` of the base with all six.
#[inline(always)]
pub(crate) fn put_base(to: &mut [f64], k: usize, column: &[f64; BASE]) {
    to[k * NV..][..BASE].copy_from_slice(column);
}

/// All four lanes together: of the base a quarter stands in each.
#[inline(always)]
pub(crate) fn sum<R: Register>(x: Lanes<R>) -> f64 {
    let mut four = BodyRow::ZERO;
    four.store(x);
    four.sum()
}

#[inline(always)]
pub(crate) fn sum_vector<R: Register>(x: Vector3<Lanes<R>>) -> Vector3<f64> {
    Vector3::new(sum(x.x), sum(x.y), sum(x.z))
}

/// Of everything, from shares in all lanes of the base.
#[inline(always)]
pub(crate) fn sum_mass<R: Register>(of: &Mass<Lanes<R>>) -> Mass<f64> {
    let s = &of.second;
    let second = Symmetric3::new(sum(s.xx), sum(s.xy), sum(s.xz), sum(s.yy), sum(s.yz), sum(s.zz));
    Mass { mass: sum(of.mass), first: sum_vector(of.first), second }
}

#[inline(always)]
pub(crate) fn sum_flow<R: Register>(of: &Flow<Lanes<R>>) -> Flow<f64> {
    let p = &of.second;
    #[rustfmt::skip]
    let second = Matrix3::new(
        sum(p.m11), sum(p.m12), sum(p.m13),
        sum(p.m21), sum(p.m22), sum(p.m23),
        sum(p.m31), sum(p.m32), sum(p.m33),
    );
    Flow { momentum: sum_vector(of.momentum), second }
}
