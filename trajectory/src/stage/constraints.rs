//! Constraints of a stage: which rows of a residual are equalities and which are inequalities, and their positions in
//! the node.

use super::{StaticVariables, TermMemory, bind_parameters};
use crate::constraint::PathConstraint;
use crate::cost::Where;
use crate::fault::ProblemError;
use crate::loss::Loss;
use crate::node::{At, ConstraintRow};
use crate::quadratic::{Multipliers, Quadratic};
use crate::residual::{Depends, Jacobian, PhaseInfo, Residual};
use crate::step::Sensitivities;
use nalgebra::DMatrix;
use std::ops::Range;

/// A constraint, with where its numbers stand in the parameters of a node: whether it counts, its goal, its bounds.
pub(super) struct StageConstraint {
    pub(super) name: String,
    pub(super) residual: Box<dyn Residual>,
    /// 1 where it counts, 0 where not.
    pub(super) counts: usize,
    pub(super) goal: Range<usize>,
    pub(super) lower: Range<usize>,
    pub(super) upper: Range<usize>,
    /// Of each row of the residual.
    rows: Vec<ConstraintRow>,
    /// Whether its rows are those of a second-order cone.
    is_cone: bool,
    /// Whether it holds along its phase, and not at single nodes.
    pub(super) along: bool,
}

impl StageConstraint {
    /// The next constraint of a stage, whose `parameters`, equalities and other rows so far are counted.
    pub(super) fn new(
        constraint: PathConstraint,
        info: &PhaseInfo<'_>,
        carried: &StaticVariables,
        parameters: &mut usize,
        [n_eq, n_in]: [&mut usize; 2],
    ) -> Result<Self, ProblemError> {
        let mut constraint = constraint;
        constraint.residual.bind(info)?;
        bind_parameters(&mut *constraint.residual, carried, info.place)?;
        let n = constraint.residual.rows();
        let (lower, upper) = constraint.bounds(n, info.place)?;
        let of = |(l, u): (&f64, &f64)| {
            let (to, count) = if l >= u {
                (ConstraintRow::Equality as fn(usize) -> ConstraintRow, &mut *n_eq)
            } else {
                (ConstraintRow::Inequality as _, &mut *n_in)
            };
            *count += 1;
            to(*count - 1)
        };
        let rows = lower.iter().zip(&upper).map(of).collect();
        let mut take = |count: usize| {
            *parameters += count;
            *parameters - count..*parameters
        };
        let PathConstraint { name, residual, is_cone, place, .. } = constraint;
        let along = place == Where::Along;
        let (counts, goal) = (take(1).start, take(residual.goal().len()));
        Ok(Self { name, residual, counts, goal, lower: take(n), upper: take(n), rows, is_cone, along })
    }

    pub(super) fn memory(&self, depends: Depends, sizes: [usize; 4]) -> TermMemory {
        TermMemory::new(&*self.residual, &Loss::Quadratic, depends, sizes)
    }

    pub(super) fn counts(&self, at: &At<'_>) -> bool {
        at.parameters[self.counts] > 0.0
    }
    /// Whether it has a row at this position of the node.
    pub(super) fn has(&self, row: crate::node::ConstraintRow) -> bool {
        let row = match row {
            crate::node::ConstraintRow::Equality(i) => ConstraintRow::Equality(i),
            crate::node::ConstraintRow::Inequality(i) => ConstraintRow::Inequality(i),
        };
        self.rows.contains(&row)
    }

    pub(super) fn is_cone(&self) -> bool {
        self.is_cone
    }

    /// Where its rows stand among those of the node, if they are those of a cone.
    pub(super) fn cone(&self) -> Option<Range<usize>> {
        match (self.is_cone, self.rows.first()) {
            (true, Some(ConstraintRow::Inequality(first))) => Some(*first..first + self.rows.len()),
            _ => None,
        }
    }

