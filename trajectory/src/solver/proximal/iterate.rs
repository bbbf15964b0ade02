//! The iteration: derivatives, KKT residual, new estimates or a smaller μ, direction, step along it.

use super::{AugmentedLagrangian, ProximalOptions, Run};
use crate::fault::Fault;
use crate::quadratic::Quadratic;
use crate::solver::algorithm::{Context, Next, Step};
use crate::solver::domain;
use crate::solver::optimality::{Conditions, Optimality};
use crate::solver::report::Status;
use crate::solver::state::{ACCEPTABLE, State};
use std::ops::ControlFlow;

/// μ shrinks to this share.
const SHRINK: f64 = 0.1;
/// Where multipliers become estimates, η shrinks by μ to the first of these powers; where μ shrinks, η is μ to the
/// second one (`β`, `α`).
const POWERS: (f64, f64) = (0.9, 0.1);
/// ω and η are at least this share of the tolerance.
const LEAST: f64 = 0.1;
/// From this μ on one asks whether violations can be made less at all: costs are little beside them.
const HARD: f64 = 1e-3;
/// After so many iterations with the same μ, violations must have become less by this share, or μ shrinks all the same.
const PATIENCE: usize = 20;
const LESS_VIOLATION: f64 = 0.9;
/// Where no step is accepted, the least multiple of the identity grows by the first factor, and shrinks by the second
/// one where long steps are;
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
        run.soften(options.mu_init);
        run
    }
    /// Another μ, with ω and η as they begin with it.
    pub(super) fn soften(&mut self, mu: f64) {
        (self.mu, self.stationary, self.kept) = (mu, mu, mu.powf(POWERS.1));
        self.patience = (0, f64::INFINITY);
    }
}

impl AugmentedLagrangian {
    /// More of the identity where no step is accepted, and less after long ones.
    pub(super) fn adapt_regularization(
        &mut self,
        at: &mut Context<'_>,
        Step { length, accepted, failed }: Step,
    ) -> ControlFlow<Status, Next> {
        let first = self.options.regularization;
        if accepted {
            if length > LONG {
                let less = self.run.least / FEWER;
                self.run.least = if less < first { 0.0 } else { less };
            }
            return ControlFlow::Continue(Next::Linearize);
        }
        let enough = at.state.now.kkt_error <= ACCEPTABLE && self.run.least > ENOUGH;
        if failed.is_some() || self.run.least > MOST || enough {
            let node = failed.unwrap_or_else(|| at.state.worst());
            return ControlFlow::Break(at.state.stalled(at.evaluator, at.problem, node));
        }
        self.run.least = (MORE * self.run.least).max(first);
        ControlFlow::Continue(Next::Again)
    }

    /// Forgets the last solution.
    pub(super) fn forget(&mut self, at: &mut Context<'_>) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(at.problem, k);
            rows.forget();
        }
        if at.problem.choice().is_some() {
            self.rows[0].clamp_controls(at.state.iterate.u_mut(0));
            domain::carry(at.problem, &mut at.state.iterate);
        }
        at.state.forget_multipliers();
    }

    /// Derivatives at the iterate, its gaps, and its rows.
    pub(super) fn evaluate(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        let rows = &mut self.rows;
        at.state.unscale(at.state.now.scale);
        let read = |k: usize, u: &[f64], node: &Quadratic| rows[k].read(u, node);
        let steepest = at.state.evaluate(at.evaluator, at.problem, self.options.hessian, read)?;
        if first {
            at.state.scale_by(steepest);
        }
        Ok(())
    }

    /// Updates the KKT residual.
    pub(super) fn update_residuals(&mut self, at: &mut Context<'_>) {
        let mut left = Optimality::default();
        let mut off: f64 = 0.0;
        for (k, rows) in self.rows.iter().enumerate() {
            let node = at.evaluator.node(at.problem, k);
            let here = Conditions {
                costate: &at.state.costates[k],
                multipliers: &at.state.multipliers[k],
                controls: &rows.controls,
                gap: &at.state.gaps[k],
                off: rows.max_residual(),
                bounds: rows.bounds(),
            };
            left.add(&node, at.state.now.scale, here, |row| rows.y[row], &mut at.state.gradient);
            off = off.max(rows.complementarity());
        }
        at.state.now.optimality = left;
        at.state.now.kkt_error = left.error(off);
    }

    /// Where the augmented Lagrangian is stationary: new estimates of multipliers, or less μ; and whether nothing
    /// helps.
    pub(super) fn update_estimates(&mut self, at: &mut Context<'_>) -> Option<Status> {
        let mut left = [0.0_f64; 2];
        for (rows, multipliers) in self.rows.iter().zip(&at.state.multipliers) {
            let of = rows.left(multipliers, self.run.mu);
            left = [left[0].max(of[0]), left[1].max(of[1])];
        }
        let [off, moved] = left;
        let stationary = at.state.now.optimality.stationarity().max(at.state.now.gap).max(off);
        let may_shrink = self.run.mu > self.options.mu_min;
        let less = (SHRINK * self.run.mu).max(self.options.mu_min);
        let hopeless;
        if stationary <= self.run.stationary {
            if moved <= self.run.kept || !may_shrink {
                for (rows, multipliers) in self.rows.iter_mut().zip(&at.state.multipliers) {
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
        } else if moved <= self.run.kept || self.is_patient(at.state) {
            return None;
        } else {
            hopeless = true;
            if may_shrink {
                self.run.soften(less);
            }
        }
        self.forget_penalties();
        if hopeless && self.run.mu <= HARD { self.blocked(at) } else { None }
    }

    /// Whether violations have decreased within some iterations, or these have not been done yet.
    fn is_patient(&mut self, state: &State) -> bool {
        let violation = state.now.optimality.primal;
        let (count, before) = self.run.patience;
        self.run.patience = (count + 1, before);
        if count < PATIENCE {
            return true;
        }
        self.run.patience = (0, violation);
        violation <= LESS_VIOLATION * before || violation <= self.options.tolerance
    }
}
