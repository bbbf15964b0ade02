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
use crate::problem::Problem;
use crate::solver::core::Core;
use crate::solver::crew::Crew;
use crate::solver::domain;
use crate::solver::trial::{Tried, Way, is_tiny};

/// Least share of the slope by which Φ must become less.
const ARMIJO: f64 = 1e-4;
/// ρ, in multipliers of the direction, and at least.
const PRICE: f64 = 2.0;
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
    /// Forgets prices of gaps: another augmented Lagrangian begins.
    pub(super) fn begin_search(&mut self) {
        self.gap_prices.fill(LEAST);
    }

    /// Φ of the trajectory that is kept, whose nodes have been linearized, and its slope along the direction.
    fn merit(&mut self) -> [f64; 2] {
        let (mut merit, mut slope) = (self.core.now.scale * self.core.now.cost, self.run.slope);
        for (k, rows) in self.rows.iter().enumerate() {
            let price = &mut self.gap_prices[k];
            *price = price.max(PRICE * self.core.lq.costates[k].amax());
            let off = *price * self.core.gaps[k].lp_norm(1);
            merit += rows.penalty_here(self.run.mu) + off;
            slope -= off;
        }
        [merit, slope]
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, and whether it was taken.
    pub(super) fn line_search(&mut self, crew: &Crew, problem: &Problem) -> (f64, bool) {
        let [from, slope] = self.merit();
        // What rounding leaves of sums over some hundred nodes counts as nothing.
        let rounding = 100.0 * f64::EPSILON * from.abs();
        self.core.fault = None;
        // Where the sweep keeps bounds, nothing goes beyond its step.
        let most = if problem.choice().is_some() { 1.0 } else { 2_f64.powi(DOUBLINGS as i32) };
        let reach = domain::longest(problem, &self.core.iterate, [&self.core.lq.dx, &self.core.lq.du], most);
        let longest = reach.min(1.0);
        if is_tiny(&self.core.iterate, &self.core.lq) {
            let taken = self.go(crew, problem, RollOut::Linear, longest).is_ok();
            if taken {
                self.take(longest);
            }
            return (longest, taken);
        }
        let (mut step, mut evaluated) = (longest, false);
        for (way, halving) in ways(self.options.roll_out, self.options.halvings) {
            step = longest * 0.5_f64.powi(halving as i32);
            match self.go(crew, problem, way, step).map(|()| self.weigh()) {
                // A step to where nothing can be evaluated is too long.
                Err(fault) => self.core.fault = self.core.fault.take().or(Some(fault)),
                Ok(trial) => {
                    evaluated = true;
                    if trial <= from + ARMIJO * step * slope.min(0.0) + rounding {
                        self.core.fault = None;
                        if step >= 1.0 && self.core.now.delta > 0.0 {
                            step = self.longer(crew, problem, way, trial, reach);
                        }
                        self.take(step);
                        return (step, true);
                    }
                }
            }
        }
        if evaluated {
            self.core.fault = None;
        }
        (step, false)
    }

    /// Tries steps of 2, 4, … while Φ becomes less, after a whole one: where a multiple of the identity was added, directions are too
    /// short. None goes beyond `reach`. The longest of them, which is the one that is tried last.
    fn longer(&mut self, crew: &Crew, problem: &Problem, way: RollOut, mut best: f64, reach: f64) -> f64 {
        let mut step = 1.0;
        while 2.0 * step <= reach {
            match self.go(crew, problem, way, 2.0 * step).map(|()| self.weigh()) {
                Ok(trial) if trial < best => (best, step) = (trial, 2.0 * step),
                _ => {
                    // It has been evaluated before.
                    let again = self.go(crew, problem, way, step);
                    debug_assert!(again.is_ok());
                    break;
                }
            }
        }
        step
    }

    /// A step along the direction, into the trajectory that is tried, with its values.
    fn go(&mut self, crew: &Crew, problem: &Problem, way: RollOut, step: f64) -> Result<(), Fault> {
        let Self { core: Core { iterate, gaps, lq, riccati, tried, scaled, .. }, trial, .. } = self;
        let from = Way { kept: iterate, gaps, lq, riccati };
        let to = Tried { at: tried, values: trial, scaled };
        match way {
            RollOut::Nonlinear => from.by_dynamics(crew, problem, step, to),
            _ => from.straight(crew, problem, step, to),
        }
    }

    /// Φ of the trajectory that is tried.
    fn weigh(&self) -> f64 {
        let mut merit = 0.0;
        for (k, (value, rows)) in self.trial.iter().zip(&self.rows).enumerate() {
            let (eq, g) = value.rows.split_at(rows.c.len());
            merit += self.core.now.scale * value.cost + rows.penalty(self.core.tried.u(k), eq, g, self.run.mu);
            merit += self.gap_prices[k] * value.gap.iter().map(|x| x.abs()).sum::<f64>();
        }
        merit
    }

    /// Takes the trajectory that was tried, with a step of the multipliers.
    fn take(&mut self, step: f64) {
        std::mem::swap(&mut self.core.iterate, &mut self.core.tried);
        // Beyond the whole step they are not known.
        let step = step.min(1.0);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.advance(step);
            let multipliers = &mut self.core.multipliers[k];
            let n = rows.controls.len();
            multipliers.ineq.as_mut_slice().copy_from_slice(&rows.y[n..]);
            multipliers.eq.axpy(step, &self.core.lq.multipliers[k], 1.0 - step);
            self.core.costates[k].axpy(step, &self.core.lq.costates[k], 1.0 - step);
        }
        self.core.pass_costates();
    }
}
