//! Robots made of other robots: joints locked, robots put on each other, payloads, frames; and what equals what.

use gradyn::Workspace;
use gradyn::dynamics::{ReferenceFrame, crba, forward_kinematics, frame_jacobian, frame_wrench_regressor, rnea};
use gradyn::joint::{Axis, Joint, Prismatic, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{DofDynamics, FrameId, Model, ModelBuilder, ModelError};
use gradyn::spatial::{Inertia, Transform};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, DVector, Vector3};
use rand::RngExt;
use testing::*;

fn torques(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    rnea(model, &mut Workspace::new(model), q, v, a, &[]).expect("runs").to_vec()
}

fn mass_matrix(model: &Model, q: &[f64]) -> DMatrix<f64> {
    crba(model, &mut Workspace::new(model), q).expect("runs").clone()
}

/// The pose of a frame, by its name.
fn pose(model: &Model, q: &[f64], frame: &str) -> Transform<f64> {
    let still = vec![0.0; model.nv()];
    let mut ws = Workspace::new(model);
    let kinematics = forward_kinematics(model, &mut ws, q, &still, &still).expect("runs");
    kinematics.frame_pose(model.find_frame(frame).expect("is there")).expect("is there")
}

/// With frames on bodies and on the world, followers, limits, and joint friction off.
fn with_everything(seed: u64) -> Model {
    let rng = &mut rng(seed);
    let mut model = tree_of_every_joint(seed).with_joint_friction(seed.is_multiple_of(2));
    for k in 0..3 {
        let body = model.body_id(rng.random_range(0..model.bodies().len())).expect("is there");
        model = model.with_frame(body, format!("tool{k}"), transform(rng)).expect("is a pose");
    }
    let model = model.with_frame(None, "corner", transform(rng)).expect("is a pose");
    let mut builder = model.to_builder();
    builder.add_fixed_inertia(inertia(rng));
    for (i, body) in model.bodies().iter().enumerate().filter(|(i, b)| i % 3 == 0 && b.owns_coordinates()) {
        let key = builder.key(i).expect("is there");
        let (q, v) = (body.q_range().len(), body.v_range().len());
        builder.set_q_limits(key, &vec![(-1.0, 2.0); q]).expect("fits");
        builder.set_velocity_limits(key, &vec![3.0; v]).expect("fits");
        builder.set_effort_limits(key, &vec![40.0; v]).expect("fits");
    }
    builder.build().expect("builds")
}

#[test]
fn the_builder_of_a_model_builds_it() {
    let mut models = models();
    models.extend((0..4).map(|seed| (format!("everything, seed {seed}"), with_everything(seed))));
    for (what, model) in models {
        assert!(model.to_builder().build().expect("builds") == model, "{what}");
        let lifted = model.lift::<Dual64>();
        assert!(lifted.to_builder().build().expect("builds") == lifted, "{what}, over dual numbers");
    }
}

/// Entries in any order, several for one degree of freedom, of multipliers that no joint has.
#[test]
fn joint_dynamics_that_no_joint_would_make_survive_a_builder() {
    for seed in 0..20 {
        let model = tree_of_every_joint(seed % 4);
        let rng = &mut rng(seed);
        let mut entry = || DofDynamics {
            index: rng.random_range(0..model.nv()),
            multiplier: [1.0, -0.7, 1.5 * -0.7, 3.0][rng.random_range(0..4)],
            armature: rng.random(),
            damping: rng.random(),
            friction: rng.random(),
        };
        let entries: Vec<_> = (0..60).map(|_| entry()).collect();
        let (q, v, a) = state(&model, seed);
        let model = model.with_joint_dynamics(entries.clone()).expect("is finite");
        let built = model.to_builder().build().expect("builds");
        assert!(built == model, "seed {seed}");
        // And each of them acts, wherever it stands.
        let mut expected = torques(&built.clone().with_joint_dynamics(Vec::new()).expect("is finite"), &q, &v, &a);
        for e in entries {
            let (u, w) = (e.multiplier * v[e.index], model.friction_width());
            let friction = e.friction * u / (u * u + w * w).sqrt();
            expected[e.index] += e.multiplier * (e.armature * e.multiplier * a[e.index] + e.damping * u + friction);
        }
        // Sums of some ten numbers.
        assert_near(&torques(&built, &q, &v, &a), &expected, 1e-13, format!("seed {seed}"));
    }
}

