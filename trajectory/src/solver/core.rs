//! What every method of second order has, whatever it does with constraints: the iterate, its derivatives, multipliers, and the history.

use super::bare::Bare;
use super::crew::Crew;
use super::cycle::Plan;
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

/// What a method works with.
pub(super) struct Core {
    pub(super) riccati: Riccati,
    pub(super) iterate: Trajectory,
    pub(super) tried: Trajectory,
    pub(super) gaps: Vec<DVector<f64>>,
    /// λ, one a node, of what makes its state.
    pub(super) costates: Vec<DVector<f64>>,
    /// The same with those of the rows, of the scaled cost.
    pub(super) multipliers: Vec<Multipliers>,
    /// And of the cost as it is.
    pub(super) unscaled: Vec<Multipliers>,
    /// Costs to second order, without what constraints add.
    pub(super) bare: Vec<Bare>,
    /// The direction, with multipliers.
    pub(super) lq: LqSolution,
    pub(super) gradient: [DVector<f64>; 2],
    pub(super) scaled: Vec<f64>,
    pub(super) history: Vec<Iteration>,
    /// Why the last trial could not be evaluated, if none could.
    pub(super) fault: Option<Fault>,
    pub(super) now: Now,
    /// When it has to end.
    pub(super) until: Option<Instant>,
    /// Are there multipliers of a solution before?
    pub(super) warm: bool,
    /// How many warm starts in a row have failed.
    pub(super) failures: usize,
}

/// Where a solution stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// The scale of the cost.
    pub(super) scale: f64,
    /// The cost as it is.
    pub(super) cost: f64,
    pub(super) gap: f64,
    pub(super) optimality: Optimality,
    /// The KKT residual: the largest of all conditions.
    pub(super) error: f64,
    /// The multiple of the identity of the last direction, and the last one that was not zero.
    pub(super) delta: f64,
    pub(super) delta_last: f64,
    /// Does the last direction come from exact second derivatives?
    pub(super) exact: bool,
    pub(super) step: f64,
}

impl Now {
    pub(super) const BEGIN: Self = Self {
        scale: 1.0,
        cost: f64::INFINITY,
        gap: f64::INFINITY,
        optimality: Optimality::NONE,
        error: f64::INFINITY,
        delta: 0.0,
        delta_last: 0.0,
        exact: false,
        step: 0.0,
    };
}

impl Core {
    /// Memory for a problem, and for so many iterations.
    pub(super) fn new(problem: &Problem, dims: &[Dims], iterations: usize) -> Self {
        let last = problem.steps();
        let states = || dims.iter().map(|d| DVector::zeros(d.ndx)).collect::<Vec<_>>();
        let multipliers =
            || -> Vec<_> { dims.iter().enumerate().map(|(k, d)| Multipliers::new(*d, k == last)).collect() };
        let most = |of: fn(&Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        Self {
            riccati: Riccati::new(dims),
            iterate: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            gaps: states(),
            costates: states(),
            multipliers: multipliers(),
            unscaled: multipliers(),
            bare: dims.iter().map(Bare::new).collect(),
            lq: LqSolution::new(dims),
            gradient: [DVector::zeros(most(|d| d.ndx)), DVector::zeros(most(|d| d.nu))],
            scaled: vec![0.0; most(|d| d.ndx)],
            history: Vec::with_capacity(iterations),
            fault: None,
            now: Now::BEGIN,
            until: None,
            warm: false,
            failures: 0,
        }
    }

    /// What of the solution moves in time.
    pub(super) fn plan(&mut self) -> Plan<'_> {
        let Self { iterate, tried, costates, multipliers, scaled, .. } = self;
        Plan { kept: iterate, tried, costates, multipliers, scaled }
    }

    /// Derivatives at the iterate, with curvature at the multipliers that there are, and its gaps. `node`: more to be read of each node.
    /// Returns the largest entry of the cost's gradient.
    pub(super) fn evaluate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        hessian: Hessian,
        mut node: impl FnMut(usize, &[f64], &Quadratic),
    ) -> Result<f64, Fault> {
        match hessian {
            Hessian::GaussNewton => crew.start(&self.iterate),
            _ => crew.start_exact(&self.iterate, &self.unscaled),
        }
        self.now.cost = crew.complete(problem)?;
        self.now.gap = gaps::find(crew, problem, &self.iterate, &mut self.gaps)?;
        let mut steepest: f64 = 0.0;
        for (k, bare) in self.bare.iter_mut().enumerate() {
            let at = crew.node(problem, k);
            bare.save(&at);
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

    /// Another line of the history; with μ or the penalty, of a method that has one.
    pub(super) fn enter(&mut self, gap: f64, accepted: bool, [mu, penalty]: [Option<f64>; 2]) {
        let Now { cost, optimality, error, step, delta, exact, .. } = self.now;
        self.history.push(Iteration {
            iteration: self.history.len(),
            cost,
            gap,
            violation: optimality.primal,
            kkt_error: Some(error),
            expected_decrease: None,
            stationarity: optimality.dual,
            step,
            accepted,
            regularization: delta,
            mu,
            penalty,
            exact,
        });
    }

    /// Has it taken as much time as was allowed?
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The node whose controls the cost depends on most.
    pub(super) fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    pub(super) fn stalled(&mut self, crew: &Crew, problem: &Problem, node: usize) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        if self.now.error <= ACCEPTABLE {
            return Status::Acceptable;
        }
        let memory = &mut crew.memory();
        Status::Stalled { node, term: worst_term(problem, &self.iterate, node, memory) }
    }
}
