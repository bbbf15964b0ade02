//! `gradyn check --against` with coordinates of other programs.

use super::against::{check, data, disagrees, has};
use super::{directory, refused, robot, run, text_of};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::spatial::{Quaternion, vector as v3};
use nalgebra::Vector3;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

/// MuJoCo's free joint: quaternions w x y z, linear velocity in the world's axes. Its derivatives are forward
/// differences with a step of 1e-6, hence the floor.
#[test]
fn the_layout_of_mujoco_agrees_with_mujoco() {
    let file = robot("solo12");
    let path = data("mujoco_solo12.json");
    let flags = ["--floating-base", "--no-joint-friction", "--layout", "mujoco"];
    let arguments = [&["check", &file, "--against", &path], &flags[..]].concat();
    let text = text_of(&run([&arguments[..], &["--floor", "1e-7"]].concat()));
    assert!(text.ends_with("the state agrees\n") && text.contains("∂τ/∂q"), "{text}");
    // Seen as exact they are not; torques and mass matrix are.
    let text = disagrees(&run(&arguments));
    for exact in ["τ  ", "M  "] {
        assert!(text.lines().any(|line| line.starts_with(exact) && line.ends_with("  agrees")), "{text}");
    }
    // Read as if it were Pinocchio's, the state is not even one, or the torques are wrong.
    let other = run(["check", &file, "--floating-base", "--no-joint-friction", "--against", &path, "--floor", "1e-7"]);
    assert_ne!(other.status.code(), Some(0));
}

/// Ball joints have quaternions w x y z there, and so has the rotation of a free joint with armature.
#[test]
fn balls_in_the_layout_of_mujoco_agree_with_mujoco() {
    let file = format!("{}/tests/data/balls.xml", env!("CARGO_MANIFEST_DIR"));
    let text = text_of(&run(["check", &file, "--against", &data("mujoco_balls.json"), "--layout", "mujoco"]));
    assert!(text.ends_with("all 2 states agree\n"), "{text}");
    let output = run(["check", &file, "--against", &data("mujoco_balls.json")]);
    assert_ne!(output.status.code(), Some(0));
    // Drake has no quaternion for a ball joint.
    let ball = directory("ball-of-drake").join("ball.xml");
    let text =
        "<mujoco><worldbody><body><joint name='shoulder' type='ball'/><geom size='1'/></body></worldbody></mujoco>";
    std::fs::write(&ball, text).expect("writes");
    let said = refused(&check(ball.to_str().expect("UTF-8"), &["--layout", "drake"], &json!({"states": []})));
    has(&said, &["joint `shoulder`", "ball joint of Drake"]);
}

/// Written here from the definition, on plain numbers: `τ′(q′, v′, a′)` of a floating robot with Drake's coordinates.
struct Drake {
    model: Model,
}

impl Drake {
    /// Velocity here from `(ω, ṗ)` in the world's axes: rotated into the body's, linear part first.
    fn rotated(q: &[f64], x: &[f64]) -> Vec<f64> {
        let r = Quaternion::from_array([q[1], q[2], q[3], q[0]]).rotation();
        let angular = r.transpose() * Vector3::new(x[0], x[1], x[2]);
        let linear = r.transpose() * Vector3::new(x[3], x[4], x[5]);
        [linear.as_slice(), angular.as_slice(), &x[6..]].concat()
    }

    fn torques(&self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        let norm = q[..4].iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit: Vec<f64> = q[..4].iter().map(|x| x / norm).collect();
        let here = [&q[4..7], &unit[1..4], &unit[..1], &q[7..]].concat();
        let velocity = Self::rotated(&unit, v);
        let mut acceleration = Self::rotated(&unit, a);
        // The rate of what is seen from a turning body.
        let turning = v3::cross(
            Vector3::new(velocity[3], velocity[4], velocity[5]),
            Vector3::new(velocity[0], velocity[1], velocity[2]),
        );
        for (x, turning) in acceleration.iter_mut().zip(turning.iter()) {
            *x -= turning;
        }
        let tau = gradyn::once::rnea(&self.model, &here, &velocity, &acceleration, &[]).expect("runs");
        let r = Quaternion::from_array([unit[1], unit[2], unit[3], unit[0]]).rotation();
        let force = r * Vector3::new(tau[0], tau[1], tau[2]);
        let moment = r * Vector3::new(tau[3], tau[4], tau[5]);
        [moment.as_slice(), force.as_slice(), &tau[6..]].concat()
    }

