//! What solvers say about a problem when they stop.

use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::trajectory::Trajectory;

/// The fault of a guess of other sizes than the problem.
pub(super) fn misfit(problem: &Problem) -> Fault {
    let reason = Reason::Other("the guess, or the solver, has other sizes than the problem".into());
    Fault { node: 0, phase: problem.phase_of(0).into(), term: None, reason: Box::new(reason) }
}

/// The cost that weighs most at a node.
pub(super) fn worst_term(
    problem: &Problem,
    at: &Trajectory,
    node: usize,
    memory: &mut ProblemMemory,
) -> Option<String> {
    let costs = problem.costs(node, at.x(node), at.u(node), memory).ok()?;
    costs.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name)
}
