//! `gradyn optimize`

use super::report::{browse, browser};
use super::{directory, good, json, refused, robots, run};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn tasks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tasks")
}

fn task(name: &str) -> String {
    tasks().join(format!("{name}.toml")).to_str().expect("UTF-8").to_owned()
}

/// A task that cannot be done ends with the names of what cannot hold together.
fn infeasible(name: &str, blocked: &[&str]) {
    let output = run(["optimize", &task(name)]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("infeasible: ") && last.contains("cannot hold together"), "{last}");
    blocked.iter().for_each(|name| assert!(last.contains(name), "{name}: {last}"));
    // The table of what is left stands before it.
    assert!(text.contains("at a bound"), "{text}");
}

/// Solves a task, and says what the last line is.
fn converges(name: &str) {
    if name == "arm_too_fast" {
        return infeasible(name, &["`hand` of phase `end`", "`velocity limits`"]);
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
    arm_put_down,
    arm_reach,
    arm_too_fast,
    cart_pole_swing_up,
    double_pendulum_swing_up,
    four_bar_turn,
    g1_reach,
    g1_reach_cones,
    g1_squat,
    pendulum_counterweight,
    quadrotor_gate,
    quadrotor_limits,
    solo12_jump,
    solo12_jump_cones,
    solo12_stand_up,
    solo12_trot,
}

/// A small task with all that is broken below, in a folder of its own.
fn small(folder: &Path, change: impl Fn(&str) -> String) -> String {
    let robot = robots().join("double_pendulum.urdf");
    let text = SMALL.replace("ROBOT", robot.to_str().expect("UTF-8"));
    let file = folder.join("small.toml");
    fs::write(&file, change(&text)).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

const SMALL: &str = r#"name = "small"

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

/// What is wrong is said on one line, with the file, the line of what is wrong, its key, and what it should be.
#[test]
fn broken_tasks_are_refused_with_their_line() {
    // What is replaced, by what, where that stands (its line is the one to be named), and what must be said.
    let cases: [(&str, &str, &str, &[&str]); 31] = [
        ("dt = 0.02", "dt = = 1", "dt = =", &["not TOML"]),
        ("dt = 0.02", "dt = 0.02\ndt = 0.01", "dt = 0.01", &["not TOML", "duplicate key"]),
        ("[steps]", "[stepps]", "[stepps]", &["key `stepps`", "did you mean `steps`?"]),
        ("file = ", "flie = ", "flie = ", &["key `robot.flie`", "did you mean `file`?"]),
        ("double_pendulum.urdf", "no.urdf", "file = ", &["key `robot.file`", "there is no file", "no.urdf"]),
        ("q = \"bent\"", "q = \"bend\"", "q = \"bend\"", &["key `start.q`", "did you mean `bent`?"]),
        ("q = \"bent\"", "q = [1.0]", "q = [1.0]", &["key `start.q`", "expected 2 numbers", "found 1"]),
        ("elbow = -0.3", "elbw = -0.3", "bent = {", &["key `poses.bent.elbw`", "did you mean `elbow`?"]),
        ("shoulder = 0.5", "shoulder = \"x\"", "bent = {", &["`poses.bent.shoulder`", "a finite number", "text `x`"]),
        ("dt = 0.02", "dt = -0.02", "dt = -0.02", &["key `steps.dt`", "positive", "-0.02"]),
        ("dt = 0.02", "dt = nan", "dt = nan", &["key `steps.dt`", "positive", "nan"]),
        ("semi-implicit-euler", "semi-implizit-euler", "scheme = ", &["did you mean `semi-implicit-euler`?"]),
        ("\"elbow\"]", "\"elbo\"]", "joints = [", &["key `actuation.joints[1]`", "did you mean `elbow`?"]),
        (
            "nodes = 20",
            "nodes = 0",
            "nodes = 0",
            &["key `phases[0].nodes`", "a whole number from 1", "found the number 0"],
        ),
        ("nodes = 20", "nodes = 2.5", "nodes = 2.5", &["key `phases[0].nodes`", "a whole number", "2.5"]),
        ("nodes = 20", "nodes = 20\nduration = 1.0", "duration", &["key `phases[0].duration`", "found both"]),
        ("nodes = 20", "", "[[phases]]", &["key `phases[0]`", "missing key `nodes`"]),
        (
            "nodes = 20",
            "nodes = 20\ncontacts = [\"tipp\"]",
            "contacts",
            &["`phases[0].contacts[0]`", "did you mean `tip`?"],
        ),
        ("frame-translation", "frame-translatoin", "kind = ", &["did you mean `frame-translation`?"]),
        ("frame = \"tip\"", "frame = \"tipp\"", "frame = ", &["key `costs[0].frame`", "did you mean `tip`?"]),
        ("frame = \"tip\"", "", "[[costs]]", &["key `costs[0]`", "missing key `frame`"]),
        ("goal = [0.5, 0.0, -1.5]", "goal = [0.5, 0.0]", "goal = ", &["key `costs[0].goal`", "3 numbers", "found 2"]),
        ("goal = [0.5, 0.0, -1.5]", "", "[[costs]]", &["key `costs[0]`", "missing key `goal`"]),
        ("weight = 100.0", "weight = -1", "weight = -1", &["key `costs[0].weight`", "not negative", "-1"]),
        ("weight = 100.0", "wieght = 1", "wieght", &["key `costs[0].wieght`", "did you mean `weight`?"]),
        ("at = \"last\"", "at = \"lost\"", "at = ", &["key `costs[0].at`", "did you mean `last`?"]),
        ("at = \"last\"", "at = [20]", "at = ", &["key `costs[0].at`", "no node 20", "phase `move`", "20"]),
        ("at = \"last\"", "phases = [\"mover\"]", "phases = [", &["`costs[0].phases[0]`", "did you mean `move`?"]),
        ("name = \"torque\"", "name = \"calm\"", "name = \"torque\"", &["a cost `calm`", "another name"]),
        ("name = \"fddp\"", "name = \"fdpp\"", "name = \"fdpp\"", &["key `solver.name`", "did you mean `fddp`?"]),
        ("\"static\"", "\"statik\"", "controls = \"statik\"", &["key `guess.controls`", "did you mean `static`?"]),
    ];
    let folder = directory("broken-tasks");
    for (from, to, at, said) in cases {
        assert!(SMALL.replace("ROBOT", "double_pendulum.urdf").contains(from), "{from}");
        let file = small(&folder, |text| text.replacen(from, to, 1));
        let text = fs::read_to_string(&file).expect("is there");
        let message = refused(&run(["optimize", &file]));
        // A cost that has the name of another one is named where its own table begins.
        let line = match text.lines().position(|line| line.contains(at)) {
            Some(line) => line + 1,
            None => {
                text.lines().collect::<Vec<_>>().iter().rposition(|line| *line == "[[costs]]").expect("is there") + 1
            }
        };
        assert!(message.starts_with(&format!("{file}, line {line}: ")), "line {line}: {message}");
        for part in said {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

/// The small task with constraints: what follows `[[costs]]` of the tip becomes a constraint, and limits are kept.
fn constrained(text: &str) -> String {
    let hard = "[limits]\nposition = true\nvelocity = 0.5\ntorque = 0.5\n\n[[constraints]]\nname = \"tip\"\n";
    let text = text.replacen("[[costs]]\nname = \"tip\"\n", hard, 1);
    let text = text.replacen(
        "goal = [0.5, 0.0, -1.5]\nweight = 100.0\n",
        "equal = [0.5, 0.0, -1.8]\nrows = [\"x\", \"z\"]\n",
        1,
    );
    text.replacen("name = \"fddp\"\niterations = 50\n", "name = \"newton\"\niterations = 100\n", 1)
}

#[test]
fn broken_constraints_are_refused_with_their_line() {
    let cases: [(&str, &str, &str, &[&str]); 25] = [
        ("velocity = 0.5", "velocty = 0.5", "velocty", &["key `limits.velocty`", "did you mean `velocity`?"]),
        ("velocity = 0.5", "velocity = 1.5", "velocity", &["key `limits.velocity`", "above 0 and not above 1", "1.5"]),
        ("velocity = 0.5", "velocity = \"x\"", "velocity", &["key `limits.velocity`", "true, or a share", "text `x`"]),
        ("q = \"bent\"", "q = [7.0, 0.0]", "position", &["`limits.position`", "joint `shoulder`", "7", "6.28"]),
        ("joints = [", "bounds = \"effort\"\njoints = [", "torque = 0.5", &["`limits.torque`", "`actuation.bounds`"]),
        ("equal = ", "eqaul = ", "eqaul", &["key `constraints[0].eqaul`", "did you mean `equal`?"]),
        ("equal = [0.5, 0.0, -1.8]", "equal = [0.5]", "equal", &["key `constraints[0].equal`", "3 numbers", "found 1"]),
        ("equal = [0.5, 0.0, -1.8]\n", "", "[[constraints]]", &["key `constraints[0]`", "missing key `goal`"]),
        ("rows = ", "upper = 1.0\nrows = ", "upper", &["key `constraints[0].upper`", "found both"]),
        (
            "equal = [0.5, 0.0, -1.8]",
            "lower = 2.0\nupper = 1.0",
            "lower = 2.0",
            &["a lower bound, 2", "the upper one, 1"],
        ),
        ("equal = [0.5, 0.0, -1.8]", "lower = -inf", "lower = -inf", &["it bounds nothing"]),
        ("equal = [0.5, 0.0, -1.8]", "lower = nan", "lower = nan", &["a number, inf or -inf", "nan"]),
        ("equal = [0.5, 0.0, -1.8]", "upper = [1.0, inf]", "upper = ", &["expected 3 numbers", "found 2"]),
        (
            "equal = [",
            "norm_at_most = -1.0\ngoal = [",
            "norm_at_most",
            &["`constraints[0].norm_at_most`", "positive", "-1"],
        ),
        ("equal = [", "norm_at_most = 1.0\nequal = [", "equal", &["expected `norm_at_most` alone, found `equal`"]),
        ("equal = [", "norm_at_most = 1.0\nlower = 0\ngoal = [", "lower", &["`norm_at_most` alone, found `lower`"]),
        (
            "name = \"newton\"\niterations",
            "name = \"multiple-shooting\"\niterations",
            "[[constraints]]",
            &["the constraint `tip`", "it keeps equalities only"],
        ),
        ("\"x\", \"z\"", "\"x\", \"w\"", "rows = ", &["key `constraints[0].rows[1]`", "no row `w`", "x, y, z"]),
        ("\"x\", \"z\"", "3", "rows = ", &["key `constraints[0].rows[0]`", "a row from 0 to 2", "found the number 3"]),
        ("frame = \"tip\"", "frame = \"tipp\"", "frame = ", &["key `constraints[0].frame`", "did you mean `tip`?"]),
        ("at = \"last\"", "at = [0]", "at = ", &["key `constraints[0].at`", "is the start, which is given"]),
        (
            "name = \"newton\"",
            "name = \"fddp\"",
            "[[constraints]]",
            &["the constraint `tip`", "`fddp` of line", "`newton` and `proximal` keep all"],
        ),
        (
            "name = \"newton\"",
            "name = \"multiple-shooting\"",
            "[[constraints]]",
            &["the constraint `tip`", "it keeps equalities only"],
        ),
        (
            "name = \"newton\"",
            "name = \"newton\"\nhessian = \"exat\"",
            "hessian",
            &["`solver.hessian`", "did you mean `exact`?"],
        ),
        ("name = \"newton\"", "name = \"newton\"\nbarrier = 0", "barrier", &["key `solver.barrier`", "positive", "0"]),
    ];
    let folder = directory("broken-constraints");
    for (from, to, at, said) in cases {
        let file = small(&folder, |text| {
            let text = constrained(text);
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let text = fs::read_to_string(&file).expect("is there");
        let message = refused(&run(["optimize", &file]));
        let line = text.lines().position(|line| line.contains(at)).expect("is there") + 1;
        assert!(message.starts_with(&format!("{file}, line {line}: ")), "line {line}: {message}");
        for part in said {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    // What only one solver has, another one refuses.
    let file = small(&folder, |text| text.replace("name = \"fddp\"", "name = \"fddp\"\nbarrier = 0.1"));
    let message = refused(&run(["optimize", &file]));
    assert!(message.contains("key `solver.barrier`: only the solver `newton` has this"), "{message}");
    for (key, owners) in
        [("softness", "solver `proximal` has this"), ("hessian", "solvers `newton` and `proximal` have")]
    {
        let file = small(&folder, |text| text.replace("name = \"fddp\"", &format!("name = \"fddp\"\n{key} = 0.1")));
        let message = refused(&run(["optimize", &file]));
        assert!(message.contains(&format!("key `solver.{key}`: only the {owners}")), "{message}");
    }
}

/// The augmented Lagrangian keeps constraints too, and says what its μ is called.
#[test]
fn another_solver_keeps_all_constraints() {
    let folder = directory("proximal");
    let file = small(&folder, |text| {
        constrained(text).replace("name = \"newton\"", "name = \"proximal\"\nsoftness = 0.02\nhessian = \"automatic\"")
    });
    assert!(good(["optimize", &file, "--explain"]).contains("softness 0.02"));
    let text = good(["optimize", &file]);
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("converged: ") && last.contains("optimality"), "{last}");
    assert!(text.contains("softness") && !text.contains("barrier"), "{text}");
}

/// Constraints hold, and are told of: by the table, the files, the page, `--explain` and `--check`.
#[test]
fn constraints_are_kept_and_reported() {
    let folder = directory("constrained");
    let out = folder.join("out");
    let file = small(&folder, constrained);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    let first = text.lines().next().expect("lines");
    assert!(first.starts_with("all ") && first.ends_with(" derivatives agree"), "{first}");
    assert!(text.contains("violation") && text.contains("barrier") && text.contains("hessian"), "{text}");
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("converged: ") && last.contains(", violation "), "{last}");

    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    assert!(answer["violation"].as_f64().expect("a number") < 1e-6, "{}", answer["violation"]);
    let held = &answer["constraints"];
    for name in ["tip", "position limits", "velocity limits", "bounds of controls"] {
        assert!(held[name]["violation"].as_f64().expect("a number") < 1e-6, "{name}: {held}");
    }
    assert_eq!(held["tip"]["rows"], 2);
    // By the file of the robot, 20 rad/s and 100 N m.
    let greatest = |key: &str| flat(&answer[key]).into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(greatest("v") <= 10.0 + 1e-6, "{}", greatest("v"));
    assert!(greatest("u") <= 50.0, "{}", greatest("u"));
    let history = answer["history"].as_array().expect("a list");
    assert!(history[0]["barrier"].as_f64() > history[history.len() - 1]["barrier"].as_f64());
    let page = fs::read_to_string(out.join("report.html")).expect("is there");
    for part in ["<h2>Constraints</h2>", "velocity limits", "the barrier μ"] {
        assert!(page.contains(part), "{part}");
    }

    let text = good(["optimize", &file, "--explain"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "newton, at most 100 iterations, tolerance 1e-8, 1 thread, hessian automatic, roll-out automatic, barrier 0.1",
        "tip frame-translation tip = 0 (2 of 3 rows) at the end",
        "velocity limits joint-limits -10 to 10 along move, and at the end",
        "bounds -50 to 50",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let theirs = out.join("trajectory.npz");
    let text = good(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]);
    assert!(text.contains("largest violation"), "{text}");
    // With a constraint, the solver is the one that keeps it.
    let file = small(&folder, |text| constrained(text).replace("name = \"newton\"\n", ""));
    assert!(good(["optimize", &file, "--explain"]).contains("newton, at most 100 iterations"));
}

/// A norm is kept and told of, as one row.
#[test]
fn norms_are_kept_and_reported() {
    let folder = directory("norm");
    let out = folder.join("out");
    let near = |text: &str| constrained(text).replacen("equal = [0.5, ", "norm_at_most = 0.05\ngoal = [0.5, ", 1);
    let file = small(&folder, near);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    assert!(text.lines().last().expect("lines").starts_with("converged: "), "{text}");
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    let held = &answer["constraints"]["tip"];
    assert!(held["violation"].as_f64().expect("a number") < 1e-6, "{held}");
    // It would cost less to go less far.
    assert_eq!((&held["rows"], &held["active"]), (&1.into(), &1.into()), "{held}");
    assert!(held["multiplier"].as_f64().expect("a number") > 1e-3, "{held}");
    let text = good(["optimize", &file, "--explain"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("tip frame-translation tip norm <= 0.05 (2 of 3 rows) at the end"), "{text}");
}

/// A cone has no bounds, and no cost.
#[test]
fn cones_of_friction_have_no_bounds() {
    let folder = directory("coulomb");
    let text = fs::read_to_string(task("solo12_jump_cones")).expect("is there");
    let robot = robots().join("solo12.urdf");
    let text = text.replace("../../robots/solo12.urdf", robot.to_str().expect("UTF-8"));
    let text = text.replace("\"friction-cone\"", "\"coulomb-cone\"");
    let file = folder.join("jump.toml");
    let refuse = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).expect("writes");
        refused(&run(["optimize", file.to_str().expect("UTF-8")]))
    };
    for (key, said) in
        [("lower = 0.0", "found `lower`"), ("rows = [0]", "found `rows`"), ("norm_at_most = 1.0", "is a cone")]
    {
        let message = refuse("friction = 0.7", &format!("friction = 0.7\n{key}"));
        assert!(message.contains(said) && message.contains("`coulomb-cone`"), "{message}");
    }
    let message = refuse("[[constraints]]\nname = \"cone\"", "[[costs]]\nname = \"cone\"");
    assert!(message.contains("`coulomb-cone` is for `[[constraints]]`"), "{message}");
    let message = refuse("friction = 0.7", "friction = 0.0");
    assert!(
        message.contains("the coefficient of friction") && message.contains("Coulomb cone of `FL_FOOT`"),
        "{message}"
    );
}

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
        "between impact 1 0.35 0.35 0 impact FL_FOOT (point), HR_FOOT (point)",
        "first step 25 0.1 0.35 0.01 semi-implicit-euler FR_FOOT (point), HL_FOOT (point)",
        "swing FL_FOOT frame-translation FL_FOOT 10000 quadratic along first step",
        "5, interpolated",
        "land FL_FOOT frame-translation FL_FOOT 1000 quadratic along between impact",
        "mass center-of-mass 1000 quadratic at the end",
        "grip FL_FOOT friction-cone FL_FOOT 0.1 outside bounds along shift, between, second step, settle",
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

fn flat(value: &serde_json::Value) -> Vec<f64> {
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

/// A page of the jump: contacts, impacts, targets.
fn page(name: &str) -> PathBuf {
    let out = directory(name);
    good(["optimize", &task("solo12_jump"), "--output", out.to_str().expect("UTF-8")]);
    out.join("report.html")
}

/// Nothing is fetched, and the verdict comes first.
#[test]
fn the_page_stands_alone() {
    let text = fs::read_to_string(page("optimize-page")).expect("is there");
    let (before, rest) = text.split_once("three.js 0.187.0 (npm)").expect("the library");
    assert!(rest.contains("Permission is hereby granted"), "the licence");
    let (_, own) = rest.rsplit_once("\"use strict\"").expect("the script");
    for part in [before, own] {
        for outside in ["http", " src=", "href", "<link", "url(", "@import", "fetch(", "<iframe", "import("] {
            assert!(!part.contains(outside), "{outside}");
        }
        assert!(!part.contains("NaN") && !part.contains("inf"), "a number is none");
    }
    let verdict = before.find("<p class=\"verdict good\">Converged</p>").expect("the verdict");
    assert!(verdict < before.find("<canvas").expect("a view"));
    for part in ["Positions q", "Velocities v", "Torques τ", "Stationarity", "FL_HAA"] {
        assert!(before.contains(part), "{part}");
    }
}

/// Before the page's own scripts: errors are kept. After them: play is pressed, and frames are read.
const WATCH: &str = "<script>window.errors = []; addEventListener('error', (e) => errors.push(e.message)); \
    for (const kind of ['error', 'warn']) console[kind] = (...all) => errors.push(all.join(' '));</script>";
/// The page counts as loaded, and the browser ends, when an image has come that a server here holds back until frames have been read.
const PRESS: &str = "<script>setTimeout(() => { const at = () => ({ ...document.documentElement.dataset }); \
    const before = at(); let polls = 0; document.getElementById('play').click(); \
    const timer = setInterval(() => { const after = at(); \
    if (++polls < 400 && !(after.frames - before.frames > 8 && after.time - before.time > 0.1)) return; \
    clearInterval(timer); document.getElementById('play').click(); \
    const text = JSON.stringify({ before, after, errors, flat: !document.getElementById('fallback').hidden, \
    width: innerWidth, content: document.documentElement.scrollWidth, \
    clock: document.getElementById('clock').textContent, now: document.querySelector('.now').getAttribute('transform') }); \
    const out = document.createElement('pre'); out.id = 'watched'; out.textContent = text; document.body.append(out); new Image().src = 'http://127.0.0.1:PORT/done'; }, 50); }, 300);\
    </script><img src='http://127.0.0.1:PORT/hold' alt=''></body>";

/// Answers nothing, and hangs up on all when somebody asks for `done`.
fn hold() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            // A browser opens connections ahead, on which nothing may ever come.
            let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
            let _ = BufReader::new(&stream).read_line(&mut line);
            if line.contains("/done") {
                return;
            }
            held.push(stream);
        }
    });
    port
}

/// In a real browser the robot moves when play is pressed, at the widths of a desk and of a hand, with WebGL and without it.
#[test]
fn a_browser_plays_the_page() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let file = page("optimize-played");
    let folder = file.parent().expect("a folder").to_owned();
    let text = fs::read_to_string(&file).expect("is there");
    let watched = text.replacen("<head>", &format!("<head>{WATCH}"), 1).replace("</body>", PRESS);
    for (size, webgl) in [("1200,900", true), ("390,844", true), ("1200,900", false)] {
        let text =
            if webgl { watched.clone() } else { watched.replace("getContext(\"webgl2\")", "getContext(\"none\")") };
        let copy = folder.join("watched.html");
        fs::write(&copy, text.replace("PORT", &hold().to_string())).expect("writes");
        let window = format!("--window-size={size}");
        let arguments =
            ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", &window, "--dump-dom"];
        let Some(dom) = browse(browser, &folder, &arguments, &copy) else {
            println!("skipped: {browser} does not start here");
            return;
        };
        let dom = String::from_utf8(dom).expect("UTF-8");
        let seen = dom.split_once("<pre id=\"watched\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let seen =
            json(&seen.unwrap_or_else(|| panic!("the page's script has not run: {size}")).0.replace("&amp;", "&"));
        // A browser without a graphics card may lose its graphics: the library says so, and the page draws flat.
        let flat = seen["flat"] == true;
        let errors = seen["errors"].as_array().expect("a list").iter();
        let mut bad = errors.filter(|error| !(flat && error.as_str().expect("a text").starts_with("THREE.WebGL")));
        assert_eq!(bad.next(), None, "{seen}");
        let number =
            |when: &str, key: &str| -> f64 { seen[when][key].as_str().expect("is set").parse().expect("a number") };
        assert!(number("after", "frames") > number("before", "frames") + 3.0, "{seen}");
        assert!(number("after", "time") > number("before", "time") + 0.1, "{seen}");
        assert!(seen["clock"].as_str().expect("a text").contains(" s, "), "{seen}");
        assert!(seen["now"].as_str().expect("a text").starts_with("translate("), "{seen}");
        // Nothing is wider than the window, so that no page must be pushed to the side.
        assert!(seen["content"].as_f64() <= seen["width"].as_f64(), "{seen}");
        if !webgl {
            assert_eq!(seen["flat"], true, "{seen}");
        }
    }
}
