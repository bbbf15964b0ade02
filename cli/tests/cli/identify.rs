//! `gradyn identify` of robots whose base floats, and of data that are held out by blocks or files.

use crate::{directory, json, refused, robot, run};
use gradyn::dynamics::{ReferenceFrame, frame_jacobian};
use gradyn::nalgebra::{DMatrix, DVector, UnitQuaternion};
use gradyn::{Model, UrdfOptions, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use std::fmt::Write;
use std::fs;

const FEET: [&str; 3] = ["FL_FOOT", "FR_FOOT", "HL_FOOT"];
const POSE: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

/// A quadruped with 0.4 kg on its base, carried by forces of its feet: positions and velocities of the joints, poses of
/// the base, torques of the joints, forces.
fn log() -> (Vec<String>, Vec<Vec<f64>>) {
    let model = Model::from_urdf_file(robot("solo12"), &UrdfOptions::new().floating_base(true)).expect("reads").model;
    let p = Parameters::of(&model).select("base_link.payload.m").expect("is there");
    let loaded = p.robot_at(&[0.4]).expect("fits");
    let (nv, names) = (model.nv(), model.dof_names());
    let ws = &mut Workspace::new(&loaded);
    let mut heading = vec!["time".to_owned()];
    heading.extend(POSE.iter().map(|x| format!("q.root_joint.{x}")));
    for what in ["q", "v", "tau"] {
        heading.extend(names[6..].iter().map(|name| format!("{what}.{name}")));
    }
    heading.extend(FEET.iter().flat_map(|foot| ["x", "y", "z"].map(|x| format!("f.{foot}.{x}"))));
    let at = |t: f64| {
        let of = |j: usize| {
            let w = 1.0 + 0.37 * j as f64;
            (0.3 * (w * t + j as f64).sin(), 0.3 * w * (w * t + j as f64).cos())
        };
        let (s, rate): (Vec<f64>, Vec<f64>) = (0..nv).map(of).unzip();
        let q = model.integrate(&model.neutral::<f64>(), &s).expect("fits");
        (q, (model.integrate_dv(&s).expect("fits") * DVector::from_vec(rate)).as_slice().to_vec())
    };
    let mut rows = Vec::new();
    for i in 0..150 {
        let t = 0.02 * f64::from(i);
        let (q, v) = at(t);
        let (before, after) = (at(t - 1e-4).1, at(t + 1e-4).1);
        let a: Vec<f64> = after.iter().zip(&before).map(|(x, y)| (x - y) / 2e-4).collect();
        let tau = rnea(&loaded, ws, &q, &v, &a, &[]).expect("runs").to_vec();
        let mut all = DMatrix::zeros(nv, 9);
        for (k, foot) in FEET.iter().enumerate() {
            let frame = loaded.find_frame(foot).expect("is there");
            let by = frame_jacobian(&loaded, ws, &q, frame, ReferenceFrame::LocalWorldAligned).expect("runs");
            all.columns_mut(3 * k, 3).copy_from(&by.rows(0, 3).transpose());
        }
        let base = all.rows(0, 6).into_owned().svd(true, true);
        let forces = base.solve(&DVector::from_row_slice(&tau[..6]), 1e-9).expect("has both sides");
        let motors = DVector::from_vec(tau) - &all * &forces;
        let row = [t].into_iter().chain(q).chain(v[6..].iter().copied());
        rows.push(row.chain(motors.iter().skip(6).copied()).chain(forces.iter().copied()).collect());
    }
    (heading, rows)
}

fn table(heading: &[String], rows: &[Vec<f64>], keep: &dyn Fn(&str) -> bool) -> String {
    let kept: Vec<usize> = (0..heading.len()).filter(|k| keep(&heading[*k])).collect();
    let mut text = kept.iter().map(|k| heading[*k].as_str()).collect::<Vec<_>>().join(",");
    for row in rows {
        let numbers: Vec<String> = kept.iter().map(|k| format!("{:.9}", row[*k])).collect();
        let _ = write!(text, "\n{}", numbers.join(","));
    }
    text + "\n"
}

/// From forces of the feet: with torques of the motors, and without any; bad columns are named.
#[test]
fn a_payload_on_a_base_that_floats_is_found_by_its_feet() {
    let here = directory("identify-floating");
    let (file, page) = (here.join("log.csv"), here.join("page.html"));
    let (path, page) = (file.to_str().expect("UTF-8"), page.to_str().expect("UTF-8"));
    let (heading, rows) = log();
    let solo = robot("solo12");
    let ask = |text: &str, parameters: &str, more: &[&str]| {
        fs::write(&file, text).expect("writes");
        let arguments = ["identify", &solo, "--floating-base", "--data", path, "--parameters", parameters, "--json"];
        run([&arguments[..], more].concat())
    };
    for (with_motors, joints) in [(true, 18), (false, 6)] {
        let text = table(&heading, &rows, &|name| with_motors || !name.starts_with("tau."));
        let done = ask(&text, "base_link.payload.m", &["--blocks", "3", "--report", page]);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{said}");
        assert!(said.contains("there are no velocities of the base: they are differences of positions"), "{said}");
        let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
        let mass = answer["parameters"][0]["value"].as_f64().expect("number");
        // Two differences of fourth order of motions up to 7 rad/s, at 50 Hz: (w h)⁴/30 = 1e-5.
        assert!((mass - 0.4).abs() < 1e-3, "{mass}");
        assert_eq!(answer["measured"].as_array().expect("list").len(), joints);
        let held = answer["held_out"].as_array().expect("list");
        assert_eq!(held.len(), 3, "{held:?}");
        let text = fs::read_to_string(page).expect("is there");
        // Torques and what is left of them.
        assert_eq!(text.matches("<svg ").count(), 2 * joints);
        assert!(text.contains("± (interval at 95 %)"));
    }
    // Without forces nothing carries it.
    let text = table(&heading, &rows, &|name| !name.starts_with("f."));
    let done = ask(&text, "base_link.payload.m", &[]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && said.contains("it was taken for zero, as in free flight"), "{said}");

    let all = table(&heading, &rows, &|_| true);
    for (from, to, part) in [
        (
            "f.FL_FOOT.",
            "f.FL_FOOD.",
            "columns `f.FL_FOOD.…`: the robot has no frame `FL_FOOD`; did you mean `FL_FOOT`?",
        ),
        ("f.FL_FOOT.z", "f.FL_FOOT.zz", "there is no column `f.FL_FOOT.z`, but others of this contact"),
        ("q.root_joint.qw", "q.root_joint.w", "there is no column `q.root_joint.qw`"),
        ("tau.FL_KFE", "tau.FL_KNEE", "there is no column `tau.FL_KFE`"),
    ] {
        let message = refused(&ask(&all.replace(from, to), "*.mass", &[]));
        assert!(message.contains("log.csv, line 1: ") && message.contains(part), "{message}");
    }
    let mut long = rows.clone();
    long[3][5..8].fill(0.9);
    let message = refused(&ask(&table(&heading, &long, &|_| true), "*.mass", &[]));
    assert!(message.contains("log.csv, line 5: the quaternion has length"), "{message}");
    let message = refused(&ask(&all, "FL_HAA.placement.x", &[]));
    assert!(message.contains("which must not vary"), "{message}");
    let message = refused(&ask(&all, "*.mass", &["--force-axes", "body"]));
    assert!(message.contains("'body'") && message.contains("frame"), "{message}");
}

/// Another file is held out; files with other columns are not put together.
#[test]
fn another_file_is_held_out() {
    let here = directory("identify-held-out");
    let (heading, rows) = log();
    let write = |name: &str, rows: &[Vec<f64>], keep: &dyn Fn(&str) -> bool| {
        let file = here.join(name);
        fs::write(&file, table(&heading, rows, keep)).expect("writes");
        file.to_str().expect("UTF-8").to_owned()
    };
    let (first, second) = (write("1.csv", &rows[..60], &|_| true), write("2.csv", &rows[60..100], &|_| true));
    let third = write("3.csv", &rows[100..], &|_| true);
    let solo = robot("solo12");
    let ask = |more: &[&str]| {
        let arguments = ["identify", &solo, "--floating-base", "--parameters", "base_link.payload.m", "--json"];
        run([&arguments[..], more].concat())
    };
    let done = ask(&["--data", &first, "--data", &second, "--held-out", &third]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
    // Of each file four samples at each end have no velocities or accelerations.
    assert_eq!(answer["held_out"], serde_json::json!([[84, 126]]), "{answer:#}");
    let mass = answer["parameters"][0]["value"].as_f64().expect("number");
    assert!((mass - 0.4).abs() < 1e-3, "{mass}");
    let message = refused(&ask(&["--data", &first, "--held-out", &third, "--hold-out", "0.2"]));
    assert!(message.contains("--hold-out"), "{message}");
    let other = write("4.csv", &rows[100..], &|name| !name.starts_with("tau."));
    let message = refused(&ask(&["--data", &first, "--data", &other]));
    assert!(message.contains("4.csv") && message.contains("torques are of other joints"), "{message}");
    let message = refused(&ask(&["--data", &first, "--blocks", "0"]));
    assert!(message.contains("--blocks"), "{message}");
}

/// A joint that is 3 mm off is found by poses of the hand, with and without rotations, and written; bad tables are
/// named.
#[test]
fn a_robot_is_calibrated_by_measured_poses() {
    let here = directory("identify-poses");
    let (file, urdf, page) = (here.join("poses.csv"), here.join("new.urdf"), here.join("page.html"));
    let [path, new, page] = [&file, &urdf, &page].map(|path| path.to_str().expect("UTF-8"));
    let panda = robot("panda");
    let model = Model::from_urdf_file(&panda, &UrdfOptions::new()).expect("reads").model;
    let p = Parameters::of(&model).select("panda_joint3.placement.x").expect("is there");
    let truth = p.robot_at(&[3e-3]).expect("fits");
    let frame = truth.find_frame("panda_link7").expect("is there");
    let mut heading: Vec<String> = model.dof_names().iter().map(|name| format!("q.{name}")).collect();
    heading.extend(POSE.iter().map(|x| format!("pose.{x}")));
    let mut rows = Vec::new();
    for i in 0..20 {
        let q: Vec<f64> = (0..7).map(|j| (1.3 * f64::from(i) + 0.7 * f64::from(j * j)).sin()).collect();
        let pose = gradyn::once::frame_pose(&truth, &q, frame).expect("runs");
        let turn = UnitQuaternion::from_matrix(&pose.rotation);
        let at = pose.translation;
        // The other sign is the same rotation.
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let pose = [at.x, at.y, at.z, sign * turn.i, sign * turn.j, sign * turn.k, sign * turn.w];
        rows.push(q.into_iter().chain(pose).collect::<Vec<f64>>());
    }
    let ask = |text: &str, frame: &str, more: &[&str]| {
        fs::write(&file, text).expect("writes");
        let arguments = ["identify", &panda, "--poses", path, "--frame", frame, "--parameters"];
        run([&arguments[..], &["panda_joint3.placement.x,panda_joint5.placement.z", "--json"], more].concat())
    };
    for rotations in [true, false] {
        let text = table(&heading, &rows, &|name| rotations || !name.starts_with("pose.q"));
        let done = ask(&text, "panda_link7", &["--write-urdf", new, "--report", page]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
        let value = |k: usize| answer["parameters"][k]["value"].as_f64().expect("number");
        // Nine digits of a meter.
        assert!((value(0) - 3e-3).abs() < 1e-8 && value(1).abs() < 1e-8, "{answer:#}");
        assert_eq!(answer["held_out"]["rotation"].is_null(), !rotations);
        let changes = answer["changes"].as_array().expect("list");
        assert!(
            changes.iter().any(|change| change.as_str().is_some_and(|s| s.contains("panda_joint3"))),
            "{changes:?}"
        );
        let text = fs::read_to_string(page).expect("is there");
        assert!(text.contains("calibrated: ") && text.matches("<svg ").count() == 1, "{text}");
    }
    let all = table(&heading, &rows, &|_| true);
    let message = refused(&ask(&all, "panda_link77", &[]));
    assert!(message.contains("--frame: there is no link or joint `panda_link77`; did you mean"), "{message}");
    let message = refused(&ask(&all.replace("pose.y", "pose.yy"), "panda_link7", &[]));
    assert!(message.contains("poses.csv, line 1: there is no column `pose.y`"), "{message}");
    let message = refused(&ask(&all.replace("pose.qw", "pose.w"), "panda_link7", &[]));
    assert!(message.contains("poses.csv, line 1: there is no column `pose.qw`"), "{message}");
    rows[4][10] = 2.0;
    let message = refused(&ask(&table(&heading, &rows, &|_| true), "panda_link7", &[]));
    assert!(message.contains("poses.csv, line 6: the quaternion has length"), "{message}");
    let message = refused(&ask(&all, "panda_link7", &["--low-pass", "3"]));
    assert!(message.contains("--low-pass"), "{message}");
    let message = refused(&run(["identify", &panda, "--poses", path, "--parameters", "*.mass"]));
    assert!(message.contains("--frame"), "{message}");
}

/// Torques drive the simulation of an arm: a mass and a damping are found from positions and velocities, and written.
#[test]
fn a_log_is_fitted_by_output_error() {
    let here = directory("identify-output-error");
    let (file, urdf, page) = (here.join("log.csv"), here.join("new.urdf"), here.join("page.html"));
    let [path, new, page] = [&file, &urdf, &page].map(|path| path.to_str().expect("UTF-8"));
    let panda = robot("panda");
    let model = Model::from_urdf_file(&panda, &UrdfOptions::new()).expect("reads").model.with_joint_friction(true);
    let p = Parameters::of(&model).select_all("panda_link5.mass,panda_joint2.damping").expect("are there");
    let truth = [p.nominal()[0] * 1.2, 2.0];
    let loaded = p.robot_at(&truth).expect("fits");
    let ws = &mut Workspace::new(&loaded);
    let names = model.dof_names();
    let mut heading = vec!["time".to_owned()];
    heading.extend(["q", "v", "tau"].iter().flat_map(|what| names.iter().map(move |name| format!("{what}.{name}"))));
    let mut rows = Vec::new();
    for i in 0..120 {
        let t = 0.02 * f64::from(i);
        let wave = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            (0..7).map(|j| f(1.0 + 0.3 * f64::from(j), f64::from(j))).collect()
        };
        let q = wave(&|w, p| 0.5 * (w * t + p).sin());
        let v = wave(&|w, p| 0.5 * w * (w * t + p).cos());
        let a = wave(&|w, p| -0.5 * w * w * (w * t + p).sin());
        let tau = rnea(&loaded, ws, &q, &v, &a, &[]).expect("runs").to_vec();
        rows.push([t].into_iter().chain(q).chain(v).chain(tau).collect::<Vec<f64>>());
    }
    fs::write(&file, table(&heading, &rows, &|_| true)).expect("writes");
    let ask = |more: &[&str]| {
        let parameters = "panda_link5.mass,panda_joint2.damping";
        let arguments = ["identify", &panda, "--data", path, "--parameters", parameters, "--output-error", "--json"];
        run([&arguments[..], more].concat())
    };
    let done = ask(&["--piece", "20", "--write-urdf", new, "--report", page]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
    for (k, truth) in truth.iter().enumerate() {
        let value = answer["parameters"][k]["value"].as_f64().expect("number");
        // Torques constant over a step: (w h)²/12 = 3e-4 of the fastest, 2.8 rad/s at 50 Hz.
        assert!((value - truth).abs() < 0.02, "{value} against {truth}");
    }
    assert!(answer["verdict"].as_str().is_some_and(|s| s.starts_with("fitted: ")), "{}", answer["verdict"]);
    assert!(answer["changes"].as_array().is_some_and(|changes| changes.len() == 2), "{}", answer["changes"]);
    let text = fs::read_to_string(page).expect("is there");
    assert_eq!(text.matches("<svg ").count(), 7);
    let message = refused(&ask(&["--piece", "1"]));
    assert!(message.contains("--piece"), "{message}");
    let message = refused(&ask(&["--low-pass", "3"]));
    assert!(message.contains("--low-pass"), "{message}");
}
