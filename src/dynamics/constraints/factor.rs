//! The pseudo-inverse of `G = J M⁻¹ Jᵀ`, of whatever rank, by orthogonal factors: comparisons decide on pivots and rank
//! only, so that derivatives pass through.
//!
//! ```text
//! M = Lᵀ D L ,  Y = D^(−1/2) L⁻ᵀ Jᵀ          G = Yᵀ Y
//! Y = Q B                                     Q: orthonormal, by columns of Y, largest remainder first
//! Bᵀ = U R                                    U: orthonormal, R: upper triangular
//! y = R⁻¹ Uᵀ b ,  λ = U R⁻ᵀ y                 λ = G⁺ b: least norm, and least squares where b contradicts itself
//! q̈ = q̈_free + L⁻¹ D^(−1/2) Q y               what λ gives, without the loss of digits in λ
//! V = R⁻¹ Uᵀ                                  G⁺ = Vᵀ V ,  M⁻¹ Jᵀ G⁺ = L⁻¹ D^(−1/2) Q V
//! ```
//!
//! This is a complete orthogonal decomposition (Golub and Van Loan, *Matrix Computations*, section 5.4.7), by
//! Gram–Schmidt, with each column orthogonalized twice.

use super::vectors::{add_times, dot, is_negative};
use crate::level::at_level;
use gradyn_derivatives::Real;

/// A column counts as dependent if less than this part of it, in the norm of kinetic energy and relative to the block
/// of rows that it belongs to, is left: `√ε`, below which no digit of `λ ∼ 1/part²` would be right.
const RESOLUTION: f64 = 1e-8;

/// A block of rows, positions or rotations of one constraint, counts as zero if less than this part of what they were
/// summed from is left: some thousand rounding errors.
const CANCELLED: f64 = 1e-12;

/// Where nothing is kept, and nothing dropped.
pub(super) const NO_PARTS: [f64; 2] = [1.0, 0.0];

/// Below which sum of squares a block of rows counts as zero, by the sum of squares of what its entries were summed
/// from.
pub(super) fn least<T: Real>(extent: T) -> T {
    extent * (CANCELLED * CANCELLED)
}

/// Lanes of one number have different ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct RanksDiffer;

/// The factors.
#[derive(Clone, Debug)]
pub(crate) struct Factor<T> {
    pub(crate) rank: usize,
    /// The least part of a column that was kept, and the largest that was dropped, in squares.
    pub(super) parts: [T; 2],
    /// Columns of `Y`, nv each.
    pub(super) y: Vec<T>,
    /// What is left of them.
    rest: Vec<T>,
    used: Vec<bool>,
    /// Reciprocal of the squared norm of the columns of each block; zero if they count as zero.
    weight: Vec<T>,
    /// Columns of `Q`, nv each.
    q: Vec<T>,
    /// Columns of `U`, one entry a row of J each.
    u: Vec<T>,
    /// Columns of `R`, `rows` entries each.
    r: Vec<T>,
    /// `y`
    solution: Vec<T>,
}

impl<T: Real> Default for Factor<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            rank: 0,
            parts: NO_PARTS.map(T::from),
            y: none(),
            rest: none(),
            used: Vec::new(),
            weight: none(),
            q: none(),
            u: none(),
            r: none(),
            solution: none(),
        }
    }
}

impl<T: Real> Factor<T> {
    /// Factors of `Y`, which has been filled in. The block that each row of J belongs to; for each block the sum of its
    /// squares, and that of what its entries were summed from.
    pub(super) fn factorize(&mut self, nv: usize, block: &[usize], sums: &[(T, T)]) -> Result<(), RanksDiffer> {
        factorize(self, nv, block, sums)
    }

    #[inline(always)]
    fn factorize_here(&mut self, nv: usize, block: &[usize], sums: &[(T, T)]) -> Result<(), RanksDiffer> {
        let rows = block.len();
        let Self { rank, parts, y, rest, used, weight, q, u, r, .. } = self;
        *rank = 0;
        *parts = NO_PARTS.map(T::from);
        q.clear();
        u.clear();
        r.clear();
        rest.clone_from(y);
        used.clear();
        used.resize(rows, false);
        weight.clear();
        for (index, (sum, extent)) in sums.iter().enumerate() {
            let mut whole = T::zero();
            for j in (0..rows).filter(|j| block[*j] == index) {
                whole += norm_squared(column(y, nv, j));
            }
            let there = is_negative(least(*extent) - *sum).ok_or(RanksDiffer)?;
            weight.push(if there { whole.recip() } else { T::zero() });
        }
        while *rank < rows {
            let mut best: Option<(usize, T)> = None;
            for j in (0..rows).filter(|j| !used[*j]) {
                let part = norm_squared(column(rest, nv, j)) * weight[block[j]];
                let is_better = match best {
                    Some((_, most)) => is_negative(most - part) == Some(true),
                    None => true,
                };
                if is_better {
                    best = Some((j, part));
                }
            }
            let Some((pivot, part)) = best else { break };
            if *rank == nv || is_negative(part - T::from(RESOLUTION * RESOLUTION)).ok_or(RanksDiffer)? {
                parts[1] = part;
                break;
            }
            parts[0] = (parts[0] - part).select_lt(0.0, parts[0], part);
            used[pivot] = true;
            let start = q.len();
            q.extend_from_slice(column(rest, nv, pivot));
            let (before, own) = q.split_at_mut(start);
            normalize(own);
            for k in 0..*rank {
                let other = column(before, nv, k);
                add_times(own, -dot(other, own), other);
            }
            normalize(own);
            for j in (0..rows).filter(|j| !used[*j]) {
                let left = &mut rest[j * nv..][..nv];
                add_times(left, -dot(own, left), own);
            }
            *rank += 1;
        }
        for k in 0..*rank {
            let start = u.len();
            for j in 0..rows {
                u.push(dot(column(q, nv, k), column(y, nv, j))); //   Bᵀ
            }
            r.resize((k + 1) * rows, T::zero());
            let (before, own) = u.split_at_mut(start);
            let above = &mut r[k * rows..];
            for _ in 0..2 {
                for (i, above) in above[..k].iter_mut().enumerate() {
                    let other = column(before, rows, i);
                    let part = dot(other, own);
                    add_times(own, -part, other);
                    *above += part;
                }
            }
            above[k] = norm_squared(own).sqrt();
            normalize(own);
        }
        Ok(())
    }

