//! Robots described from another body, and robots without some of their bodies: what stays the same.

use gradyn::dynamics::{Workspace, forward_kinematics, kinetic_energy, potential_energy};
use gradyn::joint::*;
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{Model, ModelBuilder, ModelError};
use gradyn::once;
use gradyn::spatial::{Inertia, Quaternion, Transform};
use nalgebra::Vector3;
use rand::RngExt;
use testing::*;

/// On a floating base, by joints that lead back, with followers, frames, limits and springs.
fn floating(seed: u64) -> Model {
    let rng = &mut rng(seed);
    let mut joints: Vec<Joint> = vec![FreeFlyer.into()];
    for k in 0..12 {
        joints.push(match k % 6 {
            0 => Revolute { axis: axis(rng) }.into(),
            1 => Prismatic { axis: axis(rng) }.into(),
            2 => Continuous { axis: axis(rng) }.into(),
            3 => Helical { axis: axis(rng), pitch: 0.2 }.into(),
            4 => Cylindrical { axis: axis(rng) }.into(),
            _ => Fixed.into(),
        });
    }
    let mut builder = tree_builder(seed, joints, false);
    let key = |builder: &ModelBuilder, k: usize| builder.key(k).expect("is there");
    // A follower that is no composite joint on the way: a slide.
    let (slide, hinge) = (key(&builder, 8), key(&builder, 7));
    builder.set_mimic(slide, hinge, -0.6, 0.1).expect("one coordinate each");
    builder.add_frame(Some(hinge), "tool", transform(rng)).expect("fits");
    builder.add_frame(None, "corner", transform(rng)).expect("fits");
    builder.set_effort_limits(hinge, &[7.0]).expect("fits");
    // Another tree, which stays.
    let x = transform(rng);
    let lone = builder.add_body(None, "lone", "pivot", x, Spherical, inertia(rng)).expect("fits");
    builder
        .add_body(Some(lone), "lone2", "pivot2", x, Universal { first: Axis::X, second: Axis::Y }, inertia(rng))
        .expect("fits");
    builder.build().expect("builds")
}

/// The same state of the robot described from another body: coordinates by the names of joints, the base from where the new root is.
fn matching(from: &Model, to: &Model, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut q_to, mut v_to) = (vec![0.0; to.nq()], vec![0.0; to.nv()]);
    let (still, mut ws) = (vec![0.0; from.nv()], Workspace::new(from));
    let kinematics = forward_kinematics(from, &mut ws, q, v, &still).expect("runs");
    for body in to.bodies().iter().filter(|body| body.owns_coordinates()) {
        if matches!(body.joint(), Joint::Elementary(Elementary::FreeFlyer(_))) {
            let there = from.find_body(body.name()).expect("is there");
            let x = body.placement().inverse() * kinematics.pose(there).expect("is there");
            let turn = Quaternion::from_rotation(&x.rotation).to_array();
            q_to[body.q_range()].copy_from_slice(&[x.translation.as_slice(), &turn].concat());
            v_to[body.v_range()].copy_from_slice(&kinematics.velocity(there).expect("is there").to_array());
        } else {
            let there = from.bodies().iter().find(|b| b.joint_name() == body.joint_name()).expect("is there");
            q_to[body.q_range()].copy_from_slice(&q[there.q_range()]);
            v_to[body.v_range()].copy_from_slice(&v[there.v_range()]);
        }
    }
    (q_to, v_to)
}

