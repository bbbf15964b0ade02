//! Residuals: Jacobians and Hessians against differences and dual numbers, values against what they mean, goals that
//! are none.

use crate::common::joints::{arm_on, kinds};
use crate::common::{puck, robot};
use gradyn::dynamics::{ReferenceFrame, frame_pose};
use gradyn::spatial::{Momentum, exp3};
use gradyn::{Model, Motion, Transform, Workspace};
use gradyn_trajectory::residual::{
    Affine, Capsule, CenterOfMass, CenterOfPressure, CentroidalMomentum, ContactForce, Control, ControlRate,
    CoulombCone, Distance, FrameAcceleration, FramePlacement, FrameRotation, FrameTranslation, FrameVelocity,
    JointLimits, JointTorque, Residual, StateError, WrenchCone,
};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, InverseDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, Phase, Problem, Trajectory, guess};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use rand::RngExt;
use testing::{numbers, rng};

const LOCAL: ReferenceFrame = ReferenceFrame::Local;

/// A configuration of a robot that floats, its legs bent at random.
fn pose(model: &Model, seed: u64) -> Vec<f64> {
    let rng = &mut rng(seed);
    let step: Vec<f64> = numbers(rng, model.nv()).iter().map(|x| 0.5 * x).collect();
    model.integrate(&model.neutral::<f64>(), &step).expect("is a step")
}

/// Fills a guess with random states and controls, the configurations near one.
fn at_random(problem: &Problem, seed: u64) -> Trajectory {
    let rng = &mut rng(seed);
    let (space, mut at) = (problem.space(), guess::standing(problem));
    for k in 0..=problem.steps() {
        let step: Vec<f64> = numbers(rng, space.ndx()).iter().map(|x| 0.3 * x).collect();
        space.integrate(problem.start(), &step, at.x_mut(k)).expect("is a step");
        at.u_mut(k).iter_mut().for_each(|u| *u = rng.random_range(-1.0..1.0));
    }
    at
}

fn twist(seed: u64) -> Motion<f64> {
    let x = numbers(&mut rng(seed), 6);
    Motion::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]))
}

/// All residuals that a phase of a robot on a point contact and a flat one may have.
fn terms(model: &Model, q: &[f64]) -> Vec<(String, Box<dyn Residual>)> {
    let frame = |name: &str| model.find_frame(name).expect("is there");
    let (foot, other, hand) = (frame("FL_FOOT"), frame("HR_FOOT"), frame("FR_FOOT"));
    let turn = exp3(Vector3::new(0.3, -0.5, 0.2));
    let momentum = Momentum::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(-0.1, 0.2, 0.0));
    let base = model.body_id(0).expect("is there");
    let pole = Capsule::fixed([[0.5, 0.4, -0.5].into(), [0.6, 0.5, 0.9].into()], 0.05);
    let shin = |foot| Capsule::new(foot, [[0.0; 3].into(), [0.02, 0.01, 0.15].into()], 0.02);
    let ball = Capsule::sphere(base, [0.0, 0.0, 0.05].into(), 0.1);
    let mut terms: Vec<(String, Box<dyn Residual>)> = vec![
        ("state".into(), Box::new(StateError::at(model, q, &vec![0.1; model.nv()]))),
        ("control".into(), Box::new(Control::zero())),
        ("placement".into(), Box::new(FramePlacement::new(foot, Transform::new(turn, [0.1, 0.2, 0.3].into())))),
        ("rotation".into(), Box::new(FrameRotation::new(foot, turn))),
        ("translation".into(), Box::new(FrameTranslation::new(foot, [0.1, 0.2, 0.3].into()))),
        ("com".into(), Box::new(CenterOfMass::new([0.0, 0.1, 0.2].into()))),
        ("momentum".into(), Box::new(CentroidalMomentum::new(momentum))),
        ("sphere and pole".into(), Box::new(Distance::new(ball, pole))),
        ("sphere and sphere".into(), Box::new(Distance::new(ball, Capsule::sphere(hand, [0.0; 3].into(), 0.02)))),
        ("shin and pole".into(), Box::new(Distance::new(shin(foot), pole))),
        ("shin and shin".into(), Box::new(Distance::new(shin(foot), shin(hand)))),
        ("shin and sphere".into(), Box::new(Distance::new(shin(other), ball))),
        ("limits".into(), Box::new(JointLimits::new(model))),
        (
            "affine place".into(),
            Box::new(affine(FramePlacement::new(foot, Transform::new(turn, [0.1, 0.2, 0.3].into())), 6, 4)),
        ),
        ("affine acceleration".into(), Box::new(affine(FrameAcceleration::new(foot, LOCAL, twist(9)), 6, 2))),
    ];
    for (k, reference) in ReferenceFrame::ALL.into_iter().enumerate() {
        let k = k as u64;
        terms.push((format!("velocity {reference}"), Box::new(FrameVelocity::new(foot, reference, twist(k)))));
        terms.push((format!("acceleration {reference}"), Box::new(FrameAcceleration::new(other, reference, twist(k)))));
    }
    terms
}

