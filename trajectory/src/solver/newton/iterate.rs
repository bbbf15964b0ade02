//! The iteration: derivatives, what is left of optimality, less barrier, a direction, a step along it.

use super::direction::CLOSE;
use super::optimality::{Here, Optimality};
use super::{Hessian, Inner, Run};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::solver::crew::Crew;
use crate::solver::domain;
use crate::solver::gaps;
use crate::solver::report::{Control, Iteration, Status};
use crate::solver::support::{diverges, worst_term};
use std::time::Instant;

/// Where optimality is within this factor of μ, μ shrinks (`κ_ε`),
const NEAR: f64 = 10.0;
/// to this share (`κ_μ`),
const SHRINK: f64 = 0.2;
/// or to this power (`θ_μ`).
const POWER: f64 = 1.5;
/// A barrier of this share of the first one has come from problems with larger ones that have been solved.
const SOLVED: f64 = 0.1;
/// Costs are scaled so that their gradient is at most this at the guess.
const GRADIENT: f64 = 100.0;
/// Steps below this length are short; after so many in a row the filter forgets, or violations alone are made less.
const SHORT: f64 = 0.05;
const PATIENCE: usize = 8;
/// Where nothing improves any more, optimality to this is acceptable.
const ACCEPTABLE: f64 = 1e-6;