    /// The configuration after turning by `angle` about a world axis (0..3), or moving along one (3..6), or a joint.
    fn moved(q: &[f64], k: usize, by: f64) -> Vec<f64> {
        let mut moved = q.to_vec();
        if k < 3 {
            let mut axis = [0.0; 3];
            axis[k] = (0.5 * by).sin();
            let ([x, y, z], w) = (axis, (0.5 * by).cos());
            let (b, c, d, a) = (q[1], q[2], q[3], q[0]);
            moved[0] = w * a - x * b - y * c - z * d;
            moved[1] = w * b + x * a + y * d - z * c;
            moved[2] = w * c - x * d + y * a + z * b;
            moved[3] = w * d + x * c - y * b + z * a;
        } else {
            moved[k + 1] += by;
        }
        moved
    }
}

/// A Jacobian by central differences.
fn columns(n: usize, f: impl Fn(usize, f64) -> Vec<f64>) -> Value {
    const H: f64 = 1e-5; // errors of 1e-10, the square of the step
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|k| f(k, H).iter().zip(f(k, -H)).map(|(ahead, behind)| (ahead - behind) / (2.0 * H)).collect())
        .collect();
    json!((0..columns[0].len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect::<Vec<Vec<f64>>>())
}

#[test]
fn the_layout_of_drake_agrees_with_its_definition() {
    let file = robot("panda");
    let drake =
        Drake { model: Model::from_urdf_file(&file, &UrdfOptions::new().floating_base(true)).expect("is good").model };
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let here = drake.model.random(rng);
    let q = [&here[6..7], &here[3..6], &here[..3], &here[7..]].concat();
    let [v, a]: [Vec<f64>; 2] = std::array::from_fn(|_| (0..13).map(|_| rng.random_range(-1.0..1.0)).collect());
    let plus = |x: &[f64], k: usize, by: f64| {
        let mut x = x.to_vec();
        x[k] += by;
        x
    };
    let state = json!({
        "q": q, "v": v, "a": a,
        "tau": drake.torques(&q, &v, &a),
        "dtau_dq": columns(13, |k, by| drake.torques(&Drake::moved(&q, k, by), &v, &a)),
        "dtau_dv": columns(13, |k, by| drake.torques(&q, &plus(&v, k, by), &a)),
        "mass_matrix": columns(13, |k, by| drake.torques(&q, &v, &plus(&a, k, by))),
    });
    let flags = ["--floating-base", "--layout", "drake", "--floor", "1e-8"];
    let text = text_of(&check(&file, &flags, &json!({"states": [state]})));
    assert!(text.ends_with("the state agrees\n"), "{text}");

    // By the coefficients of the quaternion, which Drake brings to length one: nq columns.
    let mut by_coefficients = state.clone();
    by_coefficients["dtau_dq"] = columns(14, |k, by| drake.torques(&plus(&q, k, by), &v, &a));
    let text = text_of(&check(&file, &flags, &json!({"states": [by_coefficients]})));
    assert!(text.ends_with("the state agrees\n"), "{text}");

    // A wrong entry is named in these coordinates.
    let mut wrong = state.clone();
    wrong["dtau_dv"][3][1] = json!(state["dtau_dv"][3][1].as_f64().expect("a number") + 0.1);
    let text = disagrees(&check(&file, &flags, &json!({"states": [wrong]})));
    let line = text.lines().filter(|line| line.starts_with("∂τ/∂v")).nth(1).expect("a row");
    assert!(line.contains("root_joint.vx") && line.contains("root_joint.wy"), "{line}");

    // Elsewhere nq columns are an error.
    let claims = json!({"states": [{"q": here, "v": v, "a": a, "dtau_dq": by_coefficients["dtau_dq"]}]});
    let message = refused(&check(&file, &["--floating-base"], &claims));
    has(&message, &["state 0", "`dtau_dq`", "14 columns", "(nq)", "expected 13 (nv)"]);
}

