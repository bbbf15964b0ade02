//! Derivatives under constraints, from the factors of [`solve`](super::solve) and of the mass matrix.
//! Page: `partials/constrained/operators.rs`. Test: `constrained::contacts_agree_with_dual_numbers_at_every_level`.
//!
//! ```text
//! G = Kᵀ E K ,  V = E^(−1/2) K⁻ᵀ                  G⁻¹ = Vᵀ V
//! Qᵀ = V Yᵀ                                       orthonormal rows
//! Z = L⁻¹ D^(−1/2) Q                              = M⁻¹ Jᵀ Vᵀ
//! X = L⁻¹ D^(−1/2) (1 − Q Qᵀ) ,  N = X Xᵀ         what constraints leave of M⁻¹
//! ```
//!
//! and with derivatives `E₁` of the torques and `E₂` of the rows, both at held accelerations and multipliers,
//!
//! ```text
//! dq̈ = −N E₁ − Z V E₂ ,   dλ = Vᵀ (Zᵀ E₁ − V E₂)
//! ```
//!
//! A block that a matrix is multiplied by stores its columns, one per row: a product is a sum over these.

use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::substitution::{half, other_half};
use crate::kernels::blocks::{self, Block};
use crate::kernels::by_joint::constraints::factors::{ConstraintFactors, Projections};
use crate::plan::Row;
use gradyn_derivatives::{Lanes, Register, WIDTH};

/// Fills in all that derivatives are multiplied by. If they are asked for, derivatives by the torques too: of
/// accelerations, `N`, nv × nv and symmetric to the bit, and of multipliers, `−Vᵀ Zᵀ`, rows × nv.
pub(crate) fn fill(held: &mut ConstraintFactors, mass: &Factors, by_torques: Option<(&mut [f64], &mut [f64])>) {
    if held.projections.is_empty() {
        held.projections = Projections::new(mass.width, held.width);
    }
    fill_blocks(held, mass, by_torques);
}

