//! Feasibility-driven differential dynamic programming, with the rules and constants of Crocoddyl 3.2, so that it takes
//! the same iterates as Crocoddyl.
//!
//! C. Mastalli et al., *Crocoddyl: An efficient and versatile framework for multi-contact optimal control*, ICRA 2020,
//! section III. The sweep goes along an iterate that may have gaps and accounts for them. The roll-out shrinks gaps by
//! `1 − α`. A step is accepted if it achieves at least a tenth of the expected improvement, or if it closes gaps at a
//! cost of at most twice the expected one.
//!
//! If phases have control bounds, trials stay between them, and once the trajectory has no gaps the sweep accounts for
//! the bounds: C. Mastalli et al., *A feasibility-driven approach to control-limited DDP*, Autonomous Robots 46 (2022).
//! Here the sweep also accounts for them once no step was accepted, with or without gaps: a direction that bounds block
//! promises a decrease that no step can achieve.

use super::crew::Crew;
use super::domain;
use super::gaps;
use super::report::{Control, Iteration, Report, Status};
use super::support::{diverges, misfit, not_kept, of_dynamics, stuck, worst_term};
use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::riccati::{Failure, Riccati};
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// Constants of [`Fddp`]; the defaults are Crocoddyl's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FddpOptions {
    /// The iteration limit.
    pub iterations: usize,
    /// The time limit, checked after each iteration.
    pub time: Option<Duration>,
    /// Converged if the expected improvement `|d₁ + ½ d₂|` is below this (`th_stop`).
    pub tolerance: f64,
    /// A direction counts as flat if its slope is below this (`th_grad`).
    pub flat: f64,
    /// The least share of the expected improvement that a step must achieve (`th_acceptstep`).
    pub accept: f64,
    /// How much more than expected a step may cost that closes gaps (`th_acceptnegstep`).
    pub accept_rise: f64,
    /// The initial and the least regularization.
    pub regularization: f64,
    /// The largest regularization: beyond it the solver has stalled.
    pub regularization_max: f64,
    /// The factor by which it grows and shrinks.
    pub regularization_factor: f64,
    /// Regularization shrinks after steps longer than this (`th_stepdec`).
    pub long_step: f64,
    /// Regularization grows after steps not longer than this (`th_stepinc`).
    pub short_step: f64,
    /// The number of trial steps: 1, ½, ¼, …
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

/// The solver, with its memory: created once for a problem, used for any number of solutions.
///
/// After the first iteration it allocates nothing.
pub struct Fddp {
    crew: Crew,
    policy: Policy,
    /// One for the solver's thread, one for another.
    trials: [Mutex<Trial>; 2],
    solver: Inner,
}

/// What trials follow: they read it, and nobody writes to it meanwhile.
struct Policy {
    /// The trajectory that is kept.
    kept: Trajectory,
    riccati: Riccati,
    gaps: Vec<DVector<f64>>,
    /// Whether there are no gaps.
    feasible: bool,
}

/// A trajectory that is tried, and memory for that.
struct Trial {
    tried: Trajectory,
    /// `x_try ⊖ x`, one a node.
    moves: Vec<DVector<f64>>,
    next: Vec<f64>,
    gap: Vec<f64>,
    eq: Vec<f64>,
    product: DVector<f64>,
    cost: Result<f64, Fault>,
}

/// What the solver's own thread works with.
struct Inner {
    options: FddpOptions,
    /// Bounds of `δu`.
    bounds: (Vec<f64>, Vec<f64>),
    product: DVector<f64>,
    /// Whether the last step was a full step.
    whole: bool,
    history: Vec<Iteration>,
    /// Why the last trial could not be evaluated, if none could.
    fault: Option<Fault>,
}

