//! The line search: a filter on cost with barriers and violation, and second-order corrections.

use super::inequalities::Inequalities;
use super::{InteriorPoint, KEEP, RollOut};
use crate::fault::Fault;
use crate::quadratic::Dims;
use crate::solver::algorithm::{Context, Step};
use crate::solver::domain;
use crate::solver::filter::Merit;
use crate::solver::state::State;
use crate::solver::trial;
use nalgebra::DVector;

/// Before trials along straight lines become shorter than this many halvings, others are made by the dynamics,
const STRAIGHT: usize = 4;
/// so many: shorter steps by the dynamics cost many iterations where straight ones go on (`arm_around_pole` of the
/// tasks takes 118 with 10 of them).
const ROLLED_OUT: usize = 5;

/// The trials of a search: which way, and how often the step is halved.
pub(super) fn ways(roll_out: RollOut, halvings: usize) -> impl Iterator<Item = (RollOut, usize)> {
    let (first, by_dynamics) = match roll_out {
        RollOut::Automatic => (STRAIGHT.min(halvings), ROLLED_OUT.min(halvings)),
        RollOut::Linear => (halvings, 0),
        RollOut::Nonlinear => (0, halvings),
    };
    let rest = if roll_out == RollOut::Automatic { first..halvings } else { 0..0 };
    let straight = |range: std::ops::Range<usize>| range.map(|k| (RollOut::Linear, k));
    straight(0..first).chain((0..by_dynamics).map(|k| (RollOut::Nonlinear, k))).chain(straight(rest))
}

/// Costs do not rise by more than so many powers of ten beyond their own (`obj_max_inc`, which is 5 there: of motions
/// that explode, there is no way back).
const MOST_RISE: f64 = 1.0;

/// Whether a trial costs so much more that a smaller violation does not justify it.
fn explodes(from: Merit, trial: Merit) -> bool {
    let rise = trial.cost - from.cost;
    rise > 0.0 && rise.log10() > MOST_RISE + from.cost.abs().log10().max(1.0)
}

/// What a correction of second order adds: the violations of the step that it corrects.
#[derive(Debug)]
pub(super) struct Corrections {
    pub(super) gaps: Vec<DVector<f64>>,
    pub(super) eq: Vec<DVector<f64>>,
    pub(super) rows: Vec<Vec<f64>>,
}

impl Corrections {
    pub(super) fn new(dims: &[Dims], rows: &[Inequalities]) -> Self {
        Self {
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            eq: dims.iter().map(|d| DVector::zeros(d.n_eq)).collect(),
            rows: rows.iter().map(|rows| vec![0.0; rows.s.len()]).collect(),
        }
    }
}

impl InteriorPoint {
    /// Cost with barriers and violation of the iterate, whose nodes have been linearized.
    pub(super) fn merit(&self, state: &State) -> Merit {
        let (mut barrier, mut violation) = (0.0, 0.0);
        for ((costs, rows), gap) in state.costs.iter().zip(&self.rows).zip(&state.gaps) {
            barrier += if rows.s.is_empty() { 0.0 } else { rows.barrier() };
            violation += gap.lp_norm(1) + (0..rows.s.len()).map(|i| rows.residual(i).abs()).sum::<f64>();
            violation += costs.eq().iter().map(|c| c.abs()).sum::<f64>();
        }
        Merit { cost: state.now.scale * state.now.cost + self.run.mu * barrier, violation }
    }