#[test]
fn models_differ_where_anything_does() {
    let model = with_everything(0);
    let body = model.body_id(3).expect("is there");
    let b = &model.bodies()[3];
    let n = b.v_range().len();
    let mut heavier = *b.inertia();
    heavier.mass *= 1.0 + 1e-15;
    let others = [
        model.clone().with_gravity(Vector3::new(0.0, 0.0, -1.62)),
        model.clone().with_joint_friction(!model.has_joint_friction()),
        model.clone().with_friction_width(0.3).expect("is positive"),
        model.clone().with_inertia(body, heavier).expect("is there"),
        model.clone().with_placement(body, Transform::identity()).expect("is there"),
        model.clone().with_armature(body, &vec![2.0; n]).expect("fits"),
        model.clone().with_damping(body, &vec![2.0; n]).expect("fits"),
        model.clone().with_friction(body, &vec![2.0; n]).expect("fits"),
        model.clone().with_effort_limits(body, &vec![2.0; n]).expect("fits"),
        model.clone().with_velocity_limits(body, &vec![2.0; n]).expect("fits"),
        model.clone().with_q_limits(body, &vec![(0.0, 1.0); b.q_range().len()]).expect("fits"),
        model.clone().with_frame(None, "another", Transform::identity()).expect("is new"),
        model.clone().attach(model.find_frame("corner").expect("is there"), heavier).expect("is there"),
    ];
    assert!(model == model.clone());
    for (k, other) in others.iter().enumerate() {
        assert!(*other != model, "change {k}");
    }
}

/// Torques are rows of those of the whole robot with the others at rest, the mass matrix is a part of its, frames are
/// where they were.
#[test]
fn locked_joints_are_joints_at_rest() {
    let mut models = models();
    models.extend((0..4).map(|seed| (format!("everything, seed {seed}"), with_everything(seed))));
    for (n, (what, model)) in models.iter().enumerate() {
        let rng = &mut rng(n as u64);
        let (q, mut v, mut a) = state(model, n as u64);
        let owners = model.bodies().iter().enumerate().filter(|(_, body)| body.owns_coordinates());
        // At last all of them, and none.
        for share in [0.3, 0.6, 1.1, -0.1] {
            let chosen: Vec<_> = owners.clone().filter(|_| rng.random::<f64>() < share).collect();
            let locked: Vec<_> =
                chosen.iter().map(|(i, body)| (model.body_id(*i).expect("is there"), &q[body.q_range()])).collect();
            for (_, body) in &chosen {
                v[body.v_range()].fill(0.0);
                a[body.v_range()].fill(0.0);
            }
            let reduced = model.reduced(&locked).expect("can be locked");
            let kept = owners.clone().filter(|(i, _)| chosen.iter().all(|(locked, _)| locked != i));
            let (mut at_q, mut at_v) = (Vec::new(), Vec::new());
            for (_, body) in kept {
                at_q.extend(body.q_range());
                at_v.extend(body.v_range());
            }
            assert_eq!((reduced.nq(), reduced.nv()), (at_q.len(), at_v.len()), "{what}");
            let pick = |x: &[f64], at: &[usize]| at.iter().map(|k| x[*k]).collect::<Vec<_>>();
            let q1 = pick(&q, &at_q);
            let tau = torques(&reduced, &q1, &pick(&v, &at_v), &pick(&a, &at_v));
            // Rounding of sums over up to 60 bodies.
            assert_near(&tau, &pick(&torques(model, &q, &v, &a), &at_v), 1e-12, format!("{what}: torques"));
            let (whole, part) = (mass_matrix(model, &q), mass_matrix(&reduced, &q1));
            let expected = DMatrix::from_fn(at_v.len(), at_v.len(), |i, j| whole[(at_v[i], at_v[j])]);
            assert!(deviation(&part, &expected) < 1e-12, "{what}: mass matrix");
            assert_eq!(reduced.frames().len(), model.frames().len());
            for frame in model.frames() {
                let poses = [pose(&reduced, &q1, frame.name()), pose(model, &q, frame.name())];
                let [found, expected] = poses.map(|x| entries(&x));
                assert_near(&found, &expected, 1e-12, format!("{what}: {}", frame.name()));
            }
            if chosen.is_empty() {
                assert!(reduced == *model, "{what}");
            }
        }
    }
}

/// Whatever has been locked is not lost: all mass is there, if not all of it moves.
#[test]
fn locked_mass_is_kept() {
    for seed in 0..4 {
        let model = with_everything(seed);
        let mass =
            |model: &Model| model.bodies().iter().map(|b| b.inertia().mass).sum::<f64>() + model.fixed_inertia().mass;
        let q = model.neutral::<f64>();
        let owners = model.bodies().iter().enumerate().filter(|(_, body)| body.owns_coordinates());
        let all: Vec<_> = owners.map(|(i, b)| (model.body_id(i).expect("is there"), &q[b.q_range()])).collect();
        let statue = model.reduced(&all).expect("can be locked");
        assert_eq!((statue.nv(), statue.bodies().len()), (0, 0));
        assert_near(&[mass(&statue)], &[mass(&model)], 1e-14, seed);
    }
}

