//! Restoration: reduces violations near the point where the search failed, until the filter accepts an iterate again.
//!
//! ```text
//! min ρ Σ (p + n) + ½ ζ |x ⊖ x_R|² + ½ ζ |u − u_R|²     c = p − n ,   g − s = p − n ,   L ≤ s ≤ U ,   x⁺ = f(x, u)
//! ```
//!
//! It uses the same sweep, because elastic variables are eliminated row by row ([`elastic`](super::elastic)). It uses
//! the curvature of constraints and dynamics where the result is positive. Without it, steps oscillate about an optimum
//! for hundreds of iterations, because ρ is large. If an optimum of this problem still has violations, the original
//! problem is locally infeasible, and the rows with multipliers are those that block each other.
//!
//! A. Wächter and L. Biegler (2006), section 3.3.

use super::elastic::{Elastic, PRICE};
use super::inequalities::Inequalities;
use super::search::ways;
use super::{Hessian, InteriorPoint, KEEP, RollOut};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::{Multipliers, Quadratic};
use crate::solver::algorithm::{Context, Step, Watch, enter};
use crate::solver::blockers::Blockers;
use crate::solver::domain;
use crate::solver::filter::{Filter, Merit};
use crate::solver::report::{Control, Status};
use crate::solver::state::State;
use crate::solver::support::of_dynamics;
use crate::trajectory::Trajectory;

/// Restored where this share of the violation is left (`κ_resto`), and each time less: what cannot be restored shall
/// show soon.
const ENOUGH: [f64; 4] = [0.9, 0.3, 0.1, 0.01];
/// μ shrinks by this factor where steps are shorter than it, down to the last one.
const SHRINK: f64 = 0.1;
const LEAST: f64 = 1e-9;
/// Shorter steps than this end it.
const SHORT: f64 = 1e-7;
/// A slope that is less than this share of the cost is none. Boundaries of cones cut steps short, so that with cones
/// directions promise more than any step gains.
const FLAT: f64 = 1e-6;
const FLAT_IN_CONES: f64 = 1e-3;
/// The scale of the cost in second derivatives, which the cost has no part in: next to that of constraints rounding is
/// left of it.
const NO_COST: f64 = 1e-10;
/// Violations count as such above so many tolerances.
const CLEAR: f64 = 100.0;
/// Inequalities with multipliers above this share of ρ block each other.
const BLOCKS: f64 = 1e-2;

/// Steps that gain less than this share of the cost count as idle: the filter takes equal for less, so that there may
/// be steps without an end. After so many in a row nothing more is to be gained.
const GAIN: f64 = FLAT;
const IDLE: usize = 5;

/// Memory of restorations.
#[derive(Debug)]
pub(super) struct Restoration {
    elastic: Vec<Elastic>,
    /// `x_R` and `u_R`.
    from: Trajectory,
    filter: Filter,
    /// Whether nodes have been linearized with the multipliers of the elastic rows.
    multiplied: bool,
}

impl Restoration {
    pub(super) fn new(problem: &Problem, iterations: usize) -> Self {
        let elastic = (0..=problem.steps()).map(|k| Elastic::new(problem, k)).collect();
        Self { elastic, from: Trajectory::zeros(problem), filter: Filter::with_capacity(iterations), multiplied: false }
    }
}

impl InteriorPoint {
    /// Makes violations less. The nodes of the iterate have been linearized. Its iterations are entered like others.
    /// Leaves no multipliers.
    pub(super) fn restore(&mut self, at: &mut Context<'_>, watch: Watch<'_>) -> Result<(), Status> {
        let restored = self.give_up(at, watch);
        at.state.forget_multipliers();
        restored
    }

