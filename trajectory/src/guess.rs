//! Where a solver begins.

use crate::fault::Fault;
use crate::problem::Problem;
use crate::trajectory::Trajectory;

/// The start at all nodes, and no controls.
#[must_use]
pub fn standing(problem: &Problem) -> Trajectory {
    let mut guess = Trajectory::zeros(problem);
    for k in 0..=problem.steps() {
        guess.x_mut(k).copy_from_slice(problem.start());
    }
    guess
}

/// The roll-out of given controls, from the start: a trajectory without gaps.
///
/// # Errors
/// [`Fault`] where a step cannot be made.
pub fn roll_out(problem: &Problem, controls: &Trajectory) -> Result<Trajectory, Fault> {
    let mut guess = controls.clone();
    let mut memory = problem.memory();
    guess.x_mut(0).copy_from_slice(problem.start());
    let mut next = vec![0.0; problem.space().nx()];
    for k in 0..problem.steps() {
        let mut eq = vec![0.0; problem.dims(k).n_eq];
        problem.value(k, guess.x(k), guess.u(k), &mut memory, &mut next, &mut eq)?;
        guess.x_mut(k + 1).copy_from_slice(&next);
    }
    Ok(guess)
}
