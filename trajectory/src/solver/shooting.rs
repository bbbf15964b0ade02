//! Multiple shooting with a linear roll-out and a filter: sequential quadratic programming, whose quadratic programs are solved by one
//! Riccati sweep.
//!
//! States are variables like controls. A direction closes the gaps to first order, `δx⁺ = A δx + B δu + d`; a trial goes along it,
//! `x ⊕ α δx`, `u + α δu`, so that all nodes are evaluated at once, in parallel. A. Jordana et al., *Stagewise implementations of
//! sequential quadratic programming for model-predictive control* (2023): at least as robust as nonlinear roll-outs.

use super::filter::Filter;
use super::nodes::{Merit, Nodes};
use super::report::{Control, Iteration, Report, Status};
use super::support::{misfit, worst_term};
use crate::problem::Problem;
use crate::riccati::Riccati;
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::time::{Duration, Instant};

/// Constants of [`MultipleShooting`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShootingOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// At most so much time, looked at after each iteration.
    pub time: Option<Duration>,
    /// Converged if the expected improvement is below, and gaps are closed to `gap`.
    pub tolerance: f64,
    /// The largest gap of a solution.
    pub gap: f64,
    /// Regularization at the beginning, and at least.
    pub regularization: f64,
    /// Regularization at most: beyond it the solver has stalled.
    pub regularization_max: f64,
    /// Factor by which it grows and shrinks.
    pub regularization_factor: f64,
    /// Steps tried: 1, ½, ¼, …, so many.
    pub halvings: usize,
    /// Threads that evaluate nodes.
    pub threads: usize,
}

impl Default for ShootingOptions {
    fn default() -> Self {
        Self {
            iterations: 200,
            time: None,
            tolerance: 1e-9,
            gap: 1e-8,
            regularization: 1e-9,
            regularization_max: 1e9,
            regularization_factor: 10.0,
            halvings: 12,
            threads: 1,
        }
    }
}

/// The solver, with its memory: made once for one problem, used for as many solutions as wanted.
///
/// After the first iteration it allocates nothing.
pub struct MultipleShooting {
    options: ShootingOptions,
    nodes: Nodes,
    riccati: Riccati,
    kept: Trajectory,
    tried: Trajectory,
    /// The direction: `δx`, ndx, and `δu`, nu, a node.
    dx: Vec<DVector<f64>>,
    du: Vec<DVector<f64>>,
    scaled: Vec<f64>,
    filter: Filter,
    history: Vec<Iteration>,
}

impl std::fmt::Debug for MultipleShooting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MultipleShooting").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Where a solution stands.
struct Run {
    merit: Merit,
    delta: f64,
    gap: f64,
    expected: f64,
}

