//! `gradyn derivatives`

use super::{directory, good, json, robot, run, run_with};
use serde_json::Value;

#[test]
fn small_robots_are_shown_in_numbers_and_large_ones_in_maps() {
    let text = good(["derivatives", &robot("panda")]);
    assert!(text.contains("∂τ/∂q") && text.contains("panda_joint7") && !text.contains('█'), "{text}");
    let text = good(["derivatives", &robot("g1"), "--floating-base"]);
    assert!(text.contains('█') && text.contains("left_knee_joint"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(good(["derivatives", &robot("panda"), "--map"]).contains('█'));
    let text = good(["derivatives", &robot("solo12"), "--table"]);
    assert!(!text.contains('█') && text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

/// The numbers of CSV and JSON are the same, to the last bit.
#[test]
fn csv_and_json_hold_the_same_numbers() {
    let file = robot("planar");
    for state in [&["--seed", "3"][..], &["--state", "neutral"], &["--state", "random", "--method", "difference"]] {
        let csv = good([&["derivatives", &file, "--csv"], state].concat());
        let value = json(&good([&["derivatives", &file, "--json"], state].concat()));
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("state,quantity,row,column,value"));
        for quantity in ["q", "v", "a", "tau", "dtau_dq", "dtau_dv", "dtau_da"] {
            for row in value["states"][0][quantity].as_array().expect("rows") {
                for entry in row.as_array().unwrap_or(&vec![row.clone()]) {
                    let fields: Vec<_> = lines.next().expect("a line").split(',').collect();
                    let number: f64 = fields[4].parse().expect("a number");
                    assert_eq!((fields[1], number.to_bits()), (quantity, entry.as_f64().expect("a number").to_bits()));
                }
            }
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn a_state_may_come_from_a_file() {
    let states =
        br#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6], "f_ext": {"rod_2": [1, 0, 0, 0, 0, 0]}}, {}]}"#;
    let one = br#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6], "f_ext": {"rod_2": [1, 0, 0, 0, 0, 0]}}]}"#;
    let arguments = ["derivatives", &robot("double_pendulum"), "--state", "-", "--json"];
    let value = json(&super::text_of(&run_with(arguments, one)));
    assert_eq!(value["states"][0]["q"], serde_json::json!([1.0, 2.0]));
    assert_eq!(value["states"][0]["dtau_df_ext"]["rod_2"].as_array().map(Vec::len), Some(2));
    let text = super::text_of(&run_with(["derivatives", &robot("double_pendulum"), "--state", "-"], one));
    assert!(text.contains("state 0 of standard input") && text.contains("∂τ/∂f_ext"), "{text}");
    let csv = super::text_of(&run_with(["derivatives", &robot("double_pendulum"), "--state", "-", "--csv"], one));
    assert_eq!(csv.lines().filter(|line| line.starts_with("0,dtau_df_ext.rod_2,")).count(), 12, "{csv}");
    // What is written can be checked, wrench and all; and a wrong number is found.
    let arguments_of_check = ["check", &robot("double_pendulum"), "--against", "-"];
    let text = super::text_of(&run_with(arguments_of_check, csv.as_bytes()));
    assert!(text.contains("∂τ/∂q ") && text.contains("∂τ/∂f_ext rod_2 "), "{text}");
    let line = csv.lines().find(|line| line.starts_with("0,dtau_dq,shoulder,elbow,")).expect("is there");
    let wrong = csv.replace(line, "0,dtau_dq,shoulder,elbow,123.0");
    assert_eq!(run_with(arguments_of_check, wrong.as_bytes()).status.code(), Some(1));
    // Every state of the file is checked.
    assert!(super::refused(&run_with(arguments, states)).contains("state 1: missing key `q`"));
    assert!(super::refused(&run_with(arguments, br#"{"states": []}"#)).contains("it holds no state"));
}

#[test]
fn answers_go_to_a_file() {
    let file = directory("derivatives").join("out");
    let path = file.to_str().expect("UTF-8");
    for form in [&["--json"][..], &["--csv"], &["--map"], &["--table"], &[]] {
        let printed = good([&["derivatives", &robot("ur5")], form].concat());
        let output = run([&["derivatives", &robot("ur5"), "--output", path, "--color", "always"], form].concat());
        assert!(output.status.success() && output.stdout.is_empty());
        assert_eq!(std::fs::read_to_string(&file).expect("is there"), printed);
    }
    assert_eq!(std::fs::read_dir(file.parent().expect("has one")).expect("reads").count(), 1);
}

/// Structural zeros: a leg does not feel the other ones.
#[test]
fn legs_do_not_feel_each_other() {
    let value = json(&good(["derivatives", &robot("solo12"), "--json"]));
    for (row, numbers) in value["states"][0]["dtau_dq"].as_array().expect("rows").iter().enumerate() {
        for (column, x) in numbers.as_array().expect("numbers").iter().enumerate() {
            assert!(row / 3 == column / 3 || x == &Value::from(0.0), "{row} {column} {x}");
        }
    }
}
