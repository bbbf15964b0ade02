//! What holds for every algorithm, those of this crate and one of a user: each test runs over all of them.

use crate::common::{ARM, reach, robot};
use crate::own_algorithm::{Ilqr, IlqrOptions};
use crate::problems;
use gradyn_trajectory::residual::{Control as ControlResidual, FrameTranslation, StateError};
use gradyn_trajectory::solver::{Algorithm, AugmentedLagrangian, FeasibilityDriven, InteriorPoint, Solver};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Control, Cost, FddpOptions, NewtonOptions, PathConstraint, Phase, Problem, ProblemBuilder, ProximalOptions, Report,
    Status, Trajectory, guess,
};
use std::time::Duration;

/// The options that tests set.
trait Common: Algorithm {
    fn options(iterations: usize, threads: usize) -> Self::Options;
    fn with_time(options: Self::Options, time: Duration) -> Option<Self::Options>;
}

macro_rules! common {
    ($algorithm:ident, $options:ident) => {
        impl Common for $algorithm {
            fn options(iterations: usize, threads: usize) -> $options {
                let mut options = $options::default();
                (options.iterations, options.threads) = (iterations, threads);
                options
            }
            fn with_time(mut options: $options, time: Duration) -> Option<$options> {
                options.time = Some(time);
                Some(options)
            }
        }
    };
}
common!(InteriorPoint, NewtonOptions);
common!(AugmentedLagrangian, ProximalOptions);
common!(FeasibilityDriven, FddpOptions);

impl Common for Ilqr {
    fn options(iterations: usize, threads: usize) -> IlqrOptions {
        IlqrOptions { iterations, threads, ..IlqrOptions::default() }
    }
    fn with_time(_: IlqrOptions, _: Duration) -> Option<IlqrOptions> {
        None
    }
}

/// Runs a generic test over all algorithms.
macro_rules! each {
    ($test:ident $(, $argument:expr)*) => {
        $test::<InteriorPoint>($($argument),*);
        $test::<AugmentedLagrangian>($($argument),*);
        $test::<FeasibilityDriven>($($argument),*);
        $test::<Ilqr>($($argument),*);
    };
}

/// Runs one over those that keep all constraints.
macro_rules! each_constrained {
    ($test:ident $(, $argument:expr)*) => {
        $test::<InteriorPoint>($($argument),*);
        $test::<AugmentedLagrangian>($($argument),*);
    };
}

fn solved<A: Common>(problem: &Problem, guess: &Trajectory, threads: usize) -> (Report, Trajectory) {
    let mut solver = Solver::<A>::new(problem, A::options(500, threads));
    let report = solver.solve(problem, guess);
    (report, solver.trajectory().clone())
}

#[test]
fn all_find_the_same_optimum() {
    fn finds<A: Common>(problem: &Problem, start: &Trajectory, cost: f64) {
        let (report, _) = solved::<A>(problem, start, 1);
        assert_eq!(report.status, Status::Converged, "{}", A::NAME);
        // FDDP and iLQR stop at an expected decrease of 1e-9, of a cost of about 1.
        assert!((report.cost - cost).abs() < 1e-8 * cost.max(1.0), "{}: {} {cost}", A::NAME, report.cost);
    }
    // A short way of the hand: longer ones have several optima.
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let move_hand = Phase::new("move", 20, 0.05, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", ControlResidual::zero()).weight(1e-3));
    let there = Cost::new("hand", FrameTranslation::new(hand, [0.4, 0.3, 0.5].into())).weight(1e3);
    let problem = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(move_hand).last(there).build().expect("runs");
    let start = guess::with_static_controls(&problem, guess::standing(&problem)).expect("a guess");
    let mut options = FddpOptions::default();
    options.tolerance = 1e-14;
    let cost = Solver::<FeasibilityDriven>::new(&problem, options).solve(&problem, &start).cost;
    each!(finds, &problem, &start, cost);
}

#[test]
fn threads_do_not_change_a_bit() {
    fn same<A: Common + 'static>(name: &'static str, iterations: usize, counts: &[usize]) {
        let run = |threads| {
            move || {
                let problem = problems::by_name(name).expect("a problem");
                let mut solver = Solver::<A>::new(&problem, A::options(iterations, threads));
                let report = solver.solve(&problem, &guess::standing(&problem));
                (report, solver.trajectory().clone())
            }
        };
        let one = run(1)();
        for &threads in counts {
            assert_eq!(testing::within_limit(run(threads)), one, "{}: {threads} threads", A::NAME);
        }
    }
    each!(same, "panda_reach", 12, &[2, 3, 4, 64]);
    each_constrained!(same, "panda_limits", 500, &[3]);
}

