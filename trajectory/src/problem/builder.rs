//! Builds a problem from the descriptions of its phases.

use super::node_parameters::Values;
use super::parameters::{DURATIONS, PARAMETERS, named};
use super::phase::Content;
use super::{NodeEntry, Phase, PhaseContent, PhaseEntry, Problem};
use crate::constraint::PathConstraint;
use crate::cost::Cost;
use crate::fault::{Item, ProblemError, ProblemPlace};
use crate::node::Node;
use crate::parameter::Parameter;
use crate::quadratic::Dims;
use crate::space::Space;
use crate::stage::{self, FreeDuration, Stage, StateAugmentation};
use gradyn::Model;
use std::sync::Arc;

/// Consecutive phases, from a start, to be [built](Self::build) into a [`Problem`].
#[derive(Debug)]
pub struct ProblemBuilder {
    model: Arc<Model>,
    q: Vec<f64>,
    v: Vec<f64>,
    phases: Vec<Phase>,
    last: Vec<Cost>,
    last_constraints: Vec<PathConstraint>,
    remembers: bool,
    before: Option<Vec<f64>>,
    parameters: Vec<Parameter>,
}

impl ProblemBuilder {
    /// Of a robot, starting at its neutral configuration, at rest.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let (q, v) = (model.neutral(), vec![0.0; model.nv()]);
        Self {
            model: Arc::new(model.clone()),
            q,
            v,
            phases: Vec::new(),
            last: Vec::new(),
            last_constraints: Vec::new(),
            remembers: false,
            before: None,
            parameters: Vec::new(),
        }
    }
    /// Starting at this state, nq and nv.
    #[must_use]
    pub fn start(mut self, q: &[f64], v: &[f64]) -> Self {
        (self.q, self.v) = (q.to_vec(), v.to_vec());
        self
    }
    /// With a phase, after the previous ones.
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
    /// With a constraint at the last node.
    #[must_use]
    pub fn last_constraint(mut self, constraint: PathConstraint) -> Self {
        self.last_constraints.push(constraint);
        self
    }
    /// With the controls of the previous step in the state, for costs of their rates. All phases must have the same
    /// number of controls, except those without controls. Before the first step they are those that hold the start
    /// still, as well as possible ([`Problem::hold`]), unless [given](Self::controls_before).
    #[must_use]
    pub fn remember_controls(mut self) -> Self {
        self.remembers = true;
        self
    }
    /// With these controls before the first step, nu of the phases that have controls, and with controls
    /// [in the state](Self::remember_controls).
    #[must_use]
    pub fn controls_before(mut self, u: &[f64]) -> Self {
        self.before = Some(u.to_vec());
        self.remember_controls()
    }

    /// With a parameter that the solver chooses: a mass, a foothold. A node before all others chooses it, so all other
    /// nodes are one later.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// The problem.
    ///
    /// # Errors
    /// The error of the description, and where it is.
    pub fn build(self) -> Result<Problem, ProblemError> {
        let Self { model, q, v, phases, last, last_constraints, remembers, before, parameters } = self;
        let input = |error| ProblemError::Input { place: "the start".into(), error: Box::new(error) };
        model.check_configuration(&q).map_err(input)?;
        model.check_tangent("v", &v).map_err(input)?;
        if phases.is_empty() {
            return Err(ProblemError::Missing { place: "the problem".into(), what: "it has no phase" });
        }
        let rates = if remembers { remembered_controls(&phases)? } else { 0 };
        let said = before.map(|before| check_before(before, rates)).transpose()?;
        let free: Vec<_> = phases.iter().filter_map(|phase| Some((phase, phase.duration?))).collect();
        // The guess of a duration is what its steps add up to, or the bound that is next to it.
        let mut carried: Vec<f64> = Vec::with_capacity(free.len());
        let clocks: Vec<_> = free.iter().enumerate().map(|(i, (phase, _))| (phase.name.clone(), rates + i)).collect();
        for (phase, [lower, upper]) in &free {
            let index = phases.iter().position(|other| other.name == phase.name).unwrap_or(0);
            check_duration(index, phase, *lower, *upper)?;
            carried.push(phase.length().max(*lower).min(*upper));
        }
        let mut bounds: Vec<_> = free.iter().map(|(_, bounds)| *bounds).collect();
        let durations = carried.len();
        let mut least = vec![0.0; durations];
        let named = named(&model, &parameters, rates, &mut carried, &mut bounds, &mut least)?;
        let mut problem = Problem {
            model,
            memory: StateAugmentation { rates, durations, parameters: carried.len() - durations },
            clocks,
            carried: Arc::new(named),
            start: [q, v, said.clone().unwrap_or_else(|| vec![0.0; rates]), carried].concat(),
            phases: Vec::new(),
            nodes: Vec::new(),
            parameters: Vec::new(),
            implied: Vec::new(),
        };
        if !bounds.is_empty() {
            problem.add_choice(&bounds, least, durations, rates);
        }
        let mut time = 0.0;
        for phase in phases {
            if phase.name == PARAMETERS && problem.memory.parameters > 0 {
                let (place, name) = ("the problem".into(), PARAMETERS.into());
                return Err(ProblemError::Twice { place, what: "phases", name });
            }
            time = problem.add_phase(phase, time)?;
        }
        let (first, end) = (problem.nodes.len(), problem.next_phase("end"));
        let last_constraints = problem.without_implied(last_constraints);
        let values = Values::of(&last, &last_constraints);
        let stage = {
            let carried = problem.carried.clone();
            let content = stage::Content { carried, costs: last, constraints: last_constraints, ..Default::default() };
            Stage::new(&end, &problem.model, problem.memory, content)?
        };
        problem.add_node((&end, &stage), &values, [0, 1], [time, 0.0])?;
        problem.phases.push(PhaseEntry { name: "end".into(), content: PhaseContent::Stage(stage), first });
        if rates > 0 && said.is_none() {
            problem.remember_static_controls(rates)?;
        }
        Ok(problem)
    }
}

