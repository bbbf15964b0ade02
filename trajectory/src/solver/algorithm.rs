//! What a solver repeats: an algorithm, and the iteration that all of them share.
//!
//! ```text
//! linearize → converged? → update → direction → search → converged? → recover
//! ```
//!
//! An [`Algorithm`] of your own needs a [direction](Algorithm::direction), a [search](Algorithm::search) along it, and
//! a [test](Algorithm::status) of whether the iterate is a solution. Everything else has a default: see
//! `examples/own_algorithm.rs`.

use super::evaluator::{Evaluator, SecondTrial};
use super::report::{Control, Iteration, Status};
use super::state::State;
use super::support::{self, is_unbounded};
use super::warm::Begin;
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::riccati::Failure;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// What a solver calls after each iteration.
pub type Watch<'a> = &'a mut (dyn FnMut(&Iteration) -> Control + Send);

/// What an algorithm works on: a problem, its evaluation at all nodes, and where the solution stands.
pub struct Context<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Values and derivatives of its nodes, by all threads.
    pub evaluator: &'a Evaluator,
    /// The iterate and what belongs to it.
    pub state: &'a mut State,
}

impl Context<'_> {
    /// A fault of a node's dynamics.
    #[must_use]
    pub fn fault(&self, node: usize, reason: Reason) -> Fault {
        support::of_dynamics(self.problem, node, reason)
    }
}

/// The limits of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Iterations.
    pub iterations: usize,
    /// Time, checked after each iteration.
    pub time: Option<Duration>,
    /// Threads that evaluate nodes, at least 1.
    pub threads: usize,
}

/// An algorithm of optimization: what a [`Solver`](super::Solver) repeats until it has a solution.
///
/// The solver owns the iterate, its history, threads and limits. The algorithm owns whatever else it needs.
pub trait Algorithm: Sized + Send {
    /// Its constants.
    type Options: Clone + Debug + Send;
    /// Its name, such as `Newton`.
    const NAME: &'static str;
    /// Whether it takes the curvature of the Lagrangian, for which nodes then have memory.
    const EXACT: bool = false;

