//! Newton's method for problems with constraints: an interior point whose linear systems are solved by one Riccati sweep.
//!
//! States are variables like controls, as in [`MultipleShooting`](super::MultipleShooting). Rows between bounds have slacks that stay
//! inside by a barrier `−μ Σ ln`, with μ going to zero; of each row its node keeps a square ([`rows`]). Second derivatives are those of the Lagrangian,
//! of dynamics, costs and constraints alike; where they are not positive along what equalities leave free, which the sweep sees, those of
//! Gauss and Newton take their place far from a solution, and a multiple of the identity is added near to one. Steps are accepted by a
//! filter, whole ones corrected to second order where they meet the bend of a constraint; where none is accepted, violations alone are
//! made less, until one is ([`restoration`]).
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale nonlinear
//! programming*, Mathematical Programming 106 (2006); L. Vanroye, A. Sathya, J. De Schutter and W. Decré, *FATROP: a fast constrained optimal
//! control problem solver for robot trajectory optimization and control*, IROS 2023.

mod direction;
mod elastic;
mod mpc;
mod optimality;
mod restoration;
mod rows;
mod search;

use super::crew::Crew;
use super::filter::Filter;
use super::gaps;
use super::report::{Control, Iteration, Report, Status};
use super::support::{diverges, misfit, worst_term};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::{LqSolution, Riccati};
use crate::trajectory::Trajectory;
use direction::Bare;
use nalgebra::DVector;
use optimality::Optimality;
use restoration::Restoration;
use rows::Rows;
use search::{Corrections, Trial};
use std::time::{Duration, Instant};

/// Which second derivatives directions come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hessian {
    /// Those of the Lagrangian; far from a solution those of Gauss and Newton where the others are not positive enough.
    #[default]
    Automatic,
    /// Those of the Lagrangian, with as much of the identity as it takes.
    Exact,
    /// Those of Gauss and Newton: of costs `Jᵀ W J`, of dynamics and constraints none.
    GaussNewton,
}

/// How a trial follows its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RollOut {
    /// Along straight lines, all nodes at once: gaps may grow.
    #[default]
    Linear,
    /// By the dynamics, from the start on, with the feedback of the sweep; gaps shrink by `1 − α`.
    Nonlinear,
}

/// Constants of [`Newton`]; those with a Greek letter are Ipopt's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewtonOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// At most so much time, looked at after each iteration.
    pub time: Option<Duration>,
    /// Converged if the conditions of optimality hold to this, with the cost scaled so that its gradient was at most 100 at the guess.
    pub tolerance: f64,
    /// Second derivatives.
    pub hessian: Hessian,
    /// How trials follow directions.
    pub roll_out: RollOut,
    /// μ at the beginning.
    pub barrier: f64,
    /// The first multiple of the identity that is tried where second derivatives are not positive (`δ_w⁰`).
    pub regularization: f64,
    /// And the last one.
    pub regularization_max: f64,
    /// Steps tried: 1, ½, ¼, …, so many.
    pub halvings: usize,
    /// Threads that evaluate nodes.
    pub threads: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            iterations: 500,
            time: None,
            tolerance: 1e-8,
            hessian: Hessian::Automatic,
            roll_out: RollOut::Linear,
            barrier: 0.1,
            regularization: 1e-4,
            regularization_max: 1e20,
            halvings: 20,
            threads: 1,
        }
    }
}

/// Where optimality is within this factor of μ, μ shrinks (`κ_ε`),
const NEAR: f64 = 10.0;
/// to this share (`κ_μ`),
const SHRINK: f64 = 0.2;
/// or to this power (`θ_μ`).
const POWER: f64 = 1.5;
/// Steps keep at least this share of the distance to bounds (`1 − τ_min`).
const KEEP: f64 = 0.01;
/// Costs are scaled so that their gradient is at most this at the guess.
const GRADIENT: f64 = 100.0;
/// Steps below this length are short; after so many in a row, violations alone are made less.
const SHORT: f64 = 0.05;
const PATIENCE: usize = 8;
/// Where nothing improves any more, optimality to this is acceptable.
const ACCEPTABLE: f64 = 1e-6;

/// The solver, with its memory: made once for one problem, used for as many solutions as wanted.
pub struct Newton {
    crew: Crew,
    solver: Inner,
}

/// What the solver's own thread works with.
struct Inner {
    options: NewtonOptions,
    riccati: Riccati,
    kept: Trajectory,
    tried: Trajectory,
    gaps: Vec<DVector<f64>>,
    rows: Vec<Rows>,
    /// λ, one a node, of what makes its state.
    costates: Vec<DVector<f64>>,
    /// The same with those of the rows, of the scaled cost; and of the cost as it is.
    multipliers: Vec<Multipliers>,
    prices: Vec<Multipliers>,
    /// Costs to second order, without barriers.
    bare: Vec<Bare>,
    /// The direction, with multipliers.
    lq: LqSolution,
    corrected: LqSolution,
    corrections: Corrections,
    trial: Vec<Trial>,
    restoration: Restoration,
    gradient: [DVector<f64>; 2],
    scaled: Vec<f64>,
    filter: Filter,
    history: Vec<Iteration>,
    /// Why the last trial could not be evaluated, if none could.
    fault: Option<Fault>,
    run: Run,
    /// Are there multipliers and slacks of a solution before, and how many in a row have failed since?
    warm: bool,
    failures: usize,
}

