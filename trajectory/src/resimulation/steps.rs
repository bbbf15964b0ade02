//! Each step again, from its own node.

use crate::fault::{Fault, ProblemError};
use crate::node::{At, ConstraintRow, NodeError};
use crate::problem::{Problem, ProblemMemory};
use crate::stage::Stage;
use crate::trajectory::Trajectory;
use std::collections::HashSet;

/// A step in which almost nothing moves has no defect that counts: changes below this share of the largest one of all
/// steps are taken for that. Rounding of a robot that stands is some 1e-10 of what moves elsewhere.
const STILL: f64 = 1e-3;
/// Steps of a lower order go to the next node along `q ⊕ s w` with one velocity w.
const CURVED: u32 = 3;

/// The error of a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepDefect {
    /// Its node, counted from the start of the trajectory.
    pub node: usize,
    /// `|f(x_k, u_k) ⊖ x̂|`, with x̂ where the method of higher order ends: over `(q, v)`, in m, rad, m/s and rad/s.
    pub defect: f64,
    /// `|x̂ ⊖ x_k|`, the change of the state.
    pub change: f64,
    /// The defect over the change; over a thousandth of the largest change of all steps where the step's own is less.
    pub relative: f64,
    /// The order of the step's method: the relative defect of half the step is `2^−order` of this.
    pub order: u32,
}

/// A constraint that is violated between two nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BetweenNodes {
    /// The constraint.
    pub constraint: String,
    /// The name of the row, such as a joint, if it has one.
    pub row: Option<String>,
    /// The node before it, counted from the start of the trajectory.
    pub node: usize,
    /// Where between the nodes it is largest, from 0 to 1.
    pub share: f64,
    /// The largest violation in units of the constraint: m, rad, m/s, rad/s, or N and N m.
    pub violation: f64,
    /// The larger violation at the two nodes themselves, which the solver sees.
    pub at_nodes: f64,
    /// Whether it is on forces, controls or accelerations, and not on the state.
    pub of_forces: bool,
}

/// All steps of a trajectory, integrated again.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepsCheck {
    /// Steps that could be integrated, in order. Jumps, nodes of one's own, and steps of one's own without a method of
    /// higher order have none.
    pub defects: Vec<StepDefect>,
    /// Violations between nodes, the largest one of each constraint and interval, in the order of nodes.
    pub between: Vec<BetweenNodes>,
    /// Steps of positive length that have no method of higher order.
    pub unchecked: usize,
    /// Steps that the method of higher order could not integrate, and the reason.
    pub faults: Vec<Fault>,
}

impl StepsCheck {
    /// The step with the largest relative defect.
    #[must_use]
    pub fn largest(&self) -> Option<&StepDefect> {
        self.defects.iter().max_by(|a, b| a.relative.total_cmp(&b.relative))
    }
}

/// Integrates each step again, from its own node, with its controls held, in `substeps` substeps by a method of higher
/// order.
///
/// Contacts, their gains and closed loops are those of the step; durations and parameters are those of the trajectory.
/// Constraints are checked between the substeps, if they hold along a phase or at both nodes, with the same goal at
/// both. Constraints of the state are also checked along the step's own path, which for Euler's steps and the midpoint
/// rule is a straight line from node to node: a robot that is sent from node to node takes this path. Equalities of
/// steps themselves, of [`InverseDynamics`](crate::step::InverseDynamics), are not checked: they concern controls at
/// nodes.
///
/// Cost: `4 substeps` accelerations a step, and each constraint twice `substeps` times.
///
/// # Errors
/// [`ProblemError`] if the trajectory has other sizes than the problem, or there are no substeps.
pub fn check_steps(problem: &Problem, at: &Trajectory, substeps: usize) -> Result<StepsCheck, ProblemError> {
    problem.check_sizes(at)?;
    at_least_one(substeps)?;
    let mut check = StepsCheck::default();
    let mut memory = problem.memory();
    for k in 0..problem.steps() {
        let Some(stage) = problem.stage(k).filter(|_| problem.dt(k) > 0.0) else { continue };
        match again(problem, stage, (k, at), substeps, &mut memory, &mut check) {
            Ok(()) => {}
            Err(error) => check.faults.push(problem.fault(k, error)),
        }
    }
    let largest = check.defects.iter().map(|defect| defect.change).fold(0.0, f64::max);
    for defect in &mut check.defects {
        let change = defect.change.max(STILL * largest);
        defect.relative = if change > 0.0 { defect.defect / change } else { 0.0 };
    }
    Ok(check)
}

pub(super) fn at_least_one(substeps: usize) -> Result<(), ProblemError> {
    let (what, rule) = ("the number of substeps", "it must be one at least");
    if substeps > 0 { Ok(()) } else { Err(ProblemError::Number { place: "the steps".into(), what, value: 0.0, rule }) }
}

