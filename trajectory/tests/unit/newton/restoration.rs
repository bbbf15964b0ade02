//! Restoration: less violation, or the names of what blocks.

use crate::solver::algorithm::{Algorithm, Context, Limits};
use crate::solver::evaluator::Evaluator;
use crate::solver::newton::{InteriorPoint, NewtonOptions};
use crate::solver::report::{Control, Status};
use crate::solver::state::State;
use crate::solver::tests::arm;
use crate::{Problem, guess};

/// Restores from the standing guess: the violation before and after, and how it ended.
fn restored(problem: &Problem, budget: usize) -> ([f64; 2], Result<(), Status>, usize) {
    let options = NewtonOptions { iterations: budget, ..NewtonOptions::default() };
    let evaluator = Evaluator::new(problem, 1, true);
    let mut state = State::new(problem, evaluator.dims(), Limits { iterations: budget, time: None, threads: 1 });
    let mut solver = InteriorPoint::new(problem, &options);
    state.iterate.copy_from(&guess::standing(problem));
    let at = &mut Context { problem, evaluator: &evaluator, state: &mut state };
    solver.start(at);
    solver.linearize(at, true).expect("runs");
    let before = solver.merit(at.state);
    solver.filter.restart(before);
    let ended = solver.restore(at, &mut |_| Control::Continue);
    solver.linearize(at, false).expect("runs");
    assert!(at.state.multipliers.iter().all(|m| m.eq.amax() <= 0.0), "multipliers are left");
    ([before.violation, solver.merit(at.state).violation], ended, at.state.history.len())
}

#[test]
fn violations_become_less_until_the_filter_accepts() {
    let ([before, after], ended, iterations) = restored(&arm(20, &[("there", [0.4, 0.3, 0.5])]), 100);
    assert_eq!(ended, Ok(()));
    // It ends at nine tenths of the violation, with one iteration or more in the history.
    assert!(before > 0.1 && after <= 0.9 * before, "{after} of {before}");
    assert!(iterations > 0);
}

#[test]
fn what_cannot_hold_is_named_and_left_at_its_least() {
    let ([before, after], ended, _) = restored(&arm(20, &[("far", [3.0, 0.0, 0.5])]), 300);
    match ended {
        // A first restoration is content with nine tenths, which stretching the arm may reach.
        Ok(()) => assert!(after <= 0.9 * before, "{after} of {before}"),
        Err(Status::NoFeasiblePoint { constraints }) => {
            assert!(constraints[0].contains("`far`"), "{constraints:?}");
        }
        Err(status) => panic!("{status}"),
    }
}

#[test]
fn it_stops_at_the_limit_of_iterations() {
    let (_, ended, iterations) = restored(&arm(20, &[("far", [3.0, 0.0, 0.5])]), 1);
    assert!(iterations <= 1, "{iterations}");
    assert!(matches!(ended, Ok(()) | Err(Status::IterationLimit)), "{ended:?}");
}