    fn give_up(&mut self, at: &mut Context<'_>, watch: Watch<'_>) -> Result<(), Status> {
        let outer = self.merit(at.state);
        let enough = ENOUGH[self.run.restorations.min(ENOUGH.len() - 1)];
        self.run.restorations += 1;
        self.filter.remember(outer);
        self.restoration.from.copy_from(&at.state.iterate);
        at.state.forget_multipliers();
        self.rows.iter_mut().for_each(Inequalities::push_cones);
        let mut mu = self.begin_elastic(at.state);
        self.rows.iter_mut().for_each(|rows| rows.center_cones(mu));
        let zeta = mu.sqrt();
        let merit = self.elastic_merit(at, mu, zeta).map_err(Status::Fault)?;
        self.restoration.filter.restart(merit);
        (at.state.now.regularization, self.restoration.multiplied) = (0.0, false);
        let mut idle = 0;
        for iteration in 0.. {
            if iteration > 0 {
                at.state.unscale(NO_COST);
                self.evaluate(at, false).map_err(Status::Fault)?;
                self.restoration.multiplied = true;
                self.look(at);
                let here = self.merit(at.state);
                if here.violation <= enough * outer.violation && self.filter.allows(here) {
                    self.rows.iter_mut().for_each(|rows| rows.center(self.run.mu));
                    return Ok(());
                }
            }
            if at.state.is_late() {
                return Err(Status::TimeLimit);
            }
            if at.state.history.len() >= self.attempt.iteration_budget {
                return Err(Status::IterationLimit);
            }
            let size = self.elastic_direction(at, mu, zeta)?;
            let gap = at.state.now.gap;
            let step = if size > SHORT.max(mu) { self.elastic_search(at, mu, zeta)? } else { None };
            if let Some(gains) = step {
                if enter(self, at, Step::new(at.state.now.step, true), gap, watch) == Control::Stop {
                    return Err(Status::Stopped);
                }
                idle = if gains { 0 } else { idle + 1 };
                if idle < IDLE {
                    continue;
                }
            }
            if mu > LEAST {
                // Nothing more to be gained at this barrier, or no step: with less of it another direction may do.
                idle = 0;
                mu = (SHRINK * mu).max(LEAST);
                let merit = self.elastic_merit(at, mu, zeta).map_err(Status::Fault)?;
                self.restoration.filter.restart(merit);
                continue;
            }
            // An optimum is where the direction is short, where what it promises is nothing to rounding, or where steps
            // gain nothing.
            let slope = self.elastic_slope(at, mu, zeta).map_err(Status::Fault)?;
            let merit = self.elastic_merit(at, mu, zeta).map_err(Status::Fault)?;
            let flat = if self.rows.iter().any(Inequalities::has_cones) { FLAT_IN_CONES } else { FLAT };
            let nothing = flat * merit.cost.abs();
            // A cost that rises along the direction buys less violation: nothing is gained where hardly any is left.
            let feasible = merit.violation <= CLEAR * self.options.tolerance;
            let flat = slope.abs() <= nothing || (slope > 0.0 && feasible);
            let optimal = size <= SHORT.max(mu) || flat || idle >= IDLE;
            return Err(self.end_restoration(at, optimal));
        }
        Err(Status::IterationLimit)
    }

    /// How much is violated. What is left of the other conditions of optimality stays what it was before: meanwhile
    /// there are no multipliers.
    fn look(&mut self, at: &mut Context<'_>) {
        let (error, dual) = (at.state.now.kkt_error, at.state.now.optimality.dual);
        self.update_residuals(at);
        (at.state.now.kkt_error, at.state.now.optimality.dual) = (error, dual);
    }

    /// Restoration has led nowhere: what is violated clearly at an optimum cannot hold near there.
    fn end_restoration(&mut self, at: &mut Context<'_>, optimal: bool) -> Status {
        let blocked = self.infeasible(at.problem);
        let named = matches!(&blocked, Status::NoFeasiblePoint { constraints } if !constraints.is_empty());
        self.look(at);
        let clear = at.state.now.optimality.primal > CLEAR * self.options.tolerance;
        if optimal && named && clear { blocked } else { at.state.stalled(at.evaluator, at.problem, at.state.worst()) }
    }

    /// Gives up what is off; μ.
    fn begin_elastic(&mut self, state: &State) -> f64 {
        let mut mu = self.run.mu.max(LEAST);
        for (costs, rows) in state.costs.iter().zip(&self.rows) {
            let off = (0..rows.s.len()).map(|i| rows.residual(i).abs()).fold(0.0, f64::max);
            mu = mu.max(off).max(costs.eq().amax());
        }
        for (k, elastic) in self.restoration.elastic.iter_mut().enumerate() {
            let (rows, eq) = (&self.rows[k], state.costs[k].eq());
            let n = rows.controls.len();
            for (i, c) in eq.iter().enumerate() {
                elastic.begin(i, Some(*c), mu);
            }
            for i in n..rows.s.len() {
                elastic.begin(eq.len() + i - n, rows.counts(i).then(|| rows.residual(i)), mu);
            }
        }
        mu
    }

