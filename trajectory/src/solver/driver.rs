//! A solver: threads, memory, and a method. What is the same for all methods of second order stands here: guesses, warm starts,
//! model-predictive control, reports.
//!
//! A cycle of control is [`shift`](Solver::shift) or [`shift_by`](Solver::shift_by), [`Problem::set_start`], [`resolve`](Solver::resolve) with
//! few iterations. Between cycles, [`prepare`](Solver::prepare) does all the work that does not depend on the state, and
//! [`feedback`](Solver::feedback) answers to a measured state with one product: M. Diehl, H. G. Bock and J. P. Schlöder, *A real-time
//! iteration scheme for nonlinear optimization in optimal feedback control*, SIAM J. Control Optim. 43(5), 2005. After the first cycle
//! nothing is allocated.

use super::core::{Core, Now};
use super::crew::Crew;
use super::cycle::{self, FAILURES};
use super::report::{Control, Iteration, Report, Status};
use super::support::{diverges, misfit, of_dynamics};
use super::warm::{Begin, WarmNode, WarmStart};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::{Dims, Multipliers};
use crate::riccati::{Failure, Riccati};
use crate::trajectory::Trajectory;
use std::ops::ControlFlow;

/// What the solver calls after each iteration.
pub(super) type Watch<'a> = &'a mut (dyn FnMut(&Iteration) -> Control + Send);

/// What a method may be told.
pub trait HasOptions {
    /// [`NewtonOptions`](super::NewtonOptions), or [`ProximalOptions`](super::ProximalOptions).
    type Options;
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
    fn options(&mut self) -> &mut Self::Options;
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

/// A solver with its memory: created once for a problem, used for any number of solutions. See
/// [`Newton`](super::Newton) and [`Proximal`](super::Proximal).
#[expect(private_bounds, reason = "methods are those of this crate")]
pub struct Solver<M: Method> {
    crew: Crew,
    method: M,
}

impl<M: Method> std::fmt::Debug for Solver<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(M::NAME).finish_non_exhaustive()
    }
}

