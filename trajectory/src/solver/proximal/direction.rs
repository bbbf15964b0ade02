//! The direction: one sweep over all nodes with the cost of violations, regularized until it is a descent direction.

use super::{AugmentedLagrangian, Hessian};
use crate::riccati::Failure;
use crate::solver::algorithm::Context;
use crate::solver::inertia;
use crate::solver::state::State;

/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
const CLOSE: f64 = 1e-2;
/// A direction makes durations at most so many times as long, or as short: steps are linear in them only nearby.
const STRETCH: f64 = 1.5;
/// At most so many sets of rows that count are tried for one direction.
const SETS: usize = 8;

impl AugmentedLagrangian {
    /// The direction, with multipliers: the least value of the augmented Lagrangian with all but the rows' bounds
    /// linearized. Each sweep takes rows that count at the direction found so far, and a [search](super::sets) along
    /// its difference finds out which ones count next.
    pub(super) fn compute_direction(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| at.evaluator.knows_curvature(k));
        let wanted = self.options.hessian;
        at.state.now.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        at.state.now.regularization = self.run.least;
        for rows in &mut self.rows {
            rows.begin_direction();
            rows.weigh(self.run.mu);
        }
        self.sweep(at)?;
        self.roll_out(at)?;
        std::mem::swap(&mut at.state.lq, &mut self.next);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.move_to(&at.evaluator.node(at.problem, k), &at.state.lq.dx[k], &at.state.lq.du[k]);
        }
        for _ in 0..SETS {
            if self.rows.iter_mut().fold(0, |count, rows| count + rows.weigh(self.run.mu)) == 0 {
                break;
            }
            self.sweep(at)?;
            self.roll_out(at)?;
            self.move_on(at);
        }
        if at.state.now.regularization > self.run.least {
            at.state.now.last_regularization = at.state.now.regularization;
        }
        self.run.slope = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.finish_direction(self.run.mu, &at.evaluator.node(at.problem, k), at.state.lq.costates.get(k + 1));
            self.run.slope += at.state.now.scale * at.state.costs[k].slope(&at.state.lq.dx[k], &at.state.lq.du[k])
                + rows.slope(self.run.mu, &at.state.lq.multipliers[k]);
        }
        Ok(())
    }

    /// A sweep, with as much of the identity as it takes.
    fn sweep(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        at.state.riccati.soften(self.run.mu);
        loop {
            self.assemble(at);
            match self.sweep_all(at, at.state.now.regularization) {
                Ok(()) => return Ok(()),
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = at.state.now.optimality.error(0.0) > CLOSE;
                    if at.state.now.exact && self.options.hessian == Hessian::Automatic && far {
                        at.state.now.exact = false;
                    } else if !self.raise(at.state) {
                        return Err(failure);
                    }
                }
            }
        }
    }

    /// From the end to the start. What the first node chooses stays between its bounds, and durations in proportion to
    /// what they are.
    pub(super) fn sweep_all(&mut self, at: &mut Context<'_>, delta: f64) -> Result<(), Failure> {
        let State { riccati, gaps, iterate, .. } = &mut *at.state;
        let [least, most] = &mut self.chosen;
        let choice = at.problem.choice().zip(at.problem.node(0).control_bounds());
        let first = usize::from(choice.is_some());
        let mut node = |k: usize| riccati.sweep_node(k, &at.evaluator.node(at.problem, k), gaps.get(k), delta);
        (first..gaps.len()).rev().try_for_each(&mut node)?;
        let Some((choice, (lower, upper))) = choice else { return Ok(()) };
        for (i, u) in iterate.u(0).iter().enumerate() {
            let [shortest, longest] =
                if choice.is_duration(i) { [u / STRETCH, u * STRETCH] } else { [f64::NEG_INFINITY, f64::INFINITY] };
            (least[i], most[i]) = (lower[i].max(shortest) - u, upper[i].min(longest) - u);
        }
        riccati.sweep_node_in_box(0, &at.evaluator.node(at.problem, 0), gaps.first(), delta, (least, most))
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&self, state: &mut State) -> bool {
        let now = &mut state.now;
        now.regularization = inertia::raise(now.regularization, now.last_regularization, self.options.regularization);
        now.regularization <= self.options.regularization_max
    }

    /// Costs with rows that count; equalities as `c + C δ + μ ν̄ = μ ν`.
    fn assemble(&mut self, at: &mut Context<'_>) {
        for k in 0..self.rows.len() {
            let node = &mut *at.evaluator.node(at.problem, k);
            at.state.costs[k].restore(at.state.now.scale, at.state.now.exact, node);
            node.eq.axpy(self.run.mu, &self.rows[k].estimates_eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    /// From the start to the end.
    fn roll_out(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        let State { riccati, gaps, .. } = &mut *at.state;
        let next = &mut self.next;
        riccati.begin_roll_out(gaps.first(), next)?;
        for k in 0..gaps.len() {
            riccati.roll_out_node(k, &at.evaluator.node(at.problem, k), gaps.get(k), next);
        }
        Ok(())
    }
}
