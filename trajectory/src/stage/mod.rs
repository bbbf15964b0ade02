//! A node of a robot: a step, costs, and constraints.

mod between;
mod constraints;
mod curvature;
mod free_duration;
mod memory;
mod node;
mod parameter_node;
mod static_variables;

use crate::constraint::PathConstraint;
use crate::cost::{Cost, Where};
use crate::fault::{Item, ProblemError, ProblemPlace, Reason, finite};
use crate::loss::Loss;
use crate::node::{At, Memory, NodeError};
use crate::quadratic::Quadratic;
use crate::residual::{Depends, PhaseInfo, Residual, ResidualPoint};
use crate::space::Space;
use crate::step::{ContactRows, Sensitivities, Step, StepView};
use constraints::StageConstraint;
pub(crate) use free_duration::FreeDuration;
use gradyn::Model;
use memory::{StageMemory, TermMemory, memory_of, view};
pub(crate) use parameter_node::{Domain, ParameterNode};
use static_variables::{RobotAtParameters, bind_parameters};
pub(crate) use static_variables::{StateAugmentation, StaticVariables};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A phase's node: what all its nodes have in common. What differs between them are weights and goals, which come in as
/// parameters.
pub struct Stage {
    model: Arc<Model>,
    /// Numbers of the state beside `(q, v)`: the controls before, or none of them, durations of phases, and parameters.
    memory: StateAugmentation,
    carried: Arc<StaticVariables>,
    /// Controls of its own, without those that are parameters to the node.
    nu: usize,
    /// Of a phase whose duration is free.
    clock: Option<FreeDuration>,
    /// None at the last node.
    step: Option<Box<dyn Step>>,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    terms: Vec<StageCost>,
    held: Vec<StageConstraint>,
    /// Equalities, those of the step first, and rows between bounds.
    n_eq: usize,
    n_in: usize,
    parameters: usize,
}

/// A cost, with where its numbers stand in the parameters of a node.
struct StageCost {
    name: String,
    residual: Box<dyn Residual>,
    loss: Loss,
    /// Whether it is an integral over time.
    integrated: bool,
    weight: usize,
    goal: Range<usize>,
}

/// Where a term's parameters stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) weight: usize,
    pub(crate) goal: Range<usize>,
}

/// Where a constraint's parameters stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConstraintSlots {
    pub(crate) counts: usize,
    pub(crate) goal: Range<usize>,
    pub(crate) lower: Range<usize>,
    pub(crate) upper: Range<usize>,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<_> = self.terms.iter().map(|term| &term.name).collect();
        f.debug_struct("Stage").field("step", &self.step).field("terms", &terms).finish_non_exhaustive()
    }
}

/// What a stage is made of.
#[derive(Default)]
pub(crate) struct Content {
    pub(crate) clock: Option<FreeDuration>,
    pub(crate) carried: Arc<StaticVariables>,
    /// None at the last node.
    pub(crate) step: Option<Box<dyn Step>>,
    pub(crate) bounds: Option<(Vec<f64>, Vec<f64>)>,
    pub(crate) costs: Vec<Cost>,
    pub(crate) constraints: Vec<PathConstraint>,
}

impl Stage {
    /// Of a step, or of none at the end.
    pub(crate) fn new(
        phase: &Item,
        model: &Arc<Model>,
        memory: StateAugmentation,
        Content { clock, carried, mut step, bounds, costs, constraints }: Content,
    ) -> Result<Self, ProblemError> {
        let nu = step.as_ref().map_or(0, |step| step.controls());
        let place = || ProblemPlace::Phase(phase.clone());
        if let (Some(numbers), Some(step)) = (&carried.numbers, &mut step)
            && !step.vary(numbers)
        {
            let what = "its step has no derivatives by parameters of the robot";
            return Err(ProblemError::Missing { place: place(), what });
        }
        let contacts = step.as_ref().map_or([].as_slice(), |step| step.contacts());
        let jumps = step.as_ref().is_none_or(|step| step.jumps());
        let at = place();
        let info = PhaseInfo { name: &phase.name, place: &at, model, nu, remembered: memory.rates, contacts };
        step.as_ref().map_or(Ok(()), |step| step.check(model, &at))?;
        let (mut terms, mut parameters) = (Vec::<StageCost>::new(), 0);
        for cost in costs {
            let Cost { name, mut residual, loss, weight, place: along, .. } = cost;
            if terms.iter().any(|term| term.name == name) {
                return Err(ProblemError::Twice { place: place(), what: "costs", name });
            }
            let at =
                ProblemPlace::Cost { phase: Box::new(phase.clone()), cost: Box::new(Item::new(terms.len(), &name)) };
            if !(weight.is_finite() && weight >= 0.0) {
                let (what, rule) = ("the weight", "it must be finite and not negative");
                return Err(ProblemError::Number { place: at, what, value: weight, rule });
            }
            residual.bind(&PhaseInfo { place: &at, ..info })?;
            bind_parameters(&mut *residual, &carried, &at)?;
            loss.check(&at, residual.rows())?;
            let goal = parameters + 1..parameters + 1 + residual.goal().len();
            let integrated = along == Where::Along && !jumps;
            terms.push(StageCost { name, residual, loss, integrated, weight: parameters, goal: goal.clone() });
            parameters = goal.end;
        }
        let (mut held, mut n_in) = (Vec::<StageConstraint>::new(), 0);
        let mut n_eq = step.as_ref().map_or(0, |step| step.equalities());
        for constraint in constraints {
            if held.iter().any(|held| held.name == constraint.name) {
                return Err(ProblemError::Twice { place: place(), what: "constraints", name: constraint.name });
            }
            let item = Item::new(held.len(), &constraint.name);
            let at = ProblemPlace::Constraint { phase: Box::new(phase.clone()), constraint: Box::new(item) };
            held.push(StageConstraint::new(
                constraint,
                &PhaseInfo { place: &at, ..info },
                &carried,
                &mut parameters,
                [&mut n_eq, &mut n_in],
            )?);
        }
        Ok(Self { model: model.clone(), memory, carried, nu, clock, step, bounds, terms, held, n_eq, n_in, parameters })
    }

