//! The forward pass: the step itself, and all multipliers.

use super::equality_constrained::{self as equalities, Rows};
use super::{Failure, Regularization, Riccati, Right, Stagewise};
use crate::dense::{add, dot};
use crate::quadratic::{Dims, Quadratic};
use nalgebra::{DMatrix, DVector};

/// The solution of a linear-quadratic problem; see [`Riccati::solve_lq`] for signs.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The linear roll-out after a sweep of the same nodes, with multipliers: second half of [`Self::solve_lq`].
    /// Allocates nothing.
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
            return Err(Failure::Infeasible { nodes: equalities::contradiction(&self.rows, 0, None), node: 0 });
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

    /// The roll-out of a correction, with the right-hand sides that are there.
    fn forth(&mut self, lq: &[Quadratic], out: &mut LqSolution) -> Result<(), Failure> {
        for (k, lq) in lq.iter().enumerate() {
            // An empty vector in its place meanwhile.
            let gap = std::mem::replace(&mut self.right[k].gap, DVector::zeros(0));
            let begun = if k == 0 { self.begin_roll_out(Some(&gap), out) } else { Ok(()) };
            if begun.is_ok() {
                self.roll_out_node(k, lq, Some(&gap), out);
            }
            self.right[k].gap = gap;
            begun?;
        }
        Ok(())
    }

    /// Corrects a solution while that makes the conditions of optimality hold better.
    pub(super) fn refine(&mut self, lq: &[Quadratic], gaps: &[DVector<f64>], by: Regularization, out: &mut LqSolution) {
        if lq.is_empty() {
            return;
        }
        let mut left = self.residual(lq, gaps, by, out);
        for _ in 0..CORRECTIONS {
            if left <= EXACT {
                return;
            }
            self.refinement.save(&self.nodes, &self.rows);
            let mut correction = std::mem::take(&mut self.refinement.correction);
            // Residuals of rows that depend on others need not agree: then it stays as it is.
            let found = self.back(lq.len() - 1, lq, true, by.primal).is_ok() && self.forth(lq, &mut correction).is_ok();
            let mut better = false;
            if found {
                add_solution(1.0, &correction, out);
                let after = self.residual(lq, gaps, by, out);
                better = after < left;
                if !better {
                    add_solution(-1.0, &correction, out);
                }
                left = after;
            }
            self.refinement.correction = correction;
            self.refinement.put_back(better, &mut self.nodes, &mut self.rows);
            if !better {
                return;
            }
        }
    }

    /// What is left of the conditions of optimality, into the right-hand sides; the largest entry, relative to the
    /// terms it is the sum of.
    fn residual(&mut self, lq: &[Quadratic], gaps: &[DVector<f64>], by: Regularization, at: &LqSolution) -> f64 {
        let term = &mut self.refinement.term;
        let mut largest: f64 = 0.0;
        let mut before = &lq[0];
        for (k, lq) in lq.iter().enumerate() {
            self.right[k].copy_from(lq, gaps.get(k));
            let Right { lx, lu, eq, gap } = &mut self.right[k];
            let (dx, du, nu) = (&at.dx[k], &at.du[k], &at.multipliers[k]);
            let mut sizes = [&*lx, &*lu, &*eq, &*gap].map(largest_of);
            let [x, u, c, d] = &mut sizes;
            *x += add_product(&lq.lxx, dx, term, lx) + add_product(&lq.lxu, du, term, lx);
            *x += add_transposed(&lq.eq_x, nu, lx) + largest_of(&at.costates[k]);
            lx.axpy(by.primal, dx, 1.0);
            *lx -= &at.costates[k];
            *u += add_transposed(&lq.lxu, dx, lu) + add_product(&lq.luu, du, term, lu);
            *u += add_transposed(&lq.eq_u, nu, lu);
            lu.axpy(by.primal, du, 1.0);
            *c += add_product(&lq.eq_x, dx, term, eq) + add_product(&lq.eq_u, du, term, eq);
            eq.axpy(-by.dual, nu, 1.0);
            *d += largest_of(dx);
            *gap -= dx;
            if let Some(costate) = at.costates.get(k + 1) {
                *x += add_transposed(&lq.a, costate, lx);
                *u += add_transposed(&lq.b, costate, lu);
            }
            if k > 0 {
                let (x, u) = (&at.dx[k - 1], &at.du[k - 1]);
                *d += add_product(&before.a, x, term, gap) + add_product(&before.b, u, term, gap);
            }
            before = lq;
            for (part, size) in [&*lx, &*lu, &*eq, &*gap].into_iter().zip(sizes) {
                if size > 0.0 {
                    largest = largest.max(largest_of(part) / size);
                }
            }
        }
        largest
    }
}

