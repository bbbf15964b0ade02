//! The line search: a filter on cost with barriers and violation, and second-order corrections.

use super::rows::Rows;
use super::{InteriorPoint, KEEP, RollOut};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Dims;
use crate::solver::core::Core;
use crate::solver::crew::{Crew, Merit};
use crate::solver::domain;
use crate::solver::support::of_dynamics;
use nalgebra::DVector;

/// Steps below this share of the variables are taken without a search: rounding would decide it.
const TINY: f64 = 10.0 * f64::EPSILON;

/// Before trials along straight lines become shorter than this many halvings, others are made by the dynamics,
const STRAIGHT: usize = 4;
/// so many: shorter steps by the dynamics cost many iterations where straight ones go on (`arm_around_pole` of the tasks takes 118 with 10 of
/// them).
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

/// Costs do not rise by more than so many powers of ten beyond their own (`obj_max_inc`, which is 5 there: of motions that explode, there is no
/// way back).
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

/// A node of the trajectory that is tried.
#[derive(Debug)]
pub(super) struct Trial {
    cost: f64,
    /// Equalities, then rows between bounds.
    pub(super) rows: Vec<f64>,
    pub(super) gap: Vec<f64>,
    pub(super) next: Vec<f64>,
}

impl Trial {
    pub(super) fn new(dims: &Dims) -> Self {
        let Dims { nx, ndx, n_eq, n_in, .. } = *dims;
        Self { cost: 0.0, rows: vec![0.0; n_eq + n_in], gap: vec![0.0; ndx], next: vec![0.0; nx] }
    }
}

impl Corrections {
    pub(super) fn new(dims: &[Dims], rows: &[Rows]) -> Self {
        Self {
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            eq: dims.iter().map(|d| DVector::zeros(d.n_eq)).collect(),
            rows: rows.iter().map(|rows| vec![0.0; rows.s.len()]).collect(),
        }
    }
}

impl InteriorPoint {
    /// Cost with barriers and violation of the trajectory that is kept, whose nodes have been linearized.
    pub(super) fn merit(&self) -> Merit {
        let (mut barrier, mut violation) = (0.0, 0.0);
        for ((bare, rows), gap) in self.core.bare.iter().zip(&self.rows).zip(&self.core.gaps) {
            barrier += if rows.s.is_empty() { 0.0 } else { rows.barrier() };
            violation += gap.lp_norm(1) + (0..rows.s.len()).map(|i| rows.off(i).abs()).sum::<f64>();
            violation += bare.eq().iter().map(|c| c.abs()).sum::<f64>();
        }
        Merit { cost: self.core.now.scale * self.core.now.cost + self.run.mu * barrier, violation, priced: 0.0 }
    }