#[test]
fn a_robot_is_the_same_from_every_body() {
    let mut models: Vec<_> = (0..6).map(|seed| (format!("seed {seed}"), floating(seed))).collect();
    for name in ["solo12", "panda"] {
        models.push((name.into(), robot(name, &UrdfOptions::new().floating_base(true))));
    }
    let mut rerooted = 0;
    for (n, (what, model)) in models.iter().enumerate() {
        let (q, v, mut tau) = state(model, n as u64);
        let base = model.bodies().iter().find(|body| body.v_range().len() == 6).expect("floats").v_range();
        tau[base].fill(0.0);
        for b in 0..model.bodies().len() {
            let id = model.body_id(b).expect("is there");
            let name = model.bodies()[b].name();
            let what = format!("{what} from {name}");
            let other = match model.rerooted_at(id) {
                Ok(other) => other,
                Err(error) => {
                    // The other tree; or a follower whose axis is aside, which is none here.
                    assert!(name.starts_with("lone"), "{what}: {error}");
                    assert!(
                        matches!(error, ModelError::Reroot { .. }) && error.to_string().contains("pivot"),
                        "{error}"
                    );
                    continue;
                }
            };
            rerooted += 1;
            assert_eq!(other.find_body(name).expect("is there"), other.body_id(0).expect("is there"), "{what}");
            assert_eq!((other.nq(), other.nv(), other.bodies().len()), (model.nq(), model.nv(), model.bodies().len()));
            let (q2, v2) = matching(model, &other, &q, &v);
            let mut tau2 = matching(model, &other, &q, &tau).1;
            tau2[..6].fill(0.0);
            let energy = |model: &Model, q: &[f64], v: &[f64]| {
                let ws = &mut Workspace::new(model);
                let kinetic = kinetic_energy(model, ws, q, v).expect("runs");
                [kinetic, potential_energy(model, ws, q).expect("runs")]
            };
            // Poses through another dozen of products.
            assert_near(&energy(&other, &q2, &v2), &energy(model, &q, &v), 1e-11, format!("{what}: energy"));
            let (mut ws, mut ws2) = (Workspace::new(model), Workspace::new(&other));
            let a = once::aba(model, &q, &v, &tau, &[]).expect("is regular");
            let a2 = once::aba(&other, &q2, &v2, &tau2, &[]).expect("is regular");
            let one = forward_kinematics(model, &mut ws, &q, &v, &a).expect("runs");
            let two = forward_kinematics(&other, &mut ws2, &q2, &v2, &a2).expect("runs");
            for frame in model.frames() {
                let [x, y] = [
                    one.frame_pose(model.find_frame(frame.name()).expect("is there")).expect("is there"),
                    two.frame_pose(other.find_frame(frame.name()).expect("is there")).expect("is there"),
                ];
                let what = format!("{what}: {}", frame.name());
                assert_near(&entries(&y), &entries(&x), 1e-12, format!("{what}, pose"));
            }
            for body in model.bodies() {
                let of = |model: &Model| model.find_body(body.name()).expect("is there");
                let [x, y] =
                    [one.acceleration(of(model)).expect("is there"), two.acceleration(of(&other)).expect("is there")];
                // Through mass matrices of condition 1e4.
                assert_near(&y.to_array(), &x.to_array(), 1e-9, format!("{what}: acceleration of {}", body.name()));
            }
            // And back: the same robot, up to rounding of poses there and back.
            let first = other.find_body(model.bodies()[0].name()).expect("is there");
            let back = other.rerooted_at(first).expect("leads back");
            assert_eq!(back.bodies().len(), model.bodies().len(), "{what}");
            for body in model.bodies() {
                let again = &back.bodies()[back.find_body(body.name()).expect("is there").index()];
                assert_eq!(
                    (again.joint_name(), again.joint().kind()),
                    (body.joint_name(), body.joint().kind()),
                    "{what}"
                );
                assert_near(&entries(again.placement()), &entries(body.placement()), 1e-14, &what);
                for (x, y) in again.joint().axes().iter().zip(body.joint().axes()) {
                    assert_near(x.vector().as_slice(), y.vector().as_slice(), 1e-14, &what);
                }
            }
        }
    }
    assert!(rerooted > 80, "{rerooted}");
}

#[test]
fn joints_that_do_not_lead_back_are_named() {
    let panda = robot("panda", &UrdfOptions::new());
    let error = panda.rerooted_at(panda.find_body("panda_link3").expect("is there")).expect_err("does not float");
    assert!(error.to_string().contains("does not float") && error.to_string().contains("panda_joint1"), "{error}");
    for kind in Elementary::every() {
        let mut builder = ModelBuilder::new("two");
        let rng = &mut rng(4);
        let root = builder.add_body(None, "base", "free", transform(rng), FreeFlyer, inertia(rng)).expect("fits");
        builder.add_body(Some(root), "tip", "hip", transform(rng), kind, inertia(rng)).expect("fits");
        let model = builder.build().expect("builds");
        let found = model.rerooted_at(model.find_body("tip").expect("is there"));
        let leads_back = matches!(
            kind,
            Elementary::Fixed(_)
                | Elementary::Revolute(_)
                | Elementary::Continuous(_)
                | Elementary::Prismatic(_)
                | Elementary::Helical(_)
                | Elementary::Cylindrical(_)
        );
        assert_eq!(found.is_ok(), leads_back, "{}", kind.name());
        if let Err(error) = found {
            let text = error.to_string();
            assert!(text.contains("`hip`") && text.contains(kind.name()), "{text}");
        }
    }
}