/// Some rows made of a residual's.
fn affine(residual: impl Residual + 'static, columns: usize, rows: usize) -> Affine {
    let x = numbers(&mut rng(columns as u64), rows * columns + rows);
    let m = DMatrix::from_column_slice(rows, columns, &x[rows..]);
    Affine::new(residual, m, DVector::from_column_slice(&x[..rows]))
}

/// Those that need the contacts.
fn forces(model: &Model, contacts: &[Contact]) -> Vec<(&'static str, Box<dyn Residual>)> {
    let frame = |name: &str| model.find_frame(name).expect("is there");
    let (axes, sole) = (exp3(Vector3::new(0.1, 0.2, -0.3)), "HR_FOOT");
    vec![
        ("force", Box::new(ContactForce::new("FL_FOOT").in_axes(axes).towards(&[1.0, 2.0, 3.0]))),
        ("wrench", Box::new(ContactForce::new(sole).in_axes(axes))),
        ("pressure", Box::new(CenterOfPressure::new(sole, axes, 0.1, 0.04))),
        ("cone", Box::new(WrenchCone::new(sole, axes, 0.1, 0.04, 0.7))),
        ("pressure along a frame", Box::new(CenterOfPressure::new(sole, axes, 0.1, 0.04).following(frame(sole)))),
        ("cone along another frame", Box::new(WrenchCone::new(sole, axes, 0.1, 0.04, 0.7).following(frame("FL_FOOT")))),
        ("coulomb cone", Box::new(CoulombCone::of("FL_FOOT").friction(0.6).surface(axes))),
        ("coulomb cone of a sole", Box::new(CoulombCone::of(sole).normal(Vector3::new(0.1, -0.3, 2.0)))),
        ("affine force", Box::new(affine(ContactForce::new("FL_FOOT").in_axes(axes), 3, 2))),
        ("torque", Box::new(JointTorque::new(&Actuation::Full(18), contacts))),
    ]
}

/// Jacobians and Hessians of all residuals, at random states, under contacts: the checker finds nothing.
#[test]
fn derivatives_of_all_residuals() {
    let model = robot("solo12", true);
    let q = pose(&model, 1);
    let foot = Contact::point_at(&model, "FL_FOOT", &q).expect("is there").with_default_gains(0.01);
    let contacts = [foot, Contact::frame_at(&model, "HR_FOOT", &q).expect("is there")];
    let step = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts);
    let mut phase = Phase::new("stand", 3, 0.01, SemiImplicitEuler::new(&model, step));
    for (name, residual) in terms(&model, &q) {
        phase = phase.cost(Cost::boxed(name, residual));
    }
    for (name, residual) in forces(&model, &contacts) {
        phase = phase.cost(Cost::boxed(name, residual));
    }
    phase = phase.cost(Cost::new("rate", ControlRate::new()));
    let mut builder = Problem::builder(&model).start(&q, &vec![0.0; model.nv()]).phase(phase).remember_controls();
    for (name, residual) in terms(&model, &q).into_iter().filter(|(name, _)| name != "control") {
        builder = builder.last(Cost::boxed(name, residual));
    }
    let problem = builder.build().expect("is a problem");
    // Node 2 is like all others of its phase, and has controls before it, of which the rate is.
    let check = problem.check_at(&at_random(&problem, 5), &[2, 3]).expect("fits");
    assert!(check.agrees(), "{check}");
    let (mut sure, mut all) = (0, 0);
    for checked in &check.checked {
        let counts = checked.report.as_ref().expect("was checked").counts;
        (sure, all) = (sure + counts.agree, all + counts.agree + counts.cannot_tell);
    }
    println!("{} derivatives, {sure} of {all} entries agree", check.checked.len());
    // Of a few nothing can be said: where a closest point passes the end of a segment within the shortest step.
    assert!(sure as f64 > 0.999 * all as f64, "{sure} of {all}");
    assert!(check.checked.len() > 100, "{}", check.checked.len());
}

