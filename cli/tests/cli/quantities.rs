//! `gradyn evaluate --quantities`: everything that can be asked for.

use super::against::{check, disagrees, has};
use super::{json, refused, robot, run_with, text_of};
use gradyn::dynamics::{
    ExternalWrench, FrameRef, ReferenceFrame, Workspace, aba_gradient, com_regressor, forward_kinematics,
    frame_bias_acceleration, frame_jacobian, frame_jacobian_rate, frame_wrench_regressor, kinematic_regressor,
    kinetic_energy_regressor, potential_energy_regressor, relative_jacobian, rnea_gradient, static_torque,
    static_torque_regressor, torque_regressor,
};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::once;
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, aba_hessian, aba_hessian_product,
    aba_second_derivatives, bias_derivatives, center_of_mass_derivatives, centroidal_derivatives,
    classical_frame_derivatives, frame_derivatives, generalized_gravity_derivatives, jacobian_transpose_derivatives,
    mass_product_derivatives, point_derivatives, rnea_hessian, rnea_hessian_product, rnea_second_derivatives,
    static_torque_derivatives,
};
use gradyn::spatial::{Force, Motion};
use nalgebra::{DMatrix, Vector3, Vector6};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

/// All that can be asked for without constraints, by their names.
const FREE: &[&str] = &[
    "tau,mass_matrix,dtau_dq,dtau_dv,dtau_da,dtau_df_ext,ddq,ddq_dq,ddq_dv,ddq_dtau,ddq_df_ext,mass_matrix_inverse",
    "coriolis,energy,mass_product,mass_product_dq,bias,bias_dq,bias_dv,bias_df_ext,gravity,gravity_dq,static_torque",
    "static_torque_dq,static_torque_df_ext,wrench_torques,wrench_torques_dq,frame_placements,frame_velocities",
    "frame_velocities_dq,frame_velocities_dv,frame_accelerations,frame_accelerations_dq,frame_accelerations_dv",
    "frame_accelerations_da,classical_accelerations,classical_accelerations_dq,classical_accelerations_dv",
    "classical_accelerations_da,frame_jacobians,frame_jacobian_rates,frame_bias_accelerations",
    "classical_bias_accelerations,relative_jacobians,joint_jacobians,point_velocities,point_velocities_dq",
    "point_velocities_dv,point_accelerations,point_accelerations_dq,point_accelerations_dv,point_accelerations_da",
    "com,com_jacobian,com_position_dq,com_velocity_dq,com_velocity_dv,com_acceleration_dq,com_acceleration_dv",
    "com_acceleration_da,subtree_com_positions,subtree_com_velocities,subtree_com_accelerations",
    "subtree_com_positions_dq,subtree_com_velocities_dq,subtree_com_velocities_dv,subtree_com_accelerations_dq",
    "subtree_com_accelerations_dv,subtree_com_accelerations_da,centroidal,momentum_dq,momentum_dv,momentum_rate_dq",
    "momentum_rate_dv,momentum_rate_da,pseudo_inertias,log_cholesky_parameters,log_cholesky_jacobians,inertial_parameters,torque_regressor,static_torque_regressor",
    "com_regressor,kinetic_energy_regressor,potential_energy_regressor,frame_wrench_regressors,kinematic_regressors,d2tau_dqdq",
    "d2tau_dqdv,d2tau_dvdv,d2tau_dadq,d2ddq_dqdq,d2ddq_dqdv,d2ddq_dvdv,d2ddq_dqdtau,tau_gradient,tau_hessian",
    "tau_hessian_product,ddq_gradient,ddq_hessian,ddq_hessian_product",
];

/// And under constraints.
const HELD: &[&str] = &[
    "constrained_ddq,constrained_ddq_dq,constrained_ddq_dv,constrained_ddq_dtau,constrained_ddq_df_ext",
    "constraint_forces,constraint_forces_dq,constraint_forces_dv,constraint_forces_dtau,constraint_forces_df_ext",
    "impulse_v,impulse_v_dq,impulse_v_dv,impulse,impulse_dq,impulse_dv,constraint_rank,constraint_error",
    "constraint_jacobian,constraint_bias",
];

