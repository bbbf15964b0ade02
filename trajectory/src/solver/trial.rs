//! Trials: a step along a direction, by straight lines or by the dynamics.

use super::crew::Crew;
use super::support::of_dynamics;
use crate::fault::Fault;
use crate::problem::Problem;
use crate::quadratic::Dims;
use crate::riccati::{LqSolution, Riccati};
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// A node of the trajectory that is tried.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) cost: f64,
    /// Equalities, then rows between bounds.
    pub(super) rows: Vec<f64>,
    pub(super) gap: Vec<f64>,
    next: Vec<f64>,
}

impl Trial {
    pub(super) fn new(dims: &Dims) -> Self {
        let Dims { nx, ndx, n_eq, n_in, .. } = *dims;
        Self { cost: 0.0, rows: vec![0.0; n_eq + n_in], gap: vec![0.0; ndx], next: vec![0.0; nx] }
    }
}

/// Where trials go from, and which way.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) kept: &'a Trajectory,
    pub(super) gaps: &'a [DVector<f64>],
    pub(super) lq: &'a LqSolution,
    pub(super) riccati: &'a Riccati,
}

/// Where a trial is written: its trajectory, its values, and memory for a state's direction.
pub(super) struct Tried<'a> {
    pub(super) at: &'a mut Trajectory,
    pub(super) values: &'a mut [Trial],
    pub(super) scaled: &'a mut [f64],
}

impl Way<'_> {
    /// `x ⊕ α δx`, `u + α δu`, all nodes at once.
    pub(super) fn straight(self, crew: &Crew, problem: &Problem, step: f64, to: Tried<'_>) -> Result<(), Fault> {
        let Self { kept, lq, .. } = self;
        let Tried { at, values, scaled } = to;
        let space = problem.space();
        for k in 0..=problem.steps() {
            let scaled = &mut scaled[..lq.dx[k].len()];
            scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(to, dx)| *to = step * dx);
            let moved = space.integrate(kept.x(k), scaled, at.x_mut(k));
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            for ((to, from), du) in at.u_mut(k).iter_mut().zip(kept.u(k)).zip(lq.du[k].iter()) {
                *to = from + step * du;
            }
        }
        crew.evaluate(problem, at, |k, value| {
            values[k].cost = value.cost;
            values[k].rows.copy_from_slice(&value.rows);
            values[k].gap.copy_from_slice(&value.gap);
        })
    }

    /// `u + α δu − K (x_try ⊖ x − α δx)`, and the next state where the dynamics lead, short of a share `1 − α` of the
    /// gap.
    pub(super) fn by_dynamics(self, crew: &Crew, problem: &Problem, step: f64, to: Tried<'_>) -> Result<(), Fault> {
        let Self { kept, gaps, lq, riccati } = self;
        let Tried { at, values, scaled } = to;
        let space = problem.space();
        let mut memory = crew.memory();
        for k in 0..=problem.steps() {
            let fault = |reason| of_dynamics(problem, k, reason);
            let Trial { cost, rows, gap, next } = &mut values[k];
            for (to, from) in gap.iter_mut().zip(gaps[k].iter()) {
                *to = (1.0 - step) * from;
            }
            let scaled = &mut scaled[..gap.len()];
            if k == 0 {
                scaled.iter_mut().zip(gaps[0].iter()).for_each(|(to, gap)| *to = step * gap);
                space.integrate(kept.x(0), scaled, at.x_mut(0)).map_err(fault)?;
            }
            space.difference(kept.x(k), at.x(k), scaled).map_err(fault)?;
            scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(off, dx)| *off -= step * dx);
            let gain = &riccati.nodes[k].gain;
            for (i, to) in at.u_mut(k).iter_mut().enumerate() {
                let feedback: f64 = gain.row(i).iter().zip(scaled.iter()).map(|(k, x)| k * x).sum();
                *to = kept.u(k)[i] + step * lq.du[k][i] - feedback;
            }
            *cost = problem.value(k, at.x(k), at.u(k), &mut memory, next, rows)?;
            if let Some(behind) = gaps.get(k + 1) {
                let scaled = &mut scaled[..behind.len()];
                scaled.iter_mut().zip(behind.iter()).for_each(|(to, gap)| *to = (step - 1.0) * gap);
                space.integrate(next, scaled, at.x_mut(k + 1)).map_err(fault)?;
            }
        }
        Ok(())
    }
}

/// Steps below this share of the variables are taken without a search: rounding would decide it.
const TINY: f64 = 10.0 * f64::EPSILON;

/// Whether a direction is zero to rounding.
pub(super) fn is_tiny(kept: &Trajectory, lq: &LqSolution) -> bool {
    let small = |(k, (dx, du)): (usize, (&DVector<f64>, &DVector<f64>))| {
        let size = |x: &[f64]| x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        dx.amax() <= TINY * size(kept.x(k)) && (du.is_empty() || du.amax() <= TINY * size(kept.u(k)))
    };
    lq.dx.iter().zip(&lq.du).enumerate().take(kept.steps()).all(small)
}
