//! Newton's method for problems with constraints: an interior-point method whose linear systems are solved by one
//! Riccati sweep.
//!
//! States are variables like controls (multiple shooting). Inequality rows have
//! slacks, which a barrier `−μ Σ ln` keeps inside the bounds, with μ going to zero. Each row becomes a square in the
//! cost of its node ([`inequalities`]). Second derivatives are those of the Lagrangian: of dynamics, costs and
//! constraints. If they are not positive along the directions that equalities leave free, which the sweep detects,
//! Gauss-Newton replaces them or they are regularized, alternating far from a solution ([`direction`]). A filter
//! accepts steps. Full steps get a second-order correction if constraints bend away. If no step is accepted, the
//! violations alone are reduced, until one is ([`restoration`]). If that fails too, another strategy starts from the
//! same guess ([`strategies`]).
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale
//! nonlinear programming*, Mathematical Programming 106 (2006); L. Vanroye, A. Sathya, J. De Schutter and W.
//! Decré, *FATROP: a fast constrained optimal control problem solver for robot trajectory optimization and control*,
//! IROS 2023.

mod all_cones;
mod barrier;
mod cones;
mod direction;
mod elastic;
mod first_barrier;
mod inequalities;
mod inequality_directions;
mod iterate;
mod lorentz;
mod options;
mod restoration;
mod search;
mod strategies;
mod warm;

use super::algorithm::{Algorithm, Context, Limits, Next, NoDirection, Step, Watch};
use super::condense;
use super::driver::Solver;
use super::filter::Filter;
use super::optimality;
use super::report::{Iteration, Status};
use super::trial::TrialNode;
use super::warm::{Begin, Resume, WarmNode, WarmStart};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::riccati::LqSolution;
use crate::trajectory::Trajectory;
pub use options::{Hessian, NewtonOptions, RollOut};

use inequalities::Inequalities;
use restoration::Restoration;
use search::Corrections;
use std::ops::ControlFlow;
use strategies::Strategy;

/// Steps keep at least this share of the distance to bounds (`1 − τ_min`).
const KEEP: f64 = 0.01;

/// Newton's method as an interior-point method, for problems with equalities, bounds and second-order cones. The
/// solver, with its memory: created once for a problem, used for any number of solutions.
pub type Newton = Solver<InteriorPoint>;

/// The algorithm of [`Newton`].
pub struct InteriorPoint {
    options: NewtonOptions,
    /// Bounds with slacks and multipliers, one set a node.
    rows: Vec<Inequalities>,
    corrected: LqSolution,
    corrections: Corrections,
    values: Vec<TrialNode>,
    restoration: Restoration,
    filter: Filter,
    run: Run,
    attempt: Attempt,
}

/// The strategy in use, and what came before it.
struct Attempt {
    strategy: Strategy,
    /// Iterations in all after which the next strategy follows.
    iteration_budget: usize,
    /// μ at which a warm start began, until another strategy follows.
    warm_mu: Option<f64>,
    /// The end of the strategy that came nearest to an optimum.
    best: Trajectory,
}

/// Where the barrier, the filter and restorations stand.
#[derive(Clone, Copy, Debug)]
struct Run {
    mu: f64,
    /// μ of the first barrier problem.
    first_mu: f64,
    /// δ_c: zero if equalities can hold to first order.
    constraint_regularization: f64,
    /// The number of consecutive short steps.
    short_steps: usize,
    /// The number of restorations so far.
    restorations: usize,
    /// Directions of this barrier problem so far.
    directions: usize,
    filter_reset_pending: bool,
    /// Whether the filter has been reset since the last step that was not short.
    filter_was_reset: bool,
}

impl Algorithm for InteriorPoint {
    type Options = NewtonOptions;
    const NAME: &'static str = "Newton";
    const EXACT: bool = true;

