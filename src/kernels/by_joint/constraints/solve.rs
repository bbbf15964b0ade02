//! Constraint forces: multipliers by the factors of `G = J M⁻¹ Jᵀ`, eight rows at a time, if these are clearly
//! independent.
//! Page: `dynamics/constraints/solve.rs`. Test: `constraints::equations::accelerations_are_those_of_a_dense_solve`.
//!
//! ```text
//! M = Lᵀ D L ,  Y = D^(−1/2) L⁻ᵀ Jᵀ ,  G = Yᵀ Y = Kᵀ E K
//! λ = −G⁻¹ (J x + b) ,  x := x + L⁻¹ D^(−1/2) Y λ      so that J x = −b
//! ```
//!
//! The condition number of `G` has twice the digits of that of `Y`. If that could matter, and if rows depend on each
//! other, the orthogonal factors of [`constraints`](crate::dynamics::constraints) are used.

use crate::formulas::singular;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::{self, elimination, substitution};
use crate::kernels::by_joint::constraints::factors::ConstraintFactors;
use crate::plan::Row;
use gradyn_derivatives::{Lanes, Register, WIDTH};

/// Rows are clearly independent if of each at least this part is left once those after it are taken out of it, relative
/// to its block and in squares: four of sixteen digits may be lost.
const CLEAR: f64 = 1e-4;

/// Where the reciprocal of that part is less everywhere, the solution has all its digits but one or two. Times what
/// pivots count as lost by.
const SURE: f64 = 1e2 * CLEAR / singular::RESOLUTION;

/// Rows of constraints at a state.
#[derive(Clone, Copy)]
pub(crate) struct ConstraintRows<'a> {
    /// `J`, rows × nv, column by column.
    pub(crate) jacobian: &'a [f64],
    /// The block that each row belongs to.
    pub(crate) block: &'a [usize],
    /// For each block, below which sum of the squares of its entries it counts as zero.
    pub(crate) least: &'a [f64],
}

/// Adds to `motion` what multipliers do to it, so that `J motion = −b`: `b` comes in, `−(J motion + b)` goes out.
/// Returns the largest entry of what is left of it, and the least part of a row that those after it leave, in squares;
/// or nothing if rows are not clearly independent.
pub(crate) fn hold(
    held: &mut Option<Box<ConstraintFactors>>,
    mass: &Factors,
    rows: ConstraintRows<'_>,
    b: &mut [f64],
    motion: &mut [f64],
    lambda: &mut [f64],
) -> Option<(f64, f64)> {
    let (count, nv) = (b.len(), motion.len());
    if count == 0 || count > nv {
        return None;
    }
    let held = match held {
        Some(held) if held.factors.nv() == count => held,
        none => none.insert(Box::new(ConstraintFactors::new(count, mass.width))),
    };
    hold_in_blocks(held, mass, rows, b, motion, lambda)
}

kernel!(
    active,
    fn hold_in_blocks<'a, R: Register>(
        held: &'a mut ConstraintFactors,
        mass: &'a Factors,
        rows: ConstraintRows<'a>,
        b: &'a mut [f64],
        motion: &'a mut [f64],
        lambda: &'a mut [f64],
    ) -> Option<(f64, f64)> {
        held.read::<R>(mass, rows.jacobian, b.len());
        held.multiply::<R>(motion.len());
        if !held.scales(rows) {
            return None;
        }
        let ConstraintFactors { factors, gram, root_of_gram, .. } = &mut *held;
        if elimination::eliminate_rows::<R, false>(factors, gram).is_some() {
            return None;
        }
        substitution::roots::<R>(factors, root_of_gram);
        read::<R>(b, &mut held.b);
        read::<R>(motion, &mut held.x);
        held.rates::<R>();
        held.b.iter_mut().for_each(|row| row.store::<R>(-row.load::<R>()));
        write::<R>(&held.b, b);
        lambda.fill(0.0);
        // What the first solution leaves by the condition of G, the second one makes up for.
        let most = held.scale_to_pivot();
        for _ in 0..if most < SURE { 1 } else { 2 } {
            held.wanted.clone_from(&held.b);
            held.solve::<R>();
            add::<R>(&held.b, lambda);
            held.move_by::<R>(mass);
            add::<R>(&held.x, motion);
            // J Δx − b, then its opposite
            for (row, wanted) in held.b.iter_mut().zip(&held.wanted) {
                row.store::<R>(-wanted.load::<R>());
            }
            held.rates::<R>();
            held.b.iter_mut().for_each(|row| row.store::<R>(-row.load::<R>()));
        }
        let left = held.b.iter().flat_map(|row| row.0).take(b.len()).fold(0.0, |most, x| x.abs().max(most));
        Some((left, CLEAR / singular::RESOLUTION / most))
    }
);

