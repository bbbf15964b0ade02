//! A node of a robot: a step, and costs.

use crate::cost::{Cost, Where};
use crate::fault::{ProblemError, Reason, finite};
use crate::loss::Loss;
use crate::node::{At, Memory, Node, NodeError};
use crate::quadratic::{Dims, Quadratic};
use crate::residual::{Depends, Jacobian, PhaseInfo, Residual, View, Weights};
use crate::space::Space;
use crate::step::{ContactRows, Sensitivities, Step, StepView};
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A phase's node: what all its nodes have in common. What differs between them are weights and goals, which come in as parameters.
pub struct Stage {
    model: Arc<Model>,
    /// Numbers of the state beside `(q, v)`: the controls before, or none.
    remembered: usize,
    /// None at the last node.
    step: Option<Box<dyn Step>>,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    terms: Vec<Term>,
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
}

struct TermMemory {
    own: Box<dyn Any + Send>,
    r: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    by: Jacobian,
    /// The whole Jacobian by state and controls, of residuals that see accelerations or multipliers.
    whole: Jacobian,
}

impl Stage {
    /// Of a step, or of none at the end. `remembered`: numbers of the state beside `(q, v)`, nu or none.
    pub(crate) fn new(
        phase: &str,
        model: &Arc<Model>,
        remembered: usize,
        step: Option<Box<dyn Step>>,
        bounds: Option<(Vec<f64>, Vec<f64>)>,
        costs: Vec<Cost>,
    ) -> Result<Self, ProblemError> {
        let (nu, contacts) = step.as_ref().map_or((0, [].as_slice()), |step| (step.controls(), step.contacts()));
        let jumps = step.as_ref().is_none_or(|step| step.jumps());
        let info = PhaseInfo { name: phase, model, nu, remembered, contacts };
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
        Ok(Self { model: model.clone(), remembered, step, bounds, terms, parameters })
    }

    pub(crate) fn parameters(&self) -> usize {
        self.parameters
    }
    /// Names of the terms, their parameters, and residuals.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&str, Slots, &dyn Residual)> {
        let slots = |term: &Term| Slots { weight: term.weight, goal: term.goal.clone() };
        self.terms.iter().map(move |term| (term.name.as_str(), slots(term), &*term.residual))
    }
    /// Where the contacts have their rows.
    pub(crate) fn contacts(&self) -> &[ContactRows] {
        self.step.as_ref().map_or(&[], |step| step.contacts())
    }

    fn space(&self) -> Space<'_> {
        Space { model: &self.model, memory: self.remembered }
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
        step.next(&mut on, state, eq)?;
        self.remember(at.u, w, remembered);
        finite("the next state", next)?;
        Ok(())
    }

    /// What is remembered after the step: its controls, or what was there before where there are none.
    fn remember(&self, u: &[f64], before: &[f64], to: &mut [f64]) {
        to.copy_from_slice(if u.len() == self.remembered { u } else { before });
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
            w,
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

fn memory_of(memory: &mut Memory) -> Result<&mut StageMemory, Reason> {
    memory.downcast_mut().ok_or_else(|| Reason::Other("the memory is another node's".into()))
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
        let n_eq = self.step.as_ref().map_or(0, |step| step.equalities());
        Dims { nx: space.nx(), ndx: space.ndx(), nu: self.sizes().0, n_eq }
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
        let of_term = |term: &Term| {
            let (m, depends) = (term.residual.rows(), term.residual.depends());
            let sees = depends.a || depends.f;
            let whole = Depends { q: sees, v: sees, u: sees, ..Depends::default() };
            TermMemory {
                own: term.residual.memory(),
                r: vec![0.0; m],
                gradient: vec![0.0; m],
                diagonal: vec![0.0; m],
                by: Jacobian::new(m, depends, nv, nu, rows, self.remembered),
                whole: Jacobian::new(m, whole, nv, nu, 0, 0),
            }
        };
        Box::new(StageMemory {
            workspace: Workspace::new(&self.model),
            derivatives: DerivativeWorkspace::new(&self.model),
            step: self.step.as_ref().map_or_else(|| Box::new(()) as Box<dyn Any + Send>, |s| s.memory(&self.model)),
            by: Sensitivities::new(nv, nu, rows),
            a: vec![0.0; nv],
            f: vec![0.0; rows],
            terms: self.terms.iter().map(of_term).collect(),
        })
    }
    fn value(&self, at: At<'_>, memory: &mut Memory, next: &mut [f64], eq: &mut [f64]) -> Result<f64, NodeError> {
        let memory = memory_of(memory)?;
        self.advance(at, memory, next, eq)?;
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
        let memory = memory_of(memory)?;
        if let Some(step) = &self.step {
            let (q, v, w) = self.space().split(at.x);
            let StageMemory { workspace, derivatives, step: own, a, f, by, .. } = memory;
            let mut on =
                StepView { model: &self.model, at, q, v, u: at.u, workspace, derivatives, own: &mut **own, a, f };
            step.linearize(&mut on, by, out)?;
            let nx = q.len() + v.len();
            self.remember(at.u, w, &mut out.next[nx..]);
            let ndx = 2 * v.len();
            for i in 0..self.remembered {
                let keeps = at.u.len() != self.remembered;
                out.a[(ndx + i, ndx + i)] = f64::from(keeps);
                if !keeps {
                    out.b[(ndx + i, i)] = 1.0;
                }
            }
            finite("the next state", &out.next)?;
        }
        out.clear_cost();
        for (term, own) in self.terms.iter().zip(&mut memory.terms) {
            let weight = term.weight_at(&at);
            if weight == 0.0 {
                continue;
            }
            let TermMemory { own, r, gradient, diagonal, by, whole } = own;
            let mut on = view!(self, at, memory, term, own);
            term.residual.jacobian(&mut on, r, by).map_err(|reason| term.error(reason))?;
            finite("the residual", r).map_err(|reason| term.error(reason))?;
            out.cost += weight * term.loss.derivatives(r, gradient, diagonal);
            gradient.iter_mut().for_each(|g| *g *= weight);
            diagonal.iter_mut().for_each(|w| *w *= weight);
            let full;
            let weights = match term.loss.weights(diagonal) {
                Weights::Diagonal(w) => Weights::Diagonal(w),
                Weights::Full(w) => {
                    full = w * weight;
                    Weights::Full(&full)
                }
            };
            let depends = term.residual.depends();
            if depends.a || depends.f {
                put_in(by, depends, &memory.by, whole);
                add_gauss_newton(whole, gradient, weights, out);
            } else if !term.residual.add_structured(by, gradient, weights, out) {
                add_gauss_newton(by, gradient, weights, out);
            }
        }
        Ok(())
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
        let dims = self.dims();
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
        let dims = self.dims();
        let mut next = vec![0.0; if self.is_last() { 0 } else { dims.nx }];
        let memory = memory_of(memory)?;
        self.advance(at, memory, &mut next, &mut vec![0.0; dims.n_eq])?;
        Ok(memory.f.clone())
    }
}

