//! The messages of solvers about a problem when they stop.

use super::report::Status;
use crate::fault::{Fault, Reason};
use crate::node::ConstraintRow;
use crate::problem::{Problem, ProblemMemory};
use crate::trajectory::Trajectory;

/// The fault of a guess of other sizes than the problem.
pub(super) fn size_mismatch(problem: &Problem) -> Fault {
    let reason = Reason::Other("the guess, or the solver, has other sizes than the problem".into());
    Fault { node: 0, phase: problem.phase_of(0).into(), term: None, reason: Box::new(reason) }
}

/// The fault of a problem with a constraint that a solver does not keep: of rows between bounds, or, without
/// `equalities`, of any.
pub(super) fn unsupported_constraint(problem: &Problem, equalities: bool) -> Option<Fault> {
    // Solvers that keep equalities alone know no bounds of controls.
    if let Some(name) = problem.choice().filter(|_| equalities).and_then(|choice| choice.bounded()) {
        let reason = Reason::Other("this solver does not keep its bounds; `Fddp`, `Newton` and `Proximal` do".into());
        return Some(Fault { node: 0, phase: problem.phase_of(0).into(), term: Some(name), reason: Box::new(reason) });
    }
    if let Some(fault) = unsupported_cone(problem) {
        return Some(fault);
    }
    let of = |k: usize| {
        let dims = problem.dims(k);
        let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
        problem.bounds(k, &mut lower, &mut upper);
        // Rows without a bound are always kept.
        let bounded = |i: &usize| lower[*i].is_finite() || upper[*i].is_finite();
        let between = (0..dims.n_in).filter(bounded).map(ConstraintRow::Inequality);
        let equal = (0..dims.n_eq).map(ConstraintRow::Equality).filter(|_| !equalities);
        let row = between.chain(equal).find_map(|row| problem.constraint_of(k, row));
        row.map(|name| (k, name))
    };
    let (node, name) = (0..=problem.steps()).find_map(of)?;
    let reason = Reason::Other("this solver does not keep such constraints; `Newton` and `Proximal` do".into());
    Some(Fault { node, phase: problem.phase_of(node).into(), term: Some(name.into()), reason: Box::new(reason) })
}

/// The fault of a problem with a second-order cone, of solvers that keep none.
fn unsupported_cone(problem: &Problem) -> Option<Fault> {
    let first = |k: usize| problem.cones(k).into_iter().find(|rows| !rows.is_empty()).map(|rows| (k, rows.start));
    let (node, row) = (0..=problem.steps()).find_map(first)?;
    let reason = Reason::Other("this solver does not keep second-order cones; `Newton` and `Proximal` do".into());
    let term = problem.constraint_of(node, ConstraintRow::Inequality(row)).map(Into::into);
    Some(Fault { node, phase: problem.phase_of(node).into(), term, reason: Box::new(reason) })
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
