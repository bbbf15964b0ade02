//! The inverse of the mass matrix from its factors, and products with it.

use super::blocks;
use super::entries::store;
use super::factors::Factors;
use super::floating::Floating;
use super::memory::Row;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use gradyn_derivatives::{Lanes, Level};

/// `W = L⁻¹`, then `M⁻¹ = W D⁻¹ Wᵀ`, in blocks. `W` has entries where `L` has them:
///
/// ```text
/// W_gg = L_gg⁻¹ ;  W_gb = −L_gg⁻¹ Σ_c L_gc W_cb      for b above g, c from b to the last above g
/// ```
pub(super) struct Inversion<'a> {
    pub(super) factors: &'a mut Factors,
    pub(super) to: &'a mut [f64],
}

impl Kernel for Inversion<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors, to } = self;
        for g in 0..factors.width {
            invert_rows::<R>(factors, g);
        }
        for g in 0..factors.width {
            for c in 0..=g {
                multiply_block::<R>(factors, g, c, to);
            }
        }
    }
}

/// Rows of `W` of the group `g`, and its columns of `Y = D⁻¹ Wᵀ`.
#[inline(always)]
fn invert_rows<R: Register>(factors: &mut Factors, g: usize) {
    let own = g * factors.width;
    let mut rows = [R::splat(0.0); WIDTH];
    let mut k = 0;
    while k < WIDTH {
        rows[k] = R::splat(1.0).where_else(1 << k, rows[k]);
        k += 1;
    }
    blocks::solve(&factors.l[own + g], &mut rows);
    keep(factors, g, g, &rows);
    for at in 0..factors.above(g).len() {
        let b = factors.above(g)[at];
        let mut rows = [R::splat(0.0); WIDTH];
        for &c in &factors.above(g)[..=at] {
            if factors.goes_through(c, b) {
                let (l, w) = (&factors.l[own + c], &factors.w[c * factors.width + b]);
                let live = (factors.live(g), factors.live(c));
                blocks::add_product::<R, false, true>(&mut rows, l, w, live);
            }
        }
        blocks::solve(&factors.l[own + g], &mut rows);
        keep(factors, g, b, &rows);
    }
}

/// A block of `W`, and of `Y`.
#[inline(always)]
fn keep<R: Register>(factors: &mut Factors, g: usize, b: usize, rows: &[R; WIDTH]) {
    let width = factors.width;
    blocks::store(&mut factors.w[g * width + b], rows);
    let turned = R::transpose(*rows);
    let (y, reciprocal) = (&mut factors.y[b * width + g], &factors.reciprocal[b]);
    let mut k = 0;
    while k < WIDTH {
        y[k].store(Lanes(turned[k].mul(R::splat(reciprocal.0[k]))));
        k += 1;
    }
}

/// Block (g, c) of the inverse and its mirror image: `Σ_b W_gb Y_bc` over the groups that both go through.
#[inline(always)]
fn multiply_block<R: Register>(factors: &mut Factors, g: usize, c: usize, to: &mut [f64]) {
    let width = factors.width;
    let mut rows = [R::splat(0.0); WIDTH];
    for b in 0..=c {
        if factors.goes_through(g, b) && factors.goes_through(c, b) {
            let live = (factors.live(g), factors.live(b));
            blocks::add_product::<R, false, false>(
                &mut rows,
                &factors.w[g * width + b],
                &factors.y[b * width + c],
                live,
            );
        }
    }
    let turned = blocks::mirrored(&rows, g == c);
    let nv = factors.nv();
    if g != c {
        blocks::store(&mut factors.inverse[g * width + c], &rows);
        blocks::write(&rows, g, c, to, (nv, nv));
    }
    blocks::store(&mut factors.inverse[c * width + g], &turned);
    blocks::write(&turned, c, g, to, (nv, nv));
}

/// `to = −M⁻¹ from`: eight columns at a time, which are copied to where their numbers stand side by side.
pub(super) struct Product<'a> {
    pub(super) factors: &'a mut Factors,
    pub(super) from: &'a [f64],
    pub(super) to: &'a mut [f64],
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors, from, to } = self;
        let (nv, width) = (factors.nv(), factors.width);
        if nv == 0 {
            return;
        }
        for (from, to) in from.chunks(WIDTH * nv).zip(to.chunks_mut(WIDTH * nv)) {
            let columns = from.len() / nv;
            for (c, from) in from.chunks_exact(nv).enumerate() {
                for (columns, from) in factors.columns.iter_mut().zip(from.chunks(WIDTH)) {
                    match from.first_chunk::<WIDTH>() {
                        Some(from) => columns[c] = Row(*from),
                        None => columns[c].store(Lanes(R::load_first(from))),
                    }
                }
            }
            for b in 0..width {
                let mut sums = [R::splat(0.0); WIDTH];
                for g in 0..width {
                    let inverse = &factors.inverse[g * width + b];
                    let live = (columns, factors.live(g));
                    blocks::add_product::<R, false, true>(&mut sums, &factors.columns[g], inverse, live);
                }
                for (c, to) in to.chunks_exact_mut(nv).enumerate() {
                    store(to, b * WIDTH, nv - b * WIDTH, sums[c & (WIDTH - 1)]);
                }
            }
        }
    }
}

