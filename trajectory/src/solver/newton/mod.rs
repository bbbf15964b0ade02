//! Newton's method for problems with constraints: an interior-point method whose linear systems are solved by one
//! Riccati sweep.
//!
//! States are variables like controls, as in [`MultipleShooting`](super::MultipleShooting). Inequality rows have
//! slacks, which a barrier `−μ Σ ln` keeps inside the bounds, with μ going to zero. Each row becomes a square in the
//! cost of its node ([`rows`]). Second derivatives are those of the Lagrangian: of dynamics, costs and constraints. If
//! they are not positive along the directions that equalities leave free, which the sweep detects, Gauss-Newton
//! replaces them or they are regularized, alternating far from a solution ([`direction`]). A filter accepts steps. Full
//! steps get a second-order correction if constraints bend away. If no step is accepted, the violations alone are
//! reduced, until one is ([`restoration`]). If that fails too, another strategy starts from the same guess ([`ways`]).
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
mod options;
mod restoration;
mod rows;
mod rows_of_cones;
mod search;
mod warm;
mod ways;

use super::condense;
use super::core::Core;
use super::crew::Crew;
use super::driver::Solver;
use super::filter::Filter;
use super::method::{HasOptions, Method, Next, Tried, Watch};
use super::optimality;
use super::report::Status;
use super::warm::{Begin, WarmNode, WarmStart};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Dims;
use crate::riccati::{Failure, LqSolution};
use crate::trajectory::Trajectory;
pub use options::{Hessian, NewtonOptions, RollOut};

use restoration::Restoration;
use rows::Rows;
use search::{Corrections, Trial};
use std::ops::ControlFlow;
use ways::Way;

/// Steps keep at least this share of the distance to bounds (`1 − τ_min`).
const KEEP: f64 = 0.01;

/// Newton's method as an interior-point method, for problems with equalities, bounds and second-order cones. The solver,
/// with its memory: created once for a problem, used for any number of solutions.
pub type Newton = Solver<InteriorPoint>;

/// The method of [`Newton`].
pub struct InteriorPoint {
    options: NewtonOptions,
    core: Core,
    /// The end of the way that has come nearest to an optimum.
    best: Trajectory,
    rows: Vec<Rows>,
    corrected: LqSolution,
    corrections: Corrections,
    trial: Vec<Trial>,
    restoration: Restoration,
    filter: Filter,
    run: Run,
    /// How it goes on, and when at the latest another way is tried: after so many iterations in all.
    way: Way,
    most: usize,
    /// μ where a solution has begun from another one, until another way is tried.
    begun_warm: Option<f64>,
}

/// Where the barrier, the filter and restorations stand.
#[derive(Clone, Copy, Debug)]
struct Run {
    mu: f64,
    /// μ of the first barrier problem.
    first_mu: f64,
    /// δ_c: zero, where equalities can hold to first order.
    softness: f64,
    /// The number of consecutive steps that bounds have shortened.
    short: usize,
    /// The number of restorations so far.
    restorations: usize,
    /// Directions of this barrier problem so far.
    directions: usize,
    /// Whether the filter is to be reset.
    forgets: bool,
    /// Whether it has been reset since the last step that was not short.
    forgave: bool,
}

impl HasOptions for InteriorPoint {
    type Options = NewtonOptions;
}

impl Method for InteriorPoint {
    type Rows = Rows;
    const NAME: &'static str = "Newton";

    fn new(problem: &Problem, dims: &[Dims], options: NewtonOptions) -> Self {
        let rows: Vec<_> = (0..=problem.steps()).map(|k| Rows::new(problem, k)).collect();
        Self {
            core: Core::new(problem, dims, options.iterations),
            best: Trajectory::zeros(problem),
            corrected: LqSolution::new(dims),
            corrections: Corrections::new(dims, &rows),
            trial: dims.iter().map(Trial::new).collect(),
            restoration: Restoration::new(problem, options.iterations),
            filter: Filter::with_capacity(options.iterations),
            run: Run::new(&options),
            way: Way::first(false),
            most: options.iterations,
            begun_warm: None,
            rows,
            options,
        }
    }
    fn threads(options: &NewtonOptions) -> usize {
        options.threads
    }
    fn wrong(&self) -> Option<String> {
        self.options.wrong()
    }
    fn options(&self) -> &NewtonOptions {
        &self.options
    }
    fn options_mut(&mut self) -> &mut NewtonOptions {
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
        self.begun_warm = None;
    }
    fn reset(&mut self, problem: &Problem) {
        self.forget(problem);
    }
    /// Controls stay where they are, if bounds allow it.
    fn take_over(&mut self, problem: &Problem, from: &WarmStart) {
        self.run.mu = from.mu.min(self.options.barrier);
        self.begun_warm = Some(self.run.mu);
        let (all, mu) = (&mut self.rows, self.run.mu);
        self.core.take_over(from, |k, iterate, ineq| {
            let (rows, node) = (&mut all[k], &from.nodes[k]);
            rows.take_bounds(problem, k);
            rows.take_over(node, from.scale);
            rows.keep_controls(iterate.u_mut(k));
            rows.come_inside(mu);
            let n = rows.controls.len();
            ineq.iter_mut().enumerate().for_each(|(i, y)| *y = rows.y(n + i));
        });
    }
    fn go_on(&mut self, problem: &Problem, mu: f64) {
        self.run.mu = mu.min(self.options.barrier);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(problem, k);
            rows.push_controls(self.core.iterate.u_mut(k));
            rows.come_inside(self.run.mu);
        }
    }
    fn refresh(&mut self, _: &Problem) {}
    fn run(&mut self, crew: &Crew, problem: &Problem, begin: Begin<'_>, watch: Watch<'_>) -> Status {
        self.by_ways(crew, problem, begin.trajectory(), watch)
    }

    fn has_iterations_left(&self) -> bool {
        self.may_go_on()
    }
    fn update(&mut self, _: &Crew, _: &Problem) -> Option<Status> {
        self.shrink_barrier();
        None
    }
    fn search(&mut self, crew: &Crew, problem: &Problem) -> (f64, bool) {
        self.line_search(crew, problem)
    }
    fn after(&mut self, crew: &Crew, problem: &Problem, tried: Tried, watch: Watch<'_>) -> ControlFlow<Status, Next> {
        self.go_on_from(crew, problem, tried, watch)
    }

    fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault> {
        self.relinearize(crew, problem, first)
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
        rows.controls.iter().position(|i| *i == control).map(|row| rows.y(row))
    }
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode) {
        let rows = &self.rows[k];
        let times = |x: &[f64]| x.iter().map(|x| by_scale * x).collect::<Vec<f64>>();
        (into.slacks, into.lower, into.upper) = (rows.s.clone(), times(&rows.z[0]), times(&rows.z[1]));
    }
    fn take_from(rows: &mut Rows, other: &Rows) {
        rows.take_from(other);
    }
}

impl Run {
    fn new(options: &NewtonOptions) -> Self {
        Self {
            mu: options.barrier,
            first_mu: options.barrier,
            softness: 0.0,
            short: 0,
            restorations: 0,
            directions: 0,
            forgets: false,
            forgave: false,
        }
    }
}
