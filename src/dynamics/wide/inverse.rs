//! The inverse of the mass matrix from its factors, and products with it.

use super::blocks;
use super::entries::store;
use super::factors::Factors;
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
                blocks::add_product::<R, false, true>(&mut rows, l, w);
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
            blocks::add_product::<R, false, false>(&mut rows, &factors.w[g * width + b], &factors.y[b * width + c]);
        }
    }
    let mut turned = R::transpose(rows);
    if g == c {
        let mut k = 0;
        while k < WIDTH {
            // To the bit: entries right of the diagonal are those left of it.
            #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
            let left = ((1_u32 << k) - 1) as u8;
            turned[k] = rows[k].where_else(left, turned[k]);
            k += 1;
        }
    } else {
        blocks::store(&mut factors.inverse[g * width + c], &rows);
        blocks::write(&rows, g, c, to, factors.nv());
    }
    blocks::store(&mut factors.inverse[c * width + g], &turned);
    blocks::write(&turned, c, g, to, factors.nv());
}

/// `to = −M⁻¹ from`: sums of the inverse's columns.
pub(super) struct Product<'a> {
    pub(super) factors: &'a Factors,
    pub(super) nv: usize,
    pub(super) from: &'a [f64],
    pub(super) to: &'a mut [f64],
    /// Without the zeros of the mass matrix?
    pub(super) full: bool,
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors, nv, from, to, full } = self;
        let columns = to.len() / nv.max(1);
        let mut j = 0;
        // As many columns share what is read of the inverse as the level has registers for.
        while j + WIDTH <= columns {
            // Of eight columns that begin with a group, those rows that the group is related to.
            let group = if full || j % WIDTH != 0 { None } else { Some(j / WIDTH) };
            if R::LEVEL == Level::Avx512 {
                multiply_columns::<R, 8>(factors, nv, group, from, to, j);
            } else {
                multiply_columns::<R, 4>(factors, nv, group, from, to, j);
                multiply_columns::<R, 4>(factors, nv, group, from, to, j + 4);
            }
            j += WIDTH;
        }
        while j < columns {
            // The last columns once more, rather than one by one.
            if columns - j > 2 && columns >= 4 {
                j = if j + 4 > columns { columns - 4 } else { j };
                multiply_columns::<R, 4>(factors, nv, None, from, to, j);
                j += 4;
            } else {
                multiply_columns::<R, 1>(factors, nv, None, from, to, j);
                j += 1;
            }
        }
    }
}

/// `N` columns from column `j` on, all of the group `group` if there is one.
#[inline(always)]
fn multiply_columns<R: Register, const N: usize>(
    factors: &Factors,
    nv: usize,
    group: Option<usize>,
    from: &[f64],
    to: &mut [f64],
    j: usize,
) {
    let width = factors.width;
    let (from, to) = (&from[j * nv..(j + N) * nv], &mut to[j * nv..(j + N) * nv]);
    for b in 0..width {
        let mut sums = [R::splat(0.0); N];
        for g in 0..width {
            if group.is_some_and(|group| !factors.goes_through(group, g) && !factors.goes_through(g, group)) {
                continue;
            }
            let rows = &factors.inverse[g * width + b];
            let live = if nv - g * WIDTH < WIDTH { nv - g * WIDTH } else { WIDTH };
            let mut columns = [&from[..0]; N];
            let mut c = 0;
            while c < N {
                columns[c] = &from[c * nv + g * WIDTH..][..live];
                c += 1;
            }
            if live == WIDTH {
                let mut whole = [&[0.0; WIDTH]; N];
                let mut c = 0;
                while c < N {
                    if let Some(column) = columns[c].first_chunk::<WIDTH>() {
                        whole[c] = column;
                    }
                    c += 1;
                }
                let mut i = 0;
                while i < WIDTH {
                    add_row(&mut sums, rows[i].load().0, i, &whole);
                    i += 1;
                }
                continue;
            }
            let mut i = 0;
            while i < live {
                let row: R = rows[i].load().0;
                let mut c = 0;
                while c < N {
                    sums[c] = row.mul_add(R::splat(columns[c][i]), sums[c]);
                    c += 1;
                }
                i += 1;
            }
        }
        let mut c = 0;
        while c < N {
            let at = c * nv + b * WIDTH;
            store(to, at, nv - b * WIDTH, R::splat(0.0).sub(sums[c]));
            c += 1;
        }
    }
}

/// `sums += row · columns[i]`
#[inline(always)]
fn add_row<R: Register, const N: usize>(sums: &mut [R; N], row: R, i: usize, columns: &[&[f64; WIDTH]; N]) {
    let mut c = 0;
    while c < N {
        sums[c] = row.mul_add(R::splat(columns[c][i]), sums[c]);
        c += 1;
    }
}
