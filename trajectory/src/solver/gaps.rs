//! Gaps between the steps of a trajectory's nodes and the next states, `d_k = f(x_{k−1}, u_{k−1}) ⊖ x_k`, and at the
//! first node the start minus `x_0`.

use super::crew::Crew;
use super::support::of_dynamics;
use crate::fault::Fault;
use crate::problem::Problem;
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// Writes the gaps of a trajectory whose nodes have been linearized; the largest entry.
pub(super) fn find(crew: &Crew, problem: &Problem, at: &Trajectory, gaps: &mut [DVector<f64>]) -> Result<f64, Fault> {
    let space = problem.space();
    let mut largest: f64 = 0.0;
    for (k, gap) in gaps.iter_mut().enumerate() {
        let before = k.checked_sub(1).map(|before| crew.node(problem, before));
        let reached = before.as_ref().map_or(problem.start(), |before| &before.next);
        let done = space.difference(at.x(k), reached, gap.as_mut_slice());
        done.map_err(|reason| of_dynamics(problem, k, reason))?;
        largest = largest.max(gap.amax());
    }
    Ok(largest)
}

/// By how much the worst gap or equality of nodes that have been linearized is off.
pub(super) fn worst(crew: &Crew, problem: &Problem, gaps: &[DVector<f64>]) -> f64 {
    let of_node = |(k, gap): (usize, &DVector<f64>)| gap.amax().max(crew.node(problem, k).eq.amax());
    gaps.iter().enumerate().map(of_node).fold(0.0, f64::max)
}

/// What gaps, and equalities of nodes that have been linearized, amount to.
pub(super) fn violation(crew: &Crew, problem: &Problem, gaps: &[DVector<f64>]) -> f64 {
    let of_node = |(k, gap): (usize, &DVector<f64>)| gap.lp_norm(1) + crew.node(problem, k).eq.lp_norm(1);
    gaps.iter().enumerate().map(of_node).sum()
}
