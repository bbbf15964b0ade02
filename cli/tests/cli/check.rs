//! `gradyn check`

use super::{all_robots, good, json, robot, run};

/// Every robot of the repository, fixed and floating.
#[test]
fn every_robot_passes() {
    for file in all_robots() {
        for floating in [&[][..], &["--floating-base"]] {
            let text = good([&["check", &file, "--samples", "3"], floating].concat());
            assert!(text.ends_with("\nall 3 states agree\n"), "{file}: {text}");
            assert!(text.contains("∂τ/∂q") && text.contains("∂τ/∂f_ext"), "{text}");
            assert!(!text.contains('\u{1b}'), "colours in a pipe");
        }
    }
}

#[test]
fn other_forms_of_the_robot_pass() {
    let flags =
        ["--continuous", "cos-sin", "--joint-order", "pinocchio", "--gravity", "-1,2,0.5", "--no-joint-friction"];
    good([&["check", &robot("continuous"), "--samples", "3"], &flags[..]].concat());
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let answer = |arguments: &[&str]| good([&["check", &robot("planar"), "--samples", "4"], arguments].concat());
    assert_eq!(answer(&[]), answer(&["--seed", "0"]));
    assert_ne!(answer(&["--json"]), answer(&["--json", "--seed", "1"]));
}

#[test]
fn a_single_state_is_the_one_of_the_whole_run() {
    let answer = |arguments: &[&str]| json(&good([&["check", &robot("ur5"), "--json"], arguments].concat()));
    let whole = answer(&["--samples", "3"]);
    let singles: Vec<_> = ["0", "1", "2"].map(|state| answer(&["--state", state])).into();
    for (k, comparison) in whole["comparisons"].as_array().expect("a list").iter().enumerate() {
        let state = comparison["worst"]["state"].as_u64().expect("a number");
        let single = &singles[usize::try_from(state).expect("small")];
        assert_eq!(comparison["worst"], single["comparisons"][k]["worst"]);
    }
}

#[test]
fn json_names_everything() {
    let value = json(&good(["check", &robot("mimic"), "--samples", "2", "--seed", "5", "--json"]));
    assert_eq!((&value["robot"], &value["seed"], &value["samples"]), (&"mimic".into(), &5.into(), &2.into()));
    assert_eq!((&value["agree"], &value["deviating"]), (&true.into(), &serde_json::json!([])));
    let comparisons = value["comparisons"].as_array().expect("a list");
    let pairs = [["analytical", "dual"], ["analytical", "difference"], ["dual", "difference"]];
    let expected = ["dtau_dq", "dtau_dv", "dtau_da", "dtau_df_ext"].into_iter().flat_map(|q| pairs.map(|p| (q, p)));
    assert_eq!(comparisons.len(), 12);
    for (found, (quantity, pair)) in comparisons.iter().zip(expected) {
        assert_eq!((&found["quantity"], &found["methods"]), (&quantity.into(), &serde_json::json!(pair)));
    }
    assert_eq!(value["identities"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_robot_that_cannot_move_has_nothing_to_check() {
    let file = super::directory("still").join("still.urdf");
    std::fs::write(&file, r#"<robot name="still"><link name="rock"/></robot>"#).expect("writes");
    let file = file.to_str().expect("UTF-8");
    assert!(good(["check", file]).contains("nothing to check"));
    assert!(good(["info", file]).contains("nq 0, nv 0"));
    for form in [&[][..], &["--json"], &["--csv"], &["--map"], &["--table"]] {
        good([&["derivatives", file], form].concat());
    }
    let output = run(["check", file, "--floating-base", "--samples", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