/// Checks that the controls before the first step are finite, and as many as are carried.
fn check_before(before: Vec<f64>, rates: usize) -> Result<Vec<f64>, ProblemError> {
    let place = ProblemPlace::Argument("the controls before the first step");
    place.check_length("the list of controls", rates, before.len())?;
    match before.iter().find(|u| !u.is_finite()) {
        Some(u) => {
            let (what, rule) = ("a control", "it must be finite");
            Err(ProblemError::Number { place, what, value: *u, rule })
        }
        None => Ok(before),
    }
}

impl Problem {
    /// Before the first step, controls are those that hold the start still.
    fn remember_static_controls(&mut self, rates: usize) -> Result<(), ProblemError> {
        let first = usize::from(self.choice().is_some());
        let Some(k) = (first..self.steps()).find(|k| self.dims(*k).nu == rates) else { return Ok(()) };
        let mut before = vec![0.0; rates];
        let held = self.hold(k, &self.start, &mut self.memory(), &mut before);
        if held.is_err() || before.iter().any(|u| !u.is_finite()) {
            let what = "no controls hold the start still: say what controls were before the first step";
            return Err(ProblemError::Missing { place: self.phase_place(k), what });
        }
        let from = self.model.nq() + self.model.nv();
        self.start[from..from + rates].copy_from_slice(&before);
        Ok(())
    }
}

/// Checks that the duration of a phase can be free, between these bounds.
fn check_duration(index: usize, phase: &Phase, lower: f64, upper: f64) -> Result<(), ProblemError> {
    let place = || ProblemPlace::Duration(Item::new(index, &phase.name));
    if phase.name == DURATIONS {
        return Err(ProblemError::Twice { place: "the problem".into(), what: "phases", name: DURATIONS.into() });
    }
    let known = matches!(&phase.content, Content::Step(step) if step.has_dt_derivative());
    if !known {
        let what = "its duration cannot be free: only Euler's steps have derivatives by their length";
        return Err(ProblemError::Missing { place: place(), what });
    }
    let number = |what, value, rule| Err(ProblemError::Number { place: place(), what, value, rule });
    if !(lower.is_finite() && lower > 0.0) {
        return number("the least duration", lower, "it must be positive, s");
    }
    if upper.is_nan() || upper < lower {
        return number("the greatest duration", upper, "it must not be below the least");
    }
    Ok(())
}

/// The number of controls of each phase that has any.
fn remembered_controls(phases: &[Phase]) -> Result<usize, ProblemError> {
    let mut counts = phases.iter().map(|phase| phase.content.controls()).enumerate().filter(|(_, nu)| *nu > 0);
    let Some((_, expected)) = counts.next() else { return Ok(0) };
    match counts.find(|(_, nu)| *nu != expected) {
        Some((k, found)) => Err(ProblemError::Length {
            place: ProblemPlace::Phase(Item::new(k, &phases[k].name)),
            what: "the list of controls that are remembered",
            expected,
            found,
        }),
        None => Ok(expected),
    }
}

