//! Damping and friction that act at the end of the step: what they are, stability, and derivatives.

use crate::common::joints::rough;
use gradyn::dynamics::ReferenceFrame;
use gradyn::joint::{Axis, Prismatic};
use gradyn::{Inertia, Model, ModelBuilder, Motion, Transform};
use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::residual::{ContactForce, Control, FrameAcceleration, StateError};
use gradyn_trajectory::resimulation::{SUBSTEPS, alternating, check_steps};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, ImplicitFriction, SemiImplicitEuler, Step};
use gradyn_trajectory::{Cost, Parameter, ParameterId, Phase, Problem, guess};
use nalgebra::Vector3;
use testing::{numbers, rng};

/// 2 kg on a rail, without gravity, with damping, N s/m, and friction, N, whose width is 1e-3 m/s.
fn slider(damping: f64, friction: f64) -> Model {
    let mut builder = ModelBuilder::new("slider");
    builder.set_gravity(Vector3::zeros()).set_friction_width(1e-3);
    let mass = Inertia::point_mass(2.0, Vector3::zeros()).expect("is an inertia");
    let body = builder.add_body(None, "cart", "rail", Transform::identity(), Prismatic { axis: Axis::X }, mass);
    let body = body.expect("is valid");
    builder.set_damping(body, &[damping]).expect("fits");
    builder.set_friction(body, &[friction]).expect("fits");
    builder.build().expect("is a robot")
}

fn explicit(model: &Model) -> SemiImplicitEuler<ForwardDynamics> {
    SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::Full(model.nv())))
}
fn implicit(model: &Model) -> SemiImplicitEuler<ImplicitFriction> {
    explicit(model).implicit_friction()
}

/// Velocities of a slider that is pushed, from 1 m/s on.
fn velocities(model: &Model, step: impl Step + 'static, h: f64, n: usize, push: f64) -> Vec<f64> {
    let problem = Problem::builder(model).start(&[0.0], &[1.0]).phase(Phase::new("slide", n, h, step));
    let problem = problem.build().expect("is a problem");
    let mut at = guess::standing(&problem);
    (0..n).for_each(|k| at.u_mut(k)[0] = push);
    let at = guess::roll_out(&problem, &at).expect("runs");
    (0..=n).map(|k| at.x(k)[1]).collect()
}

/// A step of implicit damping is `v/(1 + h d/m)`, and toward `exp(−d t/m)` of order one; explicitly it is
/// `v (1 − h d/m)`, which explodes.
#[test]
fn stiff_damping_is_stable_and_right() {
    let (h, d, m) = (0.1, 100.0, 2.0);
    let model = slider(d, 0.0);
    for (k, v) in velocities(&model, implicit(&model), h, 10, 0.0).into_iter().enumerate() {
        let expected = (1.0 + h * d / m).powi(-(k as i32));
        // A few roundings a step.
        assert!((v - expected).abs() < 1e-13 * expected, "{k}: {v:e}, {expected:e}");
    }
    let exploded = velocities(&model, explicit(&model), h, 10, 0.0);
    assert!((exploded[10] - (1.0 - h * d / m).powi(10)).abs() < 1e-9 * exploded[10], "{exploded:?}");
    // Halving the step halves the error at a time.
    let error = |n: usize| {
        let v = velocities(&model, implicit(&model), 0.04 / n as f64, n, 0.0);
        v[n] - (-d * 0.04 / m).exp()
    };
    let ratio = error(128) / error(256);
    assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
}

/// Dry friction of 10 N stops 2 kg from 1 m/s within two steps of 0.1 s, and holds it against 5 N: it creeps at `w/√3`
/// of the smooth friction. Explicitly it goes back and forth for ever.
#[test]
fn dry_friction_sticks() {
    let model = slider(0.0, 10.0);
    let v = velocities(&model, implicit(&model), 0.1, 20, 5.0);
    let creeps = 1e-3 * 0.5 / (1.0_f64 - 0.25).sqrt();
    assert!((v[1] - (1.0 - 0.25)).abs() < 1e-5, "{v:?}");
    // What is left of the speed after so many steps is below rounding.
    assert!((v[20] - creeps).abs() < 1e-12, "{} {creeps}", v[20]);
    let v = velocities(&model, explicit(&model), 0.1, 40, 0.0);
    assert!(v[20..].windows(2).all(|pair| pair[0] * pair[1] < 0.0) && v[40].abs() > 0.1, "{v:?}");
}

/// Without damping and friction the step is the other one.
#[test]
fn without_friction_nothing_changes() {
    let model = rough().with_joint_friction(false);
    let rng = &mut rng(5);
    let (q, v, u) = (model.random(rng), numbers(rng, model.nv()), numbers(rng, model.nv()));
    let of = |step: Box<dyn Step>| {
        let phase = Phase::boxed("step", 1, 0.05, step);
        let problem = Problem::builder(&model).start(&q, &v).phase(phase).build().expect("is a problem");
        let mut out = Quadratic::new(problem.dims(0), false);
        problem.linearize(0, problem.start(), &u, &mut problem.memory(), &mut out).expect("runs");
        out
    };
    let (plain, other) = (of(Box::new(explicit(&model))), of(Box::new(implicit(&model))));
    // Accelerations of light links lose three digits.
    assert!((&plain.a - &other.a).amax() < 1e-11 * plain.a.amax());
    assert!((&plain.b - &other.b).amax() < 1e-11 * plain.b.amax());
}

