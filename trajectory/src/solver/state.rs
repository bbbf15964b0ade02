//! What every algorithm has, whatever it does with constraints: the iterate, its gaps, multipliers, a direction, and
//! the history.

use super::algorithm::Limits;
use super::cost_model::CostModel;
use super::cycle::Plan;
use super::evaluator::Evaluator;
use super::gaps;
use super::newton::Hessian;
use super::optimality::Optimality;
use super::report::{Iteration, Status};
use super::support::worst_term;
use super::warm::{WarmStart, scaled};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::riccati::{LqSolution, Riccati};
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::time::Instant;

/// Costs are scaled so that their gradient is at most this at the guess.
const GRADIENT: f64 = 100.0;
/// Where nothing improves any more, optimality to this is acceptable.
pub(super) const ACCEPTABLE: f64 = 1e-6;

/// The iterate and what belongs to it. The solver owns it, and lends it to its [algorithm](super::Algorithm).
pub struct State {
    /// States and controls of the iterate.
    pub iterate: Trajectory,
    /// Those of the last trial.
    pub trial: Trajectory,
    /// Gaps of the iterate, `f(x, u) ⊖ x⁺`, one a node: at the first one the start minus `x_0`.
    pub gaps: Vec<DVector<f64>>,
    /// Gains and value functions.
    pub riccati: Riccati,
    /// The direction, with multipliers.
    pub lq: LqSolution,
    /// All iterations so far.
    pub history: Vec<Iteration>,
    /// Cost, residuals, regularization and step.
    pub now: Now,
    /// The limits of this solution.
    pub limits: Limits,
    /// Why the last trial could not be evaluated, if none could.
    pub fault: Option<Fault>,
    /// λ, one a node, of what makes its state.
    pub(super) costates: Vec<DVector<f64>>,
    /// The same with those of the rows, of the scaled cost.
    pub(super) multipliers: Vec<Multipliers>,
    /// And of the cost as it is.
    pub(super) unscaled: Vec<Multipliers>,
    /// Costs to second order, without what constraints add.
    pub(super) costs: Vec<CostModel>,
    pub(super) gradient: [DVector<f64>; 2],
    pub(super) scaled: Vec<f64>,
    /// When it has to end.
    pub(super) deadline: Option<Instant>,
    /// Whether there are multipliers of a solution before.
    pub(super) warm: bool,
    /// The number of consecutive warm starts that have failed.
    pub(super) failures: usize,
}

/// Where a solution stands.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// The factor of the cost, at most 1.
    pub scale: f64,
    /// The cost of the iterate, not scaled.
    pub cost: f64,
    /// Its largest gap.
    pub gap: f64,
    /// Its KKT residual: the largest of all conditions, of the scaled cost.
    pub kkt_error: f64,
    /// The multiple of the identity of the last direction.
    pub regularization: f64,
    /// The last one that was not zero.
    pub(super) last_regularization: f64,
    /// Whether the last direction comes from exact second derivatives.
    pub exact: bool,
    /// The length of the last step.
    pub step: f64,
    pub(super) optimality: Optimality,
}

impl Now {
    pub(super) const BEGIN: Self = Self {
        scale: 1.0,
        cost: f64::INFINITY,
        gap: f64::INFINITY,
        optimality: Optimality::NONE,
        kkt_error: f64::INFINITY,
        regularization: 0.0,
        last_regularization: 0.0,
        exact: false,
        step: 0.0,
    };
}

impl State {
    /// Memory for a problem, and for as many iterations as the limits allow.
    pub(super) fn new(problem: &Problem, dims: &[Dims], limits: Limits) -> Self {
        let last = problem.steps();
        let states = || dims.iter().map(|d| DVector::zeros(d.ndx)).collect::<Vec<_>>();
        let multipliers =
            || -> Vec<_> { dims.iter().enumerate().map(|(k, d)| Multipliers::new(*d, k == last)).collect() };
        let most = |of: fn(&Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        Self {
            riccati: Riccati::new(dims),
            iterate: Trajectory::zeros(problem),
            trial: Trajectory::zeros(problem),
            gaps: states(),
            costates: states(),
            multipliers: multipliers(),
            unscaled: multipliers(),
            costs: dims.iter().map(CostModel::new).collect(),
            lq: LqSolution::new(dims),
            gradient: [DVector::zeros(most(|d| d.ndx)), DVector::zeros(most(|d| d.nu))],
            scaled: vec![0.0; most(|d| d.ndx)],
            history: Vec::with_capacity(limits.iterations),
            limits,
            fault: None,
            now: Now::BEGIN,
            deadline: None,
            warm: false,
            failures: 0,
        }
    }

    /// What of the solution moves in time.
    pub(super) fn plan(&mut self) -> Plan<'_> {
        let Self { iterate, trial, costates, multipliers, scaled, .. } = self;
        Plan { iterate, trial, costates, multipliers, scaled }
    }

