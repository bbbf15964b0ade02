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
use super::rows::Rows;
use super::search::ways;
use super::{Hessian, InteriorPoint, KEEP, RollOut};
use crate::fault::Fault;
use crate::node::Row;
use crate::problem::Problem;
use crate::quadratic::{Multipliers, Quadratic};
use crate::solver::crew::{Crew, Merit};
use crate::solver::domain;
use crate::solver::filter::Filter;
use crate::solver::report::{Control, Iteration, Status};
use crate::solver::support::of_dynamics;
use crate::trajectory::Trajectory;

/// Restored where this share of the violation is left (`κ_resto`), and each time less: what cannot be restored shall show soon.
const ENOUGH: [f64; 4] = [0.9, 0.3, 0.1, 0.01];
/// μ shrinks by this factor where steps are shorter than it, down to the last one.
const SHRINK: f64 = 0.1;
const LEAST: f64 = 1e-9;
/// Shorter steps than this end it.
const SHORT: f64 = 1e-7;
/// A slope that is less than this share of the cost is none. Boundaries of cones cut steps short, so that with cones directions promise more
/// than any step gains.
const FLAT: f64 = 1e-6;
const FLAT_IN_CONES: f64 = 1e-3;
/// The scale of the cost in second derivatives, which the cost has no part in: next to that of constraints rounding is left of it.
const NO_COST: f64 = 1e-10;
/// Violations count as such above so many tolerances.
const CLEAR: f64 = 100.0;
/// Rows with multipliers above this share of ρ block each other.
const BLOCKS: f64 = 1e-2;

/// Steps that gain less than this share of the cost count as idle: the filter takes equal for less, so that there may be steps without an end.
/// After so many in a row nothing more is to be gained.
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
    priced: bool,
}

impl Restoration {
    pub(super) fn new(problem: &Problem, iterations: usize) -> Self {
        let elastic = (0..=problem.steps()).map(|k| Elastic::new(problem, k)).collect();
        Self { elastic, from: Trajectory::zeros(problem), filter: Filter::with_capacity(iterations), priced: false }
    }
}