kernel!(
    active,
    fn fill_blocks<'a, R: Register>(
        held: &'a mut ConstraintFactors,
        mass: &'a Factors,
        by_torques: Option<(&'a mut [f64], &'a mut [f64])>,
    ) {
        let ConstraintFactors { width, jt, y, root, root_of_gram, factors: of_gram, projections, .. } = held;
        let Projections { free, z, zt, j, v, vt, qt, x, xt, .. } = projections;
        let (width, groups, nv, rows) = (*width, mass.width, mass.nv(), of_gram.nv());
        let (to, by_torques) = by_torques.map_or((&mut [][..], None), |(to, lambda)| (to, Some(lambda)));
        // V, eight of its columns at a time.
        for c in 0..width {
            let columns = &mut vt[c * width..(c + 1) * width];
            for (r, block) in columns.iter_mut().enumerate() {
                blocks::store(block, &[R::splat(0.0); WIDTH]);
                if r == c {
                    set_identity::<R>(block);
                }
            }
            half::<R>(of_gram, root_of_gram, columns, 1);
            for (r, block) in columns.iter_mut().enumerate() {
                blocks::copy::<R>(block, &mut v[r * width + c]);
                transposed::<R>(&v[r * width + c], block);
            }
        }
        // Qᵀ, eight of its columns at a time.
        for g in 0..groups {
            let columns = &mut qt[g * width..(g + 1) * width];
            for (r, to) in columns.iter_mut().enumerate() {
                transposed::<R>(&y[g * width + r], to);
                transposed::<R>(&jt[g * width + r], &mut j[g * width + r]);
            }
            half::<R>(of_gram, root_of_gram, columns, 1);
        }
        // Z, eight of its columns at a time.
        for r in 0..width {
            let columns = &mut x[..groups];
            for (g, to) in columns.iter_mut().enumerate() {
                transposed::<R>(&qt[g * width + r], to);
            }
            other_half::<R>(mass, root, columns, 0);
            for (g, block) in columns.iter().enumerate() {
                blocks::copy::<R>(block, &mut z[g * width + r]);
                transposed::<R>(block, &mut zt[g * width + r]);
            }
        }
        // X = L⁻¹ D^(−1/2) − Z Qᵀ
        for c in 0..groups {
            let columns = &mut x[c * groups..(c + 1) * groups];
            let zero = [R::splat(0.0); WIDTH];
            columns.iter_mut().for_each(|block| blocks::store(block, &zero));
            set_identity::<R>(&mut columns[c]);
            other_half::<R>(mass, root, columns, c);
            for (g, columns) in columns.iter_mut().enumerate() {
                let mut sums = blocks::load::<R>(columns);
                let live = |r: usize| Some((nv - g * WIDTH, rows - r * WIDTH));
                add_products::<R, true>(&mut sums, &z[g * width..][..width], (&qt[c * width..], 1), live);
                blocks::store(columns, &sums);
                blocks::store(&mut xt[c * groups + g], &R::transpose(sums));
            }
        }
        for g in 0..groups {
            for c in 0..=g {
                let mut sums = [R::splat(0.0); WIDTH];
                for b in 0..groups {
                    let live = (nv - g * WIDTH, nv - b * WIDTH);
                    blocks::add_product::<R, false, false>(&mut sums, &x[b * groups + g], &xt[b * groups + c], live);
                }
                let turned = blocks::mirrored(&sums, g == c);
                blocks::store(&mut free[g * groups + c], &sums);
                blocks::store(&mut free[c * groups + g], &turned);
                if !to.is_empty() {
                    if g != c {
                        blocks::write(&sums, g, c, to, (nv, nv));
                    }
                    blocks::write(&turned, c, g, to, (nv, nv));
                }
            }
        }
        if let Some(to) = by_torques {
            for g in 0..groups {
                for c in 0..width {
                    let mut sums = [R::splat(0.0); WIDTH];
                    let live = |r: usize| Some((nv - g * WIDTH, rows - r * WIDTH));
                    add_products::<R, true>(&mut sums, &z[g * width..][..width], (&v[c..], width), live);
                    blocks::write(&sums, g, c, to, (rows, nv));
                }
            }
        }
    }
);

/// Derivatives, column by column. What is empty is zero.
#[derive(Default)]
pub(crate) struct Changes<'a> {
    /// `E₁` without the following, nv rows.
    pub(crate) torques: &'a [f64],
    /// What is multiplied by `Jᵀ` and added to it, a row a row of `J`.
    pub(crate) turned: &'a [f64],
    /// `E₂`, a row a row of `J`.
    pub(crate) rows: &'a [f64],
    /// Whether `E₁` is zero where the mass matrix is.
    pub(crate) sparse: bool,
}

