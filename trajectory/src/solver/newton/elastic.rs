//! Elastic constraints of a node, for constraints that cannot all hold: `c = p − n`, `g − s = p − n`, with
//! `ρ Σ (p + n)` as the cost.
//!
//! With ν the multiplier of such a row, the conditions of the barrier problem are `z_p = ρ − ν`, `z_n = ρ + ν`,
//! `z_p p = z_n n = μ`. Linearized,
//!
//! ```text
//! C δ + (c − p + n) + e = D ν⁺ ,    D = p/z_p + n/z_n ,    e = μ/z_n − μ/z_p + ρ (p/z_p − n/z_n)
//! ```
//!
//! so that each row is a square in the cost of its node, of weight 1/D.
//!
//! A. Wächter and L. Biegler (2006), section 3.3, equations (30) to (33).

use super::condense::{Cost, add_row, row_dot};
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use nalgebra::{DMatrix, DVector};

/// What a violation costs (`ρ`).
pub(super) const PRICE: f64 = 1000.0;

/// The elastic rows of a node: its equalities, then `g`.
#[derive(Debug)]
pub(super) struct Elastic {
    n_eq: usize,
    /// p and n, and their multipliers, with the steps of all four.
    parts: [Vec<f64>; 4],
    steps: [Vec<f64>; 4],
    /// Which rows there are.
    counts: Vec<bool>,
    /// Equalities, whose place in the node is empty meanwhile.
    eq: DVector<f64>,
    eq_x: DMatrix<f64>,
    eq_u: DMatrix<f64>,
    weights: Vec<[f64; 2]>,
    line: Vec<f64>,
}

impl Elastic {
    pub(super) fn new(problem: &Problem, k: usize) -> Self {
        let dims = problem.dims(k);
        let n = dims.n_eq + dims.n_in;
        let zeros = || [(); 4].map(|()| vec![0.0; n]);
        Self {
            n_eq: dims.n_eq,
            parts: zeros(),
            steps: zeros(),
            counts: vec![true; n],
            eq: DVector::zeros(dims.n_eq),
            eq_x: DMatrix::zeros(dims.n_eq, dims.ndx),
            eq_u: DMatrix::zeros(dims.n_eq, dims.nu),
            weights: vec![[0.0; 2]; dims.n_eq],
            line: Vec::with_capacity(dims.ndx + dims.nu),
        }
    }
    pub(super) fn equalities(&self) -> usize {
        self.n_eq
    }

    /// Begins with `c = p − n`, `g − s = p − n`: what is off, one number a row; `None` where there is no row.
    pub(super) fn begin(&mut self, row: usize, off: Option<f64>, mu: f64) {
        self.counts[row] = off.is_some();
        let c = off.unwrap_or(0.0);
        // n is the root of n² − 2 m n − μ c / (2 ρ) = 0, for p z_p = n z_n = μ.
        let half = (mu - PRICE * c) / (2.0 * PRICE);
        let n = half + (half * half + mu * c / (2.0 * PRICE)).max(0.0).sqrt();
        let n = n.max(f64::EPSILON * mu);
        let p = (c + n).max(f64::EPSILON * mu);
        for (to, x) in self.parts.iter_mut().zip([p, n, mu / p, mu / n]) {
            to[row] = x;
        }
    }

    /// `p − n`
    pub(super) fn given(&self, row: usize) -> f64 {
        if self.counts[row] { self.parts[0][row] - self.parts[1][row] } else { 0.0 }
    }
    /// `p − n` after a step.
    pub(super) fn given_after(&self, row: usize, step: f64) -> f64 {
        self.given(row) + if self.counts[row] { step * (self.steps[0][row] - self.steps[1][row]) } else { 0.0 }
    }

    /// D, and `off − p + n + e`.
    pub(super) fn share(&self, row: usize, off: f64, mu: f64) -> [f64; 2] {
        let [p, n, zp, zn] = [0, 1, 2, 3].map(|k| self.parts[k][row]);
        [p / zp + n / zn, off - p + n + mu / zn - mu / zp + PRICE * (p / zp - n / zn)]
    }

