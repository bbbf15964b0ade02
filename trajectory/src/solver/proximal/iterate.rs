//! The iteration: derivatives, what is left of optimality, new estimates or less μ, a direction, a step along it.

use super::{Hessian, Inner, ProximalOptions, Run};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::solver::crew::Crew;
use crate::solver::domain;
use crate::solver::gaps;
use crate::solver::optimality::{Here, Optimality};
use crate::solver::report::{Control, Iteration, Status};
use crate::solver::support::{diverges, worst_term};
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
/// Costs are scaled so that their gradient is at most this at the guess.
const GRADIENT: f64 = 100.0;
/// Where nothing improves any more, optimality to this is acceptable.
const ACCEPTABLE: f64 = 1e-6;
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
        let mut run = Self {
            scale: 1.0,
            cost: f64::INFINITY,
            gap: f64::INFINITY,
            optimality: Optimality::default(),
            error: f64::INFINITY,
            mu: 0.0,
            stationary: 0.0,
            kept: 0.0,
            delta: 0.0,
            delta_last: 0.0,
            least: 0.0,
            slope: 0.0,
            exact: false,
            step: 0.0,
            patience: (0, f64::INFINITY),
            until: None,
        };
        run.soften(options.softness);
        run
    }
    /// Another μ, with ω and η as they begin with it.
    pub(super) fn soften(&mut self, mu: f64) {
        (self.mu, self.stationary, self.kept) = (mu, mu, mu.powf(POWERS.1));
        self.patience = (0, f64::INFINITY);
    }
}

