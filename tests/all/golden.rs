//! Every number that Pinocchio 4.1.0 wrote for the robots of this repository (`tests/golden`).

use gradyn::dynamics::{ExternalWrench, Workspace, forward_kinematics, rnea};
use gradyn::model::Model;
use gradyn::model::urdf::{ContinuousForm, JointOrder, UrdfOptions};
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use gradyn::spatial::Force;
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;
use std::fs;
use std::ops::Range;
use testing::{dual, eps, moved, path, robot, unit};

/// Two programs that sum in another order: some hundred roundings of 1e-16, through matrices of condition 1e4 at worst.
const TOLERANCE: f64 = 1e-10;

struct Golden {
    name: String,
    content: Value,
}

impl Golden {
    fn all() -> Vec<Self> {
        let files =
            fs::read_dir(path("tests/golden")).expect("is there").map(|entry| entry.expect("is readable").path());
        let mut all: Vec<_> = files
            .filter(|file| file.extension().is_some_and(|e| e == "json"))
            .map(|file| Self {
                name: file.file_stem().expect("has a name").to_string_lossy().into_owned(),
                content: serde_json::from_str(&fs::read_to_string(&file).expect("is readable")).expect("is JSON"),
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(all.len() >= 10, "golden files are missing");
        all
    }

    /// The robot under the conditions of the file.
    fn model(&self, order: JointOrder) -> Model {
        let floating = self.content["floating_base"].as_bool().expect("is there");
        let options = UrdfOptions::new().joint_order(order).continuous(ContinuousForm::CosSin).floating_base(floating);
        let g = numbers(&self.content["gravity"]);
        robot(&self.name, &options).with_joint_friction(false).with_gravity(Vector3::new(g[0], g[1], g[2]))
    }

    fn states(&self) -> impl Iterator<Item = (String, &Value)> {
        let states = self.content["states"].as_array().expect("is a list");
        assert!(states.len() >= 2, "{}", self.name);
        states.iter().enumerate().map(|(k, state)| (format!("{}, state {k}", self.name), state))
    }

    fn joints(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.content["joints"]
            .as_array()
            .expect("is a list")
            .iter()
            .map(|joint| (joint["name"].as_str().unwrap(), joint))
    }
}

/// All numbers of nested lists, row by row.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Null => panic!("the file has no such field"),
        number => vec![number.as_f64().expect("is a number")],
    }
}

fn rows(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

/// Relative to the largest entry.
#[track_caller]
fn assert_golden(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        // Where all is zero, rounding of terms of order one.
        let bound = if scale > 0.0 { TOLERANCE * scale } else { 1e-14 };
        assert!((f - e).abs() <= bound, "{what}: entry {i} is {f:e}, Pinocchio's {e:e}");
    }
}

fn state(value: &Value) -> [Vec<f64>; 3] {
    ["q", "v", "a"].map(|key| numbers(&value[key]))
}

/// A wrench on every joint, in its body's frame.
fn wrenches(model: &Model, state: &Value) -> Vec<ExternalWrench> {
    let wrench = |(joint, numbers_of): (&String, &Value)| {
        let f = numbers(numbers_of);
        let f = Force::new(Vector3::new(f[0], f[1], f[2]), Vector3::new(f[3], f[4], f[5]));
        ExternalWrench::in_body(model.find_body(joint).expect("is a joint"), f)
    };
    state["f_ext"].as_object().expect("is a map").iter().map(wrench).collect()
}

#[test]
fn joints_stand_in_pinocchios_order_with_its_indices() {
    for golden in Golden::all() {
        let model = golden.model(JointOrder::Pinocchio);
        let size = |key: &str| golden.content[key].as_u64().unwrap() as usize;
        assert_eq!((model.nq(), model.nv()), (size("nq"), size("nv")), "{}", golden.name);
        let names: Vec<_> = golden.joints().map(|(name, _)| name.to_owned()).collect();
        let found: Vec<_> = model.bodies().iter().map(|body| body.joint_name().to_owned()).collect();
        assert_eq!(found, names, "{}", golden.name);
        for ((name, joint), body) in golden.joints().zip(model.bodies()) {
            let number = |key: &str| joint[key].as_u64().unwrap() as usize;
            let starts = (body.q_range().start, body.v_range().start);
            assert_eq!(starts, (number("idx_q"), number("idx_v")), "{}: {name}", golden.name);
            let follows = joint.get("mimic").is_some();
            assert_eq!(body.owns_coordinates(), !follows, "{}: {name}", golden.name);
            if !follows {
                assert_eq!((body.q_range().len(), body.v_range().len()), (number("nq"), number("nv")), "{name}");
            }
            let parent = body.parent().map_or("universe", |p| model.bodies()[p.index()].joint_name());
            assert_eq!(parent, joint["parent"].as_str().unwrap(), "{}: {name}", golden.name);
        }
    }
}

