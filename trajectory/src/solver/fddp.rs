//! Feasibility-driven differential dynamic programming, with the rules and constants of Crocoddyl 3.2, so that its iterates are these.
//!
//! C. Mastalli et al., *Crocoddyl: An efficient and versatile framework for multi-contact optimal control*, ICRA 2020, section III:
//! a sweep along a trajectory that need not be one, whose gaps it knows; a roll-out by which gaps shrink by `1 − α`; a step is taken
//! if it improves at least a tenth of what was promised, or if it closes gaps at a price that is not more than twice what was
//! expected.
//!
//! Where phases have bounds of controls, trials are kept between them, and from a trajectory without gaps on the sweep knows of them:
//! C. Mastalli et al., *A feasibility-driven approach to control-limited DDP*, Autonomous Robots 46 (2022).

use super::crew::Crew;
use super::gaps::{self, of_dynamics};
use super::report::{Control, Iteration, Report, Status};
use super::support::{diverges, misfit, stuck, worst_term};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::riccati::{Failure, Riccati};
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::time::{Duration, Instant};

/// Constants of [`Fddp`]; the defaults are Crocoddyl's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FddpOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// At most so much time, looked at after each iteration.
    pub time: Option<Duration>,
    /// Converged if the expected improvement `|d₁ + ½ d₂|` is below (`th_stop`).
    pub tolerance: f64,
    /// A direction counts as flat if its slope is below (`th_grad`).
    pub flat: f64,
    /// Least share of the expected improvement that a step must make (`th_acceptstep`).
    pub accept: f64,
    /// How much more than expected a step may cost that closes gaps (`th_acceptnegstep`).
    pub accept_rise: f64,
    /// Regularization at the beginning, and at least.
    pub regularization: f64,
    /// Regularization at most: beyond it the solver has stalled.
    pub regularization_max: f64,
    /// Factor by which it grows and shrinks.
    pub regularization_factor: f64,
    /// Regularization shrinks after steps longer than this (`th_stepdec`).
    pub long_step: f64,
    /// Regularization grows after steps not longer than this (`th_stepinc`).
    pub short_step: f64,
    /// Steps tried: 1, ½, ¼, …, so many.
    pub halvings: usize,
    /// Threads that linearize nodes.
    pub threads: usize,
}

impl Default for FddpOptions {
    fn default() -> Self {
        Self {
            iterations: 100,
            time: None,
            tolerance: 1e-9,
            flat: 1e-12,
            accept: 0.1,
            accept_rise: 2.0,
            regularization: 1e-9,
            regularization_max: 1e9,
            regularization_factor: 10.0,
            long_step: 0.5,
            short_step: 0.01,
            halvings: 10,
            threads: 1,
        }
    }
}

/// The solver, with its memory: made once for one problem, used for as many solutions as wanted.
///
/// After the first iteration it allocates nothing.
pub struct Fddp {
    crew: Crew,
    solver: Inner,
}

/// What the solver's own thread works with.
struct Inner {
    options: FddpOptions,
    riccati: Riccati,
    gaps: Vec<DVector<f64>>,
    /// The trajectory that is kept.
    kept: Trajectory,
    /// The one that is tried.
    tried: Trajectory,
    /// `x_try ⊖ x`, one a node.
    moves: Vec<DVector<f64>>,
    scratch: Scratch,
    history: Vec<Iteration>,
    /// Why the last trial could not be evaluated, if none could.
    fault: Option<Fault>,
}

impl std::fmt::Debug for Fddp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fddp").field("options", &self.solver.options).finish_non_exhaustive()
    }
}

struct Scratch {
    next: Vec<f64>,
    gap: Vec<f64>,
    eq: Vec<f64>,
    /// Bounds of `δu`.
    bounds: (Vec<f64>, Vec<f64>),
    product: DVector<f64>,
}

/// What a direction promises: `α d₁ + ½ α² d₂`.
#[derive(Clone, Copy, Default)]
struct Promise {
    first: f64,
    second: f64,
}

