//! Where numbers of limbs stand in the columns of a matrix.

use crate::kernels::by_copy::bodies::four::{ABREAST, Four, gather};
use crate::kernels::by_copy::bodies::limbs::six::store_six;
use crate::kernels::by_copy::bodies::limbs::{BASE, Column};
use crate::plan::bodies::Limb;
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, Real};

/// Entries of one column in the rows of limbs of up to `n` hinges: lane by lane, row by row.
#[inline(always)]
pub(crate) fn write_rows(limb: &Limb, column: &mut [f64], entry: impl Fn(usize, usize) -> f64, n: usize) {
    if limb.packed {
        let column = &mut column[limb.first[0]..][..ABREAST * n];
        let mut k = 0;
        while k < ABREAST {
            let mut r = 0;
            while r < n {
                column[k * n + r] = entry(k, r);
                r += 1;
            }
            k += 1;
        }
        return;
    }
    let mut k = 0;
    while k < ABREAST {
        let rows = &mut column[limb.first[k]..][..limb.lengths[k]];
        for r in 0..rows.len().min(n) {
            rows[r] = entry(k, r);
        }
        k += 1;
    }
}

/// A column of four limbs in the rows of themselves or of four others, in the lanes of these: entries with limbs so many lanes further.
pub(crate) type Columns<const N: usize> = [Column<N>; ABREAST];

/// Column `c` of four limbs.
#[inline(always)]
pub(crate) fn write_columns<const N: usize>(
    limb: &Limb,
    (other, c): (&Limb, usize),
    columns: &Columns<N>,
    nv: usize,
    to: &mut [f64],
) {
    let mut l = 0;
    while l < ABREAST {
        if c < other.lengths[l] {
            let column = &mut to[(other.first[l] + c) * nv..][..nv];
            write_rows(limb, column, |k, r: usize| columns[(l + ABREAST - k) % ABREAST][r].0[k], N);
        }
        l += 1;
    }
}

/// The rows of limbs of one column.
#[inline(always)]
pub(crate) fn read_rows<R: Register, const N: usize>(limb: &Limb, from: &[f64]) -> [Lanes<R>; N] {
    let (mut x, mut r) = ([Lanes::zero(); N], 0);
    while r < N {
        x[r] = gather(from, &limb.place(r).rows);
        r += 1;
    }
    x
}

/// Column `c` of limbs in their own rows.
#[inline(always)]
pub(crate) fn read_column<R: Register, const N: usize>(
    limb: &Limb,
    c: usize,
    from: &[f64],
    nv: usize,
) -> [Lanes<R>; N] {
    let [a, b, c, d] = limb.place(c).rows;
    let (a, b) = (&from[a * nv..][..nv], &from[b * nv..][..nv]);
    let (c, d) = (&from[c * nv..][..nv], &from[d * nv..][..nv]);
    let (mut x, mut r) = ([Lanes::zero(); N], 0);
    while r < N {
        let [i, j, k, l] = limb.place(r).rows;
        x[r] = Four([a[i], b[j], c[k], d[l]]).load();
        r += 1;
    }
    x
}

/// Column `c` of limbs in the rows of a free base.
#[inline(always)]
pub(crate) fn read_six<R: Register>(limb: &Limb, c: usize, from: &[f64], nv: usize) -> [Lanes<R>; BASE] {
    let [a, b, c, d] = limb.place(c).rows;
    let (a, b) = (&from[a * nv..][..BASE], &from[b * nv..][..BASE]);
    let (c, d) = (&from[c * nv..][..BASE], &from[d * nv..][..BASE]);
    let (mut six, mut i) = ([Lanes::zero(); BASE], 0);
    while i < BASE {
        six[i] = Four([a[i], b[i], c[i], d[i]]).load();
        i += 1;
    }
    six
}

/// And back.
#[inline(always)]
pub(crate) fn put_six<R: Register>(limb: &Limb, c: usize, six: &[Lanes<R>; BASE], nv: usize, to: &mut [f64]) {
    let mut rows = [Four::ZERO; BASE];
    store_six(&mut rows, six);
    let mut k = 0;
    while k < ABREAST {
        if c < limb.lengths[k] {
            let column = &mut to[(limb.first[k] + c) * nv..][..BASE];
            let mut i = 0;
            while i < BASE {
                column[i] = rows[i].0[k];
                i += 1;
            }
        }
        k += 1;
    }
}