/// Residuals of a robot's state, on every kind of joint.
#[test]
fn derivatives_on_every_joint() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let tip = model.find_body("link2").expect("is there");
        let q = model.random(&mut rng(seed as u64));
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(model.nv())));
        let reference = ReferenceFrame::Local;
        let phase = Phase::new("move", 2, 0.01, step)
            .cost(Cost::new("state", StateError::at(&model, &q, &vec![0.0; model.nv()])))
            .cost(Cost::new("velocity", FrameVelocity::new(tip, reference, twist(1))))
            .cost(Cost::new("acceleration", FrameAcceleration::new(tip, reference, twist(2))))
            .cost(Cost::new("placement", FramePlacement::new(tip, Transform::from_translation([0.1, 0.2, 0.3].into()))))
            .cost(Cost::new("translation", FrameTranslation::new(tip, [0.1, 0.2, 0.3].into())))
            .cost(Cost::new("com", CenterOfMass::new([0.0, 0.1, 0.2].into())))
            .cost(Cost::new("momentum", CentroidalMomentum::new(Momentum::new(Vector3::zeros(), Vector3::zeros()))));
        let problem = Problem::builder(&model).start(&q, &vec![0.0; model.nv()]).phase(phase).build().expect("is");
        let check = problem.check_at(&at_random(&problem, 40 + seed as u64), &[0, 1]).expect("fits");
        assert!(check.agrees(), "{name}: {check}");
    }
}

/// Torques that inverse dynamics asks of motors, whose controls are accelerations and forces.
#[test]
fn torques_under_inverse_dynamics() {
    let model = robot("solo12", true);
    let q = pose(&model, 2);
    let contacts = [Contact::point_at(&model, "FL_FOOT", &q).expect("is there")];
    let motors = Actuation::of(&model);
    let torque = JointTorque::new(&motors, &contacts);
    let step = InverseDynamics::new(&model, motors, &contacts);
    let phase = Phase::new("stand", 2, 0.01, step).cost(Cost::new("torque", torque));
    let problem = Problem::builder(&model).start(&q, &vec![0.0; model.nv()]).phase(phase).build().expect("is");
    let check = problem.check_at(&at_random(&problem, 6), &[0, 1]).expect("fits");
    assert!(check.agrees(), "{check}");
}

/// Values of a residual in a phase of one node.
fn costs(model: &Model, contacts: &[Contact], residual: impl Residual + 'static, loss: Loss) -> Result<f64, String> {
    let step = ForwardDynamics::new(Actuation::Full(model.nv())).with_contacts(contacts);
    let phase = Phase::new("hold", 1, 1.0, SemiImplicitEuler::new(model, step))
        .cost(Cost::new("term", residual).loss(loss).weight(2.0));
    let problem = Problem::builder(model).phase(phase).build().map_err(|error| error.to_string())?;
    let at = guess::standing(&problem);
    let run = problem.costs(0, at.x(0), at.u(0), &mut problem.memory());
    run.map(|costs| costs[0].1).map_err(|error| error.to_string())
}

/// The rows of a Coulomb cone are those of a force in axes of the surface, whatever axes across its normal are taken.
#[test]
fn a_coulomb_cone_is_the_force_on_its_surface() {
    let model = robot("solo12", true);
    let q = pose(&model, 3);
    let contacts = [Contact::point_at(&model, "FL_FOOT", &q).expect("is there")];
    let normal = Vector3::new(0.3, -0.2, 1.0);
    for (mu, expected) in [(0.5, 0.25), (2.0, 4.0)] {
        let run = |residual: CoulombCone, loss| costs(&model, &contacts, residual, loss).expect("runs");
        let cone = CoulombCone::of("FL_FOOT").friction(mu);
        let of = |rows: [f64; 3]| Loss::Diagonal(rows.to_vec());
        let force = |rows: [f64; 3]| costs(&model, &contacts, ContactForce::new("FL_FOOT"), of(rows)).expect("runs");
        let (along, across) = (run(cone.clone(), of([1.0, 0.0, 0.0])), run(cone.clone(), of([0.0, 1.0, 1.0])));
        // Squares of the same numbers, of some 100 N².
        assert!((along - expected * force([0.0, 0.0, 1.0])).abs() < 1e-9, "{along}");
        assert!((across - force([1.0, 1.0, 0.0])).abs() < 1e-9, "{across}");
        // On a slope: what is along its normal and what is across make up the force.
        let slope = cone.normal(normal);
        let (along, across) = (run(slope.clone(), of([1.0, 0.0, 0.0])), run(slope, of([0.0, 1.0, 1.0])));
        let n = normal.normalize();
        let turned = ContactForce::new("FL_FOOT").in_axes(Matrix3::from_columns(&[n, n, n]));
        let by_normal = costs(&model, &contacts, turned, of([1.0, 0.0, 0.0])).expect("runs");
        assert!((along - expected * by_normal).abs() < 1e-9, "{along} {by_normal}");
        assert!((by_normal + across - force([1.0; 3])).abs() < 1e-9, "{across}");
    }
}