#[test]
fn a_robot_put_on_another_is_the_robot_built_of_both() {
    for seed in 0..4 {
        let (first, second) = (tree_of_every_joint(seed), tree_of(9, seed + 5));
        for on in [None, Some(0), Some(7), Some(first.bodies().len() - 1)] {
            let expected = joined(&first, &second, on);
            let frame = match on {
                Some(b) => first.find_frame(first.bodies()[b].name()).expect("is there"),
                None => continue, // below, with a frame on the world
            };
            let both = first.append(&second, frame, "second_").expect("names differ");
            let (q, v, a) = state(&both, seed);
            let (found, expected) = (torques(&both, &q, &v, &a), torques(&expected, &q, &v, &a));
            assert_near(&found, &expected, 1e-13, format!("seed {seed}, on {on:?}"));
        }
    }
}

/// Wherever it is put: by frames that are fixed to bodies and to the world.
#[test]
fn poses_compose_and_mass_matrices_are_blocks_where_robots_are_put_on_each_other() {
    for seed in 0..4 {
        let (first, second) = (with_everything(seed), with_everything(seed + 10));
        for place in ["tool0", "tool1", "body2", "corner"] {
            let frame = first.find_frame(place).expect("is there");
            let both = first.append(&second, frame, "second/").expect("names differ");
            assert_eq!(both.nv(), first.nv() + second.nv());
            let what = format!("seed {seed}, on {place}");
            let (q, ..) = state(&both, seed);
            let of = |model: &Model, prefix: &str| -> (Vec<f64>, Vec<usize>) {
                let (mut own, mut at) = (vec![0.0; model.nq()], vec![0; model.nv()]);
                for body in model.bodies() {
                    let id = both.find_body(&format!("{prefix}{}", body.name())).expect("is there");
                    let there = &both.bodies()[id.index()];
                    own[body.q_range()].copy_from_slice(&q[there.q_range()]);
                    for (from, to) in body.v_range().zip(there.v_range()) {
                        at[from] = to;
                    }
                    assert_eq!(there.joint_name(), format!("{prefix}{}", body.joint_name()));
                }
                (own, at)
            };
            let ((q1, at1), (q2, at2)) = (of(&first, ""), of(&second, "second/"));
            let seat = pose(&first, &q1, place);
            for frame in second.frames() {
                let found = pose(&both, &q, &format!("second/{}", frame.name()));
                let expected = seat * pose(&second, &q2, frame.name());
                assert_near(&entries(&found), &entries(&expected), 1e-12, format!("{what}: {}", frame.name()));
            }
            let m = mass_matrix(&both, &q);
            let block = |at: &[usize]| DMatrix::from_fn(at.len(), at.len(), |i, j| m[(at[i], at[j])]);
            assert!(deviation(&block(&at2), &mass_matrix(&second, &q2)) < 1e-12, "{what}: block of the second");
            // The first one bears the second one's weight: that of all of it as one body, at these coordinates.
            let all: Vec<_> = second
                .bodies()
                .iter()
                .enumerate()
                .filter(|(_, body)| body.owns_coordinates())
                .map(|(i, body)| (second.body_id(i).expect("is there"), &q2[body.q_range()]))
                .collect();
            let statue = *second.reduced(&all).expect("can be locked").fixed_inertia();
            let loaded = first.clone().attach(frame, statue).expect("is there");
            assert!(deviation(&block(&at1), &mass_matrix(&loaded, &q1)) < 1e-12, "{what}: block of the first");
        }
    }
}

/// A gripper's palm, which does not move in its own description, has its weight on the arm's flange.
#[test]
fn what_was_fixed_to_the_world_of_an_appended_robot_weighs_on_the_frame() {
    let urdf = r#"<robot name="gripper"><link name="palm"><inertial><mass value="0.7"/><origin xyz="0 0 0.05"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link></robot>"#;
    let gripper = Model::from_urdf_text(urdf, &UrdfOptions::new()).expect("reads").model;
    assert_near(&[gripper.fixed_inertia().mass], &[0.7], 0.0, "palm");
    let arm = robot("panda", &UrdfOptions::new());
    let flange = arm.find_frame("panda_link8").expect("is there");
    let both = arm.append(&gripper, flange, "hand_").expect("names differ");
    let loaded = arm.clone().attach(flange, *gripper.fixed_inertia()).expect("is there");
    let (q, v, a) = state(&arm, 1);
    assert_same(&torques(&both, &q, &v, &a), &torques(&loaded, &q, &v, &a), "torques");
    assert!(both.find_frame("hand_palm").is_some());
}

