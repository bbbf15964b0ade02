//! Ends of solutions that are stored: what fits a problem, and what does not.

use super::{arm, limited};
use crate::solver::warm::{Begin, WarmStart, scaled};
use crate::{Newton, NewtonOptions, Status, guess};

fn stored() -> (crate::Problem, WarmStart) {
    let problem = limited(2);
    let options = NewtonOptions { iterations: 1, ..NewtonOptions::default() };
    let mut solver = Newton::new(&problem, options);
    assert_eq!(solver.warm_start(), None);
    solver.solve(&problem, &guess::standing(&problem));
    let warm = solver.warm_start().expect("one iteration is done");
    (problem, warm)
}

#[test]
fn sizes_and_numbers_must_be_those_of_the_problem() {
    let (problem, warm) = stored();
    assert!(warm.fits(&problem));
    assert!(!warm.fits(&arm(2, &[])) && !warm.fits(&limited(3)));
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    type Change = fn(&mut WarmStart);
    let wrong: [(&str, Change); 10] = [
        ("nodes", |w| {
            w.nodes.pop();
        }),
        ("costate", |w| {
            w.nodes[1].costate.pop();
        }),
        ("equalities", |w| w.nodes[1].equalities.push(0.0)),
        ("slacks", |w| {
            w.nodes[0].slacks.pop();
        }),
        ("lower", |w| w.nodes[0].lower.push(0.0)),
        ("upper", |w| {
            w.nodes[0].upper.pop();
        }),
        ("mu", |w| w.mu = -1e-9),
        ("mu", |w| w.mu = f64::NAN),
        ("scale", |w| w.scale = 0.0),
        ("number", |w| w.nodes[2].costate[0] = f64::INFINITY),
    ];
    for (what, change) in wrong {
        let mut other = warm.clone();
        change(&mut other);
        assert!(!other.fits(&problem), "{what}");
        let report = solver.solve_warm(&problem, &other);
        assert!(matches!(report.status, Status::Fault(_)) && report.iterations == 0, "{what}: {report:?}");
    }
    // Without bounds there is no barrier.
    let mut without = warm;
    without.mu = 0.0;
    assert!(without.fits(&problem));
}

#[test]
fn a_solution_begins_where_it_is_told_to() {
    let (problem, warm) = stored();
    let guess = guess::standing(&problem);
    assert_eq!(Begin::Guess(&guess).trajectory(), Some(&guess));
    assert_eq!(Begin::Warm(&warm).trajectory(), Some(&warm.trajectory));
    assert_eq!(Begin::Last.trajectory(), None);
    assert!(Begin::Guess(&guess).fits(&problem) && Begin::Warm(&warm).fits(&problem) && Begin::Last.fits(&problem));
    assert!(!Begin::Guess(&guess).fits(&limited(3)));
    let mut to = [0.0; 2];
    scaled(&mut to, &[2.0, -4.0], 0.5);
    assert_eq!(to, [1.0, -2.0]);
}
