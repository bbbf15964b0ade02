//! Results of derivatives read again, and into memory of the caller; poses and contacts by the names of frames.

use gradyn::dynamics::{
    Constraint, ExternalWrench, FrameRef, ReferenceFrame, constraint_dynamics, constraint_jacobian, forward_kinematics,
    frame_jacobian, frame_pose, frame_pose_jacobian,
};
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{
    AbaDerivatives, ConstraintDynamicsDerivatives, ImpulseDynamicsDerivatives, RneaDerivatives, aba_derivatives,
    aba_derivatives_into, bias_derivatives, constraint_dynamics_derivatives, constraint_dynamics_derivatives_into,
    impulse_dynamics_derivatives, impulse_dynamics_derivatives_into, rnea_derivatives_into,
};
use gradyn::spatial::Transform;
use gradyn::{DerivativeWorkspace, Method, Workspace, rnea_derivatives};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::Vector3;
use testing::*;

#[test]
fn the_last_result_can_be_read_again_until_a_call_fails_or_writes_over_it() {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let (q, v, a) = state(&model, 1);
    let nan = vec![f64::NAN; model.nv()];
    let none: [ExternalWrench; 0] = [];
    let foot = model.find_frame("FL_FOOT").expect("is there");
    let contact = [Constraint::frame_contact(&model, foot, Vector3::zeros()).expect("is there")];
    for method in Method::ALL {
        let ws = &mut DerivativeWorkspace::new(&model);
        assert!(ws.rnea_derivatives().is_none() && ws.aba_derivatives().is_none());
        assert!(ws.constraint_dynamics_derivatives().is_none() && ws.impulse_dynamics_derivatives().is_none());

        let by = rnea_derivatives(&model, ws, method, &q, &v, &a, &none).expect("runs").clone();
        assert!(ws.rnea_derivatives() == Some(&by), "{method}");
        let by = aba_derivatives(&model, ws, method, &q, &v, &a, &none).expect("runs").clone();
        assert!(ws.aba_derivatives() == Some(&by), "{method}");
        let held = constraint_dynamics_derivatives(&model, ws, method, &q, &v, &a, &contact, &none);
        let held = held.expect("runs").clone();
        assert!(ws.constraint_dynamics_derivatives() == Some(&held), "{method}");
        let struck = impulse_dynamics_derivatives(&model, ws, method, &q, &v, 0.5, &contact).expect("runs").clone();
        assert!(ws.impulse_dynamics_derivatives() == Some(&struck), "{method}");
        // Others did not touch these.
        assert!(ws.aba_derivatives() == Some(&by), "{method}");
        assert!(ws.constraint_dynamics_derivatives() == Some(&held), "{method}");

        aba_derivatives(&model, ws, method, &q, &v, &nan, &none).expect_err("NaN");
        assert!(ws.aba_derivatives().is_none(), "{method}: after a failure");
        constraint_dynamics_derivatives(&model, ws, method, &q, &v, &nan, &contact, &none).expect_err("NaN");
        assert!(ws.constraint_dynamics_derivatives().is_none(), "{method}: after a failure");
        impulse_dynamics_derivatives(&model, ws, method, &q, &nan, 0.5, &contact).expect_err("NaN");
        assert!(ws.impulse_dynamics_derivatives().is_none(), "{method}: after a failure");
        rnea_derivatives(&model, ws, method, &q, &v, &a, &none).expect("runs");
        rnea_derivatives(&model, ws, method, &q, &v, &nan, &none).expect_err("NaN");
        assert!(ws.rnea_derivatives().is_none(), "{method}: after a failure");
        rnea_derivatives(&model, ws, method, &q, &v, &a, &none).expect("runs");
        rnea_derivatives(&model, ws, method, &q[1..], &v, &a, &none).expect_err("too short");
        assert!(ws.rnea_derivatives().is_none(), "{method}: after a wrong length");
        rnea_derivatives(&model, ws, method, &q, &v, &a, &none).expect("runs");
        bias_derivatives(&model, ws, method, &q, &v, &[]).expect("runs");
        assert!(ws.rnea_derivatives().is_none(), "{method}: the memory of others' results");
    }
}

