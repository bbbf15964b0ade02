//! Durations and parameters that a solver chooses: impacts carry them, and no trial leaves the domain in which they
//! have a meaning.

use crate::common::robot;
use gradyn::joint::{Axis, Prismatic};
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use gradyn_trajectory::residual::{Control, ControlRate, ParameterValue, StateError};
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, ImplicitMidpoint, Impulse, Rk4, SemiImplicitEuler, Step,
};
use gradyn_trajectory::{
    Cost, Fddp, FddpOptions, Newton, NewtonOptions, Parameter, ParameterId, Phase, Problem, ProblemBuilder,
    ProblemError, Proximal, ProximalOptions, Status, guess,
};
use nalgebra::Vector3;

/// 1 kg on a slide along z, and a foot of 0.2 kg on a leg below it.
fn hopper() -> Model {
    let mut builder = ModelBuilder::new("hopper");
    let mut parent = None;
    for (name, mass) in [("slide", 1.0), ("foot", 0.2)] {
        let inertia = Inertia::point_mass(mass, Vector3::zeros()).expect("is an inertia");
        let joint = Prismatic { axis: Axis::Z };
        let body = builder.add_body(parent, name, name, Transform::identity(), joint, inertia);
        parent = Some(body.expect("is valid"));
    }
    builder.build().expect("is a robot")
}

fn contact(model: &Model) -> Contact {
    Contact::point(model, "foot", [0.0, 0.0, 0.3].into()).expect("has a foot")
}

/// It falls, bounces, and falls again, each phase of as many steps of this kind.
fn hop(make: &dyn Fn(&Model) -> Box<dyn Step>, free: bool, numbers: bool, rates: bool) -> ProblemBuilder {
    let model = hopper();
    let phase = |name: &str| {
        let mut phase = Phase::boxed(name, 3, 0.05, make(&model)).cost(Cost::new("force", Control::zero()));
        if rates {
            phase = phase.cost(Cost::new("rate", ControlRate::new()).weight(1e-4));
        }
        if free { phase.free_duration(0.05, 0.4).cost(Cost::duration("time")) } else { phase }
    };
    let at = [0.5, -0.1];
    let mut builder = Problem::builder(&model)
        .start(&at, &[-1.0, 0.3])
        .phase(phase("fall"))
        .phase(Phase::jump("bounce", Impulse::new(&[contact(&model)], 0.5)))
        .phase(phase("rise"))
        .last(Cost::new("there", StateError::at(&model, &at, &[0.0; 2])).weight(10.0));
    if rates {
        builder = builder.remember_controls();
    }
    if numbers {
        let foot = model.find_body("foot").expect("is there");
        builder = builder
            .parameter(Parameter::new("own", &[0.3, 0.4]).within(&[0.0; 2], &[1.0; 2]))
            .parameter(Parameter::of_robot("mass", ParameterId::Mass(foot)).within(&[0.1], &[0.4]))
            .parameter(Parameter::of_robot("armature", ParameterId::Armature(foot, 0)).within(&[0.0], &[0.1]))
            .last(Cost::new("prices", ParameterValue::new("own", 2)));
    }
    builder
}

