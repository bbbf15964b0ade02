//! `gradyn evaluate`: the contract for scripts.

use super::{all_robots, directory, good, json, refused, robot, run, run_with, text_of};
use gradyn::dynamics::{
    ExternalWrench, ReferenceFrame, Workspace, bias, center_of_mass, centroidal, com_jacobian, coriolis_matrix,
    frame_jacobian, generalized_gravity, joint_jacobians, kinetic_energy, minv, potential_energy,
};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
use gradyn::spatial::Force;
use nalgebra::{DMatrix, Vector3};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

fn model(file: &str, options: &UrdfOptions) -> Model {
    Model::from_urdf_file(file, options).expect("the robot is good").model
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list of rows").iter().map(numbers).collect()
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Bit for bit, and -0 is not 0.
fn assert_same(found: &Value, expected: &DMatrix<f64>, what: &str) {
    let (found, expected) = (matrix(found), rows(expected));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(bits(found), bits(expected), "{what}");
    }
}

/// For every robot, fixed and floating, by each method: the answer is the library's, bit for bit, and repeats the
/// input.
#[test]
fn answers_are_the_librarys_to_the_last_bit() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    for file in all_robots() {
        for floating in [false, true] {
            let model = model(&file, &UrdfOptions::new().floating_base(floating));
            let mut states = Vec::new();
            for _ in 0..2 {
                let q = model.random(rng);
                let mut tangent = || (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
                let (v, a, tau) = (tangent(), tangent(), tangent());
                let wrench: [f64; 6] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
                let body = rng.random_range(0..model.bodies().len());
                states.push((q, v, a, tau, body, wrench));
            }
            let input: Vec<Value> = states
                .iter()
                .map(|(q, v, a, tau, body, wrench)| {
                    let link = model.bodies()[*body].name();
                    json!({"q": q, "v": v, "a": a, "tau": tau, "f_ext": {link: wrench}})
                })
                .collect();
            let input = json!({ "states": input }).to_string();
            for method in Method::ALL {
                let mut arguments = vec!["evaluate", &file, "--states", "-", "--method", method.name()];
                arguments.extend(floating.then_some("--floating-base"));
                let answer = json(&text_of(&run_with(arguments, input.as_bytes())));
                check_head(&answer, &model);
                let mut ws = DerivativeWorkspace::new(&model);
                for (k, (q, v, a, _, body, wrench)) in states.iter().enumerate() {
                    let found = &answer["states"][k];
                    for (key, given) in [("q", q), ("v", v), ("a", a)] {
                        assert_eq!(bits(&numbers(&found[key])), bits(given), "{file}: {key}");
                    }
                    let [fx, fy, fz, nx, ny, nz] = *wrench;
                    let force = Force::new(Vector3::new(fx, fy, fz), Vector3::new(nx, ny, nz));
                    let wrenches = [ExternalWrench::in_body(model.body_id(*body).expect("is there"), force)];
                    // Values are the same whatever the method.
                    assert_same(&found["mass_matrix"], &once::crba(&model, q).expect("runs"), "mass_matrix");
                    let tau = once::rnea(&model, q, v, a, &wrenches).expect("runs");
                    assert_eq!(bits(&numbers(&found["tau"])), bits(&tau), "{file}: tau");
                    let by = rnea_derivatives(&model, &mut ws, method, q, v, a, &wrenches).expect("runs");
                    for (key, expected) in by.matrices() {
                        assert_same(&found[key], expected, key);
                    }
                    let link = model.bodies()[*body].name();
                    assert_same(&found["dtau_df_ext"][link], &by.dtau_df_ext[0], "dtau_df_ext");
                }
            }
        }
    }
}