    pub(crate) fn parameters(&self) -> usize {
        self.parameters
    }
    /// Names of the terms, their parameters, and residuals.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&str, Slots, &dyn Residual)> {
        let slots = |term: &StageCost| Slots { weight: term.weight, goal: term.goal.clone() };
        self.terms.iter().map(move |term| (term.name.as_str(), slots(term), &*term.residual))
    }
    /// The same without names, with their losses.
    pub(crate) fn terms_with_losses(&self) -> impl Iterator<Item = (Slots, &dyn Residual, &Loss)> {
        let slots = |term: &StageCost| Slots { weight: term.weight, goal: term.goal.clone() };
        self.terms.iter().map(move |term| (slots(term), &*term.residual, &term.loss))
    }
    /// Names of the constraints, their parameters, and residuals.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = (&str, ConstraintSlots, &dyn Residual)> {
        let slots = |held: &StageConstraint| ConstraintSlots {
            counts: held.counts,
            goal: held.goal.clone(),
            lower: held.lower.clone(),
            upper: held.upper.clone(),
        };
        self.held.iter().map(move |held| (held.name.as_str(), slots(held), &*held.residual))
    }
    /// Whether a constraint, by name, is affine in configuration, velocity and controls alone.
    pub(crate) fn is_affine(&self, constraint: &str) -> bool {
        let of = self.held.iter().find(|held| held.name == constraint);
        of.is_some_and(|held| {
            let Depends { a, f, w, h, .. } = held.residual.depends();
            held.cone().is_none() && held.residual.is_linear() && !(a || f || w || h)
        })
    }
    /// Whether a constraint, by name, depends on configuration and velocity alone.
    pub(crate) fn sees_state_alone(&self, constraint: &str) -> bool {
        let of = self.held.iter().find(|held| held.name == constraint);
        of.is_some_and(|held| {
            let Depends { u, a, f, w, h, .. } = held.residual.depends();
            held.cone().is_none() && !(u || a || f || w || h)
        })
    }
    /// As [`Step::held`].
    pub(crate) fn held_by_step(&self) -> &[gradyn::Constraint] {
        self.step.as_ref().map_or(&[], |step| step.held())
    }
    /// As [`Step::is_affine`].
    pub(crate) fn moves_affinely(&self) -> bool {
        self.step.as_ref().is_some_and(|step| step.is_affine(&self.model))
    }
    /// As [`Step::moves_by`].
    pub(crate) fn moves_by(&self) -> Option<[f64; 2]> {
        self.step.as_ref().and_then(|step| step.moves_by())
    }
    /// Whether the state jumps instantaneously.
    pub(crate) fn jumps(&self) -> bool {
        self.step.as_ref().is_some_and(|step| step.jumps())
    }
    /// Where the contacts have their rows.
    pub(crate) fn contacts(&self) -> &[ContactRows] {
        self.step.as_ref().map_or(&[], |step| step.contacts())
    }

    fn space(&self) -> Space<'_> {
        Space { model: &self.model, memory: self.memory.count() }
    }
    /// The column of A by the duration.
    fn differentiate_length(&self, at: At<'_>, memory: &mut StageMemory, out: &mut Quadratic) -> Result<(), NodeError> {
        let (Some(clock), Some(step)) = (&self.clock, &self.step) else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let share = at.dt / clock.duration(w)?;
        let StageMemory { model, varied, workspace, derivatives, step: own, a, f, by, by_length, .. } = memory;
        let (u, made) = varied.as_ref().map_or((at.u, &*out), |varied| (&varied.u, &varied.inner));
        let mut on = StepView { model, at, q, v, u, workspace, derivatives, own: &mut **own, a, f };
        let nv = v.len();
        step.dt_derivative(&mut on, by, made, &mut by_length[..2 * nv])?;
        for (i, x) in by_length[..2 * nv].iter().enumerate() {
            out.a[(i, 2 * nv + clock.index)] = share * x;
        }
        Ok(())
    }
    /// Whether accelerations of its step depend on the step length, and the length is free.
    fn sees_length(&self) -> bool {
        self.clock.is_some() && self.step.as_ref().is_some_and(|step| step.acceleration_depends_on_dt())
    }
    fn sizes(&self) -> (usize, usize) {
        (self.nu, self.step.as_ref().map_or(0, |step| step.multipliers()))
    }

    /// The step over `f64`, and what is remembered.
    fn advance(&self, at: At<'_>, memory: &mut StageMemory, next: &mut [f64], eq: &mut [f64]) -> Result<(), NodeError> {
        self.settle(at, memory)?;
        let Some(step) = &self.step else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let StageMemory { model, varied, workspace, derivatives, step: own, a, f, .. } = memory;
        let u = varied.as_ref().map_or(at.u, |varied| &varied.u);
        let mut on = StepView { model, at, q, v, u, workspace, derivatives, own: &mut **own, a, f };
        let (state, remembered) = next.split_at_mut(q.len() + v.len());
        // Those of the step come first.
        let own = step.equalities().min(eq.len());
        step.next(&mut on, state, &mut eq[..own])?;
        self.remember(at.u, w, remembered);
        finite("the next state", next)?;
        Ok(())
    }

    /// The remembered controls after the step: its own, or the previous ones if it has none.
    fn remember(&self, u: &[f64], before: &[f64], to: &mut [f64]) {
        let rates = self.memory.rates;
        to.copy_from_slice(before);
        if u.len() == rates {
            to[..rates].copy_from_slice(u);
        }
    }
    /// The step with its derivatives.
    fn differentiate(&self, at: At<'_>, memory: &mut StageMemory, out: &mut Quadratic) -> Result<(), NodeError> {
        self.settle(at, memory)?;
        let Some(step) = &self.step else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let StageMemory { model, varied, workspace, derivatives, step: own, a, f, by, .. } = memory;
        let (u, inner) = match varied.as_deref_mut() {
            None => (at.u, None),
            Some(RobotAtParameters { u, inner }) => (&u[..], Some(inner)),
        };
        let mut on = StepView { model, at, q, v, u, workspace, derivatives, own: &mut **own, a, f };
        match inner {
            None => step.linearize(&mut on, by, out)?,
            Some(inner) => {
                step.linearize(&mut on, by, inner)?;
                self.put_in(inner, out);
            }
        }
        let nx = q.len() + v.len();
        self.remember(at.u, w, &mut out.next[nx..]);
        let ndx = 2 * v.len();
        let rates = self.memory.rates;
        for i in 0..self.memory.count() {
            let keeps = i >= rates || at.u.len() != rates;
            out.a[(ndx + i, ndx + i)] = f64::from(keeps);
            if !keeps {
                out.b[(ndx + i, i)] = 1.0;
            }
        }
        finite("the next state", &out.next)?;
        self.differentiate_length(at, memory, out)?;
        Ok(())
    }

    /// The step alone, for checks: acceleration and multipliers one after the other into `made`.
    pub(crate) fn step(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        next: &mut [f64],
        eq: &mut [f64],
        made: &mut [f64],
    ) -> Result<(), NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        self.advance(at, memory, next, eq)?;
        let (a, f) = made.split_at_mut(memory.a.len());
        a.copy_from_slice(&memory.a);
        f.copy_from_slice(&memory.f);
        Ok(())
    }
    /// The step alone with its derivatives, for checks.
    pub(crate) fn step_derivatives(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        out: &mut Quadratic,
    ) -> Result<Sensitivities, NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        self.differentiate(at, memory, out)?;
        Ok(memory.by.clone())
    }
    /// Runs with a term's residual and its view, acceleration and multipliers given: for checks.
    pub(crate) fn view<R>(
        &self,
        term: usize,
        at: At<'_>,
        (a, f): (&[f64], &[f64]),
        memory: &mut Memory,
        run: impl FnOnce(&dyn Residual, &mut ResidualPoint<'_>) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        let memory = memory_of(memory)?;
        self.settle(at, memory)?;
        memory.a.copy_from_slice(a);
        memory.f.copy_from_slice(f);
        let (term, TermMemory { own, .. }) = (&self.terms[term], &mut memory.terms[term]);
        run(&*term.residual, &mut view!(self, at, memory, term, own))
    }
    /// Acceleration and multipliers of the last step.
    pub(crate) fn made(&self, memory: &mut Memory) -> Result<(Vec<f64>, Vec<f64>), Reason> {
        let memory = memory_of(memory)?;
        Ok((memory.a.clone(), memory.f.clone()))
    }
}

impl StageConstraint {
    fn error(&self, reason: impl Into<Reason>) -> NodeError {
        NodeError { term: Some(self.name.clone()), reason: reason.into() }
    }
}

impl StageCost {
    fn weight_at(&self, at: &At<'_>) -> f64 {
        at.parameters[self.weight] * if self.integrated { at.dt } else { 1.0 }
    }
    fn error(&self, reason: impl Into<Reason>) -> NodeError {
        NodeError { term: Some(self.name.clone()), reason: reason.into() }
    }
}
