//! The linear-quadratic kernel: the optimal step of a trajectory to second order, by one sweep from the end to the
//! start.
//!
//! With the value function `V(δx) = ½ δxᵀ Vₓₓ δx + vₓᵀ δx` of the following nodes, at a node:
//!
//! ```text
//! Qₓ  = lₓ + Aᵀ vₓ⁺        Qₓₓ = lₓₓ + Aᵀ Vₓₓ⁺ A
//! Qᵤ  = lᵤ + Bᵀ vₓ⁺        Qₓᵤ = lₓᵤ + Aᵀ Vₓₓ⁺ B        Qᵤᵤ = lᵤᵤ + Bᵀ Vₓₓ⁺ B + δ I
//! k = Qᵤᵤ⁻¹ Qᵤ             K = Qᵤᵤ⁻¹ Qₓᵤᵀ               δu = −k − K δx
//! vₓ = Qₓ − Kᵀ Qᵤ          Vₓₓ = Qₓₓ − Qₓᵤ K + δ I
//! ```
//!
//! and, since a gap `d = f(x, u) ⊖ x⁺` moves the next state, `vₓ := vₓ + Vₓₓ d` before it is passed to the previous
//! node. A [`Regularization`] adds δ to the second derivatives by all states and controls, and softens equalities: see
//! [`Riccati::solve_lq`].
//!
//! D. Mayne (1966); C. Mastalli et al., *Crocoddyl*, ICRA 2020, section II.

mod box_qp;
mod equality_constrained;
mod failure;
mod reference;
mod solution;
mod structured;
#[cfg(test)]
mod tests;
mod vectorized;

pub use failure::Failure;
pub use solution::LqSolution;

use crate::dense::{add_matrix_times, is_finite};
use crate::quadratic::{Dims, Quadratic};
use box_qp::BoxQp;
use equality_constrained::{self as equalities, Rows, Wrong};
use nalgebra::{DMatrix, DVector};
use solution::Refinement;
use vectorized::Vectorized;

/// What the sweep finds at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Stagewise {
    /// `k`, nu.
    pub k: DVector<f64>,
    /// `K`, nu × ndx.
    pub gain: DMatrix<f64>,
    /// `Qᵤ`, nu.
    pub qu: DVector<f64>,
    /// `Qᵤᵤ k`, nu.
    pub quu_k: DVector<f64>,
    /// `vₓ`, ndx, with the gap.
    pub vx: DVector<f64>,
    /// `Vₓₓ`, ndx × ndx, symmetric.
    pub vxx: DMatrix<f64>,
}

/// What is added to the problem so that its solution exists and is unique.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Regularization {
    /// δ, not negative: cost `½ δ (|δx|² + |δu|²)` at every node.
    pub primal: f64,
    /// `δ_c`, not negative. Zero: equalities hold; those that depend on others must agree with them. Above zero:
    /// `C δx + D δu + c = δ_c ν`, whatever their rank; `ν` is the multiplier.
    pub dual: f64,
}

/// The sweep of a trajectory, with memory.
#[derive(Debug)]
pub struct Riccati {
    /// One a node, the last one included.
    pub nodes: Vec<Stagewise>,
    rows: Vec<Rows>,
    dims: Vec<Dims>,
    dual: f64,
    right: Vec<Right>,
    refinement: Refinement,
    scratch: equalities::Scratch,
    /// Of nodes of one size each.
    sizes: Vec<(Vectorized, Quadratics, BoxQp)>,
}

/// What is not multiplied by steps: of a node as it is given, or of a correction.
#[derive(Clone, Debug)]
struct Right {
    lx: DVector<f64>,
    lu: DVector<f64>,
    eq: DVector<f64>,
    gap: DVector<f64>,
}

impl Right {
    fn new(d: &Dims) -> Self {
        Self {
            lx: DVector::zeros(d.ndx),
            lu: DVector::zeros(d.nu),
            eq: DVector::zeros(d.n_eq),
            gap: DVector::zeros(d.ndx),
        }
    }
    fn copy_from(&mut self, lq: &Quadratic, gap: Option<&DVector<f64>>) {
        self.lx.copy_from(&lq.lx);
        self.lu.copy_from(&lq.lu);
        self.eq.copy_from(&lq.eq);
        self.set_gap(gap);
    }
    fn set_gap(&mut self, gap: Option<&DVector<f64>>) {
        match gap {
            Some(gap) => self.gap.copy_from(gap),
            None => self.gap.fill(0.0),
        }
    }
}

