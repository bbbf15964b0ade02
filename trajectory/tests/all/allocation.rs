//! After the first iteration solvers allocate nothing, and memory grows linearly with the number of nodes.

use crate::common::{reach, robot};
use gradyn_trajectory::residual::{Control as ControlResidual, FrameTranslation, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Fddp, FddpOptions, Newton, NewtonOptions, PathConstraint, Phase, Problem, Proximal, ProximalOptions, guess,
};

#[test]
fn a_second_solution_by_fddp_allocates_nothing() {
    let model = robot("panda", false);
    let problem = reach(&model, 40, None).build().expect("a problem");
    let start = guess::standing(&problem);

    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &start);
    // A second solution allocates nothing at all, if no trial fails: errors have names.
    let solution = solver.trajectory().clone();
    let before = testing::allocation_count();
    let again = solver.solve(&problem, &solution);
    assert_eq!((testing::allocation_count(), again.status), (before, report.status));
}

#[test]
fn goals_weights_and_steps_change_without_allocation() {
    let model = robot("panda", false);
    let mut problem = reach(&model, 40, None).build().expect("a problem");
    let goal = gradyn_trajectory::residual::FramePlacement::goal_of(&gradyn::Transform::from_translation(
        [0.3, 0.1, 0.5].into(),
    ));
    let before = testing::allocation_count();
    for k in 0..=problem.steps() {
        problem.set_goal(k, "hand", &goal).expect("a goal");
        problem.set_weight(k, "hand", 2.0).expect("a weight");
    }
    for k in 0..problem.steps() {
        problem.set_dt(k, 0.02).expect("a step");
    }
    problem.set_start(&crate::common::ARM, &[0.1; 7]).expect("a start");
    assert_eq!(testing::allocation_count(), before);
    assert!((problem.time(40) - 0.8).abs() < 1e-12); // 40 sums of 0.02 s
}

#[test]
fn memory_grows_linearly_with_the_nodes() {
    let model = robot("panda", false);
    let bytes = |nodes: usize| {
        let problem = reach(&model, nodes, None).build().expect("a problem");
        let before = testing::allocated_bytes();
        let solver = Fddp::new(&problem, FddpOptions::default());
        let taken = testing::allocated_bytes() - before;
        drop(solver);
        taken as f64
    };
    let (few, many, most) = (bytes(100), bytes(800), bytes(3200));
    let (first, second) = ((many - few) / 700.0, (most - many) / 2400.0);
    // Lists that double when they grow may have up to twice the room of their entries: a few numbers a node.
    assert!((first / second - 1.0).abs() < 0.05, "{first} bytes a node, then {second}");
}

/// An arm within limits of torques and speeds, and with cones if they are asked for.
fn limited(cones: bool) -> Problem {
    let model = robot("panda", false);
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let hand = model.find_frame("panda_link8").expect("a hand");
    let most = [40.0; 7];
    let mut reach = Phase::new("reach", 30, 0.02, step)
        .cost(Cost::new("hand", FrameTranslation::new(hand, [0.4, 0.2, 0.5].into())).weight(10.0))
        .cost(Cost::new("state", StateError::at(&model, &crate::common::ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", ControlResidual::zero()).weight(1e-3))
        .constraint(PathConstraint::within("speed", StateError::at(&model, &[0.0; 7], &[0.0; 7]), &[-4.0], &[4.0]))
        .control_bounds(&most.map(|x| -x), &most);
    if cones {
        let room = FrameTranslation::new(hand, [0.4, 0.0, 0.5].into());
        reach = reach
            .constraint(PathConstraint::norm_at_most("effort", ControlResidual::zero(), 60.0))
            .constraint(PathConstraint::norm_at_most("room", room, 0.4));
    }
    Problem::builder(&model).start(&crate::common::ARM, &[0.0; 7]).phase(reach).build().expect("a problem")
}

/// Cycles of model-predictive control by a solver; what has been allocated after each, and the last controls.
macro_rules! cycles {
    ($solver:ident, $options:ident, $cones:expr) => {{
        let mut problem = limited($cones);
        let guess = guess::standing(&problem);
        let mut options = $options::default();
        options.iterations = 2;
        let mut solver = $solver::new(&problem, options);
        let (mut x, mut u) = (problem.start().to_vec(), [0.0; 7]);
        let mut counts = Vec::with_capacity(20);
        for _ in 0..10 {
            solver.resolve(&problem, &guess);
            solver.shift(&problem, 1).expect("fits");
            x.copy_from_slice(solver.trajectory().x(0));
            problem.set_start(&x[..7], &x[7..]).expect("is a state");
            solver.prepare(&problem).expect("runs");
            solver.feedback(&problem, &x, &mut u).expect("is prepared");
            solver.shift_by(&problem, 0.005).expect("fits");
            counts.push(testing::allocation_count());
        }
        (counts, u)
    }};
}

/// With bounds, and by `Newton` with cones: after the first cycle nothing is allocated.
#[test]
fn cycles_after_the_first_allocate_nothing() {
    for (name, (counts, u)) in
        [("Newton", cycles!(Newton, NewtonOptions, true)), ("Proximal", cycles!(Proximal, ProximalOptions, false))]
    {
        assert_eq!(counts[0], counts[9], "{name}: {counts:?}");
        assert!(u.iter().any(|u| u.abs() > 1e-3), "{name}: {u:?}");
    }
}

/// A second solution from the guess, with as many iterations as the first one, allocates nothing.
#[test]
fn a_second_solution_allocates_nothing() {
    let problem = limited(false);
    let start = guess::standing(&problem);
    let mut solver = Proximal::new(&problem, ProximalOptions::default());
    let first = solver.solve(&problem, &start);
    let before = testing::allocation_count();
    let second = solver.solve(&problem, &start);
    assert_eq!((testing::allocation_count(), &second), (before, &first));
    assert!(second.iterations > 3 && second.status.is_solved(), "{second:?}");
}
