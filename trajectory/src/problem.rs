//! A problem: phases of nodes, from a start.

use crate::cost::{Cost, Where};
use crate::fault::{Fault, ProblemError};
use crate::node::{At, Memory, Node, NodeError};
use crate::quadratic::{Dims, Quadratic};
use crate::space::{Blocks, Space};
use crate::stage::{Slots, Stage};
use crate::step::{ContactRows, Step};
use gradyn::Model;
use std::ops::Range;
use std::sync::Arc;

/// A phase of a trajectory: nodes with the same step and the same costs.
#[derive(Debug)]
pub struct Phase {
    name: String,
    nodes: usize,
    content: Content,
    dt: Vec<f64>,
    costs: Vec<Cost>,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
}

impl Phase {
    /// Of so many nodes, `dt` seconds each.
    pub fn new(name: impl Into<String>, nodes: usize, dt: f64, step: impl Step + 'static) -> Self {
        Self::boxed(name, nodes, dt, Box::new(step))
    }
    /// [`new`](Self::new), of a step whose kind is not known when the program is compiled.
    pub fn boxed(name: impl Into<String>, nodes: usize, dt: f64, step: Box<dyn Step>) -> Self {
        Self::of(name.into(), nodes, dt, Content::Step(step))
    }
    /// Of nodes of one's own: object-safe, with their costs in them. States are those of the problem; `dt` may be zero.
    pub fn own(name: impl Into<String>, nodes: usize, dt: f64, node: impl Node + 'static) -> Self {
        Self::of(name.into(), nodes, dt, Content::Own(Box::new(node)))
    }
    fn of(name: String, nodes: usize, dt: f64, content: Content) -> Self {
        Self { name, nodes, content, dt: vec![dt], costs: Vec::new(), bounds: None }
    }
    /// One node at which the state jumps: an [`Impulse`](crate::step::Impulse).
    pub fn jump(name: impl Into<String>, step: impl Step + 'static) -> Self {
        Self::new(name, 1, 0.0, step)
    }
    /// With steps of these lengths, s, one a node.
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
    /// With bounds of the controls, nu each, which solvers for boxes keep.
    #[must_use]
    pub fn control_bounds(mut self, lower: &[f64], upper: &[f64]) -> Self {
        self.bounds = Some((lower.to_vec(), upper.to_vec()));
        self
    }
}

/// What the nodes of a phase are.
enum Content {
    /// A step, and the costs of the phase.
    Step(Box<dyn Step>),
    /// Somebody's own, which have their costs in them.
    Own(Box<dyn Node>),
}

