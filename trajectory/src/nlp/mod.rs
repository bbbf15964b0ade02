//! A problem as a sparse nonlinear program, for solvers of those: its functions with exact first and second derivatives, and the
//! patterns of them.
//!
//! ```text
//! min Σ_k ℓ_k    subject to   f_k(x_k, u_k) ⊖ x̄_{k+1} − δ_{k+1} = 0 ,    x_start ⊖ x̄_0 − δ_0 = 0 ,    c_k = 0 ,    l ≤ g_k ≤ u
//! ```
//!
//! Variables are, node by node, the state and the controls, `w = (δ_0, u_0, δ_1, u_1, …, δ_N)`. States are numbers around a base
//! trajectory, `x_k = x̄_k ⊕ δ_k`: with a base of zeros, and joints whose configurations are numbers, they are the states themselves; of
//! joints that turn in space all is exact where δ is not small, too, as long as no joint is half a turn away from its base. The base
//! never moves.
//!
//! Rows are, node by node: what the step leaves to the next state, ndx (none at the last node); of the first node the start, ndx;
//! equalities; rows between bounds. Rows of constraints that do not count at a node are left out. Bounds of controls are bounds of
//! variables.
//!
//! The Lagrangian is `σ Σ ℓ + λᵀ rows`, so that multipliers of gaps are the costates of [`Newton`](crate::Newton), but for joints that
//! turn in space, whose directions are those at the base: [`Nlp::multipliers`] takes them to the state.
//!
//! J. T. Betts, *Practical Methods for Optimal Control Using Nonlinear Programming*, SIAM, 3rd edition, 2020, chapter 4.

mod block;
mod chart;
mod layout;
mod pattern;
#[cfg(feature = "pounce")]
mod pounce;

#[cfg(feature = "pounce")]
pub use pounce::{PounceOptions, PounceReport, solve_by_pounce};

