//! `gradyn optimize`

use super::{directory, good, json, refused, robots, run};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn tasks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tasks")
}

pub(super) fn task(name: &str) -> String {
    tasks().join(format!("{name}.toml")).to_str().expect("UTF-8").to_owned()
}

/// A task that cannot be done ends with the reason, and both values.
fn infeasible(name: &str, blocked: &[&str]) {
    let output = run(["optimize", &task(name)]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("infeasible: ") && last.contains("at the velocities that are allowed"), "{last}");
    blocked.iter().for_each(|name| assert!(last.contains(name), "{name}: {last}"));
    // The table of what is left stands before it.
    assert!(text.contains("at a bound"), "{text}");
}

/// Solves a task, and says what the last line is.
fn converges(name: &str) {
    if name == "arm_too_fast" {
        return infeasible(name, &["`hand` of phase `end`", "away from the start", "lead"]);
    }
    let answer = good(["optimize", &task(name)]);
    let last = answer.lines().last().expect("lines");
    assert!(last.starts_with("converged: "), "{last}");
}

/// A test for each task of the repository: all are solved from the guess that they name.
macro_rules! tasks {
    ($($(#[$attribute:meta])* $test:ident,)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $test() {
                converges(stringify!($test));
            }
        )*

        #[test]
        fn every_task_has_a_test() {
            let mut tested = vec![$(stringify!($test)),*];
            tested.sort_unstable();
            let files = fs::read_dir(tasks()).expect("is there").map(|entry| entry.expect("is there").path());
            let mut names: Vec<_> = files.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
            names.sort();
            assert_eq!(names, tested);
        }
    };
}

tasks! {
    arm_around_pole,
    arm_in_a_hurry,
    arm_put_down,
    arm_reach,
    arm_too_fast,
    cart_pole_swing_up,
    double_pendulum_swing_up,
    four_bar_turn,
    g1_reach,
    g1_reach_cones,
    g1_squat,
    go1_stand_up,
    pendulum_counterweight,
    quadrotor_gate,
    quadrotor_limits,
    solo12_jump,
    solo12_jump_cones,
    solo12_stand_up,
    solo12_trot,
}

