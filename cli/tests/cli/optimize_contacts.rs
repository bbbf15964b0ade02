//! What `gradyn optimize` says and does of contacts, loops and impacts.

use super::optimize_broken::refused_at;
use super::{directory, json, robots, run};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A mass of 1 kg on a vertical rail, with a foot of 0.2 kg on a leg below it.
const HOP: &str = r#"<robot name="hop"><link name="w"/>
<link name="slide"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="foot"><inertial><mass value="0.2"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="z" type="prismatic"><parent link="w"/><child link="slide"/><axis xyz="0 0 1"/><limit lower="-5" upper="5" effort="100" velocity="30"/></joint>
<joint name="leg" type="prismatic"><parent link="slide"/><child link="foot"/><axis xyz="0 0 -1"/><limit lower="0" upper="2" effort="100" velocity="30"/></joint>
</robot>
"#;

/// It stands on a foot that moves down at 1 m/s at the start.
const MOVING: &str = r#"[robot]
file = "hop.urdf"
[start]
q = [1.0, 0.5]
v = [-1.0, 0.0]
[steps]
dt = 0.02
[actuation]
joints = ["leg"]
[[phases]]
name = "stand"
nodes = 15
contacts = ["foot"]
[[costs]]
kind = "control"
weight = 1e-3
[[costs]]
kind = "state"
goal = { q = [0.6, 0.6], v = 0.0 }
weight = 10.0
at = "last"
"#;

/// A humanoid on its left sole, held in both phases; the right sole comes down.
const SOLES: &str = r#"[robot]
file = "ROBOTS/g1.urdf"
floating_base = true
[poses.stand]
left_hip_pitch_joint = -0.3
right_hip_pitch_joint = -0.3
left_knee_joint = 0.6
right_knee_joint = 0.6
left_ankle_pitch_joint = -0.3
right_ankle_pitch_joint = -0.3
ground = ["left_ankle_roll_link", "right_ankle_roll_link"]
[start]
q = "stand"
v = { right_hip_pitch_joint = 1.0, right_knee_joint = -1.0 }
[contacts]
left = { frame = "left_ankle_roll_link", type = "surface" }
right = { frame = "right_ankle_roll_link", type = "surface" }
[steps]
dt = 0.005
[[phases]]
name = "one"
nodes = 1
contacts = ["left"]
[[phases]]
name = "two"
nodes = 5
contacts = ["left", "right"]
[[costs]]
name = "torque"
kind = "control"
weight = 1e-3
[[costs]]
name = "posture"
kind = "state"
"#;

/// A quadruped sets a foot down.
const STEP: &str = r#"[robot]
file = "ROBOTS/solo12.urdf"
floating_base = true
[poses.stand]
FL_HFE = 0.7
FR_HFE = 0.7
HL_HFE = -0.7
HR_HFE = -0.7
FL_KFE = -1.4
FR_KFE = -1.4
HL_KFE = 1.4
HR_KFE = 1.4
ground = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
[start]
q = "stand"
v = { FL_KFE = 3.0 }
[steps]
dt = 0.01
[[phases]]
name = "swing"
nodes = 2
contacts = ["FR_FOOT", "HL_FOOT", "HR_FOOT"]
[[phases]]
name = "stand"
nodes = 5
contacts = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
[[costs]]
name = "posture"
kind = "state"
weights = { q = 0.1, v = 0.1 }
[[costs]]
name = "torque"
kind = "control"
weight = 1e-1
"#;

fn written(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join("hop.urdf"), HOP).expect("writes");
    let file = folder.join(format!("{name}.toml"));
    fs::write(&file, text.replace("ROBOTS", robots().to_str().expect("UTF-8"))).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The answer of a task, and what was said.
fn answer(folder: &Path, name: &str, text: &str) -> (Value, String) {
    let (file, out) = (written(folder, name, text), folder.join(name));
    let ended = run(["optimize", &file, "--output", out.to_str().expect("UTF-8")]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    let read = fs::read_to_string(out.join("trajectory.json"));
    (json(&read.unwrap_or_else(|error| panic!("{error}: {said}"))), said)
}

/// The entry of a list with this name.
fn named<'v>(list: &'v Value, key: &str, name: &str) -> &'v Value {
    let found = list.as_array().expect("a list").iter().find(|of| of[key].as_str() == Some(name));
    found.unwrap_or_else(|| panic!("{name}: {list}"))
}