fn all() -> String {
    [FREE.join(","), HELD.join(",")].join(",")
}

/// A robot with a state that has every input, a contact, and all about it.
struct Case {
    file: String,
    flags: &'static [&'static str],
    model: Model,
    state: Value,
    contact: String,
    /// Of the last body.
    link: String,
    point: String,
    pair: String,
}

impl Case {
    fn new(name: &str, flags: &'static [&'static str], seed: u64) -> Self {
        let file = robot(name);
        let options = UrdfOptions::new().floating_base(flags.contains(&"--floating-base"));
        let model = Model::from_urdf_file(&file, &options).expect("the robot is good").model;
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (first, last) = (model.bodies().first(), model.bodies().last());
        let (first, link) = (first.expect("is there").name().to_owned(), last.expect("is there").name().to_owned());
        let q = model.random(rng);
        let mut numbers = |n: usize| (0..n).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let nv = model.nv();
        let [v, a, tau, lambda] = std::array::from_fn(|_| numbers(nv));
        let direction = json!({"q": numbers(nv), "v": numbers(nv), "a": numbers(nv), "tau": numbers(nv)});
        let (wrench, world) = (numbers(6), numbers(6));
        let state = json!({"q": q, "v": v, "a": a, "tau": tau, "lambda": lambda, "direction": direction,
            "f_ext": {&link: wrench}, "f_ext_world": {&first: world}});
        let (point, pair) = (format!("{link},0.1,-0.2,0.3"), format!("{first},{link}"));
        Self { file, flags, model, state, contact: link.clone(), link, point, pair }
    }

    fn evaluate(&self, quantities: &str, more: &[&str]) -> Value {
        let constraints = json!([{"frame": self.contact, "type": "point"}]);
        let input = json!({"constraints": constraints, "restitution": 0.3, "states": [self.state]}).to_string();
        let arguments = ["evaluate", &self.file, "--states", "-", "--quantities", quantities];
        json(&text_of(&run_with([&arguments[..], self.flags, more].concat(), input.as_bytes())))
    }

    fn input(&self, key: &str) -> Vec<f64> {
        numbers(&self.state[key])
    }

    fn wrenches(&self) -> [ExternalWrench; 2] {
        let force = |x: &[f64]| Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
        let (last, [body, world]) = (self.model.bodies().len() - 1, [&self.state["f_ext"], &self.state["f_ext_world"]]);
        let of = |value: &Value| numbers(value.as_object().and_then(|x| x.values().next()).expect("is there"));
        let id = |index| self.model.body_id(index).expect("is there");
        [ExternalWrench::in_body(id(last), force(&of(body))), ExternalWrench::in_world(id(0), force(&of(world)))]
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// All numbers of a value, row by row.
fn flat(value: &Value) -> Vec<u64> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        other => vec![other.as_f64().expect("a number").to_bits()],
    }
}

