//! `gradyn sensitivity --of contact-forces`: what parameters do to the forces that hold a robot.

use super::sensitivity::json;
use super::{good, refused, robot, run};
use std::fs;

/// A quadruped at rest on its four feet: rows have the names of feet and axes, and more mass of the trunk makes all
/// feet push up more, by its weight together.
#[test]
fn more_mass_is_carried_by_all_feet() {
    let feet = ["FL", "FR", "HL", "HR"].map(|leg| format!("{leg}_FOOT"));
    let file = robot("solo12");
    let mut args = vec!["sensitivity", &file, "--floating-base", "--parameters", "base_link.mass"];
    args.extend(["--of", "contact-forces", "--json"]);
    args.extend(["--state", "neutral"]);
    args.extend(feet.iter().flat_map(|foot| ["--contact", foot.as_str()]));
    let found = json(&good(&args));
    let names: Vec<&str> = found["rows"].as_array().expect("list").iter().filter_map(|row| row.as_str()).collect();
    assert_eq!((names.len(), names[2]), (12, "FL_FOOT.z"));
    let matrix = found["matrix"]["values"].as_array().expect("list");
    let by_mass = |row: usize| matrix[row][0].as_f64().expect("a number");
    // The torques of the state are those of rest without contacts, which hold the whole robot: forces stay zero on
    // average over the feet whatever its mass, unless the torques are held, and then the base falls on them with its
    // weight.
    let weight: f64 = (0..4).map(|foot| by_mass(3 * foot + 2)).sum();
    assert!((weight - 9.81).abs() < 1e-9, "{weight}");
    for method in ["analytical", "dual", "difference"] {
        let mut args = args.clone();
        args.extend(["--method", method]);
        let other = json(&good(&args));
        for (row, of) in other["matrix"]["values"].as_array().expect("list").iter().enumerate() {
            let off = (of[0].as_f64().expect("a number") - by_mass(row)).abs();
            // Differences are good to 1e-7 of the largest force.
            assert!(off < 1e-6, "{method}, {}: {off:e}", names[row]);
        }
    }
}

/// The constraints of a file hold too; without any, and with other outputs, the command says what is missing.
#[test]
fn what_is_held_is_asked_for_with_its_forces() {
    let file = robot("double_pendulum");
    let folder = super::directory("forces");
    let held = folder.join("held.json");
    fs::write(&held, r#"{"constraints": [{"frame": "tip", "type": "point"}]}"#).expect("it can be written");
    let held = held.to_str().expect("UTF-8");
    let base = ["sensitivity", file.as_str(), "--parameters", "*.mass", "--of"];
    let with = |more: &[&str]| run([&base[..], more].concat());
    let text = good([&base[..], &["contact-forces", "--constraints", held, "--csv", "--by-output"]].concat());
    assert!(text.contains("tip.x"), "{text}");
    assert!(refused(&with(&["contact-forces"])).contains("--of contact-forces needs --contact"));
    assert!(refused(&with(&["tau", "--contact", "tip"])).contains("expected --of contact-forces"));
    assert!(refused(&with(&["contact-forces", "--contact", "tipp"])).contains("did you mean `tip`?"));
}
