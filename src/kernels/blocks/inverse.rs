//! The inverse of the mass matrix from its factors, and products with it.
//! Page: `dynamics/minv.rs`. Test: `forward_dynamics::inverse_of_the_mass_matrix`.

use crate::kernels::blocks::factors::Factors;
use crate::kernels::rows::store_left;
use crate::kernels::{Outcome, blocks};
use crate::plan::{DofTree, Floating, Row};
use gradyn_derivatives::{Lanes, Level, Register, WIDTH};
use nalgebra::DMatrix;
use std::ops::Range;

impl Factors {
    /// The inverse of the mass matrix, nv × nv, symmetric to the bit.
    pub(crate) fn invert(&mut self, to: &mut DMatrix<f64>) {
        inversion(self, to.as_mut_slice());
    }

    /// `to = −M⁻¹ from` after [`Self::invert`], for the derivatives of torques by configurations and velocities, which
    /// have the zeros of the mass matrix; columns that are `known` are not written. Returns whether both, and therefore
    /// the inverse, are finite.
    pub(crate) fn multiply(
        &mut self,
        from: [&DMatrix<f64>; 2],
        to: [&mut DMatrix<f64>; 2],
        known: &[Floating],
    ) -> Outcome {
        if self.coupled.is_empty() {
            self.coupled = coupled(&self.tree);
        }
        let (from, to) = (from.map(DMatrix::as_slice), to.map(DMatrix::as_mut_slice));
        sparse_product(self, from, to, known)
    }

    /// The same for a matrix of any shape and without zeros.
    pub(crate) fn multiply_full(&mut self, from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        product(self, from.as_slice(), to.as_mut_slice());
    }
}

/// For the columns of a matrix with the zeros of the mass matrix runs of their other rows, ascending; columns side by
/// side with the same rows go together.
fn coupled(tree: &DofTree) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
    let nv = tree.start.len() - 1;
    let mut rows = vec![Vec::<Range<usize>>::new(); nv];
    let mut add = |column: usize, row: usize| match rows[column].last_mut() {
        Some(run) if run.end == row => run.end = row + 1,
        _ => rows[column].push(row..row + 1),
    };
    for k in 0..nv {
        for &i in tree.path(k) {
            add(k, i);
            if i != k {
                add(i, k);
            }
        }
    }
    let mut alike: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
    for (j, rows) in rows.into_iter().enumerate() {
        match alike.last_mut() {
            Some((columns, first)) if *first == rows => columns.end = j + 1,
            _ => alike.push((j..j + 1, rows)),
        }
    }
    alike
}

kernel!(
    active,
    /// `W = L⁻¹`, then `M⁻¹ = W D⁻¹ Wᵀ`, in blocks. `W` has entries where `L` has them:
    ///
    /// ```text
    /// W_gg = L_gg⁻¹ ;  W_gb = −L_gg⁻¹ Σ_c L_gc W_cb      for b above g, c from b to the last above g
    /// ```
    pub(crate) fn inversion<'a, R: Register>(factors: &'a mut Factors, to: &'a mut [f64]) {
        for g in 0..factors.width {
            invert_rows::<R>(factors, g);
        }
        for g in 0..factors.width {
            for c in 0..=g {
                multiply_block::<R>(factors, g, c, to);
            }
        }
    }
);

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
        blocks::store(&mut factors.inverse[c * width + g], &rows);
        blocks::write(&rows, g, c, to, (nv, nv));
    }
    blocks::store(&mut factors.inverse[g * width + c], &turned);
    blocks::write(&turned, c, g, to, (nv, nv));
}

kernel!(
    active,
    /// `to = −M⁻¹ from`: eight columns at a time, which are copied to where their numbers stand side by side.
    pub(crate) fn product<'a, R: Register>(factors: &'a mut Factors, from: &'a [f64], to: &'a mut [f64]) {
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
                    let inverse = &factors.inverse[b * width + g];
                    let live = (columns, factors.live(g));
                    blocks::add_product::<R, false, true>(&mut sums, &factors.columns[g], inverse, live);
                }
                for (c, to) in to.chunks_exact_mut(nv).enumerate() {
                    store_left(to, b * WIDTH, nv - b * WIDTH, sums[c & (WIDTH - 1)]);
                }
            }
        }
    }
);

/// Most columns that [`sparse_product`] takes at a time: what registers hold.
const AT_ONCE: usize = 3;

