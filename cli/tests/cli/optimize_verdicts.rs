//! What `gradyn optimize` says of problems that a first guess does not solve.

use super::optimize::small;
use super::optimize_broken::refused_at;
use super::{directory, good, json, robots, run};
use std::fs;
use std::path::Path;

const CART: &str = r#"<robot name="cart"><link name="w"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="x" type="prismatic"><parent link="w"/>
<child link="b"/><axis xyz="1 0 0"/><limit lower="-50" upper="50" effort="1" velocity="30"/></joint></robot>
"#;

/// To rest in least time, from q = 1, v = 2 with |u| ≤ 1: 2 + 2√3 = 5.464 s, 5.4025 s with these 50 steps.
const LEAST_TIME: &str = r#"limits = ["torque"]
[robot]
file = "cart.urdf"
[start]
q = [1.0]
v = [2.0]
[steps]
dt = 0.1
[[phases]]
name = "go"
nodes = 50
free_duration = [0.1, 20.0]
[[costs]]
kind = "duration"
[[constraints]]
name = "end"
kind = "state"
equal = { q = [0.0], v = [0.0] }
at = "last"
"#;

const CART_POLE: &str = r#"[robot]
file = "ROBOTS/cart_pole.urdf"
[actuation]
joints = ["slider"]
bounds = { lower = -8.0, upper = 8.0 }
[poses]
up = { slider = 0.0, hinge = 3.141592653589793 }
[steps]
dt = 0.04
[[phases]]
name = "swing"
nodes = 60
[[costs]]
name = "force"
kind = "control"
weight = 1e-2
[[costs]]
name = "calm"
kind = "state"
weights = { q = 0.0, v = [0.05, 0.01] }
[[constraints]]
name = "rail"
kind = "state"
rows = ["q.slider"]
lower = -0.4
upper = 0.4
[[constraints]]
name = "up"
kind = "state"
equal = "up"
at = "last"
[guess]
controls = "zero"
"#;

const ACROBOT: &str = r#"[robot]
file = "ROBOTS/double_pendulum.urdf"
[poses]
up = { shoulder = 3.141592653589793 }
[actuation]
joints = ["elbow"]
bounds = { lower = -10.0, upper = 10.0 }
[steps]
dt = 0.05
[[phases]]
name = "swing"
duration = 4.0
[[costs]]
name = "torque"
kind = "control"
weight = 1e-2
[[constraints]]
name = "up"
kind = "state"
equal = "up"
at = "last"
"#;

/// A quadruped on four feet shifts its weight, and ends with this velocity.
const LEAN: &str = r#"[robot]
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
[steps]
dt = 0.02
[[phases]]
name = "lean"
nodes = 30
contacts = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
[[costs]]
name = "com"
kind = "center-of-mass"
goal = { offset = [0.03, 0.0, 0.0] }
weight = 1000.0
[[costs]]
name = "torque"
kind = "control"
weight = 0.1
[[constraints]]
name = "rest"
kind = "state"
goal = { v = 0.0 }
rows = ["v"]
at = "last"
"#;
fn written(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join("cart.urdf"), CART).expect("writes");
    let file = folder.join(name);
    let robots = robots();
    fs::write(&file, text.replace("ROBOTS", robots.to_str().expect("UTF-8"))).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The answer of a task, its exit code, and its last line.
