//! What MuJoCo 4.0.0 says of the MJCF files that are written (`tests/golden/mujoco/written.py`): the same as the models that they were
//! written from.

use super::coordinates::{Convention, of_file};
use super::{tree_for, written};
use gradyn::joint::{Axis, FreeFlyer, Revolute, Spherical};
use gradyn::model::source::Format;
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{DofDynamics, Model, ModelBuilder};
use gradyn::once;
use gradyn::spatial::{Inertia, Transform};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;
use testing::*;

/// An arm, a quadruped that floats, a hand whose joints follow others, and trees.
fn models() -> Vec<(String, Model)> {
    let fixed = UrdfOptions::new();
    let mut models = vec![
        ("panda".to_owned(), robot("panda", &fixed)),
        ("mimic".to_owned(), robot("mimic", &fixed)),
        ("solo12".to_owned(), robot("solo12", &fixed.clone().floating_base(true))),
    ];
    // Every kind of joint, a third of them a tree.
    for (k, joints) in shuffled_joints(0).chunks(8).enumerate() {
        models.push((format!("tree{k}"), without_friction(&tree_for(Format::Mjcf, k as u64, joints.to_vec()))));
    }
    models.push(("held".to_owned(), held()));
    models
}

/// What MJCF has springs for beside hinges and slides: a floating body that is held at a pose, and a ball joint.
pub(super) fn held() -> Model {
    let rng = &mut rng(11);
    let mut builder = ModelBuilder::new("held");
    let base = builder.add_body(None, "base", "free", Transform::identity(), FreeFlyer, inertia(rng)).expect("fits");
    builder.set_stiffness(base, &[9.0; 6]).expect("fits");
    builder.set_spring_reference(base, &[0.3, -0.2, 0.5, 0.4, -0.9, 0.7]).expect("fits");
    builder.set_damping(base, &[0.4; 6]).expect("fits");
    let x = transform(rng);
    let arm = builder.add_body(Some(base), "arm", "ball", x, Spherical, inertia(rng)).expect("fits");
    builder.set_stiffness(arm, &[2.5; 3]).expect("fits");
    let x = transform(rng);
    let hand = builder.add_body(Some(arm), "hand", "hinge", x, Revolute { axis: Axis::Y }, inertia(rng)).expect("fits");
    builder.set_stiffness(hand, &[1.5]).expect("fits").set_spring_reference(hand, &[-0.3]).expect("fits");
    builder.build().expect("builds")
}

/// MuJoCo's dry friction is a constraint, and constraints are off.
fn without_friction(model: &Model) -> Model {
    let dofs = model.joint_dynamics().iter().map(|dof| DofDynamics { friction: 0.0, ..*dof }).collect();
    model.clone().with_joint_dynamics(dofs).expect("fits")
}

fn file(name: &str) -> std::path::PathBuf {
    path(&format!("tests/golden/mujoco/written/{name}.xml"))
}

/// What [`the_files_that_mujoco_read_are_those_that_are_written`] compares, to be given to MuJoCo again.
#[test]
#[ignore = "writes the files that written.py reads"]
fn write_the_files_for_mujoco() {
    for (name, model) in models() {
        std::fs::write(file(&name), written(&model, Format::Mjcf).expect("can be said")).expect("is writable");
    }
}

#[test]
fn the_files_that_mujoco_read_are_those_that_are_written() {
    for (name, model) in models() {
        let text = std::fs::read_to_string(file(&name)).expect("is readable");
        let again = written(&model, Format::Mjcf).expect("can be said");
        assert!(text == again, "{name}: run `write_the_files_for_mujoco`, then written.py");
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("is a list").iter().map(|x| x.as_f64().expect("is a number")).collect()
}

#[test]
fn mujoco_agrees_about_the_files_that_are_written() {
    let text = std::fs::read_to_string(path("tests/golden/mujoco/written.json")).expect("is readable");
    let content: Value = serde_json::from_str(&text).expect("is JSON");
    // MuJoCo turns `fullinertia` into principal axes until what is beside the diagonal is below 1e-12 kg m².
    let tolerance = 1e-11;
    let mut frames = 0;
    for (name, model) in models() {
        let states = content[&name].as_array().expect("is a list");
        assert_eq!(states.len(), 3, "{name}");
        for at in states {
            let [q1, v1, a1] = ["q", "v", "a"].map(|key| numbers(&at[key]));
            let convention = Convention { planar_apart: true, free_apart: &|_| true, real_first: true };
            let here = of_file(&model, convention, &q1, &v1, &a1);
            let jt = here.jacobian.transpose();
            let tau = once::rnea(&model, &here.q, &here.v, &here.a, &[]).expect("runs");
            assert_near(&numbers(&at["inverse"]), (&jt * DVector::from_vec(tau)).as_slice(), tolerance, &name);
            let m: DMatrix<f64> = &jt * once::crba(&model, &here.q).expect("runs") * &here.jacobian;
            let rows: Vec<f64> = at["mass_matrix"].as_array().expect("is a list").iter().flat_map(numbers).collect();
            assert_near(&rows, m.as_slice(), tolerance, &name); // symmetric
            if *model.fixed_inertia() == Inertia::zero() {
                let energy = once::potential_energy(&model, &here.q).expect("runs");
                assert_near(&[at["potential_energy"].as_f64().expect("is a number")], &[energy], tolerance, &name);
            }
            for (frame, found) in at["sites"].as_object().expect("is there") {
                let own = model.find_frame(frame).expect("is there");
                let x = once::frame_pose(&model, &here.q, own).expect("runs");
                let pose: Vec<f64> = x.translation.iter().chain(x.rotation.transpose().iter()).copied().collect();
                assert_near(&numbers(found), &pose, tolerance, format!("{name}: {frame}"));
                frames += 1;
            }
        }
    }
    assert!(frames > 20, "{frames}");
}
