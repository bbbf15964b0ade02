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
use super::method::Method;
use super::report::{Control, Iteration, Report, Status};
use super::support::{misfit, of_dynamics};
use super::warm::{Begin, WarmNode, WarmStart};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::Riccati;
use crate::trajectory::Trajectory;

/// A solver with its memory: created once for a problem, used for any number of solutions. See
/// [`Newton`](super::Newton) and [`Proximal`](super::Proximal).
#[expect(private_bounds, reason = "methods are those of this crate")]
pub struct Solver<M: Method> {
    crew: Crew,
    method: M,
}

impl<M: Method> std::fmt::Debug for Solver<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(M::NAME).field("options", self.method.options()).finish_non_exhaustive()
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
        self.method.options_mut()
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
