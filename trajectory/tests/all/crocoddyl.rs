//! Iterates are those of Crocoddyl 3.2.1, which `golden/with_crocoddyl.py` recorded.

use crate::problems;
use gradyn_trajectory::{Fddp, FddpOptions, Status, guess};
use serde_json::Value;

const GOLDEN: &str = include_str!("../golden/crocoddyl.json");

fn number(x: &Value) -> f64 {
    x.as_f64().expect("a number")
}

fn off(found: f64, expected: f64) -> f64 {
    (found - expected).abs() / expected.abs()
}

/// Cost, step and regularization of the first 15 iterations, the number of iterations, the final cost.
fn compare(name: &str) {
    let golden: Value = serde_json::from_str(GOLDEN).expect("the file is JSON");
    let golden = &golden[name];
    let problem = problems::by_name(name).expect("is a problem");
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &guess::standing(&problem));
    let iterations = golden["iterations"].as_array().expect("a list");
    // Shown when something differs.
    for (found, expected) in solver.history().iter().zip(iterations) {
        let cost = off(found.cost, number(&expected["cost"]));
        println!(
            "{:3} {:.12e} {cost:8.1e} {:.1e} {} {} {:.0e} {:.0e}",
            found.iteration,
            found.cost,
            off(found.expected_decrease.unwrap_or(f64::NAN), number(&expected["expected"])),
            found.step,
            expected["step"],
            found.regularization,
            number(&expected["regularization"]),
        );
    }
    for (found, expected) in solver.history().iter().zip(iterations).take(15) {
        let k = found.iteration;
        // Rounding grows from iteration to iteration; a step of another length or a wrong term is seen at once.
        assert!(off(found.cost, number(&expected["cost"])) < 1e-6, "{name}, iteration {k}: cost {}", found.cost);
        assert!(off(found.step, number(&expected["step"])) < 1e-6, "{name}, iteration {k}: step {}", found.step);
        let regularization = number(&expected["regularization"]);
        assert!(off(found.regularization, regularization) < 1e-6, "{name}, iteration {k}: {}", found.regularization);
    }
    assert_eq!(report.status, Status::Converged, "{name}");
    assert!(report.iterations.abs_diff(iterations.len()) <= 1, "{name}: {} iterations", report.iterations);
    // Both stop within 1e-9 of what they expect to gain.
    let last = number(&iterations[iterations.len() - 1]["cost"]);
    assert!(off(report.cost, last) < 1e-8, "{name}: final cost {}, expected {last}", report.cost);
}

#[test]
fn an_arm_reaches_between_bounds_as_crocoddyls_does() {
    compare("panda_bounded");
}

#[test]
fn an_arm_reaches_as_crocoddyls_does() {
    compare("panda_reach");
}

#[test]
fn a_quadruped_trots_as_crocoddyls_does() {
    compare("solo12_trot");
}

#[test]
fn a_humanoid_squats_as_crocoddyls_does() {
    compare("g1_squat");
}
