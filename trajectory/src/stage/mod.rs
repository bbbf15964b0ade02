//! A node of a robot: a step, costs, and constraints.

mod clock;
mod constraints;
mod curvature;

use crate::constraint::PathConstraint;
use crate::cost::{Cost, Where};
use crate::fault::{ProblemError, Reason, finite};
use crate::gauss_newton::{self, GaussNewton};
use crate::loss::Loss;
use crate::node::{At, Memory, Node, NodeError, Row};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::residual::{Jacobian, PhaseInfo, Residual, View, Weights};
use crate::space::Space;
use crate::step::{ContactRows, Sensitivities, Step, StepView};
pub(crate) use clock::{Choice, Clock};
use constraints::Held;
use curvature::CurvatureMemory;
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A phase's node: what all its nodes have in common. What differs between them are weights and goals, which come in as parameters.
pub struct Stage {
    model: Arc<Model>,
    /// Numbers of the state beside `(q, v)`: the controls before, or none of them, and durations of phases.
    memory: Remembered,
    /// Of a phase whose duration is free.
    clock: Option<Clock>,
    /// None at the last node.
    step: Option<Box<dyn Step>>,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    terms: Vec<Term>,
    held: Vec<Held>,
    /// Equalities, those of the step first, and rows between bounds.
    n_eq: usize,
    n_in: usize,
    parameters: usize,
}

/// A cost, with where its numbers stand in the parameters of a node.
struct Term {
    name: String,
    residual: Box<dyn Residual>,
    loss: Loss,
    /// Is it an integral over time?
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

/// Memory of a stage, for one thread.
struct StageMemory {
    workspace: Workspace,
    derivatives: DerivativeWorkspace,
    step: Box<dyn Any + Send>,
    by: Sensitivities,
    a: Vec<f64>,
    f: Vec<f64>,
    terms: Vec<TermMemory>,
    held: Vec<TermMemory>,
    gauss_newton: GaussNewton,
    /// Made when first asked for.
    curvature: Option<CurvatureMemory>,
    /// Gradients of what is integrated over time, where its length is free.
    integrated: [DVector<f64>; 2],
    by_length: Vec<f64>,
}

/// What states remember: the controls of the step before, and durations of phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    pub(crate) rates: usize,
    pub(crate) durations: usize,
}

impl Remembered {
    pub(crate) fn count(self) -> usize {
        self.rates + self.durations
    }
}

struct TermMemory {
    own: Box<dyn Any + Send>,
    r: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    by: Jacobian,
    /// Weights of a full loss, times the weight of the cost.
    full: DMatrix<f64>,
    /// Has it been differentiated? Residuals may allocate then, the first time only.
    warm: bool,
}

impl TermMemory {
    fn new(residual: &dyn Residual, loss: &Loss, [nv, nu, rows, remembered]: [usize; 4]) -> Self {
        let (m, depends) = (residual.rows(), residual.depends());
        Self {
            own: residual.memory(),
            r: vec![0.0; m],
            gradient: vec![0.0; m],
            diagonal: vec![0.0; m],
            by: Jacobian::new(m, depends, nv, nu, rows, remembered),
            full: if let Loss::Full(w) = loss { w.clone() } else { DMatrix::zeros(0, 0) },
            warm: false,
        }
    }
}

/// A residual's view of a node, taken from a stage's memory field by field.
macro_rules! view {
    ($stage:expr, $at:expr, $memory:expr, $term:expr, $own:expr) => {{
        let (q, v, w) = $stage.space().split($at.x);
        View {
            model: &$stage.model,
            q,
            v,
            w: &w[..$stage.memory.rates],
            u: $at.u,
            a: &$memory.a,
            f: &$memory.f,
            time: $at.time,
            dt: $at.dt,
            goal: &$at.parameters[$term.goal.clone()],
            workspace: &mut $memory.workspace,
            derivatives: &mut $memory.derivatives,
            own: &mut **$own,
        }
    }};
}

use view;

