//! `gradyn optimize`: steps that are too long, friction taken implicitly, and `--refine`.

use super::optimize_broken::refused_at;
use super::{directory, good, json, refused, run};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A mass of 1 kg on two rails, with damping and friction along x.
const POINT: &str = r#"<robot name="point"><link name="w"/><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="x" type="prismatic"><parent link="w"/><child link="a"/><axis xyz="1 0 0"/>
<dynamics damping="DAMPING" friction="FRICTION"/><limit lower="-10" upper="10" effort="100" velocity="30"/></joint>
<joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-10" upper="10" effort="100" velocity="30"/></joint></robot>"#;

/// Around a pillar of 0.3 m, in steps in which the mass goes some 0.4 m.
const PILLAR: &str = r#"limits = ["torque"]

[robot]
file = "point.urdf"

[start]
q = [-1.0, 0.0]

[steps]
dt = 0.1

[[phases]]
name = "go"
nodes = 10

[[costs]]
name = "goal"
kind = "state"
goal = { q = [1.0, 0.05], v = 0.0 }
weight = 1e3
at = "last"

[[costs]]
kind = "control"
weight = 1e-3

[[constraints]]
name = "pillar"
kind = "distance"
a = { frame = "b", radius = 0.05 }
b = { from = [0.0, 0.0, -1.0], to = [0.0, 0.0, 1.0], radius = 0.3 }
least = 0.0
"#;

/// A task of a mass with this damping and friction, in a folder of its own.
fn written(folder: &Path, text: &str, [damping, friction]: [&str; 2]) -> String {
    fs::write(folder.join("point.urdf"), POINT.replace("DAMPING", damping).replace("FRICTION", friction))
        .expect("writes");
    let file = folder.join("task.toml");
    fs::write(&file, text).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// What is said, the file of the answer, and the page.
fn solved(folder: &Path, file: &str, options: &[&str], code: i32) -> (String, Value, String) {
    let out = folder.join("out");
    let to = out.to_str().expect("UTF-8");
    let output = run(["optimize", file, "--output", to].iter().chain(options));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    (text, answer, fs::read_to_string(out.join("report.html")).expect("is there"))
}

fn warning<'t>(text: &'t str, about: &str) -> Option<&'t str> {
    text.lines().find(|line| line.contains("warning:") && line.contains(about))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Nodes keep off the pillar, what is between them does not: it is said with its node and its depth, on the page and in
/// the file too. `--refine` splits steps until it is below the tolerance.
#[test]
fn an_obstacle_between_nodes_is_told_of_and_refined_away() {
    let folder = directory("pillar");
    let file = written(&folder, PILLAR, ["0", "0"]);
    let (text, answer, page) = solved(&folder, &file, &[], 0);
    let said = warning(&text, "`pillar` is violated by 0.036").unwrap_or_else(|| panic!("{text}"));
    let between = answer["between_nodes"].as_array().expect("a list");
    let deepest = between.iter().map(|of| number(&of["violation"])).fold(0.0, f64::max);
    // 3.7 cm, in the middle of a line of 0.31 m from node to node.
    assert!((deepest - 0.037).abs() < 1e-3, "{deepest}");
    let of = between.iter().find(|of| number(&of["violation"]).to_bits() == deepest.to_bits()).expect("is there");
    assert!(
        said.contains(&format!("between nodes {} and", of["node"])) && said.contains("`constraint` = 0.001"),
        "{said}"
    );
    assert!(number(&of["at_nodes"]) < 1e-6, "{of}");
    assert!(answer["warnings"].as_array().expect("a list").iter().any(|of| of["about"] == "pillar"), "{answer}");
    assert!(page.contains("Between nodes") && page.contains("<td>pillar</td>"), "the page tells");

    let looser = PILLAR.to_owned() + "\n[report]\nstep_defect = 0.2\n";
    let file = written(&folder, &looser, ["0", "0"]);
    let (text, answer, _) = solved(&folder, &file, &["--refine"], 0);
    assert!(text.contains("\nrefine: ") && warning(&text, "pillar").is_none(), "{text}");
    let rounds = answer["refinements"].as_array().expect("a list");
    let last = rounds.last().expect("one at least");
    assert!(number(&last["largest_between_nodes"]) < 1e-3 + 1e-6 && last["status"] == "converged", "{last}");
    assert_eq!(answer["u"].as_array().expect("a list").len() as u64, last["steps"].as_u64().expect("a number"));
    assert!(answer["between_nodes"].as_array().expect("a list").is_empty());
    // Time is what it was.
    let time = answer["time"].as_array().expect("a list");
    assert!((number(&time[time.len() - 1]) - 1.0).abs() < 1e-12, "{time:?}");

    let off = PILLAR.to_owned() + "\n[report]\nsteps = false\n";
    let file = written(&folder, &off, ["0", "0"]);
    let (text, answer, page) = solved(&folder, &file, &["--refine"], 0);
    assert!(
        !text.contains("warning:") && answer.get("between_nodes").is_none() && !page.contains("Between nodes"),
        "{text}"
    );
}