/// The description of the robot before the states.
fn check_head(answer: &Value, model: &Model) {
    assert_eq!(
        (&answer["robot"], &answer["nq"], &answer["nv"]),
        (&json!(model.name()), &json!(model.nq()), &json!(model.nv()))
    );
    let (mut q, mut v) = (0, 0);
    for joint in answer["joints"].as_array().expect("a list") {
        assert_eq!((&joint["q_index"], &joint["v_index"]), (&json!(q), &json!(v)), "in order and without gaps");
        q += joint["nq"].as_u64().expect("a count");
        v += joint["nv"].as_u64().expect("a count");
        let body = &model.bodies()[model.find_body(joint["name"].as_str().expect("a name")).expect("is there").index()];
        assert_eq!(joint["kind"], json!(body.joint().kind()));
    }
    assert_eq!((json!(q), json!(v)), (json!(model.nq()), json!(model.nv())));
}

/// Every name that `--quantities` knows, in the order of the answer.
const QUANTITIES: [&str; 21] = [
    "tau",
    "mass_matrix",
    "dtau_dq",
    "dtau_dv",
    "dtau_da",
    "dtau_df_ext",
    "ddq",
    "ddq_dq",
    "ddq_dv",
    "ddq_dtau",
    "ddq_df_ext",
    "mass_matrix_inverse",
    "coriolis",
    "bias",
    "gravity",
    "energy",
    "frame_jacobians",
    "joint_jacobians",
    "com",
    "com_jacobian",
    "centroidal",
];

/// A random state with torques and a wrench on the last body, and what `evaluate` reads for it.
fn state_with_tau(model: &Model, rng: &mut ChaCha8Rng) -> ([Vec<f64>; 4], ExternalWrench, Value) {
    let q = model.random(rng);
    let [v, a, tau] = std::array::from_fn(|_| (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect());
    let f: [f64; 6] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
    let last = model.bodies().len() - 1;
    let force = Force::new(Vector3::new(f[0], f[1], f[2]), Vector3::new(f[3], f[4], f[5]));
    let wrench = ExternalWrench::in_body(model.body_id(last).expect("is there"), force);
    let state = json!({"q": q, "v": v, "a": a, "tau": tau, "f_ext": {model.bodies()[last].name(): f}});
    ([q, v, a, tau], wrench, state)
}

/// For every robot, fixed and floating: each quantity that can be asked for is the library's, bit for bit.
#[test]
fn quantities_are_the_librarys_to_the_last_bit() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut with_accelerations = 0;
    for file in all_robots() {
        for floating in [false, true] {
            let model = &model(&file, &UrdfOptions::new().floating_base(floating));
            let ([q, v, a, tau], wrench, state) = state_with_tau(model, rng);
            // Bodies that are points, or lines, may leave no accelerations to be computed.
            let derivatives = &mut DerivativeWorkspace::new(model);
            let method = Method::Analytical;
            let forward = match aba_derivatives(model, derivatives, method, &q, &v, &tau, &[wrench]) {
                Err(InputError::SingularMassMatrix { .. }) => None,
                by => Some(by.expect("runs").clone()),
            };
            with_accelerations += usize::from(forward.is_some());
            let wanted =
                |name: &&str| forward.is_some() || !(name.starts_with("ddq") || *name == "mass_matrix_inverse");
            let all = QUANTITIES.into_iter().filter(wanted).collect::<Vec<_>>().join(",");
            let mut arguments = vec!["evaluate", &file, "--states", "-", "--quantities", &all];
            arguments.extend(["--method", "analytical"]);
            arguments.extend(floating.then_some("--floating-base"));
            let input = json!({ "states": [state] }).to_string();
            let answer = json(&text_of(&run_with(arguments, input.as_bytes())));
            let found = &answer["states"][0];

            let ws = &mut Workspace::<f64>::new(model);
            let same = |key: &str, expected: &[f64]| assert_eq!(bits(&numbers(&found[key])), bits(expected), "{key}");
            let link = model.bodies().last().expect("is there").name();

            let by = rnea_derivatives(model, derivatives, Method::Analytical, &q, &v, &a, &[wrench]).expect("runs");
            same("tau", &once::rnea(model, &q, &v, &a, &[wrench]).expect("runs"));
            assert_same(&found["mass_matrix"], &once::crba(model, &q).expect("runs"), "mass_matrix");
            for (key, expected) in by.matrices() {
                assert_same(&found[key], expected, key);
            }
            assert_same(&found["dtau_df_ext"][link], &by.dtau_df_ext[0], "dtau_df_ext");

            if let Some(by) = forward {
                same("ddq", &once::aba(model, &q, &v, &tau, &[wrench]).expect("runs"));
                for (key, expected) in by.matrices() {
                    assert_same(&found[key], expected, key);
                }
                assert_same(&found["ddq_df_ext"][link], &by.ddq_df_ext[0], "ddq_df_ext");
                assert_same(&found["mass_matrix_inverse"], minv(model, ws, &q).expect("runs"), "mass_matrix_inverse");
            }

            assert_same(&found["coriolis"], coriolis_matrix(model, ws, &q, &v).expect("runs"), "coriolis");
            same("bias", bias(model, ws, &q, &v, &[wrench]).expect("runs"));
            same("gravity", generalized_gravity(model, ws, &q).expect("runs"));
            let energy = [kinetic_energy(model, ws, &q, &v), potential_energy(model, ws, &q)].map(|x| x.expect("runs"));
            let keys = ["kinetic", "potential"].map(|key| found["energy"][key].as_f64().expect("a number"));
            assert_eq!(bits(&keys), bits(&energy), "energy");

            assert_eq!(found["frame_jacobians"]["reference"], "local");
            let jacobians = found["frame_jacobians"]["frames"].as_object().expect("an object");
            assert_eq!(jacobians.len(), model.frames().len());
            for (name, jacobian) in jacobians {
                let frame = model.find_frame(name).expect("is there");
                let expected = frame_jacobian(model, ws, &q, frame, ReferenceFrame::Local).expect("runs");
                assert_same(jacobian, expected, name);
            }

            assert_same(&found["joint_jacobians"], joint_jacobians(model, ws, &q).expect("runs"), "joint_jacobians");

            let com = center_of_mass(model, ws, &q, &v, &a).expect("runs").whole;
            assert_eq!(found["com"]["mass"].as_f64().map(f64::to_bits), Some(com.mass.to_bits()));
            for (key, x) in [("position", com.position), ("velocity", com.velocity), ("acceleration", com.acceleration)]
            {
                assert_eq!(bits(&numbers(&found["com"][key])), bits(x.as_slice()), "com: {key}");
            }
            assert_same(&found["com_jacobian"], com_jacobian(model, ws, &q, None).expect("runs"), "com_jacobian");
            let whole = centroidal(model, ws, &q, &v, &a).expect("runs");
            assert_same(&found["centroidal"]["matrix"], whole.matrix, "centroidal matrix");
            assert_same(&found["centroidal"]["matrix_rate"], whole.matrix_rate, "rate of the centroidal matrix");
            for (key, x) in [("momentum", whole.momentum), ("momentum_rate", whole.momentum_rate)] {
                let expected = [x.linear.as_slice(), x.angular.as_slice()].concat();
                assert_eq!(bits(&numbers(&found["centroidal"][key])), bits(&expected), "{key}");
            }
        }
    }
    assert!(with_accelerations >= 15, "{with_accelerations}");
}

