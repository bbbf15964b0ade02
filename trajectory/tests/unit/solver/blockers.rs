//! Names of constraints that block each other.

use super::arm;
use crate::Status;
use crate::solver::blockers::Blockers;

#[test]
fn each_name_stands_once_and_the_largest_first() {
    let problem = arm(2, &[("here", [0.4, 0.2, 0.5]), ("there", [0.4, -0.2, 0.5])]);
    let mut blockers = Blockers::new(&problem, 0.1);
    for (row, size) in [(0, 0.2), (3, 0.5), (4, 0.7), (1, 0.3), (2, 0.1), (5, f64::NAN)] {
        blockers.add_equality(2, row, size);
    }
    blockers.add_row(0, 7, 3, 0.6);
    let Status::NoFeasiblePoint { constraints } = blockers.status() else { panic!("another status") };
    let phase = problem.phase_of(2);
    let expected = [
        format!("`there` of phase `{phase}`"),
        "bounds of controls of phase `reach`".into(),
        format!("`here` of phase `{phase}`"),
    ];
    assert_eq!(constraints, expected);
}
