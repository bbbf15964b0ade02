//! Optima of `Newton` by a second route: the nonlinear program, solved by `pounce-rs`.

#![cfg(feature = "pounce")]

#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;

use gradyn_trajectory::nlp::{PounceOptions, solve_by_pounce};
use gradyn_trajectory::{Newton, NewtonOptions, Problem, Status, guess};

fn off<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

fn agrees(problem: Problem) {
    // The two take turns on two threads.
    testing::within_limit(move || compare(&problem));
}

fn compare(problem: &Problem) {
    let start = guess::standing(problem);
    let mut newton = Newton::new(problem, NewtonOptions::default());
    let ours = newton.solve(problem, &start);
    let theirs = solve_by_pounce(problem, &start, &PounceOptions::default()).expect("a report");
    assert_eq!((&ours.status, &theirs.status), (&Status::Converged, &Status::Converged));
    let cost = (ours.cost - theirs.cost).abs() / theirs.cost.abs();
    assert!(cost < 1e-7, "cost: {cost:e}");
    assert!(theirs.violation < 1e-8, "violation: {:e}", theirs.violation);
    for k in 0..=problem.steps() {
        let (a, b) = (newton.multipliers(k), &theirs.multipliers.nodes[k]);
        let most = off(&a.next, &b.next).max(off(&a.eq, &b.eq)).max(off(&a.ineq, &b.ineq));
        assert!(most < 1e-4, "multipliers of node {k}: {most:e}");
        for (i, z) in theirs.controls[k].iter().enumerate() {
            let ours = newton.control_multiplier(k, i).unwrap_or(0.0);
            assert!(off([&ours], [z]) < 1e-4, "bound of control {i} of node {k}: {ours} {z}");
        }
    }
}

#[test]
fn the_arm_within_limits_has_the_optimum_that_pounce_finds() {
    agrees(problems::by_name("panda_limits").expect("a problem"));
}

#[test]
fn the_quadrotor_has_the_optimum_that_pounce_finds() {
    agrees(problems::by_name("quadrotor").expect("a problem"));
}
