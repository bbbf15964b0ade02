//! Steps that are too long, split.

use super::steps::StepsCheck;
use crate::fault::{ProblemError, ProblemPlace, Reason};
use crate::problem::Problem;
use crate::trajectory::Trajectory;

/// A step is split into so many pieces at most: a relative defect of a hundred times the tolerance is one that the
/// order of the method does not tell much of.
const MOST: usize = 8;

/// The allowed errors of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tolerances {
    /// The largest relative defect of a step.
    pub step_defect: f64,
    /// The largest violation of a constraint of the state between nodes, beyond that at nodes: m, rad, m/s, rad/s.
    pub constraint: f64,
    /// The same of a constraint of forces, controls or accelerations: N, N m.
    pub force: f64,
}

impl Tolerances {
    /// A defect of 1e-3, a constraint by 1e-3, and forces by a hundredth of the robot's weight.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        // As heavy as it is on Earth, where it floats in space.
        let mass: f64 = problem.model().bodies().iter().map(|body| body.inertia().mass).sum();
        Self { step_defect: 1e-3, constraint: 1e-3, force: 0.01 * 9.81 * mass }
    }
}

impl StepsCheck {
    /// Steps whose relative defect is above the limit.
    pub fn too_long(&self, tolerances: &Tolerances) -> impl Iterator<Item = &super::StepDefect> {
        let most = tolerances.step_defect;
        self.defects.iter().filter(move |defect| defect.relative.is_nan() || defect.relative > most)
    }
    /// Violations between nodes that are above the limit.
    pub fn violated(&self, tolerances: &Tolerances) -> impl Iterator<Item = &super::BetweenNodes> {
        let Tolerances { constraint, force, .. } = *tolerances;
        let most = move |of_forces: bool| if of_forces { force } else { constraint };
        self.between.iter().filter(move |found| found.violation > found.at_nodes + most(found.of_forces))
    }
}

/// The number of pieces for each step of the problem: one if the step is short enough.
///
/// A relative defect of a method of order p falls with the p-th power of the step's length, a violation between nodes
/// with its square. Steps that could not be integrated again are cut in two.
#[must_use]
pub fn pieces(problem: &Problem, check: &StepsCheck, tolerances: &Tolerances) -> Vec<usize> {
    let mut pieces = vec![1; problem.steps()];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 2 to 8")]
    let count = |ratio: f64, power: f64| ratio.powf(1.0 / power).ceil().clamp(2.0, MOST as f64) as usize;
    for found in check.too_long(tolerances) {
        let n = count(found.relative / tolerances.step_defect, f64::from(found.order));
        pieces[found.node] = pieces[found.node].max(n);
    }
    for found in check.violated(tolerances) {
        let (most, power) = if found.of_forces { (tolerances.force, 1.0) } else { (tolerances.constraint, 2.0) };
        let n = count((found.violation - found.at_nodes) / most, power);
        pieces[found.node] = pieces[found.node].max(n);
    }
    for fault in &check.faults {
        pieces[fault.node] = pieces[fault.node].max(2);
    }
    pieces
}

/// The trajectory of a problem as a guess of a finer one, whose steps are those of the first in `pieces` each: states
/// along straight lines between nodes, controls held, durations and parameters as they are.
///
/// # Errors
/// [`ProblemError`] if sizes do not fit.
pub fn split(coarse: &Problem, at: &Trajectory, pieces: &[usize], fine: &Problem) -> Result<Trajectory, ProblemError> {
    coarse.check_sizes(at)?;
    let (place, space) = (ProblemPlace::Argument("the finer problem"), fine.space());
    place.check_length("the list of pieces", coarse.steps(), pieces.len())?;
    place.check_length("the list of steps", pieces.iter().sum(), fine.steps())?;
    place.check_length("a state", coarse.space().nx(), space.nx())?;
    let (mut made, mut node) = (Trajectory::zeros(fine), 0);
    let (mut way, mut part) = (vec![0.0; space.ndx()], vec![0.0; space.ndx()]);
    let input = |reason: Reason| ProblemError::Goal { place: place.clone(), why: reason.to_string() };
    let first = space.nx() - space.memory;
    for (k, n) in pieces.iter().enumerate() {
        space.difference(at.x(k), at.x(k + 1), &mut way).map_err(input)?;
        for s in 0..*n {
            let share = s as f64 / *n as f64;
            part.iter_mut().zip(&way).for_each(|(part, way)| *part = share * way);
            space.integrate(at.x(k), &part, made.x_mut(node)).map_err(input)?;
            // What is remembered are the controls held from the first piece on, and what is carried along.
            let remembered = &at.x(if s == 0 { k } else { k + 1 })[first..];
            made.x_mut(node)[first..].copy_from_slice(remembered);
            place.check_length("the list of a node's controls", at.u(k).len(), made.u(node).len())?;
            made.u_mut(node).copy_from_slice(at.u(k));
            node += 1;
        }
    }
    made.x_mut(node).copy_from_slice(at.x(coarse.steps()));
    Ok(made)
}
