//! Model-predictive control: the last solution, moved in time, is where the next one begins.
//!
//! A cycle is [`shift`](Newton::shift) or [`shift_by`](Newton::shift_by), [`Problem::set_start`], [`resolve`](Newton::resolve) with few iterations. Between cycles, [`prepare`](Newton::prepare)
//! does all the work that does not depend on the state, and [`feedback`](Newton::feedback) answers to a measured state with one product: M. Diehl, H. G.
//! Bock and J. P. Schlöder, *A real-time iteration scheme for nonlinear optimization in optimal feedback control*, SIAM J. Control
//! Optim. 43(5), 2005. After the first cycle nothing is allocated.

use super::rows::Rows;
use super::{Control, Iteration, Newton, Report, Run, Status};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::solver::support::{misfit, of_dynamics};

/// After so many cycles in a row that have failed, a warm start has become worthless.
const FAILURES: usize = 5;

impl Newton {
    /// Solves from the last solution: its trajectory, multipliers, slacks and barrier. From `guess` with none of these where there is no
    /// last solution, or where five in a row have ended neither converged nor at a limit.
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
        let report = self.run(problem, cold.then_some(guess), watch);
        let fine = matches!(
            report.status,
            Status::Converged | Status::Acceptable | Status::IterationLimit | Status::TimeLimit | Status::Stopped
        );
        self.solver.failures = if fine {
            0
        } else if cold {
            1
        } else {
            self.solver.failures + 1
        };
        report
    }

    /// Moves the solution on by so many nodes: node k takes what node k + n has, and the last ones keep theirs. Where nodes are of other
    /// sizes, they keep theirs too.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes.
    pub fn shift(&mut self, problem: &Problem, nodes: usize) -> Result<(), Fault> {
        self.fits(problem)?;
        let last = problem.steps();
        for k in 0..=last {
            let from = (k + nodes).min(last);
            self.solver.take_from(k, from);
        }
        Ok(())
    }

    /// Moves the solution on by so many seconds, a fraction of a step or more: states along `x_k ⊕ s (x_{k+1} ⊖ x_k)`, controls and
    /// multipliers along straight lines.
    ///
    /// # Errors
    /// [`Fault`] if the problem has other sizes, or the time is negative or not finite.
    pub fn shift_by(&mut self, problem: &Problem, seconds: f64) -> Result<(), Fault> {
        self.fits(problem)?;
        if !(seconds.is_finite() && seconds >= 0.0) {
            let reason =
                Reason::Other(format!("the time to shift by is {seconds}: it must be finite and not negative"));
            return Err(of_dynamics(problem, 0, reason));
        }
        let (last, space) = (problem.steps(), problem.space());
        let mut at = 0;
        for k in 0..=last {
            let time = problem.time(k) + seconds;
            while at + 1 < last && problem.time(at + 1) <= time {
                at += 1;
            }
            let length = problem.time(at + 1) - problem.time(at);
            let share = if length > 0.0 { ((time - problem.time(at)) / length).clamp(0.0, 1.0) } else { 1.0 };
            // Node `at` is at or after k, so what it has has not been moved yet.
            let solver = &mut self.solver;
            let off = &mut solver.scaled[..space.ndx()];
            let moved = space.difference(solver.kept.x(at), solver.kept.x(at + 1), off).and_then(|()| {
                off.iter_mut().for_each(|x| *x *= share);
                space.integrate(solver.kept.x(at), off, solver.tried.x_mut(k))
            });
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            solver.mix(k, at, share);
        }
        self.solver.take_tried_states();
        Ok(())
    }

    /// Linearizes and sweeps at the solution there is, so that [`feedback`](Self::feedback) has its answer ready.
    ///
    /// # Errors
    /// [`Fault`] if a node cannot be evaluated, or the sweep fails.
    pub fn prepare(&mut self, problem: &Problem) -> Result<(), Fault> {
        self.fits(problem)?;
        let Self { crew, solver } = self;
        let first = !solver.warm;
        if first {
            solver.run = Run::new(&solver.options);
            solver.reset(problem);
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
        let (space, solver) = (problem.space(), &mut self.solver);
        let node = &solver.riccati.nodes[0];
        if !solver.warm || x.len() != space.nx() || u.len() != node.k.len() {
            let expected = (space.nx(), node.k.len());
            let found = format!("a state of {} and controls of {} numbers, expected {expected:?}", x.len(), u.len());
            let why = if solver.warm { found } else { "nothing has been prepared".into() };
            return Err(of_dynamics(problem, 0, Reason::Other(why)));
        }
        let off = &mut solver.scaled[..space.ndx()];
        space.difference(solver.kept.x(0), x, off).map_err(|reason| of_dynamics(problem, 0, reason))?;
        for (i, to) in u.iter_mut().enumerate() {
            *to = solver.kept.u(0)[i] - node.k[i];
        }
        for (column, x) in node.gain.column_iter().zip(off.iter()) {
            u.iter_mut().zip(column.iter()).for_each(|(u, gain)| *u -= gain * x);
        }
        solver.rows[0].clamp_controls(u);
        Ok(())
    }

    fn fits(&self, problem: &Problem) -> Result<(), Fault> {
        if problem.choice().is_some() {
            let why = "durations and parameters are chosen once: a trajectory with such is not moved in time".into();
            return Err(of_dynamics(problem, 0, Reason::Other(why)));
        }
        if self.solver.kept.fits(problem) { Ok(()) } else { Err(misfit(problem)) }
    }
}