/// A node's cost with what lies behind it, to second order: `Q` of the equations above.
#[derive(Debug)]
struct Quadratics {
    x: DVector<f64>,
    u: DVector<f64>,
    xx: DMatrix<f64>,
    xu: DMatrix<f64>,
    uu: DMatrix<f64>,
}

impl Quadratics {
    fn new(ndx: usize, nu: usize) -> Self {
        Self {
            x: DVector::zeros(ndx),
            u: DVector::zeros(nu),
            xx: DMatrix::zeros(ndx, ndx),
            xu: DMatrix::zeros(ndx, nu),
            uu: DMatrix::zeros(nu, nu),
        }
    }
}

impl Riccati {
    /// For nodes of these sizes, the last one included. Controls of the last one, where there are any, only
    /// have their costs.
    #[must_use]
    pub fn new(dims: &[Dims]) -> Self {
        let node = |d: &Dims| Stagewise {
            k: DVector::zeros(d.nu),
            gain: DMatrix::zeros(d.nu, d.ndx),
            qu: DVector::zeros(d.nu),
            quu_k: DVector::zeros(d.nu),
            vx: DVector::zeros(d.ndx),
            vxx: DMatrix::zeros(d.ndx, d.ndx),
        };
        let mut sizes: Vec<(Vectorized, Quadratics, BoxQp)> = Vec::new();
        for (k, d) in dims.iter().enumerate() {
            let behind = dims.get(k + 1).map_or(0, |d| d.ndx);
            if !sizes.iter().any(|(fast, ..)| fast.fits(d.ndx, d.nu, behind)) {
                sizes.push((Vectorized::new(d.ndx, d.nu, behind), Quadratics::new(d.ndx, d.nu), BoxQp::new(d.nu)));
            }
        }
        let rows = equalities::rows(dims);
        Self {
            nodes: dims.iter().map(node).collect(),
            scratch: equalities::Scratch::new(dims, &rows),
            refinement: Refinement::new(dims, &rows),
            rows,
            dims: dims.to_vec(),
            dual: 0.0,
            right: dims.iter().map(Right::new).collect(),
            sizes,
        }
    }

    /// From the end to the start. `gaps`: of each node, ndx numbers, or empty where all are closed. `delta`: added to
    /// the diagonals of `Qᵤᵤ` and `Vₓₓ`. Equalities hold. Allocates nothing.
    ///
    /// # Errors
    /// [`Failure`], with the node where it had to stop.
    pub fn sweep(&mut self, lq: &[Quadratic], gaps: &[DVector<f64>], delta: f64) -> Result<(), Failure> {
        self.sweep_with(lq, gaps, Regularization { primal: delta, dual: 0.0 })
    }

    /// The same, with equalities soft if asked for.
    ///
    /// # Errors
    /// [`Failure`], with the node where it had to stop.
    pub fn sweep_with(
        &mut self,
        lq: &[Quadratic],
        gaps: &[DVector<f64>],
        regularization: Regularization,
    ) -> Result<(), Failure> {
        self.dual = regularization.dual;
        self.resume_from(self.nodes.len().saturating_sub(1), lq, gaps, regularization.primal)
    }

    /// Goes on from a node to the start with another `delta`: nodes behind it keep what they have, that `delta` of
    /// theirs included. So after [`Failure::Indefinite`] the nodes that were done need not be done again. Equalities
    /// stay as hard or soft as they were.
    ///
    /// # Errors
    /// [`Failure`], with the node where it had to stop.
    pub fn resume_from(
        &mut self,
        node: usize,
        lq: &[Quadratic],
        gaps: &[DVector<f64>],
        delta: f64,
    ) -> Result<(), Failure> {
        self.check(lq, gaps)?;
        for (k, (right, lq)) in self.right.iter_mut().zip(lq).enumerate() {
            right.copy_from(lq, gaps.get(k));
        }
        self.back(node, lq, !gaps.is_empty(), delta)
    }