#[test]
fn results_into_memory_of_the_caller_are_the_results() {
    for (what, model) in [
        ("solo12", robot("solo12", &UrdfOptions::new().floating_base(true))),
        ("panda", robot("panda", &UrdfOptions::new())),
    ] {
        let ws = &mut DerivativeWorkspace::new(&model);
        let place = model.body_id(model.bodies().len() - 1).expect("is there");
        let contact = [Constraint::contact(place, Vector3::new(0.0, 0.0, 0.1), Vector3::zeros())];
        // Kept from one state, method and number of wrenches to the next.
        let (mut rnea, mut forward) = (RneaDerivatives::default(), AbaDerivatives::default());
        let (mut held, mut struck) = (ConstraintDynamicsDerivatives::default(), ImpulseDynamicsDerivatives::default());
        for (seed, method) in
            [Method::Analytical, Method::Difference, Method::Dual, Method::Difference].iter().enumerate()
        {
            let (q, v, a) = state(&model, seed as u64);
            let forces = wrenches(&model, seed as u64);
            let forces = &forces[..seed % 3];
            rnea_derivatives_into(&model, ws, *method, &q, &v, &a, forces, &mut rnea).expect("runs");
            assert!(Some(&rnea) == ws.rnea_derivatives(), "{what}, {method}");
            aba_derivatives_into(&model, ws, *method, &q, &v, &a, forces, &mut forward).expect("runs");
            assert!(Some(&forward) == ws.aba_derivatives(), "{what}, {method}");
            constraint_dynamics_derivatives_into(&model, ws, *method, &q, &v, &a, &contact, forces, &mut held)
                .expect("runs");
            assert!(Some(&held) == ws.constraint_dynamics_derivatives(), "{what}, {method}");
            impulse_dynamics_derivatives_into(&model, ws, *method, &q, &v, 0.3, &contact, &mut struck).expect("runs");
            assert!(Some(&struck) == ws.impulse_dynamics_derivatives(), "{what}, {method}");
            // A failure leaves what is there.
            let before = rnea.clone();
            rnea_derivatives_into(&model, ws, *method, &q, &v, &a[1..], forces, &mut rnea).expect_err("too short");
            assert!(rnea == before, "{what}, {method}");
        }
    }
}

#[test]
fn poses_from_the_configuration_alone_are_those_of_forward_kinematics() {
    for (n, (what, model)) in models().iter().enumerate() {
        let (q, v, a) = state(model, n as u64);
        let (mut ws, mut other) = (Workspace::new(model), Workspace::new(model));
        let frames = model.frames().iter().map(|f| FrameRef::from(model.find_frame(f.name()).expect("is there")));
        let bodies = (0..model.bodies().len()).map(|i| FrameRef::from(model.body_id(i).expect("is there")));
        for frame in frames.chain(bodies) {
            let kinematics = forward_kinematics(model, &mut other, &q, &v, &a).expect("runs");
            let expected = match frame {
                FrameRef::Body(body) => kinematics.pose(body),
                FrameRef::Frame(frame) => kinematics.frame_pose(frame),
            };
            let expected = entries(&expected.expect("is there"));
            let alone = frame_pose(model, &mut ws, &q, frame).expect("runs");
            // Products of up to 60 poses.
            assert_near(&entries(&alone), &expected, 1e-12, format!("{what}: {frame:?}"));
            for reference in ReferenceFrame::ALL {
                let (pose, jacobian) = frame_pose_jacobian(model, &mut ws, &q, frame, reference).expect("runs");
                assert_near(&entries(&pose), &expected, 1e-12, format!("{what}: {frame:?}"));
                let expected = frame_jacobian(model, &mut other, &q, frame, reference).expect("runs");
                assert_same(jacobian.as_slice(), expected.as_slice(), format!("{what}: {frame:?}"));
            }
        }
    }
}

/// The derivative of the pose along a motion is the Jacobian's: over dual numbers both come from one call.
#[test]
fn poses_over_dual_numbers_move_as_the_jacobian_says() {
    let model = tree_of_every_joint(0);
    let (q, v, _) = state(&model, 0);
    let frame = model.body_id(model.bodies().len() - 1).expect("is there");
    let mut ws = Workspace::new(&model);
    let (pose, j) = frame_pose_jacobian(&model, &mut ws, &q, frame, ReferenceFrame::LocalWorldAligned).expect("runs");
    let expected = j * nalgebra::DVector::from_column_slice(&v);
    let moved = moved(&model, &q, &v);
    let varied = frame_pose(&model, &mut Workspace::<Dual64>::new(&model), &moved, frame).expect("runs");
    assert_near(&eps(varied.translation.as_slice()), &expected.as_slice()[..3], 1e-12, "velocity of the origin");
    let angular = Vector3::new(expected[3], expected[4], expected[5]);
    let rate = nalgebra::Matrix3::from_column_slice(&eps(varied.rotation.as_slice()));
    assert_near(rate.as_slice(), (angular.cross_matrix() * pose.rotation).as_slice(), 1e-12, "rate of the rotation");
}

