//! Trials: a step along a direction, by straight lines or by the dynamics.

use super::algorithm::Context;
use super::state::State;
use super::support::of_dynamics;
use crate::fault::Fault;
use crate::quadratic::Dims;
use crate::riccati::LqSolution;
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// Values of a node of a trial.
#[derive(Debug)]
pub(super) struct TrialNode {
    pub(super) cost: f64,
    /// Equalities, then inequality constraints.
    pub(super) rows: Vec<f64>,
    pub(super) gap: Vec<f64>,
    pub(super) next: Vec<f64>,
}

impl TrialNode {
    pub(super) fn new(dims: &Dims) -> Self {
        let Dims { nx, ndx, n_eq, n_in, .. } = *dims;
        Self { cost: 0.0, rows: vec![0.0; n_eq + n_in], gap: vec![0.0; ndx], next: vec![0.0; nx] }
    }
}

/// `x ⊕ α δx`, `u + α δu`, all nodes at once, into the trial. `lq`: the direction, if it is not that of the state.
pub(super) fn straight(
    at: &mut Context<'_>,
    lq: Option<&LqSolution>,
    step: f64,
    values: &mut [TrialNode],
) -> Result<(), Fault> {
    let State { iterate, trial, lq: own, scaled, .. } = &mut *at.state;
    let lq = lq.unwrap_or(own);
    let space = at.problem.space();
    for k in 0..=at.problem.steps() {
        let scaled = &mut scaled[..lq.dx[k].len()];
        scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(to, dx)| *to = step * dx);
        let moved = space.integrate(iterate.x(k), scaled, trial.x_mut(k));
        moved.map_err(|reason| of_dynamics(at.problem, k, reason))?;
        for ((to, from), du) in trial.u_mut(k).iter_mut().zip(iterate.u(k)).zip(lq.du[k].iter()) {
            *to = from + step * du;
        }
    }
    at.evaluator.evaluate(at.problem, trial, |k, value| {
        values[k].cost = value.cost;
        values[k].rows.copy_from_slice(&value.rows);
        values[k].gap.copy_from_slice(&value.gap);
    })
}

/// `u + α δu − K (x_try ⊖ x − α δx)`, and the next state where the dynamics lead, short of a share `1 − α` of the gap,
/// into the trial. `limit` keeps a node's controls inside their bounds.
pub(super) fn by_dynamics(
    at: &mut Context<'_>,
    lq: Option<&LqSolution>,
    step: f64,
    values: &mut [TrialNode],
    mut limit: impl FnMut(usize, &mut [f64]),
) -> Result<(), Fault> {
    let State { iterate, trial, gaps, lq: own, riccati, scaled, .. } = &mut *at.state;
    let (lq, problem) = (lq.unwrap_or(own), at.problem);
    let space = problem.space();
    let mut memory = at.evaluator.memory();
    for k in 0..=problem.steps() {
        let fault = |reason| of_dynamics(problem, k, reason);
        let TrialNode { cost, rows, gap, next } = &mut values[k];
        for (to, from) in gap.iter_mut().zip(gaps[k].iter()) {
            *to = (1.0 - step) * from;
        }
        let scaled = &mut scaled[..gap.len()];
        if k == 0 {
            scaled.iter_mut().zip(gaps[0].iter()).for_each(|(to, gap)| *to = step * gap);
            space.integrate(iterate.x(0), scaled, trial.x_mut(0)).map_err(fault)?;
        }
        space.difference(iterate.x(k), trial.x(k), scaled).map_err(fault)?;
        scaled.iter_mut().zip(lq.dx[k].iter()).for_each(|(off, dx)| *off -= step * dx);
        let gain = &riccati.nodes[k].gain;
        for (i, to) in trial.u_mut(k).iter_mut().enumerate() {
            let feedback: f64 = gain.row(i).iter().zip(scaled.iter()).map(|(k, x)| k * x).sum();
            *to = iterate.u(k)[i] + step * lq.du[k][i] - feedback;
        }
        limit(k, trial.u_mut(k));
        *cost = problem.value(k, trial.x(k), trial.u(k), &mut memory, next, rows)?;
        if let Some(behind) = gaps.get(k + 1) {
            let scaled = &mut scaled[..behind.len()];
            scaled.iter_mut().zip(behind.iter()).for_each(|(to, gap)| *to = (step - 1.0) * gap);
            space.integrate(next, scaled, trial.x_mut(k + 1)).map_err(fault)?;
        }
    }
    Ok(())
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