    /// From a node to the start, with the right-hand sides that are there.
    fn back(&mut self, node: usize, lq: &[Quadratic], moves: bool, delta: f64) -> Result<(), Failure> {
        (0..self.nodes.len().min(node + 1)).rev().try_for_each(|k| self.node_done(k, &lq[k], moves, delta))
    }

    /// How soft equalities are in the sweeps that go [node by node](Self::sweep_node): `δ_c`, not negative.
    pub fn soften(&mut self, dual: f64) {
        self.dual = dual;
    }

    /// One node of a sweep, the node behind it done: for those who have derivatives of nodes one after the other. The
    /// sweep begins with the last node.
    ///
    /// # Errors
    /// [`Failure`]
    pub fn sweep_node(
        &mut self,
        node: usize,
        lq: &Quadratic,
        gap: Option<&DVector<f64>>,
        delta: f64,
    ) -> Result<(), Failure> {
        if !(node < self.nodes.len() && self.fits(node, lq, gap)) {
            return Err(Failure::Sizes { node });
        }
        self.right[node].copy_from(lq, gap);
        self.node_done(node, lq, gap.is_some(), delta)
    }

    /// [`sweep_node`](Self::sweep_node), of a node without equalities, with bounds of `δu`: `k` is the best step
    /// between them at `δx = 0`, `K` moves the controls that are at none of them, and `Qᵤ` of the others is zero.
    ///
    /// # Errors
    /// [`Failure`]
    pub fn sweep_node_in_box(
        &mut self,
        node: usize,
        lq: &Quadratic,
        gap: Option<&DVector<f64>>,
        delta: f64,
        (lower, upper): (&[f64], &[f64]),
    ) -> Result<(), Failure> {
        let fits = |x: &[f64]| x.len() == lq.lu.len();
        if !(node < self.nodes.len() && self.fits(node, lq, gap) && fits(lower) && fits(upper)) {
            return Err(Failure::Sizes { node });
        }
        let indefinite = || Failure::Indefinite { node };
        self.right[node].copy_from(lq, gap);
        let (here, behind) = self.nodes.split_at_mut(node + 1);
        let (here, next) = (&mut here[node], behind.first());
        let behind = next.map_or(0, |next| next.vx.len());
        let size = self.sizes.iter_mut().find(|(fast, ..)| fast.fits(lq.lx.len(), lq.lu.len(), behind));
        let (fast, q, boxed) = size.ok_or(Failure::Sizes { node })?;
        fast.assemble(lq, &self.right[node], next, delta);
        fast.write(q);
        box_qp::eliminate(q, boxed, (lower, upper), here).ok_or_else(indefinite)?;
        self.rows[node].clear();
        hand_on(here, gap, delta).ok_or_else(indefinite)
    }

    fn node_done(&mut self, k: usize, lq: &Quadratic, moves: bool, delta: f64) -> Result<(), Failure> {
        self.step(k, lq, moves, delta).map_err(|wrong| match wrong {
            Wrong::Indefinite => Failure::Indefinite { node: k },
            Wrong::Infeasible(place) => {
                Failure::Infeasible { nodes: equalities::contradiction(&self.rows, k, Some(place)), node: k }
            }
        })
    }

    fn check(&self, lq: &[Quadratic], gaps: &[DVector<f64>]) -> Result<(), Failure> {
        let n = self.nodes.len();
        if lq.len() != n || !(gaps.is_empty() || gaps.len() == n) {
            return Err(Failure::Sizes { node: lq.len().min(n) });
        }
        let wrong = (0..n).find(|k| !self.fits(*k, &lq[*k], gaps.get(*k)));
        wrong.map_or(Ok(()), |node| Err(Failure::Sizes { node }))
    }

