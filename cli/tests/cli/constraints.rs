//! Contacts and loops, in `evaluate` and in `check`.

use super::against::{check, disagrees, has};
use super::{directory, good, json, refused, robot, run, run_with, text_of};
use gradyn::dynamics::{
    Constraint, ExternalWrench, Workspace, constraint_bias, constraint_dynamics, constraint_error, constraint_jacobian,
    impulse_dynamics,
};
use gradyn::joint::{
    Axis, Cylindrical, Elementary, Helical, Planar, Prismatic, Revolute, Spherical, Translation, Universal,
};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{DerivativeWorkspace, Method, constraint_dynamics_derivatives, impulse_dynamics_derivatives};
use gradyn::spatial::{Force, Transform};
use nalgebra::{DMatrix, Vector3};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

const QUANTITIES: [&str; 20] = [
    "constrained_ddq",
    "constrained_ddq_dq",
    "constrained_ddq_dv",
    "constrained_ddq_dtau",
    "constrained_ddq_df_ext",
    "constraint_forces",
    "constraint_forces_dq",
    "constraint_forces_dv",
    "constraint_forces_dtau",
    "constraint_forces_df_ext",
    "impulse_v",
    "impulse_v_dq",
    "impulse_v_dv",
    "impulse",
    "impulse_dq",
    "impulse_dv",
    "constraint_rank",
    "constraint_error",
    "constraint_jacobian",
    "constraint_bias",
];

fn solo() -> (String, Model) {
    let file = robot("solo12");
    let options = UrdfOptions::new().floating_base(true);
    let model = Model::from_urdf_file(&file, &options).expect("the robot is good").model;
    (file, model)
}

/// A state with torques and a wrench on a lower leg.
struct Given {
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    wrench: ExternalWrench,
    json: Value,
}

fn state(model: &Model, link: &str, seed: u64) -> Given {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let q = model.random(rng);
    let [v, tau]: [Vec<f64>; 2] =
        std::array::from_fn(|_| (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect());
    let f: [f64; 6] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
    let force = Force::new(Vector3::new(f[0], f[1], f[2]), Vector3::new(f[3], f[4], f[5]));
    let wrench = ExternalWrench::in_body(model.find_body(link).expect("is there"), force);
    let json = json!({"q": q, "v": v, "a": v, "tau": tau, "f_ext": {link: f}});
    Given { q, v, tau, wrench, json }
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("a number")],
    }
}

#[track_caller]
fn same(found: &Value, expected: impl IntoIterator<Item = f64>, what: &str) {
    let bits = |x: f64| x.to_bits();
    let (found, expected): (Vec<_>, Vec<_>) =
        (flat(found).into_iter().map(bits).collect(), expected.into_iter().map(bits).collect());
    assert_eq!(found, expected, "{what}");
}

fn rows(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().iter().copied().collect()
}

/// Two feet stand, one of them pulled to its place; a knee is tied to another.
fn held(model: &Model) -> (Vec<Constraint>, Value) {
    let at = |name: &str| {
        let frame = &model.frames()[model.find_frame(name).expect("is there").index()];
        (frame.body().expect("moves"), *frame.placement())
    };
    let ((fl, x_fl), (hr, x_hr), (fr, x_fr)) = (at("FL_FOOT"), at("HR_FOOT"), at("FR_LOWER_LEG"));
    let place = Vector3::new(0.2, 0.15, 0.01);
    let tied = Transform::from_rpy([0.1, -0.2, 0.3], Vector3::new(0.0, 0.1, -0.2));
    let list = vec![
        Constraint::contact(fl, x_fl.translation, place).with_gains(30.0, 2.0),
        Constraint::frame(None, Transform::identity(), hr, x_hr),
        Constraint::point(hr, (x_hr * tied).translation, fr, x_fr.translation),
    ];
    let json = json!([
        {"frame": "FL_FOOT", "type": "point", "to_placement": {"xyz": [0.2, 0.15, 0.01]}, "gains": [30.0, 2.0]},
        {"frame": "HR_FOOT", "type": "frame"},
        {"frame": "FR_LOWER_LEG", "type": "point", "to": "HR_FOOT",
            "to_placement": {"xyz": [0.0, 0.1, -0.2], "rpy": [0.1, -0.2, 0.3]}},
    ]);
    (list, json)
}