/// What is asked for is answered, once, in one order, and each quantity is the same whatever else is asked for.
#[test]
fn quantities_are_answered_alone_and_together() {
    let file = robot("panda");
    let model = &model(&file, &UrdfOptions::new());
    let (_, _, state) = state_with_tau(model, &mut ChaCha8Rng::seed_from_u64(6));
    let input = json!({ "states": [state] }).to_string();
    let ask = |list: &str| {
        let run = run_with(["evaluate", &file, "--states", "-", "--quantities", list], input.as_bytes());
        json(&text_of(&run))["states"][0].take()
    };
    let all = ask(&QUANTITIES.join(","));
    for quantity in QUANTITIES {
        let alone = ask(quantity);
        let keys: Vec<_> = alone.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut expected = vec!["q", "v", "a", "tau_given", "f_ext", quantity];
        // The test's JSON may sort its keys.
        expected.sort_unstable_by_key(|key| keys.iter().position(|found| found == key));
        assert_eq!(keys, expected);
        assert_eq!(alone[quantity], all[quantity], "{quantity}");
    }
    assert_eq!(ask("bias, tau,bias"), ask("tau,bias"));

    let default = text_of(&run_with(["evaluate", &file, "--states", "-"], input.as_bytes()));
    let listed = ["evaluate", &file, "--states", "-", "--quantities", &QUANTITIES[..6].join(",")];
    assert_eq!(text_of(&run_with(listed, input.as_bytes())), default);
}

