//! Bounds of controls: kept to the last bit, and optimal between them.

use crate::common::{ARM, robot};
use gradyn_trajectory::residual::{Control, FrameTranslation, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fddp, FddpOptions, Phase, Problem, Status, Trajectory, guess};

/// The arm's hand to a place, with torques between these.
fn solved(lower: &[f64; 7], upper: &[f64; 7]) -> (Problem, Trajectory, Status, f64) {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let place = || FrameTranslation::new(hand, [0.4, 0.3, 0.5].into());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let problem = Problem::builder(&model)
        .start(&ARM, &[0.0; 7])
        .phase(
            Phase::new("reach", 40, 0.02, step)
                .cost(Cost::new("hand", place()).weight(10.0))
                .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(1e-3))
                .control_bounds(lower, upper),
        )
        .last(Cost::new("hand", place()).weight(100.0))
        .build()
        .expect("a problem");
    let mut options = FddpOptions::default();
    options.iterations = 300;
    let mut solver = Fddp::new(&problem, options);
    let report = solver.solve(&problem, &guess::standing(&problem));
    (problem, solver.trajectory().clone(), report.status, report.cost)
}

#[test]
fn torques_stay_between_their_bounds_and_cost_more() {
    let (wide, narrow) = ([500.0; 7], [15.0, 15.0, 15.0, 15.0, 1.0, 1.0, 1.0]);
    let below = |x: [f64; 7]| x.map(|x| -x);
    let (_, _, free_status, free) = solved(&below(wide), &wide);
    let (problem, bounded, status, cost) = solved(&below(narrow), &narrow);
    assert_eq!((free_status, &status), (Status::Converged, &Status::Converged));
    let mut active = 0;
    for k in 0..problem.steps() {
        for (u, most) in bounded.u(k).iter().zip(narrow) {
            assert!(u.abs() <= most, "node {k}: {u}");
            active += usize::from(u.abs() > most - 1e-9);
        }
    }
    assert!(active >= 10, "only {active} torques are at their bounds");
    assert!(cost > free, "{cost} {free}");
}

#[test]
fn where_both_bounds_are_one_there_is_nothing_to_choose() {
    let hold = [0.0, -30.0, 0.0, 20.0, 0.0, 1.5, 0.0];
    let (problem, trajectory, status, _) = solved(&hold, &hold);
    assert_eq!(status, Status::Converged);
    assert!((0..problem.steps()).all(|k| trajectory.u(k) == hold));
}