/// The Jacobian by state and controls, of a residual that sees accelerations and multipliers: their derivatives put in.
fn put_in(by: &Jacobian, depends: Depends, step: &Sensitivities, whole: &mut Jacobian) {
    let copy = |to: &mut DMatrix<f64>, from: &DMatrix<f64>, there: bool| {
        if there { to.copy_from(from) } else { to.fill(0.0) }
    };
    copy(&mut whole.dq, &by.dq, depends.q);
    copy(&mut whole.dv, &by.dv, depends.v);
    copy(&mut whole.du, &by.du, depends.u);
    if depends.a {
        whole.dq.gemm(1.0, &by.da, &step.a_q, 1.0);
        whole.dv.gemm(1.0, &by.da, &step.a_v, 1.0);
        whole.du.gemm(1.0, &by.da, &step.a_u, 1.0);
    }
    if depends.f {
        whole.dq.gemm(1.0, &by.df, &step.f_q, 1.0);
        whole.dv.gemm(1.0, &by.df, &step.f_v, 1.0);
        whole.du.gemm(1.0, &by.df, &step.f_u, 1.0);
    }
}

/// `lₓ += Jᵀ g`, `lₓₓ += Jᵀ W J`, and so on with the controls.
fn add_gauss_newton(by: &Jacobian, gradient: &[f64], weights: Weights<'_>, out: &mut Quadratic) {
    let nv = by.dq.ncols().max(by.dv.ncols()).max((out.lx.len() - by.dw.ncols()) / 2);
    let parts = [(&by.dq, 0), (&by.dv, nv), (&by.dw, 2 * nv)];
    for (j, first) in parts {
        for (k, column) in j.column_iter().enumerate() {
            out.lx[first + k] += dot(column.as_slice(), gradient);
        }
    }
    for (k, column) in by.du.column_iter().enumerate() {
        out.lu[k] += dot(column.as_slice(), gradient);
    }
    let m = gradient.len();
    let mut bent = [0.0; 64];
    let mut large;
    let bent = if m <= bent.len() {
        &mut bent[..m]
    } else {
        large = vec![0.0; m];
        &mut large[..]
    };
    for (of, first_of) in parts {
        for (k, column) in of.column_iter().enumerate() {
            bend(weights, column.as_slice(), bent);
            for (other, first) in parts {
                for (i, x) in other.column_iter().enumerate() {
                    out.lxx[(first + i, first_of + k)] += dot(x.as_slice(), bent);
                }
            }
        }
    }
    for (k, column) in by.du.column_iter().enumerate() {
        bend(weights, column.as_slice(), bent);
        for (other, first) in parts {
            for (i, x) in other.column_iter().enumerate() {
                out.lxu[(first + i, k)] += dot(x.as_slice(), bent);
            }
        }
        for (i, u) in by.du.column_iter().enumerate() {
            out.luu[(i, k)] += dot(u.as_slice(), bent);
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `W x`
fn bend(weights: Weights<'_>, x: &[f64], out: &mut [f64]) {
    match weights {
        Weights::Diagonal(w) => out.iter_mut().zip(x).zip(w).for_each(|((out, x), w)| *out = w * x),
        Weights::Full(w) => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = x.iter().enumerate().map(|(k, x)| w[(i, k)] * x).sum();
            }
        }
    }
}