/// Without wrenches there is nothing to differentiate by them: the fields are left out.
#[test]
fn quantities_of_wrenches_need_wrenches() {
    let states = r#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6], "tau": [7, 8]}]}"#;
    let list = "ddq,dtau_df_ext,ddq_df_ext";
    let arguments = ["evaluate", &robot("double_pendulum"), "--states", "-", "--quantities", list];
    let answer = json(&text_of(&run_with(arguments, states.as_bytes())));
    let state = answer["states"][0].as_object().expect("an object");
    assert!(state.contains_key("ddq") && !state.keys().any(|key| key.ends_with("df_ext")), "{state:?}");
}

#[test]
fn quantities_that_cannot_be_are_refused() {
    let file = robot("double_pendulum");
    let ask = |list: &str, states: &str| {
        refused(&run_with(["evaluate", &file, "--states", "-", "--quantities", list], states.as_bytes()))
    };
    for list in ["torque", "tau,torque", "", "tau,"] {
        let message = ask(list, r#"{"states": []}"#);
        assert!(
            message.contains("unknown quantity") && message.contains("`gradyn help evaluate` lists all"),
            "{message}"
        );
        assert!(list != "torque" || (message.contains("'torque'") && message.contains("static_torque")), "{message}");
    }
    let lacking = r#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6], "tau": [7, 8]},
        {"q": [1, 2], "v": [3, 4], "a": [5, 6]}]}"#;
    for quantity in ["ddq", "ddq_dq", "ddq_dv", "ddq_dtau", "ddq_df_ext"] {
        let message = ask(&format!("tau,{quantity}"), lacking);
        for part in ["standard input: state 1:", "missing key `tau`", "2 numbers (nv)", &format!("`{quantity}`")] {
            assert!(message.contains(part), "{message}\nlacks {part}");
        }
    }
}

#[test]
fn no_states_are_answered_with_the_robot() {
    for input in [r#"{"states": []}"#, "\u{feff}{\"states\":[]}", " { \"states\" : [ ] } \n"] {
        let answer = json(&text_of(&run_with(["evaluate", &robot("mimic"), "--states", "-"], input.as_bytes())));
        assert_eq!(answer["states"], json!([]));
        check_head(&answer, &model(&robot("mimic"), &UrdfOptions::new()));
        assert_eq!(answer["mimic"].as_array().map(Vec::len), Some(2));
    }
}

/// An answer, without what was computed, is an input that gives the same answer.
#[test]
fn an_answer_can_be_asked_again() {
    let states = r#"{"states": [{"q": [0.1, -0.30000000000000004], "v": [1e-320, 2], "a": [1, 123456789.123456789]}]}"#;
    let arguments = ["evaluate", &robot("double_pendulum"), "--states", "-"];
    let first = text_of(&run_with(arguments, states.as_bytes()));
    let mut again = json(&first);
    let mut state = again["states"][0].take();
    state.as_object_mut().expect("an object").retain(|key, _| ["q", "v", "a"].contains(&key.as_str()));
    let input = json!({ "states": [state] }).to_string();
    assert_eq!(text_of(&run_with(arguments, input.as_bytes())), first);
}

#[test]
fn a_pendulum_in_closed_form() {
    // m = 1 kg or not: the coefficient is read off at rest, τ = c sin q + …, so ∂τ/∂q = c cos q.
    let file = robot("pendulum");
    let states = r#"{"states": [{"q": [1.5707963267948966], "v": [0], "a": [0]}, {"q": [0], "v": [0], "a": [0]}]}"#;
    let answer = json(&text_of(&run_with(["evaluate", &file, "--states", "-"], states.as_bytes())));
    let tau = numbers(&answer["states"][0]["tau"])[0];
    let stiffness = matrix(&answer["states"][1]["dtau_dq"])[0][0];
    assert!((tau - stiffness).abs() < 1e-14 * tau.abs(), "{tau} {stiffness}"); // two roundings
}