/// Half a turn from the goal there are two rotation vectors: both signs of the axis are the same residual, at the cost
/// of the angle.
#[test]
fn half_a_turn_has_a_side() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("is there");
    let here = frame_pose(&model, &mut Workspace::new(&model), &model.neutral::<f64>(), hand).expect("runs");
    for axis in [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, 0.8)] {
        for sign in [1.0, -1.0] {
            let turned = here.rotation * exp3(axis * (sign * std::f64::consts::PI));
            let there = Transform::new(turned, here.translation);
            for cost in [
                costs(&model, &[], FramePlacement::new(hand, there), Loss::Quadratic),
                costs(&model, &[], FrameRotation::new(hand, turned), Loss::Quadratic),
            ] {
                let cost = cost.expect("has a logarithm");
                // Angles near half a turn lose digits to the pose's rounding, 1e-15 or so.
                assert!((cost - std::f64::consts::PI.powi(2)).abs() < 1e-12, "{cost}");
            }
        }
        // So it is a thousandth of a radian nearer.
        let near = here.rotation * exp3(axis * (std::f64::consts::PI - 1e-3));
        let cost = costs(&model, &[], FrameRotation::new(hand, near), Loss::Quadratic).expect("has a logarithm");
        // Angles near half a turn lose digits to the pose's rounding, 1e-15 or so.
        assert!((cost - (std::f64::consts::PI - 1e-3).powi(2)).abs() < 1e-12, "{cost}");
    }
}

/// A free body that is half a turn away from its goal turns there, whichever way the goal is written, about the same
/// axis.
#[test]
fn a_goal_of_half_a_turn_is_reached() {
    use gradyn_trajectory::{Newton, NewtonOptions, Status};
    use std::f64::consts::PI;
    let model = puck::free_body();
    let frame = model.find_frame("body").expect("is there");
    for (k, angle) in [PI, -PI, PI - 1e-12, 1e-12 - PI].into_iter().enumerate() {
        let there = Transform::from_rpy([0.0, 0.0, angle], Vector3::zeros());
        let q = [[0.0; 3].as_slice(), &there.quaternion().to_array()].concat();
        let goals: [Box<dyn Residual>; 3] = [
            Box::new(FramePlacement::new(frame, there)),
            Box::new(FrameRotation::new(frame, there.rotation)),
            Box::new(StateError::at(&model, &q, &[0.0; 6])),
        ];
        for (what, goal) in ["placement", "rotation", "state"].into_iter().zip(goals) {
            let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(6)));
            let phase = Phase::new("turn", 10, 0.1, step).cost(Cost::new("effort", Control::zero()).weight(1e-3));
            let problem = Problem::builder(&model).phase(phase).last(Cost::boxed("goal", goal).weight(1e3));
            let problem = problem.build().expect("is a problem");
            let mut solver = Newton::new(&problem, NewtonOptions::default());
            let report = solver.solve(&problem, &guess::standing(&problem));
            assert_eq!(report.status, Status::Converged, "{what} {k}");
            // To the goal, but for what the effort holds back, 1e-3 in 1e3; clockwise or not is the same for all.
            let end = solver.trajectory().x(10);
            assert!(
                end[5].abs() > 0.999 && solver.trajectory().x(5)[5] * solver.trajectory().x(5)[6] < 0.0,
                "{what} {k}: {end:?}"
            );
        }
    }
}

