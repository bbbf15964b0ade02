//! What a solver asks of a node of a trajectory.

use crate::fault::Reason;
use crate::quadratic::{Dims, Multipliers, Quadratic};
use std::any::Any;
use std::ops::Range;

/// Memory of a node: one a thread, made by [`Node::memory`], never shared.
pub type Memory = Box<dyn Any + Send>;

/// Where a node is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The node, counted from the start of the trajectory.
    pub node: usize,
    /// Its time, s.
    pub time: f64,
    /// Length of its step, s; zero where the state jumps, and at the end.
    pub dt: f64,
    /// The state, nx.
    pub x: &'a [f64],
    /// The controls, nu.
    pub u: &'a [f64],
    /// Numbers that differ between the nodes of one phase, and may change between solutions: weights and goals.
    pub parameters: &'a [f64],
}

/// Why a node could not be evaluated: which term, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeError {
    /// The term; `None` for the dynamics.
    pub term: Option<String>,
    /// Why.
    pub reason: Reason,
}

impl<R: Into<Reason>> From<R> for NodeError {
    fn from(reason: R) -> Self {
        Self { term: None, reason: reason.into() }
    }
}

/// A row of a node's constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Of its equalities.
    Equality(usize),
    /// Of its rows between bounds.
    Inequality(usize),
}

/// A node of a trajectory: its cost and its step, and their derivatives.
///
/// Object-safe, and shared by threads: all that a call writes to is its memory and its result. One `Node` stands for all nodes of a
/// phase; what differs between them comes in as [`At::parameters`].
pub trait Node: Send + Sync {
    /// Its sizes.
    fn dims(&self) -> Dims;
    /// Is it the last one, without dynamics?
    fn is_last(&self) -> bool {
        false
    }
    /// Least and greatest controls, nu each, where there are bounds.
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        None
    }
    /// Memory for one thread.
    fn memory(&self) -> Memory;
    /// Bounds of its rows `g`, n_in each, at this node: infinite where there are none, or where a row does not count. All infinite by
    /// default.
    fn bounds(&self, at: At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        let _ = at;
        lower.fill(f64::NEG_INFINITY);
        upper.fill(f64::INFINITY);
    }
    /// Which rows `g` make up second-order cones at this node, a range a cone: the first of them stays at least the norm of the others.
    /// They have no bounds. None by default.
    fn cones(&self, at: At<'_>) -> Vec<Range<usize>> {
        let _ = at;
        Vec::new()
    }
    /// The constraint that a row belongs to, by name.
    fn constraint(&self, row: Row) -> Option<&str> {
        let _ = row;
        None
    }
    /// Its cost, and the next state into `next`, nx (empty if it is the last). `rows`: for the equalities, n_eq, then for the rows
    /// between bounds, n_in.
    ///
    /// # Errors
    /// Which term, and why.
    fn value(&self, at: At<'_>, memory: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError>;
    /// The same, with derivatives: those of the cost to second order as its terms have them (Gauss-Newton, or exact), those of the
    /// next state and of equalities to first order.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError>;
    /// The same, and into [`Quadratic::curvature`] what `lₓₓ`, `lₓᵤ` and `lᵤᵤ` leave out of the second derivatives of the Lagrangian at
    /// these multipliers. `false` if it does not know them; so by default.
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
    /// Controls that hold its state still, as well as they can: those by which the accelerations at rest have the least sum of squares,
    /// and of these the least. Zero by default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn hold(&self, at: At<'_>, memory: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        let _ = (at, memory);
        u.fill(0.0);
        Ok(())
    }
    /// Names of its terms with what each costs at a point; empty if it has no names for them.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn costs(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let _ = (at, memory);
        Ok(Vec::new())
    }
    /// Names of its terms with the largest entry of each one's gradient by states and controls at a point; empty if it has no names for them.
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
