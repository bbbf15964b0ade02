//! Derivatives by parameters and by free durations against differences, of first and second order: every number, step
//! and kind of joint.

use crate::common::joints::{arm_on, kinds};
use gradyn::dynamics::ReferenceFrame;
use gradyn::{Constraint, Model, Motion};
use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::residual::{
    ContactForce, Control, ControlRate, FrameAcceleration, FrameTranslation, MinusParameter, ParameterValue,
};
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, ImplicitMidpoint, Impulse, Rk4, SemiImplicitEuler, Step,
};
use gradyn_trajectory::{
    Cost, Loss, Parameter, ParameterId, PathConstraint, Phase, Problem, ProblemBuilder, Trajectory, guess,
};
use testing::{numbers, rng};

fn dynamics(model: &Model) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::Full(model.nv()))
}

/// One parameter of each kind, and a place.
fn parameters(model: &Model) -> Vec<Parameter> {
    let body = |name: &str| model.find_body(name).expect("is there");
    let (one, two) = (body("link1"), body("link2"));
    let frame = model.find_frame("link2").expect("is there");
    vec![
        Parameter::of_robot("mass", ParameterId::Mass(one)),
        Parameter::of_robot("density", ParameterId::Density(one)),
        Parameter::of_robot("center", ParameterId::Center(one, 1)),
        Parameter::of_robot("moment", ParameterId::Moment(one, 4)),
        Parameter::of_robot("point", ParameterId::PointMass(frame)).beginning_at(&[0.3]),
        Parameter::of_robot("armature", ParameterId::Armature(two, 0)).beginning_at(&[0.2]),
        Parameter::of_robot("damping", ParameterId::Damping(body("base"), 0)).beginning_at(&[0.3]),
        Parameter::of_robot("friction", ParameterId::Friction(two, 0)).beginning_at(&[0.2]),
        Parameter::of_robot("other mass", ParameterId::Mass(two)),
        Parameter::new("place", &[0.3, -0.2, 0.4]),
    ]
}

/// Costs and constraints that see accelerations, the place and a number of the robot.
fn filled(phase: Phase, model: &Model) -> Phase {
    let tip = model.find_frame("link2").expect("is there");
    let place = || MinusParameter::new(FrameTranslation::new(tip, [0.0; 3].into()), "place");
    let acceleration = FrameAcceleration::new(tip, ReferenceFrame::LocalWorldAligned, Motion::zero());
    phase
        .cost(Cost::new("control", Control::zero()).weight(0.3))
        .cost(Cost::new("place", place()).loss(Loss::Huber { width: 0.1 }))
        .cost(Cost::new("acceleration", acceleration.clone()).weight(0.1))
        .cost(Cost::new("mass", ParameterValue::new("mass", 1).towards(&[0.7])).only_at(&[0]))
        .constraint(PathConstraint::equal("there", place()))
        .constraint(PathConstraint::at_most("slow", acceleration, 5.0))
}

/// All that a problem says of node 1 agrees with differences; so does the gradient of its cost, which is returned by
/// state and controls.
fn check(what: &str, builder: ProblemBuilder, seed: u64, remembered: usize, duration: f64) -> bool {
    let problem = builder.build().expect("is a problem");
    let model = problem.model();
    let rng = &mut rng(seed);
    let mut at: Trajectory = guess::standing(&problem);
    let moving = [model.random(rng), numbers(rng, model.nv())].concat();
    at.x_mut(1)[..moving.len()].copy_from_slice(&moving);
    let before = numbers(rng, remembered);
    at.x_mut(1)[moving.len()..moving.len() + remembered].copy_from_slice(&before);
    if duration > 0.0 {
        at.x_mut(1)[moving.len() + remembered] = duration;
    }
    let u = numbers(rng, problem.dims(1).nu);
    at.u_mut(1).copy_from_slice(&u);
    let found = problem.check_at(&at, &[1]).expect("fits");
    assert!(found.agrees(), "{what}: {found}");
    gradient(what, &problem, &at);
    found.checked.iter().any(|checked| checked.term.as_deref() == Some("Lagrangian"))
}

/// The gradient of the cost of node 1, against central differences.
fn gradient(what: &str, problem: &Problem, at: &Trajectory) {
    let (dims, mut memory) = (problem.dims(1), problem.memory());
    let mut node = Quadratic::new(dims, false);
    problem.linearize(1, at.x(1), at.u(1), &mut memory, &mut node).expect("runs");
    let mut cost = |j: usize, h: f64| {
        let (mut dx, mut x, mut u) = (vec![0.0; dims.ndx], at.x(1).to_vec(), at.u(1).to_vec());
        if j < dims.ndx {
            dx[j] = h
        } else {
            u[j - dims.ndx] += h
        }
        problem.space().integrate(at.x(1), &dx, &mut x).expect("moves");
        let (mut next, mut rows) = (vec![0.0; dims.nx], vec![0.0; dims.n_eq + dims.n_in]);
        problem.value(1, &x, &u, &mut memory, &mut next, &mut rows).expect("runs")
    };
    // Central differences leave h² f‴ + ε/h.
    let h = 1e-5;
    for j in 0..dims.ndx + dims.nu {
        let slope = (cost(j, h) - cost(j, -h)) / (2.0 * h);
        let claimed = if j < dims.ndx { node.lx[j] } else { node.lu[j - dims.ndx] };
        let size = node.lx.amax().max(1.0);
        assert!((slope - claimed).abs() < 1e-6 * size, "{what}, {j}: {slope} {claimed}");
    }
}