impl Stage {
    /// Of a step, or of none at the end.
    pub(crate) fn new(
        phase: &str,
        model: &Arc<Model>,
        memory: Remembered,
        clock: Option<Clock>,
        step: Option<Box<dyn Step>>,
        bounds: Option<(Vec<f64>, Vec<f64>)>,
        costs: Vec<Cost>,
        constraints: Vec<PathConstraint>,
    ) -> Result<Self, ProblemError> {
        let (nu, contacts) = step.as_ref().map_or((0, [].as_slice()), |step| (step.controls(), step.contacts()));
        let jumps = step.as_ref().is_none_or(|step| step.jumps());
        let info = PhaseInfo { name: phase, model, nu, remembered: memory.rates, contacts };
        step.as_ref().map_or(Ok(()), |step| step.check(model, &format!("phase `{phase}`")))?;
        let (mut terms, mut parameters) = (Vec::<Term>::new(), 0);
        for cost in costs {
            let Cost { name, mut residual, loss, weight, place, .. } = cost;
            let at = format!("phase `{phase}`, cost `{name}`");
            if terms.iter().any(|term| term.name == name) {
                return Err(ProblemError::Twice { place: format!("phase `{phase}`"), what: "costs", name });
            }
            if !(weight.is_finite() && weight >= 0.0) {
                let (what, rule) = ("the weight", "it must be finite and not negative");
                return Err(ProblemError::Number { place: at, what, value: weight, rule });
            }
            residual.bind(&info)?;
            loss.check(&at, residual.rows())?;
            let goal = parameters + 1..parameters + 1 + residual.goal().len();
            let integrated = place == Where::Along && !jumps;
            terms.push(Term { name, residual, loss, integrated, weight: parameters, goal: goal.clone() });
            parameters = goal.end;
        }
        let (mut held, mut n_in) = (Vec::<Held>::new(), 0);
        let mut n_eq = step.as_ref().map_or(0, |step| step.equalities());
        for constraint in constraints {
            if held.iter().any(|held| held.name == constraint.name) {
                let (place, name) = (format!("phase `{phase}`"), constraint.name);
                return Err(ProblemError::Twice { place, what: "constraints", name });
            }
            held.push(Held::new(constraint, &info, &mut parameters, [&mut n_eq, &mut n_in])?);
        }
        Ok(Self { model: model.clone(), memory, clock, step, bounds, terms, held, n_eq, n_in, parameters })
    }