/// By each method: each quantity under constraints is the library's, bit for bit, and the constraints are repeated.
#[test]
fn quantities_are_the_librarys_to_the_last_bit() {
    let (file, model) = solo();
    let (list, given) = held(&model);
    let link = "HL_LOWER_LEG";
    let at = state(&model, link, 1);
    let input = json!({"constraints": given, "restitution": 0.25, "states": [at.json]}).to_string();
    for method in Method::ALL {
        let all = QUANTITIES.join(",");
        let arguments = ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", &all];
        let arguments = [&arguments[..], &["--method", method.name()]].concat();
        let answer = json(&text_of(&run_with(arguments, input.as_bytes())));
        assert_eq!((&answer["constraints"], &answer["restitution"]), (&given, &json!(0.25)));
        let names = answer["constraint_rows"].as_array().expect("a list");
        assert_eq!((names.len(), &names[0], &names[8]), (12, &json!("FL_FOOT.x"), &json!("HR_FOOT.rz")));
        assert_eq!(names[11], "HR_FOOT-FR_LOWER_LEG.z");
        let found = &answer["states"][0];

        let (ws, q, v) = (&mut DerivativeWorkspace::new(&model), &at.q, &at.v);
        let state = (&q[..], &v[..], &at.tau[..]);
        let by = constraint_dynamics_derivatives(&model, ws, method, state.0, state.1, state.2, &list, &[at.wrench])
            .expect("runs")
            .clone();
        let base = &mut Workspace::new(&model);
        let values = constraint_dynamics(&model, base, q, v, &at.tau, &list, &[at.wrench]).expect("runs");
        same(&found["constrained_ddq"], values.ddq.iter().copied(), "accelerations");
        same(&found["constraint_forces"], values.lambda.iter().copied(), "forces");
        for (name, m) in by.matrices() {
            let key = name.replace("dlambda", "constraint_forces").replace("ddq_", "constrained_ddq_");
            same(&found[&key], rows(m), &key);
        }
        same(&found["constrained_ddq_df_ext"][link], rows(&by.ddq_df_ext[0]), "of wrenches");
        same(&found["constraint_forces_df_ext"][link], rows(&by.dlambda_df_ext[0]), "of wrenches");

        let by = impulse_dynamics_derivatives(&model, ws, method, q, v, 0.25, &list).expect("runs").clone();
        let values = impulse_dynamics(&model, base, q, v, 0.25, &list).expect("runs");
        same(&found["impulse_v"], values.v.iter().copied(), "velocities");
        same(&found["impulse"], values.impulse.iter().copied(), "impulses");
        for (name, m) in by.matrices() {
            let key = name.replace("dimpulse", "impulse").replace("dv_", "impulse_v_");
            same(&found[&key], rows(m), &key);
        }
        assert_eq!((&found["constraint_rank"], by.rank), (&json!(12), 12));
        let ws = &mut Workspace::new(&model);
        same(&found["constraint_error"], constraint_error(&model, ws, q, &list).expect("runs").to_vec(), "error");
        same(&found["constraint_jacobian"], rows(constraint_jacobian(&model, ws, q, &list).expect("runs")), "J");
        same(&found["constraint_bias"], constraint_bias(&model, ws, q, v, &list).expect("runs").to_vec(), "bias");
    }
}