    /// `b := (1 − G G⁺) b`: what no multipliers reach.
    pub(crate) fn out_of_reach(&self, b: &mut [T]) {
        out_of_reach(self, b);
    }

    #[inline(always)]
    fn out_of_reach_here(&self, b: &mut [T]) {
        for _ in 0..2 {
            for k in 0..self.rank {
                let u = column(&self.u, b.len(), k);
                add_times(b, -dot(u, b), u);
            }
        }
    }

    /// `Q`, column by column, nv entries each.
    pub(crate) fn orthonormal(&self) -> &[T] {
        &self.q
    }

    /// `V = R⁻¹ Uᵀ` row by row, one entry a row of J each: `G⁺ = Vᵀ V`.
    pub(crate) fn inverse(&self, rows: usize, v: &mut Vec<T>) {
        inverse(self, rows, v);
    }

    #[inline(always)]
    fn inverse_here(&self, rows: usize, v: &mut Vec<T>) {
        v.clear();
        v.extend_from_slice(&self.u);
        for k in (0..self.rank).rev() {
            let (head, tail) = v.split_at_mut((k + 1) * rows);
            let own = &mut head[k * rows..];
            for (i, other) in tail.chunks_exact(rows).enumerate() {
                add_times(own, -self.r[(k + 1 + i) * rows + k], other);
            }
            let scale = self.r[k * rows + k].recip();
            for x in own {
                *x *= scale;
            }
        }
    }

    /// `λ = G⁺ b`, and `Q y`.
    pub(crate) fn solve(&mut self, nv: usize, b: &[T], lambda: &mut Vec<T>, change: &mut Vec<T>) {
        solve(self, nv, b, lambda, change);
    }

    #[inline(always)]
    fn solve_here(&mut self, nv: usize, b: &[T], lambda: &mut Vec<T>, change: &mut Vec<T>) {
        let rows = b.len();
        let Self { rank, q, u, r, solution: y, .. } = self;
        y.clear();
        for k in 0..*rank {
            y.push(dot(column(u, rows, k), b));
        }
        for k in (0..*rank).rev() {
            let above = column(r, rows, k);
            y[k] *= above[k].recip();
            let (head, tail) = y.split_at_mut(k);
            add_times(head, -tail[0], above);
        }
        change.clear();
        change.resize(nv, T::zero());
        for (k, y) in y[..*rank].iter().enumerate() {
            add_times(change, *y, column(q, nv, k));
        }
        lambda.clear();
        lambda.resize(rows, T::zero());
        for k in 0..*rank {
            let above = column(r, rows, k);
            let known = dot(&y[..k], &above[..k]);
            y[k] = (y[k] - known) * above[k].recip();
            add_times(lambda, y[k], column(u, rows, k));
        }
    }
}

at_level! {
    fn factorize<T: Real>(
        factor: &mut Factor<T>,
        nv: usize,
        block: &[usize],
        sums: &[(T, T)],
    ) -> Result<(), RanksDiffer> {
        factor.factorize_here(nv, block, sums)
    }

    fn out_of_reach<T: Real>(factor: &Factor<T>, b: &mut [T]) {
        factor.out_of_reach_here(b);
    }

    fn inverse<T: Real>(factor: &Factor<T>, rows: usize, v: &mut Vec<T>) {
        factor.inverse_here(rows, v);
    }

    fn solve<T: Real>(factor: &mut Factor<T>, nv: usize, b: &[T], lambda: &mut Vec<T>, change: &mut Vec<T>) {
        factor.solve_here(nv, b, lambda, change);
    }
}

#[inline(always)]
fn column<T>(x: &[T], length: usize, k: usize) -> &[T] {
    &x[k * length..][..length]
}

#[inline(always)]
fn norm_squared<T: Real>(x: &[T]) -> T {
    dot(x, x)
}

#[inline(always)]
fn normalize<T: Real>(x: &mut [T]) {
    let inverse = norm_squared(x).sqrt().recip();
    for x in x {
        *x *= inverse;
    }
}
