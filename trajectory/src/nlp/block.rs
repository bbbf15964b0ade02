//! One node of the program: its rows and its part of the Lagrangian, by the numbers of its state and its controls, as
//! dense blocks.

use super::chart::{Chart, Frames};
use super::cones::Cones;
use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use nalgebra::DMatrix;
use std::ops::Range;

/// Below this factor of the objective, constraints are weighted by themselves.
const SMALL: f64 = 1e-6;

/// Memory for the nodes of one size.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) dims: Dims,
    pub(super) cones: Cones,
    last: bool,
    x: Vec<f64>,
    next: Vec<f64>,
    reached: Vec<f64>,
    node: Quadratic,
    multipliers: Multipliers,
    /// Cost.
    pub(super) cost: f64,
    /// What the step reaches, as numbers around the next base, ndx (none at the last node); then equalities and rows
    /// between bounds.
    pub(super) rows: Vec<f64>,
    /// Gradient of the cost, by state and controls.
    pub(super) gradient: Vec<f64>,
    /// Derivatives of the rows, by state and controls.
    pub(super) jacobian: DMatrix<f64>,
    /// Second derivatives of the Lagrangian, by state and controls, symmetric.
    pub(super) hessian: DMatrix<f64>,
}

/// A node, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) k: usize,
    /// Its base, and that of the next node (empty at the last one).
    pub(super) base: &'a [f64],
    pub(super) next_base: &'a [f64],
    pub(super) delta: &'a [f64],
    pub(super) u: &'a [f64],
}

impl Block {
    pub(super) fn new(dims: Dims, last: bool, cones: Vec<Range<usize>>) -> Self {
        let Dims { nx, ndx, nu, n_eq, n_in } = dims;
        let (next, rows) = if last { (0, n_eq + n_in) } else { (nx, ndx + n_eq + n_in) };
        Self {
            dims,
            cones: Cones(cones),
            last,
            x: vec![0.0; nx],
            next: vec![0.0; next],
            reached: vec![0.0; if last { 0 } else { ndx }],
            node: Quadratic::exact(dims, last),
            multipliers: Multipliers::new(dims, last),
            cost: 0.0,
            rows: vec![0.0; rows],
            gradient: vec![0.0; ndx + nu],
            jacobian: DMatrix::zeros(rows, ndx + nu),
            hessian: DMatrix::zeros(ndx + nu, ndx + nu),
        }
    }

    fn fault(problem: &Problem, k: usize, reason: Reason) -> Fault {
        Fault { node: k, phase: problem.phase_of(k).into(), term: None, reason: Box::new(reason) }
    }

    /// Cost and rows.
    pub(super) fn value(
        &mut self,
        problem: &Problem,
        memory: &mut ProblemMemory,
        Spot { k, base, next_base, delta, u }: Spot<'_>,
    ) -> Result<(), Fault> {
        let space = problem.space();
        let fault = |reason| Self::fault(problem, k, reason);
        space.integrate(base, delta, &mut self.x).map_err(fault)?;
        let (reached, rows) = self.rows.split_at_mut(self.reached.len());
        self.cost = problem.value(k, &self.x, u, memory, &mut self.next, rows)?;
        self.cones.values(&mut rows[self.dims.n_eq..]);
        if !self.last {
            space.difference(next_base, &self.next, reached).map_err(fault)?;
        }
        Ok(())
    }

    /// Cost and rows with first derivatives.
    pub(super) fn linearize(
        &mut self,
        problem: &Problem,
        chart: &Chart,
        memory: &mut ProblemMemory,
        Spot { k, base, next_base, delta, u }: Spot<'_>,
    ) -> Result<(), Fault> {
        let space = problem.space();
        let fault = |reason| Self::fault(problem, k, reason);
        space.integrate(base, delta, &mut self.x).map_err(fault)?;
        problem.linearize(k, &self.x, u, memory, &mut self.node)?;
        let frames = chart.frames(delta).map_err(fault)?;
        let Dims { ndx, n_eq, .. } = self.dims;
        let (node, own) = (&self.node, self.reached.len());
        self.cost = node.cost;
        self.gradient[..ndx].copy_from_slice(node.lx.as_slice());
        self.gradient[ndx..].copy_from_slice(node.lu.as_slice());
        chart.pull(&frames, &mut self.gradient);
        if !self.last {
            space.difference(next_base, &node.next, &mut self.reached).map_err(fault)?;
        }
        self.rows[..own].copy_from_slice(&self.reached);
        self.rows[own..own + n_eq].copy_from_slice(node.eq.as_slice());
        self.rows[own + n_eq..].copy_from_slice(node.ineq.as_slice());
        self.cones.values(&mut self.rows[own + n_eq..]);
        for (first, by_x, by_u) in
            [(0, &node.a, &node.b), (own, &node.eq_x, &node.eq_u), (own + n_eq, &node.ineq_x, &node.ineq_u)]
        {
            self.jacobian.view_mut((first, 0), by_x.shape()).copy_from(by_x);
            self.jacobian.view_mut((first, ndx), by_u.shape()).copy_from(by_u);
        }
        self.cones.derivatives(node.ineq.as_slice(), own + n_eq, &mut self.jacobian);
        chart.columns(&frames, &mut self.jacobian);
        if !self.last {
            let inverse = chart.inverse_frames(&self.reached).map_err(fault)?;
            chart.rows(&inverse, false, &mut self.jacobian);
        }
        Ok(())
    }