fn answer(folder: &Path, name: &str, text: &str) -> (serde_json::Value, Option<i32>, String) {
    let (file, out) = (written(folder, &format!("{name}.toml"), text), folder.join(name));
    let ended = run(["optimize", &file, "--output", out.to_str().expect("UTF-8")]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let read = fs::read_to_string(out.join("trajectory.json")).expect("is there");
    (json(&read), ended.status.code(), said)
}

/// From a guess that a first attempt leads nowhere, solutions are found, and what was tried is told.
#[test]
fn feasible_tasks_are_solved_from_poor_guesses() {
    let folder = directory("verdicts");
    // The optima of Ipopt, from the same guesses or better ones; the first one in closed form, with steps.
    for (name, text, cost) in
        [("least", LEAST_TIME, 5.4025), ("cart", CART_POLE, 0.71522), ("acrobot", ACROBOT, 0.27554)]
    {
        let (found, code, said) = answer(&folder, name, text);
        assert_eq!((found["status"].as_str(), code), (Some("converged"), Some(0)), "{name}: {said}");
        // Five digits are what is known.
        let off = found["cost"].as_f64().expect("a number") - cost;
        assert!(off < 1e-4, "{name}: {}", found["cost"]);
        let tried = found["attempts"].as_array().expect("a list");
        let sum: u64 = tried.iter().filter_map(|of| of["iterations"].as_u64()).sum();
        assert_eq!(found["iterations"].as_u64(), Some(sum), "{name}");
        assert!(sum <= 2000 && tried.len() >= 2, "{name}: {tried:?}");
        assert_eq!(found["history"].as_array().map(|all| all.len() as u64), Some(sum), "{name}");
        assert!(said.contains("next attempt: ") && said.contains("tried "), "{said}");
    }
}

/// What is not solved is not called infeasible without a proof; a proof has both values.
#[test]
fn infeasible_takes_a_proof() {
    let folder = directory("proofs");
    let poor = ACROBOT.replace("10.0", "0.5") + "[solver]\nbudget = 600\n";
    let (found, code, said) = answer(&folder, "poor", &poor);
    let status = found["status"].as_str().expect("a text");
    assert!(["no-feasible-point", "iteration-limit", "stalled"].contains(&status), "{said}");
    assert_eq!(code, Some(1));
    // How near it came, what was tried, and what to try.
    assert!(found["violation"].as_f64().is_some_and(|off| off > 1e-3), "{}", found["violation"]);
    assert!(said.contains("try: ") && said.contains("at a bound") && said.contains("tried "), "{said}");
    assert!(!said.lines().last().is_some_and(|last| last.contains("infeasible")), "{said}");

    // In 1 s, |u| ≤ 1 from rest to rest leads 1/4 m far.
    let far = LEAST_TIME.replace("free_duration = [0.1, 20.0]\n", "").replace("nodes = 50", "nodes = 10");
    let far = far.replace("q = [1.0]\nv = [2.0]", "q = [1.0]").replace("kind = \"duration\"", "kind = \"control\"");
    let (found, code, said) = answer(&folder, "far", &far);
    assert_eq!((found["status"].as_str(), code), (Some("infeasible"), Some(1)), "{said}");
    let message = found["message"].as_str().expect("a text");
    assert!(message.contains("`end` of phase `end`") && message.contains("contradict"), "{message}");
}

/// Several guesses are tried in their order, by name.
#[test]
fn several_guesses_are_tried() {
    let folder = directory("guesses");
    let text = LEAST_TIME.to_owned()
        + "[[guess]]\nname = \"poor\"\n[[guess]]\nname = \"through\"\nstates = \"way-points\"\nthrough = [{ to = [2.0], time = 2.0 }, { to = [0.0], time = 5.0 }]\n\
           [[guess]]\nstates = \"drawn\"\nto = [0.0]\nseed = 3\nwidth = 0.5\n";
    let file = written(&folder, "several.toml", &text);
    let said = good(["optimize", &file, "--explain"]);
    assert!(said.contains("through 2 way-points") && said.contains("bent aside by up to 0.5 (seed 3)"), "{said}");
    let one = good(["optimize", &file]);
    assert!(one.contains("poor, newton") && one.contains("through, newton"), "{one}");
    // The same bits with two threads, but for the time that it took.
    let without_time = |text: &str| text.rsplit_once(", ").map(|(head, _)| head.to_owned());
    assert_eq!(without_time(&one), without_time(&good(["optimize", &file, "--threads", "2"])));
}

#[test]
fn broken_guesses_are_refused_with_their_line() {
    let cases: [(&str, &str, &[&str]); 10] = [
        ("states = \"waypoints\"", "states", &["key `guess.states`", "did you mean `way-points`?"]),
        ("seed = 3", "seed", &["key `guess.seed`", "only the states `drawn` have this", "`standing`"]),
        ("states = \"way-points\"", "[guess]", &["key `guess`", "missing key `through`"]),
        ("states = \"way-points\"\nthrough = []", "through", &["key `guess.through`", "one way-point at least"]),
        (
            "states = \"way-points\"\nthrough = [{ to = \"bent\", time = 0.2 }, { to = \"bent\", time = 0.1 }]",
            "through",
            &["key `guess.through[1].time`", "ascend", "0.1", "0.2"],
        ),
        ("states = \"way-points\"\nthrough = [{ to = \"bnet\", time = 1 }]", "through", &["did you mean `bent`?"]),
        (
            "states = \"way-points\"\nthrough = [{ to = \"bent\", time = 1e3 }]",
            "[guess]",
            &["a way-point is 1000", "at most"],
        ),
        ("states = \"drawn\"\nto = \"bent\"\nwidth = -1", "width", &["key `guess.width`", "not negative", "-1"]),
        ("states = \"drawn\"\nto = \"bent\"\nseed = 0.5", "seed", &["key `guess.seed`", "whole number", "0.5"]),
        ("fiel = \"x\"", "fiel", &["key `guess.fiel`", "did you mean `file`?"]),
    ];
    let folder = directory("broken-guesses");
    for (with, at, said) in cases {
        let file = small(&folder, |text| {
            let (head, _) = text.split_once("[guess]").expect("it has a guess");
            format!("{head}[guess]\n{with}\n")
        });
        refused_at(&file, at, said);
    }
    let several = small(&folder, |text| {
        let (head, _) = text.split_once("[guess]").expect("it has a guess");
        format!("{head}[[guess]]\n[[guess]]\n")
    });
    refused_at(&several, "[[guess]]", &["key `guess`", "`fddp` takes one guess"]);
}

#[test]
fn budgets_are_refused_where_they_make_no_sense() {
    let folder = directory("budgets");
    let cases: [(&str, &[&str]); 3] = [
        ("iterations = 100\nbudget = 50", &["key `solver.budget`", "50", "100"]),
        ("budget = 0", &["key `solver.budget`", "from 1 to"]),
        ("seed = \"x\"", &["key `solver.seed`", "whole number"]),
    ];
    for (with, said) in cases {
        let file = written(&folder, "budget.toml", &format!("{LEAST_TIME}[solver]\n{with}\n"));
        refused_at(&file, with.lines().last().expect("a line"), said);
    }
    let fddp = small(&folder, |text| text.replacen("name = \"fddp\"", "name = \"fddp\"\nbudget = 10", 1));
    refused_at(&fddp, "budget", &["key `solver.budget`", "`newton` and `proximal`", "`fddp`"]);
}

/// At rest on four feet, of the 18 rows of v = 0 as many as 12 follow from the contacts: they are left to these, and
/// that is told.
#[test]
fn goals_that_follow_from_contacts_are_left_to_them() {
    let folder = directory("rest");
    let (found, code, said) = answer(&folder, "rest", LEAN);
    assert_eq!((found["status"].as_str(), code), (Some("converged"), Some(0)), "{said}");
    // With v = 0 of the base alone, whose rows are free, it costs 0.06497.
    let cost = found["cost"].as_f64().expect("a number");
    assert!((cost / 0.06497 - 1.0).abs() < 5e-3, "{cost}");
    let warnings = found["warnings"].as_array().expect("a list");
    let told =
        |of: &&serde_json::Value| of["text"].as_str().is_some_and(|text| text.contains("12 of 18 rows of `rest`"));
    assert!(warnings.iter().any(|of| told(&of)), "{warnings:?}");
}

/// A velocity at the end that contacts do not allow contradicts them, and is named.
#[test]
fn goals_that_contradict_contacts_are_named() {
    let folder = directory("contradiction");
    let fast = LEAN.replace("goal = { v = 0.0 }", "goal = { v = { root_joint = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0] } }");
    let (found, code, said) = answer(&folder, "fast", &fast);
    assert_ne!(found["status"].as_str(), Some("converged"), "{said}");
    assert_eq!(code, Some(1), "{said}");
    let named = |of: &serde_json::Value| of["text"].as_str().is_some_and(|text| text.contains("`rest`"));
    assert!(found["warnings"].as_array().is_some_and(|all| all.iter().any(named)), "{said}");
    let blocked = found["blocked"].as_array().expect("a list");
    for what in ["`rest` of phase `end`", "contact `FL_FOOT`"] {
        assert!(blocked.iter().any(|of| of.as_str() == Some(what)), "{what}: {blocked:?}");
    }
}

/// A quadrotor turns over once about x, its attitude given on the way: 0.64294 from standing still, as Ipopt finds it.
#[test]
fn a_flip_is_found_from_standing_still() {
    let folder = directory("flip");
    let mut task = String::from(
        r#"[robot]
file = "ROBOTS/quadrotor.urdf"
floating_base = true
[start]
q = { root_joint = { xyz = [0.0, 0.0, 1.0] } }
[poses]
there = { root_joint = { xyz = [0.0, 0.0, 1.0] } }
[actuation]
thrusters = [
  { frame = "front_left", moment = 0.016, lower = 0.0, upper = 8.0 },
  { frame = "front_right", moment = -0.016, lower = 0.0, upper = 8.0 },
  { frame = "hind_left", moment = -0.016, lower = 0.0, upper = 8.0 },
  { frame = "hind_right", moment = 0.016, lower = 0.0, upper = 8.0 },
]
[limits]
torque = true
[steps]
dt = 0.02
scheme = "rk4"
[[phases]]
name = "rise"
nodes = 20
[[phases]]
name = "turn"
nodes = 24
[[phases]]
name = "sink"
nodes = 40
[[costs]]
name = "thrust"
kind = "control"
goal = [2.4525, 2.4525, 2.4525, 2.4525]
weight = 0.1
[[costs]]
name = "calm"
kind = "state"
weights = { q = 0.0, v = 0.005 }
[[constraints]]
name = "there"
kind = "state"
equal = "there"
at = "last"
[[constraints]]
name = "floor"
kind = "frame-translation"
frame = "trunk"
rows = ["z"]
lower = 0.3
"#,
    );
    for (k, eighth) in (1..8).enumerate() {
        // Of exactly half a turn neither side is nearer.
        let angle = if eighth == 4 { 3.1 } else { std::f64::consts::FRAC_PI_4 * f64::from(eighth) };
        let (phase, node) = if eighth == 7 { ("sink", 0) } else { ("turn", 4 * k) };
        task += &format!(
            "[[constraints]]\nname = \"attitude {eighth}\"\nkind = \"frame-rotation\"\nframe = \"trunk\"\n\
             equal = {{ rpy = [{angle}, 0.0, 0.0] }}\nrows = [0, 1]\nphases = [\"{phase}\"]\nat = [{node}]\n"
        );
    }
    let (found, code, said) = answer(&folder, "flip", &task);
    assert_eq!((found["status"].as_str(), code), (Some("converged"), Some(0)), "{said}");
    // Five digits are what is known.
    let off = found["cost"].as_f64().expect("a number") - 0.64294;
    assert!(off < 1e-4, "{}", found["cost"]);
}
