//! Variations of a guess: for the other solver, along the path to the goal, with other durations, with full turns, and
//! random.

use super::{ConstrainedSolver, Guess};
use crate::guess::{deflected, drawn, interpolated, with_static_controls};
use crate::problem::Problem;
use crate::trajectory::Trajectory;
use gradyn::joint::{Geometry, JointKind};
use std::f64::consts::TAU;

/// Durations are tried times and by these, those that are free.
const FACTORS: [f64; 6] = [2.0, 0.5, 4.0, 0.25, 16.0, 0.0625];
/// Of drawn guesses: how far their middle is from the straight way, rad or m.
const WIDTH: f64 = 1.0;

/// What is tried after a guess, in this order, without an end if anything can be drawn.
pub(super) fn variations<'p>(
    problem: &'p Problem,
    guess: &Guess,
    first: ConstrainedSolver,
    seed: u64,
) -> impl Iterator<Item = (String, Trajectory, ConstrainedSolver)> + 'p {
    let (name, given) = (guess.name.clone(), guess.trajectory.clone());
    let goal = problem.goal_state().unwrap_or_else(|| problem.start().to_vec());
    let (q, of_given) = (goal[..problem.model().nq()].to_vec(), given.clone());
    let straight = interpolated(problem, &q).ok().map(|way| carry(problem, &given, way));
    let [near, far] = [&FACTORS[..2], &FACTORS[2..]].map(|factors| {
        let of =
            |factor: &f64| scaled(problem, &given, *factor).map(|made| (format!("{name}, durations × {factor}"), made));
        factors.iter().filter_map(of).collect::<Vec<_>>()
    });
    let both = move |name: String, made: Trajectory| [(name.clone(), made.clone(), first), (name, made, first.other())];
    let alone = move |(name, made): (String, Trajectory)| (name, made, first);
    let others = std::iter::once((name.clone(), given.clone(), first.other()));
    let along = straight.clone().into_iter().flat_map(move |made| both("along the way to the goal".into(), made));
    let turned = straight.clone().map(|way| turns(problem, &way)).unwrap_or_default();
    let turned = turned.into_iter().flat_map(move |(name, made)| both(name, made));
    let asides = (1..).map_while(move |k| {
        let made = drawn(problem, &q, WIDTH, seed.wrapping_add(k)).ok()?;
        Some((format!("deflected aside, draw {k}"), carry(problem, &of_given, made)))
    });
    let asides = asides.flat_map(move |(name, made)| both(name, made));
    let near = near.into_iter().map(alone);
    let far = far.into_iter().map(alone);
    near.chain(others).chain(along).chain(far).chain(turned).chain(asides)
}

/// A guess with durations and parameters of another one.
fn carry(problem: &Problem, from: &Trajectory, mut to: Trajectory) -> Trajectory {
    let (carried, nx) = (problem.carried(), problem.space().nx());
    for k in 0..=problem.steps() {
        let (of, at) = (&from.x(k)[nx - carried..], &mut to.x_mut(k)[nx - carried..]);
        at.copy_from_slice(of);
    }
    if problem.choice().is_some() {
        to.u_mut(0).copy_from_slice(from.u(0));
    }
    held(problem, to)
}

/// With controls that hold each configuration still, where there are any.
fn held(problem: &Problem, guess: Trajectory) -> Trajectory {
    with_static_controls(problem, guess.clone()).unwrap_or(guess)
}

/// The guess with all free durations times a factor, as far as their bounds let them; `None` if none changes.
/// Velocities go with them.
fn scaled(problem: &Problem, guess: &Trajectory, factor: f64) -> Option<Trajectory> {
    let mut made = guess.clone();
    let mut changed = false;
    for (phase, [least, most]) in problem.free_durations() {
        let before = problem.duration(phase, guess).ok()?;
        let after = (factor * before).clamp(least, most);
        changed |= (after - before).abs() > 1e-3 * before;
        problem.set_duration(phase, after, &mut made).ok()?;
    }
    changed.then_some(made)
}

/// The way with whole turns of joints that turn in space: one this way or that about each of their axes.
fn turns(problem: &Problem, way: &Trajectory) -> Vec<(String, Trajectory)> {
    let model = problem.model();
    let mut made = Vec::new();
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let axes: &[usize] = match body.joint().geometry() {
            Geometry::Flat => &[],
            Geometry::Se2 => &[2],
            Geometry::So3 => &[0, 1, 2],
            Geometry::Se3 => &[3, 4, 5],
        };
        for axis in axes {
            for sign in [1.0, -1.0] {
                let mut turn = vec![0.0; model.nv()];
                turn[body.v_range().start + axis] = sign * TAU;
                let name = format!(
                    "a turn of {} about {}{}",
                    body.joint_name(),
                    if sign > 0.0 { "+" } else { "-" },
                    ["x", "y", "z"][axis % 3]
                );
                let way = deflected(problem, way, |s| turn.iter().map(|x| s * x).collect());
                made.extend(way.map(|way| (name, held(problem, way))));
            }
        }
    }
    made
}
