//! Values and derivatives of a node, with the place of an error.

use super::{Problem, ProblemMemory};
use crate::fault::Fault;
use crate::node::{ConstraintRow, Memory, Node, NodeError};
use crate::quadratic::{Multipliers, Quadratic};
use std::ops::Range;

impl Problem {
    /// Runs with a node and its memory.
    fn evaluate<R>(
        &self,
        k: usize,
        memory: &mut ProblemMemory,
        run: impl FnOnce(&dyn Node, &mut Memory) -> Result<R, NodeError>,
    ) -> Result<R, Fault> {
        run(self.node(k), self.memory_of(k, memory)).map_err(|error| self.fault(k, error))
    }

    /// Cost of a node, its next state, and its rows: equalities `c`, n_eq, then `g`, n_in.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn value(
        &self,
        k: usize,
        x: &[f64],
        u: &[f64],
        memory: &mut ProblemMemory,
        next: &mut [f64],
        rows: &mut [f64],
    ) -> Result<f64, Fault> {
        self.evaluate(k, memory, |node, memory| node.value(self.at(k, x, u), memory, next, rows))
    }
    /// A node with derivatives.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn linearize(
        &self,
        k: usize,
        x: &[f64],
        u: &[f64],
        memory: &mut ProblemMemory,
        out: &mut Quadratic,
    ) -> Result<(), Fault> {
        self.evaluate(k, memory, |node, memory| node.linearize(self.at(k, x, u), memory, out))
    }
    /// A node with derivatives, and the curvature of its Lagrangian that Gauss-Newton omits; `false` if it has no
    /// curvature.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn linearize_exact(
        &self,
        k: usize,
        x: &[f64],
        u: &[f64],
        multipliers: &Multipliers,
        memory: &mut ProblemMemory,
        out: &mut Quadratic,
    ) -> Result<bool, Fault> {
        let at = self.at(k, x, u);
        self.evaluate(k, memory, |node, memory| node.linearize_exact(at, memory, multipliers, out))
    }
    /// Bounds of a node's rows `g`, n_in each; infinite if there is no bound.
    pub fn bounds(&self, k: usize, lower: &mut [f64], upper: &mut [f64]) {
        self.node(k).bounds(self.at(k, &[], &[]), lower, upper);
    }
    /// The rows `g` of a node that form second-order cones, one range per cone: the first row stays at least the norm
    /// of the others.
    #[must_use]
    pub fn cones(&self, k: usize) -> Vec<Range<usize>> {
        self.node(k).cones(self.at(k, &[], &[]))
    }
    /// The constraint that a row of a node belongs to, by name.
    #[must_use]
    pub fn constraint_of(&self, k: usize, row: ConstraintRow) -> Option<&str> {
        self.node(k).constraint(row)
    }
    /// Controls that hold a node's configuration still, as well as possible.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn hold(&self, k: usize, x: &[f64], memory: &mut ProblemMemory, u: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(k, memory, |node, memory| node.hold(self.at(k, x, &[]), memory, u))
    }
    /// The value of each cost of a node, by name.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn costs(
        &self,
        k: usize,
        x: &[f64],
        u: &[f64],
        memory: &mut ProblemMemory,
    ) -> Result<Vec<(String, f64)>, Fault> {
        self.evaluate(k, memory, |node, memory| node.costs(self.at(k, x, u), memory))
    }
    /// The largest entry of the gradient of each cost of a node, by states and controls, by name.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn gradients(
        &self,
        k: usize,
        x: &[f64],
        u: &[f64],
        memory: &mut ProblemMemory,
    ) -> Result<Vec<(String, f64)>, Fault> {
        self.evaluate(k, memory, |node, memory| node.gradients(self.at(k, x, u), memory))
    }
    /// Multipliers of contacts, or impulses, at a node.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn forces(&self, k: usize, x: &[f64], u: &[f64], memory: &mut ProblemMemory) -> Result<Vec<f64>, Fault> {
        self.evaluate(k, memory, |node, memory| node.forces(self.at(k, x, u), memory))
    }
}