/// Tolerances are those of the task.
#[test]
fn tolerances_are_keys() {
    let folder = directory("report_keys");
    let all = "\n[report]\nstep_defect = 10.0\nconstraint = 1.0\nforce = 1e3\nend_distance = 10.0\n";
    let file = written(&folder, &(PILLAR.to_owned() + all), ["0", "0"]);
    let (text, answer, _) = solved(&folder, &file, &[], 0);
    assert!(!text.contains("warning:"), "{text}");
    let checked = &answer["steps_checked"];
    assert_eq!((&checked["steps"], &checked["too_long"]), (&json("10"), &json("0")));
    // Steps of semi-implicit Euler of 0.1 s: h/2 of the change of the velocity.
    let largest = number(&checked["largest"]["relative"]);
    assert!(largest > 0.02 && largest < 0.06, "{largest}");
    assert!(number(&answer["end_distance"]["position"]) < 0.2, "{answer}");
    for (key, tight, about) in [
        ("step_defect", "1e-4", "steps are too long"),
        ("constraint", "1e-3", "`pillar` is violated"),
        ("end_distance", "1e-9", "under its feedback gains"),
    ] {
        let from = all.lines().find(|line| line.starts_with(key)).expect("is there");
        let file = written(&folder, &(PILLAR.to_owned() + &all.replace(from, &format!("{key} = {tight}"))), ["0", "0"]);
        let (text, ..) = solved(&folder, &file, &[], 0);
        assert!(warning(&text, about).is_some_and(|line| line.contains(&format!("`{key}`"))), "{text}");
    }
}

/// The mass is to slide to a stop at 0, with damping 50 N s/m: in explicit steps of 0.1 s its speed would change by the
/// factor −4.
const SLIDES: &str = r#"[robot]
file = "point.urdf"
joint_friction = true

[start]
q = [-1.0, 0.0]
v = [1.0, 0.0]

[steps]
dt = 0.1

[[phases]]
name = "slide"
nodes = 12

[[costs]]
kind = "control"
"#;