kernel!(
    active,
    /// Columns of accelerations and of multipliers; what they hold is written over.
    pub(crate) fn solve<'a, R: Register>(
        held: &'a mut ConstraintFactors,
        mass: &'a Factors,
        by: &'a Changes<'a>,
        motion: &'a mut [f64],
        lambda: &'a mut [f64],
    ) {
        let ConstraintFactors { width, factors, projections, .. } = held;
        let Projections { free, z, zt, j, v, vt, of_torques, turned, of_rows, u, t, .. } = projections;
        let (width, groups, rows, nv) = (*width, mass.width, factors.nv(), mass.nv());
        for (n, (motion, lambda)) in motion.chunks_mut(WIDTH * nv).zip(lambda.chunks_mut(WIDTH * rows)).enumerate() {
            let [has_torques, has_turned, has_rows] = [by.torques, by.turned, by.rows].map(|x| !x.is_empty());
            // Columns that are there, and how many of them a block multiplies with.
            let some = motion.len() / nv;
            let related = |g: usize| !by.sparse || mass.goes_through(n, g) || mass.goes_through(g, n);
            let of_dofs = |g: usize| related(g).then(|| (some, nv - g * WIDTH));
            let of_ranks = |r: usize| Some((some, rows - r * WIDTH));
            if has_torques {
                read::<R>(by.torques, nv, n, of_torques);
            }
            if has_turned {
                read::<R>(by.turned, rows, n, turned);
                for (g, of_torques) in of_torques.iter_mut().enumerate().filter(|(g, _)| related(*g)) {
                    let mut sums = blocks::load::<R>(of_torques);
                    add_products::<R, false>(&mut sums, turned, (&j[g * width..], 1), of_ranks);
                    blocks::store(of_torques, &sums);
                }
            }
            if has_rows {
                read::<R>(by.rows, rows, n, of_rows);
                for (r, u) in u.iter_mut().enumerate() {
                    let mut sums = [R::splat(0.0); WIDTH];
                    add_products::<R, false>(&mut sums, of_rows, (&vt[r..], width), of_ranks);
                    blocks::store(u, &sums);
                }
            }
            for (r, t) in t.iter_mut().enumerate() {
                let mut sums = [R::splat(0.0); WIDTH];
                if has_rows {
                    sums = blocks::load::<R>(&u[r]);
                    blocks::scale(&mut sums, &MINUS_ONES);
                }
                if has_torques {
                    add_products::<R, false>(&mut sums, of_torques, (&z[r..], width), of_dofs);
                }
                blocks::store(t, &sums);
            }
            for c in 0..width {
                let mut sums = [R::splat(0.0); WIDTH];
                add_products::<R, false>(&mut sums, t, (&v[c..], width), of_ranks);
                blocks::write(&sums, 0, c, lambda, (rows, lambda.len() / rows));
            }
            for b in 0..groups {
                let mut sums = [R::splat(0.0); WIDTH];
                if has_torques {
                    add_products::<R, true>(&mut sums, of_torques, (&free[b..], groups), of_dofs);
                }
                if has_rows {
                    add_products::<R, true>(&mut sums, u, (&zt[b * width..], 1), of_ranks);
                }
                blocks::write(&sums, 0, b, motion, (nv, motion.len() / nv));
            }
        }
    }
);

const MINUS_ONES: Row = Row([-1.0; WIDTH]);

/// Eight columns from column `8 n` on of a matrix of this height, each a row.
#[inline(always)]
fn read<R: Register>(from: &[f64], height: usize, n: usize, to: &mut [Block]) {
    let mut columns = from.chunks_exact(height).skip(n * WIDTH);
    let mut k = 0;
    while k < WIDTH {
        match columns.next() {
            Some(column) => {
                for (to, part) in to.iter_mut().zip(column.chunks(WIDTH)) {
                    match part.first_chunk::<WIDTH>() {
                        Some(part) => to[k] = Row(*part),
                        None => to[k].store(Lanes(R::load_first(part))),
                    }
                }
            }
            None => to.iter_mut().for_each(|to| to[k] = Row::ZERO),
        }
        k += 1;
    }
}

/// `sums ± Σ A_k B_k`, the blocks `B_k` so many apart; `live` says how far those of a product are filled, if it is not
/// zero.
#[inline(always)]
fn add_products<R: Register, const MINUS: bool>(
    sums: &mut [R; WIDTH],
    a: &[Block],
    (b, stride): (&[Block], usize),
    live: impl Fn(usize) -> Option<(usize, usize)>,
) {
    for (k, a) in a.iter().enumerate() {
        if let Some(live) = live(k) {
            blocks::add_product::<R, false, MINUS>(sums, a, &b[k * stride], live);
        }
    }
}

#[inline(always)]
fn transposed<R: Register>(from: &Block, to: &mut Block) {
    blocks::store(to, &R::transpose(blocks::load::<R>(from)));
}

#[inline(always)]
fn set_identity<R: Register>(block: &mut Block) {
    for (k, row) in block.iter_mut().enumerate() {
        row.store(Lanes(R::splat(1.0).where_else(1 << k, R::splat(0.0))));
    }
}
