//! Second-order cones as smooth rows, as NLP solvers require.
//!
//! ```text
//! t ≥ |w|   ⇔   t ≥ 0 ,  d = t² − |w|² ≥ 0          ∂d = 2 (t ∂t − Σ wᵢ ∂wᵢ)
//! ```
//!
//! These rows take the places of t and of the first entry of w. The other places of w have no row. With multipliers λ_t
//! and λ_d of these rows, those of the cone are `y = (λ_t + 2 t λ_d, −2 w λ_d)`. At the tip `∂d = 0`, so NLP solvers
//! may be slow there; a solver with support for cones is not.

use super::Nlp;
use crate::fault::Fault;
use crate::quadratic::Quadratic;
use nalgebra::DMatrix;
use std::ops::Range;

/// The cones of a node, as ranges of its rows `g`.
#[derive(Clone, Debug, Default)]
pub(super) struct Cones(pub(super) Vec<Range<usize>>);

impl Cones {
    /// Bounds of their rows.
    pub(super) fn write_bounds(&self, lower: &mut [f64]) {
        for cone in &self.0 {
            lower[cone.clone()].iter_mut().take(2).for_each(|lower| *lower = 0.0);
        }
    }
    /// `(t, w)` becomes `(t, d, 0 …)`.
    pub(super) fn values(&self, g: &mut [f64]) {
        for cone in &self.0 {
            let Some((t, w)) = g[cone.clone()].split_first_mut() else { continue };
            let square: f64 = w.iter().map(|x| x * x).sum();
            w.fill(0.0);
            w.iter_mut().take(1).for_each(|d| *d = *t * *t - square);
        }
    }
    /// The rows of the Jacobian from this one on, which are those of `(t, w)`.
    pub(super) fn derivatives(&self, g: &[f64], first: usize, jacobian: &mut DMatrix<f64>) {
        for cone in self.0.iter().filter(|cone| cone.len() > 1) {
            for mut column in jacobian.column_iter_mut() {
                let by = column.as_mut_slice();
                let by = &mut by[first + cone.start..first + cone.end];
                let of_w: f64 = by[1..].iter().zip(&g[cone.start + 1..]).map(|(by, w)| by * w).sum();
                let d = 2.0 * (g[cone.start] * by[0] - of_w);
                by[1..].fill(0.0);
                by[1] = d;
            }
        }
    }
    /// Multipliers of these rows become those of the cones.
    pub(super) fn to_cones(&self, g: &[f64], lambda: &mut [f64]) {
        for cone in self.0.iter().filter(|cone| cone.len() > 1) {
            let of_d = lambda[cone.start + 1];
            lambda[cone.start] += 2.0 * g[cone.start] * of_d;
            for i in cone.start + 1..cone.end {
                lambda[i] = -2.0 * g[i] * of_d;
            }
        }
    }
    /// And back, as well as there are such: along w.
    fn to_rows(&self, g: &[f64], y: &mut [f64]) {
        for cone in self.0.iter().filter(|cone| cone.len() > 1) {
            let w = &g[cone.start + 1..cone.end];
            let (square, product) = (
                w.iter().map(|w| w * w).sum::<f64>(),
                w.iter().zip(&y[cone.start + 1..]).map(|(w, y)| w * y).sum::<f64>(),
            );
            let of_d = if square > 0.0 { -0.5 * product / square } else { 0.0 };
            y[cone.start] -= 2.0 * g[cone.start] * of_d;
            y[cone.start + 1..cone.end].fill(0.0);
            y[cone.start + 1] = of_d;
        }
    }
    /// Adds `λ_d ∂²d`, of values that are linear: `2 λ_d (∂t ∂tᵀ − Σ ∂wᵢ ∂wᵢᵀ)`. λ: one a row of g.
    pub(super) fn add_curvature(&self, node: &Quadratic, lambda: &[f64], hessian: &mut DMatrix<f64>) {
        let ndx = node.ineq_x.ncols();
        let by = |i: usize, j: usize| if j < ndx { node.ineq_x[(i, j)] } else { node.ineq_u[(i, j - ndx)] };
        for cone in self.0.iter().filter(|cone| cone.len() > 1) {
            for row in cone.clone() {
                let weight = 2.0 * lambda[cone.start + 1] * if row == cone.start { 1.0 } else { -1.0 };
                for j in 0..hessian.ncols() {
                    let weight = weight * by(row, j);
                    if weight != 0.0 {
                        (0..hessian.nrows()).for_each(|i| hessian[(i, j)] += weight * by(row, i));
                    }
                }
            }
        }
    }
}

impl Nlp<'_> {
    /// Multipliers of a node's rows `g` as those of its cones, or back, at w.
    pub(super) fn of_cones(&self, k: usize, w: &[f64], y: &mut [f64], to_cones: bool) -> Result<(), Fault> {
        let layout = &self.layout[k];
        let cones = &self.blocks[k].cones;
        if cones.0.is_empty() {
            return Ok(());
        }
        let (delta, u) = w[layout.x..][..layout.variables()].split_at(layout.dims.ndx);
        let (mut x, mut rows) = (vec![0.0; layout.dims.nx], vec![0.0; layout.dims.n_eq + layout.dims.n_in]);
        let mut next = vec![0.0; if layout.gaps > 0 { layout.dims.nx } else { 0 }];
        let moved = self.problem.space().integrate(self.base.x(k), delta, &mut x);
        moved.map_err(|reason| self.fault(k, reason))?;
        self.problem.value(k, &x, u, &mut self.problem.memory(), &mut next, &mut rows)?;
        let g = &rows[layout.dims.n_eq..];
        if to_cones {
            cones.to_cones(g, y)
        } else {
            cones.to_rows(g, y)
        }
        Ok(())
    }
}