    fn fits(&self, k: usize, lq: &Quadratic, gap: Option<&DVector<f64>>) -> bool {
        let Dims { ndx, nu, n_eq, .. } = self.dims[k];
        let behind = self.dims.get(k + 1).map(|d| d.ndx);
        lq.lx.len() == ndx
            && lq.lu.len() == nu
            && lq.lxx.shape() == (ndx, ndx)
            && lq.lxu.shape() == (ndx, nu)
            && lq.luu.shape() == (nu, nu)
            && lq.eq.len() == n_eq
            && lq.eq_x.shape() == (n_eq, ndx)
            && lq.eq_u.shape() == (n_eq, nu)
            && behind.is_none_or(|rows| lq.a.shape() == (rows, ndx) && lq.b.shape() == (rows, nu))
            && gap.is_none_or(|gap| gap.len() == ndx)
    }

    fn step(&mut self, k: usize, lq: &Quadratic, moves: bool, delta: f64) -> Result<(), Wrong> {
        let (here, behind) = self.nodes.split_at_mut(k + 1);
        let (rows, rows_behind) = self.rows.split_at_mut(k + 1);
        let (here, next, rows, rows_behind) = (&mut here[k], behind.first(), &mut rows[k], rows_behind.first());
        let (ndx, nu, right) = (lq.lx.len(), lq.lu.len(), &self.right[k]);
        let gap = moves.then_some(&right.gap);
        let behind = next.map_or(0, |next| next.vx.len());
        let size = self.sizes.iter_mut().find(|(fast, ..)| fast.fits(ndx, nu, behind));
        let (fast, q, _) = size.ok_or(Wrong::Indefinite)?;
        fast.assemble(lq, right, next, delta);
        let constrained = !lq.eq.is_empty() || rows_behind.is_some_and(|rows| rows.rank > 0);
        if constrained {
            fast.write(q);
        }
        if constrained && self.dual > 0.0 {
            equalities::soft(lq, &right.eq, q, self.dual, (here, rows), &mut self.scratch)?;
        } else if constrained {
            equalities::hard(lq, &right.eq, q, rows_behind, (here, rows), &mut self.scratch)?;
        } else {
            fast.eliminate(here).ok_or(Wrong::Indefinite)?;
            rows.clear();
        }
        hand_on(here, gap, delta).ok_or(Wrong::Indefinite)?;
        if let Some(gap) = gap {
            rows.move_by(gap.as_slice());
        }
        Ok(())
    }

    /// The linear-quadratic problem as a whole: [sweep](Self::sweep_with), then the roll-out of its linear dynamics,
    ///
    /// ```text
    /// δx₀ = gap₀ ,   δu = −k − K δx ,   δx⁺ = A δx + B δu + gap⁺
    /// ```
    ///
    /// with multipliers of `min Σ ℓ + ½ δ |δx|² + ½ δ |δu|²` under these equations and `C δx + D δu + c = δ_c ν`, signs
    /// as in
    ///
    /// ```text
    /// L = Σ ℓ + λ⁺ᵀ (A δx + B δu + gap⁺ − δx⁺) + νᵀ (C δx + D δu + c) − ½ δ_c νᵀ ν
    /// ```
    ///
    /// Where a control is left hardly any way to fulfil its row, elimination loses digits. So the conditions of
    /// optimality are looked at, and the solution is corrected by another sweep if they do not hold to rounding.
    ///
    /// # Errors
    /// [`Failure`]: the node where the sweep had to stop, or the nodes whose equalities cannot hold together from this
    /// start.
    pub fn solve_lq(
        &mut self,
        lq: &[Quadratic],
        gaps: &[DVector<f64>],
        regularization: Regularization,
        out: &mut LqSolution,
    ) -> Result<(), Failure> {
        self.sweep_with(lq, gaps, regularization)?;
        self.roll_out(lq, gaps, out)?;
        self.refine(lq, gaps, regularization, out);
        Ok(())
    }
}

/// Regularizes the value function and moves it by the gap. `None` if it is not finite.
fn hand_on(here: &mut Stagewise, gap: Option<&DVector<f64>>, delta: f64) -> Option<()> {
    for i in 0..here.vxx.nrows() {
        here.vxx[(i, i)] += delta;
    }
    if let Some(gap) = gap {
        add_matrix_times(here.vxx.as_slice(), gap.as_slice(), here.vx.as_mut_slice());
    }
    (is_finite(here.vx.as_slice()) && is_finite(here.vxx.as_slice())).then_some(())
}
