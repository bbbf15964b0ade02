//! Guesses: where they begin, lead and end, and that velocities are those of the path.

use crate::common::robot;
use gradyn::Model;
use gradyn_trajectory::residual::ControlRate;
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Phase, Problem, ProblemError, Trajectory, guess};
use testing::{numbers, rng};

/// A phase of 5 steps of 0.1 s and one of 10 steps of 0.05 s, from a random state at rest.
fn problem(model: &Model, rates: bool) -> Problem {
    let step = || SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::of(model)));
    let mut first = Phase::new("first", 5, 0.1, step());
    if rates {
        first = first.cost(Cost::new("rate", ControlRate::new()));
    }
    let q = model.random(&mut rng(7));
    let builder = Problem::builder(model).start(&q, &vec![0.0; model.nv()]);
    let builder = builder.phase(first).phase(Phase::new("second", 10, 0.05, step()));
    let zero = vec![0.0; Actuation::of(model).controls()];
    if rates { builder.controls_before(&zero) } else { builder }.build().expect("is a problem")
}

/// The largest difference of two configurations, along the tangent.
fn off(model: &Model, from: &[f64], to: &[f64]) -> f64 {
    model.difference(from, to).expect("are configurations").iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Checks that node k moves from the node before by its velocity, `q_k = q_{k−1} ⊕ h v_k`.
fn assert_velocities(problem: &Problem, at: &Trajectory) {
    let (model, nq, nv) = (problem.model(), problem.model().nq(), problem.model().nv());
    for k in 1..=problem.steps() {
        let h = problem.dt(k - 1);
        let moved: Vec<f64> = at.x(k)[nq..][..nv].iter().map(|v| h * v).collect();
        let there = model.integrate(&at.x(k - 1)[..nq], &moved).expect("is a step");
        // Rounding of logarithms of rotations by up to π.
        assert!(off(model, &there, &at.x(k)[..nq]) < 1e-12, "node {k}");
    }
}

/// A straight path begins at the start, ends at the goal, and is the tangent's share of time in between.
#[test]
fn interpolated_guesses_are_straight_in_time() {
    for (name, floating) in [("panda", false), ("solo12", true)] {
        let model = robot(name, floating);
        let problem = problem(&model, false);
        let goal = model.random(&mut rng(8));
        let at = guess::interpolated(&problem, &goal).expect("is a configuration");
        let (nq, last, start) = (model.nq(), problem.steps(), &problem.start()[..model.nq()]);
        assert_eq!(at.x(0), problem.start());
        assert!(off(&model, &at.x(last)[..nq], &goal) < 1e-12, "{name}");
        let whole = model.difference(start, &goal).expect("are configurations");
        for k in 1..=last {
            let share = problem.time(k) / problem.time(last);
            let so_far = model.difference(start, &at.x(k)[..nq]).expect("are configurations");
            for (part, whole) in so_far.iter().zip(&whole) {
                assert!((part - share * whole).abs() < 1e-12, "{name}, node {k}: {part}");
            }
        }
        assert_velocities(&problem, &at);
        assert!((0..last).all(|k| at.u(k).iter().all(|u| *u == 0.0)));
        assert!(matches!(guess::interpolated(&problem, &goal[1..]), Err(ProblemError::Input { .. })));
    }
}

/// A path through way-points is at each of them at its time, and stays at the last one.
#[test]
fn way_points_are_reached_at_their_times() {
    let model = robot("solo12", true);
    let problem = problem(&model, false);
    let (nq, points) = (model.nq(), [8, 9].map(|seed| model.random(&mut rng(seed))));
    let way = [(0.3, points[0].clone()), (0.7, points[1].clone())];
    let at = guess::through(&problem, &way).expect("is a way");
    for (time, q) in &way {
        let k = (0..=problem.steps()).find(|k| (problem.time(*k) - time).abs() < 1e-9).expect("is a node");
        assert!(off(&model, &at.x(k)[..nq], q) < 1e-12, "at {time} s");
    }
    let last = problem.steps();
    assert!(off(&model, &at.x(last)[..nq], &points[1]) < 1e-12 && at.x(last)[nq..].iter().all(|v| v.abs() < 1e-12));
    assert_velocities(&problem, &at);

    let refused = |way: &[(f64, Vec<f64>)]| guess::through(&problem, way).expect_err("is no way");
    assert!(matches!(refused(&[]), ProblemError::Missing { .. }));
    for times in [[0.0, 0.5], [0.5, 0.5], [0.5, 1.1], [f64::NAN, 0.5]] {
        let way = [(times[0], points[0].clone()), (times[1], points[1].clone())];
        assert!(matches!(refused(&way), ProblemError::Number { what: "the time of a way-point", .. }), "{times:?}");
    }
    assert!(matches!(refused(&[(0.5, vec![0.0; nq - 1])]), ProblemError::Input { .. }));
}

/// A drawn path has the ends of the straight one, leaves it by at most the width, and is the same for the same seed.
#[test]
fn drawn_guesses_leave_the_straight_path_by_their_width() {
    let model = robot("panda", false);
    let problem = problem(&model, false);
    let (nq, last, goal) = (model.nq(), problem.steps(), model.random(&mut rng(8)));
    let straight = guess::interpolated(&problem, &goal).expect("is a configuration");
    let drawn = |width: f64, seed: u64| guess::drawn(&problem, &goal, width, seed).expect("is a guess");
    let mut widest: f64 = 0.0;
    for k in 0..=last {
        let away = off(&model, &straight.x(k)[..nq], &drawn(0.3, 5).x(k)[..nq]);
        widest = widest.max(away);
        assert!(away < 0.3 + 1e-12, "node {k}: {away}");
        assert!((k != 0 && k != last) || away < 1e-12, "node {k}: {away}");
    }
    // Seven numbers drawn from ±0.3: that all are below a third of it has a chance of 5e-4.
    assert!(widest > 0.1, "{widest}");
    assert_velocities(&problem, &drawn(0.3, 5));
    assert_eq!(drawn(0.3, 5), drawn(0.3, 5));
    assert_ne!(drawn(0.3, 5), drawn(0.3, 6));
    for width in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(guess::drawn(&problem, &goal, width, 5), Err(ProblemError::Number { what: "its width", .. })));
    }
}

