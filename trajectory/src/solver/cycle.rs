//! Model-predictive control, the part common to all solvers: a solution shifted in time, and the feedback for a
//! measured state.

use super::support::{of_dynamics, size_mismatch};
use crate::fault::{Fault, Reason};
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::Stagewise;
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// After so many cycles in a row that have failed, a warm start has become worthless.
pub(super) const FAILURES: usize = 5;

/// What of a solution moves in time, and memory.
pub(super) struct Plan<'a> {
    pub(super) iterate: &'a mut Trajectory,
    pub(super) trial: &'a mut Trajectory,
    pub(super) costates: &'a mut [DVector<f64>],
    pub(super) multipliers: &'a mut [Multipliers],
    pub(super) scaled: &'a mut [f64],
}

/// Checks that the solver has memory for a problem of these sizes, which can be shifted in time.
pub(super) fn fits(iterate: &Trajectory, problem: &Problem) -> Result<(), Fault> {
    if problem.choice().is_some() {
        return Err(of_dynamics(problem, 0, Reason::ChosenOnce));
    }
    if iterate.fits(problem) { Ok(()) } else { Err(size_mismatch(problem)) }
}

impl Plan<'_> {
    /// Moves it on by so many nodes: node k takes what node k + n has. `rows`: what a node has beside, taken from a
    /// later one.
    pub(super) fn shift(&mut self, nodes: usize, mut rows: impl FnMut(usize, usize)) {
        let last = self.iterate.steps();
        for k in 0..=last {
            let from = k.saturating_add(nodes).min(last);
            if k < from {
                self.take_from(k, from);
                rows(k, from);
            }
        }
    }

    /// Moves it on by so many seconds: states along `x_k ⊕ s (x_{k+1} ⊖ x_k)`, controls along straight lines, the rest
    /// from the nearer node.
    pub(super) fn shift_by(
        &mut self,
        problem: &Problem,
        seconds: f64,
        mut rows: impl FnMut(usize, usize),
    ) -> Result<(), Fault> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(of_dynamics(problem, 0, Reason::InvalidShift { seconds }));
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
            let off = &mut self.scaled[..space.ndx()];
            let moved = space.difference(self.iterate.x(at), self.iterate.x(at + 1), off).and_then(|()| {
                off.iter_mut().for_each(|x| *x *= share);
                space.integrate(self.iterate.x(at), off, self.trial.x_mut(k))
            });
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            self.mix_controls(k, at, share);
            let near = if share < 0.5 { at } else { at + 1 };
            if k != near {
                self.take_multipliers(k, near);
                rows(k, near);
            }
        }
        for k in 0..=last {
            self.iterate.x_mut(k).copy_from_slice(self.trial.x(k));
        }
        Ok(())
    }

    /// A node takes what a later one has.
    fn take_from(&mut self, k: usize, from: usize) {
        self.trial.x_mut(0).copy_from_slice(self.iterate.x(from));
        self.iterate.x_mut(k).copy_from_slice(self.trial.x(0));
        if self.iterate.u(k).len() == self.iterate.u(from).len() {
            for i in 0..self.iterate.u(k).len() {
                let u = self.iterate.u(from)[i];
                self.iterate.u_mut(k)[i] = u;
            }
        }
        self.take_multipliers(k, from);
    }

    fn take_multipliers(&mut self, k: usize, from: usize) {
        let (before, after) = self.costates.split_at_mut(from);
        before[k].copy_from(&after[0]);
        let (before, after) = self.multipliers.split_at_mut(from);
        take(&mut before[k], &after[0]);
    }

    fn mix_controls(&mut self, k: usize, at: usize, share: f64) {
        if self.iterate.u(k).len() == self.iterate.u(at).len() {
            for i in 0..self.iterate.u(k).len() {
                let from = self.iterate.u(at)[i];
                let to = self.iterate.u(at + 1).get(i).copied().unwrap_or(from);
                self.iterate.u_mut(k)[i] = from + share * (to - from);
            }
        }
    }
}

/// Multipliers of another node, those of the same sizes.
pub(super) fn take(to: &mut Multipliers, from: &Multipliers) {
    let parts = [(&mut to.next, &from.next), (&mut to.eq, &from.eq), (&mut to.ineq, &from.ineq)];
    parts.into_iter().filter(|(to, from)| to.len() == from.len()).for_each(|(to, from)| to.copy_from(from));
}

/// `u₀ − k₀ − K₀ (x ⊖ x₀)` at a measured state, between the bounds of controls, into `u`. `prepared`: whether there is
/// a sweep.
pub(super) fn feedback(
    problem: &Problem,
    prepared: bool,
    (iterate, node): (&Trajectory, &Stagewise),
    x: &[f64],
    u: &mut [f64],
    scaled: &mut [f64],
) -> Result<(), Fault> {
    let space = problem.space();
    if !prepared || x.len() != space.nx() || u.len() != node.k.len() {
        let (found, expected) = ((x.len(), u.len()), (space.nx(), node.k.len()));
        let reason = if prepared { Reason::FeedbackSizes { found, expected } } else { Reason::NotPrepared };
        return Err(of_dynamics(problem, 0, reason));
    }
    let off = &mut scaled[..space.ndx()];
    space.difference(iterate.x(0), x, off).map_err(|reason| of_dynamics(problem, 0, reason))?;
    for (i, to) in u.iter_mut().enumerate() {
        *to = iterate.u(0)[i] - node.k[i];
    }
    for (column, x) in node.gain.column_iter().zip(off.iter()) {
        u.iter_mut().zip(column.iter()).for_each(|(u, gain)| *u -= gain * x);
    }
    // Those of the problem: a solver's own may be a little wider.
    if let Some((lower, upper)) = problem.node(0).control_bounds() {
        u.iter_mut().zip(lower.iter().zip(upper)).for_each(|(u, (lower, upper))| *u = u.max(*lower).min(*upper));
    }
    Ok(())
}