impl InteriorPoint {
    /// Makes violations less. The nodes of the trajectory that is kept have been linearized. Its iterations are entered like others. Leaves no
    /// multipliers.
    pub(super) fn restore(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Result<(), Status> {
        let restored = self.give_up(crew, problem, watch);
        self.core.forget_multipliers();
        restored
    }

    fn give_up(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Result<(), Status> {
        let outer = self.merit();
        let enough = ENOUGH[self.run.restorations.min(ENOUGH.len() - 1)];
        self.run.restorations += 1;
        self.filter.remember(outer);
        self.restoration.from.copy_from(&self.core.iterate);
        self.core.forget_multipliers();
        self.rows.iter_mut().for_each(Rows::push_cones);
        let mut mu = self.begin_elastic();
        self.rows.iter_mut().for_each(|rows| rows.center_cones(mu));
        let zeta = mu.sqrt();
        let merit = self.elastic_merit(problem, mu, zeta).map_err(Status::Fault)?;
        self.restoration.filter.restart(merit);
        (self.core.now.delta, self.restoration.priced) = (0.0, false);
        let mut idle = 0;
        for iteration in 0.. {
            if iteration > 0 {
                self.core.unscale(NO_COST);
                self.evaluate(crew, problem, false).map_err(Status::Fault)?;
                self.restoration.priced = true;
                self.look(crew, problem);
                let here = self.merit();
                if here.violation <= enough * outer.violation && self.filter.allows(here) {
                    self.rows.iter_mut().for_each(|rows| rows.center(self.run.mu));
                    return Ok(());
                }
            }
            if self.core.is_late() {
                return Err(Status::TimeLimit);
            }
            if self.core.history.len() >= self.most {
                return Err(Status::IterationLimit);
            }
            let size = self.elastic_direction(crew, problem, mu, zeta)?;
            let gap = self.core.now.gap;
            let step = if size > SHORT.max(mu) { self.elastic_search(crew, problem, mu, zeta)? } else { None };
            if let Some(gains) = step {
                self.core.enter(gap, true, self.barrier_and_penalty());
                if watch(&self.core.history[self.core.history.len() - 1]) == Control::Stop {
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
                let merit = self.elastic_merit(problem, mu, zeta).map_err(Status::Fault)?;
                self.restoration.filter.restart(merit);
                continue;
            }
            // An optimum is where the direction is short, where what it promises is nothing to rounding, or where steps gain nothing.
            let slope = self.elastic_slope(problem, mu, zeta).map_err(Status::Fault)?;
            let merit = self.elastic_merit(problem, mu, zeta).map_err(Status::Fault)?;
            let flat = if self.rows.iter().any(Rows::has_cones) { FLAT_IN_CONES } else { FLAT };
            let nothing = flat * merit.cost.abs();
            // A cost that rises along the direction buys less violation: nothing is gained where hardly any is left.
            let feasible = merit.violation <= CLEAR * self.options.tolerance;
            let flat = slope.abs() <= nothing || (slope > 0.0 && feasible);
            let optimal = size <= SHORT.max(mu) || flat || idle >= IDLE;
            return Err(self.end_restoration(crew, problem, optimal));
        }
        Err(Status::IterationLimit)
    }

    /// How much is violated. What is left of the other conditions of optimality stays what it was before: meanwhile there are no multipliers.
    fn look(&mut self, crew: &Crew, problem: &Problem) {
        let (error, dual) = (self.core.now.error, self.core.now.optimality.dual);
        self.update_residuals(crew, problem);
        (self.core.now.error, self.core.now.optimality.dual) = (error, dual);
    }

    /// Restoration has led nowhere: what is violated clearly at an optimum cannot hold near there.
    fn end_restoration(&mut self, crew: &Crew, problem: &Problem, optimal: bool) -> Status {
        let blocked = self.infeasible(problem);
        let named = matches!(&blocked, Status::NoFeasiblePoint { constraints } if !constraints.is_empty());
        self.look(crew, problem);
        let clear = self.core.now.optimality.primal > CLEAR * self.options.tolerance;
        if optimal && named && clear { blocked } else { self.core.stalled(crew, problem, self.core.worst()) }
    }

    /// Gives up what is off; μ.
    fn begin_elastic(&mut self) -> f64 {
        let mut mu = self.run.mu.max(LEAST);
        for (bare, rows) in self.core.bare.iter().zip(&self.rows) {
            let off = (0..rows.s.len()).map(|i| rows.off(i).abs()).fold(0.0, f64::max);
            mu = mu.max(off).max(bare.eq().amax());
        }
        for (k, elastic) in self.restoration.elastic.iter_mut().enumerate() {
            let (rows, eq) = (&self.rows[k], self.core.bare[k].eq());
            let n = rows.controls.len();
            for (i, c) in eq.iter().enumerate() {
                elastic.begin(i, Some(*c), mu);
            }
            for i in n..rows.s.len() {
                elastic.begin(eq.len() + i - n, rows.counts(i).then(|| rows.off(i)), mu);
            }
        }
        mu
    }

    /// The direction; its largest entry.
    fn elastic_direction(&mut self, crew: &Crew, problem: &Problem, mu: f64, zeta: f64) -> Result<f64, Status> {
        let known = (0..self.rows.len()).all(|k| crew.knows_curvature(k));
        self.core.now.exact = self.restoration.priced && known && self.options.hessian != Hessian::GaussNewton;
        self.core.riccati.soften(0.0);
        let begun = loop {
            self.elastic_assemble(crew, problem, [mu, zeta])?;
            let (riccati, gaps) = (&mut self.core.riccati, &self.core.gaps);
            let swept =
                (0..gaps.len()).rev().try_for_each(|k| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), 0.0));
            let begun = swept.and_then(|()| riccati.begin_roll_out(gaps.first(), &mut self.core.lq));
            if begun.is_ok() || !self.core.now.exact {
                break begun;
            }
            // Not positive.
            self.core.now.exact = false;
            self.restoration
                .elastic
                .iter_mut()
                .enumerate()
                .for_each(|(k, elastic)| elastic.swap(&mut crew.node(problem, k)));
        };
        let mut size: f64 = 0.0;
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            if begun.is_ok() {
                self.core.riccati.roll_out_node(k, node, self.core.gaps.get(k), &mut self.core.lq);
            }
            let elastic = &mut self.restoration.elastic[k];
            elastic.swap(node);
            let (dx, du) = (&self.core.lq.dx[k], &self.core.lq.du[k]);
            size = size.max(dx.amax()).max(if du.is_empty() { 0.0 } else { du.amax() });
            self.rows[k].elastic_directions(node, dx, du, mu, elastic);
            elastic.directions(node, dx, du, mu);
        }
        begun.map(|()| size).map_err(|failure| Status::Stalled { node: failure.node(), term: None })
    }