#[expect(private_bounds, reason = "methods are those of this crate")]
impl<M: Method> Solver<M> {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: M::Options) -> Self {
        let crew = Crew::exact(problem, M::threads(&options));
        let method = M::new(problem, crew.dims(), options);
        Self { crew, method }
    }
    /// The last trajectory that was accepted; where several ways have led nowhere, of the one that has come nearest to an optimum.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.method.core().iterate
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.method.core().riccati
    }
    /// Multipliers of a node's step, equalities and rows between bounds.
    #[must_use]
    pub fn multipliers(&self, k: usize) -> &Multipliers {
        &self.method.core().unscaled[k]
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.method.core().history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut M::Options {
        self.method.options()
    }
    /// Multipliers of the bounds of a node's controls: negative at a lower one, positive at an upper one. `None` if it has no bound.
    #[must_use]
    pub fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        let y = M::control_multiplier(self.method.rows(k), control)?;
        Some(y / self.method.core().now.scale)
    }

    /// Solves from a guess, whose gaps need not be closed, nor its constraints hold.
    pub fn solve(&mut self, problem: &Problem, guess: &Trajectory) -> Report {
        self.solve_with(problem, guess, |_| Control::Continue)
    }
    /// Solves from a guess, and calls `watch` after each iteration.
    pub fn solve_with(
        &mut self,
        problem: &Problem,
        guess: &Trajectory,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        self.run(problem, Begin::Guess(guess), watch)
    }

    /// Where the last solution has ended; `None` if nothing has been solved, or it has ended in a fault.
    #[must_use]
    pub fn warm_start(&self) -> Option<WarmStart> {
        let core = self.method.core();
        let by_scale = 1.0 / core.now.scale;
        let node = |k: usize| {
            let times = |x: &[f64]| x.iter().map(|x| by_scale * x).collect();
            let costate = times(core.costates[k].as_slice());
            let equalities = times(core.multipliers[k].eq.as_slice());
            let mut node = WarmNode { costate, equalities, ..WarmNode::default() };
            self.method.warm_rows(k, by_scale, &mut node);
            node
        };
        core.warm.then(|| WarmStart {
            trajectory: core.iterate.clone(),
            mu: self.method.mu(),
            scale: core.now.scale,
            nodes: (0..core.costates.len()).map(node).collect(),
        })
    }
    /// Solves from where another solution has ended: its trajectory, multipliers and μ. Where that does not lead to an optimum,
    /// [`Newton`](super::Newton) goes on from its trajectory alone, as [`solve`](Self::solve). One that does not
    /// [fit](WarmStart::fits) the problem ends in a [fault](crate::Status::Fault).
    pub fn solve_warm(&mut self, problem: &Problem, from: &WarmStart) -> Report {
        self.solve_warm_with(problem, from, |_| Control::Continue)
    }
    /// [`solve_warm`](Self::solve_warm), which calls `watch` after each iteration.
    pub fn solve_warm_with(
        &mut self,
        problem: &Problem,
        from: &WarmStart,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        self.run(problem, Begin::Warm(from), watch)
    }

    /// Solves from the last solution: its trajectory, multipliers, slacks and μ. From `guess` with none of these where there is no
    /// last solution, or where five in a row have ended neither converged nor at a limit.
    pub fn resolve(&mut self, problem: &Problem, guess: &Trajectory) -> Report {
        self.resolve_with(problem, guess, |_| Control::Continue)
    }
    /// [`resolve`](Self::resolve), which calls `watch` after each iteration.
    pub fn resolve_with(
        &mut self,
        problem: &Problem,
        guess: &Trajectory,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Core { warm, failures, .. } = self.method.core();
        let cold = !warm || *failures >= FAILURES;
        let report = self.run(problem, if cold { Begin::Guess(guess) } else { Begin::Last }, watch);
        let fine = matches!(
            report.status,
            Status::Converged | Status::Acceptable | Status::IterationLimit | Status::TimeLimit | Status::Stopped
        );
        let failures = &mut self.method.parts().0.failures;
        *failures = match (fine, cold) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => *failures + 1,
        };
        report
    }

    /// From a guess, or from a solution.
    fn run(
        &mut self,
        problem: &Problem,
        begin: Begin<'_>,
        mut watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Self { crew, method } = self;
        let (scale, mu) = (method.core().now.scale, method.mu());
        let core = method.parts().0;
        core.history.clear();
        core.now = Now::BEGIN;
        method.begin();
        let status = if let Some(why) = method.wrong() {
            Status::Fault(of_dynamics(problem, 0, Reason::Other(why)))
        } else if begin.fits(problem) && method.core().iterate.fits(problem) {
            match begin {
                Begin::Guess(guess) => {
                    method.parts().0.iterate.copy_from(guess);
                    method.reset(problem);
                }
                Begin::Warm(from) => method.take_over(problem, from),
                Begin::Last => {
                    method.parts().0.now.scale = scale;
                    method.go_on(problem, mu);
                }
            }
            crew.serve(problem, &|_, _, _| {}, || method.run(crew, problem, begin, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        let [mu, penalty] = method.shown();
        let core = method.parts().0;
        core.warm = !matches!(status, Status::Fault(_));
        core.unscale(core.now.scale);
        // Of a guess that cannot be evaluated nothing is known.
        if core.history.is_empty() {
            return Report::new(status, &[]);
        }
        let Now { cost, gap, error, optimality, .. } = core.now;
        let (violation, kkt_error) = (optimality.primal, Some(error));
        Report { cost, gap, violation, kkt_error, mu, penalty, ..Report::new(status, &core.history) }
    }

    /// Moves the solution on by so many nodes: node k takes what node k + n has, and the last ones keep theirs. Where nodes are of other
    /// sizes, they keep theirs too.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes.
    pub fn shift(&mut self, problem: &Problem, nodes: usize) -> Result<(), Fault> {
        cycle::fits(&self.method.core().iterate, problem)?;
        let (core, rows) = self.method.parts();
        core.plan().shift(nodes, |k, from| take_from::<M>(rows, k, from));
        Ok(())
    }

    /// Moves the solution on by so many seconds, a fraction of a step or more: states along `x_k ⊕ s (x_{k+1} ⊖ x_k)`, controls along
    /// straight lines, multipliers from the nearer node.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes, or the time is negative or not finite.
    pub fn shift_by(&mut self, problem: &Problem, seconds: f64) -> Result<(), Fault> {
        cycle::fits(&self.method.core().iterate, problem)?;
        let (core, rows) = self.method.parts();
        core.plan().shift_by(problem, seconds, |k, from| take_from::<M>(rows, k, from))
    }

    /// Linearizes and sweeps at the solution there is, so that [`feedback`](Self::feedback) has its answer ready.
    ///
    /// # Errors
    /// [`Fault`] if a node cannot be evaluated, or the sweep fails.
    pub fn prepare(&mut self, problem: &Problem) -> Result<(), Fault> {
        let Self { crew, method } = self;
        cycle::fits(&method.core().iterate, problem)?;
        if let Some(why) = method.wrong() {
            return Err(of_dynamics(problem, 0, Reason::Other(why)));
        }
        let first = !method.core().warm;
        if first {
            method.parts().0.now = Now::BEGIN;
            method.begin();
            method.reset(problem);
        } else {
            method.refresh(problem);
        }
        crew.serve(problem, &|_, _, _| {}, || {
            method.linearize(crew, problem, first)?;
            method.judge(crew, problem);
            method
                .direction(crew, problem)
                .map_err(|failure| of_dynamics(problem, failure.node(), Reason::Other(failure.to_string())))
        })?;
        method.parts().0.warm = true;
        Ok(())
    }

    /// Controls of the first node at a measured state, between their bounds: `u₀ − k₀ − K₀ (x ⊖ x₀)`, of what was prepared. Into `u`, nu.
    ///
    /// # Errors
    /// [`Fault`] if nothing was prepared, or a length is wrong.
    pub fn feedback(&mut self, problem: &Problem, x: &[f64], u: &mut [f64]) -> Result<(), Fault> {
        let Core { riccati, iterate, scaled, warm, .. } = self.method.parts().0;
        cycle::feedback(problem, *warm, (iterate, &riccati.nodes[0]), x, u, scaled)
    }
}

/// What a node keeps of its rows, from a later node.
fn take_from<M: Method>(rows: &mut [M::Rows], k: usize, from: usize) {
    let (before, after) = rows.split_at_mut(from);
    M::take_from(&mut before[k], &after[0]);
}