    /// Tries steps of 1, ½, ¼ … of the longest one; the last one tried, and whether it was taken.
    pub(super) fn line_search(&mut self, at: &mut Context<'_>) -> Step {
        let tau = (1.0 - KEEP).max(1.0 - self.run.mu);
        let from = self.merit(at.state);
        let slope = self.slope(at.state);
        let [longest, dual] = self.max_step(tau);
        let reach = domain::longest(at.problem, &at.state.iterate, [&at.state.lq.dx, &at.state.lq.du], 1.0);
        let longest = longest.min(reach);
        at.state.fault = None;
        if trial::is_tiny(&at.state.iterate, &at.state.lq) {
            let taken = self.go(at, RollOut::Linear, [longest, tau], false).is_ok();
            if taken {
                self.update_merit(at.state, longest, tau, false);
                self.take(at.state, [longest, dual], false);
            }
            return Step::new(longest, taken);
        }
        let (mut step, mut evaluated) = (longest, false);
        for (way, halving) in ways(self.attempt.strategy.roll_out, self.options.halvings) {
            // Trials by the dynamics keep each row inside by itself.
            let most = if way == RollOut::Nonlinear { reach } else { longest };
            step = most * 0.5_f64.powi(halving as i32);
            let first = halving == 0 && way == RollOut::Linear;
            match self.go(at, way, [step, tau], false).map(|()| self.update_merit(at.state, step, tau, halving == 0)) {
                // A step to where nothing can be evaluated is too long.
                Err(fault) => at.state.fault = at.state.fault.take().or(Some(fault)),
                Ok(trial) => {
                    evaluated = true;
                    if explodes(from, trial) {
                        continue;
                    }
                    if self.filter.accepts(from, slope, step, trial) {
                        at.state.fault = None;
                        self.take(at.state, [step, dual], false);
                        return Step::new(step, true);
                    }
                    if first && trial.violation >= from.violation && self.correction(at, (from, slope), step, tau) {
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

    /// Tries to correct a whole step that has missed the bends of constraints. Leaves the direction as it was if that
    /// does not help.
    fn correction(&mut self, at: &mut Context<'_>, (from, slope): (Merit, f64), step: f64, tau: f64) -> bool {
        for (to, gap) in self.corrections.gaps.iter_mut().zip(&at.state.gaps) {
            *to += gap;
        }
        if self.correct(at).is_ok() {
            let [longest, dual] = self.max_step(tau);
            let directions = [&self.corrected.dx[..], &self.corrected.du];
            let longest = longest.min(domain::longest(at.problem, &at.state.iterate, directions, 1.0));
            let trial = self
                .go(at, RollOut::Linear, [longest, tau], true)
                .map(|()| self.update_merit(at.state, longest, tau, false));
            if trial.is_ok_and(|trial| !explodes(from, trial) && self.filter.accepts(from, slope, step, trial)) {
                self.take(at.state, [longest, dual], true);
                return true;
            }
        }
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.directions(
                &at.evaluator.node(at.problem, k),
                &at.state.lq.dx[k],
                &at.state.lq.du[k],
                self.run.mu,
                None,
            );
        }
        false
    }

    /// What costs and barriers do along the direction, to first order.
    fn slope(&self, state: &State) -> f64 {
        let mut slope = 0.0;
        for (k, rows) in self.rows.iter().enumerate() {
            slope += state.now.scale * state.costs[k].slope(&state.lq.dx[k], &state.lq.du[k])
                + self.run.mu * rows.barrier_slope();
        }
        slope
    }

    /// The longest steps of slacks and multipliers.
    fn max_step(&self, tau: f64) -> [f64; 2] {
        let all = self.rows.iter().map(|rows| rows.max_step(tau, 0));
        all.fold([1.0; 2], |a, b| [a[0].min(b[0]), a[1].min(b[1])])
    }

    /// A step along the direction, into the trial, with its values.
    pub(super) fn go(
        &mut self,
        at: &mut Context<'_>,
        way: RollOut,
        [step, tau]: [f64; 2],
        corrected: bool,
    ) -> Result<(), Fault> {
        let Self { rows, values, corrected: lq, .. } = self;
        let lq = corrected.then_some(&*lq);
        match way {
            RollOut::Nonlinear => trial::by_dynamics(at, lq, step, values, |k, u| {
                for (row, i) in rows[k].controls.iter().enumerate() {
                    u[*i] = rows[k].keep_inside(row, u[*i], tau);
                }
            }),
            _ => trial::straight(at, lq, step, values),
        }
    }

    /// Cost with barriers and violation of the trial. `keep`: its violations, for a correction.
    fn update_merit(&mut self, state: &State, step: f64, tau: f64, keep: bool) -> Merit {
        let (mut cost, mut violation) = (0.0, 0.0);
        let Self { rows, corrections, run, values, .. } = self;
        let State { trial, now, .. } = state;
        for (k, (value, rows)) in values.iter().zip(rows).enumerate() {
            let (eq, g) = value.rows.split_at(corrections.eq[k].len());
            cost += now.scale * value.cost;
            if !rows.s.is_empty() {
                rows.try_slacks(step, tau, trial.u(k), g, false);
                cost += run.mu * rows.trial_barrier();
            }
            violation += value.gap.iter().chain(eq).map(|x| x.abs()).sum::<f64>();
            for i in 0..rows.s.len() {
                let off = rows.trial_residual(i, g);
                violation += off.abs();
                if keep {
                    corrections.rows[k][i] = off;
                }
            }
            if keep {
                corrections.gaps[k].copy_from_slice(&value.gap);
                corrections.eq[k].copy_from_slice(eq);
            }
        }
        Merit { cost, violation }
    }

    /// Takes the trial, with its slacks and multipliers.
    fn take(&mut self, state: &mut State, [primal, dual]: [f64; 2], corrected: bool) {
        self.arrive(state);
        let lq = if corrected { &self.corrected } else { &state.lq };
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.advance(dual, self.run.mu);
            let multipliers = &mut state.multipliers[k];
            let n = rows.controls.len();
            for (i, y) in multipliers.ineq.iter_mut().enumerate() {
                *y = rows.y(n + i);
            }
            multipliers.eq.axpy(primal, &lq.multipliers[k], 1.0 - primal);
            state.costates[k].axpy(primal, &lq.costates[k], 1.0 - primal);
        }
        state.pass_costates();
    }

    /// Keeps the last trial.
    pub(super) fn arrive(&mut self, state: &mut State) {
        std::mem::swap(&mut state.iterate, &mut state.trial);
        state.now.cost = self.values.iter().map(|trial| trial.cost).sum();
        state.now.gap = self.values.iter().flat_map(|trial| &trial.gap).fold(0.0, |most, gap| most.max(gap.abs()));
    }
}
