//! The line search: the augmented Lagrangian, with a penalty on gaps, must decrease.
//!
//! ```text
//! Φ = L_μ(x, u) + Σ_k ρ_k |d_k|₁ ,    ρ_k > |λ_k|∞        Φ' = −δᵀ H δ + Σ (λ_kᵀ d_k − ρ_k |d_k|₁)
//! ```
//!
//! Without a gap this is the augmented Lagrangian alone. A filter on both would let costs rise without limit for
//! slightly smaller gaps.

use super::{AugmentedLagrangian, RollOut};
use crate::fault::Fault;
use crate::solver::algorithm::{Context, Step};
use crate::solver::domain;
use crate::solver::state::State;
use crate::solver::trial::{self, is_tiny};

/// Least share of the slope by which Φ must become less.
const ARMIJO: f64 = 1e-4;
/// ρ, in multipliers of the direction, and at least.
const PENALTY: f64 = 2.0;
const LEAST: f64 = 1e-3;

/// Steps beyond the whole one: 2, 4, …, so many.
const DOUBLINGS: usize = 6;

/// The trials of a search: how often the step is halved, and which way.
fn ways(roll_out: RollOut, halvings: usize) -> impl Iterator<Item = (RollOut, usize)> {
    let both = [RollOut::Linear, RollOut::Nonlinear];
    let wanted = move |way: &RollOut| roll_out == RollOut::Automatic || roll_out == *way;
    (0..halvings).flat_map(move |k| both.into_iter().filter(wanted).map(move |way| (way, k)))
}

impl AugmentedLagrangian {
    /// Forgets penalties on gaps: another augmented Lagrangian begins.
    pub(super) fn forget_penalties(&mut self) {
        self.gap_penalties.fill(LEAST);
    }

    /// Φ of the iterate, whose nodes have been linearized, and its slope along the direction.
    fn merit(&mut self, state: &State) -> [f64; 2] {
        let (mut merit, mut slope) = (state.now.scale * state.now.cost, self.run.slope);
        for (k, rows) in self.rows.iter().enumerate() {
            let penalty = &mut self.gap_penalties[k];
            *penalty = penalty.max(PENALTY * state.lq.costates[k].amax());
            let off = *penalty * state.gaps[k].lp_norm(1);
            merit += rows.penalty_here(self.run.mu) + off;
            slope -= off;
        }
        [merit, slope]
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, and whether it was taken.
    pub(super) fn line_search(&mut self, at: &mut Context<'_>) -> Step {
        let [from, slope] = self.merit(at.state);
        // What rounding leaves of sums over some hundred nodes counts as nothing.
        let rounding = 100.0 * f64::EPSILON * from.abs();
        at.state.fault = None;
        // Where the sweep keeps bounds, nothing goes beyond its step.
        let most = if at.problem.choice().is_some() { 1.0 } else { 2_f64.powi(DOUBLINGS as i32) };
        let reach = domain::longest(at.problem, &at.state.iterate, [&at.state.lq.dx, &at.state.lq.du], most);
        let longest = reach.min(1.0);
        if is_tiny(&at.state.iterate, &at.state.lq) {
            let taken = self.go(at, RollOut::Linear, longest).is_ok();
            if taken {
                self.take(at.state, longest);
            }
            return Step::new(longest, taken);
        }
        let (mut step, mut evaluated) = (longest, false);
        for (way, halving) in ways(self.options.roll_out, self.options.halvings) {
            step = longest * 0.5_f64.powi(halving as i32);
            match self.go(at, way, step).map(|()| self.trial_merit(at.state)) {
                // A step to where nothing can be evaluated is too long.
                Err(fault) => at.state.fault = at.state.fault.take().or(Some(fault)),
                Ok(trial) => {
                    evaluated = true;
                    if trial <= from + ARMIJO * step * slope.min(0.0) + rounding {
                        at.state.fault = None;
                        if step >= 1.0 && at.state.now.regularization > 0.0 {
                            step = self.longer(at, way, trial, reach);
                        }
                        self.take(at.state, step);
                        return Step::new(step, true);
                    }
                }
            }
        }
        if evaluated {
            at.state.fault = None;
        }
        Step::new(step, false)
    }

    /// Tries steps of 2, 4, … while Φ becomes less, after a whole one: where a multiple of the identity was added,
    /// directions are too short. None goes beyond `reach`. The longest of them, which is the one that is tried last.
    fn longer(&mut self, at: &mut Context<'_>, way: RollOut, mut best: f64, reach: f64) -> f64 {
        let mut step = 1.0;
        while 2.0 * step <= reach {
            match self.go(at, way, 2.0 * step).map(|()| self.trial_merit(at.state)) {
                Ok(trial) if trial < best => (best, step) = (trial, 2.0 * step),
                _ => {
                    // It has been evaluated before.
                    let again = self.go(at, way, step);
                    debug_assert!(again.is_ok());
                    break;
                }
            }
        }
        step
    }

    /// A step along the direction, into the trial, with its values.
    fn go(&mut self, at: &mut Context<'_>, way: RollOut, step: f64) -> Result<(), Fault> {
        match way {
            RollOut::Nonlinear => trial::by_dynamics(at, None, step, &mut self.values, |_, _| {}),
            _ => trial::straight(at, None, step, &mut self.values),
        }
    }

    /// Φ of the trial.
    fn trial_merit(&self, state: &State) -> f64 {
        let mut merit = 0.0;
        for (k, (value, rows)) in self.values.iter().zip(&self.rows).enumerate() {
            let (eq, g) = value.rows.split_at(rows.c.len());
            merit += state.now.scale * value.cost + rows.penalty(state.trial.u(k), eq, g, self.run.mu);
            merit += self.gap_penalties[k] * value.gap.iter().map(|x| x.abs()).sum::<f64>();
        }
        merit
    }

    /// Takes the trial, with a step of the multipliers.
    fn take(&mut self, state: &mut State, step: f64) {
        std::mem::swap(&mut state.iterate, &mut state.trial);
        // Beyond the whole step they are not known.
        let step = step.min(1.0);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.advance(step);
            let multipliers = &mut state.multipliers[k];
            let n = rows.controls.len();
            multipliers.ineq.as_mut_slice().copy_from_slice(&rows.y[n..]);
            multipliers.eq.axpy(step, &state.lq.multipliers[k], 1.0 - step);
            state.costates[k].axpy(step, &state.lq.costates[k], 1.0 - step);
        }
        state.pass_costates();
    }
}
