//! `gradyn parameters` and `gradyn sensitivity` at a state: what matters, by formulas and by samples.

use super::{good, refused, robot, run};
use serde_json::Value;

pub(super) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn parameters_are_listed_with_what_is_held() {
    let text = good(["parameters", &robot("panda"), "panda_link7.mass", "panda_joint2.axis.*", "gravity.z"]);
    for part in [
        "panda_link7.mass",
        "0.73552",
        "center of mass, and moments about it",
        "panda_joint2.axis.2",
        "-9.81",
        "4 parameters",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Charts of one inertia are listed together, though they cannot vary together.
    let all = json(&good(["parameters", &robot("panda"), "panda_link3.*", "--json"]));
    let names: Vec<&str> =
        all["parameters"].as_array().expect("list").iter().filter_map(|p| p["name"].as_str()).collect();
    for name in ["panda_link3.mass", "panda_link3.pi.Izz", "panda_link3.log_cholesky.d1", "panda_link3.payload.m"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let message = refused(&run(["parameters", &robot("panda"), "panda_link3.mas"]));
    assert!(message.contains("nearest is `panda_link3.mass`"), "{message}");
}

#[test]
fn what_matters_is_said_by_formulas_and_by_samples() {
    let state = ["--state", "random", "--seed", "4"];
    let ask = |more: &[&str]| {
        let arguments = ["sensitivity", &robot("panda"), "--parameters", "*.pi.*", "--json"];
        json(&good([&arguments, &state[..], more].concat()))
    };
    let local = ask(&[]);
    let sampled = ask(&["--global", "sobol", "--samples", "4096"]);
    // Torques are linear in these: shares are the same, to the width of their intervals.
    let share = |answer: &Value, name: &str| {
        let all = answer["parameters"].as_array().expect("list");
        let found = all.iter().find(|p| p["name"] == name).expect("is there");
        (found["share"]["value"].as_f64().expect("number"), found["total"]["half_width"].as_f64())
    };
    let of_rank = |rank: &Value| local["parameters"].as_array().expect("list").iter().find(|p| p["rank"] == *rank);
    for p in (1..=5).map(|rank| of_rank(&Value::from(rank)).expect("is there")) {
        let name = p["name"].as_str().expect("text");
        let (exact, _) = share(&local, name);
        let (found, _) = share(&sampled, name);
        assert!((exact - found).abs() < 0.03, "{name}: {exact} against {found}");
    }
    let dual = ask(&["--method", "dual"]);
    let matrix = |answer: &Value| answer["matrix"]["values"][3][62].as_f64().expect("number");
    assert!((matrix(&local) - matrix(&dual)).abs() < 1e-11);
    let table = good(["sensitivity", &robot("panda"), "--parameters", "*.mass", "--of", "ddq", "--top", "3", "--csv"]);
    assert_eq!(table.lines().count(), 8, "{table}");
    let morris = good([
        "sensitivity",
        &robot("ur5"),
        "--parameters",
        "*.placement.r?",
        "--of",
        "pose",
        "--frame",
        "tool0",
        "--global",
        "morris",
        "--samples",
        "10",
    ]);
    assert!(morris.contains("mean effect"), "{morris}");
    for (arguments, part) in [
        (&["--parameters", "*.mass", "--of", "pose"][..], "--frame"),
        (&["--parameters", "*.mass", "--frame", "tool0"], "--frame is of poses: expected --of pose"),
        (&["--parameters", "*.mass", "--of", "pose", "--frame", "tol0"], "tool0"),
        (&["--parameters", "*.mass", "--share", "-1"], "--share is -1"),
        (&["--parameters", ","], "names none"),
        (&["--parameters", "upper_arm_link.mass,upper_arm_link.pi.m"], "choose one of the charts"),
    ] {
        let message = refused(&run([&["sensitivity", &robot("ur5")], arguments].concat()));
        assert!(message.contains(part), "{message}");
    }
}

/// The number of a parameter in JSON.
pub(super) fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let all = answer["parameters"].as_array().expect("list");
    all.iter().find(|p| p["name"] == name).expect("is there")
}

pub(super) fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Torque about a vertical axis at rest is rounding: no index, by name, whatever the method; the others are told.
#[test]
fn rounding_has_no_index_in_any_method() {
    let (yaw, parameters) = (data("yaw.urdf"), "*.mass,*.com.*");
    for (method, measure) in
        [(None, "share"), (Some("sobol"), "total"), (Some("morris"), "effect"), (Some("dgsm"), "bound")]
    {
        let mut arguments = vec!["sensitivity", &yaw, "--parameters", parameters, "--state", "neutral", "--json"];
        if let Some(method) = method {
            arguments.extend(["--global", method, "--samples", "64"]);
        }
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{method:?}");
        let answer = json(&String::from_utf8_lossy(&output.stdout));
        let outputs = answer["outputs"].as_array().expect("list");
        assert_eq!(outputs[0]["name"], "tau yaw");
        let why = outputs[0]["without_index"].as_str().expect("a reason");
        assert!(why.contains("no more than its rounding"), "{method:?}: {why}");
        assert!(outputs[0][measure].as_array().expect("list").iter().all(Value::is_null), "{method:?}");
        assert!(outputs[1][measure].as_array().expect("list").iter().all(|x| x["value"].is_number()), "{method:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("`tau yaw` has no index"), "{said}");
    }
}

/// Of zero friction and armature, half of the samples of a normal prior would be no robot.
#[test]
fn default_priors_make_robots() {
    let panda = robot("panda");
    for (parameters, share) in
        [("*.friction,*.armature,*.damping,friction_width", "0.1"), ("*.mass,*.inertia.xx", "0.6")]
    {
        let arguments = ["sensitivity", &panda, "--parameters", parameters, "--share", share, "--json"];
        let answer = json(&good([&arguments[..], &["--global", "sobol", "--samples", "64", "--of", "ddq"]].concat()));
        for p in answer["parameters"].as_array().expect("list") {
            let kind = p["prior"]["kind"].as_str().expect("a name");
            assert_eq!(kind, if p["value"] == 0.0 { "half-normal" } else { "lognormal" }, "{p}");
            // With the value of the robot as its mean, where there is one.
            let (value, mean) = (p["value"].as_f64().expect("number"), p["prior"]["mean"].as_f64().expect("number"));
            assert!(value == 0.0 || (mean / value - 1.0).abs() < 1e-12, "{p}");
        }
    }
    let text = good(["sensitivity", &panda, "--parameters", "*.friction", "--of", "ddq"]);
    assert!(text.contains("half-normal"), "{text}");
}

/// The placement of a fixed joint moves a share of a body's inertia that nobody has kept: it is not listed, and its
/// error says why.
#[test]
fn placements_of_fixed_joints_are_not_listed() {
    let panda = robot("panda");
    let all = good(["parameters", &panda]);
    assert!(!all.contains("panda_joint8.placement") && all.contains("panda_link8.placement.x"), "{all}");
    for command in ["parameters", "sensitivity"] {
        let mut arguments = vec![command, panda.as_str()];
        arguments.extend(if command == "parameters" { vec![] } else { vec!["--parameters"] });
        arguments.push("panda_joint8.placement.x");
        let message = refused(&run(arguments));
        assert!(message.contains("the joint `panda_joint8` is fixed, so `panda_link8` is a part of"), "{message}");
    }
}