    /// Tries steps of 1, ½, ¼ … of the longest one; the last one tried, and whether it was taken.
    pub(super) fn line_search(&mut self, crew: &Crew, problem: &Problem) -> (f64, bool) {
        let tau = (1.0 - KEEP).max(1.0 - self.run.mu);
        let from = self.merit();
        let slope = self.slope();
        let [longest, dual] = self.longest(tau);
        let reach = domain::longest(problem, &self.core.iterate, [&self.core.lq.dx, &self.core.lq.du], 1.0);
        let longest = longest.min(reach);
        self.core.fault = None;
        if self.is_tiny() {
            let taken = self.go(crew, problem, RollOut::Linear, [longest, tau], false).is_ok();
            if taken {
                self.weigh(longest, tau, false);
                self.take([longest, dual], false);
            }
            return (longest, taken);
        }
        let (mut step, mut evaluated) = (longest, false);
        for (way, halving) in ways(self.way.roll_out, self.options.halvings) {
            // Trials by the dynamics keep each row inside by itself.
            let most = if way == RollOut::Nonlinear { reach } else { longest };
            step = most * 0.5_f64.powi(halving as i32);
            let first = halving == 0 && way == RollOut::Linear;
            match self.go(crew, problem, way, [step, tau], false).map(|()| self.weigh(step, tau, halving == 0)) {
                // A step to where nothing can be evaluated is too long.
                Err(fault) => self.core.fault = self.core.fault.take().or(Some(fault)),
                Ok(trial) => {
                    evaluated = true;
                    if explodes(from, trial) {
                        continue;
                    }
                    if self.filter.accepts(from, slope, step, trial) {
                        self.core.fault = None;
                        self.take([step, dual], false);
                        return (step, true);
                    }
                    if first
                        && trial.violation >= from.violation
                        && self.correction(crew, problem, (from, slope), step, tau)
                    {
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

    /// Tries to correct a whole step that has missed the bends of constraints. Leaves the direction as it was if that does not help.
    fn correction(&mut self, crew: &Crew, problem: &Problem, (from, slope): (Merit, f64), step: f64, tau: f64) -> bool {
        for (to, gap) in self.corrections.gaps.iter_mut().zip(&self.core.gaps) {
            *to += gap;
        }
        if self.correct(crew, problem).is_ok() {
            let [longest, dual] = self.longest(tau);
            let directions = [&self.corrected.dx[..], &self.corrected.du];
            let longest = longest.min(domain::longest(problem, &self.core.iterate, directions, 1.0));
            let trial =
                self.go(crew, problem, RollOut::Linear, [longest, tau], true).map(|()| self.weigh(longest, tau, false));
            if trial.is_ok_and(|trial| !explodes(from, trial) && self.filter.accepts(from, slope, step, trial)) {
                self.take([longest, dual], true);
                return true;
            }
        }
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.directions(&crew.node(problem, k), &self.core.lq.dx[k], &self.core.lq.du[k], self.run.mu, None);
        }
        false
    }

    /// What costs and barriers do along the direction, to first order.
    fn slope(&self) -> f64 {
        let mut slope = 0.0;
        for (k, rows) in self.rows.iter().enumerate() {
            slope += self.core.now.scale * self.core.bare[k].slope(&self.core.lq.dx[k], &self.core.lq.du[k])
                + self.run.mu * rows.barrier_slope();
        }
        slope
    }

    /// The longest steps of slacks and multipliers.
    fn longest(&self, tau: f64) -> [f64; 2] {
        let all = self.rows.iter().map(|rows| rows.longest(tau, 0));
        all.fold([1.0; 2], |a, b| [a[0].min(b[0]), a[1].min(b[1])])
    }

    fn is_tiny(&self) -> bool {
        let small = |(k, (dx, du)): (usize, (&DVector<f64>, &DVector<f64>))| {
            let size = |x: &[f64]| x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            dx.amax() <= TINY * size(self.core.iterate.x(k))
                && (du.is_empty() || du.amax() <= TINY * size(self.core.iterate.u(k)))
        };
        self.core.lq.dx.iter().zip(&self.core.lq.du).enumerate().take(self.core.iterate.steps()).all(small)
    }

    /// A step along the direction, into the trajectory that is tried, with its values.
    pub(super) fn go(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        way: RollOut,
        [step, tau]: [f64; 2],
        corrected: bool,
    ) -> Result<(), Fault> {
        match way {
            RollOut::Nonlinear => self.go_by_dynamics(crew, problem, [step, tau], corrected),
            _ => self.go_straight(crew, problem, step, corrected),
        }
    }

    fn go_straight(&mut self, crew: &Crew, problem: &Problem, step: f64, corrected: bool) -> Result<(), Fault> {
        let space = problem.space();
        let lq = if corrected { &self.corrected } else { &self.core.lq };
        for k in 0..=problem.steps() {
            let scaled = &mut self.core.scaled[..lq.dx[k].len()];
            scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(to, dx)| *to = step * dx);
            let moved = space.integrate(self.core.iterate.x(k), scaled, self.core.tried.x_mut(k));
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            for ((to, from), du) in self.core.tried.u_mut(k).iter_mut().zip(self.core.iterate.u(k)).zip(lq.du[k].iter())
            {
                *to = from + step * du;
            }
        }
        let trial = &mut self.trial;
        crew.evaluate(problem, &self.core.tried, |k, value| {
            trial[k].cost = value.cost;
            trial[k].rows.copy_from_slice(&value.rows);
            trial[k].gap.copy_from_slice(&value.gap);
        })
    }

    /// `u + α δu − K (x_try ⊖ x − α δx)`, and the next state where the dynamics lead, short of a share `1 − α` of the gap.
    pub(super) fn go_by_dynamics(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        [step, tau]: [f64; 2],
        corrected: bool,
    ) -> Result<(), Fault> {
        let space = problem.space();
        let mut memory = crew.memory();
        let Self { core, corrected: second, trial, rows: held, .. } = self;
        let Core { scaled, iterate, tried, gaps, riccati, lq, .. } = core;
        let lq = if corrected { second } else { lq };
        for k in 0..=problem.steps() {
            let fault = |reason| of_dynamics(problem, k, reason);
            let Trial { cost, rows, gap, next } = &mut trial[k];
            for (to, from) in gap.iter_mut().zip(gaps[k].iter()) {
                *to = (1.0 - step) * from;
            }
            let scaled = &mut scaled[..gap.len()];
            if k == 0 {
                scaled.iter_mut().zip(gaps[0].iter()).for_each(|(to, gap)| *to = step * gap);
                space.integrate(iterate.x(0), scaled, tried.x_mut(0)).map_err(fault)?;
            }
            space.difference(iterate.x(k), tried.x(k), scaled).map_err(fault)?;
            scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(off, dx)| *off -= step * dx);
            let gain = &riccati.nodes[k].gain;
            for (i, to) in tried.u_mut(k).iter_mut().enumerate() {
                let feedback: f64 = gain.row(i).iter().zip(scaled.iter()).map(|(k, x)| k * x).sum();
                *to = iterate.u(k)[i] + step * lq.du[k][i] - feedback;
            }
            for (row, i) in held[k].controls.iter().enumerate() {
                let u = &mut tried.u_mut(k)[*i];
                *u = held[k].keep_inside(row, *u, tau);
            }
            *cost = problem.value(k, tried.x(k), tried.u(k), &mut memory, next, rows)?;
            if let Some(behind) = gaps.get(k + 1) {
                let scaled = &mut scaled[..behind.len()];
                scaled.iter_mut().zip(behind.iter()).for_each(|(to, gap)| *to = (step - 1.0) * gap);
                space.integrate(next, scaled, tried.x_mut(k + 1)).map_err(fault)?;
            }
        }
        Ok(())
    }

    /// Cost with barriers and violation of the trajectory that is tried. `keep`: its violations, for a correction.
    fn weigh(&mut self, step: f64, tau: f64, keep: bool) -> Merit {
        let (mut cost, mut violation) = (0.0, 0.0);
        let Self { core: Core { tried, now, .. }, rows, corrections, run, trial, .. } = self;
        for (k, (value, rows)) in trial.iter().zip(rows).enumerate() {
            let (eq, g) = value.rows.split_at(corrections.eq[k].len());
            cost += now.scale * value.cost;
            if !rows.s.is_empty() {
                rows.try_slacks(step, tau, tried.u(k), g, false);
                cost += run.mu * rows.tried_barrier();
            }
            violation += value.gap.iter().chain(eq).map(|x| x.abs()).sum::<f64>();
            for i in 0..rows.s.len() {
                let off = rows.tried_off(i, g);
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
        Merit { cost, violation, priced: 0.0 }
    }

    /// Takes the trajectory that was tried, with its slacks and multipliers.
    fn take(&mut self, [primal, dual]: [f64; 2], corrected: bool) {
        self.arrive();
        let lq = if corrected { &self.corrected } else { &self.core.lq };
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.advance(dual, self.run.mu);
            let multipliers = &mut self.core.multipliers[k];
            let n = rows.controls.len();
            for (i, y) in multipliers.ineq.iter_mut().enumerate() {
                *y = rows.y(n + i);
            }
            multipliers.eq.axpy(primal, &lq.multipliers[k], 1.0 - primal);
            self.core.costates[k].axpy(primal, &lq.costates[k], 1.0 - primal);
        }
        self.core.pass_costates();
    }

    /// Keeps the trajectory that has been tried last.
    pub(super) fn arrive(&mut self) {
        std::mem::swap(&mut self.core.iterate, &mut self.core.tried);
        self.core.now.cost = self.trial.iter().map(|trial| trial.cost).sum();
        self.core.now.gap = self.trial.iter().flat_map(|trial| &trial.gap).fold(0.0, |most, gap| most.max(gap.abs()));
    }
}