impl Problem {
    /// The next phase of the description, by number and name. The node that chooses parameters is none.
    fn next_phase(&self, name: &str) -> Item {
        Item::new(self.phases.len() - usize::from(self.choice().is_some()), name)
    }

    fn add_phase(&mut self, phase: Phase, start: f64) -> Result<f64, ProblemError> {
        let length = phase.length();
        let Phase { name, nodes, content, dt, costs, constraints, bounds, duration: _ } = phase;
        let clock = self
            .clocks
            .iter()
            .find(|(free, _)| *free == name)
            .map(|(_, index)| FreeDuration { index: *index, nominal: length });
        let item = self.next_phase(&name);
        let place = || ProblemPlace::Phase(item.clone());
        if nodes == 0 {
            return Err(ProblemError::Missing { place: place(), what: "it has no node" });
        }
        if self.phases.iter().any(|phase| phase.name == name) {
            return Err(ProblemError::Twice { place: "the problem".into(), what: "phases", name });
        }
        let dt = if dt.len() == 1 { vec![dt[0]; nodes] } else { dt };
        place().check_length("the list of lengths of steps", nodes, dt.len())?;
        let (good, rule): (fn(&f64) -> bool, _) = match &content {
            Content::Step(step) if step.jumps() => (|dt| *dt == 0.0, "a jump takes no time"),
            Content::Step(_) => (|dt| dt.is_finite() && *dt > 0.0, "it must be positive, s"),
            Content::Own(_) => (|dt| dt.is_finite() && *dt >= 0.0, "it must not be negative, s"),
        };
        if let Some(dt) = dt.iter().find(|dt| !good(dt)) {
            return Err(ProblemError::Number { place: place(), what: "the length of a step", value: *dt, rule });
        }
        if let Some((lower, upper)) = &bounds {
            check_control_bounds(&place(), content.controls(), lower, upper)?;
        }
        let first = self.nodes.len();
        let mut time = start;
        let content = match content {
            Content::Step(step) => {
                let values = Values::of(&costs, &constraints);
                let carried = self.carried.clone();
                let content = stage::Content { clock, carried, step: Some(step), bounds, costs, constraints };
                let stage = Stage::new(&item, &self.model, self.memory, content)?;
                for (k, dt) in dt.iter().enumerate() {
                    self.add_node((&item, &stage), &values, [k, nodes], [time, *dt])?;
                    time += dt;
                }
                PhaseContent::Stage(stage)
            }
            Content::Own(node) => {
                let brings_more = !costs.is_empty() || !constraints.is_empty() || bounds.is_some();
                check_own(&place(), &*node, &self.space(), brings_more)?;
                for dt in &dt {
                    let none = self.parameters.len()..self.parameters.len();
                    self.nodes.push(NodeEntry { phase: self.phases.len(), time, dt: *dt, parameters: none });
                    time += dt;
                }
                PhaseContent::Own(node)
            }
        };
        self.phases.push(PhaseEntry { name, content, first });
        Ok(time)
    }
}

/// Checks that a node belongs to this space and has its own costs.
fn check_own(place: &ProblemPlace, node: &dyn Node, space: &Space<'_>, brings_more: bool) -> Result<(), ProblemError> {
    let Dims { nx, ndx, nu, .. } = node.dims();
    let lengths = [
        ("the list of numbers of its node's states", space.nx(), nx),
        ("the list of directions of its node's states", space.ndx(), ndx),
        ("the list of its node's bounds of controls", nu, node.control_bounds().map_or(nu, |(lower, _)| lower.len())),
        ("the list of its node's bounds of controls", nu, node.control_bounds().map_or(nu, |(_, upper)| upper.len())),
    ];
    lengths.into_iter().try_for_each(|(what, expected, found)| place.check_length(what, expected, found))?;
    if brings_more || node.is_last() {
        let what = "costs, bounds and steps of nodes of one's own are in the node";
        return Err(ProblemError::Missing { place: place.clone(), what });
    }
    Ok(())
}

fn check_control_bounds(place: &ProblemPlace, nu: usize, lower: &[f64], upper: &[f64]) -> Result<(), ProblemError> {
    place.check_length("the list of least controls", nu, lower.len())?;
    place.check_length("the list of greatest controls", nu, upper.len())?;
    let none = |(l, u): &(&f64, &f64)| l.is_nan() || u.is_nan() || l > u;
    match lower.iter().zip(upper).find(none) {
        Some((l, _)) => Err(ProblemError::Number {
            place: place.clone(),
            what: "a least control",
            value: *l,
            rule: "it must not be above the greatest",
        }),
        None => Ok(()),
    }
}