/// Each type of joint is the library's joint of that name.
#[test]
fn loops_are_those_of_the_library() {
    let (file, model) = solo();
    let at = state(&model, "HL_LOWER_LEG", 2);
    let [a, b] = ["FL_UPPER_LEG", "FR_UPPER_LEG"].map(|name| model.find_body(name).expect("is there"));
    let x = Transform::from_rpy([0.3, 0.2, -0.1], Vector3::new(0.1, 0.0, 0.2));
    let axis = Axis::along(Vector3::new(1.0, 2.0, -1.0)).expect("is a direction");
    let kinds: [(&str, Elementary); 8] = [
        ("revolute", Revolute { axis }.into()),
        ("prismatic", Prismatic { axis }.into()),
        ("helical", Helical { axis, pitch: 0.3 }.into()),
        ("cylindrical", Cylindrical { axis }.into()),
        ("universal", Universal { first: axis, second: Axis::Y }.into()),
        ("planar", Planar::new(axis).into()),
        ("spherical", Spherical.into()),
        ("translation", Translation.into()),
    ];
    for (kind, joint) in kinds {
        let mut given = json!({"frame": "FR_UPPER_LEG", "type": kind, "to": "FL_UPPER_LEG",
            "placement": {"rpy": [0.3, 0.2, -0.1], "xyz": [0.1, 0, 0.2]}});
        if !["spherical", "translation"].contains(&kind) {
            given["axis"] = json!([1, 2, -1]);
        }
        if kind == "universal" {
            given["second_axis"] = json!([0, 3, 0]);
        }
        if kind == "helical" {
            given["pitch"] = json!(0.3);
        }
        let list = [Constraint::joint(a, Transform::identity(), b, x, joint).expect("closes a loop")];
        let input = json!({"constraints": [given], "states": [at.json]}).to_string();
        let list_of = "constraint_error,constraint_jacobian,constraint_bias";
        let arguments = ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", list_of];
        let answer = json(&text_of(&run_with(arguments, input.as_bytes())));
        let (found, ws) = (&answer["states"][0], &mut Workspace::new(&model));
        same(&found["constraint_error"], constraint_error(&model, ws, &at.q, &list).expect("runs").to_vec(), kind);
        same(&found["constraint_jacobian"], rows(constraint_jacobian(&model, ws, &at.q, &list).expect("runs")), kind);
        let bias = constraint_bias(&model, ws, &at.q, &at.v, &list).expect("runs").to_vec();
        same(&found["constraint_bias"], bias, kind);
        assert_eq!(answer["constraint_rows"][0], "FL_UPPER_LEG-FR_UPPER_LEG.0");
    }
}

