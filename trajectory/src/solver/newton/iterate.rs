//! The iteration: derivatives, KKT residual, update of the barrier, direction, step along it.

use super::direction::CLOSE;
use super::optimality::{Here, Optimality};
use super::{InteriorPoint, Run};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::solver::crew::Crew;
use crate::solver::domain;
use crate::solver::method::{self, Next, Tried, Watch};
use crate::solver::report::Status;
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
    pub(super) fn iterate(&mut self, crew: &Crew, problem: &Problem, cold: bool, watch: Watch<'_>) -> Status {
        self.filter.forgive(self.options.tolerance);
        self.run.forgets = true;
        method::iterate(self, crew, problem, cold, self.options.tolerance, watch)
    }

    /// What a step that was tried leads to: short ones make the filter forget, or violations alone less.
    pub(super) fn go_on_from(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        Tried { step, accepted, failed }: Tried,
        watch: Watch<'_>,
    ) -> ControlFlow<Status, Next> {
        if accepted && step < SHORT {
            self.run.short += 1;
        } else {
            self.run.short = 0;
            self.run.forgave &= !accepted;
        }
        if accepted && self.run.short < PATIENCE {
            return ControlFlow::Continue(Next::Linearize);
        }
        self.run.short = 0;
        // Late, what the filter remembers stands in the way more often than violation does, and a restoration leads far away.
        if self.arrives() && !self.run.forgave {
            (self.run.forgets, self.run.forgave) = (true, true);
            return ControlFlow::Continue(Next::Linearize);
        }
        // Without violation there is nothing to restore.
        if self.core.now.optimality.primal <= self.options.tolerance {
            if accepted {
                return ControlFlow::Continue(Next::Linearize);
            }
            let node = failed.unwrap_or_else(|| self.core.worst());
            return ControlFlow::Break(self.core.stalled(crew, problem, node));
        }
        if accepted && let Err(fault) = self.relinearize(crew, problem, false) {
            return ControlFlow::Break(Status::Fault(fault));
        }
        match self.restore(crew, problem, watch) {
            Ok(()) => ControlFlow::Continue(Next::Linearize),
            Err(status) => ControlFlow::Break(status),
        }
    }

    /// A way that leads to an optimum is never left for another one: close to it, or where barrier problems are solved one after the other.
    pub(super) fn may_go_on(&self) -> bool {
        let count = self.core.history.len();
        count < self.most || (count < self.options.iterations && self.arrives())
    }

    /// Whether it is close to an optimum, or has solved barrier problems.
    fn arrives(&self) -> bool {
        let (Run { mu, first_mu, .. }, error) = (self.run, self.core.now.error);
        let solved = self.begun_warm.map_or(mu <= SOLVED * first_mu, |begun| mu < begun);
        error <= CLOSE || (mu > 0.0 && solved)
    }

    /// Forgets the last solution.
    pub(super) fn forget(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.core.iterate.u_mut(k));
        }
        domain::carry(problem, &mut self.core.iterate);
        self.core.forget_multipliers();
        if self.rows.iter().all(|rows| rows.bounds() == 0) {
            self.run.mu = 0.0;
        }
    }

    /// Derivatives at the iterate.
    pub(super) fn relinearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.core.unscale(self.core.now.scale);
        self.evaluate(crew, problem, first)
    }

    /// μ for the history, and no penalty.
    pub(super) fn barrier_and_penalty(&self) -> [Option<f64>; 2] {
        [Some(self.run.mu), None]
    }

    /// Derivatives at the iterate, with curvature at the multipliers that there are, its gaps, and its rows.
    pub(super) fn evaluate(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        let Self { core, rows, options, .. } = self;
        let read = |k: usize, u: &[f64], node: &Quadratic| rows[k].read(u, node.ineq.as_slice());
        let steepest = core.evaluate(crew, problem, options.hessian, read)?;
        if first {
            core.scale_by(steepest);
            self.rows.iter_mut().for_each(|rows| rows.begin(self.run.mu));
            self.run.first_mu = self.first_barrier(crew, problem);
            self.run.mu = self.run.mu.min(self.run.first_mu);
            self.rows.iter_mut().for_each(|rows| rows.center(self.run.mu));
        }
        Ok(())
    }

    /// What is left of the conditions of optimality.
    pub(super) fn update_residuals(&mut self, crew: &Crew, problem: &Problem) {
        let mut left = Optimality::default();
        for k in 0..self.rows.len() {
            let node = crew.node(problem, k);
            let rows = &self.rows[k];
            let here = Here {
                costate: &self.core.costates[k],
                multipliers: &self.core.multipliers[k],
                controls: &rows.controls,
                gap: &self.core.gaps[k],
                off: (0..rows.s.len()).map(|i| rows.off(i).abs()).fold(0.0, f64::max),
                bounds: (rows.z.iter().flatten().map(|z| z.abs()).sum(), rows.bounds()),
            };
            left.add(&node, self.core.now.scale, here, |row| rows.y(row), &mut self.core.gradient);
        }
        self.core.now.optimality = left;
        self.core.now.error = self.error(0.0);
    }

    pub(super) fn error(&self, mu: f64) -> f64 {
        let off = self.rows.iter().map(|rows| rows.complementarity(mu)).fold(0.0, f64::max);
        self.core.now.optimality.error(off)
    }

    /// Less μ, where the barrier problem is solved well enough.
    pub(super) fn shrink_barrier(&mut self) {
        let begins = std::mem::take(&mut self.run.forgets);
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
}
