//! Newton's method for problems with constraints: an interior point whose linear systems are solved by one Riccati sweep.
//!
//! States are variables like controls, as in [`MultipleShooting`](super::MultipleShooting). Rows between bounds have slacks that stay
//! inside by a barrier `−μ Σ ln`, with μ going to zero; of each row its node keeps a square ([`rows`]). Second derivatives are those of the Lagrangian,
//! of dynamics, costs and constraints alike; where they are not positive along what equalities leave free, which the sweep sees, those of
//! Gauss and Newton take their place or a multiple of the identity is added, in turns far from a solution ([`direction`]). Steps are accepted by a
//! filter, whole ones corrected to second order where they meet the bend of a constraint; where none is accepted, violations alone are
//! made less, until one is ([`restoration`]). Where that leads nowhere either, another way is tried from the same guess ([`ways`]).
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale nonlinear
//! programming*, Mathematical Programming 106 (2006); L. Vanroye, A. Sathya, J. De Schutter and W. Decré, *FATROP: a fast constrained optimal
//! control problem solver for robot trajectory optimization and control*, IROS 2023.

mod barrier;
mod cones;
mod direction;
mod elastic;
mod first_barrier;
mod iterate;
mod lorentz;
mod mpc;
mod options;
mod restoration;
mod rows;
mod rows_of_cones;
mod search;
mod warm;
mod ways;

use super::bare::Bare;
use super::condense;
use super::crew::Crew;
use super::filter::Filter;
use super::optimality::{self, Optimality};
use super::report::{Control, Iteration, Report, Status};
use super::support::{misfit, of_dynamics};
use super::warm::Begin;
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::{LqSolution, Riccati};
use crate::trajectory::Trajectory;
pub use options::{Hessian, NewtonOptions, RollOut};

use nalgebra::DVector;
use restoration::Restoration;
use rows::Rows;
use search::{Corrections, Trial};
use std::time::Instant;
use ways::Way;

/// Steps keep at least this share of the distance to bounds (`1 − τ_min`).
const KEEP: f64 = 0.01;

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
    /// The end of the way that has come nearest to an optimum.
    best: Trajectory,
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
    /// How it goes on, and when at the latest another way is tried: after so many iterations in all.
    way: Way,
    most: usize,
    /// μ where a solution has begun from another one, until another way is tried.
    begun_warm: Option<f64>,
    /// When it has to end.
    until: Option<Instant>,
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
    /// μ of the first barrier problem.
    first_mu: f64,
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
    /// Directions of this barrier problem so far.
    directions: usize,
    /// Does the filter begin anew, and has it since the last step that was not short?
    forgets: bool,
    forgave: bool,
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
            best: Trajectory::zeros(problem),
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
            way: Way::first(false),
            most: options.iterations,
            begun_warm: None,
            until: None,
            warm: false,
            failures: 0,
            rows,
            options,
        };
        Self { crew, solver }
    }
    /// The last trajectory that was accepted; where several ways have led nowhere, of the one that has come nearest to an optimum.
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
        self.run(problem, Begin::Guess(guess), watch)
    }

    /// From a guess, or from a solution.
    fn run(
        &mut self,
        problem: &Problem,
        begin: Begin<'_>,
        mut watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Self { crew, solver } = self;
        solver.history.clear();
        let (scale, mu) = (solver.run.scale, solver.run.mu);
        solver.run = Run::new(&solver.options);
        let status = if let Some(why) = solver.options.wrong() {
            Status::Fault(of_dynamics(problem, 0, Reason::Other(why)))
        } else if begin.fits(problem) && solver.kept.fits(problem) {
            solver.begun_warm = None;
            match begin {
                Begin::Guess(guess) => {
                    solver.kept.copy_from(guess);
                    solver.reset(problem);
                }
                Begin::Warm(from) => solver.take_over(problem, from),
                Begin::Last => {
                    (solver.run.scale, solver.run.mu) = (scale, mu.min(solver.options.barrier));
                    solver.go_on(problem);
                }
            }
            let guess = begin.trajectory();
            crew.serve(problem, &|_, _, _| {}, || solver.by_ways(crew, problem, guess, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        solver.warm = !matches!(status, Status::Fault(_));
        solver.price(solver.run.scale);
        // Of a guess that cannot be evaluated nothing is known.
        if solver.history.is_empty() {
            return Report::new(status, &[]);
        }
        let Run { cost, gap, error, mu, optimality, .. } = solver.run;
        let (violation, kkt_error, mu) = (optimality.primal, Some(error), Some(mu));
        Report { cost, gap, violation, kkt_error, mu, ..Report::new(status, &solver.history) }
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
            first_mu: options.barrier,
            delta: 0.0,
            delta_last: 0.0,
            softness: 0.0,
            exact: false,
            step: 0.0,
            short: 0,
            restorations: 0,
            directions: 0,
            forgets: false,
            forgave: false,
        }
    }
}