/// A wrench on a link that a fixed joint merges into another acts in the link's own frame.
#[test]
fn a_wrench_on_a_merged_link_acts_in_its_frame() {
    let file = robot("panda");
    let whole = model(&file, &UrdfOptions::new().merge_fixed_joints(false));
    let q = model(&file, &UrdfOptions::new()).random(&mut ChaCha8Rng::seed_from_u64(1));
    let (v, a) = ([0.1; 7], [0.2; 7]);
    let states = json!({"states": [{"q": q, "v": v, "a": a, "f_ext": {
        "panda_link0": [9, 9, 9, 9, 9, 9],
        "panda_link8": [1, -2, 3, 0.4, 0.5, -0.6],
        "panda_link7": [0, 0, 1, 0, 0, 0],
    }}]});
    let answer = json(&text_of(&run_with(["evaluate", &file, "--states", "-"], states.to_string().as_bytes())));
    let state = &answer["states"][0];

    // The same by a model in which the link is a body of its own.
    let on = |link: &str, f: [f64; 6]| {
        let wrench = Force::new(Vector3::new(f[0], f[1], f[2]), Vector3::new(f[3], f[4], f[5]));
        ExternalWrench::in_body(whole.find_body(link).expect("is there"), wrench)
    };
    let wrenches =
        [on("panda_link8", [1.0, -2.0, 3.0, 0.4, 0.5, -0.6]), on("panda_link7", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])];
    let tau = once::rnea(&whole, &q, &v, &a, &wrenches).expect("runs");
    let mut ws = DerivativeWorkspace::new(&whole);
    let by = rnea_derivatives(&whole, &mut ws, Method::Dual, &q, &v, &a, &wrenches).expect("runs");
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}"); // roundings of numbers near ten
    for (x, y) in numbers(&state["tau"]).into_iter().zip(tau) {
        near(x, y);
    }
    for (x, y) in
        matrix(&state["dtau_df_ext"]["panda_link8"]).concat().into_iter().zip(rows(&by.dtau_df_ext[0]).concat())
    {
        near(x, y);
    }
    // What is fixed to the world is not moved by anything.
    assert_eq!(matrix(&state["dtau_df_ext"]["panda_link0"]), vec![vec![0.0; 6]; 7]);
    let order: Vec<_> = state["f_ext"].as_object().expect("an object").keys().collect();
    assert_eq!(order.len(), 3);
}

#[test]
fn the_answer_goes_to_a_file() {
    let here = directory("evaluate");
    let (states, output) = (here.join("states.json"), here.join("answer.json"));
    std::fs::write(&states, r#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6]}]}"#).expect("writes");
    let (states, path) = (states.to_str().expect("UTF-8"), output.to_str().expect("UTF-8"));
    let printed = good(["evaluate", &robot("double_pendulum"), "--states", states]);
    for _ in 0..2 {
        let run = run(["evaluate", &robot("double_pendulum"), "--states", states, "--output", path]);
        assert!(run.status.success() && run.stdout.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(std::fs::read_to_string(&output).expect("is there"), printed);
    }
    assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 2, "nothing else is left behind");
}

#[cfg(unix)]
#[test]
fn an_output_keeps_its_link_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let here = directory("link");
    let (real, link) = (here.join("real.json"), here.join("link.json"));
    std::fs::write(&real, "old").expect("writes");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("can be set");
    symlink(&real, &link).expect("links");
    let path = link.to_str().expect("UTF-8");
    text_of(&run_with(["evaluate", &robot("ur5"), "--states", "-", "--output", path], br#"{"states": []}"#));
    assert!(link.symlink_metadata().expect("is there").is_symlink());
    assert!(std::fs::read_to_string(&real).expect("is there").starts_with("{\"robot\":\"ur5\""));
    assert_eq!(real.metadata().expect("is there").permissions().mode() & 0o777, 0o640);
}
