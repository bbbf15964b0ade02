//! States and controls of all nodes.

use crate::problem::Problem;

/// States `x_0 … x_N` and controls `u_0 … u_{N−1}`, in one piece of memory each.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    nx: usize,
    x: Vec<f64>,
    u: Vec<f64>,
    /// Where the controls of each node begin, and where the last ones end.
    first: Vec<usize>,
}

impl Trajectory {
    /// All zero, of a problem's sizes.
    #[must_use]
    pub fn zeros(problem: &Problem) -> Self {
        let nx = problem.space().nx();
        let mut first = vec![0];
        for k in 0..problem.steps() {
            first.push(first[k] + problem.dims(k).nu);
        }
        let u = vec![0.0; first[problem.steps()]];
        Self { nx, x: vec![0.0; nx * (problem.steps() + 1)], u, first }
    }
    /// Its steps: one less than states.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.first.len() - 1
    }
    /// State of a node.
    #[must_use]
    pub fn x(&self, k: usize) -> &[f64] {
        &self.x[k * self.nx..][..self.nx]
    }
    /// State of a node, to be written.
    pub fn x_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.x[k * self.nx..][..self.nx]
    }
    /// Controls of a node; none at the last.
    #[must_use]
    pub fn u(&self, k: usize) -> &[f64] {
        if k < self.steps() { &self.u[self.first[k]..self.first[k + 1]] } else { &[] }
    }
    /// Controls of a node, to be written.
    pub fn u_mut(&mut self, k: usize) -> &mut [f64] {
        if k < self.steps() { &mut self.u[self.first[k]..self.first[k + 1]] } else { &mut [] }
    }
    /// Takes over another one of the same sizes, without allocation.
    pub fn copy_from(&mut self, other: &Self) {
        self.x.copy_from_slice(&other.x);
        self.u.copy_from_slice(&other.u);
    }
    /// Has it the sizes of this problem?
    #[must_use]
    pub fn fits(&self, problem: &Problem) -> bool {
        self.steps() == problem.steps()
            && self.nx == problem.space().nx()
            && (0..self.steps()).all(|k| self.u(k).len() == problem.dims(k).nu)
    }
}
