//! A solver: threads, memory, and a method. What is the same for all methods of second order stands here: guesses, warm
//! starts, model-predictive control, reports.
//!
//! A cycle of control is [`shift`](Solver::shift) or [`shift_by`](Solver::shift_by), [`Problem::set_start`],
//! [`resolve`](Solver::resolve) with few iterations. Between cycles, [`prepare`](Solver::prepare) does all the work
//! that does not depend on the state, and [`feedback`](Solver::feedback) answers to a measured state with one product:
//! M. Diehl, H. G. Bock and J. P. Schlöder, *A real-time iteration scheme for nonlinear optimization in optimal
//! feedback control*, SIAM J. Control Optim. 43(5), 2005. After the first cycle nothing is allocated.

use super::algorithm::{Algorithm, Context, NoDirection};
use super::cycle::{self, FAILURES};
use super::evaluator::Evaluator;
use super::report::{Control, Iteration, Report, Status};
use super::state::{Now, State};
use super::support::size_mismatch;
use super::warm::{Begin, Resume, WarmNode, WarmStart};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::Riccati;
use crate::trajectory::Trajectory;

/// A solver with its memory: created once for a problem, used for any number of solutions. See
/// [`Newton`](super::Newton), [`Proximal`](super::Proximal) and [`Fddp`](super::Fddp), or write an [`Algorithm`].
///
/// After the first iteration it allocates nothing.
pub struct Solver<A: Algorithm> {
    evaluator: Evaluator,
    state: State,
    algorithm: A,
    options: A::Options,
}

impl<A: Algorithm> std::fmt::Debug for Solver<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(A::NAME).field("options", &self.options).finish_non_exhaustive()
    }
}

impl<A: Algorithm> Solver<A> {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: A::Options) -> Self {
        let limits = A::limits(&options);
        let evaluator = Evaluator::new(problem, limits.threads, A::EXACT);
        let state = State::new(problem, evaluator.dims(), limits);
        let algorithm = A::new(problem, &options);
        Self { evaluator, state, algorithm, options }
    }
    /// The last trajectory that was accepted; where several strategies have failed, of the one that came nearest to an
    /// optimum.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.state.iterate
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.state.riccati
    }
    /// Multipliers of a node's step, equalities and rows between bounds.
    #[must_use]
    pub fn multipliers(&self, k: usize) -> &Multipliers {
        &self.state.unscaled[k]
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.state.history
    }
    /// The options, to be changed between solutions. Memory for the history and threads are those of the first ones.
    pub fn options_mut(&mut self) -> &mut A::Options {
        &mut self.options
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
        self.run(problem, Begin::Guess(guess), watch, |algorithm, at| {
            at.state.iterate.copy_from(guess);
            algorithm.start(at);
        })
    }

    /// Prepares the iterate by `begin`, and solves from there.
    fn run(
        &mut self,
        problem: &Problem,
        begin: Begin<'_>,
        mut watch: impl FnMut(&Iteration) -> Control + Send,
        prepare: impl FnOnce(&mut A, &mut Context<'_>),
    ) -> Report {
        let Self { evaluator, state, algorithm, options } = self;
        state.history.clear();
        state.now = Now::BEGIN;
        state.limits = A::limits(options);
        state.set_deadline();
        let at = &mut Context { problem, evaluator, state };
        let status = if let Err(what) = algorithm.configure(options) {
            Status::Fault(at.fault(0, Reason::InvalidOption { what }))
        } else if let Some(fault) = algorithm.unsupported(problem) {
            Status::Fault(fault)
        } else if begin.fits(problem) && at.state.iterate.fits(problem) {
            prepare(algorithm, at);
            let beside = algorithm.second_trial();
            evaluator.serve(problem, beside.as_deref(), || algorithm.run(at, begin, &mut watch))
        } else {
            Status::Fault(size_mismatch(problem))
        };
        state.warm = !matches!(status, Status::Fault(_));
        state.unscale(state.now.scale);
        // Nothing is known of a guess that cannot be evaluated.
        if state.history.is_empty() {
            return Report::new(status, &[]);
        }
        let mut end = state.line(state.now.gap, false);
        algorithm.report(&mut end);
        Report { iterations: state.history.len(), ..Report::new(status, &[end]) }
    }
}

