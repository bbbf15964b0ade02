//! States and controls of all nodes.

/// States `x_0 … x_N` and controls `u_0 … u_{N−1}`, in one piece of memory each.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    pub(crate) nx: usize,
    pub(crate) x: Vec<f64>,
    pub(crate) u: Vec<f64>,
    /// Where the controls of each node begin, and where the last ones end.
    pub(crate) first: Vec<usize>,
}

impl Trajectory {
    /// No node, and no memory.
    pub(crate) const EMPTY: Self = Self { nx: 0, x: Vec::new(), u: Vec::new(), first: Vec::new() };
    /// Its steps: one less than states.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.first.len().saturating_sub(1)
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
}
