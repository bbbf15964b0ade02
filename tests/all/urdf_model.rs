//! Models made of URDF files.

use gradyn::model::Model;
use gradyn::model::source::SourceError;
use gradyn::model::urdf::{ContinuousForm, JointOrder, UrdfError, UrdfOptions};
use gradyn::once;
use std::fs;
use testing::{path, robot};

/// The numbers of every list with this key, in a golden file.
fn lists(golden: &str, key: &str) -> Vec<Vec<f64>> {
    let opening = format!("\"{key}\":[");
    let lists = golden.split(&opening).skip(1);
    lists.map(|rest| rest.split_once(']').unwrap().0.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * scale, "{what}[{i}]: {f} instead of {e}");
    }
}

/// Placements, axes, inertias and the order of coordinates are all in `tau`, and so is the merging of fixed joints.
#[test]
fn inverse_dynamics_of_the_loaded_robots_is_pinocchios() {
    let names =
        ["continuous", "double_pendulum", "floating", "g1", "mimic", "panda", "planar", "prismatic", "solo12", "ur5"];
    for name in names {
        let golden = fs::read_to_string(path(&format!("tests/golden/{name}.json"))).unwrap();
        let options = UrdfOptions::new()
            .joint_order(JointOrder::Pinocchio)
            .continuous(ContinuousForm::CosSin)
            .floating_base(golden.contains("\"floating_base\":true"));
        for merge in [true, false] {
            let model = robot(name, &options.clone().merge_fixed_joints(merge)).with_joint_friction(false);
            let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|key| lists(&golden, key));
            assert!(!q.is_empty() && [v.len(), a.len(), tau.len()] == [q.len(); 3], "{name}");
            for k in 0..q.len() {
                let found = once::rnea(&model, &q[k], &v[k], &a[k], &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
                // 1e-12 of the largest torque: some rounding errors per body
                assert_close(&found, &tau[k], 1e-12, &format!("{name}, state {k}, merged {merge}: tau"));
            }
        }
    }
}

#[test]
fn every_link_and_joint_is_a_frame_and_fixed_ones_no_body() {
    let model = robot("floating", &UrdfOptions::new());
    let bodies: Vec<_> = model.bodies().iter().map(|body| body.name()).collect();
    assert_eq!(bodies, ["body", "upper_arm", "forearm", "pusher"]);
    for name in ["world", "mount", "dock", "free", "body", "shoulder_right", "upper_arm", "pusher"] {
        assert!(model.find_frame(name).is_some(), "{name}");
    }
    let frame = |name| &model.frames()[model.find_frame(name).unwrap().index()];
    assert_eq!((frame("dock").body(), frame("free").body()), (None, model.find_body("body")));
    let p = frame("dock").placement().translation;
    assert_eq!((p.x, p.y, p.z), (0.3, -0.2, 1.0));

    let apart = robot("floating", &UrdfOptions::new().merge_fixed_joints(false));
    assert_eq!((apart.bodies().len(), apart.nv()), (model.bodies().len() + 1, model.nv()));
    assert_eq!(apart.frames().len(), model.frames().len());
}

#[test]
fn a_floating_base_hangs_by_pinocchios_root_joint() {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    assert_eq!((model.nq(), model.nv()), (19, 18));
    assert_eq!(model.bodies()[0].joint_name(), "root_joint");
    assert_eq!((model.bodies()[0].parent(), model.bodies()[0].joint().kind()), (None, "free-flyer"));
    assert_eq!(robot("solo12", &UrdfOptions::new()).nv(), 12);
}

#[test]
fn limits_damping_and_friction_reach_the_model() {
    let panda = robot("panda", &UrdfOptions::new());
    assert_eq!((panda.limits().q_lower[0], panda.limits().q_upper[0]), (-2.8973, 2.8973));
    assert_eq!((panda.limits().velocity[0], panda.limits().effort[0]), (2.175, 87.0));
    assert_eq!(panda.joint_dynamics().len(), 7);
    assert!(panda.joint_dynamics().iter().all(|dof| (dof.damping, dof.friction) == (0.003, 0.0)));
    let angle = robot("continuous", &UrdfOptions::new());
    let pair = robot("continuous", &UrdfOptions::new().continuous(ContinuousForm::CosSin));
    assert_eq!(angle.nq(), angle.nv());
    assert!(pair.nq() > pair.nv() && pair.nv() == angle.nv());
    assert!(angle.limits().q_upper.contains(&f64::INFINITY));
}