/// `τ + Jᵀ W π`, with the wrench that the payload needs.
#[test]
fn a_payload_adds_what_its_motion_needs() {
    for seed in 0..4 {
        let model = with_everything(seed);
        let (q, v, a) = state(&model, seed);
        let payload = inertia(&mut rng(seed + 50));
        for name in ["tool0", "tool2", "body3", "corner"] {
            let frame: FrameId = model.find_frame(name).expect("is there");
            let mut ws = Workspace::new(&model);
            let j = frame_jacobian(&model, &mut ws, &q, frame, ReferenceFrame::Local).expect("runs").clone();
            let w = frame_wrench_regressor(&model, &mut ws, &q, &v, &a, frame).expect("runs");
            let wrench = w * DVector::from_column_slice(&payload.to_parameters());
            let expected = DVector::from_vec(torques(&model, &q, &v, &a)) + j.transpose() * wrench;
            let loaded = model.clone().attach(frame, payload).expect("is there");
            let found = torques(&loaded, &q, &v, &a);
            assert_near(&found, expected.as_slice(), 1e-12, format!("seed {seed}, {name}"));
        }
    }
}

/// Over numbers that carry derivatives too: how torques vary with the place where a joint is locked.
#[test]
fn a_joint_can_be_locked_at_a_variable() {
    let model = robot("panda", &UrdfOptions::new());
    let elbow = model.find_body("panda_joint4").expect("is there");
    let (q, ..) = state(&model, 4);
    let still = [0.0; 6];
    let at = |x: f64| {
        let reduced = model.reduced(&[(elbow, &[x])]).expect("can be locked");
        let q = [&q[..3], &q[4..]].concat();
        torques(&reduced, &q, &still, &still)
    };
    let lifted = model.lift::<Dual64>().reduced(&[(elbow, &[Dual64::new(q[3], 1.0)])]).expect("can be locked");
    let q1: Vec<Dual64> = lift(&[&q[..3], &q[4..]].concat());
    let still1 = lift(&still);
    let tau = rnea(&lifted, &mut Workspace::new(&lifted), &q1, &still1, &still1, &[]).expect("runs").to_vec();
    let h = 1e-5;
    let (up, down) = (at(q[3] + h), at(q[3] - h));
    let differences: Vec<_> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * h)).collect();
    // h² and ε/h of torques of some tens.
    assert_near(&eps(&tau), &differences, 1e-8, "d tau / d q4");
}

#[test]
fn what_cannot_be_is_said_by_name() {
    let mut builder = ModelBuilder::new("pair");
    let body = |builder: &mut ModelBuilder, parent, name: &str, joint: Joint| {
        builder
            .add_body(parent, name, format!("to {name}"), Transform::identity(), joint, Inertia::zero())
            .expect("fits")
    };
    let hinge = || Joint::from(Revolute { axis: Axis::Z });
    let first = body(&mut builder, None, "first", hinge());
    let second = body(&mut builder, Some(first), "second", Prismatic { axis: Axis::X }.into());
    builder.set_mimic(second, first, 2.0, 0.0).expect("one coordinate each");
    let model = builder.build().expect("builds");
    let [first, second] = ["first", "second"].map(|name| model.find_body(name).expect("is there"));
    let message = |result: Result<Model, ModelError>| result.expect_err("cannot be").to_string();
    assert_eq!(
        message(model.reduced(&[(second, &[0.1])])),
        "joint `to second` cannot be locked: it mimics `to first`; lock that one"
    );
    assert_eq!(
        message(model.reduced(&[(first, &[0.1]), (first, &[0.2])])),
        "joint `to first` cannot be locked: it is in the list twice"
    );
    assert_eq!(message(model.reduced(&[(first, &[0.1, 0.2])])), "q of joint `to first` has 2 entries, expected 1");
    assert_eq!(message(model.reduced(&[(first, &[f64::NAN])])), "`q[0]` (joint to first) is NaN, which is not finite");
    let frame = model.find_frame("first").expect("is there");
    assert_eq!(message(model.append(&model, frame, "")), "body `first` is there twice");
    assert_eq!(
        message(model.clone().with_frame(first, "second", Transform::identity())),
        "frame `second` is there twice"
    );
    let big = tree_of(9, 0);
    let far = big.body_id(8).expect("is there");
    let refused = |text: String, what: &str| {
        assert!(text.starts_with(&format!("{what} 8 is one of `tree 0`")) && text.contains("not of `pair`"), "{text}");
    };
    refused(message(model.reduced(&[(far, &[])])), "body");
    refused(message(model.clone().with_frame(far, "far", Transform::identity())), "body");
    let no_frame = big.find_frame(big.bodies()[8].name()).expect("is there");
    refused(message(model.append(&big, no_frame, "x")), "frame");
    let floating = robot("solo12", &UrdfOptions::new().floating_base(true));
    let base = floating.body_id(0).expect("is there");
    let text = message(floating.reduced(&[(base, &[0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 2.0])]));
    assert!(text.contains("q[3..7]") && text.contains("has length 2, not 1"), "{text}");
}