/// What cannot be is named, in one line.
#[test]
fn constraints_that_cannot_be_are_refused() {
    let (file, model) = solo();
    let at = state(&model, "HL_LOWER_LEG", 3);
    let ask = |constraints: &str, list: &str| {
        let input = format!(r#"{{"constraints": {constraints}, "states": [{}]}}"#, at.json);
        refused(&run_with(
            ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", list],
            input.as_bytes(),
        ))
    };
    let one = |constraint: &str| ask(&format!("[{constraint}]"), "constrained_ddq");
    has(
        &one(r#"{"frame": "FL_FOTO", "type": "point"}"#),
        &["standard input: constraint 0", "`frame`", "found `FL_FOTO`; did you mean `FL_FOOT`?"],
    );
    has(&one(r#"{"frame": "x", "type": "point"}"#), &["`gradyn info` shows them"]);
    has(&one(r#"{"type": "point"}"#), &["constraint 0: missing key `frame`"]);
    has(&one(r#"{"frame": "FL_FOOT"}"#), &["constraint 0: missing key `type`, expected one of point, frame, revolute"]);
    has(&one(r#"{"frame": "FL_FOOT", "type": "weld"}"#), &["key `type`: expected one of point, frame", "found `weld`"]);
    has(&one(r#"{"frame": "FL_FOOT", "type": 3}"#), &["key `type`: expected a string, found the number 3"]);
    has(&one(r#"{"frame": "FL_FOOT", "type": "point", "gain": 1}"#), &["unknown key `gain`", "gains"]);
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "gains": [1]}"#),
        &["key `gains`: expected 2 numbers (kp, kd), found 1"],
    );
    has(&one(r#"{"frame": "FL_FOOT", "type": "point", "gains": [1, 1]}"#), &["missing key `to_placement`"]);
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "to": "HR_FOOT", "gains": [-1, 1]}"#),
        &["constraint 0", "a gain is negative"],
    );
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "to": "HR_FOTO"}"#),
        &["key `to`: expected a link or joint", "`HR_FOOT`"],
    );
    has(&one(r#"{"frame": "FL_FOOT", "type": "point", "to": "FL_LOWER_LEG"}"#), &["constraint 0", "fixed to the same"]);
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "placement": [0,0,0]}"#),
        &["key `placement`: expected {\"xyz\""],
    );
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "placement": {"xyz": [0,0]}}"#),
        &["key `placement`, key `xyz`", "found 2"],
    );
    has(&one(r#"{"frame": "FL_FOOT", "type": "point", "placement": {"quat": [0]}}"#), &["unknown key `quat`"]);
    has(&one(r#"{"frame": "FL_FOOT", "type": "revolute", "to": "HR_FOOT"}"#), &["missing key `axis`"]);
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "revolute", "to": "HR_FOOT", "axis": [0,0,0]}"#),
        &["key `axis`", "length 0"],
    );
    has(&one(r#"{"frame": "FL_FOOT", "type": "revolute", "axis": [0,0,1]}"#), &["missing key `to_placement`"]);
    has(&one(r#"{"frame": "FL_FOOT", "type": "helical", "to": "HR_FOOT", "axis": [0,0,1]}"#), &["missing key `pitch`"]);
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "point", "axis": [0,0,1]}"#),
        &["constraint 0, key `axis`: type `point` has none"],
    );
    has(
        &one(r#"{"frame": "FL_FOOT", "type": "revolute", "to": "HR_FOOT", "axis": [0,0,1], "pitch": 1}"#),
        &["key `pitch`: type `revolute` has none"],
    );
    has(&one("3"), &["constraint 0: expected an object", "found the number 3"]);
    has(&ask("{}", "impulse"), &["key `constraints`: expected a list of constraints, found an object"]);
    has(
        &ask(r#"[], "restitution": 2"#, "impulse"),
        &["key `restitution`: expected a number from 0 to 1, found the number 2"],
    );

    let without = json!({"states": [at.json]}).to_string();
    for quantity in QUANTITIES {
        let arguments = ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", quantity];
        let message = refused(&run_with(arguments, without.as_bytes()));
        has(&message, &["missing key `constraints`", &format!("for `{quantity}`")]);
    }
    let still = json!({"constraints": [], "states": [{"q": at.q, "v": at.v, "a": at.v}]}).to_string();
    let arguments = ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", "constraint_forces"];
    has(&refused(&run_with(arguments, still.as_bytes())), &["state 0: missing key `tau`", "`constraint_forces`"]);
}

/// Robots on their feet, held by a hand, in loops, with more constraints than they can move: methods agree.
#[test]
fn methods_agree_under_constraints() {
    let file = robot("solo12");
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|foot| ["--contact", foot]).concat();
    good([&["check", &file, "--floating-base", "--samples", "2"], &feet[..]].concat());
    let arguments = ["--contact-frame", "panda_link8", "--samples", "3", "--verbose"];
    let text = good([&["check", &robot("panda")], &arguments[..]].concat());
    for symbol in ["∂τ/∂q", "∂q̈_c/∂q", "∂q̈_c/∂f_ext", "∂λ/∂τ", "∂v⁺/∂q", "∂Λ/∂v"] {
        assert!(text.contains(symbol), "{text}");
    }
    assert!(text.ends_with("\nall 3 states agree\n"), "{text}");
    // Three rows for two joints in a plane.
    good(["check", &robot("double_pendulum"), "--contact", "tip", "--samples", "5"]);
    for name in ["planar", "continuous", "mimic", "floating"] {
        let model = Model::from_urdf_file(robot(name), &UrdfOptions::new()).expect("the robot is good").model;
        let last = model.bodies().last().expect("is there").name();
        good(["check", &robot(name), "--contact", last, "--samples", "3"]);
    }

    let (_, model) = self::solo();
    let (_, given) = held(&model);
    let here = directory("constraints");
    let path = here.join("held.json");
    std::fs::write(&path, json!({"constraints": given, "restitution": 0.5}).to_string()).expect("writes");
    let path = path.to_str().expect("UTF-8");
    let arguments = ["check", &file, "--floating-base", "--samples", "2", "--constraints", path, "--json"];
    let answer = json(&good([&arguments[..], &["--contact", "HL_FOOT"]].concat()));
    let comparisons = answer["comparisons"].as_array().expect("a list");
    let under = ["constrained_ddq_d", "constraint_forces_d", "impulse_v_d", "impulse_d"];
    let is_held =
        |found: &&Value| under.iter().any(|name| found["quantity"].as_str().is_some_and(|q| q.starts_with(name)));
    assert_eq!(comparisons.iter().filter(is_held).count(), 3 * 12);
    assert_eq!(answer["restitution"], 0.5);
    let names = answer["constraints"].as_array().expect("a list");
    assert_eq!((names.len(), &names[3]), (4, &json!({"frame": "HL_FOOT", "type": "point"})));
    let of_forces = comparisons.iter().find(|found| found["quantity"] == "constraint_forces_dq").expect("is there");
    assert!(of_forces["worst"]["row"].as_str().expect("a name").contains('.'), "{of_forces}");
}

#[test]
fn contacts_that_cannot_be_are_refused() {
    let file = robot("panda");
    let ask = |arguments: &[&str]| refused(&run([&["check", &file], arguments].concat()));
    has(&ask(&["--contact", "panda_link9"]), &["--contact: expected a link or joint", "did you mean `panda_link"]);
    has(&ask(&["--contact-frame", "x"]), &["--contact-frame", "found `x`"]);
    has(&ask(&["--contact", "panda_link0"]), &["--contact panda_link0", "fixed to the same"]);
    has(&ask(&["--constraints", "nowhere.json"]), &["cannot read nowhere.json"]);
    let without = run_with(["check", &file, "--constraints", "-"], br#"{"states": []}"#);
    has(&refused(&without), &["standard input: missing key `constraints`"]);
}

/// What `evaluate` writes under constraints agrees, in its own coordinates and in MuJoCo's; a wrong entry does not.
#[test]
fn claims_under_constraints_are_checked() {
    let (file, model) = solo();
    let (_, given) = held(&model);
    let at = state(&model, "HL_LOWER_LEG", 4);
    let input = json!({"constraints": given, "restitution": 0.25, "states": [at.json]}).to_string();
    let all = QUANTITIES.join(",");
    let arguments = ["evaluate", &file, "--floating-base", "--states", "-", "--quantities", &all];
    let answer = json(&text_of(&run_with(arguments, input.as_bytes())));
    let flags = ["--floating-base"];
    let text = text_of(&check(&file, &flags, &answer));
    assert!(text.ends_with("\nthe state agrees\n"), "{text}");
    for symbol in ["∂q̈_c/∂q", "∂λ/∂f_ext HL_LOWER_LEG", "Λ", "constraint_rank", "constraint_bias"] {
        assert!(text.contains(symbol), "{text}");
    }

    let mut wrong = answer.clone();
    let entry = &mut wrong["states"][0]["constraint_forces_dq"][8][10];
    *entry = json!(entry.as_f64().expect("a number") * 1.001);
    let text = disagrees(&check(&file, &flags, &wrong));
    let row = text.lines().find(|line| line.contains("DISAGREES")).expect("there is one");
    assert!(row.starts_with("∂λ/∂q") && row.contains("HR_FOOT.rz") && row.contains(&model.dof_names()[10]), "{text}");

    // Without the constraints, and with others.
    let mut free = answer.clone();
    free.as_object_mut().expect("an object").retain(|key, _| key != "constraints" && key != "restitution");
    has(&refused(&check(&file, &flags, &free)), &["state 0", "missing `constraints`"]);
    let one = ["--floating-base", "--contact", "FL_FOOT"];
    has(&refused(&check(&file, &one, &free)), &["expected 3 numbers, found 12"]);
    has(&refused(&check(&file, &one, &answer)), &["and so does the command line"]);
}