use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::Multipliers;
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
    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Multipliers of a program as those of a problem's nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NlpMultipliers {
    /// λ of the start, along the directions of the first state, ndx.
    pub start: Vec<f64>,
    /// Of each node: of its step, along the directions of the next state, of its equalities, and of its rows between bounds. Zero for
    /// those that do not count.
    pub nodes: Vec<Multipliers>,
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
    /// [`Fault`] if the base is none of the problem's, or a node cannot say its pattern.
    pub fn new(problem: &'p Problem, base: &Trajectory) -> Result<Self, Fault> {
        let fault =
            |reason| Fault { node: 0, phase: problem.phase_of(0).into(), term: None, reason: Box::new(reason) };
        if !base.fits(problem) {
            return Err(fault(Reason::Other("the base has other sizes than the problem".into())));
        }
        let mut start = vec![0.0; problem.space().ndx()];
        problem.space().difference(base.x(0), problem.start(), &mut start).map_err(fault)?;
        let (chart, layout) = (Chart::new(problem.model()), Layout::of(problem));
        let last = problem.steps();
        let mut nlp = Self {
            blocks: layout.iter().enumerate().map(|(k, l)| Block::new(l.dims, k == last)).collect(),
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
            let found = Pattern::find(problem, chart, memory, &mut blocks[k], &layout[k], at)?;
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
    /// Of each node: variables of its state, its controls, and rows beside those of its step, the start's with the first node's.
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
    /// Does every node know its second derivatives? Where one does not, there is no [Hessian](Self::hessian).
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

    /// The variables of a trajectory.
    ///
    /// # Errors
    /// [`Fault`] where a state is half a turn away from the base.
    pub fn variables(&self, at: &Trajectory, w: &mut [f64]) -> Result<(), Fault> {
        let space = self.problem.space();
        for (k, layout) in self.layout.iter().enumerate() {
            let (x, u) = w[layout.x..][..layout.variables()].split_at_mut(layout.dims.ndx);
            space.difference(self.base.x(k), at.x(k), x).map_err(|reason| self.fault(k, reason))?;
            u.copy_from_slice(at.u(k));
        }
        Ok(())
    }
    /// The trajectory of variables.
    ///
    /// # Errors
    /// [`Fault`] where a number is not finite.
    pub fn trajectory(&self, w: &[f64]) -> Result<Trajectory, Fault> {
        let space = self.problem.space();
        let mut at = self.base.clone();
        for (k, layout) in self.layout.iter().enumerate() {
            let (x, u) = w[layout.x..][..layout.variables()].split_at(layout.dims.ndx);
            space.integrate(self.base.x(k), x, at.x_mut(k)).map_err(|reason| self.fault(k, reason))?;
            at.u_mut(k).copy_from_slice(u);
        }
        Ok(at)
    }
    /// The multipliers of rows at w as those of nodes, along the directions of their states.
    ///
    /// # Errors
    /// [`Fault`] where a joint is a whole turn away from the base.
    pub fn multipliers(&self, w: &[f64], lambda: &[f64]) -> Result<NlpMultipliers, Fault> {
        let last = self.problem.steps();
        let mut nodes = Vec::new();
        let first = &self.layout[0];
        let mut start = lambda[first.first + first.gaps..][..first.starts].to_vec();
        self.turn(0, w, &mut start, true)?;
        for (k, layout) in self.layout.iter().enumerate() {
            let mut of = Multipliers::new(layout.dims, k == last);
            let mut block = vec![0.0; of.next.len() + of.eq.len() + of.ineq.len()];
            layout.of_block(lambda, &mut block);
            let (next, rest) = block.split_at(of.next.len());
            of.next.copy_from_slice(next);
            of.eq.copy_from_slice(&rest[..of.eq.len()]);
            of.ineq.copy_from_slice(&rest[of.eq.len()..]);
            if k < last {
                self.turn(k + 1, w, of.next.as_mut_slice(), true)?;
            }
            nodes.push(of);
        }
        Ok(NlpMultipliers { start, nodes })
    }
    /// The multipliers of nodes as those of rows at w: the inverse of [`multipliers`](Self::multipliers).
    ///
    /// # Errors
    /// [`Fault`] where a joint is a whole turn away from the base.
    pub fn row_multipliers(&self, w: &[f64], of: &NlpMultipliers, lambda: &mut [f64]) -> Result<(), Fault> {
        let last = self.problem.steps();
        for (k, (layout, of_node)) in self.layout.iter().zip(&of.nodes).enumerate() {
            let mut next = of_node.next.as_slice().to_vec();
            if k < last {
                self.turn(k + 1, w, &mut next, false)?;
            }
            lambda[layout.first..][..layout.gaps].copy_from_slice(&next);
            if k == 0 {
                let start = &mut lambda[layout.first + layout.gaps..][..layout.starts];
                start.copy_from_slice(&of.start);
                self.turn(0, w, start, false)?;
            }
            let rows: Vec<f64> = of_node.eq.iter().chain(of_node.ineq.iter()).copied().collect();
            for (i, row) in layout.held.iter().enumerate() {
                lambda[layout.held_row(i)] = rows[row - layout.gaps];
            }
        }
        Ok(())
    }

    /// Multipliers of what makes a node's state: from the base's directions to those of the state, or back.
    fn turn(&self, k: usize, w: &[f64], lambda: &mut [f64], to_state: bool) -> Result<(), Fault> {
        let delta = &w[self.layout[k].x..][..self.layout[k].dims.ndx];
        let frames = if to_state { self.chart.inverse_frames(delta) } else { self.chart.frames(delta) };
        self.chart.pull(&frames.map_err(|reason| self.fault(k, reason))?, lambda);
        Ok(())
    }

    /// The objective.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn objective(&mut self, w: &[f64]) -> Result<f64, Fault> {
        self.evaluate(w)?;
        Ok(self.blocks.iter().map(|block| block.cost).sum())
    }
    /// The rows.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn constraints(&mut self, w: &[f64], rows: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(w)?;
        for (k, (layout, block)) in self.layout.iter().zip(&self.blocks).enumerate() {
            for i in 0..layout.gaps {
                rows[layout.first + i] = block.rows[i] - w[self.layout[k + 1].x + i];
            }
            for i in 0..layout.starts {
                rows[layout.first + layout.gaps + i] = self.start[i] - w[layout.x + i];
            }
            for (i, row) in layout.held.iter().enumerate() {
                rows[layout.held_row(i)] = block.rows[*row];
            }
        }
        Ok(())
    }
    /// The gradient of the objective.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn gradient(&mut self, w: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        self.linearize(w)?;
        for (layout, block) in self.layout.iter().zip(&self.blocks) {
            out[layout.x..][..layout.variables()].copy_from_slice(&block.gradient);
        }
        Ok(())
    }
    /// Values of the Jacobian's entries.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry; also if an entry outside of the pattern is not zero.
    pub fn jacobian(&mut self, w: &[f64], values: &mut [f64]) -> Result<(), Fault> {
        self.linearize(w)?;
        // All that is not in a block is the derivative of −δ.
        values.fill(-1.0);
        let mut at = 0;
        for (k, (layout, pattern)) in self.layout.iter().zip(&self.patterns).enumerate() {
            let (block, height) = (&self.blocks[k].jacobian, self.blocks[k].jacobian.nrows().max(1));
            self.stays_zero(k, block.as_slice(), &pattern.rest[0])?;
            for place in &pattern.jacobian {
                let (row, column) = (layout.row_of(place % height), layout.x + place / height);
                while (self.jacobian.rows[at], self.jacobian.columns[at]) != (row, column) {
                    at += 1;
                }
                values[at] = block.as_slice()[*place];
                at += 1;
            }
        }
        Ok(())
    }
    /// Values of the entries of the Hessian of `σ objective + λᵀ rows`.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry; also if an entry outside of the pattern is not zero, or a node does not know its second
    /// derivatives.
    pub fn hessian(&mut self, w: &[f64], sigma: f64, lambda: &[f64], values: &mut [f64]) -> Result<(), Fault> {
        let mut first = 0;
        for k in 0..self.layout.len() {
            let Self { problem, base, chart, layout, patterns, blocks, memory, .. } = self;
            let (layout, block) = (&layout[k], &mut blocks[k]);
            let (delta, u) = w[layout.x..][..layout.variables()].split_at(layout.dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            let mut own = vec![0.0; block.rows.len()];
            layout.of_block(lambda, &mut own);
            if !block.bend(problem, chart, memory, at, (sigma, &own))? {
                let reason = Reason::Other("this node does not know its second derivatives".into());
                return Err(self.fault(k, reason));
            }
            let places = &patterns[k].hessian;
            for (to, place) in values[first..].iter_mut().zip(places) {
                *to = block.hessian.as_slice()[*place];
            }
            first += places.len();
            self.stays_zero(k, self.blocks[k].hessian.as_slice(), &self.patterns[k].rest[1])?;
        }
        // What a turning step reaches has been written over.
        self.valued.clear();
        Ok(())
    }

    fn fault(&self, k: usize, reason: Reason) -> Fault {
        Fault { node: k, phase: self.problem.phase_of(k).into(), term: None, reason: Box::new(reason) }
    }

    /// What is outside of the pattern may only be off by rounding.
    fn stays_zero(&self, k: usize, block: &[f64], rest: &[usize]) -> Result<(), Fault> {
        let size = || block.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        match rest.iter().find(|place| block[**place] != 0.0 && block[**place].abs() > ROUNDING * size()) {
            None => Ok(()),
            Some(place) => {
                let what = format!("an entry outside of the pattern is {:e}", block[*place]);
                Err(self.fault(k, Reason::Other(what)))
            }
        }
    }

    fn evaluate(&mut self, w: &[f64]) -> Result<(), Fault> {
        if self.valued == w {
            return Ok(());
        }
        self.valued.clear();
        for k in 0..self.layout.len() {
            let Self { problem, base, layout, blocks, memory, .. } = self;
            let (delta, u) = w[layout[k].x..][..layout[k].variables()].split_at(layout[k].dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            blocks[k].value(problem, memory, at)?;
        }
        self.valued.extend_from_slice(w);
        Ok(())
    }
    fn linearize(&mut self, w: &[f64]) -> Result<(), Fault> {
        if self.linearized == w {
            return Ok(());
        }
        self.linearized.clear();
        self.valued.clear();
        for k in 0..self.layout.len() {
            let Self { problem, base, chart, layout, blocks, memory, .. } = self;
            let (delta, u) = w[layout[k].x..][..layout[k].variables()].split_at(layout[k].dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            blocks[k].linearize(problem, chart, memory, at)?;
        }
        self.linearized.extend_from_slice(w);
        self.valued.extend_from_slice(w);
        Ok(())
    }
}

/// Entries outside of a pattern may be this small beside the largest of their block.
const ROUNDING: f64 = 1e-10;

/// The base of the next node, if there is one.
fn next_of(base: &Trajectory, k: usize) -> &[f64] {
    if k < base.steps() { base.x(k + 1) } else { &[] }
}
