//! The positions of each node's numbers among the variables and the rows of the program.

use super::cones::Cones;
use crate::node::ConstraintRow;
use crate::problem::Problem;
use crate::quadratic::Dims;

/// Of one node: first its state, then its controls, among the variables; among the rows first what its step leaves to
/// the next state, of the first node the start, then equalities, then rows between bounds, those that count.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) dims: Dims,
    /// First variables of state and controls.
    pub(super) x: usize,
    pub(super) u: usize,
    /// Its first row, and how many it has.
    pub(super) first: usize,
    pub(super) rows: usize,
    /// Entries of gaps: none at the last node.
    pub(super) gaps: usize,
    /// Rows of the start: at the first node.
    pub(super) starts: usize,
    /// Which rows of a [`Block`](super::block::Block) the others are: those of constraints that count.
    pub(super) held: Vec<usize>,
    /// How many of them are equalities.
    pub(super) equalities: usize,
}

impl Layout {
    /// Of all nodes.
    pub(super) fn of(problem: &Problem) -> Vec<Self> {
        let (mut variable, mut row) = (0, 0);
        let last = problem.steps();
        (0..=last)
            .map(|k| {
                let dims = problem.dims(k);
                let gaps = if k == last { 0 } else { dims.ndx };
                let starts = if k == 0 { dims.ndx } else { 0 };
                let equal = (0..dims.n_eq).filter(|i| counts(problem, k, *i));
                let mut held: Vec<_> = equal.map(|i| gaps + i).collect();
                let equalities = held.len();
                let [lower, upper] = bounds(problem, k, dims.n_in);
                let between = (0..dims.n_in).filter(|i| lower[*i].is_finite() || upper[*i].is_finite());
                held.extend(between.map(|i| gaps + dims.n_eq + i));
                let rows = gaps + starts + held.len();
                let layout = Self {
                    dims,
                    x: variable,
                    u: variable + dims.ndx,
                    first: row,
                    rows,
                    gaps,
                    starts,
                    held,
                    equalities,
                };
                variable += dims.ndx + dims.nu;
                row += rows;
                layout
            })
            .collect()
    }

    pub(super) fn variables(&self) -> usize {
        self.dims.ndx + self.dims.nu
    }
    /// The row of the view that a held row is.
    pub(super) fn held_row(&self, i: usize) -> usize {
        self.first + self.gaps + self.starts + i
    }
    /// The row of the view that a row of a block is, if it counts.
    pub(super) fn row_of(&self, row: usize) -> usize {
        if row < self.gaps {
            return self.first + row;
        }
        let held = self.held.partition_point(|held| *held < row);
        self.held_row(held)
    }
    /// Multipliers of the rows of a block, in their order there; zero for those that do not count.
    pub(super) fn of_block(&self, lambda: &[f64], block: &mut [f64]) {
        block.fill(0.0);
        block[..self.gaps].copy_from_slice(&lambda[self.first..][..self.gaps]);
        for (i, row) in self.held.iter().enumerate() {
            block[*row] = lambda[self.held_row(i)];
        }
    }
}

/// Bounds of the rows between bounds of a node, cones among them.
pub(super) fn bounds(problem: &Problem, k: usize, n: usize) -> [Vec<f64>; 2] {
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    problem.bounds(k, &mut lower, &mut upper);
    Cones(problem.cones(k)).write_bounds(&mut lower);
    [lower, upper]
}

/// Whether an equality applies at this node. Those of steps, and of user-defined nodes, apply everywhere.
fn counts(problem: &Problem, k: usize, equality: usize) -> bool {
    let (Some(stage), Some(name)) = (problem.stage(k), problem.constraint_of(k, ConstraintRow::Equality(equality)))
    else {
        return true;
    };
    let slots = stage.constraints().find(|(held, ..)| *held == name).map(|(_, slots, _)| slots);
    slots.is_none_or(|slots| problem.parameters(k)[slots.counts] > 0.0)
}
