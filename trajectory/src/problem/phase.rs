//! A phase, as it is described.

use crate::constraint::PathConstraint;
use crate::cost::Cost;
use crate::node::Node;
use crate::step::Step;

/// A phase of a trajectory: nodes with the same step and the same costs.
#[derive(Debug)]
pub struct Phase {
    pub(super) name: String,
    pub(super) nodes: usize,
    pub(super) content: Content,
    pub(super) dt: Vec<f64>,
    pub(super) costs: Vec<Cost>,
    pub(super) constraints: Vec<PathConstraint>,
    pub(super) bounds: Option<(Vec<f64>, Vec<f64>)>,
    /// Bounds of its duration, if that is free.
    pub(super) duration: Option<[f64; 2]>,
}

impl Phase {
    /// With so many nodes, `dt` seconds each.
    pub fn new(name: impl Into<String>, nodes: usize, dt: f64, step: impl Step + 'static) -> Self {
        Self::boxed(name, nodes, dt, Box::new(step))
    }
    /// [`new`](Self::new), for a step whose kind is not known at compile time.
    pub fn boxed(name: impl Into<String>, nodes: usize, dt: f64, step: Box<dyn Step>) -> Self {
        Self::of(name.into(), nodes, dt, Content::Step(step))
    }
    /// With user-defined nodes: object-safe, including their costs. States are those of the problem; `dt` may be zero.
    pub fn own(name: impl Into<String>, nodes: usize, dt: f64, node: impl Node + 'static) -> Self {
        Self::of(name.into(), nodes, dt, Content::Own(Box::new(node)))
    }
    fn of(name: String, nodes: usize, dt: f64, content: Content) -> Self {
        Self {
            name,
            nodes,
            content,
            dt: vec![dt],
            costs: Vec::new(),
            constraints: Vec::new(),
            bounds: None,
            duration: None,
        }
    }
    /// One node at which the state jumps: an [`Impulse`](crate::step::Impulse).
    pub fn jump(name: impl Into<String>, step: impl Step + 'static) -> Self {
        Self::new(name, 1, 0.0, step)
    }
    /// Its duration, s.
    pub(super) fn length(&self) -> f64 {
        if self.dt.len() == 1 { self.dt[0] * self.nodes as f64 } else { self.dt.iter().sum() }
    }
    /// With steps of these lengths, s, one per node.
    #[must_use]
    pub fn steps(mut self, dt: &[f64]) -> Self {
        self.dt = dt.to_vec();
        self
    }
    /// With a cost.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.costs.push(cost);
        self
    }
    /// With a duration that is a variable between these bounds, s. It starts from the sum of its steps, and each step
    /// keeps its share. Penalize it with [`Cost::duration`].
    #[must_use]
    pub fn free_duration(mut self, lower: f64, upper: f64) -> Self {
        self.duration = Some([lower, upper]);
        self
    }
    /// With a constraint.
    #[must_use]
    pub fn constraint(mut self, constraint: PathConstraint) -> Self {
        self.constraints.push(constraint);
        self
    }
    /// With control bounds, nu each, for solvers that support them.
    #[must_use]
    pub fn control_bounds(mut self, lower: &[f64], upper: &[f64]) -> Self {
        self.bounds = Some((lower.to_vec(), upper.to_vec()));
        self
    }
}

/// The nodes of a phase.
pub(super) enum Content {
    /// A step, and the costs of the phase.
    Step(Box<dyn Step>),
    /// User-defined nodes, which include their costs.
    Own(Box<dyn Node>),
}

impl Content {
    pub(super) fn controls(&self) -> usize {
        match self {
            Self::Step(step) => step.controls(),
            Self::Own(node) => node.dims().nu,
        }
    }
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Step(step) => step.fmt(f),
            Self::Own(node) => f.debug_struct("Node").field("dims", &node.dims()).finish_non_exhaustive(),
        }
    }
}
