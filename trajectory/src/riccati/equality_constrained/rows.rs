//! The equalities that a node passes on to the one before it, and multipliers on the way back.

use super::{AGREE, AGREE_STEP};
use crate::dense::{add, dot};
use crate::quadratic::Dims;
use nalgebra::DMatrix;

/// A certificate's entries above this share of the largest one name the nodes that cannot hold together.
const NAMED: f64 = 1e-8;

/// The equalities of a node and those behind it, as the sweep leaves them.
#[derive(Debug, Default)]
pub(in crate::riccati) struct Rows {
    /// Rows of E.
    pub(in crate::riccati) rank: usize,
    /// `Eᵀ`, its first columns.
    pub(super) e_x: DMatrix<f64>,
    /// `e`, with the gap.
    pub(in crate::riccati) e: Vec<f64>,
    /// Rows here: the node's own, and those of E behind it.
    pub(super) m: usize,
    pub(super) own: usize,
    /// Rows with a pivot; of a soft node all of its own.
    pub(super) pivots: usize,
    /// Lengths by which rows have been divided.
    pub(super) scale: Vec<f64>,
    /// Which row stands where: those with a pivot first.
    pub(super) order: Vec<usize>,
    /// Multipliers of rows with a pivot are `−n − N δx − R⁻¹ S w₂`: `Nᵀ`,
    pub(super) n_x: DMatrix<f64>,
    /// n,
    pub(in crate::riccati) n: Vec<f64>,
    /// and R with `R⁻¹ S` beside it.
    pub(super) r: DMatrix<f64>,
    /// The triangle of the factors of E.
    pub(super) left: DMatrix<f64>,
    pub(super) left_order: Vec<usize>,
}

/// What [`Rows`] have to be for each node.
pub(in crate::riccati) fn rows(dims: &[Dims]) -> Vec<Rows> {
    let mut behind = 0;
    let mut rows: Vec<_> = dims
        .iter()
        .rev()
        .map(|d| {
            let rows = Rows::new(d, behind);
            behind = rows.e.len();
            rows
        })
        .collect();
    rows.reverse();
    rows
}

impl Rows {
    fn new(dims: &Dims, behind: usize) -> Self {
        let Dims { ndx, nu, n_eq, .. } = *dims;
        let m = n_eq + behind;
        let (pivots, rank) = (nu.min(m).max(n_eq), ndx.min(m));
        Self {
            e_x: DMatrix::zeros(ndx, rank),
            e: vec![0.0; rank],
            scale: vec![1.0; m],
            order: vec![0; m],
            n_x: DMatrix::zeros(ndx, pivots),
            n: vec![0.0; pivots],
            r: DMatrix::zeros(pivots, m),
            left: DMatrix::zeros(rank, m),
            left_order: vec![0; m],
            ..Self::default()
        }
    }

    /// None here.
    pub(in crate::riccati) fn clear(&mut self) {
        (self.m, self.own, self.pivots, self.rank) = (0, 0, 0, 0);
    }

    /// Moves them by the gap.
    pub(in crate::riccati) fn move_by(&mut self, gap: &[f64]) {
        for (e, column) in self.e.iter_mut().zip(self.e_x.column_iter()).take(self.rank) {
            *e += dot(column.as_slice(), gap);
        }
    }

    /// Whether `E δx + e = 0` holds at the start of the trajectory, where `δx` is only the gap.
    pub(in crate::riccati) fn hold_at_start(&self, gap: &[f64]) -> bool {
        let rows = self.e_x.column_iter().zip(&self.e).take(self.rank);
        let largest = gap.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        rows.fold(true, |hold, (_, e)| hold && e.abs() <= AGREE * largest + AGREE_STEP)
    }

    /// `out += Eᵀ μ`
    pub(in crate::riccati) fn add_to_costate(&self, mu: &[f64], out: &mut [f64]) {
        for (mu, column) in mu.iter().zip(self.e_x.column_iter()).take(self.rank) {
            add(*mu, column.as_slice(), out);
        }
    }

    /// Multipliers w of all rows here, divided by their lengths, from those of E. Without `dx` all right-hand sides
    /// count as zero.
    fn spread(&self, mu: &[f64], dx: Option<&[f64]>, w: &mut [f64]) {
        let (r, left) = (self.pivots, &self.left);
        let (with, without) = w[..self.m].split_at_mut(r);
        for i in (0..self.rank).rev() {
            let later: f64 = (i + 1..self.rank).map(|j| left[(i, j)] * without[self.left_order[j]]).sum();
            without[self.left_order[i]] = (mu[i] - later) / left[(i, i)];
        }
        for (i, with) in with.iter_mut().enumerate() {
            *with = dx.map_or(0.0, |dx| -self.n[i] - dot(self.n_x.column(i).as_slice(), dx));
        }
        for (j, w) in without.iter().enumerate() {
            add(-w, &self.r.column(r + j).as_slice()[..r], with);
        }
    }

    /// Multipliers of the node's own rows and of those of E behind it, from those of E here.
    pub(in crate::riccati) fn forward(
        &self,
        mu: &[f64],
        dx: &[f64],
        w: &mut [f64],
        nu: &mut [f64],
        behind: &mut [f64],
    ) {
        w[..self.m].fill(0.0);
        self.spread(mu, Some(dx), w);
        for (w, row) in w.iter().zip(&self.order[..self.m]) {
            let value = w / self.scale[*row];
            if *row < self.own { nu[*row] = value } else { behind[*row - self.own] = value }
        }
    }
}

/// The nodes whose equalities contradict each other, from the node where it shows on: weights with which their rows add
/// up to zero, and their right-hand sides do not. `place`: of the row that has shown it; of the start, `None`.
pub(in crate::riccati) fn contradiction(all: &[Rows], node: usize, place: Option<usize>) -> Vec<usize> {
    let Some(rows) = all.get(node) else { return Vec::new() };
    let mut mu = match place {
        Some(place) => rows.left.column(place).iter().take(rows.rank).map(|x| -x).collect(),
        None => rows.e[..rows.rank].to_vec(),
    };
    let mut weights = Vec::new();
    for (k, rows) in all.iter().enumerate().skip(node) {
        let mut w = vec![0.0; rows.m];
        if let (Some(place), true) = (place, k == node) {
            w[rows.pivots + rows.left_order[place]] = 1.0;
        }
        rows.spread(&mu, None, &mut w);
        let mut behind = vec![0.0; rows.m - rows.own];
        let mut own: f64 = 0.0;
        for (w, row) in w.iter().zip(&rows.order) {
            if *row < rows.own { own = own.max(w.abs()) } else { behind[*row - rows.own] = w / rows.scale[*row] }
        }
        weights.push((k, own));
        if behind.is_empty() {
            break;
        }
        mu = behind;
    }
    let largest = weights.iter().fold(0.0, |most: f64, (_, own)| most.max(*own));
    weights.retain(|(_, own)| *own > NAMED * largest);
    weights.into_iter().map(|(k, _)| k).collect()
}
