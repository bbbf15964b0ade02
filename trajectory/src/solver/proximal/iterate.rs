//! The iteration: derivatives, KKT residual, new estimates or a smaller μ, direction, step along it.

use super::{AugmentedLagrangian, ProximalOptions, Run};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::solver::core::ACCEPTABLE;
use crate::solver::crew::Crew;
use crate::solver::domain;
use crate::solver::method::{self, Next, Tried, Watch};
use crate::solver::optimality::{Here, Optimality};
use crate::solver::report::Status;
use std::ops::ControlFlow;
use std::time::Instant;

/// μ shrinks to this share.
const SHRINK: f64 = 0.1;
/// Where multipliers become estimates, η shrinks by μ to the first of these powers; where μ shrinks, η is μ to the second one (`β`, `α`).
const POWERS: (f64, f64) = (0.9, 0.1);
/// ω and η are at least this share of the tolerance.
const LEAST: f64 = 0.1;
/// From this μ on one asks whether violations can be made less at all: costs are little beside them.
const HARD: f64 = 1e-3;
/// After so many iterations with the same μ, violations must have become less by this share, or μ shrinks all the same.
const PATIENCE: usize = 20;
const LESS_VIOLATION: f64 = 0.9;
/// Where no step is accepted, the least multiple of the identity grows by the first factor, and shrinks by the second one where long
/// steps are;
const MORE: f64 = 10.0;
const FEWER: f64 = 3.0;
/// beyond this none is: it moves less than rounding; where optimality is acceptable, beyond the second one.
const MOST: f64 = 1e10;
const ENOUGH: f64 = 1.0;
/// Longer steps than this are long.
const LONG: f64 = 0.5;

impl Run {
    pub(super) fn new(options: &ProximalOptions) -> Self {
        let mut run =
            Self { mu: 0.0, stationary: 0.0, kept: 0.0, least: 0.0, slope: 0.0, patience: (0, f64::INFINITY) };
        run.soften(options.softness);
        run
    }
    /// Another μ, with ω and η as they begin with it.
    pub(super) fn soften(&mut self, mu: f64) {
        (self.mu, self.stationary, self.kept) = (mu, mu, mu.powf(POWERS.1));
        self.patience = (0, f64::INFINITY);
    }
}

impl AugmentedLagrangian {
    pub(super) fn iterate(&mut self, crew: &Crew, problem: &Problem, cold: bool, watch: Watch<'_>) -> Status {
        let began = Instant::now();
        self.core.until = self.options.time.and_then(|limit| began.checked_add(limit));
        self.begin_search();
        method::iterate(self, crew, problem, cold, self.options.tolerance, watch)
    }

    /// More of the identity where no step is accepted, and less after long ones.
    pub(super) fn go_on_from(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        Tried { step, accepted, failed }: Tried,
    ) -> ControlFlow<Status, Next> {
        let first = self.options.regularization;
        if accepted {
            if step > LONG {
                let less = self.run.least / FEWER;
                self.run.least = if less < first { 0.0 } else { less };
            }
            return ControlFlow::Continue(Next::Linearize);
        }
        let enough = self.core.now.error <= ACCEPTABLE && self.run.least > ENOUGH;
        if failed.is_some() || self.run.least > MOST || enough {
            let node = failed.unwrap_or_else(|| self.core.worst());
            return ControlFlow::Break(self.core.stalled(crew, problem, node));
        }
        self.run.least = (MORE * self.run.least).max(first);
        ControlFlow::Continue(Next::Again)
    }

    /// Forgets the last solution.
    pub(super) fn forget(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.forget();
        }
        if problem.choice().is_some() {
            self.rows[0].clamp_controls(self.core.iterate.u_mut(0));
            domain::carry(problem, &mut self.core.iterate);
        }
        self.core.forget_multipliers();
    }

    /// No μ of a barrier, and the penalty for the history.
    pub(super) fn barrier_and_penalty(&self) -> [Option<f64>; 2] {
        [None, Some(1.0 / self.run.mu)]
    }

    /// Derivatives at the iterate, its gaps, and its rows.
    pub(super) fn evaluate(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        let Self { core, rows, options, .. } = self;
        core.unscale(core.now.scale);
        let read = |k: usize, u: &[f64], node: &Quadratic| rows[k].read(u, node);
        let steepest = core.evaluate(crew, problem, options.hessian, read)?;
        if first {
            core.scale_by(steepest);
        }
        Ok(())
    }

    /// What is left of the conditions of optimality.
    pub(super) fn update_residuals(&mut self, crew: &Crew, problem: &Problem) {
        let mut left = Optimality::default();
        let mut off: f64 = 0.0;
        for (k, rows) in self.rows.iter().enumerate() {
            let node = crew.node(problem, k);
            let here = Here {
                costate: &self.core.costates[k],
                multipliers: &self.core.multipliers[k],
                controls: &rows.controls,
                gap: &self.core.gaps[k],
                off: rows.most_off(),
                bounds: rows.bounds(),
            };
            left.add(&node, self.core.now.scale, here, |row| rows.y[row], &mut self.core.gradient);
            off = off.max(rows.complementarity());
        }
        self.core.now.optimality = left;
        self.core.now.error = left.error(off);
    }

    /// Where the augmented Lagrangian is stationary: new estimates of multipliers, or less μ; and whether nothing helps.
    pub(super) fn update_estimates(&mut self, crew: &Crew, problem: &Problem) -> Option<Status> {
        let mut left = [0.0_f64; 2];
        for (rows, multipliers) in self.rows.iter().zip(&self.core.multipliers) {
            let of = rows.left(multipliers, self.run.mu);
            left = [left[0].max(of[0]), left[1].max(of[1])];
        }
        let [off, moved] = left;
        let stationary = self.core.now.optimality.stationarity().max(self.core.now.gap).max(off);
        let may_shrink = self.run.mu > self.options.softness_min;
        let less = (SHRINK * self.run.mu).max(self.options.softness_min);
        let hopeless;
        if stationary <= self.run.stationary {
            if moved <= self.run.kept || !may_shrink {
                for (rows, multipliers) in self.rows.iter_mut().zip(&self.core.multipliers) {
                    rows.accept(&multipliers.eq);
                }
                let least = LEAST * self.options.tolerance;
                hopeless = moved > self.run.kept;
                self.run.kept = (self.run.kept * self.run.mu.powf(POWERS.0)).max(least);
                self.run.stationary = (self.run.stationary * self.run.mu).max(least);
                self.run.patience = (0, f64::INFINITY);
            } else {
                self.run.soften(less);
                hopeless = true;
            }
        } else if moved <= self.run.kept || self.is_patient() {
            return None;
        } else {
            hopeless = true;
            if may_shrink {
                self.run.soften(less);
            }
        }
        self.begin_search();
        if hopeless && self.run.mu <= HARD { self.blocked(crew, problem) } else { None }
    }

    /// Whether violations have decreased within some iterations, or these have not been done yet.
    fn is_patient(&mut self) -> bool {
        let violation = self.core.now.optimality.primal;
        let (count, before) = self.run.patience;
        self.run.patience = (count + 1, before);
        if count < PATIENCE {
            return true;
        }
        self.run.patience = (0, violation);
        violation <= LESS_VIOLATION * before || violation <= self.options.tolerance
    }
}
