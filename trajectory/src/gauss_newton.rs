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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quadratic::Dims;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// `lₓ = Jᵀ g`, `[lₓₓ lₓᵤ; · lᵤᵤ] = Jᵀ W J` with dense `J = [∂r/∂(q, v, w) + ∂r/∂(a, f) ∂(a, f)/∂(q, v, u)]`,
    /// whatever a residual depends on; rows without gradient and weight count for nothing.
    #[test]
    fn sums_are_those_of_dense_products() {
        let (nv, nu, nf, nw, m) = (4, 3, 2, 2, 5);
        let (ndx, n) = (2 * nv + nw, 2 * nv + nw + nu);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut random = |m: &mut DMatrix<f64>| m.iter_mut().for_each(|x| *x = rng.random_range(-1.0..1.0));
        let mut step = Sensitivities::new(nv, nu, nf);
        for by in [&mut step.a_q, &mut step.a_v, &mut step.a_u, &mut step.f_q, &mut step.f_v, &mut step.f_u] {
            random(by);
        }
        for bits in 1..64_u32 {
            let is = |k: u32| bits & (1 << k) != 0;
            let depends = Depends { q: is(0), v: is(1), u: is(2), a: is(3), f: is(4), w: is(5), h: false };
            // What passes through the step is by all of these.
            let mut by = Jacobian::new(m, depends, nv, nu, nf, nw);
            for part in [&mut by.dq, &mut by.dv, &mut by.du, &mut by.da, &mut by.df, &mut by.dw] {
                random(part);
            }
            let mut dense = DMatrix::zeros(m, n);
            let mut add = |first: usize, part: DMatrix<f64>| {
                dense.columns_mut(first, part.ncols()).zip_apply(&part, |to, x| *to += x);
            };
            for (first, part) in [(0, &by.dq), (nv, &by.dv), (2 * nv, &by.dw), (ndx, &by.du)] {
                add(first, part.clone());
            }
            if depends.a {
                for (first, s) in [(0, &step.a_q), (nv, &step.a_v), (ndx, &step.a_u)] {
                    add(first, &by.da * s);
                }
            }
            if depends.f {
                for (first, s) in [(0, &step.f_q), (nv, &step.f_v), (ndx, &step.f_u)] {
                    add(first, &by.df * s);
                }
            }
            let mut square = DMatrix::zeros(m, m);
            random(&mut square);
            let full = &square * square.transpose();
            let mut g = DMatrix::zeros(m, 1);
            random(&mut g);
            let mut diagonal = vec![1.5, 0.0, 0.25, 0.0, 2.0];
            (g[1], g[3]) = (0.0, 0.5);
            for weights in [Weights::Diagonal(&diagonal), Weights::Full(&full)] {
                let w = match weights {
                    Weights::Diagonal(w) => DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(w)),
                    Weights::Full(w) => w.clone(),
                };
                let mut out = Quadratic::new(Dims { nx: ndx, ndx, nu, n_eq: 0, n_in: 0 }, true);
                let mut memory = GaussNewton::new(m, n);
                memory.add(&by, depends, &step, g.as_slice(), weights, &mut out);
                let (gradient, hessian) = (dense.tr_mul(&g), dense.tr_mul(&(&w * &dense)));
                // Rounding of sums of some fifty products of numbers of one.
                let close = |a: &[f64], b: &DMatrix<f64>| a.iter().zip(b.iter()).all(|(a, b)| (a - b).abs() < 1e-13);
                let block = |i: usize, j: usize, rows: usize, columns: usize| {
                    hessian.view((i, j), (rows, columns)).into_owned()
                };
                assert!(close(out.lx.as_slice(), &gradient.rows(0, ndx).into_owned()), "{depends:?}");
                assert!(close(out.lu.as_slice(), &gradient.rows(ndx, nu).into_owned()), "{depends:?}");
                assert!(close(out.lxx.as_slice(), &block(0, 0, ndx, ndx)), "{depends:?}");
                assert!(close(out.lxu.as_slice(), &block(0, ndx, ndx, nu)), "{depends:?}");
                assert!(close(out.luu.as_slice(), &block(ndx, ndx, nu, nu)), "{depends:?}");
            }
            diagonal.fill(0.0);
            assert!(
                !counts(&[0.0; 5], Weights::Diagonal(&diagonal)) && counts(g.as_slice(), Weights::Diagonal(&diagonal))
            );
        }
    }
}