fn with_parameters(model: &Model, phase: Phase) -> ProblemBuilder {
    let builder = Problem::builder(model).phase(phase);
    parameters(model).into_iter().fold(builder, ProblemBuilder::parameter)
}

#[test]
fn every_number_on_every_joint() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint).with_joint_friction(true);
        let step = SemiImplicitEuler::new(&model, dynamics(&model));
        let phase = filled(Phase::new("step", 2, 0.05, step), &model);
        assert!(check(name, with_parameters(&model, phase), seed as u64 + 1, 0, 0.0), "{name}");
    }
}

#[test]
fn every_step() {
    let (name, joint) = kinds().into_iter().next().expect("is one");
    let model = arm_on(name, joint).with_joint_friction(true);
    let nv = model.nv();
    let motors = Actuation::Joints { nv, dofs: vec![0, nv - 1] };
    let mixed = Actuation::Matrix(nalgebra::DMatrix::from_fn(nv, 2, |i, j| 0.3 + 0.1 * i as f64 - 0.2 * j as f64));
    let steps: [(&str, Box<dyn Step>, bool); 6] = [
        ("euler", Box::new(Euler::new(&model, dynamics(&model))), true),
        ("two motors", Box::new(SemiImplicitEuler::new(&model, ForwardDynamics::new(motors))), true),
        ("mixed motors", Box::new(SemiImplicitEuler::new(&model, ForwardDynamics::new(mixed))), true),
        ("rk4", Box::new(Rk4::new(&model, dynamics(&model))), true),
        ("midpoint", Box::new(ImplicitMidpoint::new(dynamics(&model))), true),
        ("contact", Box::new(SemiImplicitEuler::new(&model, dynamics(&model).with_contacts(&contact(&model)))), true),
    ];
    for (seed, (name, step, knows)) in steps.into_iter().enumerate() {
        let mut phase = filled(Phase::boxed("step", 2, 0.05, step), &model);
        if name == "contact" {
            let force = ContactForce::new("tip").towards(&[0.1, -0.2, 3.0]);
            phase = phase.cost(Cost::new("force", force).weight(0.1));
        }
        let known = check(name, with_parameters(&model, phase), seed as u64 + 1, 0, 0.0);
        assert!(known || !knows, "{name}");
    }
}

fn contact(model: &Model) -> Vec<Contact> {
    let tip = model.find_body("link2").expect("is there");
    let point = Constraint::contact(tip, [0.2, 0.05, -0.1].into(), [0.3, 0.2, 0.1].into());
    vec![Contact::new("tip", point).with_gains(4.0, 3.0)]
}

/// At an impact, whose impulses costs see; its second derivatives by numbers of the robot are not known.
#[test]
fn impacts() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let land = Phase::jump("land", Impulse::new(&contact(&model), 0.3))
            .cost(Cost::new("impulse", ContactForce::new("tip").towards(&[0.1, -0.2, 3.0])).weight(0.1));
        let numbers = parameters(&model.clone().with_joint_friction(true)).into_iter();
        let numbers = numbers.filter(|parameter| !["damping", "friction"].contains(&parameter.name()));
        let builder = numbers.fold(Problem::builder(&model).phase(land), ProblemBuilder::parameter);
        assert!(!check(name, builder, seed as u64 + 1, 0, 0.0), "{name}");
    }
}

/// Rates of controls where the duration is free, with parameters and without.
#[test]
fn rates_under_free_durations() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint).with_joint_friction(true);
        let steps: [(&str, Box<dyn Step>); 2] = [
            ("semi-implicit", Box::new(SemiImplicitEuler::new(&model, dynamics(&model)))),
            ("euler", Box::new(Euler::new(&model, dynamics(&model)))),
        ];
        for (kind, step) in steps {
            let phase = |step| {
                Phase::boxed("step", 2, 0.4, step)
                    .free_duration(0.01, 3.0)
                    .cost(Cost::duration("time").weight(3.0))
                    .cost(Cost::new("rate", ControlRate::new()).weight(0.2))
                    .cost(
                        Cost::new("rate at once", ControlRate::new()).loss(Loss::SmoothL1 { width: 0.2 }).only_at(&[0]),
                    )
                    .constraint(PathConstraint::within("rates", ControlRate::new(), &[-3.0], &[3.0]))
            };
            let what = format!("{name}, {kind}");
            let builder = if kind == "euler" {
                with_parameters(&model, filled(phase(step), &model))
            } else {
                Problem::builder(&model).phase(phase(step))
            };
            assert!(check(&what, builder.remember_controls(), seed as u64 + 1, model.nv(), 0.9), "{what}");
        }
    }
}