/// Explicit steps of stiff damping end in a warning that names joint, nodes and key; with the key the motion is that of
/// the damping.
#[test]
fn stiff_damping_is_told_of_and_taken_implicitly() {
    let folder = directory("stiff");
    let file = written(&folder, SLIDES, ["50", "0"]);
    let output = run(["optimize", &file]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let said = warning(&text, "changes its sign at every node").unwrap_or_else(|| panic!("{text}"));
    assert!(said.contains("joint `x`") && said.contains("`implicit_friction = true` in `[steps]`"), "{said}");
    let implicit = SLIDES.replace("dt = 0.1", "dt = 0.1\nimplicit_friction = true");
    let file = written(&folder, &implicit, ["50", "0"]);
    let (text, answer, _) = solved(&folder, &file, &["--check"], 0);
    assert!(warning(&text, "changes its sign").is_none() && text.contains("derivatives agree"), "{text}");
    for (k, v) in answer["v"].as_array().expect("a list").iter().enumerate() {
        let expected = 6.0_f64.powi(-(k as i32));
        // Costs of controls are not zero beside nothing: the solver ends at its tolerance.
        assert!((number(&v[0]) - expected).abs() < 1e-6, "{k}: {v}, {expected}");
    }
    let point = folder.join("point.urdf").to_str().expect("UTF-8").to_owned();
    let along = ["sensitivity", &point, "--parameters", "*.mass", "--task", &file];
    let message = refused(&run(along));
    assert!(message.contains("phase `slide` takes friction implicitly"), "{message}");
    let explained = good(["optimize", &file, "--explain"]);
    assert!(explained.contains("semi-implicit-euler, implicit friction"), "{explained}");
}

/// Way-points, goals along phases, impacts, parameters and durations stay where they are when steps are split.
#[test]
fn what_is_at_nodes_stays_there_when_steps_are_split() {
    let folder = directory("refined");
    let text = r#"[robot]
file = "point.urdf"

[start]
q = [-1.0, 0.0]

[steps]
dt = 0.1

[[parameters]]
name = "place"
guess = 0.1
lower = 0.0
upper = 0.3

[[phases]]
name = "out"
nodes = 6
free_duration = [0.3, 0.9]

[[phases]]
name = "back"
nodes = 6
scheme = "rk4"

[[costs]]
kind = "control"
weight = 1e-2

[[costs]]
kind = "duration"

[[costs]]
name = "way"
kind = "frame-translation"
frame = "b"
goals = [[0.0, 0.3, 0.0], [-1.0, 0.0, 0.0]]
phases = ["back"]
weight = 10.0

[[costs]]
name = "chosen"
kind = "parameter"
parameter = "place"
goal = [0.2]

[[constraints]]
name = "middle"
kind = "frame-translation"
frame = "b"
equal = [-0.5, 0.2, 0.0]
phases = ["out"]
at = [3]

[report]
step_defect = 0.02
"#;
    let file = written(&folder, text, ["0", "0"]);
    let (said, answer, _) = solved(&folder, &file, &["--refine"], 0);
    let (_, coarse, _) = solved(&folder, &file, &[], 0);
    assert!(said.contains("\nrefine: "), "{said}");
    assert!(answer["steps_checked"]["too_long"] == 0 && coarse["steps_checked"]["too_long"] != 0, "{said}");
    let list = |of: &Value, key: &str| of[key].as_array().expect("a list").clone();
    assert!(list(&answer, "q").len() > 13 && list(&coarse, "q").len() == 13);
    // Somewhere at half of the phase it is where it is to be.
    let half = 0.5 * number(&answer["durations"]["out"]);
    let at = list(&answer, "time").iter().position(|t| (number(t) - half).abs() < 1e-9).expect("a node");
    let q = &list(&answer, "q")[at];
    assert!((number(&q[0]) + 0.5).abs() < 1e-6 && (number(&q[1]) - 0.2).abs() < 1e-6, "{q}");
    assert!((number(&answer["parameters"]["place"][0]) - 0.2).abs() < 1e-4, "{answer}");
    // The same problem in finer steps: costs differ by what steps get wrong.
    let (fine, before) = (number(&answer["cost"]), number(&coarse["cost"]));
    assert!((fine - before).abs() < 0.2 * before, "{fine} {before}");
}

/// Each key, wrong.
#[test]
fn broken_keys_are_refused_with_their_line() {
    let folder = directory("report_broken");
    let cases: [(&str, &str, &[&str]); 9] = [
        ("[report]\nstep_defct = 1.0", "step_defct", &["key `report.step_defct`", "did you mean `step_defect`?"]),
        ("[report]\nstep_defect = 0.0", "step_defect", &["key `report.step_defect`", "a positive number", "0.0"]),
        ("[report]\nconstraint = -1", "constraint = -1", &["key `report.constraint`", "a positive number", "-1"]),
        ("[report]\nforce = \"big\"", "force = ", &["key `report.force`", "a positive number", "the text `big`"]),
        ("[report]\nend_distance = nan", "end_distance", &["key `report.end_distance`", "a positive number", "nan"]),
        ("[report]\nsteps = 1", "steps = 1", &["key `report.steps`", "true or false", "1"]),
        ("[reports]\nsteps = true", "[reports]", &["key `reports`", "did you mean `report`?"]),
        ("report = true", "report = true", &["key `report`", "expected a table", "true"]),
        ("[[report]]\nsteps = true", "[[report]]", &["key `report`", "expected a table", "a list"]),
    ];
    for (more, at, said) in cases {
        let text = if more.starts_with('[') { format!("{PILLAR}\n{more}\n") } else { format!("{more}\n{PILLAR}") };
        refused_at(&written(&folder, &text, ["0", "0"]), at, said);
    }
    let cases: [(&str, &str, &str, &[&str]); 4] = [
        (
            "dt = 0.1",
            "dt = 0.1\nimplicit_friction = 1",
            "implicit_friction",
            &["key `steps.implicit_friction`", "true or false"],
        ),
        ("dt = 0.1", "dt = 0.1\nimplicit_fricton = true", "implicit_fricton", &["did you mean `implicit_friction`?"]),
        (
            "joint_friction = true",
            "",
            "implicit_friction",
            &["key `steps.implicit_friction`", "`joint_friction = true` in `[robot]`"],
        ),
        (
            "nodes = 12",
            "nodes = 12\nscheme = \"rk4\"",
            "implicit_friction",
            &["only `semi-implicit-euler`", "`slide` has the scheme `rk4`"],
        ),
    ];
    let implicit = SLIDES.replace("dt = 0.1", "dt = 0.1\nimplicit_friction = true");
    for (from, to, at, said) in cases {
        let text = if to.starts_with("dt") { SLIDES } else { &implicit };
        refused_at(&written(&folder, &text.replace(from, to), ["50", "1"]), at, said);
    }
    let varied = format!("{implicit}\n[[parameters]]\nname = \"d\"\nkind = \"damping\"\njoint = \"x\"\n");
    refused_at(
        &written(&folder, &varied, ["50", "1"]),
        "[[phases]]",
        &["phase `slide`", "no derivatives by parameters of the robot"],
    );
    let output = run(["optimize", &written(&folder, PILLAR, ["0", "0"]), "--refine", "--explain"]);
    assert_eq!(output.status.code(), Some(2), "both make no sense");
}
