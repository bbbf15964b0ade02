//! The interface between a solver and a node of a trajectory.

use crate::fault::Reason;
use crate::quadratic::{Dims, Multipliers, Quadratic};
use std::any::Any;
use std::ops::Range;

/// Memory of a node: one per thread, created by [`Node::memory`], never shared.
pub type Memory = Box<dyn Any + Send>;

/// The point where a node is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The node, counted from the start of the trajectory.
    pub node: usize,
    /// Its time, s.
    pub time: f64,
    /// Length of its step, s; zero if the state jumps, and at the end.
    pub dt: f64,
    /// The state, nx.
    pub x: &'a [f64],
    /// The controls, nu.
    pub u: &'a [f64],
    /// Numbers that differ between the nodes of one phase, and may change between solutions: weights and goals.
    pub parameters: &'a [f64],
}

/// The term of a node that could not be evaluated, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeError {
    /// The term; `None` for the dynamics.
    pub term: Option<String>,
    /// The reason.
    pub reason: Reason,
}

impl<R: Into<Reason>> From<R> for NodeError {
    fn from(reason: R) -> Self {
        Self { term: None, reason: reason.into() }
    }
}

/// A row of a node's constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintRow {
    /// Of its equalities.
    Equality(usize),
    /// Of its inequality rows.
    Inequality(usize),
}

/// A node of a trajectory: its cost and its step, and their derivatives.
///
/// Object-safe, and shared by threads: a call writes only to its memory and its result. One `Node` represents all nodes
/// of a phase. Differences between them are passed as [`At::parameters`].
pub trait Node: Send + Sync {
    /// Its sizes.
    fn dims(&self) -> Dims;
    /// Whether it is the last node, without dynamics.
    fn is_last(&self) -> bool {
        false
    }
    /// The lower and upper bounds of controls, nu each, if there are any.
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        None
    }
    /// Memory for one thread.
    fn memory(&self) -> Memory;
    /// Bounds of its rows `g`, n_in each, at this node: infinite if there is no bound, or if a row does not apply. All
    /// are infinite by default.
    fn bounds(&self, at: At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        let _ = at;
        lower.fill(f64::NEG_INFINITY);
        upper.fill(f64::INFINITY);
    }
    /// The rows `g` that form second-order cones at this node, one range per cone: the first row stays at least the
    /// norm of the others. They have no bounds. None by default.
    fn cones(&self, at: At<'_>) -> Vec<Range<usize>> {
        let _ = at;
        Vec::new()
    }
    /// The constraint that a row belongs to, by name.
    fn constraint(&self, row: ConstraintRow) -> Option<&str> {
        let _ = row;
        None
    }
    /// Its cost, and the next state into `next`, nx (empty if it is the last). `rows`: the equalities, n_eq, then the
    /// inequality rows, n_in.
    ///
    /// # Errors
    /// The term, and the reason.
    fn value(&self, at: At<'_>, memory: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError>;
    /// The same, with derivatives: those of the cost to second order as its terms have them (Gauss-Newton, or exact),
    /// those of the next state and of equalities to first order.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError>;
    /// The same, and writes to [`Quadratic::curvature`] the part of the second derivatives of the Lagrangian at these
    /// multipliers that `lₓₓ`, `lₓᵤ` and `lᵤᵤ` omit. `false` if it does not have them, which is the default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        let _ = multipliers;
        out.curvature.clear();
        self.linearize(at, memory, out).map(|()| false)
    }
    /// Controls that hold its state still, as well as possible: those that minimize the sum of squares of the
    /// accelerations at rest, and of these the smallest. Zero by default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn hold(&self, at: At<'_>, memory: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        let _ = (at, memory);
        u.fill(0.0);
        Ok(())
    }
    /// Names of its terms with the cost of each at a point; empty if it has no names for them.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn costs(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let _ = (at, memory);
        Ok(Vec::new())
    }
    /// Names of its terms with the largest entry of each one's gradient by states and controls at a point; empty if it
    /// has no names for them.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn gradients(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let _ = (at, memory);
        Ok(Vec::new())
    }
    /// Multipliers of contacts, or impulses, at a point: none by default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn forces(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<f64>, NodeError> {
        let _ = (at, memory);
        Ok(Vec::new())
    }
}
