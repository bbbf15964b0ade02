//! Solutions by factors of the mass matrix, `M = Lᵀ D L`: backward, scaling, forward.
//! Page: `dynamics/ltl.rs`. Test: `forward_dynamics::factors_of_the_mass_matrix`.

use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::{self, Block};
use crate::kernels::rows::{from_rows, to_rows};
use crate::plan::Row;
use gradyn_derivatives::{Lanes, Register, WIDTH};

impl Factors {
    /// `x := M⁻¹ x`
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        to_rows(x, &mut self.x);
        solution(self);
        from_rows(&self.x, x);
    }
}

kernel!(
    active,
    /// `x := M⁻¹ x`
    fn solution<'a, R: Register>(factors: &'a mut Factors) {
        let mut x = std::mem::take(&mut factors.x);
        solve::<R>(factors, &mut x);
        factors.x = x;
    }
);

/// `Lᵀ y = x`, `D z = y`, `L x = z`
#[inline(always)]
pub(crate) fn solve<R: Register>(factors: &Factors, x: &mut [Row]) {
    back::<R>(factors, x);
    scale::<R>(x, &factors.reciprocal);
    forth::<R>(factors, x);
}

/// `x := D^(−1/2) x`, or by other numbers.
#[inline(always)]
pub(crate) fn scale<R: Register>(x: &mut [Row], by: &[Row]) {
    for (x, by) in x.iter_mut().zip(by) {
        x.store(x.load::<R>() * by.load::<R>());
    }
}

/// `D^(−1/2)`
#[inline(always)]
pub(crate) fn roots<R: Register>(factors: &Factors, to: &mut [Row]) {
    for (to, reciprocal) in to.iter_mut().zip(&factors.reciprocal) {
        to.store(Lanes(reciprocal.load::<R>().0.sqrt()));
    }
}

/// `X := D^(−1/2) L⁻ᵀ X` of eight columns, in blocks that are so many apart.
#[inline(always)]
pub(crate) fn half<R: Register>(factors: &Factors, roots: &[Row], x: &mut [Block], stride: usize) {
    for g in (0..factors.width).rev() {
        let (before, own) = x.split_at_mut(g * stride);
        let mut rows = blocks::load::<R>(&own[0]);
        blocks::solve_transposed(factors.l_of(g, g), &mut rows);
        blocks::store(&mut own[0], &rows);
        for &c in factors.above(g) {
            let mut sums = blocks::load::<R>(&before[c * stride]);
            blocks::add_product::<R, true, true>(&mut sums, factors.l_of(g, c), &own[0], (WIDTH, factors.live(g)));
            blocks::store(&mut before[c * stride], &sums);
        }
        blocks::scale(&mut rows, &roots[g]);
        blocks::store(&mut own[0], &rows);
    }
}

/// `X := L⁻¹ D^(−1/2) X` of eight columns that begin in block `first`: after [`half`] they are those of `M⁻¹ X`.
#[inline(always)]
pub(crate) fn other_half<R: Register>(factors: &Factors, roots: &[Row], x: &mut [Block], first: usize) {
    for g in first..factors.width {
        if first > 0 && g != first && !factors.goes_through(g, first) {
            continue;
        }
        let mut rows = blocks::load::<R>(&x[g]);
        blocks::scale(&mut rows, &roots[g]);
        for &c in factors.above(g) {
            if c >= first {
                blocks::add_product::<R, false, true>(&mut rows, factors.l_of(g, c), &x[c], (factors.live(g), WIDTH));
            }
        }
        blocks::solve(factors.l_of(g, g), &mut rows);
        blocks::store(&mut x[g], &rows);
    }
}

/// `x := L⁻ᵀ x`
#[inline(always)]
pub(crate) fn back<R: Register>(factors: &Factors, x: &mut [Row]) {
    let Factors { width, above, l, .. } = factors;
    let width = *width;
    for g in (0..width).rev() {
        let l = &l[g * width..(g + 1) * width];
        let own = blocks::solve_transposed_one::<R>(&l[g], x[g].load().0);
        x[g].store(Lanes(own));
        let own = own.neg().to_array();
        for &c in &above[g] {
            x[c].store(Lanes(take::<R>(x[c].load().0, &blocks::load(&l[c]), &own)));
        }
    }
}

/// `x + Lᵀ y`
#[inline(always)]
pub(crate) fn take<R: Register>(mut x: R, l: &[R; WIDTH], y: &[f64; WIDTH]) -> R {
    let mut k = 0;
    while k < WIDTH {
        x = l[k].mul_add(R::splat(y[k]), x);
        k += 1;
    }
    x
}

/// `x := L⁻¹ x`
#[inline(always)]
pub(crate) fn forth<R: Register>(factors: &Factors, x: &mut [Row]) {
    let Factors { width, above, l, .. } = factors;
    let width = *width;
    for g in 0..width {
        let l = &l[g * width..(g + 1) * width];
        let mut own = x[g].load::<R>().0;
        if !above[g].is_empty() {
            let mut sums = [R::splat(0.0); WIDTH];
            for &c in &above[g] {
                let x: R = x[c].load().0;
                let mut k = 0;
                while k < WIDTH {
                    sums[k] = l[c][k].load::<R>().0.mul_add(x, sums[k]);
                    k += 1;
                }
            }
            own = own.sub(across(sums));
        }
        x[g].store(Lanes(blocks::solve_one(&l[g], own)));
    }
}

/// The sum over the lanes of each register, in its lane.
#[inline(always)]
pub(crate) fn across<R: Register>(sums: [R; WIDTH]) -> R {
    let [a, b, c, d, e, f, g, h] = R::transpose(sums);
    a.add(e).add(c.add(g)).add(b.add(f).add(d.add(h)))
}