/// Where a solution stands.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The scale of the cost.
    scale: f64,
    /// The cost as it is.
    cost: f64,
    gap: f64,
    optimality: Optimality,
    /// The largest of what is left of all conditions, with μ = 0.
    error: f64,
    mu: f64,
    /// δ_w of the last direction, and the last one that was not zero.
    delta: f64,
    delta_last: f64,
    /// δ_c: zero, where equalities can hold to first order.
    softness: f64,
    /// Does the last direction come from exact second derivatives?
    exact: bool,
    step: f64,
    /// Steps in a row that bounds have cut short, and restorations so far.
    short: usize,
    restorations: usize,
}

impl std::fmt::Debug for Newton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Newton").field("options", &self.solver.options).finish_non_exhaustive()
    }
}

impl Newton {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: NewtonOptions) -> Self {
        let crew = Crew::exact(problem, options.threads);
        let dims = crew.dims();
        let last = problem.steps();
        let states = || dims.iter().map(|d| DVector::zeros(d.ndx)).collect::<Vec<_>>();
        let multipliers =
            || -> Vec<_> { dims.iter().enumerate().map(|(k, d)| Multipliers::new(*d, k == last)).collect() };
        let rows: Vec<_> = (0..=last).map(|k| Rows::new(problem, k)).collect();
        let most = |of: fn(&crate::quadratic::Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        let solver = Inner {
            riccati: Riccati::new(dims),
            kept: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            gaps: states(),
            costates: states(),
            multipliers: multipliers(),
            prices: multipliers(),
            bare: dims.iter().map(Bare::new).collect(),
            lq: LqSolution::new(dims),
            corrected: LqSolution::new(dims),
            corrections: Corrections::new(dims, &rows),
            trial: dims.iter().map(Trial::new).collect(),
            restoration: Restoration::new(problem, options.iterations),
            gradient: [DVector::zeros(most(|d| d.ndx)), DVector::zeros(most(|d| d.nu))],
            scaled: vec![0.0; most(|d| d.ndx)],
            filter: Filter::with_capacity(options.iterations),
            history: Vec::with_capacity(options.iterations),
            fault: None,
            run: Run::new(&options),
            warm: false,
            failures: 0,
            rows,
            options,
        };
        Self { crew, solver }
    }
    /// The last trajectory that was accepted.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.solver.kept
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.solver.riccati
    }
    /// Multipliers of a node's step, equalities and rows between bounds.
    #[must_use]
    pub fn multipliers(&self, k: usize) -> &Multipliers {
        &self.solver.prices[k]
    }
    /// Multipliers of the bounds of a node's controls: negative at a lower one, positive at an upper one. `None` if it has no bound.
    #[must_use]
    pub fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        let rows = &self.solver.rows[k];
        let row = rows.controls.iter().position(|i| *i == control)?;
        Some(rows.y(row) / self.solver.run.scale)
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.solver.history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut NewtonOptions {
        &mut self.solver.options
    }

    /// Solves from a guess, whose gaps need not be closed, nor its constraints hold.
    pub fn solve(&mut self, problem: &Problem, guess: &Trajectory) -> Report {
        self.solve_with(problem, guess, |_| Control::Continue)
    }

    /// Solves from a guess, and calls `watch` after each iteration.
    pub fn solve_with(
        &mut self,
        problem: &Problem,
        guess: &Trajectory,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        self.run(problem, Some(guess), watch)
    }

    /// From a guess, or from the last solution.
    fn run(
        &mut self,
        problem: &Problem,
        guess: Option<&Trajectory>,
        mut watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Self { crew, solver } = self;
        solver.history.clear();
        let (scale, mu) = (solver.run.scale, solver.run.mu);
        solver.run = Run::new(&solver.options);
        let status = if guess.is_none_or(|guess| guess.fits(problem)) && solver.kept.fits(problem) {
            match guess {
                Some(guess) => {
                    solver.kept.copy_from(guess);
                    solver.reset(problem);
                }
                None => {
                    (solver.run.scale, solver.run.mu) = (scale, mu.min(solver.options.barrier));
                    solver.go_on(problem);
                }
            }
            let cold = guess.is_some();
            crew.serve(problem, &|_, _, _| {}, || solver.iterate(crew, problem, cold, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        solver.warm = !matches!(status, Status::Fault(_));
        solver.price();
        let Run { cost, gap, error, .. } = solver.run;
        Report { status, iterations: solver.history.len(), cost, gap, expected: error }
    }
}

impl Run {
    fn new(options: &NewtonOptions) -> Self {
        Self {
            scale: 1.0,
            cost: f64::INFINITY,
            gap: f64::INFINITY,
            optimality: Optimality::default(),
            error: f64::INFINITY,
            mu: options.barrier,
            delta: 0.0,
            delta_last: 0.0,
            softness: 0.0,
            exact: false,
            step: 0.0,
            short: 0,
            restorations: 0,
        }
    }
}

impl Inner {
    fn iterate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        cold: bool,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        let began = Instant::now();
        for iteration in 0..self.options.iterations {
            if let Err(fault) = self.linearize(crew, problem, cold && iteration == 0) {
                return Status::Fault(fault);
            }
            self.judge(crew, problem);
            if self.run.error <= self.options.tolerance {
                self.enter(iteration, 0.0, false);
                watch(&self.history[self.history.len() - 1]);
                return Status::Converged;
            }
            self.shrink_barrier();
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
            self.enter(iteration, gap, accepted);
            let wish = watch(&self.history[self.history.len() - 1]);
            if diverges(self.run.cost) {
                return Status::Diverged;
            }
            if accepted && step < SHORT {
                self.run.short += 1
            } else {
                self.run.short = 0
            }
            if !accepted || self.run.short >= PATIENCE {
                self.run.short = 0;
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
                if let Err(status) = self.restore(crew, problem) {
                    return status;
                }
            }
            if wish == Control::Stop {
                return Status::Stopped;
            }
            if self.options.time.is_some_and(|limit| began.elapsed() >= limit) {
                return Status::TimeLimit;
            }
        }
        Status::IterationLimit
    }

    /// Forgets the last solution.
    fn reset(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.kept.u_mut(k));
        }
        self.forget_multipliers();
        if self.rows.iter().all(|rows| rows.bounds() == 0) {
            self.run.mu = 0.0;
        }
    }

    /// Begins where the last solution has ended, with bounds that may have moved.
    fn go_on(&mut self, problem: &Problem) {
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.kept.u_mut(k));
            rows.come_inside(self.run.mu);
        }
    }

    fn forget_multipliers(&mut self) {
        for m in self.multipliers.iter_mut().chain(&mut self.prices) {
            [&mut m.next, &mut m.eq, &mut m.ineq].into_iter().for_each(|x| x.fill(0.0));
        }
        self.costates.iter_mut().for_each(|x| x.fill(0.0));
    }

    /// Derivatives at the trajectory that is kept, its gaps, and its rows.
    fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.price();
        crew.start_exact(&self.kept, &self.prices);
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
        }
        Ok(())
    }

    /// Multipliers of the cost as it is.
    fn price(&mut self) {
        let scale = 1.0 / self.run.scale;
        for (to, from) in self.prices.iter_mut().zip(&self.multipliers) {
            let parts = [(&mut to.next, &from.next), (&mut to.eq, &from.eq), (&mut to.ineq, &from.ineq)];
            parts.into_iter().for_each(|(to, from)| to.axpy(scale, from, 0.0));
        }
    }

    /// What is left of the conditions of optimality.
    fn judge(&mut self, crew: &Crew, problem: &Problem) {
        let mut left = Optimality::default();
        for k in 0..self.rows.len() {
            let node = crew.node(problem, k);
            let (costate, multipliers, rows) = (&self.costates[k], &self.multipliers[k], &self.rows[k]);
            left.add(&node, self.run.scale, costate, multipliers, rows, &self.gaps[k], &mut self.gradient);
        }
        self.run.optimality = left;
        self.run.error = self.error(0.0);
    }

    fn error(&self, mu: f64) -> f64 {
        let off = self.rows.iter().map(|rows| rows.complementarity(mu)).fold(0.0, f64::max);
        self.run.optimality.error(off)
    }

    /// Less μ, where the barrier problem is solved well enough.
    fn shrink_barrier(&mut self) {
        let least = self.options.tolerance / NEAR;
        let before = self.run.mu;
        while self.run.mu > least && self.error(self.run.mu) <= NEAR * self.run.mu {
            self.run.mu = (SHRINK * self.run.mu).min(self.run.mu.powf(POWER)).max(least);
        }
        if self.run.mu != before || self.history.is_empty() {
            let merit = self.merit();
            self.filter.restart(merit);
        }
    }

    fn enter(&mut self, iteration: usize, gap: f64, accepted: bool) {
        let Run { cost, optimality, error, step, delta, mu, exact, .. } = self.run;
        self.history.push(Iteration {
            iteration,
            cost,
            gap,
            violation: optimality.primal,
            expected: error,
            stationarity: optimality.dual,
            step,
            accepted,
            regularization: delta,
            barrier: mu,
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