/// One step.
fn again(
    problem: &Problem,
    stage: &Stage,
    (k, trajectory): (usize, &Trajectory),
    substeps: usize,
    memory: &mut ProblemMemory,
    check: &mut StepsCheck,
) -> Result<(), NodeError> {
    let (x, u) = (trajectory.x(k), trajectory.u(k));
    let own = problem.memory_of(k, memory);
    if !stage.has_reference(own)? {
        check.unchecked += 1;
        return Ok(());
    }
    let (space, dims) = (problem.space(), problem.dims(k));
    let (mut planned, mut eq) = (vec![0.0; dims.nx], vec![0.0; dims.n_eq]);
    let made = stage.made(own).map(|(a, f)| a.len() + f.len())?;
    let at = problem.at(k, x, u);
    stage.step(at, own, &mut planned, &mut eq, &mut vec![0.0; made])?;

    let counts = holding(problem, stage, k);
    let any = counts.iter().any(|counts| *counts);
    // Of each constraint: at this node, and the largest after it with its share and its row.
    let mut found = vec![(0.0, 0.0, 0.0, 0); counts.len()];
    let (mut here, mut next) = (x.to_vec(), x.to_vec());
    let part = 1.0 / substeps as f64;
    for s in 0..substeps {
        let at = At { x: &here, ..at };
        stage.substep(at, part, own, &mut next)?;
        if any {
            stage.each_row(at, own, &counts, |i, rows| {
                let (off, row) = rows.violation();
                if s == 0 {
                    found[i].0 = off;
                } else if off > found[i].1 {
                    (found[i].1, found[i].2, found[i].3) = (off, s as f64 * part, row);
                }
            })?;
        }
        std::mem::swap(&mut here, &mut next);
    }
    // The step's own way, where that is a straight line.
    let of_state: Vec<bool> = counts.iter().enumerate().map(|(i, counts)| *counts && !stage.row_of(i, 0).2).collect();
    if stage.order() < CURVED && of_state.iter().any(|counts| *counts) {
        let (mut way, mut part_of) = (vec![0.0; space.ndx()], vec![0.0; space.ndx()]);
        space.difference(x, &planned, &mut way)?;
        way[2 * problem.model().nv()..].fill(0.0);
        for s in 1..substeps {
            let share = s as f64 * part;
            part_of.iter_mut().zip(&way).for_each(|(to, way)| *to = share * way);
            space.integrate(x, &part_of, &mut next)?;
            stage.each_row(At { x: &next, ..at }, own, &of_state, |i, rows| {
                let (off, row) = rows.violation();
                if off > found[i].1 {
                    (found[i].1, found[i].2, found[i].3) = (off, share, row);
                }
            })?;
        }
    }
    let moved = 2 * problem.model().nv();
    let mut difference = vec![0.0; space.ndx()];
    let mut distance = |from: &[f64], to: &[f64]| {
        space.difference(from, to, &mut difference)?;
        Ok::<_, NodeError>(difference[..moved].iter().map(|d| d * d).sum::<f64>().sqrt())
    };
    let (defect, change) = (distance(&here, &planned)?, distance(x, &here)?);
    check.defects.push(StepDefect { node: k, defect, change, relative: 0.0, order: stage.order() });
    if found.iter().all(|(_, off, ..)| *off <= 0.0) {
        return Ok(());
    }
    let after = violations(problem, trajectory, k + 1, memory);
    for (i, (before, violation, share, row)) in found.into_iter().enumerate().filter(|(_, (_, off, ..))| *off > 0.0) {
        let (name, row, of_forces) = stage.row_of(i, row);
        let at_end = after.iter().filter(|(known, _)| *known == name).map(|(_, off)| *off).fold(0.0, f64::max);
        let (constraint, at_nodes) = (name.to_owned(), f64::max(before, at_end));
        check.between.push(BetweenNodes { constraint, row, node: k, share, violation, at_nodes, of_forces });
    }
    Ok(())
}

/// Which constraints of a stage hold between a node and the next.
fn holding(problem: &Problem, stage: &Stage, k: usize) -> Vec<bool> {
    let same = problem.is_same_phase(k, k + 1);
    let names: HashSet<&str> = if same { HashSet::new() } else { counting(problem, k + 1) };
    let is_start = k == usize::from(problem.choice().is_some());
    let of = |at: usize| (at <= problem.steps() && problem.is_same_phase(k, at)).then(|| problem.parameters(at));
    stage.between([k, k + 1, k + 2].map(of), is_start, |name| names.contains(name))
}

/// Names of constraints that count at a node.
fn counting(problem: &Problem, k: usize) -> HashSet<&str> {
    let Some(stage) = problem.stage(k) else { return HashSet::new() };
    let parameters = problem.parameters(k);
    stage.constraints().filter(|(_, slots, _)| parameters[slots.counts] > 0.0).map(|(name, ..)| name).collect()
}

/// How much constraints are violated at a node, by name; none where it cannot be evaluated.
fn violations<'p>(problem: &'p Problem, at: &Trajectory, k: usize, memory: &mut ProblemMemory) -> Vec<(&'p str, f64)> {
    let dims = problem.dims(k);
    let mut next = vec![0.0; if k == problem.steps() { 0 } else { dims.nx }];
    let mut rows = vec![0.0; dims.n_eq + dims.n_in];
    if problem.value(k, at.x(k), at.u(k), memory, &mut next, &mut rows).is_err() {
        return Vec::new();
    }
    let (eq, ineq) = rows.split_at(dims.n_eq);
    let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
    problem.bounds(k, &mut lower, &mut upper);
    let equal = eq.iter().enumerate().map(|(i, c)| (ConstraintRow::Equality(i), c.abs()));
    let between =
        ineq.iter().enumerate().map(|(i, g)| (ConstraintRow::Inequality(i), (lower[i] - g).max(g - upper[i])));
    let cones = problem.cones(k).into_iter().map(|cone| {
        let size = ineq[cone.start + 1..cone.end].iter().map(|x| x * x).sum::<f64>().sqrt();
        (ConstraintRow::Inequality(cone.start), size - ineq[cone.start])
    });
    let all = equal.chain(between).chain(cones);
    all.filter_map(|(row, off)| Some((problem.constraint_of(k, row)?, off.max(0.0)))).collect()
}