impl Inner {
    pub(super) fn iterate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        cold: bool,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        let began = Instant::now();
        self.run.until = self.options.time.and_then(|limit| began.checked_add(limit));
        self.begin_search();
        let mut moved = true;
        for iteration in 0..self.options.iterations {
            if moved {
                if let Err(fault) = self.linearize(crew, problem, cold && iteration == 0) {
                    return Status::Fault(fault);
                }
                self.judge(crew, problem);
                if self.run.error <= self.options.tolerance {
                    self.enter(iteration, 0.0, false);
                    watch(&self.history[self.history.len() - 1]);
                    return Status::Converged;
                }
            }
            if let Some(blocked) = self.update(crew, problem) {
                return blocked;
            }
            let gap = self.run.gap;
            // Without a direction there is no step.
            let (step, accepted, node) = match self.direction(crew, problem) {
                Ok(()) => {
                    let (step, accepted) = self.search(crew, problem);
                    (step, accepted, None)
                }
                Err(failure) => (0.0, false, Some(failure.node())),
            };
            moved = accepted;
            self.run.step = step;
            self.enter(iteration, gap, accepted);
            let wish = watch(&self.history[self.history.len() - 1]);
            if diverges(self.run.cost) {
                return Status::Diverged;
            }
            let first = self.options.regularization;
            if accepted {
                if step > LONG {
                    let less = self.run.least / FEWER;
                    self.run.least = if less < first { 0.0 } else { less };
                }
            } else if node.is_some()
                || self.run.least > MOST
                || (self.run.error <= ACCEPTABLE && self.run.least > ENOUGH)
            {
                let node = node.unwrap_or_else(|| self.worst());
                return self.stalled(crew, problem, node);
            } else {
                self.run.least = (MORE * self.run.least).max(first);
            }
            if wish == Control::Stop {
                return Status::Stopped;
            }
            if self.run.until.is_some_and(|until| Instant::now() >= until) {
                return Status::TimeLimit;
            }
        }
        Status::IterationLimit
    }

    /// Forgets the last solution.
    pub(super) fn reset(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.forget();
        }
        if problem.choice().is_some() {
            self.rows[0].clamp_controls(self.kept.u_mut(0));
            domain::carry(problem, &mut self.kept);
        }
        for m in self.multipliers.iter_mut().chain(&mut self.prices) {
            [&mut m.next, &mut m.eq, &mut m.ineq].into_iter().for_each(|x| x.fill(0.0));
        }
        self.costates.iter_mut().for_each(|x| x.fill(0.0));
    }

    /// Begins where the last solution has ended, with bounds that may have moved.
    pub(super) fn go_on(&mut self, problem: &Problem) {
        for (k, (rows, multipliers)) in self.rows.iter_mut().zip(&self.multipliers).enumerate() {
            rows.take_bounds(problem, k);
            rows.go_on(&multipliers.eq);
        }
    }

    /// Derivatives at the trajectory that is kept, its gaps, and its rows.
    pub(super) fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.price();
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
            rows.read(self.kept.u(k), &node);
            steepest = steepest.max(node.lx.amax()).max(if node.lu.is_empty() { 0.0 } else { node.lu.amax() });
        }
        if first {
            self.run.scale = if steepest > GRADIENT { GRADIENT / steepest } else { 1.0 };
        }
        Ok(())
    }

    /// Multipliers of the cost as it is.
    pub(super) fn price(&mut self) {
        let scale = 1.0 / self.run.scale;
        for (to, from) in self.prices.iter_mut().zip(&self.multipliers) {
            let parts = [(&mut to.next, &from.next), (&mut to.eq, &from.eq), (&mut to.ineq, &from.ineq)];
            parts.into_iter().for_each(|(to, from)| to.axpy(scale, from, 0.0));
        }
    }

    /// What is left of the conditions of optimality.
    pub(super) fn judge(&mut self, crew: &Crew, problem: &Problem) {
        let mut left = Optimality::default();
        let mut off: f64 = 0.0;
        for (k, rows) in self.rows.iter().enumerate() {
            let node = crew.node(problem, k);
            let here = Here {
                costate: &self.costates[k],
                multipliers: &self.multipliers[k],
                controls: &rows.controls,
                gap: &self.gaps[k],
                off: rows.most_off(),
                bounds: rows.bounds(),
            };
            left.add(&node, self.run.scale, here, |row| rows.y[row], &mut self.gradient);
            off = off.max(rows.complementarity());
        }
        self.run.optimality = left;
        self.run.error = left.error(off);
    }

    /// Where the augmented Lagrangian is stationary: new estimates of multipliers, or less μ; and whether nothing helps.
    fn update(&mut self, crew: &Crew, problem: &Problem) -> Option<Status> {
        let mut left = [0.0_f64; 2];
        for (rows, multipliers) in self.rows.iter().zip(&self.multipliers) {
            let of = rows.left(multipliers, self.run.mu);
            left = [left[0].max(of[0]), left[1].max(of[1])];
        }
        let [off, moved] = left;
        let stationary = self.run.optimality.stationarity().max(self.run.gap).max(off);
        let may_shrink = self.run.mu > self.options.softness_min;
        let less = (SHRINK * self.run.mu).max(self.options.softness_min);
        let hopeless;
        if stationary <= self.run.stationary {
            if moved <= self.run.kept || !may_shrink {
                for (rows, multipliers) in self.rows.iter_mut().zip(&self.multipliers) {
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

    /// Have violations become less within some iterations, or have these not been done yet?
    fn is_patient(&mut self) -> bool {
        let violation = self.run.optimality.primal;
        let (count, before) = self.run.patience;
        self.run.patience = (count + 1, before);
        if count < PATIENCE {
            return true;
        }
        self.run.patience = (0, violation);
        violation <= LESS_VIOLATION * before || violation <= self.options.tolerance
    }

    fn enter(&mut self, iteration: usize, gap: f64, accepted: bool) {
        let Run { cost, optimality, error, step, delta, mu, exact, .. } = self.run;
        self.history.push(Iteration {
            iteration,
            cost,
            gap,
            violation: optimality.primal,
            kkt_error: Some(error),
            expected_decrease: None,
            stationarity: optimality.dual,
            step,
            accepted,
            regularization: delta,
            mu: None,
            penalty: Some(1.0 / mu),
            exact,
        });
    }

    fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    fn stalled(&mut self, crew: &Crew, problem: &Problem, node: usize) -> Status {
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