/// A, B, derivatives of accelerations and forces, and second derivatives of the Lagrangian agree with differences: with
/// friction, mimic joints, under contacts, with costs of accelerations and forces, and numbers of the robot that vary;
/// and first ones by a free duration.
#[test]
fn derivatives_are_exact() {
    let model = rough();
    let rng = &mut rng(11);
    let mut q = model.neutral::<f64>();
    q[7..].iter_mut().zip([0.3, -0.5, 0.4]).for_each(|(q, x)| *q = x);
    let v: Vec<f64> = numbers(rng, model.nv()).into_iter().map(|v| 0.5 * v).collect();
    let frame = model.find_frame("link11").expect("is there");
    let foot = Contact::point_at(&model, "link11", &q).expect("is there").with_gains(4.0, 3.0);
    let mut seconds = 0;
    for (held, varies, is_free) in
        [(false, false, false), (true, false, false), (false, true, false), (true, true, false), (true, false, true)]
    {
        let contacts = if held { vec![foot.clone()] } else { Vec::new() };
        let motors = Actuation::Joints { nv: model.nv(), dofs: (6..model.nv()).collect() };
        let dynamics = ForwardDynamics::new(motors).with_contacts(&contacts);
        let step = SemiImplicitEuler::new(&model, dynamics).implicit_friction();
        let mut phase = Phase::new("step", 2, 0.1, step)
            .cost(Cost::new("state", StateError::neutral(&model)))
            .cost(
                Cost::new("acceleration", FrameAcceleration::new(frame, ReferenceFrame::Local, Motion::zero()))
                    .weight(0.1),
            )
            .cost(Cost::new("control", Control::zero()));
        if held {
            phase = phase.cost(Cost::new("force", ContactForce::new("link11")).weight(0.1));
        }
        if is_free {
            phase = phase.free_duration(0.1, 0.5);
        }
        let mut problem = Problem::builder(&model).start(&q, &v).phase(phase);
        if varies {
            let body = model.find_body("link10").expect("is there");
            problem = problem.parameter(Parameter::of_robot("mass", ParameterId::Mass(body)));
        }
        let problem = problem.build().expect("is a problem");
        let mut at = guess::standing(&problem);
        let first = problem.steps() - 2;
        for k in first..problem.steps() {
            let u = numbers(rng, at.u(k).len());
            at.u_mut(k).copy_from_slice(&u);
        }
        let check = problem.check_at(&at, &[first]).expect("fits");
        assert!(check.agrees(), "held {held}, varies {varies}, free {is_free}: {check}");
        seconds += check.checked.iter().filter(|of| of.term.as_deref() == Some("Lagrangian")).count();
    }
    // All but the one whose duration is free.
    assert_eq!(seconds, 4);
}

/// Damping that varies is refused: Δ has no derivatives by it.
#[test]
fn damping_that_varies_is_refused() {
    let model = slider(1.0, 1.0);
    let body = model.find_body("cart").expect("is there");
    for number in [ParameterId::Damping(body, 0), ParameterId::Friction(body, 0)] {
        let problem = Problem::builder(&model).parameter(Parameter::of_robot("resistance", number)).phase(Phase::new(
            "slide",
            2,
            0.1,
            implicit(&model),
        ));
        let error = problem.build().expect_err("has no derivatives").to_string();
        assert_eq!(error, "phase `slide`: its step has no derivatives by parameters of the robot");
    }
}

/// The explicit step of a stiffly damped joint is told of by its sign; the implicit one is held against a stable
/// method.
#[test]
fn alternating_velocities_are_found() {
    let model = slider(100.0, 0.0);
    let of = |step: Box<dyn Step>| {
        let problem = Problem::builder(&model).start(&[0.0], &[1.0]).phase(Phase::boxed("slide", 12, 0.1, step));
        let problem = problem.build().expect("is a problem");
        let at = guess::roll_out(&problem, &guess::standing(&problem)).expect("runs");
        (alternating(&problem, &at), check_steps(&problem, &at, SUBSTEPS).expect("fits"))
    };
    let (found, _) = of(Box::new(explicit(&model)));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].joint.as_str(), found[0].nodes.clone(), found[0].resists), ("rail", 0..13, true));
    let (found, check) = of(Box::new(implicit(&model)));
    assert!(found.is_empty() && check.faults.is_empty());
    // From 1 m/s it stops at once, and what the step gets wrong is what is left of the speed: 1/6.
    let first = &check.defects[0];
    assert!((first.defect - 1.0 / 6.0).abs() < 0.05 && (first.change - 1.0).abs() < 0.05, "{first:?}");
}