/// Warm starts and model-predictive control.
#[expect(private_bounds, reason = "algorithms of this crate")]
impl<A: Resume> Solver<A> {
    /// Multipliers of the bounds of a node's controls: negative at a lower one, positive at an upper one. `None` if it
    /// has no bound.
    #[must_use]
    pub fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        Some(self.algorithm.control_multiplier(k, control)? / self.state.now.scale)
    }

    /// The end of the last solution; `None` if nothing has been solved, or it ended in a fault.
    #[must_use]
    pub fn warm_start(&self) -> Option<WarmStart> {
        let Self { state, algorithm, .. } = self;
        let by_scale = 1.0 / state.now.scale;
        let node = |k: usize| {
            let times = |x: &[f64]| x.iter().map(|x| by_scale * x).collect();
            let costate = times(state.costates[k].as_slice());
            let equalities = times(state.multipliers[k].eq.as_slice());
            let mut node = WarmNode { costate, equalities, ..WarmNode::default() };
            algorithm.warm_rows(k, by_scale, &mut node);
            node
        };
        state.warm.then(|| WarmStart {
            trajectory: state.iterate.clone(),
            mu: algorithm.mu(),
            scale: state.now.scale,
            nodes: (0..state.costates.len()).map(node).collect(),
        })
    }
    /// Solves from the end of another solution: its trajectory, multipliers and μ. If that does not lead to an optimum,
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
        self.run(problem, Begin::Warm(from), watch, |algorithm, at| algorithm.take_over(at, from))
    }

    /// Solves from the last solution: its trajectory, multipliers, slacks and μ. It solves from `guess` if there is no
    /// last solution, or if five in a row ended neither converged nor at a limit.
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
        let cold = !self.state.warm || self.state.failures >= FAILURES;
        let (scale, mu) = (self.state.now.scale, self.algorithm.mu());
        let report = if cold {
            self.solve_with(problem, guess, watch)
        } else {
            self.run(problem, Begin::Last, watch, |algorithm, at| {
                at.state.now.scale = scale;
                algorithm.go_on(at, mu);
            })
        };
        let fine = matches!(
            report.status,
            Status::Converged | Status::Acceptable | Status::IterationLimit | Status::TimeLimit | Status::Stopped
        );
        let failures = &mut self.state.failures;
        *failures = match (fine, cold) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => *failures + 1,
        };
        report
    }

    /// Moves the solution on by so many nodes: node k takes what node k + n has, and the last ones keep theirs. Nodes
    /// of different sizes keep theirs too.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes.
    pub fn shift(&mut self, problem: &Problem, nodes: usize) -> Result<(), Fault> {
        cycle::fits(&self.state.iterate, problem)?;
        let rows = self.algorithm.rows();
        self.state.plan().shift(nodes, |k, from| take_from::<A>(rows, k, from));
        Ok(())
    }

    /// Moves the solution on by so many seconds, a fraction of a step or more: states along `x_k ⊕ s (x_{k+1} ⊖ x_k)`,
    /// controls along straight lines, multipliers from the nearer node.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes, or the time is negative or not finite.
    pub fn shift_by(&mut self, problem: &Problem, seconds: f64) -> Result<(), Fault> {
        cycle::fits(&self.state.iterate, problem)?;
        let rows = self.algorithm.rows();
        self.state.plan().shift_by(problem, seconds, |k, from| take_from::<A>(rows, k, from))
    }

    /// Linearizes and sweeps at the last solution, so that [`feedback`](Self::feedback) has its answer ready.
    ///
    /// # Errors
    /// [`Fault`] if a node cannot be evaluated, or the sweep fails.
    pub fn prepare(&mut self, problem: &Problem) -> Result<(), Fault> {
        let Self { evaluator, state, algorithm, options } = self;
        cycle::fits(&state.iterate, problem)?;
        let first = !state.warm;
        let at = &mut Context { problem, evaluator, state };
        algorithm.configure(options).map_err(|what| at.fault(0, Reason::InvalidOption { what }))?;
        if first {
            at.state.now = Now::BEGIN;
            algorithm.start(at);
        } else {
            algorithm.refresh(at);
        }
        evaluator.serve(problem, None, || {
            algorithm.linearize(at, first)?;
            match algorithm.direction(at) {
                Ok(()) => Ok(()),
                Err(NoDirection::End(Status::Fault(fault))) => Err(fault),
                Err(NoDirection::End(status)) => Err(at.fault(0, Reason::SweepFailed { why: status.to_string() })),
                Err(NoDirection::At(failure)) => {
                    Err(at.fault(failure.node(), Reason::SweepFailed { why: failure.to_string() }))
                }
            }
        })?;
        state.warm = true;
        Ok(())
    }

    /// Controls of the first node at a measured state, between their bounds: `u₀ − k₀ − K₀ (x ⊖ x₀)`, of what was
    /// prepared. Into `u`, nu.
    ///
    /// # Errors
    /// [`Fault`] if nothing was prepared, or a length is wrong.
    pub fn feedback(&mut self, problem: &Problem, x: &[f64], u: &mut [f64]) -> Result<(), Fault> {
        let State { riccati, iterate, scaled, warm, .. } = &mut self.state;
        cycle::feedback(problem, *warm, (iterate, &riccati.nodes[0]), x, u, scaled)
    }
}

/// What a node stores of its rows, from a later node.
fn take_from<A: Resume>(rows: &mut [A::Rows], k: usize, from: usize) {
    let (before, after) = rows.split_at_mut(from);
    A::warm_start_from(&mut before[k], &after[0]);
}
