//! A problem: phases of nodes, from a start. `builder` makes one of what `phase` describes.

mod builder;
mod durations;
mod evaluation;
mod goal;
mod implied;
mod node_parameters;
mod parameters;
mod phase;
mod sizes;

pub use builder::ProblemBuilder;
pub use phase::Phase;

use crate::fault::{Fault, Item, ProblemError, ProblemPlace};
use crate::node::{At, Memory, Node, NodeError};
use crate::quadratic::Dims;
use crate::residual::Implied;
use crate::space::Space;
use crate::stage::{ParameterNode, Slots, Stage, StateAugmentation, StaticVariables};
use crate::step::ContactRows;
use gradyn::Model;
use std::ops::Range;
use std::sync::Arc;

/// An optimization problem: a sum of costs over the nodes of a trajectory that starts at a state and moves by steps.
///
/// ```text
/// min Σ_k ℓ_k(x_k, u_k) + ℓ_N(x_N)    subject to  x_{k+1} = f_k(x_k, u_k) ,   x_0 given
/// ```
pub struct Problem {
    model: Arc<Model>,
    memory: StateAugmentation,
    /// For phases with a free duration: its position among the carried numbers of states.
    clocks: Vec<(String, usize)>,
    carried: Arc<StaticVariables>,
    start: Vec<f64>,
    phases: Vec<PhaseEntry>,
    nodes: Vec<NodeEntry>,
    parameters: Vec<f64>,
    /// The part of the last node's constraints that follows from contacts.
    implied: Vec<Implied>,
}

struct PhaseEntry {
    name: String,
    content: PhaseContent,
    first: usize,
}

/// A phase's node.
enum PhaseContent {
    Stage(Stage),
    Own(Box<dyn Node>),
    ParameterNode(ParameterNode),
}

impl PhaseContent {
    fn node(&self) -> &dyn Node {
        match self {
            Self::Stage(stage) => stage,
            Self::Own(node) => &**node,
            Self::ParameterNode(choice) => choice,
        }
    }
    /// Costs with names; user-defined nodes have none.
    fn stage(&self) -> Option<&Stage> {
        match self {
            Self::Stage(stage) => Some(stage),
            Self::Own(_) | Self::ParameterNode(_) => None,
        }
    }
}

/// A node of the trajectory.
#[derive(Clone, Debug)]
struct NodeEntry {
    phase: usize,
    time: f64,
    dt: f64,
    parameters: Range<usize>,
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let phases: Vec<_> = self.phases.iter().map(|phase| &phase.name).collect();
        f.debug_struct("Problem").field("phases", &phases).field("steps", &self.steps()).finish_non_exhaustive()
    }
}

impl Problem {
    /// A problem of this robot, to be described.
    #[must_use]
    pub fn builder(model: &Model) -> ProblemBuilder {
        ProblemBuilder::new(model)
    }

