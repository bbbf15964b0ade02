//! Model-predictive control: the last solution, moved in time, is where the next one begins.
//!
//! As of [`Newton`](crate::Newton): [`shift`](Proximal::shift) or [`shift_by`](Proximal::shift_by), [`Problem::set_start`],
//! [`resolve`](Proximal::resolve); between cycles [`prepare`](Proximal::prepare) and [`feedback`](Proximal::feedback). There are no barriers
//! that a warm start would have to be moved away from: multipliers are all that tells which bounds are active.

use super::rows::Rows;
use super::{Control, Iteration, Proximal, Report, Run, Status};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::solver::cycle::{self, FAILURES, Plan};
use crate::solver::support::of_dynamics;
use crate::solver::warm::Begin;

impl Proximal {
    /// Solves from the last solution: its trajectory, multipliers and μ. From `guess` with none of these where there is no last
    /// solution, or where five in a row have ended neither converged nor at a limit.
    pub fn resolve(&mut self, problem: &Problem, guess: &crate::Trajectory) -> Report {
        self.resolve_with(problem, guess, |_| Control::Continue)
    }

    /// [`resolve`](Self::resolve), which calls `watch` after each iteration.
    pub fn resolve_with(
        &mut self,
        problem: &Problem,
        guess: &crate::Trajectory,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let cold = !self.solver.warm || self.solver.failures >= FAILURES;
        let report = self.run(problem, if cold { Begin::Guess(guess) } else { Begin::Last }, watch);
        let fine = matches!(
            report.status,
            Status::Converged | Status::Acceptable | Status::IterationLimit | Status::TimeLimit | Status::Stopped
        );
        self.solver.failures = match (fine, cold) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => self.solver.failures + 1,
        };
        report
    }

    /// Moves the solution on by so many nodes: node k takes what node k + n has, and the last ones keep theirs. Where nodes are of other
    /// sizes, they keep theirs too.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes.
    pub fn shift(&mut self, problem: &Problem, nodes: usize) -> Result<(), Fault> {
        cycle::fits(&self.solver.kept, problem)?;
        let (mut plan, rows) = self.solver.plan();
        plan.shift(nodes, |k, from| take_from(rows, k, from));
        Ok(())
    }

    /// Moves the solution on by so many seconds, a fraction of a step or more: states along `x_k ⊕ s (x_{k+1} ⊖ x_k)`, controls along
    /// straight lines, multipliers from the nearer node.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes, or the time is negative or not finite.
    pub fn shift_by(&mut self, problem: &Problem, seconds: f64) -> Result<(), Fault> {
        cycle::fits(&self.solver.kept, problem)?;
        let (mut plan, rows) = self.solver.plan();
        plan.shift_by(problem, seconds, |k, from| take_from(rows, k, from))
    }

    /// Linearizes and sweeps at the solution there is, so that [`feedback`](Self::feedback) has its answer ready.
    ///
    /// # Errors
    /// [`Fault`] if a node cannot be evaluated, or the sweep fails.
    pub fn prepare(&mut self, problem: &Problem) -> Result<(), Fault> {
        cycle::fits(&self.solver.kept, problem)?;
        if let Some(why) = self.solver.options.wrong() {
            return Err(of_dynamics(problem, 0, Reason::Other(why)));
        }
        let Self { crew, solver } = self;
        let first = !solver.warm;
        if first {
            solver.run = Run::new(&solver.options);
            solver.reset(problem);
        } else {
            solver.go_on(problem);
        }
        crew.serve(problem, &|_, _, _| {}, || {
            solver.linearize(crew, problem, first)?;
            solver.judge(crew, problem);
            solver
                .direction(crew, problem)
                .map_err(|failure| of_dynamics(problem, failure.node(), Reason::Other(failure.to_string())))
        })?;
        self.solver.warm = true;
        Ok(())
    }

    /// Controls of the first node at a measured state, between their bounds: `u₀ − k₀ − K₀ (x ⊖ x₀)`, of what was prepared. Into `u`, nu.
    ///
    /// # Errors
    /// [`Fault`] if nothing was prepared, or a length is wrong.
    pub fn feedback(&mut self, problem: &Problem, x: &[f64], u: &mut [f64]) -> Result<(), Fault> {
        let super::Inner { riccati, kept, scaled, warm, .. } = &mut self.solver;
        cycle::feedback(problem, *warm, (kept, &riccati.nodes[0]), x, u, scaled)
    }
}

impl super::Inner {
    /// What of the solution moves in time, and the rows of its nodes.
    fn plan(&mut self) -> (Plan<'_>, &mut [Rows]) {
        let Self { kept, tried, costates, multipliers, scaled, rows, .. } = self;
        (Plan { kept, tried, costates, multipliers, scaled }, rows)
    }
}

/// Multipliers of a node's rows from those of a later one.
fn take_from(rows: &mut [Rows], k: usize, from: usize) {
    let (before, after) = rows.split_at_mut(from);
    before[k].take_from(&after[0]);
}
