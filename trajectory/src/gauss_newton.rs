//! The contribution of a residual term to a node's cost, to second order: `lₓ += Jᵀ g`, `lₓₓ += Jᵀ W J`, and so on with
//! the controls.
//!
//! Only the rows that the loss uses contribute: for a barrier those outside, often none.

use crate::quadratic::Quadratic;
use crate::residual::{Depends, Jacobian, Weights};
use crate::step::Sensitivities;
use nalgebra::DMatrix;

/// Memory: the Jacobian by state and controls, of the rows that count.
#[derive(Debug)]
pub(crate) struct GaussNewton {
    /// Which rows count.
    rows: Vec<usize>,
    /// The Jacobian, row by row, each with its entries by q, v, w, u one after the other.
    by: Vec<f64>,
    /// A column of it, times weights.
    weighted: Vec<f64>,
}

/// Columns that have one place in the state or in the controls.
#[derive(Clone, Copy)]
struct Part {
    /// Where they begin in a row of the memory.
    first: usize,
    /// Where in the state, or in the controls.
    place: usize,
    count: usize,
}

impl Part {
    fn of<'r>(&self, row: &'r [f64]) -> &'r [f64] {
        &row[self.first..self.first + self.count]
    }
}

/// Whether the loss uses any row.
pub(crate) fn counts(gradient: &[f64], weights: Weights<'_>) -> bool {
    match weights {
        Weights::Diagonal(w) => gradient.iter().zip(w).any(|(g, w)| seen(*g, *w)),
        Weights::Full(_) => true,
    }
}

/// What is exactly zero adds nothing; what is not a number does.
fn seen(g: f64, w: f64) -> bool {
    g != 0.0 || w != 0.0
}

impl GaussNewton {
    /// For residuals of at most so many rows, of so many numbers of state and controls.
    pub(crate) fn new(rows: usize, width: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            by: Vec::with_capacity(rows * width),
            weighted: Vec::with_capacity(rows),
        }
    }

    /// Adds a residual. `step`: derivatives of accelerations and multipliers, to be put in where it depends on them.
    pub(crate) fn add(
        &mut self,
        by: &Jacobian,
        depends: Depends,
        step: &Sensitivities,
        gradient: &[f64],
        weights: Weights<'_>,
        out: &mut Quadratic,
    ) {
        self.rows.clear();
        match weights {
            Weights::Diagonal(w) => {
                let seen = gradient.iter().zip(w).enumerate().filter(|(_, (g, w))| seen(**g, **w));
                self.rows.extend(seen.map(|(i, _)| i));
            }
            Weights::Full(_) => self.rows.extend(0..gradient.len()),
        }
        let (nv, nu) = (step.a_q.nrows(), out.lu.len());
        let through = depends.a || depends.f;
        let part = |first: usize, place: usize, yes: bool, count: usize| Part {
            first,
            place,
            count: if yes { count } else { 0 },
        };
        let q = part(0, 0, depends.q || through, nv);
        let v = part(q.count, nv, depends.v || through, nv);
        let w = part(v.first + v.count, 2 * nv, depends.w, by.dw.ncols());
        let u = part(w.first + w.count, 0, depends.u || through, nu);
        let width = u.first + u.count;
        if width == 0 || self.rows.is_empty() {
            return;
        }
        self.by.clear();
        self.by.resize(self.rows.len() * width, 0.0);
        let Self { rows, by: whole, weighted } = self;
        for (of, part) in [(&by.dq, q), (&by.dv, v), (&by.dw, w), (&by.du, u)] {
            for (k, column) in of.as_slice().chunks_exact(of.nrows()).enumerate() {
                for (i, row) in rows.iter().zip(whole.chunks_exact_mut(width)) {
                    row[part.first + k] = column[*i];
                }
            }
        }
        if depends.a {
            for (of, part) in [(&step.a_q, q), (&step.a_v, v), (&step.a_u, u)] {
                put_in(&by.da, of, rows, part.first, whole, width);
            }
        }
        if depends.f {
            for (of, part) in [(&step.f_q, q), (&step.f_v, v), (&step.f_u, u)] {
                put_in(&by.df, of, rows, part.first, whole, width);
            }
        }
        for (i, row) in rows.iter().zip(whole.chunks_exact(width)) {
            for part in [q, v, w] {
                add_times(&mut out.lx.as_mut_slice()[part.place..], gradient[*i], part.of(row));
            }
            add_times(out.lu.as_mut_slice(), gradient[*i], u.of(row));
        }
        weighted.clear();
        weighted.resize(rows.len(), 0.0);
        let (ndx, states) = (out.lx.len(), [q, v, w]);
        for of in states {
            let columns = out.lxx.as_mut_slice()[of.place * ndx..].chunks_exact_mut(ndx);
            for (k, column) in columns.take(of.count).enumerate() {
                weigh_column(weights, rows, whole, width, of.first + k, weighted);
                states.iter().for_each(|to| add_column(weighted, whole, width, *to, column));
            }
        }
        if u.count > 0 {
            let columns = out.lxu.as_mut_slice().chunks_exact_mut(ndx);
            for (k, (by_x, by_u)) in columns.zip(out.luu.as_mut_slice().chunks_exact_mut(nu)).enumerate() {
                weigh_column(weights, rows, whole, width, u.first + k, weighted);
                states.iter().for_each(|to| add_column(weighted, whole, width, *to, by_x));
                add_column(weighted, whole, width, u, by_u);
            }
        }
    }
}

/// Adds rows of the memory, each times its entry of a column of `W J`, where they have their place in a column of the
/// Hessian.
fn add_column(weighted: &[f64], whole: &[f64], width: usize, to: Part, column: &mut [f64]) {
    for (weighted, row) in weighted.iter().zip(whole.chunks_exact(width)) {
        add_times(&mut column[to.place..], *weighted, to.of(row));
    }
}

/// Adds `m_i s` to row i of the memory, for rows that count.
fn put_in(m: &DMatrix<f64>, s: &DMatrix<f64>, rows: &[usize], first: usize, whole: &mut [f64], width: usize) {
    let height = m.nrows();
    if m.is_empty() {
        return;
    }
    for (row, i) in whole.chunks_exact_mut(width).zip(rows) {
        let entries = |first: usize| m.as_slice()[i + first * height..].iter().step_by(height);
        // Residuals see few multipliers: those of one contact.
        let Some(start) = entries(0).position(|x| *x != 0.0) else { continue };
        let end = m.ncols() - entries(0).rev().position(|x| *x != 0.0).unwrap_or(0);
        for (to, column) in row[first..].iter_mut().zip(s.as_slice().chunks_exact(s.nrows())) {
            *to += entries(start).zip(&column[start..end]).map(|(m, s)| m * s).sum::<f64>();
        }
    }
}

/// A column of `W J`, for rows that count.
fn weigh_column(
    weights: Weights<'_>,
    rows: &[usize],
    whole: &[f64],
    width: usize,
    column: usize,
    weighted: &mut [f64],
) {
    let entries = whole[column..].iter().step_by(width);
    match weights {
        Weights::Diagonal(w) => {
            for ((weighted, i), x) in weighted.iter_mut().zip(rows).zip(entries) {
                *weighted = w[*i] * x;
            }
        }
        Weights::Full(w) => {
            for (weighted, i) in weighted.iter_mut().zip(rows) {
                *weighted = rows.iter().zip(entries.clone()).map(|(k, x)| w[(*i, *k)] * x).sum();
            }
        }
    }
}

/// `y := y + s x`
fn add_times(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}