impl Content {
    fn controls(&self) -> usize {
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

/// Phases one after the other, from a start, to be [built](Self::build) into a [`Problem`].
#[derive(Debug)]
pub struct ProblemBuilder {
    model: Arc<Model>,
    q: Vec<f64>,
    v: Vec<f64>,
    phases: Vec<Phase>,
    last: Vec<Cost>,
    remembers: bool,
}

/// What a solver solves: a sum of costs over the nodes of a trajectory that starts at a state and moves by steps.
///
/// ```text
/// min Σ_k ℓ_k(x_k, u_k) + ℓ_N(x_N)    subject to  x_{k+1} = f_k(x_k, u_k) ,   x_0 given
/// ```
pub struct Problem {
    model: Arc<Model>,
    remembered: usize,
    blocks: Blocks,
    start: Vec<f64>,
    kinds: Vec<Kind>,
    places: Vec<Place>,
    parameters: Vec<f64>,
}

struct Kind {
    name: String,
    what: What,
    first: usize,
}

/// A phase's node.
enum What {
    Stage(Stage),
    Own(Box<dyn Node>),
}

impl What {
    fn node(&self) -> &dyn Node {
        match self {
            Self::Stage(stage) => stage,
            Self::Own(node) => &**node,
        }
    }
    /// Costs with names; somebody's own nodes have none.
    fn stage(&self) -> Option<&Stage> {
        match self {
            Self::Stage(stage) => Some(stage),
            Self::Own(_) => None,
        }
    }
}

/// A node of the trajectory.
#[derive(Clone, Debug)]
struct Place {
    kind: usize,
    time: f64,
    dt: f64,
    parameters: Range<usize>,
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let phases: Vec<_> = self.kinds.iter().map(|kind| &kind.name).collect();
        f.debug_struct("Problem").field("phases", &phases).field("steps", &self.steps()).finish_non_exhaustive()
    }
}

impl ProblemBuilder {
    /// Of a robot, starting at its neutral configuration, at rest.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let (q, v) = (model.neutral(), vec![0.0; model.nv()]);
        Self { model: Arc::new(model.clone()), q, v, phases: Vec::new(), last: Vec::new(), remembers: false }
    }
    /// Starting at this state, nq and nv.
    #[must_use]
    pub fn start(mut self, q: &[f64], v: &[f64]) -> Self {
        (self.q, self.v) = (q.to_vec(), v.to_vec());
        self
    }
    /// With a phase, after those before.
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        self.phases.push(phase);
        self
    }
    /// With a cost at the last node.
    #[must_use]
    pub fn last(mut self, cost: Cost) -> Self {
        self.last.push(cost);
        self
    }
    /// With the controls of the step before in the state, for costs of their rates. All phases must have as many controls, but
    /// for those without any.
    #[must_use]
    pub fn remember_controls(mut self) -> Self {
        self.remembers = true;
        self
    }

    /// The problem.
    ///
    /// # Errors
    /// What of the description is wrong, and where.
    pub fn build(self) -> Result<Problem, ProblemError> {
        let Self { model, q, v, phases, last, remembers } = self;
        let place = || "the start".to_string();
        let input = |error| ProblemError::Input { place: place(), error };
        model.check_configuration(&q).map_err(input)?;
        model.check_tangent("v", &v).map_err(input)?;
        if phases.is_empty() {
            return Err(ProblemError::Missing { place: "the problem".into(), what: "it has no phase" });
        }
        let remembered = if remembers { remembered_controls(&phases)? } else { 0 };
        let mut problem = Problem {
            blocks: Blocks::new(&model),
            model,
            remembered,
            start: [q, v, vec![0.0; remembered]].concat(),
            kinds: Vec::new(),
            places: Vec::new(),
            parameters: Vec::new(),
        };
        let mut time = 0.0;
        for phase in phases {
            time = problem.add_phase(phase, time)?;
        }
        let first = problem.places.len();
        let values = Values::of(&last);
        let stage = Stage::new("end", &problem.model, remembered, None, None, last)?;
        problem.add_node(&stage, &values, 0, 1, time, 0.0)?;
        problem.kinds.push(Kind { name: "end".into(), what: What::Stage(stage), first });
        Ok(problem)
    }
}

/// How many controls each phase has that has any.
fn remembered_controls(phases: &[Phase]) -> Result<usize, ProblemError> {
    let mut counts = phases.iter().map(|phase| (phase, phase.content.controls())).filter(|(_, nu)| *nu > 0);
    let Some((_, expected)) = counts.next() else { return Ok(0) };
    match counts.find(|(_, nu)| *nu != expected) {
        Some((phase, found)) => Err(ProblemError::Length {
            place: format!("phase `{}`", phase.name),
            what: "the list of controls that are remembered",
            expected,
            found,
        }),
        None => Ok(expected),
    }
}

/// Weights and goals of costs, before they are moved into a stage.
struct Values(Vec<CostValues>);

struct CostValues {
    name: String,
    weight: f64,
    place: Where,
    goals: Vec<(usize, Vec<f64>)>,
}

impl Values {
    fn of(costs: &[Cost]) -> Self {
        let of = |c: &Cost| CostValues {
            name: c.name.clone(),
            weight: c.weight,
            place: c.place.clone(),
            goals: c.goals.clone(),
        };
        Self(costs.iter().map(of).collect())
    }
}

impl Problem {
    /// A problem of this robot, to be described.
    #[must_use]
    pub fn builder(model: &Model) -> ProblemBuilder {
        ProblemBuilder::new(model)
    }

