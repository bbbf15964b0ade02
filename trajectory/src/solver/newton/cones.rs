//! Second-order cones among the rows of a node: `g(x, u) = s`, `s = (t, w)` in the cone `t ≥ |w|`.
//!
//! With `z = −y` in the same cone, y the multiplier of the first equation, the conditions of the barrier problem are
//!
//! ```text
//! s ∘ z = μ e ,    (t, w) ∘ (t', w') = (t t' + wᵀ w', t w' + t' w) ,    e = (1, 0 …)
//! ```
//!
//! of the barrier `−½ μ ln(t² − |w|²)`. In the scaling of Nesterov and Todd, `W⁻¹ s = W z = λ` with a symmetric W that
//! maps the cone onto itself, their linearization is `W⁻¹ δs + W δz = μ λ⁻¹ − λ`, and with `δs = G δ + (g − s)` what is
//! left of a cone in the cost of its node is
//!
//! ```text
//! ½ |F⁻¹ G δ|² + (F⁻¹ (g − s) − μ F⁻¹ W λ⁻¹)ᵀ F⁻¹ G δ ,    F = W ,   and where g is elastic   F Fᵀ = W² + D
//! ```
//!
//! so that a cone becomes as many squares as it has rows, whose sum is positive for any rounding.
//!
//! F. Alizadeh and D. Goldfarb, *Second-order cone programming*, Mathematical Programming 95 (2003), section 4 (the
//! algebra) and 7; L. Vandenberghe, *The CVXOPT linear and quadratic cone program solvers*, 2010, sections 4.1 and 5
//! (W, λ); A. Domahidi, E. Chu and S. Boyd, *ECOS: an SOCP solver for embedded systems*, ECC 2013, section III.

use super::condense::{Cost, add_row, row_dot};
use super::elastic::Elastic;
use super::lorentz::{Point, point, scaling};
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// Slacks begin at least this far inside, and this share of the size of w (`κ₁`).
const PUSH: f64 = 1e-2;
/// Cones are wider by this: `t + 10⁻⁸ ≥ |w|`, so that there is room inside (`bound_relax_factor`).
pub(super) const RELAX: f64 = 1e-8;
/// The eigenvalues of `λ ∘ λ` stay within this factor of μ (`κ_Σ`).
const FAR: f64 = 1e10;

/// Of the way to the boundary of a cone at most this share is gone, however small μ is: `t² − |w|²` would be rounding
/// soon.
pub(super) const MOST: f64 = 0.99;

/// A cone of a node.
#[derive(Debug)]
pub(super) struct Cone {
    /// Its rows, among all rows of the node.
    pub(super) rows: Range<usize>,
    /// `F⁻¹`, and `W²`.
    inverse: DMatrix<f64>,
    square: DMatrix<f64>,
    /// `F⁻¹ G`, by state and controls.
    by_x: DMatrix<f64>,
    by_u: DMatrix<f64>,
    /// `F⁻¹ (g − s) − μ F⁻¹ W λ⁻¹`
    push: DVector<f64>,
    pub(super) memory: [DVector<f64>; 3],
}

