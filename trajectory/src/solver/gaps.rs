//! Gaps between the steps of a trajectory's nodes and the next states, `d_k = f(x_{k−1}, u_{k−1}) ⊖ x_k`, and at the
//! first node the start minus `x_0`.

use super::evaluator::Evaluator;
use super::support::of_dynamics;
use crate::fault::Fault;
use crate::problem::Problem;
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// Writes the gaps of a trajectory whose nodes have been linearized; the largest entry.
pub(super) fn find(
    evaluator: &Evaluator,
    problem: &Problem,
    at: &Trajectory,
    gaps: &mut [DVector<f64>],
) -> Result<f64, Fault> {
    let space = problem.space();
    let mut largest: f64 = 0.0;
    for (k, gap) in gaps.iter_mut().enumerate() {
        let before = k.checked_sub(1).map(|before| evaluator.node(problem, before));
        let reached = before.as_ref().map_or(problem.start(), |before| &before.next);
        let done = space.difference(at.x(k), reached, gap.as_mut_slice());
        done.map_err(|reason| of_dynamics(problem, k, reason))?;
        largest = largest.max(gap.amax());
    }
    Ok(largest)
}