    /// The robot.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The space of its states.
    #[must_use]
    pub fn space(&self) -> Space<'_> {
        Space { model: &self.model, memory: self.memory.count() }
    }
    /// The number of steps: one less than nodes.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.nodes.len() - 1
    }
    /// The state that it starts at, nx.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        &self.start
    }
    /// Changes the start. Allocates nothing.
    ///
    /// # Errors
    /// [`ProblemError::Input`] if it is not a state.
    pub fn set_start(&mut self, q: &[f64], v: &[f64]) -> Result<(), ProblemError> {
        let input = |error| ProblemError::Input { place: "the start".into(), error: Box::new(error) };
        self.model.check_configuration(q).map_err(input)?;
        self.model.check_tangent("v", v).map_err(input)?;
        self.start[..q.len()].copy_from_slice(q);
        self.start[q.len()..][..v.len()].copy_from_slice(v);
        Ok(())
    }
    /// A node's stage.
    #[must_use]
    pub fn node(&self, k: usize) -> &dyn Node {
        self.phases[self.nodes[k].phase].content.node()
    }
    pub(crate) fn stage(&self, k: usize) -> Option<&Stage> {
        self.phases[self.nodes[k].phase].content.stage()
    }
    pub(crate) fn parameters(&self, k: usize) -> &[f64] {
        &self.parameters[self.nodes[k].parameters.clone()]
    }
    /// A node's sizes.
    #[must_use]
    pub fn dims(&self, k: usize) -> Dims {
        self.node(k).dims()
    }
    /// A node's phase, by name.
    #[must_use]
    pub fn phase_of(&self, k: usize) -> &str {
        &self.phases[self.nodes[k].phase].name
    }
    /// A node's time, s.
    #[must_use]
    pub fn time(&self, k: usize) -> f64 {
        self.nodes[k].time
    }
    /// The length of a node's step, s.
    #[must_use]
    pub fn dt(&self, k: usize) -> f64 {
        self.nodes[k].dt
    }
    /// The number of controls that states carry.
    pub(crate) fn rates(&self) -> usize {
        self.memory.rates
    }
    /// The rows of a node's contacts in the multipliers.
    #[must_use]
    pub fn contacts(&self, k: usize) -> &[ContactRows] {
        self.stage(k).map_or(&[], Stage::contacts)
    }
    /// The nodes of a phase.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such phase.
    pub fn nodes_of(&self, phase: &str) -> Result<Range<usize>, ProblemError> {
        let index = self.find(phase)?;
        let end = self.phases.get(index + 1).map_or(self.nodes.len(), |next| next.first);
        Ok(self.phases[index].first..end)
    }

    /// A node's phase, counted in the description.
    fn phase_place(&self, k: usize) -> ProblemPlace {
        let choices = usize::from(self.choice().is_some());
        ProblemPlace::Phase(Item::new(self.nodes[k].phase.saturating_sub(choices), self.phase_of(k)))
    }

    fn find(&self, phase: &str) -> Result<usize, ProblemError> {
        self.phases.iter().position(|entry| entry.name == phase).ok_or_else(|| ProblemError::Unknown {
            place: "the problem".into(),
            what: "phase",
            name: phase.into(),
            nearest: None,
        })
    }

    fn slots(&self, node: usize, cost: &str) -> Result<Slots, ProblemError> {
        let entry = self.nodes.get(node).ok_or_else(|| ProblemError::Number {
            place: ProblemPlace::Node(node).part(format!("cost `{cost}`")),
            what: "a node",
            value: node as f64,
            rule: "the trajectory has fewer",
        })?;
        let phase = &self.phases[entry.phase];
        let mut terms = phase.content.stage().into_iter().flat_map(Stage::terms);
        let slots = terms.find(|(name, ..)| *name == cost).map(|(_, slots, _)| slots);
        slots.ok_or_else(|| ProblemError::Unknown {
            place: self.phase_place(node),
            what: "cost",
            name: cost.into(),
            nearest: None,
        })
    }

    /// Sets the goal of a cost at one node, counted from the start of the trajectory. Allocates nothing.
    ///
    /// # Errors
    /// If the node has no such cost, or the goal is invalid for its residual.
    pub fn set_goal(&mut self, node: usize, cost: &str, goal: &[f64]) -> Result<(), ProblemError> {
        let slots = self.slots(node, cost)?;
        let entry = &self.nodes[node];
        let mut terms = self.phases[entry.phase].content.stage().into_iter().flat_map(Stage::terms);
        if let Some((_, _, residual)) = terms.find(|(name, ..)| *name == cost) {
            check_goal(|| ProblemPlace::Node(node).part(format!("cost `{cost}`")), residual, goal, slots.goal.len())?;
        }
        self.parameters[entry.parameters.clone()][slots.goal].copy_from_slice(goal);
        Ok(())
    }
    /// Sets the weight of a cost at one node. A cost of weight zero is not evaluated there. Allocates nothing.
    ///
    /// # Errors
    /// If the node has no such cost, or the weight is negative or not finite.
    pub fn set_weight(&mut self, node: usize, cost: &str, weight: f64) -> Result<(), ProblemError> {
        let slots = self.slots(node, cost)?;
        if !(weight.is_finite() && weight >= 0.0) {
            let (what, rule) = ("the weight", "it must be finite and not negative");
            let place = ProblemPlace::Node(node).part(format!("cost `{cost}`"));
            return Err(ProblemError::Number { place, what, value: weight, rule });
        }
        self.parameters[self.nodes[node].parameters.clone()][slots.weight] = weight;
        Ok(())
    }
    /// Sets the length of a node's step, s, and moves all later nodes in time. Allocates nothing.
    ///
    /// # Errors
    /// If there is no such step, it takes no time, or the length is not positive.
    pub fn set_dt(&mut self, node: usize, dt: f64) -> Result<(), ProblemError> {
        let number =
            |what, value, rule| Err(ProblemError::Number { place: ProblemPlace::Node(node), what, value, rule });
        if node >= self.steps() || self.nodes[node].dt == 0.0 {
            return number("a step whose length is to be set", node as f64, "there is no step that takes time");
        }
        if !(dt.is_finite() && dt > 0.0) {
            return number("the length of a step", dt, "it must be positive, s");
        }
        self.nodes[node].dt = dt;
        for k in node..self.steps() {
            self.nodes[k + 1].time = self.nodes[k].time + self.nodes[k].dt;
        }
        Ok(())
    }

    /// Memory for one thread: one for each phase.
    #[must_use]
    pub fn memory(&self) -> ProblemMemory {
        ProblemMemory(self.phases.iter().map(|phase| phase.content.node().memory()).collect())
    }

    /// The memory of a node's stage.
    pub(crate) fn memory_of<'m>(&self, k: usize, memory: &'m mut ProblemMemory) -> &'m mut Memory {
        &mut memory.0[self.nodes[k].phase]
    }
    /// Whether both nodes belong to one phase.
    pub(crate) fn is_same_phase(&self, k: usize, other: usize) -> bool {
        self.nodes[k].phase == self.nodes[other].phase
    }
    pub(crate) fn at<'a>(&'a self, k: usize, x: &'a [f64], u: &'a [f64]) -> At<'a> {
        let NodeEntry { time, dt, parameters, .. } = &self.nodes[k];
        At { node: k, time: *time, dt: *dt, x, u, parameters: &self.parameters[parameters.clone()] }
    }
    pub(crate) fn fault(&self, k: usize, error: NodeError) -> Fault {
        Fault { node: k, phase: self.phase_of(k).into(), term: error.term, reason: Box::new(error.reason) }
    }
}

/// Memory of one thread for all phases of a problem.
pub struct ProblemMemory(Vec<Memory>);

impl std::fmt::Debug for ProblemMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProblemMemory").field("phases", &self.0.len()).finish()
    }
}

fn check_goal(
    place: impl Fn() -> ProblemPlace,
    residual: &dyn crate::residual::Residual,
    goal: &[f64],
    expected: usize,
) -> Result<(), ProblemError> {
    // Made for errors alone: goals are set without allocation.
    if goal.len() != expected {
        return place().check_length("the goal", expected, goal.len());
    }
    if let Some(x) = goal.iter().find(|x| !x.is_finite()) {
        let (what, rule) = ("an entry of the goal", "it must be finite");
        return Err(ProblemError::Number { place: place(), what, value: *x, rule });
    }
    residual.check_goal(goal).map_err(|why| ProblemError::Goal { place: place(), why })
}