impl Cone {
    /// Those of a node, whose first rows are its controls with bounds.
    pub(super) fn all(problem: &Problem, k: usize, controls: usize) -> Vec<Self> {
        let dims = problem.dims(k);
        let of = |rows: Range<usize>| {
            let n = rows.len();
            Self {
                rows: controls + rows.start..controls + rows.end,
                inverse: DMatrix::zeros(n, n),
                square: DMatrix::zeros(n, n),
                by_x: DMatrix::zeros(n, dims.ndx),
                by_u: DMatrix::zeros(n, dims.nu),
                push: DVector::zeros(n),
                memory: [(); 3].map(|()| DVector::zeros(n)),
            }
        };
        problem.cones(k).into_iter().filter(|rows| !rows.is_empty()).map(of).collect()
    }
    pub(super) fn slack<'a>(&self, s: &'a [f64]) -> Point<'a> {
        slack(s, &self.rows)
    }

    /// Moves a slack well inside.
    pub(super) fn push_inside(&self, s: &mut [f64]) {
        let s = &mut s[self.rows.clone()];
        let size = s[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
        s[0] = s[0].max(size + PUSH * size.max(1.0));
    }
    /// Moves a slack inside that is not, for a new solution.
    pub(super) fn come_inside(&self, s: &mut [f64]) {
        if !self.slack(s).is_inside() {
            self.push_inside(s);
        }
    }
    /// `z = μ s⁻¹`
    pub(super) fn center(&self, s: &[f64], z: &mut [f64], mu: f64) {
        let (s, z) = (self.slack(s), &mut z[self.rows.clone()]);
        let det = s.det();
        z[0] = mu * s.t / det;
        z[1..].iter_mut().zip(s.w).for_each(|(z, w)| *z = -mu * w / det);
    }
    /// The same, where z is outside of the cone, or too far from the central path.
    pub(super) fn keep_near(&self, s: &[f64], z: &mut [f64], mu: f64) {
        let [low, high] = self.slack(s).eigenvalues(&point(&z[self.rows.clone()]));
        if !(low >= mu / FAR && high <= FAR * mu) {
            self.center(s, z, mu);
        }
    }

    /// F and the gradient, where the node has moved, or μ has.
    pub(super) fn barrier_terms(&mut self, rows: ConePoint<'_>, mu: f64, elastic: Option<(&Elastic, usize)>) {
        let (s, z) = (self.slack(rows.s), point(&rows.z[self.rows.clone()]));
        let Self { inverse, square, push, memory: [inner, off, _], .. } = self;
        let lambda = scaling(s, z, [inverse, square], inner);
        // μ λ⁻¹
        inner.iter_mut().skip(1).for_each(|x| *x = -*x);
        *inner *= mu / lambda;
        off.iter_mut().zip(rows.residual(&self.rows)).for_each(|(to, off)| *to = off);
        match elastic {
            None => {
                push.gemv(1.0, inverse, off, 0.0);
                *push -= &*inner;
            }
            Some((elastic, first)) => {
                // μ W λ⁻¹ is W² of μ s⁻¹.
                let det = s.det();
                inner[0] = mu * s.t / det;
                inner.iter_mut().skip(1).zip(s.w).for_each(|(to, w)| *to = -mu * w / det);
                inverse.copy_from(square);
                for i in 0..off.len() {
                    let [soft, given] = elastic.share(first + i, off[i], mu);
                    inverse[(i, i)] += soft;
                    off[i] = given;
                }
                off.gemv(-1.0, square, inner, 1.0);
                invert_factor(inverse);
                push.gemv(1.0, inverse, off, 0.0);
            }
        }
    }

    /// Adds the cone to the cost of its node, whose rows `g` begin after so many.
    pub(super) fn condense(&mut self, node: &mut Quadratic, controls: usize, line: &mut Vec<f64>) {
        let Quadratic { lx, lu, lxx, lxu, luu, ineq_x, ineq_u, .. } = node;
        let (first, n) = (self.rows.start - controls, self.rows.len());
        for (to, from) in [(&mut self.by_x, ineq_x), (&mut self.by_u, ineq_u)] {
            for (mut to, from) in to.column_iter_mut().zip(from.column_iter()) {
                to.gemv(1.0, &self.inverse, &from.rows(first, n), 0.0);
            }
        }
        let mut cost = Cost { lx, lu, lxx, lxu, luu };
        for row in 0..n {
            add_row(&mut cost, [&self.by_x, &self.by_u], row, [1.0, self.push[row]], line);
        }
    }
    /// Adds to the gradient what a correction adds to `g − s`.
    pub(super) fn correct(&mut self, node: &mut Quadratic, more: &[f64]) {
        let [scaled, off, _] = &mut self.memory;
        off.copy_from_slice(&more[self.rows.clone()]);
        scaled.gemv(1.0, &self.inverse, off, 0.0);
        node.lx.gemv_tr(1.0, &self.by_x, scaled, 1.0);
        node.lu.gemv_tr(1.0, &self.by_u, scaled, 1.0);
    }

    /// `G δ`, into the second memory.
    fn moved(&mut self, node: &Quadratic, dx: &DVector<f64>, du: &DVector<f64>, controls: usize) {
        for (row, to) in self.rows.clone().zip(self.memory[1].iter_mut()) {
            *to = row_dot(&node.ineq_x, row - controls, dx) + row_dot(&node.ineq_u, row - controls, du);
        }
    }
    /// `y = F⁻ᵀ (F⁻¹ G δ + …)` into the first memory, `G δ` in the second; `δz = −y − z`.
    fn multipliers(&mut self, z: &[f64], dz: &mut [f64]) {
        let Self { inverse, push, memory: [y, moved, scaled], .. } = self;
        scaled.copy_from(push);
        scaled.gemv(1.0, inverse, moved, 1.0);
        y.gemv_tr(1.0, inverse, scaled, 0.0);
        for (i, y) in self.rows.clone().zip(y.iter()) {
            dz[i] = -y - z[i];
        }
    }
    /// `δs = G δ + (g − s)` and δz; `more`: what a correction adds to `g − s`.
    pub(super) fn directions(
        &mut self,
        (node, dx, du): (&Quadratic, &DVector<f64>, &DVector<f64>),
        rows: ConePoint<'_>,
        [ds, dz]: [&mut [f64]; 2],
        (controls, more): (usize, Option<&[f64]>),
    ) {
        self.moved(node, dx, du, controls);
        for ((i, to), off) in self.rows.clone().zip(self.memory[1].iter_mut()).zip(rows.residual(&self.rows)) {
            *to += more.map_or(0.0, |more| more[i]);
            ds[i] = *to + off;
        }
        self.multipliers(rows.z, dz);
    }
    /// The same where g is elastic: `δs = G δ + (g − s) − (p + δp) + (n + δn)`, which is also `W² (y + μ s⁻¹)`, and
    /// with less rounding.
    pub(super) fn elastic_directions(
        &mut self,
        (node, dx, du): (&Quadratic, &DVector<f64>, &DVector<f64>),
        rows: ConePoint<'_>,
        [ds, dz]: [&mut [f64]; 2],
        (controls, mu, elastic): (usize, f64, &mut Elastic),
    ) {
        self.moved(node, dx, du, controls);
        self.multipliers(rows.z, dz);
        let first = elastic.equalities() + self.rows.start - controls;
        let [y, moved, _] = &self.memory;
        for (i, off) in rows.residual(&self.rows).enumerate() {
            elastic.set_multiplier(first + i, y[i], mu);
            ds[self.rows.start + i] = moved[i] + off - elastic.given_after(first + i, 1.0);
        }
    }
}