impl Fddp {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: FddpOptions) -> Self {
        let crew = Crew::new(problem, options.threads);
        let dims = crew.dims();
        let space = problem.space();
        let controls = dims.iter().map(|d| d.nu).max().unwrap_or(0);
        let most = dims.iter().map(|d| d.n_eq).max().unwrap_or(0);
        let solver = Inner {
            riccati: Riccati::new(dims),
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            kept: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            moves: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            scratch: Scratch {
                next: vec![0.0; space.nx()],
                gap: vec![0.0; space.ndx()],
                eq: vec![0.0; most],
                bounds: (vec![0.0; controls], vec![0.0; controls]),
                product: DVector::zeros(space.ndx()),
            },
            history: Vec::with_capacity(options.iterations),
            fault: None,
            options,
        };
        Self { crew, solver }
    }

    /// The best trajectory so far.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.solver.kept
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.solver.riccati
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.solver.history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut FddpOptions {
        &mut self.solver.options
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
        mut watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Self { crew, solver } = self;
        solver.history.clear();
        let mut run = Run {
            cost: f64::INFINITY,
            delta: solver.options.regularization,
            feasible: false,
            was_feasible: false,
            gap: f64::INFINITY,
            stop: f64::INFINITY,
        };
        let status = if guess.fits(problem) && solver.kept.fits(problem) {
            solver.kept.copy_from(guess);
            crew.serve(problem, || solver.iterate(crew, problem, &mut run, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        let Run { cost, gap, stop, .. } = run;
        Report { status, iterations: solver.history.len(), cost, gap, expected: stop }
    }
}

impl Inner {
    fn iterate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        run: &mut Run,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        let began = Instant::now();
        crew.start(&self.kept);
        for iteration in 0..self.options.iterations {
            if let Err(end) = self.linearize_and_sweep(crew, problem, run) {
                return end;
            }
            let slope = self.promise(run);
            let (step, accepted, d) = self.search(crew, problem, run, slope);
            if step > self.options.long_step {
                run.delta = (run.delta / self.options.regularization_factor).max(self.options.regularization);
            }
            let exhausted = step <= self.options.short_step && !raise(&self.options, run);
            run.stop = (d.first + 0.5 * d.second).abs();
            let entry = Iteration {
                iteration,
                cost: run.cost,
                gap: run.gap,
                violation: 0.0,
                expected: run.stop,
                stationarity: self.riccati.nodes.iter().map(|n| n.qu.amax()).fold(0.0, f64::max),
                step,
                accepted,
                regularization: run.delta,
            };
            self.history.push(entry);
            if exhausted {
                return self.stalled(crew, problem, run, None);
            }
            let wish = watch(&entry);
            if diverges(run.cost) {
                return Status::Diverged;
            }
            if run.was_feasible && run.stop < self.options.tolerance {
                return Status::Converged;
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

    /// Derivatives of the trajectory that is kept, and the sweep, with as much regularization as it takes.
    fn linearize_and_sweep(&mut self, crew: &Crew, problem: &Problem, run: &mut Run) -> Result<(), Status> {
        if !run.feasible {
            run.cost = crew.complete(problem).map_err(Status::Fault)?;
            run.gap = gaps::find(crew, problem, &self.kept, &mut self.gaps).map_err(Status::Fault)?;
        }
        while let Err(at) = self.sweep(crew, problem, run) {
            crew.complete(problem).map_err(Status::Fault)?;
            if !raise(&self.options, run) {
                return Err(self.stalled(crew, problem, run, Some(at.node())));
            }
        }
        run.cost = crew.complete(problem).map_err(Status::Fault)?;
        Ok(())
    }

    /// From the end to the start, while nodes that come later in it may still be linearized.
    fn sweep(&mut self, crew: &Crew, problem: &Problem, run: &mut Run) -> Result<(), Failure> {
        if run.feasible {
            run.gap = 0.0;
        }
        // As far as the sweep is to know, a trajectory without gaps has none at all.
        let gaps = if run.feasible { &[][..] } else { &self.gaps[..] };
        let last = problem.steps();
        for k in (0..=last).rev() {
            let (node, gap) = (crew.node(problem, k), gaps.get(k));
            // As in Crocoddyl's BoxFDDP, bounds are kept from where gaps are closed on.
            match problem.node(k).control_bounds().filter(|_| run.feasible) {
                None => self.riccati.sweep_node(k, &node, gap, run.delta)?,
                Some((lower, upper)) => {
                    let (least, greatest) = &mut self.scratch.bounds;
                    let (least, greatest) = (&mut least[..lower.len()], &mut greatest[..upper.len()]);
                    for (i, u) in self.kept.u(k).iter().enumerate() {
                        (least[i], greatest[i]) = (lower[i] - u, upper[i] - u);
                    }
                    self.riccati.sweep_node_in_box(k, &node, gap, run.delta, (least, greatest))?;
                }
            }
        }
        Ok(())
    }

    fn stalled(&mut self, crew: &Crew, problem: &Problem, run: &Run, node: Option<usize>) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        let missing = |n: &crate::riccati::Stagewise| n.qu.amax();
        let worst = || {
            let nodes = self.riccati.nodes.iter().enumerate();
            nodes.max_by(|a, b| missing(a.1).total_cmp(&missing(b.1))).map_or(0, |(k, _)| k)
        };
        let node = node.unwrap_or_else(worst);
        let (kept, memory) = (&self.kept, &mut crew.memory());
        let stalled = || Status::Stalled { node, term: worst_term(problem, kept, node, memory) };
        stuck(run.cost, run.feasible, run.stop, self.options.tolerance, stalled)
    }

    /// The part of the promise that does not depend on where a roll-out goes.
    fn promise(&mut self, run: &Run) -> Promise {
        let mut d = Promise::default();
        for (k, node) in self.riccati.nodes.iter().enumerate() {
            d.first += node.qu.dot(&node.k);
            d.second -= node.k.dot(&node.quu_k);
            if !run.feasible {
                let gap = &self.gaps[k];
                d.first -= node.vx.dot(gap);
                self.scratch.product.gemv(1.0, &node.vxx, gap, 0.0);
                d.second += gap.dot(&self.scratch.product);
            }
        }
        d
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, whether it was taken, and what the direction promised.
    fn search(&mut self, crew: &Crew, problem: &Problem, run: &mut Run, slope: Promise) -> (f64, bool, Promise) {
        let (mut d, mut step, mut evaluated) = (slope, 1.0, false);
        self.fault = None;
        for halving in 0..self.options.halvings {
            step = 0.5_f64.powi(halving as i32);
            // Whole steps are mostly taken: their nodes are linearized meanwhile.
            let ahead = halving == 0 && crew.has_helpers();
            let rolled = self.roll_out(crew, problem, run, step, ahead);
            let cost = match rolled {
                Ok(cost) => cost,
                Err(fault) => {
                    if ahead {
                        crew.end_trial(false);
                    }
                    self.fault = self.fault.take().or(Some(fault));
                    continue;
                }
            };
            evaluated = true;
            let gain = run.cost - cost;
            d = self.promise_there(problem, run, slope);
            let expected = step * (d.first + 0.5 * step * d.second);
            let taken = if expected >= 0.0 {
                d.first.abs() < self.options.flat || gain > self.options.accept * expected
            } else {
                !run.feasible && gain > self.options.accept_rise * expected
            };
            if ahead {
                crew.end_trial(taken);
            }
            if taken {
                run.was_feasible = run.feasible;
                run.feasible = run.was_feasible || halving == 0;
                std::mem::swap(&mut self.kept, &mut self.tried);
                run.cost = cost;
                self.fault = None;
                if !ahead {
                    crew.start(&self.kept);
                }
                return (step, true, d);
            }
        }
        if evaluated {
            self.fault = None;
        }
        (step, false, d)
    }

    /// The promise, with how far the roll-out has moved the states that have gaps.
    fn promise_there(&mut self, problem: &Problem, run: &Run, slope: Promise) -> Promise {
        let mut moved = 0.0;
        if !run.feasible {
            let space = problem.space();
            for (k, node) in self.riccati.nodes.iter().enumerate() {
                let dx = &mut self.moves[k];
                // Both are states that the engine has accepted.
                let known = space.difference(self.tried.x(k), self.kept.x(k), dx.as_mut_slice());
                debug_assert!(known.is_ok());
                self.scratch.product.gemv(1.0, &node.vxx, dx, 0.0);
                moved -= self.gaps[k].dot(&self.scratch.product);
            }
        }
        Promise { first: slope.first + moved, second: slope.second - 2.0 * moved }
    }

    /// Follows the policy with a step; its cost.
    fn roll_out(&mut self, crew: &Crew, problem: &Problem, run: &Run, step: f64, ahead: bool) -> Result<f64, Fault> {
        if ahead {
            crew.begin_trial();
        }
        let mut memory = crew.memory();
        let space = problem.space();
        let closes = run.feasible || step >= 1.0;
        let Scratch { next, gap, eq, .. } = &mut self.scratch;
        next.copy_from_slice(problem.start());
        let mut cost = 0.0;
        for k in 0..=problem.steps() {
            if closes {
                self.tried.x_mut(k).copy_from_slice(next);
            } else {
                gap.iter_mut().zip(self.gaps[k].iter()).for_each(|(to, d)| *to = d * (step - 1.0));
                let moved = space.integrate(next, gap, self.tried.x_mut(k));
                moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            }
            let node = &self.riccati.nodes[k];
            if !node.k.is_empty() {
                let dx = &mut self.moves[k];
                let moved = space.difference(self.kept.x(k), self.tried.x(k), dx.as_mut_slice());
                moved.map_err(|reason| of_dynamics(problem, k, reason))?;
                let u = self.tried.u_mut(k);
                for (i, (u, kept)) in u.iter_mut().zip(self.kept.u(k)).enumerate() {
                    *u = kept - step * node.k[i];
                }
                for (dx, column) in dx.iter().zip(node.gain.column_iter()) {
                    u.iter_mut().zip(column.iter()).for_each(|(u, gain)| *u -= gain * dx);
                }
                if let Some((lower, upper)) = problem.node(k).control_bounds() {
                    for (i, u) in u.iter_mut().enumerate() {
                        *u = u.max(lower[i]).min(upper[i]);
                    }
                }
            }
            let out = if k == problem.steps() { &mut [][..] } else { &mut next[..] };
            if ahead {
                crew.offer(k, self.tried.x(k), self.tried.u(k));
            }
            let n_eq = crew.dims()[k].n_eq;
            cost += problem.value(k, self.tried.x(k), self.tried.u(k), &mut memory, out, &mut eq[..n_eq])?;
            if !cost.is_finite() {
                let reason = Reason::NotFinite { what: "the cost", entry: 0, value: cost };
                return Err(of_dynamics(problem, k, reason));
            }
        }
        Ok(cost)
    }
}

/// More regularization; `false` if it is at its greatest.
fn raise(options: &FddpOptions, run: &mut Run) -> bool {
    run.delta = (run.delta * options.regularization_factor).min(options.regularization_max);
    run.delta < options.regularization_max
}

/// Where a solution stands.
struct Run {
    cost: f64,
    delta: f64,
    feasible: bool,
    was_feasible: bool,
    gap: f64,
    stop: f64,
}
