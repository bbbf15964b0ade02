//! Halves of solutions by articulated bodies: what constraints hold stands between them.
//!
//! ```text
//! M = Lᵀ D L        M⁻¹ = H Hᵀ ,  H = L⁻¹ D^(−1/2)
//! ```
//!
//! The sweep inward of [`articulated`](super) is `L⁻ᵀ`, the one outward `L⁻¹ D⁻¹`: factors of a matrix by its
//! own tree are unique. So a column takes O(n), whatever the depth.

use crate::kernels::by_joint::articulated::{Articulated, Give, Mirror, SIDE, Take, ends};
use crate::kernels::by_joint::memory::Row;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Piece, Register, VectorLevel, WIDTH};
use std::marker::PhantomData;

impl Articulated {
    /// `x := Hᵀ x`, columns of nv entries.
    pub(crate) fn half(&mut self, level: VectorLevel, x: &mut [f64]) {
        level.run(Halves { by: self, x, part: Subtree::Inward });
    }

    /// `x := s H x`, columns of nv entries.
    pub(crate) fn other_half(&mut self, level: VectorLevel, s: f64, x: &mut [f64]) {
        level.run(Halves { by: self, x, part: Subtree::Outward(s) });
    }

    /// `x := Hᵀ`, nv × nv.
    pub(crate) fn half_of_identity(&mut self, level: VectorLevel, x: &mut [f64]) {
        level.run(Halves { by: self, x, part: Subtree::Identity });
    }

    /// `x := H x`, nv × nv and symmetric to the bit, if it is symmetric: of `x` the upper triangle counts.
    pub(crate) fn other_half_symmetric(&mut self, level: VectorLevel, x: &mut [f64]) {
        level.run(Halves { by: self, x, part: Subtree::Symmetric });
    }
}

#[derive(Clone, Copy)]
enum Subtree {
    Inward,
    Outward(f64),
    Identity,
    Symmetric,
}

struct Halves<'a> {
    by: &'a mut Articulated,
    x: &'a mut [f64],
    part: Subtree,
}

impl Kernel for Halves<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { by, x, part } = self;
        let n = by.steps.len();
        let columns = x.len() / n.max(1);
        for first in (0..columns).step_by(SIDE * WIDTH) {
            let end = columns.min(first + SIDE * WIDTH);
            // Rows after these columns' are zero before the sweep inward, and not asked for after the one outward.
            let last = if let Subtree::Identity | Subtree::Symmetric = part { end } else { n };
            if let Subtree::Identity = part {
                by.rest[..n].fill([Row::ZERO; SIDE]);
                for k in first..last {
                    by.rest[k][(k - first) / WIDTH].0[(k - first) % WIDTH] = 1.0;
                }
            } else {
                for side in 0..SIDE {
                    let (start, end) = ends(first, side, columns);
                    let from = &x[start * n..end * n];
                    R::call(Take::<R> { rest: &mut by.rest, side, n, from, level: PhantomData });
                }
            }
            let sides = (end - first).div_ceil(WIDTH);
            match part {
                // `Give` changes signs.
                Subtree::Inward | Subtree::Identity => sweep::<R, true>(by, last, sides, -1.0),
                Subtree::Outward(s) => sweep::<R, false>(by, last, sides, -s),
                Subtree::Symmetric => sweep::<R, false>(by, last, sides, 1.0),
            }
            for side in 0..sides {
                let (start, end) = ends(first, side, columns);
                let zero = R::splat(0.0);
                if let Subtree::Symmetric = part {
                    R::call(Mirror { rest: &by.rest, side, n, columns: (start, end), to: &mut *x, zero });
                } else {
                    R::call(Give { rest: &by.rest, side, n, to: &mut x[start * n..end * n], zero });
                }
            }
        }
    }
}

/// `s D^(−1/2)` after the sweep inward, `s D^(1/2)` before the one outward, for as many registers as the columns take.
#[inline(always)]
fn sweep<R: Register, const INWARD: bool>(by: &mut Articulated, last: usize, sides: usize, s: f64) {
    if sides > 1 {
        R::call(Sweep::<R, SIDE, INWARD> { by, last, s, level: PhantomData });
    } else {
        R::call(Sweep::<R, 1, INWARD> { by, last, s, level: PhantomData });
    }
}

struct Sweep<'a, R, const N: usize, const INWARD: bool> {
    by: &'a mut Articulated,
    last: usize,
    s: f64,
    level: PhantomData<R>,
}

impl<R: Register, const N: usize, const INWARD: bool> Piece for Sweep<'_, R, N, INWARD> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { by, last, s, .. } = self;
        if INWARD {
            by.sweep_inward::<R, N>(last);
        }
        for (row, factor) in by.rest[..last].iter_mut().zip(&by.factors) {
            let root = factor.reciprocal().sqrt();
            let scale = R::splat(if INWARD { s * root } else { s / root });
            for x in &mut row[..N] {
                x.store(Lanes(x.load::<R>().0.mul(scale)));
            }
        }
        if !INWARD {
            by.sweep_outward::<R, N>(last);
        }
    }
}