/// At most so many corrections: each gains as many digits as the sweep has.
const CORRECTIONS: usize = 3;

/// Conditions that hold to this share of their terms hold to rounding.
const EXACT: f64 = 1e-14;

/// Memory for corrections.
#[derive(Debug)]
pub(super) struct Refinement {
    correction: LqSolution,
    saved: Vec<Saved>,
    term: Vec<f64>,
}

/// What of a node depends on right-hand sides.
#[derive(Debug)]
struct Saved {
    vectors: [DVector<f64>; 4],
    rows: [Vec<f64>; 2],
}

impl Refinement {
    pub(super) fn new(dims: &[Dims], rows: &[Rows]) -> Self {
        let saved = dims.iter().zip(rows).map(|(d, rows)| Saved {
            vectors: [d.nu, d.nu, d.nu, d.ndx].map(DVector::zeros),
            rows: [rows.e.clone(), rows.n.clone()],
        });
        let most = dims.iter().flat_map(|d| [d.ndx, d.nu, d.n_eq]).max().unwrap_or(0);
        Self { correction: LqSolution::new(dims), saved: saved.collect(), term: vec![0.0; most] }
    }

    fn save(&mut self, nodes: &[Stagewise], rows: &[Rows]) {
        for ((saved, node), rows) in self.saved.iter_mut().zip(nodes).zip(rows) {
            for (to, from) in saved.vectors.iter_mut().zip([&node.k, &node.qu, &node.quu_k, &node.vx]) {
                to.copy_from(from);
            }
            for (to, from) in saved.rows.iter_mut().zip([&rows.e, &rows.n]) {
                to.copy_from_slice(from);
            }
        }
    }

    /// What was saved, with what is there if that is a correction of it.
    fn put_back(&self, add: bool, nodes: &mut [Stagewise], rows: &mut [Rows]) {
        let share = f64::from(u8::from(add));
        for ((saved, node), rows) in self.saved.iter().zip(nodes).zip(rows) {
            let vectors = [&mut node.k, &mut node.qu, &mut node.quu_k, &mut node.vx];
            for (to, from) in vectors.into_iter().zip(&saved.vectors) {
                to.axpy(1.0, from, share);
            }
            for (to, from) in [&mut rows.e, &mut rows.n].into_iter().zip(&saved.rows) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = share * *to + from);
            }
        }
    }
}

/// `to += s from`
fn add_solution(s: f64, from: &LqSolution, to: &mut LqSolution) {
    let LqSolution { dx, du, costates, multipliers } = to;
    let parts = [(dx, &from.dx), (du, &from.du), (costates, &from.costates), (multipliers, &from.multipliers)];
    for (to, from) in parts.into_iter().flat_map(|(to, from)| to.iter_mut().zip(from)) {
        to.axpy(s, from, 1.0);
    }
}

/// `to += m x`; the largest entry of the product.
fn add_product(m: &DMatrix<f64>, x: &DVector<f64>, term: &mut [f64], to: &mut DVector<f64>) -> f64 {
    let term = &mut term[..to.len()];
    term.fill(0.0);
    for (x, column) in x.iter().zip(m.column_iter()) {
        add(*x, column.as_slice(), term);
    }
    add(1.0, term, to.as_mut_slice());
    term.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// `to += mᵀ x`; the largest entry of the product.
fn add_transposed(m: &DMatrix<f64>, x: &DVector<f64>, to: &mut DVector<f64>) -> f64 {
    let mut most: f64 = 0.0;
    for (to, column) in to.iter_mut().zip(m.column_iter()) {
        let product = dot(column.as_slice(), x.as_slice());
        *to += product;
        most = most.max(product.abs());
    }
    most
}

fn largest_of(x: &DVector<f64>) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}