/// Spheres and capsules at known places.
#[test]
fn distances_are_those_of_geometry() {
    let model = robot("panda", false);
    let segment = |a: [f64; 3], b: [f64; 3], radius| Capsule::fixed([a.into(), b.into()], radius);
    let ball = |c: [f64; 3], radius| Capsule::fixed_sphere(c.into(), radius);
    let cases = [
        (ball([0.0; 3], 0.5), ball([3.0, 4.0, 0.0], 0.25), 4.25),
        (ball([0.0, 2.0, 0.0], 0.5), segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.25), 1.25),
        (segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.25), ball([4.0, 4.0, 0.0], 0.5), 4.25),
        (segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.1), segment([0.0, -1.0, 2.0], [0.0, 1.0, 2.0], 0.2), 1.7),
        // Beside each other, in parallel, and one behind the other.
        (segment([0.0; 3], [2.0, 0.0, 0.0], 0.1), segment([1.0, 3.0, 0.0], [5.0, 3.0, 0.0], 0.2), 2.7),
        (segment([0.0; 3], [2.0, 0.0, 0.0], 0.1), segment([5.0, 4.0, 0.0], [9.0, 4.0, 0.0], 0.2), 4.7),
        (segment([0.0; 3], [2.0, 0.0, 0.0], 0.1), segment([9.0, 4.0, 0.0], [5.0, 4.0, 0.0], 0.2), 4.7),
        // Ends.
        (segment([0.0; 3], [1.0, 0.0, 0.0], 0.0), segment([4.0, 4.0, 0.0], [4.0, 9.0, 1.0], 0.0), 5.0),
    ];
    for (a, b, expected) in cases {
        for residual in [Distance::new(a, b), Distance::new(b, a)] {
            let cost = costs(&model, &[], residual.clone(), Loss::Quadratic).expect("has a value");
            assert!((cost.sqrt() - expected).abs() < 1e-14, "{residual:?}: {}", cost.sqrt());
        }
    }
    // A random pair against a search over both segments.
    let rng = &mut rng(3);
    for _ in 0..50 {
        let x = numbers(rng, 12);
        let ends: Vec<Vector3<f64>> = x.chunks(3).map(Vector3::from_column_slice).collect();
        let (a, b) = (Capsule::fixed([ends[0], ends[1]], 0.0), Capsule::fixed([ends[2], ends[3]], 0.0));
        let found = costs(&model, &[], Distance::new(a, b), Loss::Quadratic).expect("has a value").sqrt();
        let at = |k: usize, s: f64| ends[k] + (ends[k + 1] - ends[k]) * s;
        let grid = (0..=200).flat_map(|i| (0..=200).map(move |j| (f64::from(i) / 200.0, f64::from(j) / 200.0)));
        let least = grid.map(|(s, t)| (at(0, s) - at(2, t)).norm()).fold(f64::INFINITY, f64::min);
        // Half a step of the grid on segments of at most 3.5 m moves a point by 9 mm.
        assert!(found <= least + 1e-14 && least - found < 0.02, "{found} {least}");
    }
}

/// Where a distance has no derivative, that is said.
#[test]
fn distances_without_derivative_are_errors() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("is there");
    let here = frame_pose(&model, &mut Workspace::new(&model), &model.neutral::<f64>(), hand).expect("runs");
    let axis = [Vector3::zeros(), Vector3::new(0.0, 0.0, 0.3)];
    let beside = axis.map(|p| here.translation + here.rotation * (p + Vector3::new(0.5, 0.0, 0.1)));
    let cases = [
        (Capsule::fixed(beside, 0.1), "run beside each other in parallel"),
        (Capsule::fixed_sphere(here.translation, 0.1), "touch"),
    ];
    for (other, why) in cases {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let distance = Distance::new(Capsule::new(hand, axis, 0.05), other);
        let phase = Phase::new("hold", 1, 0.01, step).cost(Cost::new("apart", distance));
        let problem = Problem::builder(&model).phase(phase).build().expect("is a problem");
        let mut out = gradyn_trajectory::quadratic::Quadratic::new(problem.dims(0), false);
        let at = guess::standing(&problem);
        let error = problem.linearize(0, at.x(0), at.u(0), &mut problem.memory(), &mut out).expect_err("has none");
        assert!(error.to_string().contains(why), "{error}");
        let mut next = problem.start().to_vec();
        assert!(problem.value(0, at.x(0), at.u(0), &mut problem.memory(), &mut next, &mut []).is_ok());
    }
}

/// The rows of a cone at a wrench.
fn rows(residual: impl Residual, wrench: [f64; 6]) -> Vec<f64> {
    rows_of(&robot("panda", false), &[], residual, wrench).expect("runs")
}

