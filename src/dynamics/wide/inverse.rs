//! The inverse of the mass matrix from its factors, and products with it.

use super::blocks;
use super::entries::store;
use super::factors::Factors;
use super::memory::Row;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};

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
    /// Without the zeros of the mass matrix?
    pub(super) full: bool,
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors, from, to, full } = self;
        let (nv, width) = (factors.nv(), factors.width);
        if nv == 0 {
            return;
        }
        for (j, (from, to)) in from.chunks(WIDTH * nv).zip(to.chunks_mut(WIDTH * nv)).enumerate() {
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
                    if full || factors.goes_through(j, g) || factors.goes_through(g, j) {
                        let inverse = &factors.inverse[g * width + b];
                        let live = (columns, factors.live(g));
                        blocks::add_product::<R, false, true>(&mut sums, &factors.columns[g], inverse, live);
                    }
                }
                for (c, to) in to.chunks_exact_mut(nv).enumerate() {
                    store(to, b * WIDTH, nv - b * WIDTH, sums[c & (WIDTH - 1)]);
                }
            }
        }
    }
}
