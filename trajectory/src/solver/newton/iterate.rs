//! The iteration: derivatives, KKT residual, update of the barrier, direction, step along it.

use super::direction::CLOSE;
use super::optimality::{Conditions, Optimality};
use super::{InteriorPoint, Run};
use crate::fault::Fault;
use crate::quadratic::Quadratic;
use crate::solver::algorithm::{self, Context, Next, Step, Watch};
use crate::solver::domain;
use crate::solver::report::Status;
use crate::solver::state::State;
use std::ops::ControlFlow;

/// Where optimality is within this factor of μ, μ shrinks (`κ_ε`),
const NEAR: f64 = 10.0;
/// to this share (`κ_μ`),
const SHRINK: f64 = 0.2;
/// or to this power (`θ_μ`).
const POWER: f64 = 1.5;
/// A barrier of this share of the first one has come from problems with larger ones that have been solved.
const SOLVED: f64 = 0.1;
/// Steps below this length are short; after so many in a row the filter forgets, or violations alone are made less.
const SHORT: f64 = 0.05;
const PATIENCE: usize = 8;

impl InteriorPoint {
    /// One strategy. `first`: from a guess.
    pub(super) fn iterate(&mut self, at: &mut Context<'_>, first: bool, watch: Watch<'_>) -> Status {
        self.filter.forgive(self.options.tolerance);
        self.run.filter_reset_pending = true;
        algorithm::iterate(self, at, first, watch)
    }

    /// Goes on after a step. Many short ones reset the filter; if that does not help, violations alone are reduced.
    pub(super) fn restore_after_short_steps(
        &mut self,
        at: &mut Context<'_>,
        Step { length, accepted, failed }: Step,
        watch: Watch<'_>,
    ) -> ControlFlow<Status, Next> {
        if accepted && length < SHORT {
            self.run.short_steps += 1;
        } else {
            self.run.short_steps = 0;
            self.run.filter_was_reset &= !accepted;
        }
        if accepted && self.run.short_steps < PATIENCE {
            return ControlFlow::Continue(Next::Linearize);
        }
        self.run.short_steps = 0;
        // Late, what the filter remembers stands in the way more often than violation does, and a restoration leads far
        // away.
        if self.arrives(at.state) && !self.run.filter_was_reset {
            (self.run.filter_reset_pending, self.run.filter_was_reset) = (true, true);
            return ControlFlow::Continue(Next::Linearize);
        }
        // Without violation there is nothing to restore.
        if at.state.now.optimality.primal <= self.options.tolerance {
            if accepted {
                return ControlFlow::Continue(Next::Linearize);
            }
            let node = failed.unwrap_or_else(|| at.state.worst());
            return ControlFlow::Break(at.state.stalled(at.evaluator, at.problem, node));
        }
        if accepted && let Err(fault) = self.relinearize(at, false) {
            return ControlFlow::Break(Status::Fault(fault));
        }
        match self.restore(at, watch) {
            Ok(()) => ControlFlow::Continue(Next::Linearize),
            Err(status) => ControlFlow::Break(status),
        }
    }

    /// A strategy that leads to an optimum is never left: close to it, or while it solves one barrier problem after the
    /// other.
    pub(super) fn may_go_on(&self, state: &State) -> bool {
        let count = state.history.len();
        count < self.attempt.iteration_budget || (count < self.options.iterations && self.arrives(state))
    }

    /// Whether it is close to an optimum, or has solved barrier problems.
    fn arrives(&self, state: &State) -> bool {
        let (Run { mu, first_mu, .. }, error) = (self.run, state.now.kkt_error);
        let solved = self.attempt.warm_mu.map_or(mu <= SOLVED * first_mu, |begun| mu < begun);
        error <= CLOSE || (mu > 0.0 && solved)
    }

    /// Forgets the last solution.
    pub(super) fn forget(&mut self, at: &mut Context<'_>) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(at.problem, k);
            rows.push_controls(at.state.iterate.u_mut(k));
        }
        domain::carry(at.problem, &mut at.state.iterate);
        at.state.forget_multipliers();
        if self.rows.iter().all(|rows| rows.bounds() == 0) {
            self.run.mu = 0.0;
        }
    }

    /// Derivatives at the iterate.
    pub(super) fn relinearize(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        at.state.unscale(at.state.now.scale);
        self.evaluate(at, first)
    }

    /// Derivatives at the iterate, with curvature at the multipliers that there are, its gaps, and its rows.
    pub(super) fn evaluate(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        let rows = &mut self.rows;
        let read = |k: usize, u: &[f64], node: &Quadratic| rows[k].read(u, node.ineq.as_slice());
        let steepest = at.state.evaluate(at.evaluator, at.problem, self.options.hessian, read)?;
        if first {
            at.state.scale_by(steepest);
            self.rows.iter_mut().for_each(|rows| rows.begin(self.run.mu));
            self.run.first_mu = self.first_barrier(at);
            self.run.mu = self.run.mu.min(self.run.first_mu);
            self.rows.iter_mut().for_each(|rows| rows.center(self.run.mu));
        }
        Ok(())
    }

    /// Updates the KKT residual.
    pub(super) fn update_residuals(&mut self, at: &mut Context<'_>) {
        let mut left = Optimality::default();
        for k in 0..self.rows.len() {
            let node = at.evaluator.node(at.problem, k);
            let rows = &self.rows[k];
            let here = Conditions {
                costate: &at.state.costates[k],
                multipliers: &at.state.multipliers[k],
                controls: &rows.controls,
                gap: &at.state.gaps[k],
                off: (0..rows.s.len()).map(|i| rows.residual(i).abs()).fold(0.0, f64::max),
                bounds: (rows.z.iter().flatten().map(|z| z.abs()).sum(), rows.bounds()),
            };
            left.add(&node, at.state.now.scale, here, |row| rows.y(row), &mut at.state.gradient);
        }
        at.state.now.optimality = left;
        at.state.now.kkt_error = self.error(at.state, 0.0);
    }

    /// The KKT residual of the barrier problem with this μ.
    fn error(&self, state: &State, mu: f64) -> f64 {
        let off = self.rows.iter().map(|rows| rows.complementarity(mu)).fold(0.0, f64::max);
        state.now.optimality.error(off)
    }

    /// Less μ, where the barrier problem is solved well enough.
    pub(super) fn shrink_barrier(&mut self, state: &State) {
        let begins = std::mem::take(&mut self.run.filter_reset_pending);
        let least = self.options.tolerance / NEAR;
        let before = self.run.mu;
        while self.run.mu > least && self.error(state, self.run.mu) <= NEAR * self.run.mu {
            self.run.mu = (SHRINK * self.run.mu).min(self.run.mu.powf(POWER)).max(least);
        }
        if self.run.mu < before || begins {
            self.run.directions = 0;
            let merit = self.merit(state);
            self.filter.restart(merit);
        }
    }
}
