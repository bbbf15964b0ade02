//! Second-order cones among the rows of a node: `g = (t, v)` in K, `t ≥ |v|`.
//!
//! The augmented Lagrangian has `|w − Π(w)|² / 2μ` for them as for inequality rows, `w = g + μ ȳ`, with Π(w) the
//! nearest point of K. With `n = |v|`, `v̂ = v/n`,
//!
//! ```text
//! w − Π(w) = 0                       t ≥ n        inside
//!            w                       t ≤ −n       behind the tip
//!            ½ (t − n) (1, −v̂)       else         beside the cone
//! ```
//!
//! which is in −K, where multipliers are. Its derivative is 0, 1, or
//!
//! ```text
//! D = ½ (1, −v̂)(1, −v̂)ᵀ + ½ (1 − t/n) (0, 1 − v̂ v̂ᵀ)      both terms positive
//! ```
//!
//! J. Moreau, *Décomposition orthogonale d'un espace hilbertien selon deux cônes mutuellement polaires*, 1962; M.
//! Fukushima, Z.-Q. Luo, P. Tseng, *Smoothing functions for second-order-cone complementarity problems*, SIAM J. Optim.
//! 12 (2002), section 3.

use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::solver::condense::{Cost, add_row};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// A cone of a node, at the direction so far.
#[derive(Debug)]
pub(super) struct Cone {
    /// Its rows, among all rows of the node.
    pub(super) rows: Range<usize>,
    /// `F` with `Fᵀ F = D/μ`, one row more than the cone has.
    factor: DMatrix<f64>,
    /// `F G`, by state and controls.
    by_x: DMatrix<f64>,
    by_u: DMatrix<f64>,
    /// `(w − Π(w) − D m)/μ`, m what the direction so far moves g by.
    push: DVector<f64>,
    before: DVector<f64>,
    counts: bool,
}

/// `|v|` of `(t, v)`.
fn size(rows: &Range<usize>, w: impl Fn(usize) -> f64) -> f64 {
    rows.clone().skip(1).map(|i| w(i).powi(2)).sum::<f64>().sqrt()
}

/// A row of `w − Π(w)`.
pub(super) fn outside(rows: &Range<usize>, i: usize, w: impl Fn(usize) -> f64) -> f64 {
    let (t, n) = (w(rows.start), size(rows, &w));
    if t >= n {
        0.0
    } else if t <= -n {
        w(i)
    } else {
        0.5 * (t - n) * if i == rows.start { 1.0 } else { -w(i) / n }
    }
}

impl Cone {
    /// Those of a node, whose first rows are its controls with bounds.
    pub(super) fn all(problem: &Problem, k: usize, controls: usize) -> Vec<Self> {
        let dims = problem.dims(k);
        let of = |rows: Range<usize>| {
            let n = rows.len();
            Self {
                rows: controls + rows.start..controls + rows.end,
                factor: DMatrix::zeros(n + 1, n),
                by_x: DMatrix::zeros(n + 1, dims.ndx),
                by_u: DMatrix::zeros(n + 1, dims.nu),
                push: DVector::zeros(n),
                before: DVector::zeros(n),
                counts: false,
            }
        };
        problem.cones(k).into_iter().filter(|rows| !rows.is_empty()).map(of).collect()
    }

    /// F at w, for this μ. Returns whether it differs from the one before by more than rounding.
    pub(super) fn weigh(&mut self, w: impl Fn(usize) -> f64, moved: impl Fn(usize) -> f64, mu: f64) -> bool {
        let (rows, first) = (self.rows.clone(), self.rows.start);
        let (t, n, root) = (w(first), size(&rows, &w), 1.0 / mu.sqrt());
        self.before.copy_from(&self.push);
        self.factor.fill(0.0);
        let counted = std::mem::replace(&mut self.counts, t < n);
        if t <= -n {
            (0..rows.len()).for_each(|i| self.factor[(i, i)] = root);
        } else if t < n {
            let (across, half) = (root * (0.5 * (1.0 - t / n)).sqrt(), root * std::f64::consts::FRAC_1_SQRT_2);
            self.factor[(rows.len(), 0)] = half;
            for i in 1..rows.len() {
                let along = w(first + i) / n;
                self.factor[(rows.len(), i)] = -half * along;
                for j in 1..rows.len() {
                    self.factor[(i, j)] = across * (f64::from(i == j) - along * w(first + j) / n);
                }
            }
        }
        for i in 0..rows.len() {
            self.push[i] = outside(&rows, first + i, &w) / mu - self.product(i, &moved);
        }
        // Where the cone is smooth every w has another F: what changes by less than this changes the direction by as
        // little.
        let other = (0..rows.len())
            .any(|i| (self.push[i] - self.before[i]).abs() > 1e-6 * (self.push.amax() + self.before.amax()));
        counted != self.counts || other
    }

    /// A row of `D x/μ`.
    pub(super) fn product(&self, i: usize, x: impl Fn(usize) -> f64) -> f64 {
        let along =
            |row: usize| (0..self.rows.len()).map(|j| self.factor[(row, j)] * x(self.rows.start + j)).sum::<f64>();
        (0..self.factor.nrows()).map(|row| self.factor[(row, i)] * along(row)).sum()
    }
    pub(super) fn push(&self, i: usize) -> f64 {
        self.push[i]
    }

    /// Adds the cone to the cost of its node.
    pub(super) fn condense(&mut self, node: &mut Quadratic, controls: usize, line: &mut Vec<f64>) {
        if !self.counts {
            return;
        }
        let Quadratic { lx, lu, lxx, lxu, luu, ineq_x, ineq_u, .. } = node;
        let (first, n) = (self.rows.start - controls, self.rows.len());
        for (to, from) in [(&mut self.by_x, &*ineq_x), (&mut self.by_u, &*ineq_u)] {
            for (mut to, from) in to.column_iter_mut().zip(from.column_iter()) {
                to.gemv(1.0, &self.factor, &from.rows(first, n), 0.0);
            }
        }
        let mut cost = Cost { lx, lu, lxx, lxu, luu };
        for row in 0..=n {
            add_row(&mut cost, [&self.by_x, &self.by_u], row, [1.0, 0.0], line);
        }
        for row in 0..n {
            add_row(&mut cost, [ineq_x, ineq_u], first + row, [0.0, self.push[row]], line);
        }
    }
}
