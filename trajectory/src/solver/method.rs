//! What a method of second order writes itself, and the iteration that all of them share.

use super::core::Core;
use super::crew::Crew;
use super::report::{Control, Iteration, Status};
use super::support::diverges;
use super::warm::{Begin, WarmNode, WarmStart};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Dims;
use crate::riccati::Failure;
use std::ops::ControlFlow;

/// What the solver calls after each iteration.
pub(super) type Watch<'a> = &'a mut (dyn FnMut(&Iteration) -> Control + Send);

/// What a method may be told.
pub trait HasOptions {
    /// [`NewtonOptions`](super::NewtonOptions), or [`ProximalOptions`](super::ProximalOptions).
    type Options: std::fmt::Debug;
}

/// What a method of second order writes itself.
pub(super) trait Method: HasOptions + Sized + Send {
    /// What it keeps of a node's bounded controls and rows.
    type Rows;
    const NAME: &'static str;

    fn new(problem: &Problem, dims: &[Dims], options: Self::Options) -> Self;
    fn threads(options: &Self::Options) -> usize;
    /// What is wrong with the options.
    fn wrong(&self) -> Option<String>;
    fn options(&self) -> &Self::Options;
    fn options_mut(&mut self) -> &mut Self::Options;
    fn core(&self) -> &Core;
    fn rows(&self, k: usize) -> &Self::Rows;
    fn parts(&mut self) -> (&mut Core, &mut [Self::Rows]);

    /// Begins: the iterate is there, and all else as it is before the first iteration.
    fn begin(&mut self);
    /// Forgets the last solution, from an iterate that is given.
    fn reset(&mut self, problem: &Problem);
    /// From where another solution has ended.
    fn take_over(&mut self, problem: &Problem, from: &WarmStart);
    /// From its own last solution, with bounds that may have moved; `mu`: where it has ended.
    fn go_on(&mut self, problem: &Problem, mu: f64);
    /// The last solution is linearized again, as it is: what has to be taken from the problem?
    fn refresh(&mut self, problem: &Problem);
    /// Solves: one [iteration](iterate) after the other, with whatever the method does around them.
    fn run(&mut self, crew: &Crew, problem: &Problem, begin: Begin<'_>, watch: Watch<'_>) -> Status;

    /// May it go on, or have all iterations been used?
    fn has_iterations_left(&self) -> bool;
    /// Looks at residuals of an iterate that has not converged: less μ, new estimates of multipliers; a status, if that ends it.
    fn update(&mut self, crew: &Crew, problem: &Problem) -> Option<Status>;
    /// A step along the direction: how long it is, and whether it was taken.
    fn search(&mut self, crew: &Crew, problem: &Problem) -> (f64, bool);
    /// What the step that was tried leads to: the next iteration, a restoration, or the end.
    fn after(&mut self, crew: &Crew, problem: &Problem, tried: Tried, watch: Watch<'_>) -> ControlFlow<Status, Next>;

    /// Derivatives at the iterate; the `first` ones scale the cost.
    fn linearize(&mut self, crew: &Crew, problem: &Problem, first: bool) -> Result<(), Fault>;
    /// The KKT residual of the iterate.
    fn judge(&mut self, crew: &Crew, problem: &Problem);
    /// The direction from it.
    fn direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure>;

    /// μ, as the last solution has left it.
    fn mu(&self) -> f64;
    /// μ of a barrier, or the penalty, for reports.
    fn shown(&self) -> [Option<f64>; 2];
    /// The multiplier of a bound of a node's control, of the scaled cost.
    fn control_multiplier(rows: &Self::Rows, control: usize) -> Option<f64>;
    /// Slacks and multipliers of a node's rows, the latter times `by_scale`.
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode);
    /// Slacks and multipliers of a node's rows from those of another one, if that has the same.
    fn take_from(rows: &mut Self::Rows, other: &Self::Rows);
}

/// A step that was tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    pub(super) step: f64,
    pub(super) accepted: bool,
    /// The node at which there was no direction.
    pub(super) failed: Option<usize>,
}

/// Where the next iteration begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// With derivatives at the iterate.
    Linearize,
    /// With those that there are.
    Again,
}

/// The iteration: derivatives, residuals, μ and multipliers, a direction, a step along it. `cold`: the first derivatives scale the cost.
pub(super) fn iterate<M: Method>(
    method: &mut M,
    crew: &Crew,
    problem: &Problem,
    cold: bool,
    tolerance: f64,
    watch: Watch<'_>,
) -> Status {
    let (mut first, mut next) = (cold, Next::Linearize);
    while method.has_iterations_left() {
        if next == Next::Linearize {
            if let Err(fault) = method.linearize(crew, problem, std::mem::take(&mut first)) {
                return Status::Fault(fault);
            }
            method.judge(crew, problem);
            if method.core().now.error <= tolerance {
                enter(method, false, 0.0, watch);
                return Status::Converged;
            }
        }
        if let Some(status) = method.update(crew, problem) {
            return status;
        }
        let gap = method.core().now.gap;
        // Without a direction there is no step.
        let tried = match method.direction(crew, problem) {
            Ok(()) => {
                let (step, accepted) = method.search(crew, problem);
                Tried { step, accepted, failed: None }
            }
            Err(failure) => Tried { step: 0.0, accepted: false, failed: Some(failure.node()) },
        };
        method.parts().0.now.step = tried.step;
        let wish = enter(method, tried.accepted, gap, watch);
        if diverges(method.core().now.cost) {
            return Status::Diverged;
        }
        if wish == Control::Stop {
            return Status::Stopped;
        }
        if method.core().is_late() {
            return Status::TimeLimit;
        }
        match method.after(crew, problem, tried, watch) {
            ControlFlow::Continue(goes_on) => next = goes_on,
            ControlFlow::Break(status) => return status,
        }
    }
    Status::IterationLimit
}

/// A line of the history, which `watch` is shown.
pub(super) fn enter<M: Method>(method: &mut M, accepted: bool, gap: f64, watch: Watch<'_>) -> Control {
    let shown = method.shown();
    let core = method.parts().0;
    core.enter(gap, accepted, shown);
    watch(&core.history[core.history.len() - 1])
}
