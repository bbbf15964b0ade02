//! Elimination of a matrix with the zeros of the mass matrix: `M = Lᵀ D L` in blocks.
//! Page: `dynamics/ltl.rs`. Test: `forward_dynamics::factors_of_the_mass_matrix`.

use crate::kernels::blocks;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::substitution::{forth, scale, take};
use crate::kernels::outcome::{Lost, Outcome};
use crate::kernels::rows::{from_rows, to_rows};
use crate::plan::Row;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::DMatrix;

impl Factors {
    /// Eliminates the mass matrix, whose blocks have their rows one after the other in `rows`, and `x := M⁻¹ x` of a right-hand
    /// side, or of none. The error is the first degree of freedom whose pivot is lost, and the pivot.
    pub(crate) fn factorize(&mut self, rows: &mut [Row], x: &mut [f64]) -> Outcome {
        self.size();
        let outcome = if x.is_empty() {
            elimination::<false>(self, &mut *rows)
        } else {
            // What fills up the last row would keep what is no number, and hand it on.
            to_rows(x, &mut self.x);
            let outcome = elimination::<true>(self, &mut *rows);
            from_rows(&self.x, x);
            outcome
        };
        if outcome.is_lost() {
            // NaNs would remain where the tree makes zeros, which are never written.
            rows.fill(Row::ZERO);
        }
        outcome
    }

    /// Eliminates a matrix nv × nv, as [`Self::factorize`].
    pub(crate) fn factorize_matrix(&mut self, m: &DMatrix<f64>, x: &mut [f64]) -> Outcome {
        self.size();
        let mut rows = std::mem::take(&mut self.folded);
        read_matrix(m.as_slice(), self.nv(), self.width, &mut rows);
        let done = self.factorize(&mut rows, x);
        self.folded = rows;
        done
    }
}

kernel!(
    active,
    /// Reads a matrix nv × nv into blocks.
    fn read_matrix<'a, R: Register>(m: &'a [f64], nv: usize, width: usize, rows: &'a mut [Row]) {
        for (k, m) in m.chunks_exact(nv.max(1)).enumerate() {
            for (b, from) in m.chunks(WIDTH).enumerate() {
                rows[blocks::place(width, k, b)].store(Lanes(R::load_first(from)));
            }
        }
    },
    /// `M = Lᵀ D L`, last degrees of freedom first, in blocks (g, c):
    ///
    /// ```text
    /// H_gg = L_ggᵀ D_g L_gg ;  H_gc := L_gg⁻ᵀ H_gc ,  L_gc = D_g⁻¹ H_gc ;  H_cb −= H_gcᵀ L_gb    for c, b above g
    /// ```
    ///
    /// With `SOLVE`, `x := M⁻¹ x`, and its first half goes along: its steps wait for nothing but rows that are there already.
    pub(crate) fn elimination<'a, R: Register, const SOLVE: bool>(
        factors: &'a mut Factors,
        rows: &'a mut [Row],
    ) -> Outcome {
        Outcome::of_pivots(eliminate_rows::<R, SOLVE>(factors, rows))
    }
);

/// The same, within a kernel.
#[inline(always)]
pub(crate) fn eliminate_rows<R: Register, const SOLVE: bool>(factors: &mut Factors, rows: &mut [Row]) -> Option<Lost> {
    let mut x = std::mem::take(&mut factors.x);
    let lost = eliminate::<R, SOLVE>(factors, rows, &mut x);
    if SOLVE && lost.is_none() {
        scale::<R>(&mut x, &factors.reciprocal);
        forth::<R>(factors, &mut x);
    }
    factors.x = x;
    lost
}

/// The factors, and with `SOLVE` `x := L⁻ᵀ x`.
#[inline(always)]
fn eliminate<R: Register, const SOLVE: bool>(factors: &mut Factors, rows: &mut [Row], x: &mut [Row]) -> Option<Lost> {
    let (nv, Factors { width, above, related, scale, l, reciprocal, .. }) = (factors.nv(), factors);
    let (width, (h, _)) = (*width, rows.as_chunks_mut::<WIDTH>());
    for g in (0..width).rev() {
        let (before, own) = h.split_at_mut(g * width);
        let (l, live) = (&mut l[g * width..(g + 1) * width], nv - g * WIDTH);
        let mut own_x = x[g].load::<R>().0;
        let lost = blocks::eliminate::<R, SOLVE>(&own[g], &mut l[g], &mut reciprocal[g], &scale[g], live, &mut own_x);
        if let Some((k, pivot)) = lost {
            return Some((g * WIDTH + k, pivot));
        }
        if SOLVE {
            x[g].store(Lanes(own_x));
        }
        let own_x = own_x.neg().to_array();
        for &c in &above[g] {
            let mut rows = blocks::load::<R>(&own[c]);
            blocks::solve_transposed(&l[g], &mut rows);
            blocks::store(&mut own[c], &rows);
            blocks::scale(&mut rows, &reciprocal[g]);
            blocks::store(&mut l[c], &rows);
            if SOLVE {
                x[c].store(Lanes(take::<R>(x[c].load().0, &rows, &own_x)));
            }
        }
        for &c in &above[g] {
            for &b in &above[g] {
                if b <= c && related[c * width + b] {
                    let to = &mut before[c * width + b];
                    let mut sums = blocks::load::<R>(to);
                    blocks::add_product::<R, true, true>(&mut sums, &own[c], &l[b], (WIDTH, live));
                    blocks::store(to, &sums);
                }
            }
        }
    }
    None
}