/// The same at a configuration, in a phase that the cone is bound in.
fn rows_of(model: &Model, q: &[f64], mut residual: impl Residual, wrench: [f64; 6]) -> Result<Vec<f64>, String> {
    use gradyn_trajectory::residual::{PhaseInfo, ResidualPoint};
    use gradyn_trajectory::step::ContactRows;
    let contacts = [ContactRows { name: "sole".into(), rows: 2..8, constraint: None, normal: Vector3::z() }];
    residual
        .bind(&PhaseInfo { name: "stand", place: &"stand".into(), model, nu: 0, remembered: 0, contacts: &contacts })
        .expect("has it");
    let f = [&[9.0, 9.0][..], &wrench].concat();
    let (mut workspace, mut derivatives) = (Workspace::new(model), gradyn::DerivativeWorkspace::new(model));
    let mut r = vec![0.0; residual.rows()];
    let mut own = residual.memory();
    let mut on = ResidualPoint {
        model,
        q,
        v: &[],
        w: &[],
        u: &[],
        a: &[],
        f: &f,
        time: 0.0,
        dt: 0.01,
        goal: &[],
        workspace: &mut workspace,
        derivatives: &mut derivatives,
        own: &mut *own,
    };
    residual.value(&mut on, &mut r).map_err(|reason| reason.to_string())?;
    Ok(r)
}

/// A wrench about the middle of a sole with these axes, of a force at a point of the sole.
fn wrench(axes: &Matrix3<f64>, at: [f64; 2], force: [f64; 3]) -> [f64; 6] {
    let (p, f) = (Vector3::new(at[0], at[1], 0.0), Vector3::from(force));
    let (f, moment) = (axes * f, axes * p.cross(&f));
    [f.x, f.y, f.z, moment.x, moment.y, moment.z]
}

/// A sole that follows a frame is the constant one with x along that of the frame, projected on the ground: at a
/// configuration, and at one that is turned about the normal together with the wrench.
#[test]
fn soles_follow_a_frame() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("is there");
    let n = exp3(Vector3::new(0.4, -0.3, 0.9));
    let normal = n.column(2).into_owned();
    let q = model.random(&mut rng(4));
    let pose = frame_pose(&model, &mut Workspace::new(&model), &q, hand).expect("is there");
    let x = pose.rotation.column(0).into_owned();
    let x = (x - normal * normal.dot(&x)).normalize();
    let axes = Matrix3::from_columns(&[x, normal.cross(&x), normal]);
    let wrench = wrench(&axes, [0.03, -0.02], [0.2, -0.1, 3.0]);
    let follows = |q: &[f64], wrench| {
        let pressure = CenterOfPressure::new("sole", n, 0.11, 0.05).following(hand);
        let cone = WrenchCone::new("sole", n, 0.11, 0.05, 0.6).following(hand);
        Ok::<_, String>([rows_of(&model, q, pressure, wrench)?, rows_of(&model, q, cone, wrench)?].concat())
    };
    let constant = CenterOfPressure::new("sole", axes, 0.11, 0.05);
    let expected = [rows(constant, wrench), rows(WrenchCone::new("sole", axes, 0.11, 0.05, 0.6), wrench)].concat();
    let close = |found: Vec<f64>| {
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Rounding of numbers of about one.
        assert!(found.len() == 21 && off < 1e-14, "{off:e}");
    };
    close(follows(&q, wrench).expect("runs"));
    // The first joint of this robot turns all of it about the vertical.
    let (level, angle) = (Matrix3::identity(), 1.1);
    let turn = exp3(Vector3::z() * angle);
    let moved = [&[q[0] + angle][..], &q[1..]].concat();
    let turned = |at: usize| turn * Vector3::from_column_slice(&wrench[at..at + 3]);
    let turned: Vec<f64> = turned(0).iter().chain(turned(3).iter()).copied().collect();
    let on_level =
        |q: &[f64], wrench| rows_of(&model, q, WrenchCone::new("sole", level, 0.11, 0.05, 0.6).following(hand), wrench);
    let (before, after) = (on_level(&q, wrench), on_level(&moved, turned.try_into().expect("is six")));
    let (before, after) = (before.expect("runs"), after.expect("runs"));
    assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-14), "{before:?} {after:?}");
    // With the normal along its x axis there is no direction left: said, and no number that is none.
    let along = Matrix3::from_columns(&[pose.rotation.column(1), pose.rotation.column(2), pose.rotation.column(0)]);
    let error = rows_of(&model, &q, CenterOfPressure::new("sole", along, 0.1, 0.1).following(hand), wrench);
    assert!(error.is_err_and(|why| why.contains("along the normal")));
}

