//! What is said of problems of which it is known beforehand whether they have a solution.

use crate::drawn::drawn;
use crate::verdicts::{feasible, infeasible, slider};
use gradyn_trajectory::residual::{Control, StateError};
use gradyn_trajectory::solver::{Guess, MultiStart, MultiStartOptions};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Certificate, Cost, PathConstraint, Phase, Problem, Status, certificate, guess};

/// No feasible problem is called infeasible, and 98 of 100 are solved with 2000 iterations at most: all but one of 40.
#[test]
fn feasible_problems_are_solved() {
    let mut left = Vec::new();
    for seed in 0..40 {
        let (problem, guess) = feasible(seed).expect("a problem");
        assert_eq!(certificate::find(&problem), None, "seed {seed} has a solution");
        let mut solver = MultiStart::new(&problem, MultiStartOptions::default());
        let report = solver.solve(&problem, &[guess]);
        assert!(report.iterations <= 2000, "seed {seed}: {}", report.iterations);
        assert_eq!(report.iterations, solver.history().len());
        if !report.status.is_solved() {
            left.push((seed, report.status, report.violation));
        }
    }
    assert!(left.len() <= 1, "{left:?}");
}

/// 95 of 100 infeasible problems name their reason, and none is called solved.
#[test]
fn infeasible_problems_name_their_reason() {
    let mut other = Vec::new();
    for seed in 0..40 {
        let (problem, is_reason) = infeasible(seed).expect("a problem");
        match certificate::find(&problem) {
            Some(proof) if is_reason(&proof) => {}
            found => other.push((seed, found.map(|proof| proof.to_string()))),
        }
    }
    assert!(other.len() <= 2, "{other:?}");
}

/// From rest to rest, N steps of h with |u| ≤ 1 and m = 1 kg lead h² N²/4 far: a goal a thousandth beyond is refuted,
/// one within is reached.
#[test]
fn forces_lead_so_far_and_no_further() {
    let (nodes, dt) = (20, 0.1);
    let furthest = (dt * f64::from(nodes)).powi(2) / 4.0;
    let to = |goal: f64| {
        let model = slider().expect("a robot");
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let go = Phase::new("go", 20, dt, step)
            .cost(Cost::new("force", Control::zero()).weight(1e-3))
            .control_bounds(&[-1.0], &[1.0]);
        let there = PathConstraint::equal("there", StateError::at(&model, &[goal], &[0.0]));
        Problem::builder(&model).phase(go).last_constraint(there).build().expect("a problem")
    };
    let beyond = certificate::find(&to(1.001 * furthest));
    let Some(Certificate::Farkas { constraints, gap }) = &beyond else { panic!("{beyond:?}") };
    assert!(constraints.iter().any(|name| name.contains("there")), "{constraints:?}");
    assert!(constraints.iter().any(|name| name.contains("bounds of controls")), "{constraints:?}");
    assert!(*gap > 0.0);
    let within = to(0.999 * furthest);
    assert_eq!(certificate::find(&within), None);
    let standing = Guess { name: "standing".into(), trajectory: guess::standing(&within), warm: None };
    let report = MultiStart::new(&within, MultiStartOptions::default()).solve(&within, &[standing]);
    assert_eq!(report.status, Status::Converged, "{report:?}");
}

/// With motors that are too weak to lift what they lift, as many are solved as Ipopt solves from the same guess.
#[test]
fn weak_motors_swing_up_as_often_as_with_ipopt() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/weak_motors.json");
    let golden: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("a file")).expect("JSON");
    // The first ten that Ipopt solves, to be short; the bench `verdicts` tries all.
    for family in ["cart_pole_weak", "acrobot_weak"] {
        let seeds = golden[family].as_array().expect("a list");
        let solved = seeds.iter().take(10).filter(|seed| {
            let (problem, trajectory) = drawn(family, seed.as_u64().expect("a seed")).expect("a problem");
            let guess = Guess { name: "standing".into(), trajectory, warm: None };
            MultiStart::new(&problem, MultiStartOptions::default()).solve(&problem, &[guess]).status.is_solved()
        });
        assert_eq!(solved.count(), 10, "{family}");
    }
}

/// What is refuted still gets one attempt, which says how near it came.
#[test]
fn a_refuted_problem_is_tried_once() {
    let (problem, _) = infeasible(5).expect("a problem");
    let standing = Guess { name: "standing".into(), trajectory: guess::standing(&problem), warm: None };
    let report = MultiStart::new(&problem, MultiStartOptions::default()).solve(&problem, &[standing]);
    assert!(matches!(report.status, Status::Infeasible(_)), "{report:?}");
    assert_eq!(report.attempts.len(), 1);
    assert!(report.violation > 1e-3 && report.violation.is_finite(), "{report:?}");
}
