//! The whole plan under its feedback gains.

use super::steps::at_least_one;
use crate::fault::{Fault, ProblemError, Reason};
use crate::node::At;
use crate::problem::Problem;
use crate::trajectory::Trajectory;
use nalgebra::DMatrix;

/// The end of the plan under its feedback gains.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Followed {
    /// The state at the end, nx.
    pub end: Vec<f64>,
    /// `|q ⊖ q_N|`, m and rad.
    pub position: f64,
    /// `|v − v_N|`, m/s and rad/s.
    pub velocity: f64,
    /// The largest `|q ⊖ q_k|` at a node, and which one.
    pub farthest: (f64, usize),
}

/// Runs the whole plan from the start, under `u = u_k − K_k (x ⊖ x_k)`: controls are held from node to node, within
/// their bounds, and the robot moves in `substeps` substeps per step by a method of higher order. Jumps, user-defined
/// nodes, and steps without such a method are as in the plan. `gains`: one per step, nu × ndx, as in
/// [`Riccati`](crate::riccati::Riccati) of a solver.
///
/// # Errors
/// [`Fault`] where the motion cannot be continued, or if trajectory or gains have other sizes than the problem.
pub fn follow(problem: &Problem, at: &Trajectory, gains: &[DMatrix<f64>], substeps: usize) -> Result<Followed, Fault> {
    let refuse = |k: usize, reason: Reason| problem.fault(k, reason.into());
    let sizes = problem.check_sizes(at).and_then(|()| at_least_one(substeps));
    sizes.map_err(|error: ProblemError| refuse(0, Reason::Problem(error.into())))?;
    let space = problem.space();
    let fits = |k: usize| gains.get(k).is_some_and(|gain| gain.shape() == (problem.dims(k).nu, space.ndx()));
    if let Some(k) = (0..problem.steps()).find(|k| !fits(*k)) {
        let found = gains.get(k).map(|gain| [gain.nrows(), gain.ncols()]);
        return Err(refuse(k, Reason::GainShape { found, expected: [problem.dims(k).nu, space.ndx()] }));
    }
    let mut memory = problem.memory();
    let (mut x, mut next) = (problem.start().to_vec(), problem.start().to_vec());
    let mut off = vec![0.0; space.ndx()];
    let (nv, mut farthest) = (problem.model().nv(), (0.0, 0));
    for (k, gain) in gains.iter().enumerate().take(problem.steps()) {
        space.difference(at.x(k), &x, &mut off).map_err(|reason| refuse(k, reason))?;
        let away = norm(&off[..nv]);
        if away > farthest.0 && problem.dt(k) > 0.0 {
            farthest = (away, k);
        }
        let mut u = at.u(k).to_vec();
        for (column, x) in gain.column_iter().zip(&off) {
            u.iter_mut().zip(column.iter()).for_each(|(u, gain)| *u -= gain * x);
        }
        if let Some((lower, upper)) = problem.node(k).control_bounds() {
            u.iter_mut().zip(lower.iter().zip(upper)).for_each(|(u, (l, h))| *u = u.max(*l).min(*h));
        }
        let finer = problem.stage(k).filter(|_| problem.dt(k) > 0.0);
        let own = problem.memory_of(k, &mut memory);
        let finer = match finer {
            Some(stage) if stage.has_reference(own).map_err(|reason| refuse(k, reason))? => Some(stage),
            _ => None,
        };
        match finer {
            Some(stage) => {
                for _ in 0..substeps {
                    let here = At { x: &x, u: &u, ..problem.at(k, &[], &[]) };
                    stage
                        .substep(here, 1.0 / substeps as f64, own, &mut next)
                        .map_err(|error| problem.fault(k, error))?;
                    std::mem::swap(&mut x, &mut next);
                }
                stage.remembers(&u, &mut x);
            }
            None => {
                let dims = problem.dims(k);
                let mut rows = vec![0.0; dims.n_eq + dims.n_in];
                problem.value(k, &x, &u, &mut memory, &mut next, &mut rows)?;
                std::mem::swap(&mut x, &mut next);
            }
        }
    }
    let last = problem.steps();
    space.difference(at.x(last), &x, &mut off).map_err(|reason| refuse(last, reason))?;
    let (position, velocity) = (norm(&off[..nv]), norm(&off[nv..2 * nv]));
    if position > farthest.0 {
        farthest = (position, last);
    }
    Ok(Followed { end: x, position, velocity, farthest })
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