/// Resampled at its own times, a roll-out is itself, controls of the step before included.
#[test]
fn a_trajectory_at_its_own_times_is_itself() {
    let model = robot("panda", false);
    let problem = problem(&model, true);
    let (last, n, rng) = (problem.steps(), model.nq() + model.nv(), &mut rng(10));
    let mut controls = guess::standing(&problem);
    for k in 0..last {
        let u = numbers(rng, controls.u(k).len());
        controls.u_mut(k).copy_from_slice(&u);
    }
    let at = guess::roll_out(&problem, &controls).expect("runs");
    let times: Vec<f64> = (0..=last).map(|k| problem.time(k)).collect();
    let states: Vec<Vec<f64>> = (0..=last).map(|k| at.x(k)[..n].to_vec()).collect();
    let u: Vec<Vec<f64>> = (0..last).map(|k| at.u(k).to_vec()).collect();
    let again = guess::resampled(&problem, &times, &states, &u).expect("fits");
    for k in 0..=last {
        // Interpolation at share zero rounds once.
        let off = again.x(k).iter().zip(at.x(k)).map(|(x, y)| (x - y).abs() / (1.0 + y.abs())).fold(0.0, f64::max);
        assert!(off < 1e-12, "node {k}: {off:e}");
        assert!(k == last || again.u(k) == at.u(k), "node {k}");
    }

    let refused = |times: &[f64], states: &[Vec<f64>], u: &[Vec<f64>]| {
        guess::resampled(&problem, times, states, u).expect_err("does not fit")
    };
    assert!(matches!(refused(&[], &[], &[]), ProblemError::Missing { .. }));
    assert!(matches!(refused(&times[1..], &states, &u), ProblemError::Length { what: "the list of times", .. }));
    assert!(matches!(refused(&times, &states, &u[1..]), ProblemError::Length { what: "the list of controls", .. }));
    let mut backwards = times.clone();
    backwards.reverse();
    assert!(matches!(refused(&backwards, &states, &u), ProblemError::Number { what: "a time", .. }));
    let mut short = states.clone();
    short[3].pop();
    assert!(matches!(refused(&times, &short, &u), ProblemError::Length { what: "a state", .. }));
}

/// A held state stays where it is: accelerations under static controls are zero where motors reach every joint.
#[test]
fn static_controls_hold_a_fixed_arm() {
    let model = robot("panda", false);
    let problem = problem(&model, false);
    let at = guess::with_static_controls(&problem, guess::standing(&problem)).expect("there are such");
    let (mut memory, mut next) = (problem.memory(), problem.start().to_vec());
    for k in 0..problem.steps() {
        problem.value(k, at.x(k), at.u(k), &mut memory, &mut next, &mut []).expect("runs");
        let most = next.iter().zip(at.x(k)).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
        // Torques of some 1e2 N m, to rounding, over inertias of some 1e-2 kg m², for 0.1 s.
        assert!(most < 1e-10, "node {k}: {most:e}");
    }
}
