//! The direction: one sweep over all nodes with their barriers, regularized until it is a descent direction.

use super::{Hessian, InteriorPoint};
use crate::riccati::Failure;
use crate::solver::algorithm::Context;
use crate::solver::inertia;
use crate::solver::state::State;

/// δ_c of equalities that depend on others and do not agree (`δ_c bar`), times μ to this power (`κ_c`).
const SOFT: (f64, f64) = (1e-8, 0.25);
/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
pub(super) const CLOSE: f64 = 1e-2;
/// Further away they take turns, so many iterations of a barrier problem each: replaced first, then made positive.
/// Steps of Gauss and Newton can go to and fro for hundreds of iterations, those of the identity can stay short for as
/// many, on different problems (`acrobot_stops` and `pushing` of `benches/newton.rs`: of 40 each, turns of 10 to 40
/// iterations solve 33 to 37 and 34 to 36, none at all 28 and 36).
const TURN: usize = 20;

impl InteriorPoint {
    /// The direction, with multipliers, and those of slacks.
    pub(super) fn compute_direction(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| at.evaluator.knows_curvature(k));
        let wanted = self.options.hessian;
        at.state.now.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        let replaces = self.attempt.strategy.replaces && (self.run.directions / TURN).is_multiple_of(2);
        self.run.directions += 1;
        at.state.now.regularization = 0.0;
        for rows in &mut self.rows {
            rows.barrier_terms(self.run.mu, None);
        }
        loop {
            self.assemble(at);
            match self.sweep(at) {
                Ok(()) => break,
                Err(Failure::Infeasible { .. }) if self.run.constraint_regularization == 0.0 => {
                    let (soft, power) = SOFT;
                    self.run.constraint_regularization = soft * self.run.mu.max(1e-8).powf(power);
                }
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = at.state.now.optimality.error(0.0) > CLOSE;
                    if at.state.now.exact && wanted == Hessian::Automatic && replaces && far {
                        at.state.now.exact = false;
                    } else if !self.raise(at.state) {
                        return Err(failure);
                    }
                }
            }
        }
        if at.state.now.regularization > 0.0 {
            at.state.now.last_regularization = at.state.now.regularization;
        }
        self.roll_out(at, false)
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&self, state: &mut State) -> bool {
        let now = &mut state.now;
        now.regularization = inertia::raise(now.regularization, now.last_regularization, self.options.regularization);
        now.regularization <= self.options.regularization_max
    }

    /// Costs with barriers, and equalities as soft as they have to be: `c + Cδ = δ_c (ν⁺ − ν)`.
    fn assemble(&mut self, at: &mut Context<'_>) {
        for k in 0..self.rows.len() {
            let node = &mut *at.evaluator.node(at.problem, k);
            at.state.costs[k].restore(at.state.now.scale, at.state.now.exact, node);
            node.eq.axpy(self.run.constraint_regularization, &at.state.multipliers[k].eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    fn sweep(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        at.state.riccati.soften(self.run.constraint_regularization);
        let State { riccati, gaps, now, .. } = &mut *at.state;
        (0..gaps.len())
            .rev()
            .try_for_each(|k| riccati.sweep_node(k, &at.evaluator.node(at.problem, k), gaps.get(k), now.regularization))
    }

    /// From the start to the end; of a correction, `gaps` and rows are those of the correction.
    pub(super) fn roll_out(&mut self, at: &mut Context<'_>, corrected: bool) -> Result<(), Failure> {
        let Self { rows, run, corrected: second, corrections, .. } = self;
        let State { riccati, gaps, lq, .. } = &mut *at.state;
        let lq = if corrected { second } else { lq };
        let gaps = if corrected { &corrections.gaps } else { gaps };
        riccati.begin_roll_out(gaps.first(), lq)?;
        for (k, rows) in rows.iter_mut().enumerate() {
            let node = at.evaluator.node(at.problem, k);
            riccati.roll_out_node(k, &node, gaps.get(k), lq);
            let more = corrected.then(|| &corrections.rows[k][..]);
            rows.directions(&node, &lq.dx[k], &lq.du[k], run.mu, more);
        }
        Ok(())
    }

    /// The sweep and the roll-out once more, with gaps and rows of a correction of second order.
    pub(super) fn correct(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        for k in 0..self.rows.len() {
            let node = &mut *at.evaluator.node(at.problem, k);
            node.eq += &self.corrections.eq[k];
            self.rows[k].correct(node, &self.corrections.rows[k]);
        }
        let State { riccati, now, .. } = &mut *at.state;
        let corrections = &self.corrections;
        let gaps = &corrections.gaps;
        (0..gaps.len()).rev().try_for_each(|k| {
            riccati.sweep_node(k, &at.evaluator.node(at.problem, k), gaps.get(k), now.regularization)
        })?;
        self.roll_out(at, true)
    }
}
