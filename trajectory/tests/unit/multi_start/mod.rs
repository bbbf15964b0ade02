//! Which guesses follow each other, and which attempt is kept.

use super::variations::variations;
use super::{ConstrainedSolver, Guess, MultiStart, MultiStartOptions, is_better, leads_nowhere, shorter};
use crate::fault::{Fault, Reason};
use crate::residual::{Control, StateError};
use crate::solver::tests::arm;
use crate::solver::{Report, Status};
use crate::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use crate::{Cost, Phase, Problem, guess};
use gradyn::UrdfOptions;
use std::time::Duration;

fn report(status: Status, cost: f64, violation: f64) -> Report {
    Report { cost, violation, ..Report::new(status, &[]) }
}

fn fault() -> Status {
    let reason = Box::new(Reason::NoGuess);
    Status::Fault(Fault { node: 0, phase: "a".into(), term: None, reason })
}

#[test]
fn of_two_attempts_the_one_closer_to_a_solution_is_better() {
    let blocked = || Status::NoFeasiblePoint { constraints: Vec::new() };
    // From the best to the worst.
    let order = [
        report(Status::Converged, 1.0, 1e-9),
        report(Status::Converged, 2.0, 1e-12),
        report(Status::Converged, 0.0, 1e-3),
        report(Status::Acceptable, 0.0, 0.0),
        report(Status::IterationLimit, 1.0, 1e-7),
        report(Status::Diverged, 2.0, 0.0),
        report(blocked(), 0.0, 0.1),
        report(Status::TimeLimit, 0.0, 0.2),
        report(fault(), 0.0, 0.0),
    ];
    for (i, a) in order.iter().enumerate() {
        for (j, b) in order.iter().enumerate() {
            assert_eq!(is_better(a, b), i < j, "{i}, {j}");
        }
    }
    // Nothing that is no number is better than anything.
    assert!(!is_better(&report(Status::Diverged, 0.0, f64::NAN), &report(Status::Diverged, 0.0, 1.0)));
}

#[test]
fn another_attempt_follows_what_may_end_elsewhere() {
    for (status, evaluated, expected) in [
        (Status::Converged, true, false),
        (Status::Acceptable, true, false),
        (Status::Stopped, true, false),
        (Status::TimeLimit, true, false),
        (Status::Diverged, true, true),
        (Status::IterationLimit, true, true),
        (Status::Stalled { node: 0, term: None }, true, true),
        (Status::NoFeasiblePoint { constraints: Vec::new() }, false, true),
        (fault(), true, true),
        // That the guess cannot be evaluated is not hidden.
        (fault(), false, false),
    ] {
        assert_eq!(leads_nowhere(&status, evaluated), expected, "{status}");
    }
    let seconds = |x| Some(Duration::from_secs(x));
    assert_eq!(shorter(seconds(1), seconds(2)), seconds(1));
    assert_eq!(
        (shorter(None, seconds(2)), shorter(seconds(3), None), shorter(None, None)),
        (seconds(2), seconds(3), None)
    );
}

/// A floating body that is to turn, in a free time.
fn free() -> Problem {
    let model = testing::robot("quadrotor", &UrdfOptions::new().floating_base(true));
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(model.nv())));
    let phase = Phase::new("turn", 4, 0.1, step).cost(Cost::new("force", Control::zero())).free_duration(0.3, 1.0);
    let there = Cost::new("there", StateError::neutral(&model));
    Problem::builder(&model).phase(phase).last(there).build().expect("a problem")
}

#[test]
fn variations_follow_in_their_order_without_an_end() {
    let problem = free();
    let guess = Guess { name: "standing".into(), trajectory: guess::standing(&problem), warm: None };
    let take = |seed: u64| variations(&problem, &guess, ConstrainedSolver::Newton, seed).take(26).collect::<Vec<_>>();
    let all = take(3);
    let names: Vec<_> = all.iter().map(|(name, _, method)| (name.as_str(), method.name())).collect();
    // Of 0.4 s: twice is 0.8, half is the bound 0.3; four times and more are both bounds, which are tried once more.
    assert_eq!(
        names[..5],
        [
            ("standing, durations × 2", "newton"),
            ("standing, durations × 0.5", "newton"),
            ("standing", "proximal"),
            ("along the way to the goal", "newton"),
            ("along the way to the goal", "proximal"),
        ]
    );
    for (made, seconds) in all.iter().zip([0.8, 0.3]) {
        let found = problem.duration("turn", &made.1).expect("is free");
        assert!((found - seconds).abs() < 1e-15, "{found}");
    }
    // A turn this way and that about each axis, by each solver.
    let turns = names.iter().filter(|(name, _)| name.starts_with("a turn of ")).count();
    assert_eq!(turns, 12);
    let drawn = |all: &[(String, crate::Trajectory, ConstrainedSolver)]| {
        all.iter().find(|x| x.0 == "deflected aside, draw 1").map(|x| x.1.clone()).expect("is drawn")
    };
    assert_eq!(names.iter().filter(|(name, _)| name.starts_with("deflected aside")).count(), 26 - 9 - 12);
    // The same seed draws the same, another one something else.
    assert_eq!(drawn(&all), drawn(&take(3)));
    assert_ne!(drawn(&all), drawn(&take(4)));
    assert!(all.iter().all(|(_, made, _)| made.fits(&problem)));
    // Nothing to scale and nothing that turns: the other solver, the way, and draws.
    let problem = arm(3, &[]);
    let guess = Guess { name: "standing".into(), trajectory: guess::standing(&problem), warm: None };
    let first: Vec<_> = variations(&problem, &guess, ConstrainedSolver::Proximal, 0).take(5).map(|x| x.0).collect();
    let way = "along the way to the goal";
    assert_eq!(first, ["standing", way, way, "deflected aside, draw 1", "deflected aside, draw 1"]);
}

#[test]
fn without_a_guess_nothing_is_done() {
    let problem = arm(2, &[]);
    let mut solver = MultiStart::new(&problem, MultiStartOptions::default());
    let report = solver.solve(&problem, &[]);
    assert!(matches!(&report.status, Status::Fault(fault) if *fault.reason == Reason::NoGuess), "{report:?}");
    assert!(solver.riccati().is_none() && solver.multipliers(0).is_none() && solver.warm_start().is_none());
    assert_eq!(solver.control_multiplier(0, 0), None);
}
