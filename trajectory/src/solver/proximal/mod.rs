//! A primal-dual augmented Lagrangian: multipliers are estimated, violations are penalized, and the penalties give the
//! next estimates.
//!
//! States are variables like controls, as in [`MultipleShooting`](super::MultipleShooting). Gaps are equations of the
//! sweep, which closes them exactly to first order. They need no penalty, and the structure of steps is kept. The same
//! holds for bounds of durations and parameters, which have no meaning beyond. All other constraints are soft
//! ([`rows`]): given estimates of the multipliers, a violation c costs `c²/2μ`. Directions are those of Newton for
//! states, controls and multipliers together. Dependent or empty equalities need no special treatment: μ makes the
//! system regular, and duplicate rows have multipliers of least norm. If the augmented Lagrangian is stationary to ω,
//! the multipliers become the estimates if violations are below η, and otherwise μ shrinks. Second derivatives are
//! those of [`Newton`](super::Newton).
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP: Proximal Constrained Trajectory Optimization*,
//! IEEE T-RO 41 (2025); A. R. Conn, N. I. M. Gould and P. L. Toint, *A globally convergent augmented Lagrangian algorithm for
//! optimization with general constraints and simple bounds*, SIAM J. Numer. Anal. 28(2), 1991.

mod cones;
mod direction;
mod infeasible;
mod iterate;
mod options;
mod rows;
mod search;
mod sets;

use super::core::Core;
use super::crew::Crew;
use super::driver::Solver;
use super::method::{HasOptions, Method, Next, Tried, Watch};
use super::newton::{Hessian, RollOut};
use super::report::Status;
use super::trial::Trial;
use super::warm::{Begin, WarmNode, WarmStart};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Dims;
use crate::riccati::{Failure, LqSolution};
pub use options::ProximalOptions;

use rows::Rows;
use std::ops::ControlFlow;

/// A primal-dual augmented Lagrangian, for problems whose constraints may depend on each other. The solver, with its
/// memory: created once for a problem, used for any number of solutions.
pub type Proximal = Solver<AugmentedLagrangian>;

/// The method of [`Proximal`].
pub struct AugmentedLagrangian {
    options: ProximalOptions,
    core: Core,
    rows: Vec<Rows>,
    /// The direction of the next set of rows that count.
    next: LqSolution,
    trial: Vec<Trial>,
    /// Bounds of what the first node chooses, from where it is.
    chosen: [Vec<f64>; 2],
    /// ρ, one a node.
    gap_prices: Vec<f64>,
    run: Run,
}

/// Where estimates and μ stand.
#[derive(Clone, Copy, Debug)]
struct Run {
    mu: f64,
    /// How stationary the augmented Lagrangian has to be, and how small violations, for multipliers to become estimates: ω and η.
    stationary: f64,
    kept: f64,
    /// The least multiple of the identity, which grows where no step is accepted.
    least: f64,
    /// Of the augmented Lagrangian along the direction.
    slope: f64,
    /// Iterations since violations were looked at, and what they were then.
    patience: (usize, f64),
}

impl HasOptions for AugmentedLagrangian {
    type Options = ProximalOptions;
}

impl Method for AugmentedLagrangian {
    type Rows = Rows;
    const NAME: &'static str = "Proximal";

    fn new(problem: &Problem, dims: &[Dims], options: ProximalOptions) -> Self {
        Self {
            core: Core::new(problem, dims, options.iterations),
            rows: (0..=problem.steps()).map(|k| Rows::new(problem, k)).collect(),
            next: LqSolution::new(dims),
            trial: dims.iter().map(Trial::new).collect(),
            chosen: [vec![0.0; dims[0].nu], vec![0.0; dims[0].nu]],
            gap_prices: vec![0.0; dims.len()],
            run: Run::new(&options),
            options,
        }
    }
    fn threads(options: &ProximalOptions) -> usize {
        options.threads
    }
    fn wrong(&self) -> Option<String> {
        self.options.wrong()
    }
    fn options(&self) -> &ProximalOptions {
        &self.options
    }
    fn options_mut(&mut self) -> &mut ProximalOptions {
        &mut self.options
    }
    fn core(&self) -> &Core {
        &self.core
    }
    fn rows(&self, k: usize) -> &Rows {
        &self.rows[k]
    }
    fn parts(&mut self) -> (&mut Core, &mut [Rows]) {
        (&mut self.core, &mut self.rows)
    }

    fn begin(&mut self) {
        self.run = Run::new(&self.options);
    }
    fn reset(&mut self, problem: &Problem) {
        self.forget(problem);
    }
    fn take_over(&mut self, problem: &Problem, from: &WarmStart) {
        self.run.soften(from.mu.max(self.options.softness_min).min(self.options.softness));
        let all = &mut self.rows;
        self.core.take_over(from, |k, _, ineq| {
            let (rows, node) = (&mut all[k], &from.nodes[k]);
            for (y, (lower, upper)) in rows.y.iter_mut().zip(node.lower.iter().zip(&node.upper)) {
                *y = from.scale * (upper - lower);
            }
            ineq.copy_from_slice(&rows.y[rows.controls.len()..]);
        });
        self.refresh(problem);
    }
    fn go_on(&mut self, problem: &Problem, mu: f64) {
        self.run.soften(mu.min(self.options.softness));
        self.refresh(problem);
    }
    fn refresh(&mut self, problem: &Problem) {
        for (k, (rows, multipliers)) in self.rows.iter_mut().zip(&self.core.multipliers).enumerate() {
            rows.take_bounds(problem, k);
            rows.go_on(&multipliers.eq);
        }
    }
    fn run(&mut self, crew: &Crew, problem: &Problem, begin: Begin<'_>, watch: Watch<'_>) -> Status {
        self.iterate(crew, problem, matches!(begin, Begin::Guess(_)), watch)
    }

    fn has_iterations_left(&self) -> bool {
        self.core.history.len() < self.options.iterations
    }
    fn update(&mut self, crew: &Crew, problem: &Problem) -> Option<Status> {
        self.update_estimates(crew, problem)
    }
    fn search(&mut self, crew: &Crew, problem: &Problem) -> (f64, bool) {
        self.line_search(crew, problem)
    }
    fn after(&mut self, crew: &Crew, problem: &Problem, tried: Tried, _: Watch<'_>) -> ControlFlow<Status, Next> {
        self.go_on_from(crew, problem, tried)
    }

    fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.evaluate(crew, problem, first)
    }
    fn judge(&mut self, crew: &Crew, problem: &Problem) {
        self.update_residuals(crew, problem);
    }
    fn direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        self.compute_direction(crew, problem)
    }

    fn mu(&self) -> f64 {
        self.run.mu
    }
    fn shown(&self) -> [Option<f64>; 2] {
        self.barrier_and_penalty()
    }
    fn control_multiplier(rows: &Rows, control: usize) -> Option<f64> {
        rows.controls.iter().position(|i| *i == control).map(|row| rows.y[row])
    }
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode) {
        let rows = &self.rows[k];
        into.slacks = (0..rows.g.len()).map(|i| rows.g[i] - rows.off(i)).collect();
        into.lower = (0..rows.y.len()).map(|i| by_scale * rows.split(i)[0]).collect();
        into.upper = (0..rows.y.len()).map(|i| by_scale * rows.split(i)[1]).collect();
    }
    fn take_from(rows: &mut Rows, other: &Rows) {
        rows.take_from(other);
    }
}