    /// Gauss-Newton derivatives at the iterate, its cost, and its gaps.
    pub(super) fn linearize(&mut self, evaluator: &Evaluator, problem: &Problem) -> Result<(), Fault> {
        evaluator.start(&self.iterate);
        self.now.cost = evaluator.complete(problem)?;
        self.now.gap = gaps::find(evaluator, problem, &self.iterate, &mut self.gaps)?;
        Ok(())
    }

    /// Derivatives at the iterate, with curvature at the multipliers that there are, and its gaps. `node`: more to be
    /// read of each node. Returns the largest entry of the cost's gradient.
    pub(super) fn evaluate(
        &mut self,
        evaluator: &Evaluator,
        problem: &Problem,
        hessian: Hessian,
        mut node: impl FnMut(usize, &[f64], &Quadratic),
    ) -> Result<f64, Fault> {
        match hessian {
            Hessian::GaussNewton => evaluator.start(&self.iterate),
            _ => evaluator.start_exact(&self.iterate, &self.unscaled),
        }
        self.now.cost = evaluator.complete(problem)?;
        self.now.gap = gaps::find(evaluator, problem, &self.iterate, &mut self.gaps)?;
        let mut steepest: f64 = 0.0;
        for (k, costs) in self.costs.iter_mut().enumerate() {
            let at = evaluator.node(problem, k);
            costs.save(&at);
            node(k, self.iterate.u(k), &at);
            steepest = steepest.max(at.lx.amax()).max(if at.lu.is_empty() { 0.0 } else { at.lu.amax() });
        }
        Ok(steepest)
    }

    /// Scales the cost by its gradient at the guess.
    pub(super) fn scale_by(&mut self, steepest: f64) {
        self.now.scale = if steepest > GRADIENT { GRADIENT / steepest } else { 1.0 };
    }

    /// Multipliers of the cost as it is, from those of the cost times `scale`.
    pub(super) fn unscale(&mut self, scale: f64) {
        let scale = 1.0 / scale;
        for (to, from) in self.unscaled.iter_mut().zip(&self.multipliers) {
            let parts = [(&mut to.next, &from.next), (&mut to.eq, &from.eq), (&mut to.ineq, &from.ineq)];
            parts.into_iter().for_each(|(to, from)| to.axpy(scale, from, 0.0));
        }
    }

    pub(super) fn forget_multipliers(&mut self) {
        for m in self.multipliers.iter_mut().chain(&mut self.unscaled) {
            [&mut m.next, &mut m.eq, &mut m.ineq].into_iter().for_each(|x| x.fill(0.0));
        }
        self.costates.iter_mut().for_each(|x| x.fill(0.0));
    }

    /// Trajectory and multipliers of another solution; those of rows between bounds by `rows`.
    pub(super) fn take_over(&mut self, from: &WarmStart, mut rows: impl FnMut(usize, &mut Trajectory, &mut [f64])) {
        self.now.scale = from.scale;
        self.iterate.copy_from(&from.trajectory);
        for (k, node) in from.nodes.iter().enumerate() {
            let multipliers = &mut self.multipliers[k];
            rows(k, &mut self.iterate, multipliers.ineq.as_mut_slice());
            scaled(multipliers.eq.as_mut_slice(), &node.equalities, from.scale);
            scaled(self.costates[k].as_mut_slice(), &node.costate, from.scale);
        }
        self.pass_costates();
    }

    /// The multiplier of a step is that of the state which it makes.
    pub(super) fn pass_costates(&mut self) {
        for k in 0..self.multipliers.len() - 1 {
            self.multipliers[k].next.copy_from(&self.costates[k + 1]);
        }
    }

    /// Another line of the history, without the values that only some algorithms have.
    pub(super) fn line(&self, gap: f64, accepted: bool) -> Iteration {
        let Now { cost, optimality, kkt_error, step, regularization, exact, .. } = self.now;
        Iteration {
            iteration: self.history.len(),
            cost,
            gap,
            violation: optimality.primal,
            kkt_error: Some(kkt_error),
            expected_decrease: None,
            stationarity: optimality.dual,
            step,
            accepted,
            regularization,
            mu: None,
            penalty: None,
            exact,
        }
    }

    /// Starts to count time.
    pub(super) fn set_deadline(&mut self) {
        self.deadline = self.limits.time.and_then(|limit| Instant::now().checked_add(limit));
    }
    /// Whether the time limit is reached.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The node whose controls the cost depends on most.
    pub(super) fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    pub(super) fn stalled(&mut self, evaluator: &Evaluator, problem: &Problem, node: usize) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        if self.now.kkt_error <= ACCEPTABLE {
            return Status::Acceptable;
        }
        let memory = &mut evaluator.memory();
        Status::Stalled { node, term: worst_term(problem, &self.iterate, node, memory) }
    }
}