impl Inner {
    pub(super) fn iterate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        cold: bool,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        self.filter.forgive(self.options.tolerance);
        let mut first = true;
        while self.has_iterations_left() {
            if let Err(fault) = self.linearize(crew, problem, cold && first) {
                return Status::Fault(fault);
            }
            let begins = std::mem::take(&mut first);
            self.judge(crew, problem);
            if self.run.error <= self.options.tolerance {
                self.enter(0.0, false);
                watch(&self.history[self.history.len() - 1]);
                return Status::Converged;
            }
            self.shrink_barrier(begins || self.run.forgets);
            self.run.forgets = false;
            let gap = self.run.gap;
            // Without a direction there is no step.
            let (step, accepted, node) = match self.direction(crew, problem) {
                Ok(()) => {
                    let (step, accepted) = self.search(crew, problem);
                    (step, accepted, None)
                }
                Err(failure) => (0.0, false, Some(failure.node())),
            };
            self.run.step = step;
            self.enter(gap, accepted);
            let wish = watch(&self.history[self.history.len() - 1]);
            if diverges(self.run.cost) {
                return Status::Diverged;
            }
            if wish == Control::Stop {
                return Status::Stopped;
            }
            if self.is_late() {
                return Status::TimeLimit;
            }
            if accepted && step < SHORT {
                self.run.short += 1
            } else {
                self.run.short = 0;
                self.run.forgave &= !accepted;
            }
            if !accepted || self.run.short >= PATIENCE {
                self.run.short = 0;
                // Late, what the filter remembers stands in the way more often than violation does, and a restoration leads far away.
                if self.arrives() && !self.run.forgave {
                    (self.run.forgets, self.run.forgave) = (true, true);
                    continue;
                }
                // Without violation there is nothing to restore.
                if self.run.optimality.primal <= self.options.tolerance {
                    if accepted {
                        continue;
                    }
                    return self.stalled(crew, problem, node.unwrap_or_else(|| self.worst()));
                }
                if accepted && let Err(fault) = self.linearize(crew, problem, false) {
                    return Status::Fault(fault);
                }
                if let Err(status) = self.restore(crew, problem, watch) {
                    return status;
                }
            }
        }
        Status::IterationLimit
    }

    /// A way that leads to an optimum is never left for another one: close to it, or where barrier problems are solved one after the other.
    fn has_iterations_left(&self) -> bool {
        let count = self.history.len();
        count < self.most || (count < self.options.iterations && self.arrives())
    }

    /// Is it close to an optimum, or has it solved barrier problems?
    fn arrives(&self) -> bool {
        let Run { error, mu, first_mu, .. } = self.run;
        let solved = self.begun_warm.map_or(mu <= SOLVED * first_mu, |begun| mu < begun);
        error <= CLOSE || (mu > 0.0 && solved)
    }

    /// Has it taken as much time as was allowed?
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Forgets the last solution.
    pub(super) fn reset(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.kept.u_mut(k));
        }
        domain::carry(problem, &mut self.kept);
        self.forget_multipliers();
        if self.rows.iter().all(|rows| rows.bounds() == 0) {
            self.run.mu = 0.0;
        }
    }

    /// Begins where the last solution has ended, with bounds that may have moved.
    pub(super) fn go_on(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.kept.u_mut(k));
            rows.come_inside(self.run.mu);
        }
    }

    pub(super) fn forget_multipliers(&mut self) {
        for m in self.multipliers.iter_mut().chain(&mut self.prices) {
            [&mut m.next, &mut m.eq, &mut m.ineq].into_iter().for_each(|x| x.fill(0.0));
        }
        self.costates.iter_mut().for_each(|x| x.fill(0.0));
    }

    /// Derivatives at the trajectory that is kept, its gaps, and its rows.
    pub(super) fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.price(self.run.scale);
        self.evaluate(crew, problem, first)
    }
    /// The same, with curvature at the prices that are there.
    pub(super) fn evaluate(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        match self.options.hessian {
            Hessian::GaussNewton => crew.start(&self.kept),
            _ => crew.start_exact(&self.kept, &self.prices),
        }
        self.run.cost = crew.complete(problem)?;
        self.run.gap = gaps::find(crew, problem, &self.kept, &mut self.gaps)?;
        let mut steepest: f64 = 0.0;
        for (k, (bare, rows)) in self.bare.iter_mut().zip(&mut self.rows).enumerate() {
            let node = crew.node(problem, k);
            bare.save(&node);
            rows.read(self.kept.u(k), node.ineq.as_slice());
            steepest = steepest.max(node.lx.amax()).max(if node.lu.is_empty() { 0.0 } else { node.lu.amax() });
        }
        if first {
            self.run.scale = if steepest > GRADIENT { GRADIENT / steepest } else { 1.0 };
            self.rows.iter_mut().for_each(|rows| rows.begin(self.run.mu));
            self.run.first_mu = self.first_barrier(crew, problem);
            self.run.mu = self.run.mu.min(self.run.first_mu);
            self.rows.iter_mut().for_each(|rows| rows.center(self.run.mu));
        }
        Ok(())
    }

    /// Multipliers of the cost as it is, from those of the cost times `scale`.
    pub(super) fn price(&mut self, scale: f64) {
        let scale = 1.0 / scale;
        for (to, from) in self.prices.iter_mut().zip(&self.multipliers) {
            let parts = [(&mut to.next, &from.next), (&mut to.eq, &from.eq), (&mut to.ineq, &from.ineq)];
            parts.into_iter().for_each(|(to, from)| to.axpy(scale, from, 0.0));
        }
    }

    /// What is left of the conditions of optimality.
    pub(super) fn judge(&mut self, crew: &Crew, problem: &Problem) {
        let mut left = Optimality::default();
        for k in 0..self.rows.len() {
            let node = crew.node(problem, k);
            let rows = &self.rows[k];
            let here = Here {
                costate: &self.costates[k],
                multipliers: &self.multipliers[k],
                controls: &rows.controls,
                gap: &self.gaps[k],
                off: (0..rows.s.len()).map(|i| rows.off(i).abs()).fold(0.0, f64::max),
                bounds: (rows.z.iter().flatten().map(|z| z.abs()).sum(), rows.bounds()),
            };
            left.add(&node, self.run.scale, here, |row| rows.y(row), &mut self.gradient);
        }
        self.run.optimality = left;
        self.run.error = self.error(0.0);
    }

    pub(super) fn error(&self, mu: f64) -> f64 {
        let off = self.rows.iter().map(|rows| rows.complementarity(mu)).fold(0.0, f64::max);
        self.run.optimality.error(off)
    }

    /// Less μ, where the barrier problem is solved well enough.
    pub(super) fn shrink_barrier(&mut self, begins: bool) {
        let least = self.options.tolerance / NEAR;
        let before = self.run.mu;
        while self.run.mu > least && self.error(self.run.mu) <= NEAR * self.run.mu {
            self.run.mu = (SHRINK * self.run.mu).min(self.run.mu.powf(POWER)).max(least);
        }
        if self.run.mu < before || begins {
            self.run.directions = 0;
            let merit = self.merit();
            self.filter.restart(merit);
        }
    }

    pub(super) fn enter(&mut self, gap: f64, accepted: bool) {
        let Run { cost, optimality, error, step, delta, mu, exact, .. } = self.run;
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
            mu: Some(mu),
            penalty: None,
            exact,
        });
    }

    pub(super) fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    pub(super) fn stalled(&mut self, crew: &Crew, problem: &Problem, node: usize) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        if self.run.error <= ACCEPTABLE {
            return Status::Acceptable;
        }
        let (kept, memory) = (&self.kept, &mut crew.memory());
        Status::Stalled { node, term: worst_term(problem, kept, node, memory) }
    }
}