    /// The direction; its largest entry.
    fn elastic_direction(&mut self, at: &mut Context<'_>, mu: f64, zeta: f64) -> Result<f64, Status> {
        let known = (0..self.rows.len()).all(|k| at.evaluator.knows_curvature(k));
        at.state.now.exact = self.restoration.multiplied && known && self.options.hessian != Hessian::GaussNewton;
        at.state.riccati.soften(0.0);
        let begun = loop {
            self.elastic_assemble(at, [mu, zeta])?;
            let State { riccati, gaps, lq, .. } = &mut *at.state;
            let swept = (0..gaps.len())
                .rev()
                .try_for_each(|k| riccati.sweep_node(k, &at.evaluator.node(at.problem, k), gaps.get(k), 0.0));
            let begun = swept.and_then(|()| riccati.begin_roll_out(gaps.first(), lq));
            if begun.is_ok() || !at.state.now.exact {
                break begun;
            }
            // Not positive.
            at.state.now.exact = false;
            self.restoration
                .elastic
                .iter_mut()
                .enumerate()
                .for_each(|(k, elastic)| elastic.swap(&mut at.evaluator.node(at.problem, k)));
        };
        let mut size: f64 = 0.0;
        for k in 0..self.rows.len() {
            let node = &mut *at.evaluator.node(at.problem, k);
            if begun.is_ok() {
                let State { riccati, gaps, lq, .. } = &mut *at.state;
                riccati.roll_out_node(k, node, gaps.get(k), lq);
            }
            let elastic = &mut self.restoration.elastic[k];
            elastic.swap(node);
            let (dx, du) = (&at.state.lq.dx[k], &at.state.lq.du[k]);
            size = size.max(dx.amax()).max(if du.is_empty() { 0.0 } else { du.amax() });
            self.rows[k].elastic_directions(node, dx, du, mu, elastic);
            elastic.directions(node, dx, du, mu);
        }
        begun.map(|()| size).map_err(|failure| Status::Stalled { node: failure.node(), term: None })
    }

