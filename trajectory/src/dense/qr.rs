//! Householder factors with pivoting by columns: `A Π = H₁ H₂ … H_r [R; 0]`, and the rank.
//!
//! P. Businger, G. Golub, *Linear least squares solutions by Householder transformations*, Numer. Math. 7 (1965).

use nalgebra::DMatrix;

/// Factors of one matrix after the other, none larger than the first size.
#[derive(Debug)]
pub(crate) struct Qr {
    /// The matrix; afterwards R on and above the diagonal, below it the Householder vectors, whose first entry is one.
    pub(crate) a: DMatrix<f64>,
    tau: Vec<f64>,
    /// Π: at place i is column `order[i]` of what was there.
    pub(crate) order: Vec<usize>,
    /// As many columns as are independent.
    pub(crate) rank: usize,
    rows: usize,
    product: Vec<f64>,
}

impl Qr {
    /// Memory for so many rows and columns; `beside`: most rows of what is multiplied from the right.
    pub(crate) fn new(rows: usize, columns: usize, beside: usize) -> Self {
        Self {
            a: DMatrix::zeros(rows, columns),
            tau: vec![0.0; rows.min(columns)],
            order: vec![0; columns],
            rank: 0,
            rows: 0,
            product: vec![0.0; beside],
        }
    }

    /// Of the first rows and columns of `a`. Columns count as dependent if what is left of each of them is not longer
    /// than `tolerance`.
    pub(crate) fn factor(&mut self, rows: usize, columns: usize, tolerance: f64) {
        let Self { a, tau, order, .. } = self;
        order.iter_mut().enumerate().for_each(|(i, order)| *order = i);
        let mut rank = 0;
        while rank < rows.min(columns) {
            let left = |j: usize| norm(&a.column(j).as_slice()[rank..rows]);
            let (mut best, mut length) = (rank, left(rank));
            for j in rank + 1..columns {
                let other = left(j);
                if other > length {
                    (best, length) = (j, other);
                }
            }
            // What is not a number has no rank either.
            if length.is_nan() || length <= tolerance {
                break;
            }
            a.swap_columns(rank, best);
            order.swap(rank, best);
            let height = a.nrows();
            let (own, others) = a.as_mut_slice()[rank * height..].split_at_mut(height);
            let own = &mut own[rank..rows];
            // H = I − τ v vᵀ makes the column (α, 0, …).
            let alpha = if own[0] > 0.0 { -length } else { length };
            let first = own[0] - alpha;
            tau[rank] = -first / alpha;
            own[1..].iter_mut().for_each(|x| *x /= first);
            own[0] = alpha;
            for other in others.chunks_exact_mut(height).take(columns - rank - 1) {
                reflect(tau[rank], own, &mut other[rank..rows]);
            }
            rank += 1;
        }
        (self.rank, self.rows) = (rank, rows);
    }

    /// `X := X H₁ … H_r`. X: any number of rows, as many columns as A has rows.
    pub(crate) fn times(&mut self, x: &mut DMatrix<f64>) {
        for k in 0..self.rank {
            self.reflect_right(k, x);
        }
    }
    /// `X := X H_r … H₁`
    pub(crate) fn times_transposed(&mut self, x: &mut DMatrix<f64>) {
        for k in (0..self.rank).rev() {
            self.reflect_right(k, x);
        }
    }
    /// `x := (H₁ … H_r)ᵀ x`
    pub(crate) fn transposed_times(&self, x: &mut [f64]) {
        for k in 0..self.rank {
            self.reflect(k, x);
        }
    }
    /// `x := H₁ … H_r x`
    pub(crate) fn apply(&self, x: &mut [f64]) {
        for k in (0..self.rank).rev() {
            self.reflect(k, x);
        }
    }

    fn reflect(&self, k: usize, x: &mut [f64]) {
        reflect(self.tau[k], &self.a.column(k).as_slice()[k..self.rows], &mut x[k..self.rows]);
    }
    fn reflect_right(&mut self, k: usize, x: &mut DMatrix<f64>) {
        let Self { a, tau, rows, product, .. } = self;
        let n = x.nrows();
        let (v, w) = (&a.as_slice()[k * a.nrows()..][k..*rows], &mut product[..n]);
        let columns = &mut x.as_mut_slice()[k * n..*rows * n];
        w.copy_from_slice(&columns[..n]);
        for (column, v) in columns.chunks_exact(n.max(1)).zip(v).skip(1) {
            add(*v, column, w);
        }
        for (i, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
            add(-tau[k] * if i == 0 { 1.0 } else { v[i] }, w, column);
        }
    }
}

/// `x := (I − τ v vᵀ) x`, whatever stands in the place of the first entry of v, which is one.
fn reflect(tau: f64, v: &[f64], x: &mut [f64]) {
    let along = tau * (x[0] + dot(&v[1..], &x[1..]));
    x[0] -= along;
    add(-along, &v[1..], &mut x[1..]);
}

/// `to += s from`
pub(crate) fn add(s: f64, from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += s * from);
}

/// `aᵀ b`
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `|a|`, of numbers whose squares are in range.
fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// `A Π = Q [R; 0]` with orthogonal Q, and the rank is that of a product of thin matrices.
    #[test]
    fn factors_are_those_of_the_matrix_and_know_its_rank() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut qr = Qr::new(9, 9, 9);
        for (rows, columns, rank) in [(1, 1, 1), (9, 9, 9), (9, 4, 4), (4, 9, 4), (8, 7, 3), (6, 6, 0), (5, 9, 2)] {
            let mut random = |n: usize, m: usize| DMatrix::<f64>::from_fn(n, m, |_, _| rng.random_range(-1.0..1.0));
            let a = random(rows, rank) * random(rank, columns);
            qr.a.view_mut((0, 0), (rows, columns)).copy_from(&a);
            // Rounding of sums of nine products of numbers of one, times a margin of a thousand.
            qr.factor(rows, columns, 1e-12);
            assert_eq!(qr.rank, rank, "{rows} × {columns}");
            for j in 0..columns {
                let mut x = vec![0.0; rows];
                let above = (j + 1).min(rank);
                x[..above].copy_from_slice(&qr.a.column(j).as_slice()[..above]);
                if j >= rank {
                    x[..rank].copy_from_slice(&qr.a.column(j).as_slice()[..rank]);
                }
                qr.apply(&mut x);
                let column = a.column(qr.order[j]);
                assert!(x.iter().zip(column.iter()).all(|(x, a)| (x - a).abs() < 1e-13), "{rows} × {columns}");
            }
            // Qᵀ Q = 1, from both sides.
            let (mut left, x) = (random(3, rows), random(rows, 1));
            let before = left.clone();
            qr.times(&mut left);
            qr.times_transposed(&mut left);
            assert!((&left - &before).amax() < 1e-14 || rows == 0);
            let mut y = x.as_slice().to_vec();
            qr.transposed_times(&mut y);
            qr.apply(&mut y);
            assert!(y.iter().zip(x.iter()).all(|(y, x)| (y - x).abs() < 1e-14), "{rows} × {columns}");
        }
    }
}