/// Whatever states carry, and whichever step stands around it: derivatives of the impact by all of it are those of
/// differences, the contact leaves with its share of the velocity, and all solvers come to an end.
#[test]
fn impacts_carry_what_is_chosen() {
    type Make = fn(&Model) -> Box<dyn Step>;
    let steps: [(Make, bool); 4] = [
        (|model| Box::new(SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::Full(2)))), true),
        (|model| Box::new(Euler::new(model, ForwardDynamics::new(Actuation::Full(2)))), true),
        (|model| Box::new(Rk4::new(model, ForwardDynamics::new(Actuation::Full(2)))), false),
        (|_| Box::new(ImplicitMidpoint::new(ForwardDynamics::new(Actuation::Full(2)))), false),
    ];
    for (k, (make, has_length)) in steps.into_iter().enumerate() {
        for case in 0..8 {
            let [free, numbers, rates] = [0, 1, 2].map(|bit| case >> bit & 1 == 1);
            if free && !has_length {
                continue;
            }
            let problem = hop(&make, free, numbers, rates).build().expect("is a problem");
            let at = format!("step {k}, free {free}, numbers {numbers}, rates {rates}");
            let begin = guess::standing(&problem);
            let check = problem.check(&begin).expect("fits");
            assert!(check.agrees(), "{at}: {check}");
            assert!(check.checked.iter().any(|checked| checked.phase == "bounce"), "{at}");
            let mut ends = Vec::new();
            let mut fddp = Fddp::new(&problem, FddpOptions::default());
            ends.push((fddp.solve(&problem, &begin).status, fddp.trajectory().clone()));
            let mut newton = Newton::new(&problem, NewtonOptions::default());
            ends.push((newton.solve(&problem, &begin).status, newton.trajectory().clone()));
            let mut proximal = Proximal::new(&problem, ProximalOptions::default());
            ends.push((proximal.solve(&problem, &begin).status, proximal.trajectory().clone()));
            for (status, end) in ends {
                assert_eq!(status, Status::Converged, "{at}");
                let jump = problem.nodes_of("bounce").expect("is there").start;
                // v of both, behind q of both.
                let foot = |x: &[f64]| x[2] + x[3];
                let (before, after) = (foot(end.x(jump)), foot(end.x(jump + 1)));
                // Gaps of solutions are below 1e-8.
                assert!((after + 0.5 * before).abs() < 1e-7, "{at}: {before} {after}");
                // All that is carried is the same before and behind.
                for (a, b) in end.x(jump)[4..].iter().zip(&end.x(jump + 1)[4..]) {
                    assert!((a - b).abs() < 1e-7, "{at}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn a_restitution_that_is_none_is_refused() {
    let model = hopper();
    for share in [-0.1, 1.5, f64::NAN] {
        let problem = Problem::builder(&model).phase(Phase::jump("bounce", Impulse::new(&[contact(&model)], share)));
        let error = problem.build().expect_err("is none");
        assert!(matches!(&error, ProblemError::Number { what: "the restitution", .. }), "{error}");
        assert!(error.to_string().starts_with("phase `bounce`: the restitution is "), "{error}");
    }
}

/// A cost wants a moment of inertia that no body has. It has no bounds, but no trial goes where there is no such body.
#[test]
fn moments_stay_those_of_bodies() {
    let model = robot("double_pendulum", false);
    let body = model.bodies().last().expect("has bodies");
    let id = model.find_body(body.name()).expect("is there");
    let moments = body.inertia().rotational.to_array();
    let most = moments[3] + moments[5];
    for wish in [10.0, -10.0] {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let problem = Problem::builder(&model)
            .start(&[0.3, 0.2], &[0.0; 2])
            .parameter(Parameter::of_robot("moment", ParameterId::Moment(id, 0)))
            .phase(Phase::new("swing", 4, 0.02, step).cost(Cost::new("torque", Control::zero())))
            .last(Cost::new("wish", ParameterValue::new("moment", 1).towards(&[wish])))
            .build()
            .expect("is a problem");
        let begin = guess::standing(&problem);
        let mut fddp = Fddp::new(&problem, FddpOptions::default());
        let mut newton = Newton::new(&problem, NewtonOptions::default());
        let mut proximal = Proximal::new(&problem, ProximalOptions::default());
        let ends = [
            (fddp.solve(&problem, &begin).status, fddp.trajectory()),
            (newton.solve(&problem, &begin).status, newton.trajectory()),
            (proximal.solve(&problem, &begin).status, proximal.trajectory()),
        ];
        for (solver, (status, at)) in ["fddp", "newton", "proximal"].into_iter().zip(ends) {
            let found = problem.parameter("moment", at).expect("is one")[0];
            assert!(!matches!(status, Status::Fault(_)), "{solver}: {status}");
            // Moments are refused beyond 1e-9 of the largest one; gaps carry rounding.
            assert!((-1e-8..=most + 1e-8).contains(&found), "{solver}: {found} is outside of 0 to {most}");
        }
    }
}
