//! The direction: one sweep over all nodes with their barriers, and as much of the identity as makes it one of descent.

use super::{Hessian, Inner};
use crate::problem::Problem;
use crate::quadratic::{Dims, Quadratic};
use crate::riccati::Failure;
use crate::solver::crew::Crew;
use nalgebra::{DMatrix, DVector};

/// Factors of δ_w: at the first failure of all, at others, and after success (`κ_w⁺` bar, `κ_w⁺`, `κ_w⁻`).
const MUCH_MORE: f64 = 100.0;
const MORE: f64 = 8.0;
const LESS: f64 = 1.0 / 3.0;
/// The least δ_w.
const LEAST: f64 = 1e-20;
/// δ_c of equalities that depend on others and do not agree (`δ_c bar`), times μ to this power (`κ_c`).
const SOFT: (f64, f64) = (1e-8, 0.25);
/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
const CLOSE: f64 = 1e-2;

/// A node's cost to second order, before barriers.
#[derive(Debug)]
pub(super) struct Bare {
    lx: DVector<f64>,
    lu: DVector<f64>,
    lxx: DMatrix<f64>,
    lxu: DMatrix<f64>,
    luu: DMatrix<f64>,
    eq: DVector<f64>,
}

impl Bare {
    pub(super) fn new(dims: &Dims) -> Self {
        let Dims { ndx, nu, n_eq, .. } = *dims;
        Self {
            lx: DVector::zeros(ndx),
            lu: DVector::zeros(nu),
            lxx: DMatrix::zeros(ndx, ndx),
            lxu: DMatrix::zeros(ndx, nu),
            luu: DMatrix::zeros(nu, nu),
            eq: DVector::zeros(n_eq),
        }
    }
    /// Equalities.
    pub(super) fn eq(&self) -> &DVector<f64> {
        &self.eq
    }
    /// What the cost does along a direction, to first order.
    pub(super) fn slope(&self, dx: &DVector<f64>, du: &DVector<f64>) -> f64 {
        self.lx.dot(dx) + self.lu.dot(du)
    }
    pub(super) fn save(&mut self, node: &Quadratic) {
        self.lx.copy_from(&node.lx);
        self.lu.copy_from(&node.lu);
        self.lxx.copy_from(&node.lxx);
        self.lxu.copy_from(&node.lxu);
        self.luu.copy_from(&node.luu);
        self.eq.copy_from(&node.eq);
    }
    /// Puts the cost back, scaled, with the curvature of the Lagrangian if it is exact.
    pub(super) fn put_back(&self, scale: f64, exact: bool, node: &mut Quadratic) {
        node.lx.axpy(scale, &self.lx, 0.0);
        node.lu.axpy(scale, &self.lu, 0.0);
        node.eq.copy_from(&self.eq);
        let Quadratic { lxx, lxu, luu, curvature, .. } = node;
        for (to, from, more) in
            [(lxx, &self.lxx, &curvature.xx), (lxu, &self.lxu, &curvature.xu), (luu, &self.luu, &curvature.uu)]
        {
            let (to, from) = (to.as_mut_slice(), from.as_slice());
            if exact {
                for ((to, from), more) in to.iter_mut().zip(from).zip(more.as_slice()) {
                    *to = scale * (from + more);
                }
            } else {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = scale * from);
            }
        }
    }
}

impl Inner {
    /// The direction, with multipliers, and those of slacks.
    pub(super) fn direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| crew.knows_curvature(k));
        let wanted = self.options.hessian;
        self.run.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        self.run.delta = 0.0;
        for rows in &mut self.rows {
            rows.weigh(self.run.mu, None);
        }
        loop {
            self.assemble(crew, problem);
            match self.sweep(crew, problem) {
                Ok(()) => break,
                Err(Failure::Infeasible { .. }) if self.run.softness == 0.0 => {
                    let (soft, power) = SOFT;
                    self.run.softness = soft * self.run.mu.max(1e-8).powf(power);
                }
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = self.run.optimality.error(0.0) > CLOSE;
                    if self.run.exact && wanted == Hessian::Automatic && self.way.replaces && far {
                        self.run.exact = false;
                    } else if !self.raise() {
                        return Err(failure);
                    }
                }
            }
        }
        if self.run.delta > 0.0 {
            self.run.delta_last = self.run.delta;
        }
        self.roll_out(crew, problem, false)
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&mut self) -> bool {
        let run = &mut self.run;
        run.delta = match (run.delta, run.delta_last) {
            (0.0, 0.0) => self.options.regularization,
            (0.0, last) => (last * LESS).max(LEAST),
            (delta, 0.0) => delta * MUCH_MORE,
            (delta, _) => delta * MORE,
        };
        run.delta <= self.options.regularization_max
    }

    /// Costs with barriers, and equalities as soft as they have to be: `c + Cδ = δ_c (ν⁺ − ν)`.
    fn assemble(&mut self, crew: &Crew, problem: &Problem) {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            self.bare[k].put_back(self.run.scale, self.run.exact, node);
            node.eq.axpy(self.run.softness, &self.multipliers[k].eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    fn sweep(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        self.riccati.soften(self.run.softness);
        let Self { riccati, gaps, run, .. } = self;
        (0..gaps.len()).rev().try_for_each(|k| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), run.delta))
    }

    /// From the start to the end; of a correction, `gaps` and rows are those of the correction.
    pub(super) fn roll_out(&mut self, crew: &Crew, problem: &Problem, corrected: bool) -> Result<(), Failure> {
        let Self { riccati, gaps, rows, run, lq, corrected: second, corrections, .. } = self;
        let lq = if corrected { second } else { lq };
        let gaps = if corrected { &corrections.gaps } else { gaps };
        riccati.begin_roll_out(gaps.first(), lq)?;
        for (k, rows) in rows.iter_mut().enumerate() {
            let node = crew.node(problem, k);
            riccati.roll_out_node(k, &node, gaps.get(k), lq);
            let more = corrected.then(|| &corrections.rows[k][..]);
            rows.directions(&node, &lq.dx[k], &lq.du[k], run.mu, more);
        }
        Ok(())
    }

    /// The sweep and the roll-out once more, with gaps and rows of a correction of second order.
    pub(super) fn correct(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            node.eq += &self.corrections.eq[k];
            self.rows[k].correct(node, &self.corrections.rows[k]);
        }
        let Self { riccati, corrections, run, .. } = self;
        let gaps = &corrections.gaps;
        (0..gaps.len())
            .rev()
            .try_for_each(|k| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), run.delta))?;
        self.roll_out(crew, problem, true)
    }
}