    /// Bounds of its rows that are not equalities.
    pub(super) fn write_bounds(&self, at: &At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        let (low, high) = (&at.parameters[self.lower.clone()], &at.parameters[self.upper.clone()]);
        for ((row, l), u) in self.rows.iter().zip(low).zip(high) {
            if let ConstraintRow::Inequality(i) = *row {
                (lower[i], upper[i]) = if self.counts(at) { (*l, *u) } else { (f64::NEG_INFINITY, f64::INFINITY) };
            }
        }
    }

    /// Where the rows of its residual go: `c = r − bound`, `g = r`.
    pub(super) fn write_rows(&self, at: &At<'_>, r: &[f64], eq: &mut [f64], ineq: &mut [f64]) {
        for ((row, r), bound) in self.rows.iter().zip(r).zip(&at.parameters[self.lower.clone()]) {
            match *row {
                ConstraintRow::Equality(i) => eq[i] = r - bound,
                ConstraintRow::Inequality(i) => ineq[i] = *r,
            }
        }
    }
    /// Where it does not count: all zero.
    pub(super) fn clear_rows(&self, eq: &mut [f64], ineq: &mut [f64]) {
        for row in &self.rows {
            match *row {
                ConstraintRow::Equality(i) => eq[i] = 0.0,
                ConstraintRow::Inequality(i) => ineq[i] = 0.0,
            }
        }
    }
    /// Its multipliers, one a row of its residual.
    pub(super) fn read_multipliers(&self, from: &Multipliers, to: &mut [f64]) {
        for (row, to) in self.rows.iter().zip(to) {
            *to = match *row {
                ConstraintRow::Equality(i) => from.eq[i],
                ConstraintRow::Inequality(i) => from.ineq[i],
            };
        }
    }
    /// Rows of its Jacobian by state and controls, accelerations and multipliers put in.
    pub(super) fn write_jacobian(&self, by: &Jacobian, step: &Sensitivities, out: &mut Quadratic) {
        let nv = step.a_q.nrows();
        let Quadratic { eq_x, eq_u, ineq_x, ineq_u, .. } = out;
        for (i, row) in self.rows.iter().enumerate() {
            let (x, u, k) = match *row {
                ConstraintRow::Equality(k) => (&mut *eq_x, &mut *eq_u, k),
                ConstraintRow::Inequality(k) => (&mut *ineq_x, &mut *ineq_u, k),
            };
            for (first, own, [by_a, by_f]) in
                [(0, &by.dq, [&step.a_q, &step.f_q]), (nv, &by.dv, [&step.a_v, &step.f_v])]
            {
                for j in 0..nv {
                    x[(k, first + j)] = entry(own, i, j) + through(by, i, [by_a, by_f], j);
                }
            }
            for j in 2 * nv..x.ncols() {
                x[(k, j)] = entry(&by.dw, i, j - 2 * nv);
            }
            for j in 0..u.ncols() {
                u[(k, j)] = entry(&by.du, i, j) + through(by, i, [&step.a_u, &step.f_u], j);
            }
        }
    }
    /// Where it does not count: all zero.
    pub(super) fn clear_jacobian(&self, out: &mut Quadratic) {
        for row in &self.rows {
            let (x, u, k) = match *row {
                ConstraintRow::Equality(k) => (&mut out.eq_x, &mut out.eq_u, k),
                ConstraintRow::Inequality(k) => (&mut out.ineq_x, &mut out.ineq_u, k),
            };
            x.row_mut(k).fill(0.0);
            u.row_mut(k).fill(0.0);
        }
    }
}

/// An entry of a block, zero where the residual does not depend on it.
fn entry(m: &DMatrix<f64>, i: usize, j: usize) -> f64 {
    if m.ncols() == 0 { 0.0 } else { m[(i, j)] }
}

/// What comes through accelerations and multipliers.
fn through(by: &Jacobian, i: usize, [by_a, by_f]: [&DMatrix<f64>; 2], j: usize) -> f64 {
    let sum = |m: &DMatrix<f64>, s: &DMatrix<f64>| -> f64 {
        if m.ncols() == 0 { 0.0 } else { m.row(i).iter().zip(s.column(j).iter()).map(|(m, s)| m * s).sum() }
    };
    sum(&by.da, by_a) + sum(&by.df, by_f)
}