#[test]
fn histories_are_what_the_caller_was_shown() {
    fn shown<A: Common>(problem: &Problem, start: &Trajectory) {
        let mut solver = Solver::<A>::new(problem, A::options(500, 1));
        let mut seen = Vec::new();
        let report = solver.solve_with(problem, start, |line| {
            seen.push(*line);
            Control::Continue
        });
        assert_eq!(solver.history(), &seen[..], "{}", A::NAME);
        assert_eq!(report.iterations, seen.len(), "{}", A::NAME);
        assert!(seen.iter().enumerate().all(|(i, line)| line.iteration == i), "{}", A::NAME);
        // From its solution little is left to do. FDDP sees only in its third iteration that the iterate before had no
        // gaps.
        let end = solver.trajectory().clone();
        let again = solver.solve(problem, &end);
        assert!(again.status.is_solved() && again.iterations <= 3, "{}: {again:?}", A::NAME);
    }
    let problem = problems::by_name("panda_reach").expect("a problem");
    each!(shown, &problem, &guess::standing(&problem));
}

#[test]
fn every_limit_ends_a_solution_and_says_so() {
    fn ends<A: Common>(problem: &Problem, start: &Trajectory) {
        let mut solver = Solver::<A>::new(problem, A::options(2, 1));
        let report = solver.solve(problem, start);
        assert_eq!((report.status, report.iterations), (Status::IterationLimit, 2), "{}", A::NAME);
        let report = solver.solve_with(problem, start, |_| Control::Stop);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 1), "{}", A::NAME);
        if let Some(options) = A::with_time(A::options(500, 1), Duration::ZERO) {
            let report = Solver::<A>::new(problem, options).solve(problem, start);
            assert_eq!((report.status, report.iterations), (Status::TimeLimit, 1), "{}", A::NAME);
        }
    }
    let problem = problems::by_name("quadrotor").expect("a problem");
    each!(ends, &problem, &guess::standing(&problem));
}

#[test]
fn guesses_of_other_sizes_are_refused() {
    fn refuses<A: Common>(problem: &Problem, other: &Trajectory) {
        let (report, _) = solved::<A>(problem, other, 1);
        assert!(matches!(report.status, Status::Fault(_)), "{}: {}", A::NAME, report.status);
        assert_eq!(report.iterations, 0);
    }
    let problem = problems::by_name("panda_reach").expect("a problem");
    let other = reach(&robot("panda", false), 11, None).build().expect("a problem");
    each!(refuses, &problem, &guess::standing(&other));
}

#[test]
fn iterations_allocate_nothing() {
    fn counts<A: Common>(problem: &Problem, start: &Trajectory, first: usize) {
        let mut counts = Vec::with_capacity(500);
        let mut solver = Solver::<A>::new(problem, A::options(500, 1));
        let report = solver.solve_with(problem, start, |_| {
            counts.push(testing::allocation_count());
            Control::Continue
        });
        assert!(counts.len() > 10, "{report:?}");
        assert_eq!(counts[first], counts[counts.len() - 1], "{}: {counts:?}", A::NAME);
    }
    let model = robot("panda", false);
    let problem = reach(&model, 40, None).build().expect("a problem");
    let start = guess::standing(&problem);
    // Memory of exact second derivatives comes in the second iteration: the first one has no multipliers.
    counts::<InteriorPoint>(&problem, &start, 1);
    counts::<AugmentedLagrangian>(&problem, &start, 1);
    counts::<FeasibilityDriven>(&problem, &start, 0);
}

