//! A primal-dual augmented Lagrangian: multipliers are estimated, violations cost, and what they cost makes the next estimates.
//!
//! States are variables like controls, as in [`MultipleShooting`](super::MultipleShooting): gaps are equations of the sweep, which closes
//! them to first order exactly, so that no penalty of theirs has to be chosen and the structure of steps is kept. So are bounds of
//! durations and parameters, which have no meaning beyond. All other constraints are soft ([`rows`]): with estimates of the multipliers, a
//! violation c costs `c²/2μ`. Directions are those of Newton for states, controls and multipliers together, so that equalities which depend
//! on each other, or on nothing, need no care: μ makes the system regular, and multipliers of rows that are there twice are those of least
//! norm. Where the augmented Lagrangian is stationary to ω, multipliers become the estimates if violations are below η, and μ shrinks if
//! not. Second derivatives are those of
//! [`Newton`](super::Newton).
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP: Proximal Constrained Trajectory Optimization*,
//! IEEE T-RO 41 (2025); A. R. Conn, N. I. M. Gould and P. L. Toint, *A globally convergent augmented Lagrangian algorithm for
//! optimization with general constraints and simple bounds*, SIAM J. Numer. Anal. 28(2), 1991.

mod cones;
mod direction;
mod infeasible;
mod iterate;
mod mpc;
mod options;
mod rows;
mod search;
mod sets;
mod warm;

use super::bare::Bare;
use super::crew::Crew;
use super::newton::{Hessian, RollOut};
use super::optimality::Optimality;
use super::report::{Control, Iteration, Report, Status};
use super::support::{misfit, of_dynamics};
use super::trial::Trial;
use super::warm::Begin;
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::{Dims, Multipliers};
use crate::riccati::{LqSolution, Riccati};
use crate::trajectory::Trajectory;
pub use options::ProximalOptions;

use nalgebra::DVector;
use rows::Rows;
use std::time::Instant;

/// The solver, with its memory: made once for one problem, used for as many solutions as wanted.
pub struct Proximal {
    crew: Crew,
    solver: Inner,
}

/// What the solver's own thread works with.
struct Inner {
    options: ProximalOptions,
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
    /// Costs to second order, without rows.
    bare: Vec<Bare>,
    /// The direction, with multipliers, and that of the next set of rows that count.
    lq: LqSolution,
    next: LqSolution,
    trial: Vec<Trial>,
    /// Bounds of what the first node chooses, from where it is.
    chosen: [Vec<f64>; 2],
    gradient: [DVector<f64>; 2],
    scaled: Vec<f64>,
    /// ρ, one a node.
    gap_prices: Vec<f64>,
    history: Vec<Iteration>,
    /// Why the last trial could not be evaluated, if none could.
    fault: Option<Fault>,
    run: Run,
    /// Are there multipliers of a solution before, and how many in a row have failed since?
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
    /// The largest of what is left of all conditions.
    error: f64,
    mu: f64,
    /// How stationary the augmented Lagrangian has to be, and how small violations, for multipliers to become estimates: ω and η.
    stationary: f64,
    kept: f64,
    /// Multiples of the identity: of the last direction, the last one that second derivatives have asked for, and the least one, which
    /// grows where no step is accepted.
    delta: f64,
    delta_last: f64,
    least: f64,
    /// Of the augmented Lagrangian along the direction.
    slope: f64,
    /// Does the last direction come from exact second derivatives?
    exact: bool,
    step: f64,
    /// Iterations since violations were looked at, and what they were then.
    patience: (usize, f64),
    until: Option<Instant>,
}

impl std::fmt::Debug for Proximal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proximal").field("options", &self.solver.options).finish_non_exhaustive()
    }
}

impl Proximal {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: ProximalOptions) -> Self {
        let crew = Crew::exact(problem, options.threads);
        let dims = crew.dims();
        let last = problem.steps();
        let states = || dims.iter().map(|d| DVector::zeros(d.ndx)).collect::<Vec<_>>();
        let multipliers =
            || -> Vec<_> { dims.iter().enumerate().map(|(k, d)| Multipliers::new(*d, k == last)).collect() };
        let most = |of: fn(&Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        let solver = Inner {
            riccati: Riccati::new(dims),
            kept: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            gaps: states(),
            rows: (0..=last).map(|k| Rows::new(problem, k)).collect(),
            costates: states(),
            multipliers: multipliers(),
            prices: multipliers(),
            bare: dims.iter().map(Bare::new).collect(),
            lq: LqSolution::new(dims),
            next: LqSolution::new(dims),
            trial: dims.iter().map(Trial::new).collect(),
            chosen: [vec![0.0; dims[0].nu], vec![0.0; dims[0].nu]],
            gradient: [DVector::zeros(most(|d| d.ndx)), DVector::zeros(most(|d| d.nu))],
            scaled: vec![0.0; most(|d| d.ndx)],
            gap_prices: vec![0.0; dims.len()],
            history: Vec::with_capacity(options.iterations),
            fault: None,
            run: Run::new(&options),
            warm: false,
            failures: 0,
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
        Some(rows.y[row] / self.solver.run.scale)
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.solver.history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut ProximalOptions {
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
            match begin {
                Begin::Guess(guess) => {
                    solver.kept.copy_from(guess);
                    solver.reset(problem);
                }
                Begin::Warm(from) => solver.take_over(problem, from),
                Begin::Last => {
                    solver.run.scale = scale;
                    solver.run.soften(mu.min(solver.options.softness));
                    solver.go_on(problem);
                }
            }
            let cold = matches!(begin, Begin::Guess(_));
            crew.serve(problem, &|_, _, _| {}, || solver.iterate(crew, problem, cold, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        solver.warm = !matches!(status, Status::Fault(_));
        solver.price();
        // Of a guess that cannot be evaluated nothing is known.
        if solver.history.is_empty() {
            return Report::new(status, &[]);
        }
        let Run { cost, gap, error, mu, optimality, .. } = solver.run;
        let (violation, kkt_error, penalty) = (optimality.primal, Some(error), Some(1.0 / mu));
        Report { cost, gap, violation, kkt_error, penalty, ..Report::new(status, &solver.history) }
    }
}
