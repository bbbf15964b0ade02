//! The longest step at which durations and parameters keep their meaning: durations, masses and numbers of joints stay
//! positive, and bodies keep physical inertias. Longer steps are never tried.
//!
//! ```text
//! x + α δx ≥ l + (1 − τ) (x − l)
//! ```

use crate::problem::Problem;
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// τ: numbers come this share of their distance nearer to the limit at most, so that one step leaves room for the next.
const NEARER: f64 = 0.9;
/// A step is halved so often at most before inertias; what is left moves nothing but rounding.
const HALVINGS: usize = 60;

/// The longest step along `δx`, `δu` from a trajectory, at most `most`.
pub(super) fn longest(problem: &Problem, kept: &Trajectory, [dx, du]: [&[DVector<f64>]; 2], most: f64) -> f64 {
    let Some(choice) = problem.choice() else { return most };
    let mut longest = most;
    let mut limit = |least: f64, x: f64, by: f64| {
        if by < 0.0 && x > least {
            longest = longest.min(NEARER * (x - least) / -by);
        }
    };
    let u = kept.u(0);
    for (i, (u, by)) in u.iter().zip(du[0].iter()).enumerate() {
        limit(choice.least(i), *u, *by);
    }
    let n = problem.carried();
    for k in 1..=problem.steps() {
        let (carried, dx) = (problem.carried_of(kept.x(k)), &dx[k].as_slice()[dx[k].len() - n..]);
        for ((least, x), by) in choice.least_carried().iter().zip(carried).zip(dx) {
            limit(*least, *x, *by);
        }
    }
    let start = problem.carried_of(problem.start());
    let physical = |step: f64| choice.is_physical(start, |i| u[i] + step * du[0][i]);
    if !physical(longest) {
        for _ in 0..HALVINGS {
            longest *= 0.5;
            if physical(longest) {
                break;
            }
        }
        // The check has a tolerance, within which nothing shall end.
        longest *= NEARER;
    }
    longest
}

/// Whether bodies have physical inertias with these controls of the first node.
pub(super) fn is_physical(problem: &Problem, u: &[f64]) -> bool {
    problem.choice().is_none_or(|choice| choice.is_physical(problem.carried_of(problem.start()), |i| u[i]))
}

/// States carry what the controls of the first node choose, from the first node on.
pub(super) fn carry(problem: &Problem, kept: &mut Trajectory) {
    let Some(choice) = problem.choice() else { return };
    let n = problem.carried();
    for number in 0..n {
        let Some(control) = choice.control(number) else { continue };
        let chosen = kept.u(0)[control];
        for k in 1..=problem.steps() {
            let x = kept.x_mut(k);
            let first = x.len() - n;
            x[first + number] = chosen;
        }
    }
}