#[test]
fn algorithms_that_do_not_keep_a_constraint_name_it() {
    fn refuses<A: Common>(problem: &Problem, name: &str) {
        let Status::Fault(fault) = solved::<A>(problem, &guess::standing(problem), 1).0.status else {
            panic!("{} keeps `{name}`", A::NAME)
        };
        assert_eq!(fault.term.as_deref(), Some(name), "{}", A::NAME);
        assert!(fault.to_string().contains("Newton"), "{fault}");
    }
    let limits = problems::by_name("panda_limits").expect("a problem");
    for (problem, name) in [(limits, "limits"), (towards(&[("place", [0.4, 0.3, 0.5])]), "place")] {
        refuses::<FeasibilityDriven>(&problem, name);
        refuses::<Ilqr>(&problem, name);
    }
    // Bounds of controls are refused by default too: an algorithm says if it keeps them.
    let status = solved::<Ilqr>(&towards(&[]), &guess::standing(&towards(&[])), 1).0.status;
    assert!(status.to_string().contains("bounds of controls; `Fddp`"), "{status}");
}

/// The arm's hand to places at the end.
fn towards(places: &[(&str, [f64; 3])]) -> Problem {
    let model = robot("panda", false);
    let torque = [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0];
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let reach = Phase::new("reach", 40, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", ControlResidual::zero()).weight(1e-3))
        .control_bounds(&torque.map(|x| -x), &torque);
    let builder = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach);
    let with = |builder: ProblemBuilder, (name, at): &(&str, [f64; 3])| {
        builder.last_constraint(PathConstraint::equal(*name, FrameTranslation::new(hand, (*at).into())))
    };
    places.iter().fold(builder, with).build().expect("a problem")
}

#[test]
fn infeasible_problems_end_with_the_names_of_what_blocks() {
    fn names<A: Common>(problem: &Problem, names: &[&str], most: usize) {
        let (report, _) = solved::<A>(problem, &guess::standing(problem), 1);
        let Status::NoFeasiblePoint { constraints } = &report.status else {
            panic!("{}: {names:?}: {}", A::NAME, report.status)
        };
        for name in names {
            assert!(constraints.iter().any(|found| found.contains(&format!("`{name}`"))), "{constraints:?}");
        }
        assert!(report.iterations <= most, "{}: {}", A::NAME, report.iterations);
    }
    let cases: [(Problem, &[&str]); 3] = [
        (problems::by_name("panda_far").expect("a problem"), &["place"]),
        (towards(&[("there", [3.0, 0.0, 0.5])]), &["there"]),
        (towards(&[("here", [0.4, 0.2, 0.5]), ("there", [0.4, -0.2, 0.5])]), &["here", "there"]),
    ];
    for (problem, blocked) in cases {
        // Measured with `Proximal`: 4, 200 and 235; penalties of what cannot hold bend more and more.
        names::<InteriorPoint>(&problem, blocked, 200);
        names::<AugmentedLagrangian>(&problem, blocked, 400);
    }
}

#[test]
fn equal_bounds_leave_nothing_to_choose() {
    fn holds<A: Common>(problem: &Problem, hold: [f64; 7], tolerance: f64) {
        let (report, at) = solved::<A>(problem, &guess::standing(problem), 1);
        assert_eq!(report.status, Status::Converged, "{}", A::NAME);
        let off = |k: usize| at.u(k).iter().zip(hold).map(|(u, h)| (u - h).abs()).fold(0.0, f64::max);
        assert!((0..10).all(|k| off(k) < tolerance), "{}: {}", A::NAME, off(0));
    }
    let model = robot("panda", false);
    let hold = [0.0, -30.0, 0.0, 20.0, 0.0, 1.5, 0.0];
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let reach = Phase::new("reach", 10, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .control_bounds(&hold, &hold);
    let problem = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach).build().expect("a problem");
    // Bounds of `Newton` are wider by 1e-8 of their size, at most 30. To `Proximal` they are equalities, which hold to its
    // tolerance; FDDP clamps.
    holds::<InteriorPoint>(&problem, hold, 1e-6);
    holds::<AugmentedLagrangian>(&problem, hold, 1e-7);
    holds::<FeasibilityDriven>(&problem, hold, 1e-7);
}
