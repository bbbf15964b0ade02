//! Errors of a description say where they are, by number and name.

use crate::common::robot;
use gradyn_trajectory::fault::Item;
use gradyn_trajectory::residual::{ContactForce, Control, ControlRate, ParameterValue, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Loss, Parameter, ParameterId, PathConstraint, Phase, Problem, ProblemBuilder, ProblemPlace,
};

fn item(index: usize, name: &str) -> Item {
    Item::new(index, name)
}

/// Every kind of place, of a description with two phases and one thing wrong.
#[test]
fn errors_name_the_thing_that_is_wrong() {
    let model = robot("panda", false);
    let phase = |name: &str| {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        Phase::new(name, 3, 0.1, step).cost(Cost::new("state", StateError::neutral(&model)))
    };
    // The second phase with something more.
    let second = |with: fn(Phase) -> Phase| Problem::builder(&model).phase(phase("a")).phase(with(phase("b")));
    let both = |builder: ProblemBuilder| builder.phase(phase("a")).phase(phase("b"));
    let cost =
        |index: usize, name: &str| ProblemPlace::Cost { phase: item(1, "b").into(), cost: item(index, name).into() };
    let constraint = |index, name: &str| ProblemPlace::Constraint {
        phase: item(1, "b").into(),
        constraint: item(index, name).into(),
    };
    let hand = ParameterId::Mass(model.find_body("panda_link7").expect("is there"));
    let force = || PathConstraint::equal("force", ContactForce::new("foot"));
    let cases = [
        (second(|b| b.steps(&[0.1, 0.2])), ProblemPlace::Phase(item(1, "b"))),
        (second(|b| b.control_bounds(&[1.0; 7], &[-1.0; 7])), ProblemPlace::Phase(item(1, "b"))),
        (second(|b| b.free_duration(-1.0, 1.0)), ProblemPlace::Duration(item(1, "b"))),
        (second(|b| b.cost(Cost::new("u", Control::zero()).weight(-1.0))), cost(1, "u")),
        (second(|b| b.cost(Cost::new("u", Control::zero()).loss(Loss::Diagonal(vec![1.0])))), cost(1, "u")),
        (second(|b| b.cost(Cost::new("u", Control::at(&[0.0])))), cost(1, "u")),
        (second(|b| b.cost(Cost::new("u", Control::zero()).only_at(&[3]))), cost(1, "u")),
        (second(|b| b.cost(Cost::new("u", Control::zero()).goal_at(1, vec![0.0]))), cost(1, "u")),
        (second(|b| b.cost(Cost::new("rate", ControlRate::new()))), cost(1, "rate")),
        (
            second(|b| {
                let u = PathConstraint::at_most("u", Control::zero(), 1.0);
                b.constraint(u).constraint(PathConstraint::within("no", Control::zero(), &[1.0], &[0.0]))
            }),
            constraint(1, "no"),
        ),
        (second(|b| b.constraint(PathConstraint::equal("f", ContactForce::new("foot")))), constraint(0, "f")),
        (second(|b| b.constraint(PathConstraint::equal("p", ParameterValue::new("place", 1)))), constraint(0, "p")),
        (
            both(Problem::builder(&model)).last(Cost::new("end", StateError::neutral(&model)).weight(f64::NAN)),
            ProblemPlace::Cost { phase: item(2, "end").into(), cost: item(0, "end").into() },
        ),
        (
            both(Problem::builder(&model)).last_constraint(force()),
            ProblemPlace::Constraint { phase: item(2, "end").into(), constraint: item(0, "force").into() },
        ),
        (
            both(
                Problem::builder(&model)
                    .parameter(Parameter::of_robot("load", hand))
                    .parameter(Parameter::new("place", &[0.0; 2]).within(&[0.0], &[1.0])),
            ),
            ProblemPlace::Parameter(item(1, "place")),
        ),
        // A node before all others chooses parameters: phases are still counted as they were described.
        (
            second(|b| b.cost(Cost::new("u", Control::zero()).weight(-1.0)))
                .parameter(Parameter::of_robot("load", hand)),
            cost(1, "u"),
        ),
        (Problem::builder(&model), ProblemPlace::Argument("the problem")),
        (both(Problem::builder(&model).start(&[0.0; 3], &[0.0; 7])), ProblemPlace::Argument("the start")),
    ];
    for (builder, expected) in cases {
        let error = builder.build().expect_err("something is wrong");
        assert_eq!(error.place().whole(), &expected, "{error}");
        assert!(error.to_string().starts_with(&expected.to_string()), "{error}");
    }
}

/// Places read as people write them, parts last.
#[test]
fn places_are_written_from_the_outside_in() {
    let phase = || item(0, "stand");
    let cone = ProblemPlace::Constraint { phase: phase().into(), constraint: item(2, "slip").into() };
    let written = [
        (ProblemPlace::Argument("the guess"), "the guess"),
        (ProblemPlace::Phase(phase()), "phase `stand`"),
        (ProblemPlace::Duration(phase()), "phase `stand`"),
        (ProblemPlace::Cost { phase: phase().into(), cost: item(1, "torque").into() }, "phase `stand`, cost `torque`"),
        (cone.clone(), "phase `stand`, constraint `slip`"),
        (cone.part("axes of the surface"), "phase `stand`, constraint `slip`, axes of the surface"),
        (ProblemPlace::Parameter(item(0, "load")), "parameter `load`"),
        (ProblemPlace::Contact("foot".into()), "contact `foot`"),
        (ProblemPlace::Node(3).part("cost `torque`"), "node 3, cost `torque`"),
    ];
    for (place, expected) in written {
        assert_eq!(place.to_string(), expected);
    }
    assert_eq!(cone.part("axes").part("x").whole(), &cone);
}
