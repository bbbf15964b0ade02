//! Where a solver begins.

use crate::fault::{Fault, ProblemError};
use crate::problem::Problem;
use crate::trajectory::Trajectory;

/// The start at all nodes, and no controls; free durations are those that phases were made with, parameters their guesses.
#[must_use]
pub fn standing(problem: &Problem) -> Trajectory {
    let mut guess = Trajectory::zeros(problem);
    for k in 0..=problem.steps() {
        guess.x_mut(k).copy_from_slice(problem.start());
    }
    problem.write_choice(&mut guess);
    guess
}

/// A straight way of configurations from the start to `goal` (nq), with the velocities that it takes, and no controls.
///
/// # Errors
/// [`ProblemError::Input`] if the goal is no configuration.
pub fn interpolated(problem: &Problem, goal: &[f64]) -> Result<Trajectory, ProblemError> {
    let model = problem.model();
    let input = |error| ProblemError::Input { place: "the goal of the guess".into(), error };
    model.check_configuration(goal).map_err(input)?;
    let (nq, nv) = (model.nq(), model.nv());
    let start = problem.start()[..nq].to_vec();
    let mut velocity = vec![0.0; nv];
    model.difference_into(&start, goal, &mut velocity).map_err(input)?;
    let end = problem.time(problem.steps());
    velocity.iter_mut().for_each(|v| *v /= end);
    let mut guess = standing(problem);
    for k in 1..=problem.steps() {
        let x = guess.x_mut(k);
        model.interpolate_into(&start, goal, problem.time(k) / end, &mut x[..nq]).map_err(input)?;
        x[nq..][..nv].copy_from_slice(&velocity);
    }
    Ok(guess)
}

/// Controls that hold each node's configuration still, as well as they can.
///
/// # Errors
/// [`Fault`] where there are none.
#[doc(alias = "quasiStatic")]
pub fn with_static_controls(problem: &Problem, mut guess: Trajectory) -> Result<Trajectory, Fault> {
    let mut memory = problem.memory();
    for k in 0..problem.steps() {
        let mut u = vec![0.0; guess.u(k).len()];
        problem.hold(k, guess.x(k), &mut memory, &mut u)?;
        guess.u_mut(k).copy_from_slice(&u);
    }
    remember(problem, &mut guess);
    Ok(guess)
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
        let mut eq = vec![0.0; problem.dims(k).n_eq + problem.dims(k).n_in];
        problem.value(k, guess.x(k), guess.u(k), &mut memory, &mut next, &mut eq)?;
        guess.x_mut(k + 1).copy_from_slice(&next);
    }
    Ok(guess)
}

/// Another trajectory's states and controls, whose steps may be of other lengths: taken at the times of this problem's nodes.
///
/// `times`: one a state, ascending; `states`: `(q, v)`; `controls`: one less than states, each held until the next time. Where a
/// node has another number of controls they are zero.
///
/// # Errors
/// [`ProblemError`] if lists do not fit each other, or a state is none.
pub fn resampled(
    problem: &Problem,
    times: &[f64],
    states: &[Vec<f64>],
    controls: &[Vec<f64>],
) -> Result<Trajectory, ProblemError> {
    let (model, place) = (problem.model(), || "the guess".to_string());
    let length = |what, expected, found| Err(ProblemError::Length { place: place(), what, expected, found });
    if states.is_empty() {
        return Err(ProblemError::Missing { place: place(), what: "it has no state" });
    }
    if times.len() != states.len() {
        return length("the list of times", states.len(), times.len());
    }
    if controls.len() + 1 != states.len() {
        return length("the list of controls", states.len() - 1, controls.len());
    }
    let (nq, nv) = (model.nq(), model.nv());
    for x in states {
        if x.len() != nq + nv {
            return length("a state", nq + nv, x.len());
        }
        let input = |error| ProblemError::Input { place: place(), error };
        model.check_configuration(&x[..nq]).map_err(input)?;
        model.check_tangent("v", &x[nq..]).map_err(input)?;
    }
    if let Some(pair) = times.windows(2).find(|pair| !(pair[0].is_finite() && pair[1] >= pair[0])) {
        let (what, rule) = ("a time", "times ascend");
        return Err(ProblemError::Number { place: place(), what, value: pair[1], rule });
    }
    let mut guess = standing(problem);
    for k in 0..=problem.steps() {
        let t = problem.time(k);
        // The last state not after this time.
        let i = times.partition_point(|time| *time <= t + 1e-12).saturating_sub(1);
        let x = guess.x_mut(k);
        let span = times.get(i + 1).map_or(0.0, |next| next - times[i]);
        let share = if span > 0.0 { ((t - times[i]) / span).clamp(0.0, 1.0) } else { 0.0 };
        let next = states.get(i + 1).unwrap_or(&states[i]);
        let input = |error| ProblemError::Input { place: place(), error };
        model.interpolate_into(&states[i][..nq], &next[..nq], share, &mut x[..nq]).map_err(input)?;
        for ((x, from), to) in x[nq..].iter_mut().zip(&states[i][nq..]).zip(&next[nq..]) {
            *x = from + share * (to - from);
        }
        let u = guess.u_mut(k);
        // Parameters are chosen where the guess has them.
        if k == 0 && problem.choice().is_some() {
            continue;
        }
        if let Some(from) = controls.get(i.min(controls.len().saturating_sub(1))).filter(|from| from.len() == u.len()) {
            u.copy_from_slice(from);
        }
    }
    remember(problem, &mut guess);
    Ok(guess)
}

/// Where states remember controls: those of the step before.
fn remember(problem: &Problem, guess: &mut Trajectory) {
    let (memory, nx) = (problem.rates(), problem.space().nx() - problem.carried());
    for k in 0..problem.steps() {
        let u = guess.u(k).to_vec();
        let before = guess.x(k)[nx - memory..nx].to_vec();
        // The node that chooses durations and parameters has controls too, but of another kind.
        let remembered = if u.len() == memory && !(k == 0 && problem.choice().is_some()) { &u } else { &before };
        guess.x_mut(k + 1)[nx - memory..nx].copy_from_slice(remembered);
    }
}