/// `to = −M⁻¹ from` of two matrices with the zeros of the mass matrix: column by column, sums of columns of the inverse.
pub(super) struct SparseProduct<'a> {
    pub(super) factors: &'a Factors,
    pub(super) from: [&'a [f64]; 2],
    pub(super) to: [&'a mut [f64]; 2],
    /// Whose columns are not asked for.
    pub(super) known: &'a [Floating],
}

impl Kernel for SparseProduct<'_> {
    /// Are all results finite? Then so is the inverse: each of its columns `k` is multiplied by entry (k, j) of a column `j` that is
    /// asked for, its own or, for a base that floats, those by its angular velocity; and it shows even where that entry is
    /// zero, as `0 · ∞` is no number.
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { factors, from, to: [first, second], known } = self;
        let nv = factors.nv();
        let mut finite = R::splat(0.0);
        for (j, rows) in factors.coupled.iter().enumerate() {
            let own = j * nv..(j + 1) * nv;
            let from = [&from[0][own.clone()], &from[1][own.clone()]];
            let [first, second] = [&mut first[own.clone()], &mut second[own]];
            let [by_q, by_v] =
                known.iter().fold([false; 2], |[q, v], base| [q | base.knows(j)[0], v | base.knows(j)[1]]);
            match (by_q, by_v) {
                (false, _) => column::<R, 2>(factors, rows, from, [first, second], &mut finite),
                (true, false) => column::<R, 1>(factors, rows, [from[1]], [second], &mut finite),
                (true, true) => {}
            }
        }
        finite.all_lt(R::splat(1.0))
    }
}

/// One column of `M` matrices.
#[inline(always)]
fn column<R: Register, const M: usize>(
    factors: &Factors,
    rows: &[usize],
    from: [&[f64]; M],
    mut to: [&mut [f64]; M],
    finite: &mut R,
) {
    let (width, mut b) = (factors.width, 0);
    while b < width {
        // As many sums at a time as the level has registers for.
        b += match (R::LEVEL, width - b) {
            (Level::Avx512, 4..) => sums::<R, M, 4>(factors, rows, from, &mut to, b, finite),
            (Level::Avx512, 3) => sums::<R, M, 3>(factors, rows, from, &mut to, b, finite),
            (_, 2..) => sums::<R, M, 2>(factors, rows, from, &mut to, b, finite),
            _ => sums::<R, M, 1>(factors, rows, from, &mut to, b, finite),
        };
    }
}

/// `N` blocks of the columns from block `b` on; returns `N`. Leaves `finite` zero if all numbers are.
#[inline(always)]
fn sums<R: Register, const M: usize, const N: usize>(
    factors: &Factors,
    rows: &[usize],
    from: [&[f64]; M],
    to: &mut [&mut [f64]; M],
    b: usize,
    finite: &mut R,
) -> usize {
    let (nv, width, zero) = (factors.nv(), factors.width, R::splat(0.0));
    let inverse = factors.inverse.as_flattened();
    let mut sums = [[zero; N]; M];
    for &k in rows {
        let mut x = [zero; M];
        let mut m = 0;
        while m < M {
            x[m] = R::splat(from[m][k]);
            m += 1;
        }
        let row = &inverse[blocks::place(width, k, b)..][..(N - 1) * WIDTH + 1];
        let mut n = 0;
        while n < N {
            let inverse: R = row[n * WIDTH].load().0;
            let mut m = 0;
            while m < M {
                sums[m][n] = inverse.mul_add(x[m], sums[m][n]);
                m += 1;
            }
            n += 1;
        }
    }
    let mut m = 0;
    // Differences to zero: a sum of nothing stays +0.
    while m < M {
        let mut n = 0;
        while n < N {
            let at = (b + n) * WIDTH;
            *finite = sums[m][n].mul_add(zero, *finite); // zero, or NaN
            store(to[m], at, nv - at, zero.sub(sums[m][n]));
            n += 1;
        }
        m += 1;
    }
    N
}