kernel!(
    active,
    /// `to = −M⁻¹ from` of two matrices with the zeros of the mass matrix: sums of columns of the inverse. Returns
    /// whether all results are certainly finite. Then so is the inverse: each of its columns `k` is multiplied by entry
    /// (k, j) of a column `j` that is asked for, its own or, for a base that floats, those by its angular velocity; and
    /// it shows even where that entry is zero, as `0 · ∞` is no number.
    pub(crate) fn sparse_product<'a, R: Register>(
        factors: &'a Factors,
        from: [&'a [f64]; 2],
        to: [&'a mut [f64]; 2],
        /// Whose columns are not asked for.
        known: &'a [Floating],
    ) -> Outcome {
        let [first, second] = to;
        let nv = factors.nv();
        let most = if R::LEVEL == Level::Avx512 { AT_ONCE } else { 1 };
        let knows = |j| known.iter().fold([false; 2], |[q, v], base| [q | base.knows(j)[0], v | base.knows(j)[1]]);
        let mut finite = R::splat(0.0);
        for (columns, rows) in &factors.coupled {
            let mut j = columns.start;
            while j < columns.end {
                let [by_q, by_v] = knows(j);
                let alike = (j + 1..columns.end.min(j + most)).take_while(|k| knows(*k) == [by_q, by_v]).count() + 1;
                let count = if alike == AT_ONCE { AT_ONCE } else { 1 };
                let own = j * nv..(j + count) * nv;
                let from = [&from[0][own.clone()], &from[1][own.clone()]];
                let [first, second] = [&mut first[own.clone()], &mut second[own]];
                match (by_q, by_v, count) {
                    (false, _, AT_ONCE) => {
                        several_columns::<R, 2, AT_ONCE>(factors, rows, from, [first, second], &mut finite)
                    }
                    (false, ..) => several_columns::<R, 2, 1>(factors, rows, from, [first, second], &mut finite),
                    (true, false, AT_ONCE) => {
                        several_columns::<R, 1, AT_ONCE>(factors, rows, [from[1]], [second], &mut finite)
                    }
                    (true, false, _) => several_columns::<R, 1, 1>(factors, rows, [from[1]], [second], &mut finite),
                    (true, true, _) => {}
                }
                j += count;
            }
        }
        Outcome::of(finite)
    }
);

/// `C` columns side by side of `M` matrices.
#[inline(always)]
fn several_columns<R: Register, const M: usize, const C: usize>(
    factors: &Factors,
    rows: &[Range<usize>],
    from: [&[f64]; M],
    mut to: [&mut [f64]; M],
    finite: &mut R,
) {
    let (width, mut b) = (factors.width, 0);
    while b < width {
        // As many sums at a time as the level has registers for.
        b += match (R::LEVEL, C, width - b) {
            (Level::Avx512, 1, 4..) => sums::<R, M, C, 4>(factors, rows, from, &mut to, b, finite),
            (Level::Avx512, _, 3..) => sums::<R, M, C, 3>(factors, rows, from, &mut to, b, finite),
            (_, _, 2..) => sums::<R, M, C, 2>(factors, rows, from, &mut to, b, finite),
            _ => sums::<R, M, C, 1>(factors, rows, from, &mut to, b, finite),
        };
    }
}

/// `N` blocks of the columns from block `b` on; returns how many these are. Leaves `finite` zero if all numbers, and
/// their sums, are.
#[inline(always)]
fn sums<R: Register, const M: usize, const C: usize, const N: usize>(
    factors: &Factors,
    rows: &[Range<usize>],
    from: [&[f64]; M],
    to: &mut [&mut [f64]; M],
    b: usize,
    finite: &mut R,
) -> usize {
    let (nv, lanes, zero) = (factors.nv(), factors.width * WIDTH, R::splat(0.0));
    let inverse = &factors.inverse.as_flattened()[b * lanes..];
    let mut sums = [[[zero; N]; C]; M];
    for rows in rows {
        let (first, count) = (rows.start, rows.len());
        let mut x = [[&[][..]; C]; M];
        for m in 0..M {
            for c in 0..C {
                x[m][c] = &from[m][c * nv + first..][..count];
            }
        }
        let mut strips = [&[][..]; N];
        for n in 0..N {
            strips[n] = &inverse[n * lanes + first..][..count];
        }
        let mut k = 0;
        while k < count {
            let mut y = [[zero; C]; M];
            for m in 0..M {
                for c in 0..C {
                    y[m][c] = R::splat(x[m][c][k]);
                }
            }
            for n in 0..N {
                let inverse: R = strips[n][k].load().0;
                for m in 0..M {
                    for c in 0..C {
                        sums[m][c][n] = inverse.mul_add(y[m][c], sums[m][c][n]);
                    }
                }
            }
            k += 1;
        }
    }
    // Differences to zero: a sum of nothing stays +0.
    let mut m = 0;
    while m < M {
        let mut c = 0;
        while c < C {
            let (mut total, mut n) = (zero, 0);
            while n < N {
                let at = (b + n) * WIDTH;
                total = total.add(sums[m][c][n]);
                store_left(to[m], c * nv + at, nv - at, zero.sub(sums[m][c][n]));
                n += 1;
            }
            *finite = total.mul_add(zero, *finite);
            c += 1;
        }
        m += 1;
    }
    N
}