/// A first phase whose foot moves at the start begins with an impact; without one, a warning has the speed.
#[test]
fn what_moves_at_the_start_is_stopped_or_told() {
    let folder = directory("moving-start");
    let (found, said) = answer(&folder, "moving", MOVING);
    // The foot of 0.2 kg alone is stopped: the leg between it and the body is free.
    let impulse = named(&found["impulses"], "contact", "foot");
    assert!((impulse["normal"].as_f64().expect("a number") - 0.2).abs() < 1e-9, "{impulse}");
    let speed = named(&found["contacts"], "contact", "foot")["speed"]["value"].as_f64().expect("a number");
    assert!(speed < 1e-9, "{speed}");
    assert!(said.contains("stand impact"), "{said}");
    let without = MOVING.replace("nodes = 15", "nodes = 15\nimpulse = false");
    let (found, said) = answer(&folder, "without", &without);
    assert!(said.contains("at the start `foot`, which phase `stand` holds, moves at 1 m/s"), "{said}");
    let speed = &named(&found["contacts"], "contact", "foot")["speed"];
    assert_eq!((speed["value"].as_f64(), speed["node"].as_u64()), (Some(1.0), Some(0)), "{speed}");
    let told = found["warnings"].as_array().expect("a list").iter().filter_map(|of| of["text"].as_str());
    assert!(told.clone().any(|text| text.contains("moves at 1 m/s") && text.contains("`speed` = 0.01")), "{said}");
    // A limit of one's own.
    let (_, said) = answer(&folder, "fast", &(without + "[report]\nspeed = 2.0\ndrift = 1.0\n"));
    assert!(!said.contains("held from phase `stand` on"), "{said}");
}

/// An impact is of all that is held behind it: a sole that stands keeps standing. Of the gained one alone, it is
/// kicked.
#[test]
fn an_impact_leaves_standing_soles_alone() {
    let folder = directory("impact-of-all");
    let angular = |found: &Value| {
        let left = &named(&found["contacts"], "contact", "left")["angular_speed"];
        left["value"].as_f64().expect("a number")
    };
    let (found, said) = answer(&folder, "all", SOLES);
    // What is left is the error of the step before the impact.
    assert!(angular(&found) < 2e-3, "{said}");
    assert_eq!(found["impulses"].as_array().map(Vec::len), Some(2), "{said}");
    let gained = SOLES.replace("nodes = 5", "nodes = 5\nimpulse = \"gained\"");
    let (found, said) = answer(&folder, "gained", &gained);
    assert!(angular(&found) > 0.15, "{said}");
    let told = said.lines().find(|line| line.starts_with("warning: `left`, held from phase `one` on"));
    assert!(told.is_some_and(|line| line.contains("turns at") && line.contains("`angular_speed` = 0.1")), "{said}");
}

/// A contact that an impact would have to pull is told of with its node, and let go where the phase says so.
#[test]
fn what_an_impact_would_pull_is_told_and_let_go() {
    let folder = directory("pulls");
    let (found, said) = answer(&folder, "pulls", STEP);
    let pulls = |found: &Value| -> Vec<String> {
        let all = found["impulses"].as_array().expect("a list").iter();
        let pulls = all.filter(|of| of["pulls"].as_bool() == Some(true));
        pulls.map(|of| of["contact"].as_str().expect("a name").to_owned()).collect()
    };
    let pulled = pulls(&found);
    assert!(!pulled.is_empty(), "{said}");
    for name in &pulled {
        assert!(said.contains(&format!("the impulse of `{name}` at node 2 (phase `stand impact`) pulls")), "{said}");
    }
    let release = STEP.replace("nodes = 5", "nodes = 5\nrelease = true");
    let (found, said) = answer(&folder, "release", &release);
    assert_eq!(pulls(&found), [""; 0], "{said}");
    assert!(said.contains("is let go at `stand impact`"), "{said}");
}

