//! The inputs by which derivatives are checked, with names.

use gradyn::Model;
use gradyn::derivatives::check::Claim;
use gradyn::derivatives::difference::{Euclidean, Manifold};
use gradyn::partials::Configurations;
use nalgebra::DMatrix;

/// Configurations of a robot, followed by plain numbers.
pub(super) struct Inputs<'m> {
    q: Configurations<'m>,
    pub(super) rest: Euclidean,
}

impl<'m> Inputs<'m> {
    pub(super) fn new(model: &'m Model, rest: usize) -> Self {
        Self { q: Configurations(model), rest: Euclidean(rest) }
    }
}

impl Manifold for Inputs<'_> {
    fn coordinates(&self) -> usize {
        self.q.coordinates() + self.rest.0
    }
    fn directions(&self) -> usize {
        self.q.directions() + self.rest.0
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        self.q.integrate(&x[..nq], &dx[..nv], &mut out[..nq]);
        self.rest.integrate(&x[nq..], &dx[nv..], &mut out[nq..]);
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        self.q.difference(&y0[..nq], &y1[..nq], &mut out[..nv]);
        self.rest.difference(&y0[nq..], &y1[nq..], &mut out[nv..]);
    }
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        match direction.checked_sub(nv) {
            None => self.q.magnitude(&x[..nq], direction),
            Some(k) => self.rest.magnitude(&x[nq..], k),
        }
    }
}

/// Names of a block of columns or rows: by degree of freedom, or by number.
pub(super) fn dofs(model: &Model, what: &str) -> Vec<String> {
    model.dof_names().iter().map(|name| format!("{what} {name}")).collect()
}
pub(super) fn numbers(what: &str, n: usize) -> Vec<String> {
    (0..n).map(|k| format!("{what}[{k}]")).collect()
}

/// Concatenates columns of blocks.
pub(super) fn joined(rows: usize, blocks: &[(&DMatrix<f64>, usize)]) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(rows, blocks.iter().map(|(_, n)| n).sum());
    let mut first = 0;
    for (block, n) in blocks {
        if block.ncols() > 0 {
            m.columns_mut(first, *n).copy_from(block);
        }
        first += n;
    }
    m
}

pub(super) fn claim(m: &DMatrix<f64>) -> Claim {
    Claim::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
}

/// λ of Hessians: numbers without a pattern that could hide a mistake.
pub(super) fn lambda(m: usize) -> Vec<f64> {
    (0..m).map(|k| (1.0 + 1.7 * k as f64).cos()).collect()
}