    /// The nodes of that: distances, and what is given up, with the curvature of the rest if it is exact.
    fn elastic_assemble(&mut self, at: &mut Context<'_>, [mu, zeta]: [f64; 2]) -> Result<(), Status> {
        let space = at.problem.space();
        for k in 0..self.rows.len() {
            let node = &mut *at.evaluator.node(at.problem, k);
            let (from, elastic, rows) = (&self.restoration.from, &mut self.restoration.elastic[k], &mut self.rows[k]);
            let moved = space.difference(from.x(k), at.state.iterate.x(k), node.lx.as_mut_slice());
            moved.map_err(|reason| Status::Fault(of_dynamics(at.problem, k, reason)))?;
            node.lx *= zeta;
            for ((to, u), from) in node.lu.iter_mut().zip(at.state.iterate.u(k)).zip(from.u(k)) {
                *to = zeta * (u - from);
            }
            let Quadratic { lxx, lxu, luu, curvature, .. } = &mut *node;
            for (to, from) in [(&mut *lxx, &curvature.xx), (lxu, &curvature.xu), (&mut *luu, &curvature.uu)] {
                if at.state.now.exact {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = NO_COST * from);
                } else {
                    to.fill(0.0);
                }
            }
            for m in [lxx, luu] {
                (0..m.nrows()).for_each(|i| m[(i, i)] += zeta);
            }
            node.eq.copy_from(at.state.costs[k].eq());
            rows.barrier_terms(mu, Some(elastic));
            rows.condense(node);
            elastic.condense(node, mu);
        }
        Ok(())
    }

    /// A step along the direction; `None` if the filter accepts none, else whether it gains more than rounding.
    fn elastic_search(&mut self, at: &mut Context<'_>, mu: f64, zeta: f64) -> Result<Option<bool>, Status> {
        let tau = (1.0 - KEEP).max(1.0 - mu);
        let from = self.elastic_merit(at, mu, zeta).map_err(Status::Fault)?;
        let slope = self.elastic_slope(at, mu, zeta).map_err(Status::Fault)?;
        let longest = self.rows.iter().zip(&self.restoration.elastic).map(|(rows, elastic)| {
            let (a, b) = (rows.max_step(tau, rows.controls.len()), elastic.max_step(tau));
            [a[0].min(b[0]), a[1].min(b[1])]
        });
        let [longest, dual] = longest.fold([1.0; 2], |a: [f64; 2], b| [a[0].min(b[0]), a[1].min(b[1])]);
        let longest = domain::longest(at.problem, &at.state.iterate, [&at.state.lq.dx, &at.state.lq.du], longest);
        for (way, halving) in ways(RollOut::Automatic, self.options.halvings) {
            let step = longest * 0.5_f64.powi(halving as i32);
            let trial =
                self.go(at, way, [step, tau], false).and_then(|()| self.elastic_trial(at, [step, tau], mu, zeta));
            if let Ok(trial) = trial
                && self.restoration.filter.accepts(from, slope, step, trial)
            {
                let less = from.violation > self.options.tolerance && trial.violation < 0.99 * from.violation;
                let gains = less || trial.cost < from.cost - GAIN * from.cost.abs();
                self.arrive(at.state);
                at.state.now.step = step;
                for (k, rows) in self.rows.iter_mut().enumerate() {
                    let (elastic, multipliers) = (&mut self.restoration.elastic[k], &mut at.state.multipliers[k]);
                    rows.advance(dual, mu);
                    elastic.advance([step, dual]);
                    let Multipliers { eq, ineq, .. } = multipliers;
                    eq.iter_mut().enumerate().for_each(|(i, y)| *y = elastic.multiplier(i));
                    let n = rows.controls.len();
                    ineq.iter_mut().enumerate().for_each(|(i, y)| *y = rows.y(n + i));
                    at.state.costates[k].axpy(step, &at.state.lq.costates[k], 1.0 - step);
                    if let Some(before) = k.checked_sub(1) {
                        at.state.multipliers[before].next.copy_from(&at.state.costates[k]);
                    }
                }
                return Ok(Some(gains));
            }
        }
        Ok(None)
    }

    /// Of the iterate, or, with a step, of the one that is tried: how far it is from where restoration began,
    /// `½ ζ |…|²`.
    fn near(&self, problem: &Problem, of: &Trajectory, zeta: f64) -> Result<f64, Fault> {
        let (space, from) = (problem.space(), &self.restoration.from);
        let mut off = vec![0.0; space.ndx()];
        let mut sum = 0.0;
        for k in 0..=problem.steps() {
            let moved = space.difference(from.x(k), of.x(k), &mut off);
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            sum += off.iter().map(|x| x * x).sum::<f64>();
            sum += of.u(k).iter().zip(from.u(k)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        Ok(0.5 * zeta * sum)
    }

    fn elastic_merit(&self, at: &Context<'_>, mu: f64, zeta: f64) -> Result<Merit, Fault> {
        let (mut cost, mut violation) = (self.near(at.problem, &at.state.iterate, zeta)?, 0.0);
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            let (n, eq) = (rows.controls.len(), at.state.costs[k].eq());
            cost += mu * rows.barrier() + elastic.cost(0.0, mu);
            violation += at.state.gaps[k].lp_norm(1);
            violation += eq.iter().enumerate().map(|(i, c)| (c - elastic.given(i)).abs()).sum::<f64>();
            for i in 0..rows.s.len() {
                let given = if i < n { 0.0 } else { elastic.given(eq.len() + i - n) };
                violation += (rows.residual(i) - given).abs();
            }
        }
        Ok(Merit { cost, violation })
    }

    fn elastic_trial(&mut self, at: &Context<'_>, [step, tau]: [f64; 2], mu: f64, zeta: f64) -> Result<Merit, Fault> {
        let (mut cost, mut violation) = (self.near(at.problem, &at.state.trial, zeta)?, 0.0);
        for (k, (rows, elastic)) in self.rows.iter_mut().zip(&self.restoration.elastic).enumerate() {
            let (n, n_eq) = (rows.controls.len(), elastic.equalities());
            let trial = &self.values[k];
            let (u, g) = (at.state.trial.u(k), &trial.rows[n_eq..]);
            rows.try_slacks(step, tau, u, g, true);
            cost += mu * rows.trial_barrier() + elastic.cost(step, mu);
            violation += trial.gap.iter().map(|x| x.abs()).sum::<f64>();
            for (i, c) in trial.rows[..n_eq].iter().enumerate() {
                violation += (c - elastic.given_after(i, step)).abs();
            }
            for i in (n..rows.s.len()).filter(|i| rows.counts(*i)) {
                violation += (rows.trial_residual(i, g) - elastic.given_after(n_eq + i - n, step)).abs();
            }
        }
        Ok(Merit { cost, violation })
    }

    fn elastic_slope(&self, at: &mut Context<'_>, mu: f64, zeta: f64) -> Result<f64, Fault> {
        let space = at.problem.space();
        let mut slope = 0.0;
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            let (from, dx, du) = (&self.restoration.from, &at.state.lq.dx[k], &at.state.lq.du[k]);
            let off = &mut at.state.scaled[..dx.len()];
            let moved = space.difference(from.x(k), at.state.iterate.x(k), off);
            moved.map_err(|reason| of_dynamics(at.problem, k, reason))?;
            slope += zeta * off.iter().zip(dx.iter()).map(|(a, b)| a * b).sum::<f64>();
            let by_u = at.state.iterate.u(k).iter().zip(from.u(k)).zip(du.iter());
            slope += zeta * by_u.map(|((u, r), du)| (u - r) * du).sum::<f64>();
            slope += mu * rows.barrier_slope() + elastic.slope(mu);
        }
        Ok(slope)
    }

    /// The constraints that block each other: those with the largest multipliers.
    fn infeasible(&self, problem: &Problem) -> Status {
        let mut blockers = Blockers::new(problem, BLOCKS * PRICE);
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            (0..elastic.equalities()).for_each(|row| blockers.add_equality(k, row, elastic.multiplier(row).abs()));
            for i in (0..rows.s.len()).filter(|i| rows.counts(*i)) {
                blockers.add_row(k, rows.controls.len(), i, rows.y(i).abs());
            }
        }
        blockers.status()
    }
}
