//! Problems are solved from random starts: a small part of what `benches/peers/robustness.py` compares with other
//! programs.

use crate::{problems, starts};
use gradyn_trajectory::{Fddp, FddpOptions, Newton, NewtonOptions};

/// How many of the first starts of a problem both solvers solve, with 500 iterations at most.
fn solved(name: &str, count: usize) -> (usize, usize) {
    let mut problem = problems::by_name(name).expect("is a problem");
    let mut options = FddpOptions::default();
    options.iterations = 500;
    let mut fddp = Fddp::new(&problem, options);
    let mut options = NewtonOptions::default();
    options.iterations = 500;
    let mut newton = Newton::new(&problem, options);
    let (mut by_fddp, mut by_newton) = (0, 0);
    for start in starts::starts(name, &problem, count) {
        let guess = start.apply(&mut problem).expect("is a state");
        by_fddp += usize::from(fddp.solve(&problem, &guess).status.is_solved());
        by_newton += usize::from(newton.solve(&problem, &guess).status.is_solved());
    }
    println!("{name}: {by_fddp} and {by_newton} of {count}");
    (by_fddp, by_newton)
}

fn check(name: &str, count: usize, (fddp, newton): (usize, usize)) {
    let found = solved(name, count);
    assert!(found.0 >= fddp, "{name}: FDDP solves {} of {count}, expected {fddp}", found.0);
    assert!(found.1 >= newton, "{name}: Newton solves {} of {count}, expected {newton}", found.1);
}

// Measured of 20, 15 and 10 starts: 20 and 20, 15 and 15, 10 and 10. Of the first ones, as many as here, both solve
// all.

#[test]
fn a_double_pendulum_swings_up_from_almost_anywhere() {
    check("double_pendulum", 6, (6, 6));
}

#[test]
fn a_quadrotor_flies_through_a_gate_from_any_attitude() {
    check("quadrotor", 5, (5, 5));
}

#[test]
fn an_arm_reaches_from_anywhere() {
    check("panda_reach", 4, (4, 4));
}