impl std::fmt::Debug for Fddp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fddp").field("options", &self.solver.options).finish_non_exhaustive()
    }
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
        let trial = || {
            Mutex::new(Trial {
                tried: Trajectory::zeros(problem),
                moves: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
                next: vec![0.0; space.nx()],
                gap: vec![0.0; space.ndx()],
                eq: vec![0.0; most],
                product: DVector::zeros(space.ndx()),
                cost: Ok(0.0),
            })
        };
        let trials = [trial(), trial()];
        let policy = Policy {
            riccati: Riccati::new(dims),
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            kept: Trajectory::zeros(problem),
            feasible: false,
        };
        let solver = Inner {
            bounds: (vec![0.0; controls], vec![0.0; controls]),
            product: DVector::zeros(space.ndx()),
            whole: true,
            history: Vec::with_capacity(options.iterations),
            fault: None,
            options,
        };
        Self { crew, policy, trials, solver }
    }

    /// The best trajectory so far.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.policy.kept
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.policy.riccati
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
        let Self { crew, policy, trials, solver } = self;
        solver.history.clear();
        solver.whole = true;
        let mut run = Run {
            cost: f64::INFINITY,
            delta: solver.options.regularization,
            feasible: false,
            was_feasible: false,
            boxed: false,
            gap: f64::INFINITY,
            stop: f64::INFINITY,
        };
        let status = if let Some(fault) = not_kept(problem, false) {
            Status::Fault(fault)
        } else if guess.fits(problem) && policy.kept.fits(problem) {
            policy.kept.copy_from(guess);
            let policy = RwLock::new(policy);
            let beside = |step: f64, memory: &mut ProblemMemory, unwanted: &AtomicBool| {
                let (policy, mut trial) = (read(&policy), lock(&trials[1]));
                trial.cost = trial.roll_out(problem, &policy, step, memory, Beside::Solver(unwanted));
            };
            let all = Threads { crew, policy: &policy, trials };
            crew.serve(problem, &beside, || solver.iterate(&all, problem, &mut run, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        let Run { cost, gap, stop, .. } = run;
        let (violation, expected_decrease) = (gap, Some(stop));
        Report { cost, gap, violation, expected_decrease, ..Report::new(status, &solver.history) }
    }
}

/// What threads share.
struct Threads<'a, 'p> {
    crew: &'a Crew,
    policy: &'a RwLock<&'p mut Policy>,
    trials: &'a [Mutex<Trial>; 2],
}

/// What a roll-out does beside itself.
enum Beside<'a> {
    Nothing,
    /// Its nodes are linearized.
    Linearize(&'a Crew),
    /// The solver tries another step, and says when this one is not wanted any more.
    Solver(&'a AtomicBool),
}

fn lock(trial: &Mutex<Trial>) -> MutexGuard<'_, Trial> {
    // A trial is written anew from its first node.
    trial.lock().unwrap_or_else(PoisonError::into_inner)
}
fn read<'a, 'p>(policy: &'a RwLock<&'p mut Policy>) -> RwLockReadGuard<'a, &'p mut Policy> {
    policy.read().unwrap_or_else(PoisonError::into_inner)
}
fn write<'a, 'p>(policy: &'a RwLock<&'p mut Policy>) -> RwLockWriteGuard<'a, &'p mut Policy> {
    policy.write().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    fn iterate(
        &mut self,
        all: &Threads<'_, '_>,
        problem: &Problem,
        run: &mut Run,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        let began = Instant::now();
        all.crew.start(&read(all.policy).kept);
        for iteration in 0..self.options.iterations {
            // The policy is let go before it is read.
            let swept = self.linearize_and_sweep(all.crew, &mut write(all.policy), problem, run);
            if let Err(end) = swept {
                return end;
            }
            let slope = self.promise(&read(all.policy), run);
            let (step, accepted, d) = self.search(all, problem, run, slope);
            self.whole = step >= 1.0;
            // As in Crocoddyl's BoxFDDP from where gaps are closed on, and from where no step was taken.
            run.boxed |= run.feasible || !accepted;
            if step > self.options.long_step {
                run.delta = (run.delta / self.options.regularization_factor).max(self.options.regularization);
            }
            let exhausted = step <= self.options.short_step && !raise(&self.options, run);
            run.stop = (d.first + 0.5 * d.second).abs();
            let entry = Iteration {
                iteration,
                cost: run.cost,
                gap: run.gap,
                violation: run.gap,
                kkt_error: None,
                expected_decrease: Some(run.stop),
                stationarity: read(all.policy).riccati.nodes.iter().map(|n| n.qu.amax()).fold(0.0, f64::max),
                step,
                accepted,
                regularization: run.delta,
                mu: None,
                penalty: None,
                exact: false,
            };
            self.history.push(entry);
            if exhausted {
                return self.stalled(all.crew, &read(all.policy), problem, run, None);
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
    fn linearize_and_sweep(
        &mut self,
        crew: &Crew,
        policy: &mut Policy,
        problem: &Problem,
        run: &mut Run,
    ) -> Result<(), Status> {
        policy.feasible = run.feasible;
        if run.feasible {
            run.gap = 0.0;
        } else {
            run.cost = crew.complete(problem).map_err(Status::Fault)?;
            run.gap = gaps::find(crew, problem, &policy.kept, &mut policy.gaps).map_err(Status::Fault)?;
        }
        while let Err(at) = self.sweep(crew, policy, problem, run) {
            crew.complete(problem).map_err(Status::Fault)?;
            if !raise(&self.options, run) {
                return Err(self.stalled(crew, policy, problem, run, Some(at.node())));
            }
        }
        run.cost = crew.complete(problem).map_err(Status::Fault)?;
        Ok(())
    }

    /// From the end to the start, while nodes that come later in it may still be linearized.
    fn sweep(&mut self, crew: &Crew, policy: &mut Policy, problem: &Problem, run: &Run) -> Result<(), Failure> {
        let Policy { kept, riccati, gaps, .. } = policy;
        // As far as the sweep is to know, a trajectory without gaps has none at all.
        let gaps = if run.feasible { &[][..] } else { &gaps[..] };
        let last = problem.steps();
        for k in (0..=last).rev() {
            let (node, gap) = (crew.node(problem, k), gaps.get(k));
            match problem.node(k).control_bounds().filter(|_| run.boxed) {
                None => riccati.sweep_node(k, &node, gap, run.delta)?,
                Some((lower, upper)) => {
                    let (least, greatest) = &mut self.bounds;
                    let (least, greatest) = (&mut least[..lower.len()], &mut greatest[..upper.len()]);
                    for (i, u) in kept.u(k).iter().enumerate() {
                        (least[i], greatest[i]) = (lower[i] - u, upper[i] - u);
                    }
                    riccati.sweep_node_in_box(k, &node, gap, run.delta, (least, greatest))?;
                }
            }
        }
        Ok(())
    }

    fn stalled(&mut self, crew: &Crew, policy: &Policy, problem: &Problem, run: &Run, node: Option<usize>) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        let missing = |n: &crate::riccati::Stagewise| n.qu.amax();
        let worst = || {
            let nodes = policy.riccati.nodes.iter().enumerate();
            nodes.max_by(|a, b| missing(a.1).total_cmp(&missing(b.1))).map_or(0, |(k, _)| k)
        };
        let node = node.unwrap_or_else(worst);
        let (kept, memory) = (&policy.kept, &mut crew.memory());
        let stalled = || Status::Stalled { node, term: worst_term(problem, kept, node, memory) };
        stuck(run.cost, run.feasible, run.stop, self.options.tolerance, stalled)
    }

    /// The part of the promise that does not depend on where a roll-out goes.
    fn promise(&mut self, policy: &Policy, run: &Run) -> Promise {
        let mut d = Promise::default();
        for (node, gap) in policy.riccati.nodes.iter().zip(&policy.gaps) {
            d.first += node.qu.dot(&node.k);
            d.second -= node.k.dot(&node.quu_k);
            if !run.feasible {
                d.first -= node.vx.dot(gap);
                self.product.gemv(1.0, &node.vxx, gap, 0.0);
                d.second += gap.dot(&self.product);
            }
        }
        d
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, whether it was taken, and what the direction promised.
    ///
    /// Another thread linearizes nodes of whole steps meanwhile, in case they are taken; where the last step was none,
    /// it tries the next step beside this one.
    fn search(
        &mut self,
        all: &Threads<'_, '_>,
        problem: &Problem,
        run: &mut Run,
        slope: Promise,
    ) -> (f64, bool, Promise) {
        let Threads { crew, policy, trials } = *all;
        let (mut d, mut step, mut evaluated) = (slope, 1.0, false);
        let length = |halving: usize| 0.5_f64.powi(halving as i32);
        self.fault = None;
        let mut halving = 0;
        while halving < self.options.halvings {
            let ahead = crew.has_helpers() && self.whole && halving == 0;
            let pair = crew.has_helpers() && !ahead && halving + 1 < self.options.halvings;
            if pair {
                crew.try_beside(length(halving + 1));
            } else if ahead {
                crew.begin_trial();
            }
            {
                let (policy, mut trial) = (read(policy), lock(&trials[0]));
                let beside = if ahead { Beside::Linearize(crew) } else { Beside::Nothing };
                trial.cost = trial.roll_out(problem, &policy, length(halving), &mut crew.memory(), beside);
            }
            for trial in &trials[..if pair { 2 } else { 1 }] {
                if pair && std::ptr::eq(trial, &trials[1]) {
                    crew.join_beside(true);
                }
                step = length(halving);
                halving += 1;
                let mut trial = lock(trial);
                let taken = match std::mem::replace(&mut trial.cost, Ok(0.0)) {
                    Err(fault) => {
                        self.fault = self.fault.take().or(Some(fault));
                        None
                    }
                    Ok(cost) => {
                        evaluated = true;
                        d = trial.promise(problem, &read(policy), slope);
                        self.accepts(run, step, cost, d).then_some(cost)
                    }
                };
                if ahead {
                    crew.end_trial(taken.is_some());
                }
                let Some(cost) = taken else { continue };
                if pair {
                    crew.join_beside(false);
                }
                let mut policy = write(policy);
                std::mem::swap(&mut policy.kept, &mut trial.tried);
                run.was_feasible = run.feasible;
                run.feasible = run.was_feasible || step >= 1.0;
                run.cost = cost;
                self.fault = None;
                if !ahead {
                    crew.start(&policy.kept);
                }
                return (step, true, d);
            }
        }
        if evaluated {
            self.fault = None;
        }
        (step, false, d)
    }

    fn accepts(&self, run: &Run, step: f64, cost: f64, d: Promise) -> bool {
        let gain = run.cost - cost;
        let expected = step * (d.first + 0.5 * step * d.second);
        if expected >= 0.0 {
            d.first.abs() < self.options.flat || gain > self.options.accept * expected
        } else {
            !run.feasible && gain > self.options.accept_rise * expected
        }
    }
}

impl Trial {
    /// The promise, with how far the roll-out has moved the states that have gaps.
    fn promise(&mut self, problem: &Problem, policy: &Policy, slope: Promise) -> Promise {
        let mut moved = 0.0;
        if !policy.feasible {
            let space = problem.space();
            for (k, node) in policy.riccati.nodes.iter().enumerate() {
                let dx = &mut self.moves[k];
                // Both are states that the engine has accepted.
                let known = space.difference(self.tried.x(k), policy.kept.x(k), dx.as_mut_slice());
                debug_assert!(known.is_ok());
                self.product.gemv(1.0, &node.vxx, dx, 0.0);
                moved -= policy.gaps[k].dot(&self.product);
            }
        }
        Promise { first: slope.first + moved, second: slope.second - 2.0 * moved }
    }

    /// Follows the policy with a step; its cost.
    fn roll_out(
        &mut self,
        problem: &Problem,
        policy: &Policy,
        step: f64,
        memory: &mut ProblemMemory,
        beside: Beside<'_>,
    ) -> Result<f64, Fault> {
        let space = problem.space();
        let closes = policy.feasible || step >= 1.0;
        let Self { tried, moves, next, gap, eq, .. } = self;
        next.copy_from_slice(problem.start());
        let mut cost = 0.0;
        for (k, dx) in moves.iter_mut().enumerate() {
            if closes {
                tried.x_mut(k).copy_from_slice(next);
            } else {
                gap.iter_mut().zip(policy.gaps[k].iter()).for_each(|(to, d)| *to = d * (step - 1.0));
                let moved = space.integrate(next, gap, tried.x_mut(k));
                moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            }
            let node = &policy.riccati.nodes[k];
            if !node.k.is_empty() {
                let moved = space.difference(policy.kept.x(k), tried.x(k), dx.as_mut_slice());
                moved.map_err(|reason| of_dynamics(problem, k, reason))?;
                let u = tried.u_mut(k);
                for (i, (u, kept)) in u.iter_mut().zip(policy.kept.u(k)).enumerate() {
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
            if k == 0 && !domain::is_physical(problem, tried.u(0)) {
                let why = "no body has the inertia that its parameters make";
                return Err(of_dynamics(problem, 0, Reason::Other(why.into())));
            }
            match &beside {
                Beside::Linearize(crew) => crew.offer(k, tried.x(k), tried.u(k)),
                // Nobody looks at a cost that is not wanted.
                Beside::Solver(unwanted) if unwanted.load(Ordering::Relaxed) => return Ok(f64::INFINITY),
                _ => {}
            }
            let out = if k == problem.steps() { &mut [][..] } else { &mut next[..] };
            let n_eq = problem.dims(k).n_eq;
            cost += problem.value(k, tried.x(k), tried.u(k), memory, out, &mut eq[..n_eq])?;
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
    /// Whether the sweep accounts for control bounds.
    boxed: bool,
    gap: f64,
    stop: f64,
}
