//! The inverse of the mass matrix from its factors, and products with it.

use super::entries::store;
use super::factors::{Factors, Run};
use super::memory::Row;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use std::ops::Range;

/// `Lᵀ Y = 1`, then `L X = D⁻¹ Y`, of which entries right of the diagonal are kept and mirrored.
pub(super) struct Inversion<'a> {
    pub(super) factors: &'a mut Factors,
    pub(super) to: &'a mut [f64],
}

impl Kernel for Inversion<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors: Factors { width, runs, first_run, window, tree_end, l, reciprocal, inverse, .. }, to } =
            self;
        let (width, nv, zero) = (*width, reciprocal.len(), R::splat(0.0));
        for row in inverse.iter_mut() {
            row.store(Lanes(zero));
        }
        for k in 0..nv {
            let one = R::splat(1.0).where_else(1 << (k % WIDTH), zero);
            inverse[k * width + k / WIDTH].store(Lanes(one));
        }
        for k in (0..nv).rev() {
            let (above, own) = inverse.split_at_mut(k * width);
            let (first, end) = (k / WIDTH, window[k] + 1);
            let own = &own[first..end];
            let l = &l[k * width..][..width];
            for run in &runs[first_run[k]..first_run[k + 1]] {
                let mut at = run.row() * width + first;
                for l in run.entries(l) {
                    let minus = R::splat(-l);
                    for (y, own) in above[at..].iter_mut().zip(own) {
                        y.store(Lanes(minus.mul_add(own.load::<R>().0, y.load::<R>().0)));
                    }
                    at += width;
                }
            }
        }
        for k in 0..nv {
            let (above, own) = inverse.split_at_mut(k * width);
            let own = &mut own[..width];
            let l = &l[k * width..][..width];
            let runs = &runs[first_run[k]..first_run[k + 1]];
            let mut b = k / WIDTH;
            let end = tree_end[k] + 1;
            while b + 4 <= end {
                substitute::<R, 4>(runs, l, above, own, b, reciprocal[k]);
                b += 4;
            }
            while b < end {
                substitute::<R, 1>(runs, l, above, own, b, reciprocal[k]);
                b += 1;
            }
        }
        mirror::<R>(inverse, width);
        for (column, rows) in inverse.chunks_exact(width.max(1)).take(nv).enumerate() {
            for (b, row) in rows.iter().enumerate() {
                store(to, column * nv + b * WIDTH, nv - b * WIDTH, row.load::<R>().0);
            }
        }
    }
}

/// `own := own / D − Σ L[k, i] row i`, `N` registers from register `b`.
#[inline(always)]
fn substitute<R: Register, const N: usize>(
    runs: &[Run],
    l: &[Row],
    above: &[Row],
    own: &mut [Row],
    b: usize,
    reciprocal: f64,
) {
    let width = own.len();
    let mut sums = [R::splat(0.0); N];
    for run in runs {
        let mut at = run.row() * width + b;
        for l in run.entries(l) {
            let (l, row) = (R::splat(*l), &above[at..at + N]);
            let mut k = 0;
            while k < N {
                sums[k] = l.mul_add(row[k].load::<R>().0, sums[k]);
                k += 1;
            }
            at += width;
        }
    }
    let own = &mut own[b..b + N];
    let mut k = 0;
    while k < N {
        let x = own[k].load::<R>().0.mul_sub(R::splat(reciprocal), sums[k]);
        own[k].store(Lanes(x));
        k += 1;
    }
}

/// Entries left of the diagonal from those right of it, eight by eight.
#[inline(always)]
fn mirror<R: Register>(rows: &mut [Row], width: usize) {
    for i in 0..width {
        for j in i..width {
            let mut block = [R::splat(0.0); WIDTH];
            let mut k = 0;
            while k < WIDTH {
                block[k] = rows[(i * WIDTH + k) * width + j].load::<R>().0;
                k += 1;
            }
            let turned = R::transpose(block);
            let mut k = 0;
            while k < WIDTH {
                let own = if i == j { ((1u32 << k) - 1) as u8 } else { u8::MAX };
                rows[(j * WIDTH + k) * width + i].store(Lanes(turned[k].where_else(own, block[k])));
                k += 1;
            }
        }
    }
}

/// `to = −M⁻¹ from`, column by column: a sum of the inverse's columns.
pub(super) struct Product<'a> {
    pub(super) factors: &'a Factors,
    pub(super) from: &'a [f64],
    pub(super) to: &'a mut [f64],
    /// Without the zeros of the mass matrix?
    pub(super) full: bool,
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors: Factors { width, coupled, first_coupled, inverse, reciprocal, .. }, from, to, full } = self;
        let (width, nv) = (*width, reciprocal.len().max(1));
        let all = 0..nv;
        for (j, (from, to)) in from.chunks_exact(nv).zip(to.chunks_exact_mut(nv)).enumerate() {
            let rows = if full { std::slice::from_ref(&all) } else { &coupled[first_coupled[j]..first_coupled[j + 1]] };
            let mut b = 0;
            while b + 4 <= width {
                registers::<R, 4>(inverse, width, rows, from, to, b);
                b += 4;
            }
            while b < width {
                registers::<R, 1>(inverse, width, rows, from, to, b);
                b += 1;
            }
        }
    }
}

/// `N` registers of one column, from register `b`.
#[inline(always)]
fn registers<R: Register, const N: usize>(
    inverse: &[Row],
    width: usize,
    rows: &[Range<usize>],
    from: &[f64],
    to: &mut [f64],
    b: usize,
) {
    let mut sums = [R::splat(0.0); N];
    for range in rows {
        let mut at = range.start * width + b;
        for x in &from[range.clone()] {
            let (x, inverse) = (R::splat(*x), &inverse[at..at + N]);
            let mut k = 0;
            while k < N {
                sums[k] = inverse[k].load::<R>().0.mul_add(x, sums[k]);
                k += 1;
            }
            at += width;
        }
    }
    for (k, sum) in sums.into_iter().enumerate() {
        let at = (b + k) * WIDTH;
        store(to, at, to.len() - at, R::splat(0.0).sub(sum));
    }
}
