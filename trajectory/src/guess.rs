//! Initial guesses of solvers.

use crate::fault::{Fault, ProblemError, ProblemPlace};
use crate::half_turn;
use crate::problem::Problem;
use crate::trajectory::Trajectory;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The start at all nodes, without controls. Free durations are those of the phases as built, and parameters are their
/// guesses.
#[must_use]
pub fn standing(problem: &Problem) -> Trajectory {
    let mut guess = Trajectory::zeros(problem);
    for k in 0..=problem.steps() {
        guess.x_mut(k).copy_from_slice(problem.start());
    }
    problem.write_choice(&mut guess);
    guess
}

/// A straight path of configurations from the start to `goal` (nq), with the matching velocities, and no controls.
/// Joints that are half a turn away from it rotate as [`interpolate`](crate::space::interpolate) says.
///
/// # Errors
/// [`ProblemError::Input`] if the goal is not a configuration.
pub fn interpolated(problem: &Problem, goal: &[f64]) -> Result<Trajectory, ProblemError> {
    let model = problem.model();
    let input = |error| ProblemError::Input { place: "the goal of the guess".into(), error: Box::new(error) };
    model.check_configuration(goal).map_err(input)?;
    let (nq, nv) = (model.nq(), model.nv());
    let start = problem.start()[..nq].to_vec();
    let mut velocity = vec![0.0; nv];
    half_turn::difference(model, &start, goal, &mut velocity).map_err(input)?;
    let end = problem.time(problem.steps());
    velocity.iter_mut().for_each(|v| *v /= end);
    let mut guess = standing(problem);
    for k in 1..=problem.steps() {
        let x = guess.x_mut(k);
        half_turn::interpolate(model, &start, goal, problem.time(k) / end, &mut x[..nq]).map_err(input)?;
        x[nq..][..nv].copy_from_slice(&velocity);
    }
    Ok(guess)
}

/// A path of configurations from the start through others, each at its time, s, with the matching velocities, and no
/// controls. After the last of them it stays there.
///
/// # Errors
/// [`ProblemError::Missing`] without a way-point, [`ProblemError::Number`] if times do not ascend from above 0 to at
/// most the end, [`ProblemError::Input`] if a way-point is not a configuration.
pub fn through(problem: &Problem, way_points: &[(f64, Vec<f64>)]) -> Result<Trajectory, ProblemError> {
    let (model, place) = (problem.model(), || "the guess".into());
    let (nq, end) = (model.nq(), problem.time(problem.steps()));
    if way_points.is_empty() {
        return Err(ProblemError::Missing { place: place(), what: "it has no way-point" });
    }
    let mut before = 0.0;
    for (time, q) in way_points {
        // The end is a sum of steps: its last digits are rounding.
        if !(time.is_finite() && *time > before && *time <= end * (1.0 + 1e-9)) {
            let (what, rule) =
                ("the time of a way-point", "times ascend, from above 0 s to the end of the motion at most");
            return Err(ProblemError::Number { place: place(), what, value: *time, rule });
        }
        model.check_configuration(q).map_err(|error| ProblemError::Input { place: place(), error: Box::new(error) })?;
        before = *time;
    }
    let start = problem.start()[..nq].to_vec();
    let mut guess = standing(problem);
    for k in 1..=problem.steps() {
        let t = problem.time(k);
        let i = way_points.partition_point(|(time, _)| *time < t);
        let x = guess.x_mut(k);
        let Some((next, to)) = way_points.get(i) else {
            x[..nq].copy_from_slice(&way_points[way_points.len() - 1].1);
            continue;
        };
        let (last, from) = i.checked_sub(1).map_or((0.0, &start), |i| (way_points[i].0, &way_points[i].1));
        let share = (t - last) / (next - last);
        model
            .interpolate_into(from, to, share, &mut x[..nq])
            .map_err(|error| ProblemError::Input { place: place(), error: Box::new(error) })?;
    }
    set_velocities(problem, &mut guess)?;
    Ok(guess)
}

