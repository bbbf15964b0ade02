//! The messages of solvers about a problem when they stop.

use super::report::Status;
use crate::fault::{Fault, Reason};
use crate::node::ConstraintRow;
use crate::problem::{Problem, ProblemMemory};
use crate::trajectory::Trajectory;

/// The fault of a guess of other sizes than the problem.
pub(super) fn size_mismatch(problem: &Problem) -> Fault {
    let reason = Reason::SizeMismatch { what: "the guess, or the solver,", of: "the problem" };
    Fault { node: 0, phase: problem.phase_of(0).into(), term: None, reason: Box::new(reason) }
}

/// Solvers that support all constraints.
const SUPPORT_ALL: &[&str] = &["`Newton`", "`Proximal`"];
/// Solvers that support control bounds.
const SUPPORT_BOUNDS: &[&str] = &["`Fddp`", "`Newton`", "`Proximal`"];

/// The fault of a problem with control bounds, of algorithms that do not support them.
pub(super) fn unsupported_bounds(problem: &Problem) -> Option<Fault> {
    let bounded = |k: &usize| {
        let bounds = problem.node(*k).control_bounds();
        bounds.is_some_and(|(lower, upper)| lower.iter().chain(upper).any(|x| x.is_finite()))
    };
    let node = (0..problem.steps()).find(bounded)?;
    let reason = Reason::UnsupportedConstraint { what: "bounds of controls", solvers: SUPPORT_BOUNDS };
    Some(of_dynamics(problem, node, reason))
}

/// The fault of a problem with constraints beside control bounds, of algorithms that support none.
pub(super) fn unsupported_constraint(problem: &Problem) -> Option<Fault> {
    let fault = |node: usize, row: ConstraintRow, what: &'static str| {
        let term = problem.constraint_of(node, row).map(Into::into);
        let reason = Reason::UnsupportedConstraint { what, solvers: SUPPORT_ALL };
        Fault { node, phase: problem.phase_of(node).into(), term, reason: Box::new(reason) }
    };
    let cone = |k: usize| problem.cones(k).into_iter().find(|rows| !rows.is_empty()).map(|rows| (k, rows.start));
    if let Some((node, row)) = (0..=problem.steps()).find_map(cone) {
        return Some(fault(node, ConstraintRow::Inequality(row), "second-order cones"));
    }
    let of = |k: usize| {
        let dims = problem.dims(k);
        let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
        problem.bounds(k, &mut lower, &mut upper);
        // Rows without a bound always hold.
        let bounded = |i: &usize| lower[*i].is_finite() || upper[*i].is_finite();
        let between = (0..dims.n_in).filter(bounded).map(ConstraintRow::Inequality);
        let equal = (0..dims.n_eq).map(ConstraintRow::Equality);
        let row = between.chain(equal).find(|row| problem.constraint_of(k, *row).is_some());
        row.map(|row| fault(k, row, "such constraints"))
    };
    (0..=problem.steps()).find_map(of)
}

/// A fault of a node's dynamics.
pub(super) fn of_dynamics(problem: &Problem, node: usize, reason: Reason) -> Fault {
    Fault { node, phase: problem.phase_of(node).into(), term: None, reason: Box::new(reason) }
}

/// The cost with the largest gradient at a node; where none has one there, at any node.
pub(super) fn worst_term(
    problem: &Problem,
    at: &Trajectory,
    node: usize,
    memory: &mut ProblemMemory,
) -> Option<String> {
    let mut steepest = |k: usize| {
        let all = problem.gradients(k, at.x(k), at.u(k), memory).unwrap_or_default();
        all.into_iter().filter(|(_, gradient)| *gradient > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
    };
    if let Some((name, _)) = steepest(node) {
        return Some(name);
    }
    let all = (0..=problem.steps()).filter_map(steepest);
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name)
}

/// Names an option that is not positive and finite.
pub(super) fn all_positive(options: &[(&str, f64)]) -> Result<(), String> {
    match options.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
        Some((name, value)) => Err(format!("the option `{name}` is {value}: it must be positive and finite")),
        None => Ok(()),
    }
}

/// Beyond this, costs count as unbounded: squares of what no robot does.
const UNBOUNDED: f64 = 1e25;

/// Whether costs are unbounded.
pub(super) fn is_unbounded(cost: f64) -> bool {
    cost.abs() >= UNBOUNDED || cost.is_nan()
}

/// What to say where no step improves any more.
///
/// Near a solution, what a step gains is less than the rounding of the cost, which is a sum over nodes: there it is
/// acceptable.
pub(super) fn stall_status(
    cost: f64,
    gaps_closed: bool,
    expected: f64,
    tolerance: f64,
    otherwise: impl FnOnce() -> Status,
) -> Status {
    let rounding = 1e3 * f64::EPSILON * cost.abs();
    if gaps_closed && expected <= 100.0 * tolerance + rounding { Status::Acceptable } else { otherwise() }
}
