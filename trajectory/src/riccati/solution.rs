//! The way forward: the step itself, and all multipliers.

use super::{Failure, Riccati, rows};
use crate::quadratic::{Dims, Quadratic};
use nalgebra::DVector;

/// The solution of a linear-quadratic problem; see [`Riccati::solve_lq`] for signs.
#[derive(Clone, Debug, PartialEq)]
pub struct LqSolution {
    /// `δx`, one a node.
    pub dx: Vec<DVector<f64>>,
    /// `δu`, one a node, of the last one without meaning unless it has costs of its controls.
    pub du: Vec<DVector<f64>>,
    /// `λ`, one a node: multipliers of what makes its state, of the first node of the start.
    pub costates: Vec<DVector<f64>>,
    /// `ν`, one a node: multipliers of its equalities. Those of rows that depend on others are one choice of many.
    pub multipliers: Vec<DVector<f64>>,
}

impl LqSolution {
    /// All zero, for nodes of these sizes.
    #[must_use]
    pub fn new(dims: &[Dims]) -> Self {
        let zeros = |of: fn(&Dims) -> usize| dims.iter().map(|d| DVector::zeros(of(d))).collect();
        Self { dx: zeros(|d| d.ndx), du: zeros(|d| d.nu), costates: zeros(|d| d.ndx), multipliers: zeros(|d| d.n_eq) }
    }

    fn fits(&self, dims: &[Dims]) -> Option<usize> {
        let Self { dx, du, costates, multipliers } = self;
        let n = dims.len();
        if let Some(short) = [dx.len(), du.len(), costates.len(), multipliers.len()].into_iter().find(|len| *len != n) {
            return Some(short.min(n));
        }
        let of = |k: usize| (dx[k].len(), du[k].len(), costates[k].len(), multipliers[k].len());
        (0..n).find(|k| of(*k) != (dims[*k].ndx, dims[*k].nu, dims[*k].ndx, dims[*k].n_eq))
    }
}

impl Riccati {
    /// The linear roll-out after a sweep of the same nodes, with multipliers: second half of [`Self::solve_lq`]. Allocates nothing.
    ///
    /// # Errors
    /// [`Failure::Infeasible`] if equalities cannot hold from this start.
    pub fn roll_out(&mut self, lq: &[Quadratic], gaps: &[DVector<f64>], out: &mut LqSolution) -> Result<(), Failure> {
        self.check(lq, gaps)?;
        self.begin_roll_out(gaps.first(), out)?;
        for (k, lq) in lq.iter().enumerate() {
            self.roll_out_node(k, lq, gaps.get(k), out);
        }
        Ok(())
    }

    /// The start of a roll-out that goes [node by node](Self::roll_out_node). `gap`: that of the first node.
    ///
    /// # Errors
    /// [`Failure::Infeasible`] if equalities cannot hold from this start.
    pub fn begin_roll_out(&mut self, gap: Option<&DVector<f64>>, out: &mut LqSolution) -> Result<(), Failure> {
        if let Some(node) = out.fits(&self.dims) {
            return Err(Failure::Sizes { node });
        }
        let Some(first) = self.rows.first() else { return Ok(()) };
        if !first.hold_at_start(gap.map_or(&[], |gap| gap.as_slice())) {
            return Err(Failure::Infeasible { nodes: rows::contradiction(&self.rows, 0, None), node: 0 });
        }
        // The start is given: what it must be has no say.
        self.scratch.mu[0].fill(0.0);
        out.dx[0].fill(0.0);
        Ok(())
    }

    /// One node of a roll-out, the nodes before it done.
    pub fn roll_out_node(&mut self, k: usize, lq: &Quadratic, gap: Option<&DVector<f64>>, out: &mut LqSolution) {
        let (node, rows) = (&self.nodes[k], &self.rows[k]);
        // λ = Vₓₓ y + vₓ + Eᵀ μ, with y what the dynamics give without the gap; then the gap.
        let (dx, costate) = (&mut out.dx[k], &mut out.costates[k]);
        costate.copy_from(&node.vx);
        costate.gemv(1.0, &node.vxx, dx, 1.0);
        let [mu, behind] = &mut self.scratch.mu;
        rows.add_to_costate(mu, costate.as_mut_slice());
        if let Some(gap) = gap {
            *dx += gap;
        }
        let du = &mut out.du[k];
        du.copy_from(&node.k);
        du.gemv(-1.0, &node.gain, dx, -1.0);
        let multipliers = out.multipliers[k].as_mut_slice();
        rows.forward(mu, dx.as_slice(), &mut self.scratch.w, multipliers, behind);
        std::mem::swap(mu, behind);
        if k + 1 < self.nodes.len() {
            let (before, after) = out.dx.split_at_mut(k + 1);
            after[0].gemv(1.0, &lq.a, &before[k], 0.0);
            after[0].gemv(1.0, &lq.b, du, 1.0);
        }
    }
}