/// A straight path to `goal` (nq), deflected in a random direction from `seed`, most in the middle: by at most `width`
/// there, rad or m in each degree of freedom. With the matching velocities, and no controls.
///
/// # Errors
/// [`ProblemError::Input`] if the goal is not a configuration, [`ProblemError::Number`] if the width is negative or not
/// finite.
pub fn drawn(problem: &Problem, goal: &[f64], width: f64, seed: u64) -> Result<Trajectory, ProblemError> {
    if !(width.is_finite() && width >= 0.0) {
        let (place, what, rule) = ("the guess".into(), "its width", "it must be finite and not negative");
        return Err(ProblemError::Number { place, what, value: width, rule });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let aside: Vec<f64> = (0..problem.model().nv()).map(|_| width * rng.random_range(-1.0..=1.0)).collect();
    let way = interpolated(problem, goal)?;
    deflected(problem, &way, |s| aside.iter().map(|x| 4.0 * s * (1.0 - s) * x).collect())
}

/// A path with each configuration moved by a direction (nv) that depends on the share of time, 0 to 1, and the matching
/// velocities.
pub(crate) fn deflected(
    problem: &Problem,
    way: &Trajectory,
    by: impl Fn(f64) -> Vec<f64>,
) -> Result<Trajectory, ProblemError> {
    let (nq, end) = (problem.model().nq(), problem.time(problem.steps()));
    let mut made = way.clone();
    for k in 1..=problem.steps() {
        let moved =
            problem.model().integrate_into(&way.x(k)[..nq], &by(problem.time(k) / end), &mut made.x_mut(k)[..nq]);
        moved.map_err(|error| ProblemError::Input { place: "the guess".into(), error: Box::new(error) })?;
    }
    set_velocities(problem, &mut made)?;
    Ok(made)
}

/// Velocities of all nodes but the first that lead from each configuration to the next.
fn set_velocities(problem: &Problem, guess: &mut Trajectory) -> Result<(), ProblemError> {
    let (model, times) = (problem.model(), problem.times(guess));
    let (nq, nv) = (model.nq(), model.nv());
    let mut v = vec![0.0; nv];
    for k in 1..=problem.steps() {
        let h = times[k] - times[k - 1];
        // Impacts take no time.
        if h > 0.0 {
            let between = model.difference_into(&guess.x(k - 1)[..nq], &guess.x(k)[..nq], &mut v);
            between.map_err(|error| ProblemError::Input { place: "the guess".into(), error: Box::new(error) })?;
            v.iter_mut().for_each(|v| *v /= h);
        }
        guess.x_mut(k)[nq..nq + nv].copy_from_slice(&v);
    }
    Ok(())
}

/// Controls that hold each node's configuration still, as well as possible.
///
/// # Errors
/// [`Fault`] if there are none.
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
/// [`Fault`] if a step cannot be evaluated.
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

/// The states and controls of another trajectory, whose steps may have other lengths, evaluated at the times of this
/// problem's nodes.
///
/// `times`: one per state, ascending; `states`: `(q, v)`; `controls`: one less than states, each held until the next
/// time. If a node has another number of controls, they are zero.
///
/// # Errors
/// [`ProblemError`] if lists do not fit each other, or a state is invalid.
pub fn resampled(
    problem: &Problem,
    times: &[f64],
    states: &[Vec<f64>],
    controls: &[Vec<f64>],
) -> Result<Trajectory, ProblemError> {
    let (model, place) = (problem.model(), || "the guess".into());
    let length = |what, expected, found| ProblemPlace::Argument("the guess").check_length(what, expected, found);
    if states.is_empty() {
        return Err(ProblemError::Missing { place: place(), what: "it has no state" });
    }
    length("the list of times", states.len(), times.len())?;
    length("the list of controls", states.len() - 1, controls.len())?;
    let (nq, nv) = (model.nq(), model.nv());
    for x in states {
        length("a state", nq + nv, x.len())?;
        let input = |error| ProblemError::Input { place: place(), error: Box::new(error) };
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
        let input = |error| ProblemError::Input { place: place(), error: Box::new(error) };
        half_turn::interpolate(model, &states[i][..nq], &next[..nq], share, &mut x[..nq]).map_err(input)?;
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

/// If states carry controls: those of the previous step.
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