    /// Second derivatives of `σ ℓ + λᵀ rows`, λ one a row. `false` if the node does not know them.
    pub(super) fn evaluate_hessian(
        &mut self,
        problem: &Problem,
        chart: &Chart,
        memory: &mut ProblemMemory,
        at: Spot<'_>,
        (sigma, lambda): (f64, &[f64]),
    ) -> Result<bool, Fault> {
        if sigma.abs() > SMALL {
            let known = self.bend_scaled(problem, chart, memory, at, (1.0 / sigma, lambda))?;
            self.hessian *= sigma;
            return Ok(known);
        }
        let known = self.bend_scaled(problem, chart, memory, at, (1.0, lambda))?;
        let both = self.hessian.clone();
        self.bend_scaled(problem, chart, memory, at, (0.0, lambda))?;
        self.hessian.zip_apply(&both, |cost, both| *cost = both + (sigma - 1.0) * *cost);
        Ok(known)
    }

    /// Second derivatives of `ℓ + s λᵀ rows`.
    fn bend_scaled(
        &mut self,
        problem: &Problem,
        chart: &Chart,
        memory: &mut ProblemMemory,
        Spot { k, base, next_base, delta, u }: Spot<'_>,
        (scale, lambda): (f64, &[f64]),
    ) -> Result<bool, Fault> {
        let space = problem.space();
        let fault = |reason| Self::fault(problem, k, reason);
        let (own, Dims { ndx, nu, n_eq, .. }) = (self.reached.len(), self.dims);
        let Self { cones, x, next, reached, rows, node, multipliers, hessian, .. } = self;
        space.integrate(base, delta, x).map_err(fault)?;
        for (to, from) in
            multipliers.next.iter_mut().chain(multipliers.eq.iter_mut()).chain(multipliers.ineq.iter_mut()).zip(lambda)
        {
            *to = scale * from;
        }
        // Multipliers along the directions of the state that is reached, which has to be known; and so have the values
        // of cones.
        let mut inverse = Frames::new();
        let turns = !chart.is_flat() && own > 0;
        if turns || !cones.0.is_empty() {
            problem.value(k, x, u, memory, next, &mut rows[own..])?;
            cones.to_cones(&rows[own + n_eq..], multipliers.ineq.as_mut_slice());
        }
        if turns {
            space.difference(next_base, next, reached).map_err(fault)?;
            inverse = chart.inverse_frames(reached).map_err(fault)?;
            chart.pull(&inverse, multipliers.next.as_mut_slice());
        }
        let known = problem.linearize_exact(k, x, u, multipliers, memory, node)?;
        let Quadratic { lxx, lxu, luu, curvature, .. } = &*node;
        hessian.view_mut((0, 0), (ndx, ndx)).copy_from(&(lxx + &curvature.xx));
        hessian.view_mut((0, ndx), (ndx, nu)).copy_from(&(lxu + &curvature.xu));
        hessian.view_mut((ndx, 0), (nu, ndx)).copy_from(&(lxu + &curvature.xu).transpose());
        hessian.view_mut((ndx, ndx), (nu, nu)).copy_from(&(luu + &curvature.uu));
        if !cones.0.is_empty() {
            let scaled: Vec<f64> = lambda[own + n_eq..].iter().map(|lambda| scale * lambda).collect();
            cones.add_curvature(node, &scaled, hessian);
        }
        if chart.is_flat() {
            return Ok(known);
        }
        let mut gradient = node.lx.clone();
        if own > 0 {
            let curvature = chart.inverse_curvature(reached, &inverse, multipliers.next.as_slice()).map_err(fault)?;
            for (block, curvature) in chart.blocks().zip(&curvature) {
                let mut by = DMatrix::zeros(block.len(), ndx + nu);
                by.columns_mut(0, ndx).copy_from(&node.a.rows(block.start, block.len()));
                by.columns_mut(ndx, nu).copy_from(&node.b.rows(block.start, block.len()));
                hessian.gemm_tr(1.0, &by, &(curvature * &by), 1.0);
            }
            gradient.gemv_tr(1.0, &node.a, &multipliers.next, 1.0);
        }
        if n_eq > 0 {
            gradient.gemv_tr(1.0, &node.eq_x, &multipliers.eq, 1.0);
        }
        if !multipliers.ineq.is_empty() {
            gradient.gemv_tr(1.0, &node.ineq_x, &multipliers.ineq, 1.0);
        }
        let frames = chart.frames(delta).map_err(fault)?;
        chart.columns(&frames, hessian);
        chart.rows(&frames, true, hessian);
        for (block, curvature) in chart.blocks().zip(&chart.curvature(delta, gradient.as_slice()).map_err(fault)?) {
            let mut to = hessian.view_mut((block.start, block.start), (block.len(), block.len()));
            to += curvature;
        }
        Ok(known)
    }
}