#[test]
fn a_follower_shares_the_coordinate_of_its_leader() {
    let model = robot("mimic", &UrdfOptions::new());
    assert_eq!((model.nq(), model.nv(), model.bodies().len()), (3, 3, 5));
    let body = |joint: &str| model.bodies().iter().find(|body| body.joint_name() == joint).unwrap();
    assert_eq!(body("right_slide").v_range(), body("left_slide").v_range());
    assert!(!body("knuckle").owns_coordinates());
    // The limits are the leader's.
    let wrist = body("wrist").q_range().start;
    assert_eq!((model.limits().q_lower[wrist], model.limits().q_upper[wrist]), (-3.0, 3.0));
}

/// Two continuous joints, the second of which turns back by the angle of the first. Torques are those of Pinocchio 4.1
/// with `mimic=True`.
#[test]
fn a_continuous_joint_may_follow_a_continuous_one_in_both_forms() {
    let file = path("tests/urdf/good/mimic_continuous.urdf");
    for (angle, tau) in [(1.3_f64, -5.060_669_250_352_051), (-2.9, 2.054_027_919_806_332_5)] {
        for form in [ContinuousForm::Angle, ContinuousForm::CosSin] {
            let options = UrdfOptions::new().continuous(form).strict(true);
            let model = Model::from_urdf_file(&file, &options).unwrap().model;
            let q = if form == ContinuousForm::Angle { vec![angle] } else { vec![angle.cos(), angle.sin()] };
            assert_eq!((model.nq(), model.nv()), (q.len(), 1));
            let found = once::rnea(&model, &q, &[0.7], &[-0.4], &[]).unwrap();
            assert_close(&found, &[tau], 1e-14, &format!("{form:?}")); // some roundings
        }
    }
}

#[test]
fn names_shared_by_a_link_and_a_joint_do_not_stop_the_model() {
    let inertial =
        r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;
    let text = format!(
        r#"<robot name="r"><link name="a"/><link name="b">{inertial}</link><link name="root_joint"/>
        <joint name="b" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="a" type="fixed"><parent link="b"/><child link="root_joint"/></joint></robot>"#
    );
    for options in
        [UrdfOptions::new(), UrdfOptions::new().floating_base(true), UrdfOptions::new().merge_fixed_joints(false)]
    {
        let loaded = Model::from_urdf_text(&text, &options).unwrap();
        let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
        assert!(warnings.contains(&"line 3: joint `a`: a link that it does not carry has the same name".to_owned()));
        let frame = loaded.model.find_frame("a").unwrap();
        let expected = if options.floating_base { loaded.model.find_body("a") } else { None };
        assert_eq!(loaded.model.frames()[frame.index()].body(), expected);
    }
}

/// What is wrong with the text.
fn source(error: &UrdfError) -> &SourceError {
    match error {
        UrdfError::Source(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let missing = path("robots/no_such_robot.urdf");
    let error = Model::from_urdf_file(&missing, &UrdfOptions::new()).unwrap_err();
    assert!(matches!(source(&error), SourceError::Unreadable { path, .. } if *path == missing));
    assert!(error.to_string().contains("no_such_robot.urdf"), "{error}");
    let error_of_folder = Model::from_urdf_file(path("robots"), &UrdfOptions::new()).unwrap_err();
    assert!(matches!(source(&error_of_folder), SourceError::Unreadable { .. }));

    let binary = std::env::temp_dir().join(format!("gradyn_not_utf8_{}.urdf", std::process::id()));
    fs::write(&binary, b"<robot\nname='\xff'/>").unwrap();
    let error = Model::from_urdf_file(&binary, &UrdfOptions::new()).unwrap_err();
    fs::remove_file(&binary).unwrap();
    assert_eq!(*source(&error), SourceError::NotUtf8 { path: binary, line: 2 });
}