/// Slacks and multipliers of all rows of a node, and values.
#[derive(Clone, Copy)]
pub(super) struct ConePoint<'a> {
    pub(super) s: &'a [f64],
    pub(super) z: &'a [f64],
    pub(super) g: &'a [f64],
}

impl<'a> ConePoint<'a> {
    /// `g − s`
    fn residual(self, rows: &Range<usize>) -> impl Iterator<Item = f64> + 'a {
        self.g[rows.clone()].iter().zip(&self.s[rows.clone()]).map(|(g, s)| g - s)
    }
}

/// A slack, in the cone that is wider.
pub(super) fn slack<'a>(s: &'a [f64], rows: &Range<usize>) -> Point<'a> {
    let s = point(&s[rows.clone()]);
    Point { t: s.t + RELAX, ..s }
}

/// A positive matrix becomes the inverse of its lower Cholesky factor.
fn invert_factor(m: &mut DMatrix<f64>) {
    let n = m.nrows();
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| m[(i, k)] * m[(j, k)]).sum();
            let x = m[(i, j)] - sum;
            // What is left of a sum is positive; below the rounding of its terms nobody knows more.
            m[(i, j)] = if i == j { x.max(f64::EPSILON * m[(i, j)]).sqrt() } else { x / m[(j, j)] };
        }
        (0..j).for_each(|i| m[(i, j)] = 0.0);
    }
    for j in 0..n {
        m[(j, j)] = 1.0 / m[(j, j)];
        for i in j + 1..n {
            let sum: f64 = (j..i).map(|k| m[(i, k)] * m[(k, j)]).sum();
            m[(i, j)] = -sum / m[(i, i)];
        }
    }
}
