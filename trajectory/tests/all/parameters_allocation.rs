//! A second solution with parameters, free durations and rates of controls allocates nothing.

use crate::common::{ARM, robot};
use gradyn_trajectory::residual::{Control, ControlRate, FrameTranslation, MinusParameter, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Fddp, FddpOptions, Newton, NewtonOptions, Parameter, ParameterId, PathConstraint, Phase, Problem, guess,
};

#[test]
fn a_second_solution_allocates_nothing() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let place = || MinusParameter::new(FrameTranslation::new(hand, [0.0; 3].into()), "place");
    let build = |hard: bool| {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let mut reach = Phase::new("reach", 20, 0.03, step)
            .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
            .cost(Cost::new("torque", Control::zero()).weight(1e-3));
        if hard {
            reach = reach
                .cost(Cost::new("rate", ControlRate::new()).weight(1e-5))
                .cost(Cost::duration("time"))
                .free_duration(0.3, 2.0)
                .control_bounds(&[-60.0; 7], &[60.0; 7]);
        }
        let builder = Problem::builder(&model)
            .start(&ARM, &[0.0; 7])
            .parameter(Parameter::of_robot("load", ParameterId::PointMass(hand)).within(&[0.5], &[2.0]))
            .parameter(Parameter::new("place", &[0.4, 0.1, 0.5]).within(&[0.3, 0.1, 0.4], &[0.5, 0.3, 0.6]))
            .phase(reach);
        let builder = match hard {
            true => builder.remember_controls().last_constraint(PathConstraint::equal("hand", place())),
            false => builder.last(Cost::new("hand", place()).weight(1e3)),
        };
        builder.build().expect("a problem")
    };
    let problem = build(true);
    let start = guess::with_static_controls(&problem, guess::standing(&problem)).expect("holds still");
    let mut newton = Newton::new(&problem, NewtonOptions::default());
    let first = newton.solve(&problem, &start);
    let before = testing::allocation_count();
    let again = newton.solve(&problem, &start);
    // A trial that fails may name what has failed: of this problem none does.
    assert_eq!((testing::allocation_count() - before, &again), (0, &first));
    assert!(first.status.is_solved() && first.iterations > 5, "{first:?}");

    let problem = build(false);
    let start = guess::with_static_controls(&problem, guess::standing(&problem)).expect("holds still");
    let mut ddp = Fddp::new(&problem, FddpOptions::default());
    let first = ddp.solve(&problem, &start);
    let before = testing::allocation_count();
    let again = ddp.solve(&problem, &start);
    assert_eq!((testing::allocation_count() - before, &again), (0, &first));
    assert!(first.status.is_solved() && first.iterations > 3, "{first:?}");
}