    fn new(problem: &Problem, options: &NewtonOptions) -> Self {
        let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
        let rows: Vec<_> = (0..=problem.steps()).map(|k| Inequalities::new(problem, k)).collect();
        Self {
            corrected: LqSolution::new(&dims),
            corrections: Corrections::new(&dims, &rows),
            values: dims.iter().map(TrialNode::new).collect(),
            restoration: Restoration::new(problem, options.iterations),
            filter: Filter::with_capacity(options.iterations),
            run: Run::new(options),
            attempt: Attempt {
                strategy: Strategy::first(false),
                iteration_budget: options.iterations,
                warm_mu: None,
                best: Trajectory::zeros(problem),
            },
            rows,
            options: options.clone(),
        }
    }
    fn limits(options: &NewtonOptions) -> Limits {
        let NewtonOptions { iterations, time, threads, .. } = *options;
        Limits { iterations, time, threads }
    }
    fn configure(&mut self, options: &NewtonOptions) -> Result<(), String> {
        self.options.clone_from(options);
        self.options.check()
    }
    fn unsupported(&self, _: &Problem) -> Option<Fault> {
        None
    }
    fn start(&mut self, at: &mut Context<'_>) {
        self.begin();
        self.forget(at);
    }
    fn run(&mut self, at: &mut Context<'_>, begin: Begin<'_>, watch: Watch<'_>) -> Status {
        self.solve_with_fallbacks(at, begin.trajectory(), watch)
    }
    fn has_iterations_left(&self, at: &Context<'_>) -> bool {
        self.may_go_on(at.state)
    }
    fn linearize(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        self.relinearize(at, first)?;
        self.update_residuals(at);
        Ok(())
    }
    fn status(&self, at: &Context<'_>) -> Option<Status> {
        (at.state.now.kkt_error <= self.options.tolerance).then_some(Status::Converged)
    }
    fn update(&mut self, at: &mut Context<'_>) -> Option<Status> {
        self.shrink_barrier(at.state);
        None
    }
    fn direction(&mut self, at: &mut Context<'_>) -> Result<(), NoDirection> {
        Ok(self.compute_direction(at)?)
    }
    fn search(&mut self, at: &mut Context<'_>) -> Step {
        self.line_search(at)
    }
    fn recover(&mut self, at: &mut Context<'_>, step: Step, watch: Watch<'_>) -> ControlFlow<Status, Next> {
        self.restore_after_short_steps(at, step, watch)
    }
    fn report(&self, line: &mut Iteration) {
        line.mu = Some(self.run.mu);
    }
}

impl Resume for InteriorPoint {
    type Rows = Inequalities;
    fn rows(&mut self) -> &mut [Inequalities] {
        &mut self.rows
    }
    /// Controls stay where they are, if bounds allow it.
    fn take_over(&mut self, at: &mut Context<'_>, from: &WarmStart) {
        self.begin();
        self.run.mu = from.mu.min(self.options.barrier);
        self.attempt.warm_mu = Some(self.run.mu);
        let (all, mu) = (&mut self.rows, self.run.mu);
        at.state.take_over(from, |k, iterate, ineq| {
            let (rows, node) = (&mut all[k], &from.nodes[k]);
            rows.take_bounds(at.problem, k);
            rows.take_over(node, from.scale);
            rows.keep_controls(iterate.u_mut(k));
            rows.come_inside(mu);
            let n = rows.controls.len();
            ineq.iter_mut().enumerate().for_each(|(i, y)| *y = rows.y(n + i));
        });
    }
    fn go_on(&mut self, at: &mut Context<'_>, mu: f64) {
        self.begin();
        self.run.mu = mu.min(self.options.barrier);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.take_bounds(at.problem, k);
            rows.push_controls(at.state.iterate.u_mut(k));
            rows.come_inside(self.run.mu);
        }
    }
    fn refresh(&mut self, _: &mut Context<'_>) {}
    fn mu(&self) -> f64 {
        self.run.mu
    }
    fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        let rows = &self.rows[k];
        rows.controls.iter().position(|i| *i == control).map(|row| rows.y(row))
    }
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode) {
        let rows = &self.rows[k];
        let times = |x: &[f64]| x.iter().map(|x| by_scale * x).collect::<Vec<f64>>();
        (into.slacks, into.lower, into.upper) = (rows.s.clone(), times(&rows.z[0]), times(&rows.z[1]));
    }
    fn warm_start_from(rows: &mut Inequalities, other: &Inequalities) {
        rows.warm_start_from(other);
    }
}

impl InteriorPoint {
    /// Forgets how far the last solution got.
    fn begin(&mut self) {
        self.run = Run::new(&self.options);
        self.attempt.warm_mu = None;
    }
}

impl Run {
    fn new(options: &NewtonOptions) -> Self {
        Self {
            mu: options.barrier,
            first_mu: options.barrier,
            constraint_regularization: 0.0,
            short_steps: 0,
            restorations: 0,
            directions: 0,
            filter_reset_pending: false,
            filter_was_reset: false,
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/newton/mod.rs"]
mod tests;