/// The rows of the wrench cone are its faces: none is negative on a force in a corner that friction can make, and each
/// is zero on some of them.
#[test]
fn wrench_cone_is_spanned_by_forces_in_corners() {
    let (x, y, mu) = (0.11, 0.05, 0.6);
    let axes = exp3(Vector3::new(0.4, -0.3, 0.9));
    let cone = || WrenchCone::new("sole", axes, x, y, mu);
    let (mut least, mut zeros) = (f64::INFINITY, [0; 17]);
    for corner in [[x, y], [x, -y], [-x, y], [-x, -y]] {
        for edge in [[mu, mu], [mu, -mu], [-mu, mu], [-mu, -mu]] {
            for (k, r) in rows(cone(), wrench(&axes, corner, [edge[0], edge[1], 1.0])).into_iter().enumerate() {
                least = least.min(r);
                zeros[k] += usize::from(r.abs() < 1e-14);
            }
        }
    }
    // A cone of 16 rays in 6 dimensions: a face holds five of them at least, but for the normal force, which is no
    // face.
    assert!(least > -1e-14, "{least:e}");
    assert!(zeros.iter().enumerate().all(|(k, n)| k == 4 || *n >= 5), "{zeros:?}");
    // A corner that is a hair further out, and one that slips a hair.
    for (at, force) in
        [([x + 1e-6, 0.0], [0.0, 0.0, 1.0]), ([0.0, y + 1e-6], [0.0, 0.0, 1.0]), ([0.0; 2], [mu + 1e-6, 0.0, 1.0])]
    {
        assert!(rows(cone(), wrench(&axes, at, force)).into_iter().any(|r| r < 0.0), "{at:?}");
    }
    // A moment about the normal that is more than friction in the corners can make.
    let most = mu * (x + y);
    assert!(rows(cone(), [0.0; 6].map(|_| 0.0)).iter().all(|r| r.abs() < 1e-15));
    let turned = |m: f64| {
        let (f, t) = (axes * Vector3::z(), axes * Vector3::new(0.0, 0.0, m));
        rows(cone(), [f.x, f.y, f.z, t.x, t.y, t.z]).into_iter().fold(f64::INFINITY, f64::min)
    };
    assert!(turned(most - 1e-9) > 0.0 && turned(-most + 1e-9) > 0.0 && turned(most + 1e-9) < 0.0);
}

/// Half-lengths are halves: a force at the edge of the sole is on the boundary.
#[test]
fn center_of_pressure_is_inside_of_half_lengths() {
    let axes = exp3(Vector3::new(-0.2, 0.1, 1.3));
    let least = |at: [f64; 2]| {
        let pressure = CenterOfPressure::new("sole", axes, 0.11, 0.05);
        rows(pressure, wrench(&axes, at, [0.2, -0.1, 3.0])).into_iter().fold(f64::INFINITY, f64::min)
    };
    for at in [[0.11, 0.0], [-0.11, 0.02], [0.05, 0.05], [0.0, -0.05]] {
        assert!(least(at).abs() < 1e-15, "{at:?}: {:e}", least(at));
        assert!(least(at.map(|x| 0.99 * x)) > 0.0 && least(at.map(|x| 1.01 * x)) < 0.0, "{at:?}");
    }
}

/// Controls that change cost by how fast: `½ h Σ ((u − w)/h)²`.
#[test]
fn rates_are_of_controls_one_after_the_other() {
    let model = robot("pendulum", false);
    let step = || SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let phase = || Phase::new("move", 3, 0.1, step()).cost(Cost::new("rate", ControlRate::new()));
    let problem = Problem::builder(&model).phase(phase()).remember_controls().build().expect("is a problem");
    let mut at = guess::standing(&problem);
    for (k, u) in [1.0, 4.0, 4.5].into_iter().enumerate() {
        at.u_mut(k)[0] = u;
    }
    let at = guess::roll_out(&problem, &at).expect("runs");
    let mut memory = problem.memory();
    for (k, change) in [1.0, 3.0, 0.5].into_iter().enumerate() {
        let cost = problem.costs(k, at.x(k), at.u(k), &mut memory).expect("runs")[0].1;
        assert!((cost - 0.5 * change * change / 0.1).abs() < 1e-12, "{k}: {cost}");
    }
    // Before the first step the controls hold the start still, if no others are said.
    let bent = || Problem::builder(&model).start(&[0.5], &[0.0]).phase(phase()).remember_controls();
    let problem = bent().build().expect("is a problem");
    let mut still = [0.0];
    problem.hold(0, problem.start(), &mut problem.memory(), &mut still).expect("runs");
    assert!(still[0].abs() > 0.1, "{still:?}");
    assert_eq!(problem.start()[2..], still);
    let problem = bent().controls_before(&[2.0]).build().expect("is a problem");
    assert_eq!(problem.start()[2..], [2.0]);
    for (before, said) in [(&[1.0, 2.0][..], "expected 1"), (&[f64::NAN], "it must be finite")] {
        let error = bent().controls_before(before).build().expect_err("is wrong").to_string();
        assert!(error.contains("the controls before the first step") && error.contains(said), "{error}");
    }
    let error = Problem::builder(&model).phase(phase()).build().expect_err("remembers nothing").to_string();
    assert!(error.contains("does not remember controls"), "{error}");
}