impl ConstraintFactors {
    /// `Jᵀ`, the squares of its columns, and `Y`.
    #[inline(always)]
    fn read<R: Register>(&mut self, mass: &Factors, jacobian: &[f64], count: usize) {
        let Self { width, jt, y, root, squares, .. } = self;
        let width = *width;
        substitution::roots::<R>(mass, root);
        for r in 0..width {
            let mut sum = R::splat(0.0);
            let height = WIDTH.min(count - r * WIDTH);
            for (k, column) in jacobian.chunks_exact(count).enumerate() {
                let column = &column[r * WIDTH..];
                let x = match column.first_chunk::<WIDTH>() {
                    Some(column) => R::from_array(*column),
                    None => R::load_first(&column[..height]),
                };
                sum = x.mul_add(x, sum);
                let at = k / WIDTH * width + r;
                jt[at][k % WIDTH].store(Lanes(x));
            }
            squares[r].store(Lanes(sum));
            for g in 0..mass.width {
                blocks::copy::<R>(&jt[g * width + r], &mut y[g * width + r]);
            }
            substitution::half::<R>(mass, root, &mut y[r..], width);
        }
    }

    /// `G = Yᵀ Y`, of which blocks right of the diagonal are left out.
    #[inline(always)]
    fn multiply<R: Register>(&mut self, nv: usize) {
        let Self { width, y, gram, factors, .. } = self;
        let (gram, _) = gram.as_chunks_mut::<WIDTH>();
        for r in 0..*width {
            for c in 0..=r {
                let mut sums = [R::splat(0.0); WIDTH];
                for (g, y) in y.chunks_exact(*width).enumerate() {
                    let live = (factors.nv() - r * WIDTH, nv - g * WIDTH);
                    blocks::add_product::<R, true, false>(&mut sums, &y[r], &y[c], live);
                }
                blocks::store(&mut gram[r * *width + c], &sums);
            }
        }
    }

    /// Computes what the pivots of `G` are compared with. Returns whether no block of rows is zero.
    #[inline(always)]
    fn scales(&mut self, rows: ConstraintRows<'_>) -> bool {
        let Self { width, gram, squares, sums, factors, .. } = self;
        sums.clear();
        sums.resize(rows.least.len(), (0.0, 0.0));
        for (k, block) in rows.block.iter().enumerate() {
            let (r, lane) = (k / WIDTH, k % WIDTH);
            sums[*block].0 += squares[r].0[lane];
            sums[*block].1 += gram[blocks::place(*width, k, r)].0[lane];
        }
        for (k, block) in rows.block.iter().enumerate() {
            factors.scale[k / WIDTH].0[k % WIDTH] = sums[*block].1 * (CLEAR / singular::RESOLUTION);
        }
        rows.block.iter().all(|block| sums[*block].0 > rows.least[*block])
    }

    /// The largest of what pivots are compared with, relative to the pivot.
    fn scale_to_pivot(&self) -> f64 {
        let of_blocks = self.factors.reciprocal.iter().zip(&self.factors.scale);
        of_blocks
            .flat_map(|(x, scale)| x.0.into_iter().zip(scale.0))
            .fold(0.0, |most, (x, scale)| (x * scale).max(most))
    }

    /// `b := G⁻¹ b`
    #[inline(always)]
    fn solve<R: Register>(&mut self) {
        substitution::solve::<R>(&self.factors, &mut self.b);
    }

    /// `x = M⁻¹ Jᵀ λ = L⁻¹ D^(−1/2) Y λ`, with λ in the place of `b`.
    #[inline(always)]
    fn move_by<R: Register>(&mut self, mass: &Factors) {
        self.forces::<R>();
        substitution::scale::<R>(&mut self.x, &self.root);
        substitution::forth::<R>(mass, &mut self.x);
    }

    /// `b := b + J x`
    #[inline(always)]
    fn rates<R: Register>(&mut self) {
        let Self { width, jt, b, x, .. } = self;
        for r in 0..*width {
            let mut sums = [b[r].load::<R>().0, R::splat(0.0), R::splat(0.0), R::splat(0.0)];
            for (jt, x) in jt.chunks_exact(*width).zip(&*x) {
                let mut k = 0;
                while k < WIDTH {
                    sums[k % 4] = jt[r][k].load::<R>().0.mul_add(R::splat(x.0[k]), sums[k % 4]);
                    k += 1;
                }
            }
            b[r].store(Lanes(sums[0].add(sums[1]).add(sums[2].add(sums[3]))));
        }
    }

    /// `x = Y λ`, with λ in the place of `b`.
    #[inline(always)]
    fn forces<R: Register>(&mut self) {
        let Self { width, y, b, x, .. } = self;
        for (y, x) in y.chunks_exact(*width).zip(x) {
            let mut sums = [R::splat(0.0); WIDTH];
            for (y, lambda) in y.iter().zip(&*b) {
                let lambda = lambda.load::<R>().0;
                let mut k = 0;
                while k < WIDTH {
                    sums[k] = y[k].load::<R>().0.mul_add(lambda, sums[k]);
                    k += 1;
                }
            }
            x.store(Lanes(substitution::across(sums)));
        }
    }
}

#[inline(always)]
fn read<R: Register>(from: &[f64], to: &mut [Row]) {
    for (to, from) in to.iter_mut().zip(from.chunks(WIDTH)) {
        to.store(Lanes(R::load_first(from)));
    }
}

#[inline(always)]
fn add<R: Register>(from: &[Row], to: &mut [f64]) {
    for (from, to) in from.iter().zip(to.chunks_mut(WIDTH)) {
        R::load_first(to).add(from.load::<R>().0).store_first(to);
    }
}

#[inline(always)]
fn write<R: Register>(from: &[Row], to: &mut [f64]) {
    for (from, to) in from.iter().zip(to.chunks_mut(WIDTH)) {
        from.load::<R>().0.store_first(to);
    }
}