    pub(crate) fn parameters(&self) -> usize {
        self.parameters
    }
    /// Names of the terms, their parameters, and residuals.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&str, Slots, &dyn Residual)> {
        let slots = |term: &Term| Slots { weight: term.weight, goal: term.goal.clone() };
        self.terms.iter().map(move |term| (term.name.as_str(), slots(term), &*term.residual))
    }
    /// Names of the constraints, their parameters, and residuals.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = (&str, ConstraintSlots, &dyn Residual)> {
        let slots = |held: &Held| ConstraintSlots {
            counts: held.counts,
            goal: held.goal.clone(),
            lower: held.lower.clone(),
            upper: held.upper.clone(),
        };
        self.held.iter().map(move |held| (held.name.as_str(), slots(held), &*held.residual))
    }
    /// Where the contacts have their rows.
    pub(crate) fn contacts(&self) -> &[ContactRows] {
        self.step.as_ref().map_or(&[], |step| step.contacts())
    }

    fn space(&self) -> Space<'_> {
        Space { model: &self.model, memory: self.memory.count() }
    }
    /// A node with the length of its step, where that is free.
    fn timed<'a>(&self, at: At<'a>) -> Result<At<'a>, Reason> {
        match &self.clock {
            None => Ok(at),
            Some(clock) => clock.set(at, self.space().split(at.x).2),
        }
    }
    /// The column of A by the duration.
    fn differentiate_length(&self, at: At<'_>, memory: &mut StageMemory, out: &mut Quadratic) -> Result<(), NodeError> {
        let (Some(clock), Some(step)) = (&self.clock, &self.step) else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let share = at.dt / clock.duration(w)?;
        let StageMemory { workspace, derivatives, step: own, a, f, by, by_length, .. } = memory;
        let mut on = StepView { model: &self.model, at, q, v, u: at.u, workspace, derivatives, own: &mut **own, a, f };
        let nv = v.len();
        step.by_length(&mut on, by, out, &mut by_length[..2 * nv])?;
        for (i, x) in by_length[..2 * nv].iter().enumerate() {
            out.a[(i, 2 * nv + clock.index)] = share * x;
        }
        Ok(())
    }
    /// What is integrated over time costs in proportion to its duration.
    fn spend(&self, at: At<'_>, out: &mut Quadratic) -> Result<(), Reason> {
        let Some(clock) = &self.clock else { return Ok(()) };
        let (_, v, w) = self.space().split(at.x);
        out.lx[2 * v.len() + clock.index] += out.cost / clock.duration(w)?;
        Ok(())
    }
    fn sizes(&self) -> (usize, usize) {
        self.step.as_ref().map_or((0, 0), |step| (step.controls(), step.multipliers()))
    }

    /// The step over `f64`, and what is remembered.
    fn advance(&self, at: At<'_>, memory: &mut StageMemory, next: &mut [f64], eq: &mut [f64]) -> Result<(), NodeError> {
        let Some(step) = &self.step else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let StageMemory { workspace, derivatives, step: own, a, f, .. } = memory;
        let mut on = StepView { model: &self.model, at, q, v, u: at.u, workspace, derivatives, own: &mut **own, a, f };
        let (state, remembered) = next.split_at_mut(q.len() + v.len());
        // Those of the step come first.
        let own = step.equalities().min(eq.len());
        step.next(&mut on, state, &mut eq[..own])?;
        self.remember(at.u, w, remembered);
        finite("the next state", next)?;
        Ok(())
    }

    /// What is remembered after the step: its controls, or what was there before where there are none.
    fn remember(&self, u: &[f64], before: &[f64], to: &mut [f64]) {
        let rates = self.memory.rates;
        to.copy_from_slice(before);
        if u.len() == rates {
            to[..rates].copy_from_slice(u);
        }
    }
    /// The step with its derivatives.
    fn differentiate(&self, at: At<'_>, memory: &mut StageMemory, out: &mut Quadratic) -> Result<(), NodeError> {
        let Some(step) = &self.step else { return Ok(()) };
        let (q, v, w) = self.space().split(at.x);
        let StageMemory { workspace, derivatives, step: own, a, f, by, .. } = memory;
        let mut on = StepView { model: &self.model, at, q, v, u: at.u, workspace, derivatives, own: &mut **own, a, f };
        step.linearize(&mut on, by, out)?;
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
        run: impl FnOnce(&dyn Residual, &mut View<'_>) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        let memory = memory_of(memory)?;
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

fn memory_of(memory: &mut Memory) -> Result<&mut StageMemory, Reason> {
    memory.downcast_mut().ok_or_else(|| Reason::Other("the memory is another node's".into()))
}

impl Held {
    fn error(&self, reason: impl Into<Reason>) -> NodeError {
        NodeError { term: Some(self.name.clone()), reason: reason.into() }
    }
}

impl Term {
    fn weight_at(&self, at: &At<'_>) -> f64 {
        at.parameters[self.weight] * if self.integrated { at.dt } else { 1.0 }
    }
    fn error(&self, reason: impl Into<Reason>) -> NodeError {
        NodeError { term: Some(self.name.clone()), reason: reason.into() }
    }
}

impl Node for Stage {
    fn dims(&self) -> Dims {
        let space = self.space();
        Dims { nx: space.nx(), ndx: space.ndx(), nu: self.sizes().0, n_eq: self.n_eq, n_in: self.n_in }
    }
    fn is_last(&self) -> bool {
        self.step.is_none()
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        self.bounds.as_ref().map(|(lower, upper)| (&lower[..], &upper[..]))
    }
    fn memory(&self) -> Memory {
        let (nu, rows) = self.sizes();
        let nv = self.model.nv();
        let sizes = [nv, nu, rows, self.memory.rates];
        let of_term = |term: &Term| TermMemory::new(&*term.residual, &term.loss, sizes);
        let most = self.terms.iter().map(|term| term.residual.rows()).max().unwrap_or(0);
        Box::new(StageMemory {
            workspace: Workspace::new(&self.model),
            derivatives: DerivativeWorkspace::new(&self.model),
            step: self.step.as_ref().map_or_else(|| Box::new(()) as Box<dyn Any + Send>, |s| s.memory(&self.model)),
            by: Sensitivities::new(nv, nu, rows),
            a: vec![0.0; nv],
            f: vec![0.0; rows],
            terms: self.terms.iter().map(of_term).collect(),
            held: self.held.iter().map(|held| held.memory(sizes)).collect(),
            curvature: None,
            integrated: [DVector::zeros(self.space().ndx()), DVector::zeros(nu)],
            by_length: vec![0.0; if self.clock.is_some() { 2 * nv + nu + 1 } else { 0 }],
            gauss_newton: GaussNewton::new(most, self.space().ndx() + nu),
        })
    }
    fn bounds(&self, at: At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        self.held.iter().for_each(|held| held.write_bounds(&at, lower, upper));
    }
    fn constraint(&self, row: Row) -> Option<&str> {
        self.held.iter().find(|held| held.has(row)).map(|held| held.name.as_str())
    }
    fn value(&self, at: At<'_>, memory: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        let (eq, ineq) = rows.split_at_mut(self.n_eq.min(rows.len()));
        self.advance(at, memory, next, eq)?;
        for (held, TermMemory { own, r, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                held.clear_rows(eq, ineq);
                continue;
            }
            held.residual.value(&mut view!(self, at, memory, held, own), r).map_err(|reason| held.error(reason))?;
            finite("the constraint", r).map_err(|reason| held.error(reason))?;
            held.write_rows(&at, r, eq, ineq);
        }
        let mut cost = 0.0;
        for (term, TermMemory { own, r, .. }) in self.terms.iter().zip(&mut memory.terms) {
            let weight = term.weight_at(&at);
            if weight == 0.0 {
                continue;
            }
            term.residual.value(&mut view!(self, at, memory, term, own), r).map_err(|reason| term.error(reason))?;
            finite("the residual", r).map_err(|reason| term.error(reason))?;
            cost += weight * term.loss.value(r);
        }
        Ok(cost)
    }
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        self.differentiate(at, memory, out)?;
        for (held, TermMemory { own, r, by, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                held.clear_rows(out.eq.as_mut_slice(), out.ineq.as_mut_slice());
                held.clear_jacobian(out);
                continue;
            }
            held.residual
                .jacobian(&mut view!(self, at, memory, held, own), r, by)
                .map_err(|reason| held.error(reason))?;
            finite("the constraint", r).map_err(|reason| held.error(reason))?;
            held.write_rows(&at, r, out.eq.as_mut_slice(), out.ineq.as_mut_slice());
            held.write_jacobian(by, &memory.by, out);
        }
        out.clear_cost();
        // Where time is free, what is integrated over it comes first.
        let order: &[Option<bool>] = if self.clock.is_some() { &[Some(true), Some(false)] } else { &[None] };
        let terms = order.iter().flat_map(|only| (0..self.terms.len()).map(move |i| (only, i)));
        let mut halfway = false;
        for (only, i) in terms {
            let (term, own) = (&self.terms[i], &mut memory.terms[i]);
            if *only == Some(false) && !halfway {
                halfway = true;
                memory.integrated[0].copy_from(&out.lx);
                memory.integrated[1].copy_from(&out.lu);
                self.spend(at, out)?;
            }
            let weight = term.weight_at(&at);
            if weight == 0.0 || only.is_some_and(|only| only != term.integrated) {
                continue;
            }
            let TermMemory { own, r, gradient, diagonal, by, full, warm } = own;
            let mut on = view!(self, at, memory, term, own);
            if *warm && term.loss.is_flat_somewhere() {
                term.residual.value(&mut on, r).map_err(|reason| term.error(reason))?;
                finite("the residual", r).map_err(|reason| term.error(reason))?;
                term.loss.derivatives(r, gradient, diagonal);
                if !gauss_newton::counts(gradient, term.loss.weights(diagonal)) {
                    continue;
                }
            }
            *warm = true;
            term.residual.jacobian(&mut on, r, by).map_err(|reason| term.error(reason))?;
            finite("the residual", r).map_err(|reason| term.error(reason))?;
            out.cost += weight * term.loss.derivatives(r, gradient, diagonal);
            gradient.iter_mut().for_each(|g| *g *= weight);
            diagonal.iter_mut().for_each(|w| *w *= weight);
            let weights = match term.loss.weights(diagonal) {
                Weights::Diagonal(w) => Weights::Diagonal(w),
                Weights::Full(w) => {
                    full.iter_mut().zip(w).for_each(|(full, w)| *full = w * weight);
                    Weights::Full(full)
                }
            };
            let depends = term.residual.depends();
            let through = depends.a || depends.f;
            if through || !term.residual.add_structured(by, gradient, weights, out) {
                memory.gauss_newton.add(by, depends, &memory.by, gradient, weights, out);
            }
        }
        Ok(())
    }
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        self.linearize(at, memory, out)?;
        self.bend(at, memory_of(memory)?, multipliers, out)
    }
    fn hold(&self, at: At<'_>, memory: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        u.fill(0.0);
        let Some(step) = self.step.as_ref().filter(|step| step.accelerates() && step.controls() > 0) else {
            return Ok(());
        };
        let memory = memory_of(memory)?;
        let (q, v, _) = self.space().split(at.x);
        let (rest, still) = (vec![0.0; v.len()], u.to_vec());
        // Accelerations at rest are linear in controls: a = a₀ + a_u u.
        let mut out = Quadratic::new(self.dims(), false);
        let StageMemory { workspace, derivatives, step: own, a, f, by, .. } = memory;
        let model = &self.model;
        let mut on = StepView { model, at, q, v: &rest, u: &still, workspace, derivatives, own: &mut **own, a, f };
        step.linearize(&mut on, by, &mut out)?;
        let svd = by.a_u.clone().svd(true, true);
        // Below a relative 1e-9, singular values are those of directions that controls cannot move.
        let least = 1e-9 * svd.singular_values.max();
        let a0 = DVector::from_column_slice(a);
        if let Ok(x) = svd.solve(&a0, least) {
            u.iter_mut().zip(x.iter()).for_each(|(u, x)| *u = -x);
        }
        Ok(())
    }
    fn costs(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let (at, dims) = (self.timed(at)?, self.dims());
        let mut next = vec![0.0; if self.is_last() { 0 } else { dims.nx }];
        let memory = memory_of(memory)?;
        self.advance(at, memory, &mut next, &mut vec![0.0; dims.n_eq])?;
        let mut costs = Vec::new();
        for (term, TermMemory { own, r, .. }) in self.terms.iter().zip(&mut memory.terms) {
            let weight = term.weight_at(&at);
            if weight > 0.0 {
                term.residual.value(&mut view!(self, at, memory, term, own), r).map_err(|reason| term.error(reason))?;
                costs.push((term.name.clone(), weight * term.loss.value(r)));
            }
        }
        Ok(costs)
    }
    fn forces(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<f64>, NodeError> {
        let (at, dims) = (self.timed(at)?, self.dims());
        let mut next = vec![0.0; if self.is_last() { 0 } else { dims.nx }];
        let memory = memory_of(memory)?;
        self.advance(at, memory, &mut next, &mut vec![0.0; dims.n_eq])?;
        Ok(memory.f.clone())
    }
}
