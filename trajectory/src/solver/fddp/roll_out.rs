//! Roll-outs along the feedback of a sweep, by two threads.

use super::Promise;
use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::riccati::Riccati;
use crate::solver::domain;
use crate::solver::evaluator::{Evaluator, SecondTrial};
use crate::solver::state::State;
use crate::solver::support::of_dynamics;
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

/// The policy that trials follow, and two trials: one for the solver's thread, one for another.
pub(super) struct RollOuts {
    policy: RwLock<Policy>,
    trials: [Mutex<Trial>; 2],
}

/// What trials follow: they read it, and no thread writes to it meanwhile. It is lent by the solver's state for a
/// search.
struct Policy {
    iterate: Trajectory,
    riccati: Riccati,
    gaps: Vec<DVector<f64>>,
    /// Whether the iterate has no gaps.
    feasible: bool,
}

/// A trial, and memory for it.
struct Trial {
    trajectory: Trajectory,
    /// `x_try ⊖ x`, one a node.
    moves: Vec<DVector<f64>>,
    next: Vec<f64>,
    gap: Vec<f64>,
    eq: Vec<f64>,
    product: DVector<f64>,
    cost: Result<f64, Fault>,
}

/// What a roll-out does beside itself.
pub(super) enum Beside<'a> {
    Nothing,
    /// Its nodes are linearized.
    Linearize(&'a Evaluator),
    /// The solver tries another step, and says when this one is no longer wanted.
    Solver(&'a AtomicBool),
}

/// Locks what another thread may have left half done: it is written anew before it is read.
macro_rules! locked {
    ($lock:expr) => {
        $lock.unwrap_or_else(PoisonError::into_inner)
    };
}

impl RollOuts {
    pub(super) fn new(problem: &Problem) -> Self {
        let (space, dims) = (problem.space(), (0..=problem.steps()).map(|k| problem.dims(k)));
        let most = dims.clone().map(|d| d.n_eq).max().unwrap_or(0);
        let trial = || {
            Mutex::new(Trial {
                trajectory: Trajectory::zeros(problem),
                moves: dims.clone().map(|d| DVector::zeros(d.ndx)).collect(),
                next: vec![0.0; space.nx()],
                gap: vec![0.0; space.ndx()],
                eq: vec![0.0; most],
                product: DVector::zeros(space.ndx()),
                cost: Ok(0.0),
            })
        };
        let policy =
            Policy { iterate: Trajectory::EMPTY, riccati: Riccati::new(&[]), gaps: Vec::new(), feasible: false };
        Self { policy: RwLock::new(policy), trials: [trial(), trial()] }
    }

    /// Takes the policy from the state, for a search.
    pub(super) fn lend(&self, state: &mut State, feasible: bool) {
        self.exchange(state);
        locked!(self.policy.write()).feasible = feasible;
    }
    /// Returns it.
    pub(super) fn give_back(&self, state: &mut State) {
        self.exchange(state);
    }
    fn exchange(&self, state: &mut State) {
        let policy = &mut *locked!(self.policy.write());
        std::mem::swap(&mut policy.iterate, &mut state.iterate);
        std::mem::swap(&mut policy.riccati, &mut state.riccati);
        std::mem::swap(&mut policy.gaps, &mut state.gaps);
    }

    /// Rolls out a trial with a step.
    pub(super) fn run(
        &self,
        trial: usize,
        problem: &Problem,
        step: f64,
        memory: &mut ProblemMemory,
        beside: Beside<'_>,
    ) {
        let (policy, mut trial) = (locked!(self.policy.read()), locked!(self.trials[trial].lock()));
        trial.cost = trial.roll_out(problem, &policy, step, memory, beside);
    }
    /// Its cost, and what the direction promised.
    pub(super) fn result(&self, trial: usize, problem: &Problem, slope: Promise) -> Result<(f64, Promise), Fault> {
        let (policy, mut trial) = (locked!(self.policy.read()), locked!(self.trials[trial].lock()));
        let cost = std::mem::replace(&mut trial.cost, Ok(0.0))?;
        Ok((cost, trial.promise(problem, &policy, slope)))
    }
    /// Makes it the iterate.
    pub(super) fn accept(&self, trial: usize) {
        let mut trial = locked!(self.trials[trial].lock());
        std::mem::swap(&mut locked!(self.policy.write()).iterate, &mut trial.trajectory);
    }
    /// Starts to linearize the iterate.
    pub(super) fn start(&self, evaluator: &Evaluator) {
        evaluator.start(&locked!(self.policy.read()).iterate);
    }
}

impl SecondTrial for RollOuts {
    fn evaluate(&self, problem: &Problem, step: f64, memory: &mut ProblemMemory, unwanted: &AtomicBool) {
        self.run(1, problem, step, memory, Beside::Solver(unwanted));
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
                let known = space.difference(self.trajectory.x(k), policy.iterate.x(k), dx.as_mut_slice());
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
        let Self { trajectory: tried, moves, next, gap, eq, .. } = self;
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
                let moved = space.difference(policy.iterate.x(k), tried.x(k), dx.as_mut_slice());
                moved.map_err(|reason| of_dynamics(problem, k, reason))?;
                let u = tried.u_mut(k);
                for (i, (u, kept)) in u.iter_mut().zip(policy.iterate.u(k)).enumerate() {
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
                return Err(of_dynamics(problem, 0, Reason::UnphysicalInertia));
            }
            match &beside {
                Beside::Linearize(evaluator) => evaluator.offer(k, tried.x(k), tried.u(k)),
                // The cost of an unwanted trial is not read.
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