#[test]
fn kinematics_are_pinocchios() {
    for golden in Golden::all() {
        let model = golden.model(JointOrder::Pinocchio);
        let mut ws = Workspace::new(&model);
        for (what, value) in golden.states() {
            let [q, v, a] = state(value);
            let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("runs");
            for (joint, _) in golden.joints() {
                let id = model.find_body(joint).expect("is a joint");
                let pose = kinematics.pose(id).unwrap();
                let placement = &value["placements"][joint];
                let rotation = pose.rotation.transpose();
                assert_golden(
                    rotation.as_slice(),
                    &numbers(&placement["rotation"]),
                    &format!("{what}: {joint} rotation"),
                );
                let p = pose.translation;
                assert_golden(
                    p.as_slice(),
                    &numbers(&placement["translation"]),
                    &format!("{what}: {joint} translation"),
                );
                let (v, a) = (kinematics.velocity(id).unwrap(), kinematics.acceleration(id).unwrap());
                let velocity = numbers(&value["velocity"][joint]);
                assert_golden(&testing::motion(v), &velocity, &format!("{what}: {joint} velocity"));
                let acceleration = numbers(&value["acceleration"][joint]);
                assert_golden(&testing::motion(a), &acceleration, &format!("{what}: {joint} acceleration"));
            }
        }
    }
}