#[test]
fn poses_of_what_cannot_be_are_refused_by_name() {
    let model = robot("panda", &UrdfOptions::new());
    let big = tree_of(60, 1);
    let mut ws = Workspace::new(&model);
    let hand = model.find_frame("panda_link8").expect("is there");
    let mut q = [0.0; 7];
    let message = |error: gradyn::model::InputError| error.to_string();
    assert_eq!(
        message(frame_pose(&model, &mut ws, &q[1..], hand).expect_err("too short")),
        "`q` has 6 entries, expected 7 (nq of the model)"
    );
    let far = big.body_id(59).expect("is there");
    assert!(frame_pose(&model, &mut ws, &q, far).is_err());
    q[3] = f64::INFINITY;
    let text = message(frame_pose(&model, &mut ws, &q, hand).expect_err("infinite"));
    assert_eq!(text, "`q[3]` (joint panda_joint4) is inf, which is not finite");
    assert!(frame_pose_jacobian(&model, &mut ws, &q, hand, ReferenceFrame::Local).is_err());
}

/// Of frames and of the same points and poses of bodies.
#[test]
fn constraints_of_frames_are_those_of_their_bodies() {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let rng = &mut rng(4);
    let (body, other) = (model.body_id(3).expect("is there"), model.body_id(6).expect("is there"));
    let (x, y, z) = (transform(rng), transform(rng), transform(rng));
    let model = model.with_frame(body, "x", x).and_then(|m| m.with_frame(other, "y", y)).expect("is new");
    let model = model.with_frame(None, "z", z).expect("is new");
    let [fx, fy, fz] = ["x", "y", "z"].map(|name| model.find_frame(name).expect("is there"));
    let (body, other) = (model.body_id(3).expect("is there"), model.body_id(6).expect("is there"));
    let place = vector(rng);
    let pairs = [
        (Constraint::frame_contact(&model, fx, place), Constraint::contact(body, x.translation, place)),
        (Constraint::connect(&model, fx, fy), Constraint::point(body, x.translation, other, y.translation)),
        (Constraint::connect(&model, fz, fy), Constraint::point(None, z.translation, other, y.translation)),
        (Constraint::weld(&model, fx, fy), Constraint::frame(body, x, other, y)),
        (Constraint::weld(&model, fz, fx), Constraint::frame(None, z, body, x)),
        (Constraint::weld(&model, body, fy), Constraint::frame(body, Transform::identity(), other, y)),
    ];
    let (q, v, tau) = state(&model, 4);
    for (k, (of_frames, of_bodies)) in pairs.into_iter().enumerate() {
        let of_frames = of_frames.expect("is there");
        assert_eq!(of_frames.rows(), of_bodies.rows());
        let jacobian =
            |c: Constraint| constraint_jacobian(&model, &mut Workspace::new(&model), &q, &[c]).expect("runs").clone();
        assert_same(jacobian(of_frames).as_slice(), jacobian(of_bodies).as_slice(), k);
        let lambda = |c: Constraint| {
            let mut ws = Workspace::new(&model);
            constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[c], &[]).expect("runs").lambda.to_vec()
        };
        assert_same(&lambda(of_frames), &lambda(of_bodies), k);
    }
    let far = tree_of(60, 1).body_id(59).expect("is there");
    assert!(Constraint::frame_contact(&model, far, place).is_err());
}

/// The text of a model has every joint once, and every frame that was added.
#[test]
fn a_model_as_text_has_every_joint() {
    for (what, model) in models() {
        let text = model.to_string();
        let tree = model.tree().to_string();
        assert!(text.ends_with(&tree) && text.starts_with(model.name()), "{what}");
        assert_eq!(tree.lines().count(), model.bodies().len() + 1, "{what}");
        for (line, body) in tree.lines().skip(1).zip(model.bodies()) {
            let found = line.contains(&format!("{} → {}  ", body.joint_name(), body.name()));
            assert!(found, "{what}: {line}");
        }
    }
    let model = robot("pendulum", &UrdfOptions::new());
    let body = model.body_id(0).expect("is there");
    let model = model.with_frame(body, "marker", Transform::identity()).expect("is new");
    assert!(model.tree().to_string().lines().last().is_some_and(|line| line.ends_with("marker")), "{model}");
    let none = model.tree().listing(&|_| false).to_string();
    assert!(!none.contains('+'), "{none}");
    assert!(model.tree().dimmed("<", ">").to_string().contains("<→>"));
}