    /// Adds the equalities to the cost of their node, and takes them out of it.
    pub(super) fn condense(&mut self, node: &mut Quadratic, mu: f64) {
        for row in 0..self.n_eq {
            let [soft, off] = self.share(row, node.eq[row], mu);
            self.weights[row] = [1.0 / soft, off / soft];
        }
        let Quadratic { lx, lu, lxx, lxu, luu, eq_x, eq_u, .. } = node;
        let mut cost = Cost { lx, lu, lxx, lxu, luu };
        for row in 0..self.n_eq {
            add_row(&mut cost, [eq_x, eq_u], row, self.weights[row], &mut self.line);
        }
        self.swap(node);
    }
    /// Takes equalities out of their node, or puts them back.
    pub(super) fn swap(&mut self, node: &mut Quadratic) {
        std::mem::swap(&mut node.eq, &mut self.eq);
        std::mem::swap(&mut node.eq_x, &mut self.eq_x);
        std::mem::swap(&mut node.eq_u, &mut self.eq_u);
    }

    /// Steps of the equalities, after [`swap`](Self::swap) has put them back.
    pub(super) fn directions(&mut self, node: &Quadratic, dx: &DVector<f64>, du: &DVector<f64>, mu: f64) {
        for row in 0..self.n_eq {
            let moved = row_dot(&node.eq_x, row, dx) + row_dot(&node.eq_u, row, du);
            let [sigma, push] = self.weights[row];
            self.set_multiplier(row, sigma * moved + push, mu);
        }
    }
    /// Steps of a row whose multiplier becomes `y`.
    pub(super) fn set_multiplier(&mut self, row: usize, y: f64, mu: f64) {
        for (k, z_new) in [PRICE - y, PRICE + y].into_iter().enumerate() {
            let (x, z) = (self.parts[k][row], self.parts[k + 2][row]);
            self.steps[k][row] = (mu - x * z_new) / z;
            self.steps[k + 2][row] = z_new - z;
        }
    }

    /// ν, as the mean of what both of its multipliers make of it.
    pub(super) fn multiplier(&self, row: usize) -> f64 {
        if self.counts[row] { 0.5 * (self.parts[3][row] - self.parts[2][row]) } else { 0.0 }
    }
    /// The longest steps of p and n, and of their multipliers.
    pub(super) fn max_step(&self, tau: f64) -> [f64; 2] {
        let mut longest = [1.0_f64; 2];
        for (k, (parts, steps)) in self.parts.iter().zip(&self.steps).enumerate() {
            for ((from, by), _) in parts.iter().zip(steps).zip(&self.counts).filter(|(_, counts)| **counts) {
                if *by < 0.0 {
                    longest[k / 2] = longest[k / 2].min(-tau * from / by);
                }
            }
        }
        longest
    }
    /// `ρ Σ (p + n) − μ Σ (ln p + ln n)` after a step.
    pub(super) fn cost(&self, step: f64, mu: f64) -> f64 {
        let mut sum = 0.0;
        for (k, row) in (0..2).flat_map(|k| (0..self.counts.len()).map(move |row| (k, row))) {
            if self.counts[row] {
                let x = self.parts[k][row] + step * self.steps[k][row];
                sum += PRICE * x - mu * if x > 0.0 { x.ln() } else { f64::NEG_INFINITY };
            }
        }
        sum
    }
    /// Its slope.
    pub(super) fn slope(&self, mu: f64) -> f64 {
        let mut sum = 0.0;
        for (k, row) in (0..2).flat_map(|k| (0..self.counts.len()).map(move |row| (k, row))) {
            if self.counts[row] {
                sum += (PRICE - mu / self.parts[k][row]) * self.steps[k][row];
            }
        }
        sum
    }
    pub(super) fn advance(&mut self, [primal, dual]: [f64; 2]) {
        for (k, (parts, steps)) in self.parts.iter_mut().zip(&self.steps).enumerate() {
            let step = if k < 2 { primal } else { dual };
            for ((x, by), _) in parts.iter_mut().zip(steps).zip(&self.counts).filter(|(_, counts)| **counts) {
                *x += step * by;
            }
        }
    }
}