impl super::Inner {
    /// A node takes what another one, which comes later, has.
    fn take_from(&mut self, k: usize, from: usize) {
        if k == from {
            return;
        }
        self.tried.x_mut(0).copy_from_slice(self.kept.x(from));
        self.kept.x_mut(k).copy_from_slice(self.tried.x(0));
        if self.kept.u(k).len() == self.kept.u(from).len() {
            let n = self.kept.u(k).len();
            for i in 0..n {
                let u = self.kept.u(from)[i];
                self.kept.u_mut(k)[i] = u;
            }
        }
        let (before, after) = self.costates.split_at_mut(from);
        before[k].copy_from(&after[0]);
        let (before, after) = self.multipliers.split_at_mut(from);
        for (to, from) in [
            (&mut before[k].next, &after[0].next),
            (&mut before[k].eq, &after[0].eq),
            (&mut before[k].ineq, &after[0].ineq),
        ] {
            if to.len() == from.len() {
                to.copy_from(from);
            }
        }
        let (before, after) = self.rows.split_at_mut(from);
        before[k].take_from(&after[0]);
    }

    /// Controls and multipliers of a node along a straight line between two later ones; its state has been tried.
    fn mix(&mut self, k: usize, at: usize, share: f64) {
        let next = at + 1;
        if self.kept.u(k).len() == self.kept.u(at).len() {
            for i in 0..self.kept.u(k).len() {
                let from = self.kept.u(at)[i];
                let to = self.kept.u(next).get(i).copied().unwrap_or(from);
                self.kept.u_mut(k)[i] = from + share * (to - from);
            }
        }
        let near = if share < 0.5 { at } else { next };
        if k != near {
            let (before, after) = self.costates.split_at_mut(near);
            before[k].copy_from(&after[0]);
            let (before, after) = self.multipliers.split_at_mut(near);
            let parts = [
                (&mut before[k].next, &after[0].next),
                (&mut before[k].eq, &after[0].eq),
                (&mut before[k].ineq, &after[0].ineq),
            ];
            parts.into_iter().filter(|(to, from)| to.len() == from.len()).for_each(|(to, from)| to.copy_from(from));
            let (before, after) = self.rows.split_at_mut(near);
            before[k].take_from(&after[0]);
        }
    }

    fn take_tried_states(&mut self) {
        for k in 0..=self.kept.steps() {
            self.kept.x_mut(k).copy_from_slice(self.tried.x(k));
        }
    }
}

impl Rows {
    /// Controls between their bounds.
    fn clamp_controls(&self, u: &mut [f64]) {
        for (row, i) in self.controls.iter().enumerate() {
            u[*i] = u[*i].max(self.lower[row]).min(self.upper[row]);
        }
    }
    /// Slacks and multipliers of another node, if that has the same rows.
    fn take_from(&mut self, other: &Self) {
        let cones = self.cones.iter().map(|cone| &cone.rows).eq(other.cones.iter().map(|cone| &cone.rows));
        if self.s.len() == other.s.len() && self.controls == other.controls && cones {
            self.s.copy_from_slice(&other.s);
            for (to, from) in self.z.iter_mut().zip(&other.z) {
                to.copy_from_slice(from);
            }
        }
    }
}
