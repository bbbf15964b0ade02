//! `gradyn convert`: from one format to another and back, and what it refuses.

use super::{directory, good, json, refused, robot, run};
use std::fs;
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What `evaluate` says of a robot at a state.
fn torques(file: &str, state: &Path) -> serde_json::Value {
    let answer = json(&good(["evaluate", file, "--states", text(state)]));
    answer["states"][0].clone()
}

#[test]
fn a_robot_is_the_same_in_both_formats() {
    let here = directory("convert");
    let (mjcf, urdf) = (here.join("ur5.xml"), here.join("again.URDF"));
    let output = run(["convert", &robot("ur5"), text(&mjcf)]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    let expected = format!("{}  6 moving bodies, 6 degrees of freedom\n", mjcf.display());
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let line = "left out (not dynamics): joint `shoulder_pan_joint`: velocity limit ";
    assert!(warnings.contains(line) && warnings.contains("cannot be written to MJCF"), "{warnings}");
    assert!(fs::read_to_string(&mjcf).expect("is there").contains("<mujoco model=\"ur5\">"));

    good(["convert", text(&mjcf), text(&urdf)]);
    let state = here.join("state.json");
    let q = "[0.3, -1.1, 0.7, 2.0, -0.4, 0.9]";
    fs::write(&state, format!("{{\"states\": [{{\"q\": {q}, \"v\": {q}, \"a\": {q}}}]}}")).expect("writes");
    let [a, b, c] = [robot("ur5"), text(&mjcf).into(), text(&urdf).into()].map(|file: String| torques(&file, &state));
    let entries = |answer: &serde_json::Value| -> Vec<f64> {
        answer["tau"].as_array().expect("is a list").iter().map(|x| x.as_f64().expect("is a number")).collect()
    };
    for other in [&b, &c] {
        for (x, y) in entries(&a).iter().zip(entries(other)) {
            // Rotations come back to rounding; torques are below 60 N m.
            assert!((x - y).abs() < 60.0 * 1e-14, "{x} {y}");
        }
    }
}

#[test]
fn a_file_that_exists_is_replaced_with_force_only() {
    let here = directory("convert-force");
    let to = here.join("arm.urdf");
    fs::write(&to, "mine").expect("writes");
    let message = refused(&run(["convert", &robot("panda"), text(&to)]));
    assert!(message.ends_with("arm.urdf: it exists; --force replaces it"), "{message}");
    assert_eq!(fs::read_to_string(&to).expect("is there"), "mine");
    good(["convert", &robot("panda"), text(&to), "--force"]);
    assert!(fs::read_to_string(&to).expect("is there").contains("<robot name=\"panda\">"));
    // Not even then onto itself.
    let message = refused(&run(["convert", text(&to), text(&to), "--force"]));
    assert!(message.contains("it is an input of the same command"), "{message}");
    assert_eq!(fs::read_dir(&here).expect("reads").count(), 1, "nothing is left behind");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let here = directory("convert-refused");
    let message = refused(&run(["convert", &robot("panda"), text(&here.join("panda.json"))]));
    assert!(message.contains("expected one that ends with .urdf (URDF), .xml or .mjcf (MJCF)"), "{message}");
    let to = here.join("panda.urdf");
    let moon = ["convert", &robot("panda"), text(&to), "--gravity", "0,0,-1.62"];
    let message = refused(&run(moon));
    assert!(message.contains("robot `panda`: gravity 0 0 -1.62 m/s² cannot be written to URDF"), "{message}");
    assert!(!to.exists());
    let output = run(moon.into_iter().chain(["--leave-out"]));
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    assert!(warnings.contains("left out (changes the dynamics): robot `panda`: gravity"), "{warnings}");
    assert!(to.exists());
    let message = refused(&run(["convert", &robot("nobody"), text(&here.join("nobody.xml"))]));
    assert!(message.contains("nobody.urdf"), "{message}");
}

/// What holds a robot beside its tree is not lost in silence.
#[test]
fn loops_are_refused_or_listed() {
    let here = directory("convert-loops");
    let (from, to) = (here.join("held.xml"), here.join("held.urdf"));
    let arm = "<body name='arm'><joint name='j'/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body>";
    let held = "<equality><connect name='hand' body1='arm' anchor='0 0 1'/></equality>";
    fs::write(&from, format!("<mujoco model='held'><worldbody>{arm}</worldbody>{held}</mujoco>")).expect("writes");
    let message = refused(&run(["convert", text(&from), text(&to)]));
    let reason = "equality `connect` `hand` is a constraint beside the tree of bodies, and is not written";
    assert!(message.contains(reason) && message.ends_with("; --leave-out writes the tree alone"), "{message}");
    assert!(!to.exists());
    let shown = good(["info", text(&from)]);
    assert!(shown.contains("\nLoops  beside the tree of bodies: equality `connect` `hand`\n"), "{shown}");
    let listed = &json(&good(["info", text(&from), "--json"]))["loops"];
    assert_eq!(*listed, serde_json::json!([{ "kind": "connect", "name": "hand" }]));
    let output = run(["convert", text(&from), text(&to), "--leave-out"]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    assert!(warnings.contains(&format!("left out (changes the dynamics): {reason}")), "{warnings}");
}

/// The same numbers mean another state in the new file where its joints are others; and names of configurations are lost.
#[test]
fn other_coordinates_and_lost_names_are_told() {
    let here = directory("convert-coordinates");
    let to = here.join("planar.xml");
    let output = run(["convert", &robot("planar"), text(&to)]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    let part = "planar.xml: joint `drive`: in MJCF, its coordinates are those of two slides and a hinge: an angle instead of (cos, sin)";
    assert!(warnings.contains(part), "{warnings}");
    // The free joint of this robot does not stand at the world's origin.
    let output = run(["convert", &robot("floating"), text(&here.join("floating.xml"))]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(
        warnings.contains(
            "its coordinates are those of three slides and a ball: linear velocity in the axes of the mounting"
        ),
        "{warnings}"
    );
    let output = run(["convert", &robot("continuous"), text(&here.join("circle.urdf")), "--continuous", "cos-sin"]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(warnings.contains("in URDF, its coordinate is one angle instead of (cos, sin)"), "{warnings}");

    let from = here.join("arm.xml");
    let arm = "<body name='arm'><joint name='j'/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body>";
    let keys = "<keyframe><key name='home' qpos='1'/><key name='up' qpos='2'/></keyframe>";
    fs::write(&from, format!("<mujoco model='arm'><worldbody>{arm}</worldbody>{keys}</mujoco>")).expect("writes");
    let output = run(["convert", text(&from), text(&here.join("arm.urdf"))]);
    let warnings = String::from_utf8_lossy(&output.stderr);
    let part = "left out (not dynamics): configuration `home` and 1 more: names of configurations are not written";
    assert!(warnings.contains(part), "{warnings}");
}