impl MultipleShooting {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: ShootingOptions) -> Self {
        let nodes = Nodes::new(problem, options.threads);
        Self {
            riccati: Riccati::new(nodes.dims()),
            kept: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            dx: nodes.dims().iter().map(|d| DVector::zeros(d.ndx)).collect(),
            du: nodes.dims().iter().map(|d| DVector::zeros(d.nu)).collect(),
            scaled: vec![0.0; problem.space().ndx()],
            filter: Filter::with_capacity(options.iterations),
            history: Vec::with_capacity(options.iterations),
            nodes,
            options,
        }
    }
    /// The best trajectory so far.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.kept
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.riccati
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut ShootingOptions {
        &mut self.options
    }

    /// Solves from a guess, whose gaps need not be closed.
    pub fn solve(&mut self, problem: &Problem, guess: &Trajectory) -> Report {
        self.solve_with(problem, guess, |_| Control::Continue)
    }

    /// Solves from a guess, and calls `watch` after each iteration.
    pub fn solve_with(
        &mut self,
        problem: &Problem,
        guess: &Trajectory,
        mut watch: impl FnMut(&Iteration) -> Control,
    ) -> Report {
        self.history.clear();
        let nothing = Merit { cost: f64::INFINITY, violation: f64::INFINITY };
        let mut run =
            Run { merit: nothing, delta: self.options.regularization, gap: f64::INFINITY, expected: f64::INFINITY };
        let status = if guess.fits(problem) && self.kept.fits(problem) {
            self.kept.copy_from(guess);
            self.iterate(problem, &mut run, &mut watch)
        } else {
            Status::Fault(misfit(problem))
        };
        let Run { merit, gap, expected, .. } = run;
        Report { status, iterations: self.history.len(), cost: merit.cost, gap, expected }
    }

    fn iterate(&mut self, problem: &Problem, run: &mut Run, watch: &mut dyn FnMut(&Iteration) -> Control) -> Status {
        let began = Instant::now();
        let mut linearize = true;
        for iteration in 0..self.options.iterations {
            if linearize {
                let linearized = self.nodes.linearize(problem, &self.kept);
                let closed = linearized.and_then(|cost| Ok((cost, self.nodes.close(problem, &self.kept)?)));
                let (cost, gap) = match closed {
                    Ok(both) => both,
                    Err(fault) => return Status::Fault(fault),
                };
                run.gap = gap;
                run.merit = Merit { cost, violation: self.nodes.violation() };
                if iteration == 0 {
                    self.filter.restart(run.merit);
                }
            }
            while let Err(at) = self.riccati.sweep(&self.nodes.lq, &self.nodes.gaps, run.delta) {
                if !self.raise(run) {
                    return self.stalled(problem, at.node());
                }
            }
            let slope = self.direction();
            run.expected = self.promise();
            let gap_before = run.gap;
            let (step, accepted) = if self.converged(run) { (0.0, false) } else { self.search(problem, run, slope) };
            linearize = accepted;
            if accepted && step > 0.5 {
                run.delta = (run.delta / self.options.regularization_factor).max(self.options.regularization);
            }
            let converged = self.converged(run) && !accepted;
            let exhausted = !accepted && !converged && !self.raise(run);
            let entry = Iteration {
                iteration,
                cost: run.merit.cost,
                gap: gap_before,
                violation: run.merit.violation,
                expected: run.expected,
                stationarity: self.riccati.nodes.iter().map(|n| n.qu.amax()).fold(0.0, f64::max),
                step,
                accepted,
                regularization: run.delta,
            };
            self.history.push(entry);
            let wish = watch(&entry);
            if converged {
                return Status::Converged;
            }
            if exhausted {
                return self.stalled(problem, self.worst());
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

    fn converged(&self, run: &Run) -> bool {
        run.gap <= self.options.gap && run.expected < self.options.tolerance
    }

    /// More regularization; `false` if it is at its greatest.
    fn raise(&self, run: &mut Run) -> bool {
        run.delta = (run.delta * self.options.regularization_factor).min(self.options.regularization_max);
        run.delta < self.options.regularization_max
    }

    fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    fn stalled(&mut self, problem: &Problem, node: usize) -> Status {
        Status::Stalled { node, term: worst_term(problem, &self.kept, node, &mut self.nodes.memory[0]) }
    }

    /// The linear roll-out; the slope of the cost along it.
    fn direction(&mut self) -> f64 {
        let mut slope = 0.0;
        self.dx[0].copy_from(&self.nodes.gaps[0]);
        for k in 0..self.dx.len() {
            let (node, lq) = (&self.riccati.nodes[k], &self.nodes.lq[k]);
            let (dx, after) = self.dx.split_at_mut(k + 1);
            let (dx, du) = (&dx[k], &mut self.du[k]);
            du.copy_from(&node.k);
            du.gemv(-1.0, &node.gain, dx, -1.0);
            slope += lq.lx.dot(dx) + lq.lu.dot(du);
            if let Some(next) = after.first_mut() {
                next.copy_from(&self.nodes.gaps[k + 1]);
                next.gemv(1.0, &lq.a, dx, 1.0);
                next.gemv(1.0, &lq.b, du, 1.0);
            }
        }
        slope
    }

    /// What the whole step is expected to gain by the controls, as [`Fddp`](super::Fddp) has it.
    fn promise(&self) -> f64 {
        self.riccati.nodes.iter().map(|n| n.qu.dot(&n.k) - 0.5 * n.k.dot(&n.quu_k)).sum::<f64>().abs()
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, and whether it was taken.
    fn search(&mut self, problem: &Problem, run: &mut Run, slope: f64) -> (f64, bool) {
        let space = problem.space();
        let mut step = 1.0;
        for halving in 0..self.options.halvings {
            step = 0.5_f64.powi(halving as i32);
            let mut moved = true;
            for k in 0..=problem.steps() {
                self.scaled.iter_mut().zip(self.dx[k].iter()).for_each(|(to, dx)| *to = step * dx);
                moved &= space.integrate(self.kept.x(k), &self.scaled, self.tried.x_mut(k)).is_ok();
                for ((to, from), du) in self.tried.u_mut(k).iter_mut().zip(self.kept.u(k)).zip(self.du[k].iter()) {
                    *to = from + step * du;
                }
            }
            // A step beyond what can be evaluated is too long.
            let trial = if moved { self.nodes.merit(problem, &self.tried).ok() } else { None };
            if let Some(trial) = trial
                && self.filter.accepts(run.merit, slope, step, trial)
            {
                std::mem::swap(&mut self.kept, &mut self.tried);
                run.merit = trial;
                return (step, true);
            }
        }
        (step, false)
    }
}