#[test]
fn torques_and_their_derivatives_are_pinocchios() {
    for golden in Golden::all() {
        let model = golden.model(JointOrder::Pinocchio);
        let (mut ws, mut derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
        for (what, value) in golden.states() {
            let [q, v, a] = state(value);
            let f_ext = wrenches(&model, value);
            let tau = rnea(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
            assert_golden(tau, &numbers(&value["tau"]), &format!("{what}: tau"));
            let tau = rnea(&model, &mut ws, &q, &v, &a, &f_ext).expect("runs");
            assert_golden(tau, &numbers(&value["tau_f_ext"]), &format!("{what}: tau_f_ext"));

            let d = rnea_derivatives(&model, &mut derivatives, Method::Dual, &q, &v, &a, &[]).expect("runs");
            assert_derivatives(d, value, &what);
            let d = rnea_derivatives(&model, &mut derivatives, Method::Dual, &q, &v, &a, &f_ext).expect("runs");
            assert_golden(&rows(&d.dtau_dq), &numbers(&value["dtau_dq_f_ext"]), &format!("{what}: dtau_dq_f_ext"));
        }
    }
}

fn assert_derivatives(d: &RneaDerivatives, value: &Value, what: &str) {
    for (key, m) in [("mass_matrix", &d.dtau_da), ("dtau_dq", &d.dtau_dq), ("dtau_dv", &d.dtau_dv)] {
        assert_golden(&rows(m), &numbers(&value[key]), &format!("{what}: {key}"));
    }
}

/// With the joints in the order of the file, the same numbers stand elsewhere.
#[test]
fn file_order_gives_the_same_numbers_by_joint_name() {
    let mut reordered = 0;
    for golden in Golden::all() {
        let (theirs, ours) = (golden.model(JointOrder::Pinocchio), golden.model(JointOrder::File));
        let place = |of: fn(&gradyn::model::Body) -> Range<usize>, n: usize| {
            let mut place = vec![usize::MAX; n];
            for body in ours.bodies().iter().filter(|body| body.owns_coordinates()) {
                let other = &theirs.bodies()[theirs.find_body(body.joint_name()).expect("the same joints").index()];
                for (i, j) in of(body).zip(of(other)) {
                    place[i] = j;
                }
            }
            place
        };
        let (place_q, place_v) = (place(|body| body.q_range(), ours.nq()), place(|body| body.v_range(), ours.nv()));
        reordered += usize::from(!place_v.is_sorted());
        let pick = |x: &[f64], place: &[usize]| place.iter().map(|i| x[*i]).collect::<Vec<_>>();
        let mut ws = DerivativeWorkspace::new(&ours);
        for (what, value) in golden.states() {
            let [q, v, a] = state(value);
            let (q, v, a) = (pick(&q, &place_q), pick(&v, &place_v), pick(&a, &place_v));
            let f_ext = wrenches(&ours, value);
            let d = rnea_derivatives(&ours, &mut ws, Method::Dual, &q, &v, &a, &f_ext).expect("runs");
            let tau = pick(&numbers(&value["tau_f_ext"]), &place_v);
            assert_golden(d.tau.as_slice(), &tau, &format!("{what}: tau_f_ext in file order"));
            let keys = [("dtau_dq_f_ext", &d.dtau_dq), ("dtau_dv", &d.dtau_dv), ("mass_matrix", &d.dtau_da)];
            for (key, m) in keys {
                let n = ours.nv();
                let all = numbers(&value[key]);
                let expected: Vec<_> =
                    place_v.iter().flat_map(|i| place_v.iter().map(|j| all[i * n + j]).collect::<Vec<_>>()).collect();
                assert_golden(&rows(m), &expected, &format!("{what}: {key} in file order"));
            }
        }
    }
    assert!(reordered >= 3, "continuous, floating and g1 stand in another order in their files");
}

#[test]
fn configuration_functions_are_pinocchios() {
    for golden in Golden::all() {
        let model = golden.model(JointOrder::Pinocchio);
        for (what, value) in golden.states() {
            let [q, q2, dq] = ["q", "q2", "dq"].map(|key| numbers(&value[key]));
            let check = |found: &[f64], key: &str| {
                let expected = numbers(&value[key]);
                let found = if found.len() == model.nq() { like(&model, found, &expected) } else { found.to_vec() };
                assert_golden(&found, &expected, &format!("{what}: {key}"));
            };
            check(&model.integrate(&q, &dq).expect("fits"), "integrate");
            check(&model.difference(&q, &q2).expect("fits"), "difference");
            check(&model.interpolate(&q, &q2, 0.3).expect("fits"), "interpolate_03");
        }
    }
}

/// `found` with each quaternion in the sign of `expected`: both signs are the same rotation.
fn like(model: &Model, found: &[f64], expected: &[f64]) -> Vec<f64> {
    let mut found = found.to_vec();
    for body in model.bodies() {
        let range = match body.joint().kind() {
            "free-flyer" => body.q_range().start + 3..body.q_range().end,
            "spherical" => body.q_range(),
            _ => continue,
        };
        let dot: f64 = range.clone().map(|i| found[i] * expected[i]).sum();
        if dot < 0.0 {
            range.for_each(|i| found[i] = -found[i]);
        }
    }
    found
}

/// By formula, and along tangent directions by dual numbers, read off at the place reached.
#[test]
fn jacobians_of_configuration_functions_are_pinocchios() {
    for golden in Golden::all() {
        let model = golden.model(JointOrder::Pinocchio);
        let nv = model.nv();
        let fixed = |x: &[f64]| dual(x, &vec![0.0; x.len()]);
        for (what, value) in golden.states() {
            let [q, q2, dq] = ["q", "q2", "dq"].map(|key| numbers(&value[key]));
            let reached = fixed(&model.integrate(&q, &dq).expect("fits"));
            let by = |column: &dyn Fn(&[f64]) -> Vec<f64>| {
                rows(&DMatrix::from_columns(
                    &(0..nv).map(|k| nalgebra::DVector::from_vec(column(&unit(nv, k)))).collect::<Vec<_>>(),
                ))
            };
            let tangent = |q: Vec<Dual64>| eps(&model.difference(&reached, &q).expect("fits"));
            let by_q = by(&|e| tangent(model.integrate(&moved(&model, &q, e), &fixed(&dq)).expect("fits")));
            let by_v = by(&|e| tangent(model.integrate(&fixed(&q), &dual(&dq, e)).expect("fits")));
            let by_q0 = by(&|e| eps(&model.difference(&moved(&model, &q, e), &fixed(&q2)).expect("fits")));
            let by_q1 = by(&|e| eps(&model.difference(&fixed(&q), &moved(&model, &q2, e)).expect("fits")));
            for (key, found) in [
                ("dintegrate_dq", by_q),
                ("dintegrate_dv", by_v),
                ("ddifference_dq0", by_q0),
                ("ddifference_dq1", by_q1),
            ] {
                assert_golden(&found, &numbers(&value[key]), &format!("{what}: {key} over duals"));
            }
            for (key, found) in [
                ("dintegrate_dq", model.integrate_dq(&dq)),
                ("dintegrate_dv", model.integrate_dv(&dq)),
                ("ddifference_dq0", model.difference_dq0(&q, &q2)),
                ("ddifference_dq1", model.difference_dq1(&q, &q2)),
            ] {
                assert_golden(&rows(&found.expect("fits")), &numbers(&value[key]), &format!("{what}: {key}"));
            }
        }
    }
}
