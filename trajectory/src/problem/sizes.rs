//! Trajectories of a problem's sizes.

use super::Problem;
use crate::trajectory::Trajectory;

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
    /// Whether it has the sizes of this problem.
    #[must_use]
    pub fn fits(&self, problem: &Problem) -> bool {
        self.steps() == problem.steps()
            && self.nx == problem.space().nx()
            && (0..self.steps()).all(|k| self.u(k).len() == problem.dims(k).nu)
    }
}
