//! A problem as a sparse nonlinear program, for NLP solvers: its functions with exact first and second derivatives, and
//! their sparsity patterns.
//!
//! ```text
//! min Σ_k ℓ_k    subject to   f_k(x_k, u_k) ⊖ x̄_{k+1} − δ_{k+1} = 0 ,    x_start ⊖ x̄_0 − δ_0 = 0 ,    c_k = 0 ,    l ≤ g_k ≤ u
//! ```
//!
//! Variables are, node by node, the state and the controls, `w = (δ_0, u_0, δ_1, u_1, …, δ_N)`. States are numbers
//! around a base trajectory, `x_k = x̄_k ⊕ δ_k`. If the base is zero and configurations are vectors, they are the
//! states themselves. For joints that rotate in space everything is exact for large δ, too, as long as no joint is half
//! a turn away from its base. The base never moves.
//!
//! Rows are, node by node: the gap between the step and the next state, ndx (none at the last node); at the first node
//! the start, ndx; equalities; inequality rows. Rows of constraints that do not apply at a node are omitted. Control
//! bounds are bounds of variables. A second-order cone `t ≥ |w|` is two rows, `t ≥ 0` and `t² − |w|² ≥ 0`.
//!
//! The Lagrangian is `σ Σ ℓ + λᵀ rows`, so multipliers of gaps are the costates of [`Newton`](crate::Newton), except
//! for joints that rotate in space, whose directions are those at the base: [`Nlp::multipliers`] transforms them to the
//! state.
//!
//! J. T. Betts, *Practical Methods for Optimal Control Using Nonlinear Programming*, SIAM, 3rd edition, 2020, chapter
//! 4.

mod block;
mod chart;
mod cones;
mod evaluation;
mod layout;
mod pattern;
mod points;
#[cfg(feature = "pounce")]
mod pounce;

pub use points::NlpMultipliers;
#[cfg(feature = "pounce")]
pub use pounce::{PounceOptions, PounceReport, solve_by_pounce};

use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::trajectory::Trajectory;
use block::{Block, Spot};
use chart::Chart;
use layout::Layout;
use pattern::Pattern;
use std::fmt;

/// How large a nonlinear program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NlpDimensions {
    /// Variables.
    pub variables: usize,
    /// Rows of constraints.
    pub rows: usize,
    /// Entries of the Jacobian's pattern.
    pub jacobian: usize,
    /// Entries of the pattern of the lower triangle of the Hessian of the Lagrangian.
    pub hessian: usize,
}

/// The entries of a matrix that may differ from zero: column by column, rows ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triplets {
    /// Row of each entry, from 0.
    pub rows: Vec<usize>,
    /// Column of each entry, from 0.
    pub columns: Vec<usize>,
}

impl Triplets {
    fn push(&mut self, row: usize, column: usize) {
        self.rows.push(row);
        self.columns.push(column);
    }
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A problem as a nonlinear program, around a base trajectory.
pub struct Nlp<'p> {
    problem: &'p Problem,
    base: Trajectory,
    chart: Chart,
    layout: Vec<Layout>,
    patterns: Vec<Pattern>,
    blocks: Vec<Block>,
    memory: ProblemMemory,
    jacobian: Triplets,
    hessian: Triplets,
    /// Numbers of the start around the base.
    start: Vec<f64>,
    /// Where nodes were evaluated and differentiated last.
    valued: Vec<f64>,
    linearized: Vec<f64>,
}

impl fmt::Debug for Nlp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nlp").field("dimensions", &self.dimensions()).finish_non_exhaustive()
    }
}