/// What is gone has no inertia and nothing at its joints: torques of the others say so, and frames stay where they were.
#[test]
fn what_is_removed_weighs_nothing() {
    for (n, (what, model)) in models().into_iter().enumerate().filter(|(_, (_, model))| model.bodies().len() > 1) {
        let rng = &mut rng(n as u64);
        let (q, v, a) = state(&model, n as u64);
        let model = model.with_frame(None, "corner", transform(rng)).expect("is new");
        for _ in 0..3 {
            let b = rng.random_range(0..model.bodies().len());
            let id = model.body_id(b).expect("is there");
            let gone = model.subtree(id);
            let follows = |i: usize| {
                let body = &model.bodies()[i];
                let leader = model
                    .bodies()
                    .iter()
                    .position(|other| other.owns_coordinates() && other.v_range() == body.v_range());
                !body.owns_coordinates() && leader.is_some_and(|leader| gone.contains(&leader)) && !gone.contains(&i)
            };
            let left = match model.remove_subtree(id) {
                Ok(left) => left,
                Err(error) => {
                    assert!((0..model.bodies().len()).any(follows), "{what}: {error}");
                    assert!(matches!(error, ModelError::Mimic { .. }), "{error}");
                    continue;
                }
            };
            assert!(!(0..model.bodies().len()).any(follows), "{what}");
            assert_eq!(left.bodies().len(), model.bodies().len() - gone.len(), "{what}");
            // The robot with weightless bodies there, at rest there.
            let mut light = model.clone();
            for i in gone.clone() {
                let body = light.body_id(i).expect("is there");
                light = light.with_inertia(body, Inertia::zero()).expect("is there");
            }
            let stays = |body: &&gradyn::model::Body| left.bodies().iter().any(|b| b.name() == body.name());
            let pick = |x: &[f64], of_q: bool| -> Vec<f64> {
                let owners = model.bodies().iter().filter(stays).filter(|body| body.owns_coordinates());
                owners.flat_map(|body| x[if of_q { body.q_range() } else { body.v_range() }].to_vec()).collect()
            };
            let mut dofs = light.joint_dynamics().to_vec();
            // Entries of followers that are gone stand at degrees of freedom that are not: those of joints that stay alone count.
            let followers_gone = gone.clone().any(|i| !model.bodies()[i].owns_coordinates());
            if followers_gone {
                continue;
            }
            dofs.retain(|dof| !gone.clone().any(|i| model.bodies()[i].v_range().contains(&dof.index)));
            let light = light.with_joint_dynamics(dofs).expect("fits").without_springs();
            let found =
                once::rnea(&left.clone().without_springs(), &pick(&q, true), &pick(&v, false), &pick(&a, false), &[]);
            let expected = pick(&once::rnea(&light, &q, &v, &a, &[]).expect("runs"), false);
            // Sums of fewer bodies.
            assert_near(&found.expect("runs"), &expected, 1e-12, format!("{what} without body {b}"));
            let still = |model: &Model| vec![0.0; model.nv()];
            let (mut ws, mut ws2) = (Workspace::new(&model), Workspace::new(&left));
            let before = forward_kinematics(&model, &mut ws, &q, &v, &still(&model)).expect("runs");
            let after =
                forward_kinematics(&left, &mut ws2, &pick(&q, true), &pick(&v, false), &still(&left)).expect("runs");
            for frame in left.frames() {
                let [x, y] = [
                    before.frame_pose(model.find_frame(frame.name()).expect("is there")).expect("is there"),
                    after.frame_pose(left.find_frame(frame.name()).expect("is there")).expect("is there"),
                ];
                assert_near(&entries(&y), &entries(&x), 1e-13, format!("{what}: {}", frame.name()));
            }
            let springs = model
                .springs()
                .iter()
                .filter(|s| !gone.clone().any(|i| model.bodies()[i].v_range().contains(&s.index)));
            assert_eq!(left.springs().len(), springs.count(), "{what}");
            let stays = |dof: usize| !gone.clone().any(|i| model.bodies()[i].v_range().contains(&dof));
            let of_poses = model.pose_springs().iter().filter(|spring| stays(spring.index));
            assert_eq!(left.pose_springs().len(), of_poses.count(), "{what}");
        }
    }
}

#[test]
fn a_frame_is_added_to_what_there_is() {
    let mut panda = robot("panda", &UrdfOptions::new());
    let (q, v, _) = state(&panda, 3);
    let mut ws = Workspace::new(&panda);
    let hand = panda.find_body("panda_link7").expect("is there");
    let x = Transform::from_translation(Vector3::new(0.1, 0.0, 0.2));
    let id = panda.add_frame(hand, "probe", x).expect("is new");
    assert_eq!((panda.find_frame("probe"), panda.frames().len() - 1), (Some(id), id.index()));
    let still = vec![0.0; panda.nv()];
    let kinematics = forward_kinematics(&panda, &mut ws, &q, &v, &still).expect("the workspace still fits");
    let (tool, body) = (kinematics.frame_pose(id).expect("is there"), kinematics.pose(hand).expect("is there"));
    assert_near(&entries(&tool), &entries(&(body * x)), 1e-15, "pose"); // one product
    assert!(matches!(panda.add_frame(None, "probe", x), Err(ModelError::DuplicateName { .. })));
}