/// Bounds are the model's, joints that turn in space have none, and the barrier counts what is beyond.
#[test]
fn limits_are_those_of_the_model() {
    let model = robot("panda", false);
    let limits = JointLimits::new(&model);
    let (lower, upper) = limits.bounds();
    assert_eq!((lower.len(), upper.len()), (14, 14));
    assert_eq!(lower[..7], model.limits().q_lower[..]);
    assert_eq!(upper[7..], model.limits().velocity[..]);
    // The fourth joint stands at zero, above its greatest angle.
    let (loss, beyond) = (limits.barrier(), 0.0 - upper[3].min(0.0));
    let cost = costs(&model, &[], limits, loss).expect("has a value");
    assert!(beyond > 0.0 && (cost - beyond * beyond).abs() < 1e-15, "{cost}");
    let floating = robot("solo12", true);
    assert_eq!(JointLimits::new(&floating).rows(), 12 + 12);
}

/// Goals of a wrong length, and contacts that are not there, are refused where the problem is built, by name.
#[test]
fn goals_and_contacts_that_do_not_fit() {
    let model = robot("solo12", true);
    let foot = [Contact::point_at(&model, "FL_FOOT", &model.neutral::<f64>()).expect("is there")];
    let refused = |residual: Box<dyn Residual>| {
        let step = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&foot);
        let phase =
            Phase::new("stand", 2, 0.01, SemiImplicitEuler::new(&model, step)).cost(Cost::boxed("term", residual));
        Problem::builder(&model).phase(phase).build().expect_err("does not fit").to_string()
    };
    let axes = Matrix3::identity();
    let cases: [(Box<dyn Residual>, &str); 8] = [
        (
            Box::new(ContactForce::new("FL_FOOT").towards(&[1.0])),
            "the goal of a contact force has 1 entries, expected 3",
        ),
        (Box::new(ContactForce::new("HL_FOOT")), "there is no contact `HL_FOOT`"),
        (Box::new(CenterOfPressure::new("FL_FOOT", axes, 0.1, 0.1)), "has 3 entries, expected 6"),
        (Box::new(WrenchCone::new("FL_FOOT", axes, 0.1, 0.1, 0.5)), "has 3 entries, expected 6"),
        (Box::new(Control::at(&[0.0; 3])), "the goal of controls has 3 entries, expected 12"),
        (Box::new(JointTorque::new(&Actuation::of(&model), &[])), "multipliers of contacts has 0 entries, expected 3"),
        (
            Box::new(JointTorque::new(&Actuation::of(&model), &foot).towards(&[1.0])),
            "the goal of torques has 1 entries, expected 12",
        ),
        (
            Box::new(JointLimits::new(&robot("panda", false))),
            "the state that limits are of has 14 entries, expected 37",
        ),
    ];
    for (residual, expected) in cases {
        let error = refused(residual);
        assert!(error.contains(expected) && error.contains("stand"), "{error}");
    }
    let panda = robot("panda", false);
    let hand = panda.find_frame("panda_link8").expect("is there");
    let step = SemiImplicitEuler::new(&panda, ForwardDynamics::new(Actuation::of(&panda)));
    let turn = Cost::new("turn", FrameRotation::new(hand, axes));
    let mut problem = Problem::builder(&panda).phase(Phase::new("turn", 2, 0.01, step).cost(turn)).build().expect("is");
    let error = problem.set_goal(0, "turn", &[1.0; 6]).expect_err("is too short").to_string();
    assert_eq!(error, "node 0, cost `turn`: the goal has 6 entries, expected 9");
    let error = problem.set_goal(0, "turn", &[1.0; 9]).expect_err("is no rotation").to_string();
    assert!(error.starts_with("node 0, cost `turn`: the goal is invalid"), "{error}");
}