impl<'p> Nlp<'p> {
    /// Around a base, a guess for example. Bounds, weights and goals are those that the problem has now.
    ///
    /// # Errors
    /// [`Fault`] if the base is not a trajectory of the problem.
    pub fn new(problem: &'p Problem, base: &Trajectory) -> Result<Self, Fault> {
        let fault = |reason| Fault { node: 0, phase: problem.phase_of(0).into(), term: None, reason: Box::new(reason) };
        if !base.fits(problem) {
            return Err(fault(Reason::SizeMismatch { what: "the base", of: "the problem" }));
        }
        let mut start = vec![0.0; problem.space().ndx()];
        problem.space().difference(base.x(0), problem.start(), &mut start).map_err(fault)?;
        let (chart, layout) = (Chart::new(problem.model()), Layout::of(problem));
        let last = problem.steps();
        let mut nlp = Self {
            blocks: layout.iter().enumerate().map(|(k, l)| Block::new(l.dims, k == last, problem.cones(k))).collect(),
            memory: problem.memory(),
            problem,
            base: base.clone(),
            chart,
            layout,
            patterns: Vec::new(),
            jacobian: Triplets::default(),
            hessian: Triplets::default(),
            start,
            valued: Vec::new(),
            linearized: Vec::new(),
        };
        for k in 0..=last {
            let Self { problem, chart, memory, base, blocks, layout, .. } = &mut nlp;
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta: &[], u: base.u(k) };
            let found = Pattern::find(problem, chart, memory, &mut blocks[k], &layout[k], at);
            nlp.patterns.push(found);
        }
        nlp.find_triplets();
        Ok(nlp)
    }

    fn find_triplets(&mut self) {
        let (mut jacobian, mut hessian) = (Triplets::default(), Triplets::default());
        for (k, (layout, pattern)) in self.layout.iter().zip(&self.patterns).enumerate() {
            let (n, height) = (layout.variables(), self.blocks[k].jacobian.nrows().max(1));
            let mut entries = pattern.jacobian.iter().peekable();
            for j in 0..n {
                let column = layout.x + j;
                let is_state = j < layout.dims.ndx;
                if is_state && k > 0 {
                    jacobian.push(self.layout[k - 1].first + j, column);
                }
                // Gaps, then the start, then constraints.
                let mut starts = is_state && layout.starts > 0;
                while let Some(place) = entries.next_if(|place| *place / height == j) {
                    let row = place % height;
                    if row >= layout.gaps && std::mem::take(&mut starts) {
                        jacobian.push(layout.first + layout.gaps + j, column);
                    }
                    jacobian.push(layout.row_of(row), column);
                }
                if starts {
                    jacobian.push(layout.first + layout.gaps + j, column);
                }
            }
            for place in &pattern.hessian {
                hessian.push(layout.x + place % n, layout.x + place / n);
            }
        }
        (self.jacobian, self.hessian) = (jacobian, hessian);
    }

    /// The problem.
    #[must_use]
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }
    /// The base of the states.
    #[must_use]
    pub fn base(&self) -> &Trajectory {
        &self.base
    }
    /// How large it is.
    #[must_use]
    pub fn dimensions(&self) -> NlpDimensions {
        NlpDimensions {
            variables: self.layout.iter().map(Layout::variables).sum(),
            rows: self.layout.iter().map(|l| l.rows).sum(),
            jacobian: self.jacobian.len(),
            hessian: self.hessian.len(),
        }
    }
    /// Of each node: variables of its state, its controls, and rows beside those of its step, the start's with the
    /// first node's.
    #[must_use]
    pub fn stages(&self) -> Vec<[usize; 3]> {
        self.layout.iter().map(|l| [l.dims.ndx, l.dims.nu, l.rows - l.gaps]).collect()
    }
    /// Entries of the Jacobian.
    #[must_use]
    pub fn jacobian_structure(&self) -> &Triplets {
        &self.jacobian
    }
    /// Entries of the lower triangle of the Hessian of the Lagrangian.
    #[must_use]
    pub fn hessian_structure(&self) -> &Triplets {
        &self.hessian
    }
    /// Whether every node has its second derivatives. Otherwise there is no [Hessian](Self::hessian).
    #[must_use]
    pub fn has_hessian(&self) -> bool {
        self.patterns.iter().all(|pattern| pattern.knows)
    }
    /// Bounds of the variables: infinite, but for controls that have some.
    pub fn variable_bounds(&self, lower: &mut [f64], upper: &mut [f64]) {
        lower.fill(f64::NEG_INFINITY);
        upper.fill(f64::INFINITY);
        for (k, layout) in self.layout.iter().enumerate() {
            if let Some((low, high)) = self.problem.node(k).control_bounds() {
                lower[layout.u..][..low.len()].copy_from_slice(low);
                upper[layout.u..][..high.len()].copy_from_slice(high);
            }
        }
    }
    /// Bounds of the rows: zero, but for those between bounds.
    pub fn row_bounds(&self, lower: &mut [f64], upper: &mut [f64]) {
        lower.fill(0.0);
        upper.fill(0.0);
        for (k, layout) in self.layout.iter().enumerate() {
            let [low, high] = layout::bounds(self.problem, k, layout.dims.n_in);
            let before = layout.gaps + layout.dims.n_eq;
            for (i, row) in layout.held.iter().enumerate().skip(layout.equalities) {
                lower[layout.held_row(i)] = low[row - before];
                upper[layout.held_row(i)] = high[row - before];
            }
        }
    }

    fn fault(&self, k: usize, reason: Reason) -> Fault {
        Fault { node: k, phase: self.problem.phase_of(k).into(), term: None, reason: Box::new(reason) }
    }
}

/// The base of the next node, if there is one.
fn next_of(base: &Trajectory, k: usize) -> &[f64] {
    if k < base.steps() { base.x(k + 1) } else { &[] }
}