    fn add_phase(&mut self, phase: Phase, start: f64) -> Result<f64, ProblemError> {
        let Phase { name, nodes, content, dt, costs, bounds } = phase;
        let place = || format!("phase `{name}`");
        if nodes == 0 {
            return Err(ProblemError::Missing { place: place(), what: "it has no node" });
        }
        if self.kinds.iter().any(|kind| kind.name == name) {
            return Err(ProblemError::Twice { place: "the problem".into(), what: "phases", name });
        }
        let dt = if dt.len() == 1 { vec![dt[0]; nodes] } else { dt };
        if dt.len() != nodes {
            let what = "the list of lengths of steps";
            return Err(ProblemError::Length { place: place(), what, expected: nodes, found: dt.len() });
        }
        let (good, rule): (fn(&f64) -> bool, _) = match &content {
            Content::Step(step) if step.jumps() => (|dt| *dt == 0.0, "a jump takes no time"),
            Content::Step(_) => (|dt| dt.is_finite() && *dt > 0.0, "it must be positive, s"),
            Content::Own(_) => (|dt| dt.is_finite() && *dt >= 0.0, "it must not be negative, s"),
        };
        if let Some(dt) = dt.iter().find(|dt| !good(dt)) {
            return Err(ProblemError::Number { place: place(), what: "the length of a step", value: *dt, rule });
        }
        if let Some((lower, upper)) = &bounds {
            check_bounds(&name, content.controls(), lower, upper)?;
        }
        let first = self.places.len();
        let mut time = start;
        let what = match content {
            Content::Step(step) => {
                let values = Values::of(&costs);
                let stage = Stage::new(&name, &self.model, self.remembered, Some(step), bounds, costs)?;
                for (k, dt) in dt.iter().enumerate() {
                    self.add_node(&stage, &values, k, nodes, time, *dt)?;
                    time += dt;
                }
                What::Stage(stage)
            }
            Content::Own(node) => {
                check_own(&name, &*node, &self.space(), !costs.is_empty() || bounds.is_some())?;
                for dt in &dt {
                    let none = self.parameters.len()..self.parameters.len();
                    self.places.push(Place { kind: self.kinds.len(), time, dt: *dt, parameters: none });
                    time += dt;
                }
                What::Own(node)
            }
        };
        self.kinds.push(Kind { name, what, first });
        Ok(time)
    }

    fn add_node(
        &mut self,
        stage: &Stage,
        values: &Values,
        node: usize,
        nodes: usize,
        time: f64,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let first = self.parameters.len();
        self.parameters.resize(first + stage.parameters(), 0.0);
        let parameters = &mut self.parameters[first..];
        for ((_, slots, residual), CostValues { name, weight, place, goals }) in stage.terms().zip(&values.0) {
            let counts = match place {
                Where::Along => true,
                Where::At(at) => at.contains(&node),
            };
            if let Where::At(at) = place
                && let Some(k) = at.iter().find(|k| **k >= nodes)
            {
                return Err(ProblemError::Number {
                    place: format!("cost `{name}`"),
                    what: "a node that it counts at",
                    value: *k as f64,
                    rule: "the phase has not so many nodes",
                });
            }
            parameters[slots.weight] = if counts { *weight } else { 0.0 };
            parameters[slots.goal.clone()].copy_from_slice(&residual.goal());
            if let Some((_, goal)) = goals.iter().find(|(k, _)| *k == node) {
                check_goal(name, residual, goal, slots.goal.len())?;
                parameters[slots.goal.clone()].copy_from_slice(goal);
            }
        }
        let parameters = first..self.parameters.len();
        self.places.push(Place { kind: self.kinds.len(), time, dt, parameters });
        Ok(())
    }