#[track_caller]
fn same(found: &Value, expected: &[f64]) {
    assert_eq!(flat(found), expected.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
}

#[track_caller]
fn same_matrix(found: &Value, expected: &DMatrix<f64>) {
    same(found, expected.transpose().as_slice());
}

/// What is answered by every name together agrees with the checker, which knows every name.
#[test]
fn everything_can_be_asked_for_and_claimed() {
    let references = ["local", "world", "local-world-aligned"];
    for (name, flags, references) in [
        ("mimic", &[][..], &references[..1]),
        ("planar", &[], &references[1..2]),
        ("panda", &["--floating-base"], &references),
        ("continuous", &[], &references[2..]),
    ] {
        for reference in references {
            let case = Case::new(name, flags, 11);
            let more = ["--reference", reference, "--point", &case.point, "--pair", &case.pair];
            let claims = case.evaluate(&all(), &more);
            let state = claims["states"][0].as_object().expect("an object");
            for quantity in all().split(',') {
                assert!(state.contains_key(quantity), "{name}: no {quantity}");
            }
            let text = text_of(&check(&case.file, flags, &claims));
            assert!(text.ends_with("\nthe state agrees\n"), "{name}: {text}");
        }
    }
}

/// One wrong number in any of them is found.
#[test]
fn a_wrong_number_is_found_in_each() {
    fn first(value: &mut Value) -> &mut Value {
        match value {
            Value::Object(fields) => first(fields.values_mut().find(|value| !value.is_string()).expect("has parts")),
            Value::Array(list) => first(&mut list[0]),
            _ => value,
        }
    }
    let case = Case::new("panda", &["--floating-base"], 12);
    let frames = ["--frames", "panda_link5", "--point", &case.point, "--pair", &case.pair];
    for quantity in all().split(',') {
        let mut claims = case.evaluate(quantity, &frames);
        let number = first(&mut claims["states"][0][quantity]);
        *number = json!(number.as_f64().expect("a number") + 3.0);
        // A Coriolis matrix is any with the right product.
        let text = disagrees(&check(&case.file, case.flags, &claims));
        assert!(text.contains("1 of 1 state disagrees"), "{quantity}: {text}");
    }
}

/// Every quantity of this list is the library's, bit for bit.
#[test]
fn they_are_the_librarys_to_the_last_bit() {
    for (name, flags) in [("mimic", &[][..]), ("planar", &[]), ("solo12", &["--floating-base"])] {
        let case = Case::new(name, flags, 13);
        let (model, ws, method) = (&case.model, &mut DerivativeWorkspace::new(&case.model), Method::Analytical);
        let (base, link) = (&mut Workspace::new(model), case.link.as_str());
        let [q, v, a, tau, lambda] = ["q", "v", "a", "tau", "lambda"].map(|key| case.input(key));
        let direction = |key: &str| numbers(&case.state["direction"][key]);
        let [x_q, x_v, x_a, x_tau] = ["q", "v", "a", "tau"].map(direction);
        let wrenches = &case.wrenches();
        let frame: FrameRef = model.find_frame(link).expect("is there").into();
        let body = model.body_id(model.bodies().len() - 1).expect("is there");
        let at = (&q[..], &v[..], &a[..]);
        for reference in [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned] {
            let more = ["--reference", reference.name(), "--point", &case.point, "--pair", &case.pair];
            let answer = case.evaluate(&FREE.join(","), &[&more[..], &["--method", "analytical"]].concat());
            let found = &answer["states"][0];
            let part = |key: &str, name: &str, field: &str| {
                assert_eq!(found[key]["reference"], reference.name(), "{key}");
                found[key][field][name].clone()
            };
            let of_frame = |key: &str| part(key, link, "frames");
            let by = frame_derivatives(model, ws, method, at.0, at.1, at.2, frame, reference).expect("runs").clone();
            let kinematics = forward_kinematics(model, base, &q, &v, &a).expect("runs");
            let motion = |motion: Option<Motion<f64>>| motion.expect("is there").to_array();
            same(&of_frame("frame_velocities"), &motion(kinematics.velocity_in(frame, reference)));
            same(&of_frame("frame_accelerations"), &motion(kinematics.acceleration_in(frame, reference)));
            same(&of_frame("classical_accelerations"), &motion(kinematics.classical_acceleration_in(frame, reference)));
            let position = Vector3::new(0.1, -0.2, 0.3);
            let of_point = |key: &str| part(key, &case.point, "points");
            let velocity = kinematics.point_velocity(body, position, reference).expect("is there");
            same(&of_point("point_velocities"), velocity.as_slice());
            let acceleration = kinematics.point_acceleration(body, position, reference).expect("is there");
            same(&of_point("point_accelerations"), acceleration.as_slice());
            for (key, (_, matrix)) in
                ["velocities_dq", "velocities_dv", "accelerations_dq", "accelerations_dv", "accelerations_da"]
                    .into_iter()
                    .zip(by.matrices())
            {
                same_matrix(&of_frame(&format!("frame_{key}")), matrix);
            }
            let by = classical_frame_derivatives(model, ws, method, at.0, at.1, at.2, frame, reference)
                .expect("runs")
                .clone();
            same_matrix(&of_frame("classical_accelerations_dq"), &by.dacceleration_dq);
            let rate = frame_jacobian_rate(model, base, &q, &v, frame, reference).expect("runs");
            same_matrix(&of_frame("frame_jacobian_rates"), rate);
            let bias = frame_bias_acceleration(model, base, &q, &v, frame, reference).expect("runs");
            same(&of_frame("frame_bias_accelerations"), &bias.spatial.to_array());
            same(&of_frame("classical_bias_accelerations"), &bias.classical.to_array());
            let regressor = kinematic_regressor(model, base, &q, frame, reference).expect("runs");
            same_matrix(&of_frame("kinematic_regressors"), regressor);
            let first = model.find_frame(model.bodies()[0].name()).expect("is there");
            let relative = relative_jacobian(model, base, &q, first, frame, reference).expect("runs");
            same_matrix(&part("relative_jacobians", &case.pair, "pairs"), relative);
            let by = point_derivatives(model, ws, method, at.0, at.1, at.2, body, position, reference)
                .expect("runs")
                .clone();
            for (key, (_, matrix)) in
                ["velocities_dq", "velocities_dv", "accelerations_dq", "accelerations_dv", "accelerations_da"]
                    .into_iter()
                    .zip(by.matrices())
            {
                same_matrix(&of_point(&format!("point_{key}")), matrix);
            }
        }

        let answer =
            case.evaluate(&FREE.join(","), &["--point", &case.point, "--pair", &case.pair, "--method", "analytical"]);
        let found = &answer["states"][0];
        let by = bias_derivatives(model, ws, method, &q, &v, wrenches).expect("runs");
        same_matrix(&found["bias_dq"], by.dbias_dq);
        same_matrix(&found["bias_dv"], by.dbias_dv);
        same_matrix(&found["bias_df_ext"][link], &by.dbias_df_ext[0]);
        let by = generalized_gravity_derivatives(model, ws, method, &q).expect("runs");
        same_matrix(&found["gravity_dq"], by.dtau_dq);
        let by = static_torque_derivatives(model, ws, method, &q, wrenches).expect("runs");
        same_matrix(&found["static_torque_dq"], by.dtau_dq);
        same(&found["static_torque"], static_torque(model, base, &q, wrenches).expect("runs"));
        let by = mass_product_derivatives(model, ws, method, &q, &a).expect("runs");
        let weightless = model.clone().with_gravity(Vector3::zeros());
        same(&found["mass_product"], &once::rnea(&weightless, &q, &vec![0.0; v.len()], &a, &[]).expect("runs"));
        same_matrix(&found["mass_product_dq"], by.dproduct_dq);
        let local = ReferenceFrame::Local;
        let force = wrenches[0].wrench;
        let by = jacobian_transpose_derivatives(model, ws, method, &q, frame, local, force).expect("runs");
        let jacobian = frame_jacobian(model, base, &q, frame, local).expect("runs");
        same(&found["wrench_torques"][link], jacobian.tr_mul(&Vector6::from(force.to_array())).as_slice());
        same_matrix(&found["wrench_torques_dq"][link], &by.dtorque_dq);
        let first = model.bodies()[0].name();
        let (world, force) = (ReferenceFrame::World, wrenches[1].wrench);
        let there = model.find_frame(first).expect("is there");
        let by = jacobian_transpose_derivatives(model, ws, method, &q, there, world, force).expect("runs");
        same_matrix(&found["wrench_torques_dq"][first], &by.dtorque_dq);

        let by = center_of_mass_derivatives(model, ws, method, at.0, at.1, at.2, None).expect("runs").clone();
        for (key, (_, matrix)) in
            ["position_dq", "velocity_dq", "velocity_dv", "acceleration_dq", "acceleration_dv", "acceleration_da"]
                .into_iter()
                .zip(by.matrices())
        {
            same_matrix(&found[&format!("com_{key}")], matrix);
        }
        let by = center_of_mass_derivatives(model, ws, method, at.0, at.1, at.2, Some(body)).expect("runs").clone();
        same_matrix(&found["subtree_com_accelerations_dq"][link], &by.dacceleration_dq);
        let by = centroidal_derivatives(model, ws, method, at.0, at.1, at.2).expect("runs").clone();
        for (key, (_, matrix)) in ["dq", "dv", "rate_dq", "rate_dv", "rate_da"].into_iter().zip(by.matrices()) {
            same_matrix(&found[&format!("momentum_{key}")], matrix);
        }

        for (name, index) in [(link, model.bodies().len() - 1), (model.bodies()[0].name(), 0)] {
            let inertia = model.bodies()[index].inertia();
            same_matrix(
                &found["pseudo_inertias"][name],
                &DMatrix::from_column_slice(4, 4, inertia.pseudo_inertia().as_slice()),
            );
            let Ok(shape) = inertia.log_cholesky() else {
                assert!(found["log_cholesky_parameters"].get(name).is_none());
                continue;
            };
            same(&found["log_cholesky_parameters"][name], &shape.to_array());
            let jacobian = DMatrix::from_column_slice(10, 10, shape.jacobian().as_slice());
            same_matrix(&found["log_cholesky_jacobians"][name], &jacobian);
        }
        same(&found["inertial_parameters"], &model.inertial_parameters());
        same_matrix(&found["torque_regressor"], torque_regressor(model, base, &q, &v, &a).expect("runs"));
        same_matrix(&found["static_torque_regressor"], static_torque_regressor(model, base, &q).expect("runs"));
        same_matrix(&found["com_regressor"], com_regressor(model, base, &q).expect("runs"));
        let kinetic = kinetic_energy_regressor(model, base, &q, &v).expect("runs").transpose();
        same(&found["kinetic_energy_regressor"], kinetic.as_slice());
        let potential = potential_energy_regressor(model, base, &q).expect("runs").transpose();
        same(&found["potential_energy_regressor"], potential.as_slice());
        let regressor = frame_wrench_regressor(model, base, &q, &v, &a, frame).expect("runs");
        same_matrix(&found["frame_wrench_regressors"][link], regressor);

        let second = &mut SecondOrderWorkspace::new(model);
        let by = rnea_second_derivatives(model, second, method, &q, &v, &a, wrenches).expect("runs");
        for (key, tensor) in by.tensors() {
            same(&found[key], tensor.as_slice());
        }
        let by = aba_second_derivatives(model, second, method, &q, &v, &tau, wrenches).expect("runs");
        for (key, tensor) in by.tensors() {
            same(&found[key], tensor.as_slice());
        }
        let by = rnea_gradient(model, base, &q, &v, &a, &lambda, wrenches).expect("runs");
        for (key, expected) in [("dq", by.dq), ("dv", by.dv), ("da", by.da)] {
            same(&found["tau_gradient"][key], expected);
        }
        let by = aba_gradient(model, base, &q, &v, &tau, &lambda, wrenches).expect("runs");
        for (key, expected) in [("dq", by.dq), ("dv", by.dv), ("dtau", by.dtau)] {
            same(&found["ddq_gradient"][key], expected);
        }
        let hessians = &mut HessianWorkspace::new(model);
        let by = rnea_hessian(model, hessians, &q, &v, &a, &lambda, wrenches).expect("runs");
        for (key, expected) in [("dqq", &by.dqq), ("dvq", &by.dvq), ("daq", &by.daq), ("dvv", &by.dvv)] {
            same_matrix(&found["tau_hessian"][key], expected);
        }
        let by =
            rnea_hessian_product(model, hessians, at.0, at.1, at.2, &lambda, &x_q, &x_v, &x_a, wrenches).expect("runs");
        for (key, expected) in [("dq", &by.dq), ("dv", &by.dv), ("da", &by.da)] {
            same(&found["tau_hessian_product"][key], expected.as_slice());
        }
        let at = (&q[..], &v[..], &tau[..]);
        let by = aba_hessian(model, second, method, at.0, at.1, at.2, &lambda, wrenches).expect("runs");
        for (key, expected) in [("dqq", &by.dqq), ("dvq", &by.dvq), ("dtauq", &by.dtauq), ("dvv", &by.dvv)] {
            same_matrix(&found["ddq_hessian"][key], expected);
        }
        let by =
            aba_hessian_product(model, second, at.0, at.1, at.2, &lambda, &x_q, &x_v, &x_tau, wrenches).expect("runs");
        for (key, expected) in [("dq", &by.dq), ("dv", &by.dv), ("dtau", &by.dtau)] {
            same(&found["ddq_hessian_product"][key], expected.as_slice());
        }
    }
}

/// Inputs that are missing, and places that are not there: one line that says what was expected.
#[test]
fn what_is_missing_is_named() {
    let file = robot("double_pendulum");
    let ask = |more: &[&str], extra: &str| {
        let states = format!(r#"{{"states": [{{"q": [1, 2], "v": [3, 4], "a": [5, 6]{extra}}}]}}"#);
        refused(&run_with([&["evaluate", &file, "--states", "-"], more].concat(), states.as_bytes()))
    };
    let quantity = |name: &str, extra: &str| ask(&["--quantities", name], extra);
    has(&quantity("tau_gradient", ""), &["state 0", "missing key `lambda`", "2 numbers (nv)", "`tau_gradient`"]);
    let lambda = r#", "lambda": [1, 2]"#;
    has(&quantity("tau_hessian_product", lambda), &["state 0", "missing key `direction`", "`tau_hessian_product`"]);
    has(&quantity("ddq_gradient", lambda), &["state 0", "missing key `tau`", "`ddq_gradient`"]);
    has(&quantity("d2ddq_dqdq", ""), &["state 0", "missing key `tau`"]);
    has(&quantity("point_velocities", ""), &["`point_velocities` needs --point LINK,x,y,z"]);
    has(&quantity("relative_jacobians", ""), &["`relative_jacobians` needs --pair A,B"]);
    has(&quantity("dtau", ""), &["unknown quantity", "did you mean one of: dtau_dq, dtau_dv", "gradyn help evaluate"]);
    has(&ask(&["--frames", "tip,tipp"], ""), &["--frames", "found `tipp`", "did you mean `tip`?"]);
    has(&ask(&["--point", "tip,1,2"], ""), &["--point", "LINK,x,y,z", "found `tip,1,2`"]);
    has(&ask(&["--point", "tip,1,2,nan"], ""), &["--point", "three finite numbers"]);
    has(&ask(&["--point", "tap,1,2,3"], ""), &["--point", "expected a link", "found `tap`"]);
    has(&ask(&["--pair", "tip"], ""), &["--pair", "expected A,B", "found `tip`"]);
    has(&ask(&["--reference", "body"], ""), &["expected one of: local, world, local-world-aligned"]);
    has(&ask(&[], r#", "direction": {"w": [1, 2]}"#), &["state 0, key `direction`", "unknown key `w`", "q, v, a, tau"]);
    has(&ask(&[], r#", "direction": {"q": [1]}"#), &["state 0, key `direction.q`", "expected 2 numbers (nv), found 1"]);
    has(&ask(&[], r#", "f_ext_world": {"tap": [1,2,3,4,5,6]}"#), &["key `f_ext_world`", "found `tap`"]);
    let both = r#", "f_ext": {"tip": [1,2,3,4,5,6]}, "f_ext_world": {"tip": [1,2,3,4,5,6]}"#;
    has(&ask(&[], both), &["state 0", "link `tip` has a wrench in `f_ext` and one in `f_ext_world`"]);
}