/// A small task with all that is broken below, in a folder of its own.
pub(super) fn small(folder: &Path, change: impl Fn(&str) -> String) -> String {
    let robot = robots().join("double_pendulum.urdf");
    let text = SMALL.replace("ROBOT", robot.to_str().expect("UTF-8"));
    let file = folder.join("small.toml");
    fs::write(&file, change(&text)).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

pub(super) const SMALL: &str = r#"name = "small"

[robot]
file = "ROBOT"

[poses]
bent = { shoulder = 0.5, elbow = -0.3 }

[start]
q = "bent"

[steps]
scheme = "semi-implicit-euler"
dt = 0.02

[actuation]
joints = ["shoulder", "elbow"]

[[phases]]
name = "move"
nodes = 20

[[costs]]
name = "tip"
kind = "frame-translation"
frame = "tip"
goal = [0.5, 0.0, -1.5]
weight = 100.0
at = "last"

[[costs]]
name = "calm"
kind = "state"
weights = { q = 0.1, v = [0.1, 0.2] }

[[costs]]
name = "torque"
kind = "control"
weight = 0.01

[solver]
name = "fddp"
iterations = 50

[guess]
states = "standing"
controls = "static"
"#;

#[test]
fn exit_codes_tell_solved_from_unsolved_from_wrong() {
    let folder = directory("exit-codes");
    let file = small(&folder, str::to_owned);
    assert_eq!(run(["optimize", &file]).status.code(), Some(0));
    let short = small(&folder, |text| text.replace("iterations = 50", "iterations = 1"));
    let output = run(["optimize", &short]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.lines().last().expect("lines").starts_with("iteration limit: 1 iterations"), "{text}");
    let message = refused(&run(["optimize", "no such task.toml"]));
    assert!(message.contains("cannot read no such task.toml"), "{message}");
    refused(&run(["optimize", &file, "--explain", "--output", "x"]));
    refused(&run(["optimize", &file, "--threads", "0"]));
}

/// Phases, nodes, times, contacts, costs with weights, sizes.
#[test]
fn explain_tells_the_problem_as_understood() {
    let text = good(["optimize", &task("solo12_trot"), "--explain"]);
    // Columns are as wide as they must be.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "solo12 trots",
        "nq 19, nv 18",
        "controls 12: FL_HAA",
        "88 nodes, 0.85 s, ndx 36, nu 12",
        "between impact 1 0.35 0.35 0 impact FL_FOOT (point), FR_FOOT (point), HL_FOOT (point), HR_FOOT (point)",
        "first step 25 0.1 0.35 0.01 semi-implicit-euler FR_FOOT (point), HL_FOOT (point)",
        "swing FL_FOOT frame-translation FL_FOOT 10000 quadratic along first step",
        "5, interpolated",
        "land FL_FOOT frame-translation FL_FOOT 1000 quadratic along between impact",
        "mass center-of-mass 1000 quadratic at the end",
        "grip FL_FOOT friction-cone FL_FOOT 0.1 outside bounds along shift, between impact, between, second step, settle impact, settle",
        "fddp, at most 200 iterations, tolerance 1e-9, 1 thread",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Every derivative of the problem is looked at, before it is solved.
#[test]
fn check_holds_derivatives_against_differences() {
    let file = small(&directory("checked-task"), str::to_owned);
    let text = good(["optimize", &file, "--check"]);
    let first = text.lines().next().expect("lines");
    assert!(first.starts_with("all ") && first.ends_with(" derivatives agree"), "{first}");
    assert!(text.lines().last().expect("lines").starts_with("converged: "), "{text}");
}

/// The iterations do not depend on the number of threads, to the last bit.
#[test]
fn threads_change_nothing() {
    let folder = directory("threads");
    let file = small(&folder, str::to_owned);
    let answers = ["1", "2", "3"].map(|threads| {
        let out = folder.join(threads);
        good(["optimize", &file, "--threads", threads, "--output", out.to_str().expect("UTF-8")]);
        let mut answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        answer["seconds"] = serde_json::Value::Null;
        answer
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

/// An array of an `.npz`, with its shape: stored, little-endian, version 1.
fn array(npz: &[u8], name: &str) -> (String, Vec<f64>) {
    let archive = rawzip::ZipArchive::from_slice(npz).expect("an archive");
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().expect("an entry") {
        if entry.file_path().as_bytes() == format!("{name}.npy").as_bytes() {
            let file = archive.get_entry(entry.wayfinder()).expect("is there");
            let mut bytes = Vec::new();
            file.verifying_reader(file.data()).read_to_end(&mut bytes).expect("is whole");
            assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
            let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            // As NumPy asks for.
            assert_eq!(length % 64, 0);
            let header = String::from_utf8(bytes[10..length].to_vec()).expect("ASCII");
            let numbers = bytes[length..].as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect();
            return (header, numbers);
        }
    }
    panic!("no {name}");
}

pub(super) fn flat(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("a number")],
    }
}

/// All three files hold the same numbers, and can be read again: by `--compare`, and as a guess.
#[test]
fn outputs_agree_and_are_read_again() {
    let folder = directory("outputs");
    let out = folder.join("out");
    let file = small(&folder, str::to_owned);
    good(["optimize", &file, "--output", out.to_str().expect("UTF-8")]);
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    assert_eq!(answer["converged"], true);
    assert_eq!(flat(&answer["time"]).len(), 21);
    let npz = fs::read(out.join("trajectory.npz")).expect("is there");
    for (name, shape) in
        [("q", "(21, 2)"), ("v", "(21, 2)"), ("u", "(20, 2)"), ("tau", "(20, 2)"), ("gains", "(20, 2, 4)")]
    {
        let (header, numbers) = array(&npz, name);
        assert!(header.contains(&format!("'descr': '<f8', 'fortran_order': False, 'shape': {shape}")), "{header}");
        assert_eq!(numbers, flat(&answer[name]), "{name}");
    }
    let csv = fs::read_to_string(out.join("trajectory.csv")).expect("is there");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0],
        "time,phase,q[0],q[1],v.shoulder,v.elbow,u.shoulder,u.elbow,tau.shoulder,tau.elbow"
            .split(',')
            .collect::<Vec<_>>()
    );
    assert_eq!(lines.len(), 22);
    let q: Vec<f64> =
        lines[1..].iter().flat_map(|line| [&line[2], &line[3]]).map(|x| x.parse().expect("a number")).collect();
    assert_eq!(q, flat(&answer["q"]));

    // Another program's names for the same.
    let xs: Vec<Vec<f64>> = (0..21).map(|k| [flat(&answer["q"][k]), flat(&answer["v"][k])].concat()).collect();
    let theirs = folder.join("theirs.json");
    fs::write(&theirs, serde_json::json!({ "xs": xs, "us": answer["u"] }).to_string()).expect("writes");
    let files = [out.join("trajectory.json"), out.join("trajectory.npz"), theirs];
    let said = files.map(|path| good(["optimize", &file, "--compare", path.to_str().expect("UTF-8")]));
    assert_eq!(said[0], said[1]);
    assert_eq!(said[0], said[2]);
    let cost = answer["cost"].as_f64().expect("a number");
    let line = said[0].lines().next().expect("lines");
    let found: f64 = line.strip_prefix("cost").expect("the cost first").trim().parse().expect("a number");
    // Ten digits are shown.
    assert!((found - cost).abs() < 1e-9 * cost, "{line}, {cost}");
    // A solution has no gaps beyond rounding.
    assert!(said[0].contains("largest gap           0.000e0"), "{}", said[0]);

    // From its own solution, nothing is left to do but to see that.
    let again = small(&folder, |text| {
        let guess = "[guess]\nfile = \"out/trajectory.npz\"\n";
        text.split("[guess]").next().expect("a part").to_owned() + guess
    });
    let answer = good(["optimize", &again]);
    let last = answer.lines().last().expect("lines");
    assert!(last.starts_with("converged: 1 iterations") || last.starts_with("converged: 2 iterations"), "{last}");
}

#[test]
fn a_trajectory_that_does_not_fit_is_refused() {
    let folder = directory("misfits");
    let file = small(&folder, str::to_owned);
    for (text, said) in [
        ("{\"q\": [[0, 0]], \"v\": [[0, 0]], \"u\": []}", "1 states and 0 controls, expected 21 and 20"),
        ("{\"q\": [[0, 0]], \"v\": [[0, 0], [0, 0]], \"u\": []}", "`q` has 1 nodes, `v` has 2"),
        ("{\"q\": [[0, 0]], \"v\": [[0, 0]]}", "missing `u`"),
        ("{\"xs\": [[0, 0, 0]], \"us\": []}", "state 0 has 3 numbers, expected nq + nv = 4"),
        ("[1, 2]", "expected an object"),
    ] {
        let theirs = folder.join("theirs.json");
        fs::write(&theirs, text).expect("writes");
        let message = refused(&run(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]));
        assert!(message.contains(said), "{said}: {message}");
    }
}
