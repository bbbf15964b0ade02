//! What derivatives under constraints are multiplied by, from the factors of [`held`](super::held) and of the mass matrix.
//!
//! ```text
//! G = Kᵀ E K ,  V = E^(−1/2) K⁻ᵀ                  G⁻¹ = Vᵀ V
//! Qᵀ = V Yᵀ                                       orthonormal rows
//! Z = L⁻¹ D^(−1/2) Q                              = M⁻¹ Jᵀ Vᵀ
//! X = L⁻¹ D^(−1/2) (1 − Q Qᵀ) ,  N = X Xᵀ         what constraints leave of M⁻¹
//! ```

use super::blocks::{self, Block};
use super::factors::Factors;
use super::held::Held;
use super::memory::Row;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};

/// Matrices column by column, rank = rows.
pub(crate) struct Projections<'a> {
    /// `N`, nv × nv, symmetric to the bit.
    pub(crate) free: &'a mut [f64],
    /// `Z`, nv × rank, and its transpose.
    pub(crate) z: &'a mut [f64],
    pub(crate) zt: &'a mut [f64],
    /// `V`, rank × rows, and its transpose.
    pub(crate) v: &'a mut [f64],
    pub(crate) vt: &'a mut [f64],
    /// `Jᵀ`, nv × rows.
    pub(crate) jt: &'a mut [f64],
}

/// Fills in all of them.
pub(super) fn fill(held: &mut Held, mass: &Factors, to: Projections<'_>) {
    held.spare.resize(2 * mass.width * mass.width.max(held.width), blocks::ZERO);
    dispatch(Fill { held, mass, to });
}

struct Fill<'a> {
    held: &'a mut Held,
    mass: &'a Factors,
    to: Projections<'a>,
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { held: Held { width, y, root, factors: of_gram, jt, qt, spare, .. }, mass, to } = self;
        let (width, groups, rows, nv) = (*width, mass.width, of_gram.nv(), mass.nv());
        // V, eight of its columns at a time.
        for c in 0..width {
            let columns = &mut spare[..width];
            for (r, block) in columns.iter_mut().enumerate() {
                *block = if r == c { identity() } else { blocks::ZERO };
            }
            by_gram::<R>(of_gram, columns);
            for (r, block) in columns.iter().enumerate() {
                let own = blocks::load::<R>(block);
                blocks::write(&own, r, c, to.vt, (rows, rows));
                blocks::write(&R::transpose(own), c, r, to.v, (rows, rows));
            }
        }
        // Qᵀ, eight of its columns at a time: block (g, r).
        for g in 0..groups {
            let columns = &mut qt[g * width..(g + 1) * width];
            for (to, from) in columns.iter_mut().zip(&y[g * width..]) {
                blocks::store(to, &R::transpose(blocks::load::<R>(from)));
            }
            by_gram::<R>(of_gram, columns);
        }
        for (g, jt) in jt.chunks_exact(width).enumerate() {
            for (r, block) in jt.iter().enumerate() {
                blocks::write(&R::transpose(blocks::load::<R>(block)), r, g, to.jt, (nv, rows));
            }
        }
        // Z, eight of its columns at a time.
        for r in 0..width {
            let columns = &mut spare[..groups];
            for (g, to) in columns.iter_mut().enumerate() {
                blocks::store(to, &R::transpose(blocks::load::<R>(&qt[g * width + r])));
            }
            by_mass::<R>(mass, root, columns);
            for (g, block) in columns.iter().enumerate() {
                let own = blocks::load::<R>(block);
                blocks::write(&own, g, r, to.zt, (rows, nv));
                blocks::write(&R::transpose(own), r, g, to.z, (nv, rows));
            }
        }
        // Columns of X, then what N is multiplied from.
        let (x, turned) = spare.split_at_mut(groups * groups);
        for c in 0..groups {
            let columns = &mut x[c * groups..(c + 1) * groups];
            for (g, to) in columns.iter_mut().enumerate() {
                let mut sums = blocks::load::<R>(&if g == c { identity() } else { blocks::ZERO });
                for r in 0..width {
                    blocks::add_product::<R, true, true>(&mut sums, &qt[g * width + r], &qt[c * width + r]);
                }
                blocks::store(to, &sums);
            }
            by_mass::<R>(mass, root, columns);
            for (columns, turned) in columns.iter().zip(&mut turned[c * groups..]) {
                blocks::store(turned, &R::transpose(blocks::load::<R>(columns)));
            }
        }
        for g in 0..groups {
            for c in 0..=g {
                let mut sums = [R::splat(0.0); WIDTH];
                for b in 0..groups {
                    blocks::add_product::<R, false, false>(&mut sums, &x[b * groups + g], &turned[b * groups + c]);
                }
                let turned = blocks::mirrored(&sums, g == c);
                if g != c {
                    blocks::write(&sums, g, c, to.free, (nv, nv));
                }
                blocks::write(&turned, c, g, to.free, (nv, nv));
            }
        }
    }
}

/// `x := E^(−1/2) K⁻ᵀ x`
#[inline(always)]
fn by_gram<R: Register>(factors: &Factors, x: &mut [Block]) {
    for r in (0..factors.width).rev() {
        let (before, own) = x.split_at_mut(r);
        let mut rows = blocks::load::<R>(&own[0]);
        blocks::solve_transposed(factors.l_of(r, r), &mut rows);
        blocks::store(&mut own[0], &rows);
        for (c, before) in before.iter_mut().enumerate() {
            let mut sums = blocks::load::<R>(before);
            blocks::add_product::<R, true, true>(&mut sums, factors.l_of(r, c), &own[0]);
            blocks::store(before, &sums);
        }
        scale::<R>(&mut rows, &factors.reciprocal[r], true);
        blocks::store(&mut own[0], &rows);
    }
}

/// `x := L⁻¹ D^(−1/2) x`
#[inline(always)]
fn by_mass<R: Register>(factors: &Factors, root: &[Row], x: &mut [Block]) {
    for g in 0..factors.width {
        let mut rows = blocks::load::<R>(&x[g]);
        scale::<R>(&mut rows, &root[g], false);
        for &c in factors.above(g) {
            blocks::add_product::<R, false, true>(&mut rows, factors.l_of(g, c), &x[c]);
        }
        blocks::solve(factors.l_of(g, g), &mut rows);
        blocks::store(&mut x[g], &rows);
    }
}

/// Each row times its number, or its square root.
#[inline(always)]
fn scale<R: Register>(rows: &mut [R; WIDTH], by: &Row, root: bool) {
    let by = if root { by.load::<R>().0.sqrt().to_array() } else { by.0 };
    let mut k = 0;
    while k < WIDTH {
        rows[k] = rows[k].mul(R::splat(by[k]));
        k += 1;
    }
}

fn identity() -> Block {
    let mut block = blocks::ZERO;
    for (k, row) in block.iter_mut().enumerate() {
        row.0[k] = 1.0;
    }
    block
}
