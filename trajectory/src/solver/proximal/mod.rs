//! A primal-dual augmented Lagrangian: multipliers are estimated, violations are penalized, and the penalties give the
//! next estimates.
//!
//! States are variables like controls (multiple shooting). Gaps are equations of the
//! sweep, which closes them exactly to first order. They need no penalty, and the structure of steps is kept. The same
//! holds for bounds of durations and parameters, which have no meaning beyond. All other constraints are soft
//! ([`constraints`]): given estimates of the multipliers, a violation c costs `c²/2μ`. Directions are those of Newton
//! for states, controls and multipliers together. Dependent or empty equalities need no special treatment: μ makes the
//! system regular, and duplicate rows have multipliers of least norm. If the augmented Lagrangian is stationary to ω,
//! the multipliers become the estimates if violations are below η, and otherwise μ shrinks. Second derivatives are
//! those of [`Newton`](super::Newton).
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP: Proximal Constrained
//! Trajectory Optimization*, IEEE T-RO 41 (2025); A. R. Conn, N. I. M. Gould and P. L. Toint, *A globally convergent
//! augmented Lagrangian algorithm for optimization with general constraints and simple bounds*, SIAM J. Numer. Anal.
//! 28(2), 1991.

mod cones;
mod constraints;
mod direction;
mod infeasible;
mod iterate;
mod options;
mod search;
mod sets;

use super::algorithm::{Algorithm, Context, Limits, Next, NoDirection, Step, Watch};
use super::driver::Solver;
use super::newton::{Hessian, RollOut};
use super::report::{Iteration, Status};
use super::trial::TrialNode;
use super::warm::{Resume, WarmNode, WarmStart};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::riccati::LqSolution;
pub use options::ProximalOptions;

use constraints::Constraints;
use std::ops::ControlFlow;

/// A primal-dual augmented Lagrangian, for problems whose constraints may depend on each other. The solver, with its
/// memory: created once for a problem, used for any number of solutions.
pub type Proximal = Solver<AugmentedLagrangian>;

/// The algorithm of [`Proximal`].
pub struct AugmentedLagrangian {
    options: ProximalOptions,
    rows: Vec<Constraints>,
    /// The direction of the next set of rows that count.
    next: LqSolution,
    values: Vec<TrialNode>,
    /// Bounds of what the first node chooses, from where it is.
    chosen: [Vec<f64>; 2],
    /// ρ, one a node: penalties on gaps.
    gap_penalties: Vec<f64>,
    run: Run,
}

/// Where estimates and μ stand.
#[derive(Clone, Copy, Debug)]
struct Run {
    mu: f64,
    /// How stationary the augmented Lagrangian has to be, and how small violations, for multipliers to become
    /// estimates: ω and η.
    stationary: f64,
    kept: f64,
    /// The least multiple of the identity, which grows where no step is accepted.
    least: f64,
    /// Of the augmented Lagrangian along the direction.
    slope: f64,
    /// Iterations since violations were looked at, and what they were then.
    patience: (usize, f64),
}

impl Algorithm for AugmentedLagrangian {
    type Options = ProximalOptions;
    const NAME: &'static str = "Proximal";
    const EXACT: bool = true;

    fn new(problem: &Problem, options: &ProximalOptions) -> Self {
        let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
        Self {
            rows: (0..=problem.steps()).map(|k| Constraints::new(problem, k)).collect(),
            next: LqSolution::new(&dims),
            values: dims.iter().map(TrialNode::new).collect(),
            chosen: [vec![0.0; dims[0].nu], vec![0.0; dims[0].nu]],
            gap_penalties: vec![0.0; dims.len()],
            run: Run::new(options),
            options: options.clone(),
        }
    }
    fn limits(options: &ProximalOptions) -> Limits {
        let ProximalOptions { iterations, time, threads, .. } = *options;
        Limits { iterations, time, threads }
    }
    fn configure(&mut self, options: &ProximalOptions) -> Result<(), String> {
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
    fn linearize(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        self.evaluate(at, first)?;
        self.update_residuals(at);
        Ok(())
    }
    fn status(&self, at: &Context<'_>) -> Option<Status> {
        (at.state.now.kkt_error <= self.options.tolerance).then_some(Status::Converged)
    }
    fn update(&mut self, at: &mut Context<'_>) -> Option<Status> {
        self.update_estimates(at)
    }
    fn direction(&mut self, at: &mut Context<'_>) -> Result<(), NoDirection> {
        Ok(self.compute_direction(at)?)
    }
    fn search(&mut self, at: &mut Context<'_>) -> Step {
        self.line_search(at)
    }
    fn recover(&mut self, at: &mut Context<'_>, step: Step, _: Watch<'_>) -> ControlFlow<Status, Next> {
        self.adapt_regularization(at, step)
    }
    fn report(&self, line: &mut Iteration) {
        line.penalty = Some(1.0 / self.run.mu);
    }
}

impl Resume for AugmentedLagrangian {
    type Rows = Constraints;
    fn rows(&mut self) -> &mut [Constraints] {
        &mut self.rows
    }
    fn take_over(&mut self, at: &mut Context<'_>, from: &WarmStart) {
        self.begin();
        self.run.soften(from.mu.max(self.options.mu_min).min(self.options.mu_init));
        let all = &mut self.rows;
        at.state.take_over(from, |k, _, ineq| {
            let (rows, node) = (&mut all[k], &from.nodes[k]);
            for (y, (lower, upper)) in rows.y.iter_mut().zip(node.lower.iter().zip(&node.upper)) {
                *y = from.scale * (upper - lower);
            }
            ineq.copy_from_slice(&rows.y[rows.controls.len()..]);
        });
        self.refresh(at);
    }
    fn go_on(&mut self, at: &mut Context<'_>, mu: f64) {
        self.begin();
        self.run.soften(mu.min(self.options.mu_init));
        self.refresh(at);
    }
    fn refresh(&mut self, at: &mut Context<'_>) {
        for (k, (rows, multipliers)) in self.rows.iter_mut().zip(&at.state.multipliers).enumerate() {
            rows.take_bounds(at.problem, k);
            rows.go_on(&multipliers.eq);
        }
    }
    fn mu(&self) -> f64 {
        self.run.mu
    }
    fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        let rows = &self.rows[k];
        rows.controls.iter().position(|i| *i == control).map(|row| rows.y[row])
    }
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode) {
        let rows = &self.rows[k];
        into.slacks = (0..rows.g.len()).map(|i| rows.g[i] - rows.residual(i)).collect();
        into.lower = (0..rows.y.len()).map(|i| by_scale * rows.split(i)[0]).collect();
        into.upper = (0..rows.y.len()).map(|i| by_scale * rows.split(i)[1]).collect();
    }
    fn warm_start_from(rows: &mut Constraints, other: &Constraints) {
        rows.warm_start_from(other);
    }
}

impl AugmentedLagrangian {
    /// Begins with the first μ, and another augmented Lagrangian.
    fn begin(&mut self) {
        self.run = Run::new(&self.options);
        self.forget_penalties();
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/proximal/mod.rs"]
mod tests;