    /// The robot.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The space of its states.
    #[must_use]
    pub fn space(&self) -> Space<'_> {
        Space { model: &self.model, memory: self.remembered }
    }
    /// Joints that turn in space.
    #[must_use]
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }
    /// How many steps it has: one less than nodes.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.places.len() - 1
    }
    /// The state that it starts at, nx.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        &self.start
    }
    /// Starts at another state. Allocates nothing.
    ///
    /// # Errors
    /// [`ProblemError::Input`] if it is none.
    pub fn set_start(&mut self, q: &[f64], v: &[f64]) -> Result<(), ProblemError> {
        let input = |error| ProblemError::Input { place: "the start".into(), error };
        self.model.check_configuration(q).map_err(input)?;
        self.model.check_tangent("v", v).map_err(input)?;
        self.start[..q.len()].copy_from_slice(q);
        self.start[q.len()..][..v.len()].copy_from_slice(v);
        Ok(())
    }
    /// A node's stage.
    #[must_use]
    pub fn node(&self, k: usize) -> &dyn Node {
        self.kinds[self.places[k].kind].what.node()
    }
    pub(crate) fn stage(&self, k: usize) -> Option<&Stage> {
        self.kinds[self.places[k].kind].what.stage()
    }
    pub(crate) fn parameters(&self, k: usize) -> &[f64] {
        &self.parameters[self.places[k].parameters.clone()]
    }
    /// A node's sizes.
    #[must_use]
    pub fn dims(&self, k: usize) -> Dims {
        self.node(k).dims()
    }
    /// A node's phase, by name.
    #[must_use]
    pub fn phase_of(&self, k: usize) -> &str {
        &self.kinds[self.places[k].kind].name
    }
    /// A node's time, s.
    #[must_use]
    pub fn time(&self, k: usize) -> f64 {
        self.places[k].time
    }
    /// Length of a node's step, s.
    #[must_use]
    pub fn dt(&self, k: usize) -> f64 {
        self.places[k].dt
    }
    /// Where a node's contacts have their rows in the multipliers.
    #[must_use]
    pub fn contacts(&self, k: usize) -> &[ContactRows] {
        self.stage(k).map_or(&[], Stage::contacts)
    }
    /// The nodes of a phase.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such phase.
    pub fn nodes_of(&self, phase: &str) -> Result<Range<usize>, ProblemError> {
        let kind = self.find(phase)?;
        let end = self.kinds.get(kind + 1).map_or(self.places.len(), |next| next.first);
        Ok(self.kinds[kind].first..end)
    }

    fn find(&self, phase: &str) -> Result<usize, ProblemError> {
        self.kinds.iter().position(|kind| kind.name == phase).ok_or_else(|| ProblemError::Unknown {
            place: "the problem".into(),
            what: "phase",
            name: phase.into(),
            nearest: None,
        })
    }

    fn slots(&self, node: usize, cost: &str) -> Result<Slots, ProblemError> {
        let place = self.places.get(node).ok_or_else(|| ProblemError::Number {
            place: format!("cost `{cost}`"),
            what: "a node",
            value: node as f64,
            rule: "the trajectory has not so many",
        })?;
        let kind = &self.kinds[place.kind];
        let mut terms = kind.what.stage().into_iter().flat_map(Stage::terms);
        let slots = terms.find(|(name, ..)| *name == cost).map(|(_, slots, _)| slots);
        slots.ok_or_else(|| ProblemError::Unknown {
            place: format!("phase `{}`", kind.name),
            what: "cost",
            name: cost.into(),
            nearest: None,
        })
    }

    /// Sets the goal of a cost at one node, counted from the start of the trajectory. Allocates nothing.
    ///
    /// # Errors
    /// If the node has no such cost, or the goal is none of its residual.
    pub fn set_goal(&mut self, node: usize, cost: &str, goal: &[f64]) -> Result<(), ProblemError> {
        let slots = self.slots(node, cost)?;
        let place = &self.places[node];
        let mut terms = self.kinds[place.kind].what.stage().into_iter().flat_map(Stage::terms);
        if let Some((_, _, residual)) = terms.find(|(name, ..)| *name == cost) {
            check_goal(cost, residual, goal, slots.goal.len())?;
        }
        self.parameters[place.parameters.clone()][slots.goal].copy_from_slice(goal);
        Ok(())
    }
    /// Sets the weight of a cost at one node; zero, and it is not evaluated there. Allocates nothing.
    ///
    /// # Errors
    /// If the node has no such cost, or the weight is negative or not finite.
    pub fn set_weight(&mut self, node: usize, cost: &str, weight: f64) -> Result<(), ProblemError> {
        let slots = self.slots(node, cost)?;
        if !(weight.is_finite() && weight >= 0.0) {
            let (what, rule) = ("the weight", "it must be finite and not negative");
            return Err(ProblemError::Number { place: format!("cost `{cost}`"), what, value: weight, rule });
        }
        self.parameters[self.places[node].parameters.clone()][slots.weight] = weight;
        Ok(())
    }
    /// Sets the length of a node's step, s, and moves all later nodes in time. Allocates nothing.
    ///
    /// # Errors
    /// If there is no such step, it takes no time, or the length is not positive.
    pub fn set_dt(&mut self, node: usize, dt: f64) -> Result<(), ProblemError> {
        let number = |what, value, rule| Err(ProblemError::Number { place: format!("node {node}"), what, value, rule });
        if node >= self.steps() || self.places[node].dt == 0.0 {
            return number("a step whose length is to be set", node as f64, "there is no step that takes time");
        }
        if !(dt.is_finite() && dt > 0.0) {
            return number("the length of a step", dt, "it must be positive, s");
        }
        self.places[node].dt = dt;
        for k in node..self.steps() {
            self.places[k + 1].time = self.places[k].time + self.places[k].dt;
        }
        Ok(())
    }

    /// Memory for one thread: one for each phase.
    #[must_use]
    pub fn memory(&self) -> ProblemMemory {
        ProblemMemory(self.kinds.iter().map(|kind| kind.what.node().memory()).collect())
    }

    pub(crate) fn at<'a>(&'a self, k: usize, x: &'a [f64], u: &'a [f64]) -> At<'a> {
        let Place { time, dt, parameters, .. } = &self.places[k];
        At { node: k, time: *time, dt: *dt, x, u, parameters: &self.parameters[parameters.clone()] }
    }
    fn fault(&self, k: usize, error: NodeError) -> Fault {
        Fault { node: k, phase: self.phase_of(k).into(), term: error.term, reason: Box::new(error.reason) }
    }

    /// Cost of a node, its next state and its equalities.
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
        eq: &mut [f64],
    ) -> Result<f64, Fault> {
        let memory = &mut memory.0[self.places[k].kind];
        self.node(k).value(self.at(k, x, u), memory, next, eq).map_err(|error| self.fault(k, error))
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
        let memory = &mut memory.0[self.places[k].kind];
        self.node(k).linearize(self.at(k, x, u), memory, out).map_err(|error| self.fault(k, error))
    }
    /// Controls that hold a node's configuration still, as well as they can.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn hold(&self, k: usize, x: &[f64], memory: &mut ProblemMemory, u: &mut [f64]) -> Result<(), Fault> {
        let memory = &mut memory.0[self.places[k].kind];
        self.node(k).hold(self.at(k, x, &[]), memory, u).map_err(|error| self.fault(k, error))
    }
    /// What each cost of a node is, by name.
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
        let memory = &mut memory.0[self.places[k].kind];
        self.node(k).costs(self.at(k, x, u), memory).map_err(|error| self.fault(k, error))
    }
    /// Multipliers of contacts, or impulses, at a node.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn forces(&self, k: usize, x: &[f64], u: &[f64], memory: &mut ProblemMemory) -> Result<Vec<f64>, Fault> {
        let memory = &mut memory.0[self.places[k].kind];
        self.node(k).forces(self.at(k, x, u), memory).map_err(|error| self.fault(k, error))
    }
}