/// A planar joint of MuJoCo or Drake is x, y and an angle.
#[test]
fn a_planar_joint_has_three_coordinates_elsewhere() {
    let file = robot("planar");
    let model = Model::from_urdf_file(&file, &UrdfOptions::new()).expect("is good").model;
    let at = model.bodies().iter().find(|body| body.joint().kind() == "planar").expect("has one");
    let (at_q, at_v) = (at.q_range().start, at.v_range().start);
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let q = model.random(rng);
    let [mut v, mut a]: [Vec<f64>; 2] =
        std::array::from_fn(|_| (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect());
    let there: Vec<f64> = [&q[..at_q + 2], &[q[at_q + 3].atan2(q[at_q + 2])], &q[at_q + 4..]].concat();
    let (v_there, a_there) = (v.clone(), a.clone());
    let (c, s) = (q[at_q + 2], q[at_q + 3]);
    for x in [&mut v, &mut a] {
        (x[at_v], x[at_v + 1]) = (c * x[at_v] + s * x[at_v + 1], c * x[at_v + 1] - s * x[at_v]);
    }
    let w = v[at_v + 2];
    (a[at_v], a[at_v + 1]) = (a[at_v] + w * v[at_v + 1], a[at_v + 1] - w * v[at_v]);
    let mut tau = gradyn::once::rnea(&model, &q, &v, &a, &[]).expect("runs");
    (tau[at_v], tau[at_v + 1]) = (c * tau[at_v] - s * tau[at_v + 1], c * tau[at_v + 1] + s * tau[at_v]);
    let names: Vec<&str> = model.bodies().iter().filter(|b| b.owns_coordinates()).map(|b| b.joint_name()).collect();
    let claims = json!({"joints": names, "states": [{"q": there, "v": v_there, "a": a_there, "tau": tau}]});
    for layout in ["mujoco", "drake"] {
        text_of(&check(&file, &["--layout", layout], &claims));
    }
}

#[test]
fn what_has_no_meaning_in_a_layout_is_said() {
    let file = robot("panda");
    let zeros = |n: usize, m: usize| json!(vec![vec![0.0; m]; n]);
    let q = json!([1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
    let state = |more: Value| {
        let mut state = json!({"q": q, "v": vec![0.0; 13], "a": vec![0.0; 13], "coriolis": zeros(13, 13)});
        state.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({"states": [state]})
    };
    let flags = ["--floating-base", "--layout", "drake"];
    has(&refused(&check(&file, &flags, &state(json!({})))), &["`coriolis`", "velocity coordinates"]);
    let output = check(&file, &flags, &state(json!({"energy": {"kinetic": 0.0}})));
    assert_eq!(output.status.code(), Some(0));
    has(&String::from_utf8_lossy(&output.stderr), &["gradyn: warning: ", "not checked", "`coriolis`"]);
    // Where joints branch, Drake's order is to be named.
    let branching = robot("solo12");
    has(&refused(&check(&branching, &flags, &json!({"states": []}))), &["branch", "name them by `joints`"]);
    let quaternion =
        json!({"states": [{"q": vec![0.5; 14], "v": vec![0.0; 13], "tau": vec![0.0; 13], "a": vec![0.0; 13]}]});
    text_of(&check(&file, &flags, &json!({"states": [{"q": q, "gravity": gravity(&file, &q)}]})));
    let mut longer = quaternion.clone();
    longer["states"][0]["q"][0] = json!(2.0);
    has(&refused(&check(&file, &flags, &longer)), &["state 0", "`q`", "quaternion of length 1", "root_joint"]);
}

/// Generalized gravity of the floating panda in Drake's order, at a base that is not turned.
fn gravity(file: &str, q: &Value) -> Vec<f64> {
    let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true)).expect("is good").model;
    let q: Vec<f64> = q.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect();
    let here = [&q[4..7], &q[1..4], &q[..1], &q[7..]].concat();
    let rest = vec![0.0; model.nv()];
    let tau = gradyn::once::rnea(&model, &here, &rest, &rest, &[]).expect("runs");
    [&tau[3..6], &tau[..3], &tau[6..]].concat()
}