/// Cones of a contact hold at its impacts, unless that is not wanted.
#[test]
fn cones_hold_at_impacts() {
    let folder = directory("cones-at-impacts");
    let cone = "[[constraints]]\nname = \"cone\"\nkind = \"coulomb-cone\"\nfriction = 0.6\n\
                contacts = [\"FL_FOOT\", \"FR_FOOT\", \"HL_FOOT\", \"HR_FOOT\"]\n";
    let text = STEP.replace("v = { FL_KFE = 3.0 }", "v = { FL_KFE = 0.3 }").replace("nodes = 2", "nodes = 12") + cone;
    let share = |found: &Value| {
        let all = found["impulses"].as_array().expect("a list").iter();
        let of = |impulse: &Value| -> f64 {
            let numbers: Vec<f64> =
                impulse["impulse"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
            // How far outside of the cone, N s.
            numbers[0].hypot(numbers[1]) - 0.6 * numbers[2]
        };
        all.map(of).fold(f64::MIN, f64::max)
    };
    let (found, said) = answer(&folder, "with", &text);
    assert_eq!(found["status"].as_str(), Some("converged"), "{said}");
    // What a barrier leaves at the usual tolerance.
    assert!(share(&found) < 1e-7, "{said}");
    let (found, said) = answer(&folder, "without", &(text + "impacts = false\n"));
    assert!(share(&found) > 1e-4, "{said}");
}

/// A loop that opens more than it may is told of with how far and where, in text and JSON, and the exit code stays.
#[test]
fn loops_that_open_are_told() {
    let folder = directory("loop-gap");
    let task = fs::read_to_string(robots().join("../examples/tasks/four_bar_turn.toml")).expect("is there");
    let task = task.replace("../../robots", "ROBOTS");
    let (found, said) = answer(&folder, "usual", &task);
    let gap = named(&found["loops"], "name", "tip")["gap"].clone();
    let (value, node) = (gap["value"].as_f64().expect("a number"), gap["node"].as_u64().expect("a node"));
    assert!(value > 0.0 && value < 0.01, "{said}");
    assert_eq!(said.contains("the loop `tip` opens by"), value > 1e-4, "{said}");
    // A tenth of what it opens is too much to allow, ten times as much is not.
    let (found, said) = answer(&folder, "strict", &format!("{task}\n[report]\nloop_gap = {}\n", value / 10.0));
    assert_eq!(found["status"].as_str(), Some("converged"), "{said}");
    assert!(said.contains("the loop `tip` opens by") && said.contains(&format!("(node {node})")), "{said}");
    let (_, said) = answer(&folder, "loose", &format!("{task}\n[report]\nloop_gap = {}\n", value * 10.0));
    assert!(!said.contains("the loop `tip` opens by"), "{said}");
}

/// Keys of contacts and impacts that are wrong are refused with their line.
#[test]
fn broken_keys_are_refused_with_their_line() {
    let folder = directory("broken-contacts");
    let cone = "[[constraints]]\nkind = \"coulomb-cone\"\ncontact = \"foot\"\n";
    let cases: [(&str, &str, &str, &[&str]); 9] = [
        (
            "nodes = 15",
            "nodes = 15\nimpulse = \"gaind\"",
            "impulse",
            &["`phases[0].impulse`", "did you mean `gained`?"],
        ),
        (
            "nodes = 15",
            "nodes = 15\nimpulse = 1",
            "impulse",
            &["`phases[0].impulse`", "`all` or `gained`", "the number 1"],
        ),
        ("nodes = 15", "nodes = 15\nrelease = \"yes\"", "release", &["`phases[0].release`", "true or false", "yes"]),
        ("nodes = 15", "nodes = 15\nreleases = true", "releases", &["did you mean `release`?"]),
        (
            "v = [-1.0, 0.0]",
            "v = [0.0, 0.0]",
            "release",
            &["`phases[0].release`", "without an impact", "gains no contact"],
        ),
        ("nodes = 15", "nodes = 15\nimpulse = \"gained\"", "release", &["`impulse` is `gained`"]),
        ("[steps]", "[report]\ndrift = -1.0\n[steps]", "drift", &["`report.drift`", "positive", "-1"]),
        ("[steps]", "[report]\nloop_gab = 1.0\n[steps]", "loop_gab", &["did you mean `loop_gap`?"]),
        ("[[costs]]\nkind = \"control\"", "CONE", "impacts", &["`constraints[0].impacts`", "name the impact there"]),
    ];
    for (from, to, at, said) in cases {
        let release = at == "release" && !to.contains("release");
        let base = if release { MOVING.replace("nodes = 15", "nodes = 15\nrelease = true") } else { MOVING.to_owned() };
        let with_cone = format!("{cone}impacts = true\nphases = [\"stand\"]\n{from}");
        let text = base.replacen(from, if to == "CONE" { &with_cone } else { to }, 1);
        refused_at(&written(&folder, "broken", &text), at, said);
    }
}