    /// Memory for a problem.
    fn new(problem: &Problem, options: &Self::Options) -> Self;
    /// The limits that the options set.
    fn limits(options: &Self::Options) -> Limits;
    /// The direction from the iterate, whose nodes are linearized.
    ///
    /// # Errors
    /// [`NoDirection`] if there is none.
    fn direction(&mut self, at: &mut Context<'_>) -> Result<(), NoDirection>;
    /// A step along the direction. If a trial is accepted, it becomes the iterate: swap
    /// [`State::iterate`] and [`State::trial`], and set [`Now::cost`](super::Now::cost).
    fn search(&mut self, at: &mut Context<'_>) -> Step;
    /// How it ends, if the iterate is a solution. It is asked after [`linearize`](Self::linearize) and after each
    /// [`search`](Self::search).
    fn status(&self, at: &Context<'_>) -> Option<Status>;

    /// Takes options, before each solution.
    ///
    /// # Errors
    /// A sentence that says which of them is invalid.
    fn configure(&mut self, options: &Self::Options) -> Result<(), String> {
        let _ = options;
        Ok(())
    }
    /// Names a constraint of the problem that the algorithm does not support. By default it supports none, nor control
    /// bounds.
    fn unsupported(&self, problem: &Problem) -> Option<Fault> {
        support::unsupported_constraint(problem).or_else(|| support::unsupported_bounds(problem))
    }
    /// Starts from a guess, which is the iterate.
    fn start(&mut self, at: &mut Context<'_>) {
        let _ = at;
    }
    /// Evaluates derivatives at the iterate; `first`: of a guess.
    ///
    /// # Errors
    /// [`Fault`] if a node cannot be evaluated.
    fn linearize(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        let _ = first;
        at.state.linearize(at.evaluator, at.problem)
    }
    /// Updates parameters of the algorithm at an iterate that is not a solution, such as a barrier or estimates of
    /// multipliers. Returns a status to end there.
    fn update(&mut self, at: &mut Context<'_>) -> Option<Status> {
        let _ = at;
        None
    }
    /// What follows a step: the next iteration, or the end. By default a step that is not accepted ends the solution.
    fn recover(&mut self, at: &mut Context<'_>, step: Step, watch: Watch<'_>) -> ControlFlow<Status, Next> {
        let _ = watch;
        if step.accepted {
            return ControlFlow::Continue(Next::Linearize);
        }
        let node = step.failed.unwrap_or(0);
        ControlFlow::Break(at.state.stalled(at.evaluator, at.problem, node))
    }
    /// Whether iterations are left.
    fn has_iterations_left(&self, at: &Context<'_>) -> bool {
        at.state.history.len() < at.state.limits.iterations
    }
    /// Completes a line of the history, or of the report, with values that only this algorithm has.
    fn report(&self, line: &mut Iteration) {
        let _ = line;
    }
    /// Solves, by [`iterate`] and whatever the algorithm does around it, such as other strategies after a failure.
    fn run(&mut self, at: &mut Context<'_>, begin: Begin<'_>, watch: Watch<'_>) -> Status {
        iterate(self, at, matches!(begin, Begin::Guess(_)), watch)
    }
    /// What another thread does with a step that it is to try beside the solver's.
    fn second_trial(&self) -> Option<Arc<dyn SecondTrial>> {
        None
    }
}

/// Why there is no direction.
#[derive(Clone, Debug, PartialEq)]
pub enum NoDirection {
    /// The sweep failed at a node: [`Algorithm::recover`] decides what follows.
    At(Failure),
    /// The solution ends.
    End(Status),
}

impl From<Failure> for NoDirection {
    fn from(failure: Failure) -> Self {
        Self::At(failure)
    }
}

impl From<Fault> for NoDirection {
    fn from(fault: Fault) -> Self {
        Self::End(Status::Fault(fault))
    }
}

/// A step along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its length, where 1 is the whole direction: of the last trial.
    pub length: f64,
    /// Whether the trial became the iterate.
    pub accepted: bool,
    /// The node at which there was no direction.
    pub failed: Option<usize>,
}

impl Step {
    /// A trial of this length.
    #[must_use]
    pub fn new(length: f64, accepted: bool) -> Self {
        Self { length, accepted, failed: None }
    }
}

/// Where the next iteration begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// With derivatives at the iterate.
    Linearize,
    /// With the derivatives that there are.
    Again,
}

/// The iteration. `first`: the iterate is a guess.
pub fn iterate<A: Algorithm>(algorithm: &mut A, at: &mut Context<'_>, first: bool, watch: Watch<'_>) -> Status {
    let (mut first, mut next) = (first, Next::Linearize);
    while algorithm.has_iterations_left(at) {
        if next == Next::Linearize {
            if let Err(fault) = algorithm.linearize(at, std::mem::take(&mut first)) {
                return Status::Fault(fault);
            }
            if let Some(status) = algorithm.status(at) {
                enter(algorithm, at, Step::new(at.state.now.step, false), 0.0, watch);
                return status;
            }
        }
        if let Some(status) = algorithm.update(at) {
            return status;
        }
        let gap = at.state.now.gap;
        // Without a direction there is no step.
        let step = match algorithm.direction(at) {
            Ok(()) => algorithm.search(at),
            Err(NoDirection::At(failure)) => Step { failed: Some(failure.node()), ..Step::new(0.0, false) },
            Err(NoDirection::End(status)) => return status,
        };
        let wish = enter(algorithm, at, step, gap, watch);
        if is_unbounded(at.state.now.cost) {
            return Status::Diverged;
        }
        if let Some(status) = algorithm.status(at) {
            return status;
        }
        if wish == Control::Stop {
            return Status::Stopped;
        }
        if at.state.is_late() {
            return Status::TimeLimit;
        }
        match algorithm.recover(at, step, watch) {
            ControlFlow::Continue(goes_on) => next = goes_on,
            ControlFlow::Break(status) => return status,
        }
    }
    Status::IterationLimit
}

/// Adds a line to the history, which `watch` is shown.
pub(super) fn enter<A: Algorithm>(
    algorithm: &A,
    at: &mut Context<'_>,
    step: Step,
    gap: f64,
    watch: Watch<'_>,
) -> Control {
    at.state.now.step = step.length;
    let mut line = at.state.line(gap, step.accepted);
    algorithm.report(&mut line);
    at.state.history.push(line);
    watch(&line)
}