    /// The nodes of that: distances, and what is given up, with the curvature of the rest if it is exact.
    fn elastic_assemble(&mut self, crew: &Crew, problem: &Problem, [mu, zeta]: [f64; 2]) -> Result<(), Status> {
        let space = problem.space();
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            let (from, elastic, rows) = (&self.restoration.from, &mut self.restoration.elastic[k], &mut self.rows[k]);
            let moved = space.difference(from.x(k), self.core.iterate.x(k), node.lx.as_mut_slice());
            moved.map_err(|reason| Status::Fault(of_dynamics(problem, k, reason)))?;
            node.lx *= zeta;
            for ((to, u), from) in node.lu.iter_mut().zip(self.core.iterate.u(k)).zip(from.u(k)) {
                *to = zeta * (u - from);
            }
            let Quadratic { lxx, lxu, luu, curvature, .. } = &mut *node;
            for (to, from) in [(&mut *lxx, &curvature.xx), (lxu, &curvature.xu), (&mut *luu, &curvature.uu)] {
                if self.core.now.exact {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = NO_COST * from);
                } else {
                    to.fill(0.0);
                }
            }
            for m in [lxx, luu] {
                (0..m.nrows()).for_each(|i| m[(i, i)] += zeta);
            }
            node.eq.copy_from(self.core.bare[k].eq());
            rows.weigh(mu, Some(elastic));
            rows.condense(node);
            elastic.condense(node, mu);
        }
        Ok(())
    }

    /// A step along the direction, if the filter takes one: does it gain anything but rounding?
    fn elastic_search(&mut self, crew: &Crew, problem: &Problem, mu: f64, zeta: f64) -> Result<Option<bool>, Status> {
        let tau = (1.0 - KEEP).max(1.0 - mu);
        let from = self.elastic_merit(problem, mu, zeta).map_err(Status::Fault)?;
        let slope = self.elastic_slope(problem, mu, zeta).map_err(Status::Fault)?;
        let longest = self.rows.iter().zip(&self.restoration.elastic).map(|(rows, elastic)| {
            let (a, b) = (rows.longest(tau, rows.controls.len()), elastic.longest(tau));
            [a[0].min(b[0]), a[1].min(b[1])]
        });
        let [longest, dual] = longest.fold([1.0; 2], |a: [f64; 2], b| [a[0].min(b[0]), a[1].min(b[1])]);
        let longest = domain::longest(problem, &self.core.iterate, [&self.core.lq.dx, &self.core.lq.du], longest);
        for (way, halving) in ways(RollOut::Automatic, self.options.halvings) {
            let step = longest * 0.5_f64.powi(halving as i32);
            let trial = self
                .go(crew, problem, way, [step, tau], false)
                .and_then(|()| self.elastic_trial(problem, [step, tau], mu, zeta));
            if let Ok(trial) = trial
                && self.restoration.filter.accepts(from, slope, step, trial)
            {
                let less = from.violation > self.options.tolerance && trial.violation < 0.99 * from.violation;
                let gains = less || trial.cost < from.cost - GAIN * from.cost.abs();
                self.arrive();
                self.core.now.step = step;
                for (k, rows) in self.rows.iter_mut().enumerate() {
                    let (elastic, multipliers) = (&mut self.restoration.elastic[k], &mut self.core.multipliers[k]);
                    rows.advance(dual, mu);
                    elastic.advance([step, dual]);
                    let Multipliers { eq, ineq, .. } = multipliers;
                    eq.iter_mut().enumerate().for_each(|(i, y)| *y = elastic.multiplier(i));
                    let n = rows.controls.len();
                    ineq.iter_mut().enumerate().for_each(|(i, y)| *y = rows.y(n + i));
                    self.core.costates[k].axpy(step, &self.core.lq.costates[k], 1.0 - step);
                    if let Some(before) = k.checked_sub(1) {
                        self.core.multipliers[before].next.copy_from(&self.core.costates[k]);
                    }
                }
                return Ok(Some(gains));
            }
        }
        Ok(None)
    }

    /// Of the trajectory that is kept, or, with a step, of the one that is tried: how far it is from where restoration began, `½ ζ |…|²`.
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

    fn elastic_merit(&self, problem: &Problem, mu: f64, zeta: f64) -> Result<Merit, Fault> {
        let (mut cost, mut violation) = (self.near(problem, &self.core.iterate, zeta)?, 0.0);
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            let (n, eq) = (rows.controls.len(), self.core.bare[k].eq());
            cost += mu * rows.barrier() + elastic.cost(0.0, mu);
            violation += self.core.gaps[k].lp_norm(1);
            violation += eq.iter().enumerate().map(|(i, c)| (c - elastic.given(i)).abs()).sum::<f64>();
            for i in 0..rows.s.len() {
                let given = if i < n { 0.0 } else { elastic.given(eq.len() + i - n) };
                violation += (rows.off(i) - given).abs();
            }
        }
        Ok(Merit { cost, violation, priced: 0.0 })
    }

    fn elastic_trial(&mut self, problem: &Problem, [step, tau]: [f64; 2], mu: f64, zeta: f64) -> Result<Merit, Fault> {
        let (mut cost, mut violation) = (self.near(problem, &self.core.tried, zeta)?, 0.0);
        for (k, (rows, elastic)) in self.rows.iter_mut().zip(&self.restoration.elastic).enumerate() {
            let (n, n_eq) = (rows.controls.len(), elastic.equalities());
            let trial = &self.trial[k];
            let (u, g) = (self.core.tried.u(k), &trial.rows[n_eq..]);
            rows.try_slacks(step, tau, u, g, true);
            cost += mu * rows.tried_barrier() + elastic.cost(step, mu);
            violation += trial.gap.iter().map(|x| x.abs()).sum::<f64>();
            for (i, c) in trial.rows[..n_eq].iter().enumerate() {
                violation += (c - elastic.given_after(i, step)).abs();
            }
            for i in (n..rows.s.len()).filter(|i| rows.counts(*i)) {
                violation += (rows.tried_off(i, g) - elastic.given_after(n_eq + i - n, step)).abs();
            }
        }
        Ok(Merit { cost, violation, priced: 0.0 })
    }

    fn elastic_slope(&mut self, problem: &Problem, mu: f64, zeta: f64) -> Result<f64, Fault> {
        let space = problem.space();
        let mut slope = 0.0;
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            let (from, dx, du) = (&self.restoration.from, &self.core.lq.dx[k], &self.core.lq.du[k]);
            let off = &mut self.core.scaled[..dx.len()];
            let moved = space.difference(from.x(k), self.core.iterate.x(k), off);
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            slope += zeta * off.iter().zip(dx.iter()).map(|(a, b)| a * b).sum::<f64>();
            slope += zeta
                * self
                    .core
                    .iterate
                    .u(k)
                    .iter()
                    .zip(from.u(k))
                    .zip(du.iter())
                    .map(|((u, r), du)| (u - r) * du)
                    .sum::<f64>();
            slope += mu * rows.barrier_slope() + elastic.slope(mu);
        }
        Ok(slope)
    }

    /// The constraints that block each other, by name, those that are violated most first.
    fn infeasible(&self, problem: &Problem) -> Status {
        let mut found: Vec<(String, f64)> = Vec::new();
        let mut name = |name: String, size: f64| match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, most)) => *most = most.max(size),
            None => found.push((name, size)),
        };
        for (k, (rows, elastic)) in self.rows.iter().zip(&self.restoration.elastic).enumerate() {
            let (n, n_eq) = (rows.controls.len(), elastic.equalities());
            let phase = problem.phase_of(k);
            for row in 0..n_eq {
                let of = problem.constraint_of(k, Row::Equality(row));
                let of = of.map_or_else(
                    || format!("equalities of phase `{phase}`"),
                    |of| format!("`{of}` of phase `{phase}`"),
                );
                name(of, elastic.multiplier(row).abs());
            }
            for i in (0..rows.s.len()).filter(|i| rows.counts(*i)) {
                let of = match rows.controls.get(i) {
                    Some(_) => format!("bounds of controls of phase `{phase}`"),
                    None => match problem.constraint_of(k, Row::Inequality(i - n)) {
                        Some(of) => format!("`{of}` of phase `{phase}`"),
                        None => format!("bounds of phase `{phase}`"),
                    },
                };
                name(of, rows.y(i).abs());
            }
        }
        found.retain(|(_, size)| *size > BLOCKS * PRICE);
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        Status::NoFeasiblePoint { constraints: found.into_iter().map(|(name, _)| name).collect() }
    }
}