/// Memory of one thread for all phases of a problem.
pub struct ProblemMemory(Vec<Memory>);

impl std::fmt::Debug for ProblemMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProblemMemory").field("phases", &self.0.len()).finish()
    }
}

/// Is a node one of this space, that brings its own costs?
fn check_own(phase: &str, node: &dyn Node, space: &Space<'_>, brings_more: bool) -> Result<(), ProblemError> {
    let place = || format!("phase `{phase}`");
    let Dims { nx, ndx, nu, .. } = node.dims();
    let lengths = [
        ("the list of numbers of its node's states", space.nx(), nx),
        ("the list of directions of its node's states", space.ndx(), ndx),
        ("the list of its node's bounds of controls", nu, node.control_bounds().map_or(nu, |(lower, _)| lower.len())),
        ("the list of its node's bounds of controls", nu, node.control_bounds().map_or(nu, |(_, upper)| upper.len())),
    ];
    for (what, expected, found) in lengths {
        if expected != found {
            return Err(ProblemError::Length { place: place(), what, expected, found });
        }
    }
    if brings_more || node.is_last() {
        let what = "costs, bounds and steps of nodes of one's own are in the node";
        return Err(ProblemError::Missing { place: place(), what });
    }
    Ok(())
}

fn check_goal(
    name: &str,
    residual: &dyn crate::residual::Residual,
    goal: &[f64],
    expected: usize,
) -> Result<(), ProblemError> {
    let place = || format!("cost `{name}`");
    if goal.len() != expected {
        return Err(ProblemError::Length { place: place(), what: "the goal", expected, found: goal.len() });
    }
    if let Some(x) = goal.iter().find(|x| !x.is_finite()) {
        let (what, rule) = ("an entry of the goal", "it must be finite");
        return Err(ProblemError::Number { place: place(), what, value: *x, rule });
    }
    residual.check_goal(goal).map_err(|why| ProblemError::Goal { place: place(), why })
}

fn check_bounds(phase: &str, nu: usize, lower: &[f64], upper: &[f64]) -> Result<(), ProblemError> {
    let place = || format!("phase `{phase}`");
    for (what, found) in [("the list of least controls", lower.len()), ("the list of greatest controls", upper.len())] {
        if found != nu {
            return Err(ProblemError::Length { place: place(), what, expected: nu, found });
        }
    }
    match lower.iter().zip(upper).find(|(l, u)| l.is_nan() || u.is_nan() || l > u) {
        Some((l, _)) => Err(ProblemError::Number {
            place: place(),
            what: "a least control",
            value: *l,
            rule: "it must not be above the greatest",
        }),
        None => Ok(()),
    }
}
