//! Files of trajectories that `gradyn optimize` reads: in another program's order, its own to begin again, and what is
//! wrong with them.

use super::optimize::{SMALL, flat, small};
use super::optimize_broken::refused_at;
use super::optimize_constraints::constrained;
use super::{directory, good, json, refused, robots, run};
use std::fs;
use std::path::Path;

fn solved(folder: &Path, file: &str) -> (serde_json::Value, String) {
    let out = folder.join("out");
    let text = good(["optimize", file, "--output", out.to_str().expect("UTF-8")]);
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    (answer, text.lines().last().expect("lines").to_owned())
}

fn compared(file: &str, theirs: &Path) -> String {
    good(["optimize", file, "--compare", theirs.to_str().expect("UTF-8")])
}

/// The same trajectory with its joints and controls in another order, which it names, is the same trajectory.
#[test]
fn columns_are_read_by_their_names() {
    let folder = directory("named-columns");
    let file = small(&folder, str::to_owned);
    let (answer, _) = solved(&folder, &file);
    let said = compared(&file, &folder.join("out/trajectory.json"));
    let turned = |key: &str| -> Vec<Vec<f64>> {
        answer[key].as_array().expect("a list").iter().map(|row| flat(row).into_iter().rev().collect()).collect()
    };
    let theirs = folder.join("theirs.json");
    let names = |joints: &[&str], controls: &[&str]| {
        let value = serde_json::json!({
            "q": turned("q"), "v": turned("v"), "u": turned("u"), "joints": joints, "controls": controls
        });
        fs::write(&theirs, value.to_string()).expect("writes");
    };
    names(&["elbow", "shoulder"], &["elbow", "shoulder"]);
    assert_eq!(compared(&file, &theirs), said);
    // In the order of the task they would be something else.
    names(&["shoulder", "elbow"], &["shoulder", "elbow"]);
    assert!(compared(&file, &theirs) != said);
    for (joints, controls, part) in [
        (["elbw", "shoulder"], ["elbow", "shoulder"], "found `elbw`; did you mean `elbow`?"),
        (["elbow", "elbow"], ["elbow", "shoulder"], "`elbow` is there twice"),
        (["elbow", "shoulder"], ["elbow", "sholder"], "there is no control `sholder`; did you mean `shoulder`?"),
        (["elbow", "shoulder"], ["elbow", "elbow"], "key `controls`, entry 1: `elbow` is there twice"),
    ] {
        names(&joints, &controls);
        let message = refused(&run(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]));
        assert!(message.contains(part), "{part}: {message}");
    }
    for (key, value, part) in [
        ("joints", serde_json::json!(["elbow"]), "`joints` lacks `shoulder`"),
        ("joints", serde_json::json!(3), "key `joints`: expected a list of names"),
        ("controls", serde_json::json!(["elbow"]), "key `controls` lacks `shoulder`"),
        ("controls", serde_json::json!([1, 2]), "key `controls`: expected names of controls, found numbers"),
        ("joint_names", serde_json::json!(["elbow", "shoulder"]), "key `joint_names`: names are read from `joints`"),
    ] {
        let mut value_of = serde_json::json!({ "q": turned("q"), "v": turned("v"), "u": turned("u") });
        value_of[key] = value;
        fs::write(&theirs, value_of.to_string()).expect("writes");
        let message = refused(&run(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]));
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// A long name moves the numbers to the right.
#[test]
fn long_names_of_costs_do_not_touch_their_numbers() {
    let folder = directory("long-names");
    let long = "a name of twenty and more letters";
    let file = small(&folder, |text| text.replace("name = \"torque\"", &format!("name = \"{long}\"")));
    solved(&folder, &file);
    let text = compared(&file, &folder.join("out/trajectory.json"));
    assert!(text.contains(&format!("  {long}  ")), "{text}");
    let ends: Vec<usize> = text.lines().take(3).map(|line| line.rfind("  ").expect("two columns") + 2).collect();
    assert!(ends.iter().all(|end| *end == ends[0]), "{text}");
}

/// Restarted from its own solution a solver sees that nothing is left to do, of bounds and equalities, by either
/// method.
#[test]
fn a_solution_is_where_the_next_one_begins() {
    for (solver, name) in [("newton", "warm-newton"), ("proximal", "warm-proximal")] {
        let folder = directory(name);
        let file =
            small(&folder, |text| constrained(text).replace("name = \"newton\"", &format!("name = \"{solver}\"")));
        let (answer, first) = solved(&folder, &file);
        assert_eq!(answer["warm_start"]["solver"], solver);
        let text = fs::read_to_string(&file).expect("is there");
        let begin = text.split("[guess]").next().expect("a part").to_owned();
        let again = folder.join("again.toml");
        fs::write(&again, format!("{begin}[guess]\nfile = \"out/trajectory.json\"\n")).expect("writes");
        let last = good(["optimize", again.to_str().expect("UTF-8")]).lines().last().expect("lines").to_owned();
        assert!(["1 iterations", "2 iterations", "3 iterations"].iter().any(|n| last.contains(n)), "{last}");
        // What it says of the solution is the same.
        let cost = |line: &str| line.split("cost ").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned);
        assert_eq!(cost(&last), cost(&first));

        // Without multipliers it is a guess as any other, and those of another solver are left out, which is said.
        let mut plain = answer.clone();
        plain.as_object_mut().expect("an object").remove("warm_start");
        fs::write(folder.join("out/trajectory.json"), plain.to_string()).expect("writes");
        let cold = good(["optimize", again.to_str().expect("UTF-8")]);
        assert!(cold.lines().last().expect("lines").starts_with("converged: "), "{cold}");
        plain["warm_start"] = answer["warm_start"].clone();
        plain["warm_start"]["solver"] = "fddp".into();
        fs::write(folder.join("out/trajectory.json"), plain.to_string()).expect("writes");
        let output = run(["optimize", again.to_str().expect("UTF-8")]);
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(errors.contains("of the solver `fddp`") && errors.contains("only the trajectory is taken"), "{errors}");

        // Wrong types, values and names are one line.
        for (change, said) in [
            (serde_json::json!(3), "key `warm_start`: expected an object"),
            (serde_json::json!({"solver": 3}), "key `warm_start.solver`: expected the name of a solver"),
            (serde_json::json!({"mu": -1.0}), "key `warm_start.mu`: expected a number that is not negative"),
            (serde_json::json!({"scale": 0.0}), "key `warm_start.scale`: expected a positive number"),
            (serde_json::json!({"sclae": 1.0}), "there is no key `sclae`; did you mean `scale`?"),
            (serde_json::json!({"nodes": 3}), "key `warm_start.nodes`: expected a list of objects"),
            (serde_json::json!({"nodes": [{"costat": []}]}), "did you mean `costate`?"),
            (serde_json::json!({"nodes": [{"costate": 3}]}), "entry 0, costate`: expected a list of numbers"),
            (serde_json::json!({"mu": 1.0}), "key `warm_start`: missing key `solver`"),
        ] {
            plain["warm_start"] = change;
            fs::write(folder.join("out/trajectory.json"), plain.to_string()).expect("writes");
            refused_at(again.to_str().expect("UTF-8"), "file = \"out", &["key `guess.file`", "trajectory.json", said]);
        }
    }
}

/// Files of guesses that are wrong are named with the task's line and key, and with their own key.
#[test]
fn broken_files_of_guesses_are_refused_with_their_line() {
    let folder = directory("broken-guess-files");
    let file = small(&folder, |text| {
        text.split("[guess]").next().expect("a part").to_owned() + "[guess]\nfile = \"theirs.json\"\n"
    });
    for (text, said) in [
        ("{", "the text ends within an object"),
        ("[1]", "expected an object with q, v and u"),
        ("{}", "missing `q`"),
        ("{\"q\": \"a\", \"v\": [[0, 0]], \"u\": []}", "key `q`: expected lists of numbers, found a string"),
        ("{\"q\": [[0]], \"v\": [[0, 0]], \"u\": []}", "key `q`, entry 0: it has 1 numbers, expected nq = 2"),
        ("{\"q\": [[0, 0]], \"v\": [[0, 0, 0]], \"u\": []}", "key `v`, entry 0: it has 3 numbers, expected nv = 2"),
        (
            "{\"q\": [[0, 0], [0, 0]], \"v\": [[0, 0], [0, 0]], \"u\": [[0]], \"time\": [0, 1]}",
            "key `u`: node 0 has 1 controls, expected 2",
        ),
        (
            "{\"q\": [[0, 0], [0, 0]], \"v\": [[0, 0], [0, 0]], \"u\": [[0, 0]], \"time\": [1, 0]}",
            "key `time`, entry 1: 0 is before 1",
        ),
        (
            "{\"q\": [[0, 0], [0, 0]], \"v\": [[0, 0], [0, 0]], \"u\": [[0, 0]], \"time\": [0]}",
            "key `time`: it has 1 entries, expected 2",
        ),
    ] {
        fs::write(folder.join("theirs.json"), text).expect("writes");
        refused_at(&file, "file = \"theirs", &["key `guess.file`", "theirs.json", said]);
    }
    fs::remove_file(folder.join("theirs.json")).expect("was there");
    refused_at(&file, "file = \"theirs", &["key `guess.file`", "cannot read", "theirs.json"]);
}

/// Motors, durations, losses and limits that are wrong are named with their line and key.
#[test]
fn motors_durations_losses_and_limits_are_refused_with_their_line() {
    let forms = "{ log-barrier = { lower, upper, width } }";
    let rate = "kind = \"control-rate\"\nbefore = ";
    let before = |value: &str| format!("{rate}{value}");
    let cases: Vec<(&str, String, &str, Vec<&str>)> = vec![
        (
            "\"shoulder\", \"elbow\"]",
            "\"elbow\", \"elbow\"]".into(),
            "joints = ",
            vec!["`actuation.joints[1]`", "twice"],
        ),
        (
            "joints = [",
            "bounds = { lower = [0.0, 2.0], upper = 1.0 }\njoints = [".into(),
            "bounds",
            vec!["key `actuation.bounds`", "the lower bound of `elbow`, 2, is above the upper one, 1"],
        ),
        (
            "nodes = 20",
            "nodes = 20\nfree_duration = [0.5, 0.1]".into(),
            "free_duration",
            vec!["key `phases[0].free_duration`", "0.5 s", "0.1 s"],
        ),
        (
            "nodes = 20",
            "nodes = 20\nscheme = \"rk4\"\nfree_duration = [0.1, 0.5]".into(),
            "free_duration",
            vec!["key `phases[0].free_duration`", "only Euler's steps"],
        ),
        (
            "weight = 0.01",
            "loss = \"hubre\"".into(),
            "loss",
            vec!["`costs[2].loss`", "no loss `hubre`", "{ huber = w }", forms],
        ),
        (
            "weight = 0.01",
            "loss = { hubre = 1.0 }".into(),
            "loss",
            vec!["`costs[2].loss.hubre`", "{ smooth-l1 = w }", forms],
        ),
        ("weight = 0.01", "loss = 3".into(), "loss", vec!["key `costs[2].loss`", forms, "found the number 3"]),
        (
            "weight = 0.01",
            "loss = { outside = { lower = 2.0, upper = 1.0 } }".into(),
            "loss",
            vec!["key `costs[2].loss.outside`", "a lower bound, 2, is above the upper one, 1"],
        ),
        ("[[phases]]", "[limits]\njoints = { elbw = {} }\n[[phases]]".into(), "elbw", vec!["did you mean `elbow`?"]),
        (
            "[[phases]]",
            "[limits]\njoints = { elbow = { efort = 1.0 } }\n[[phases]]".into(),
            "efort",
            vec!["key `limits.joints.elbow.efort`", "did you mean `effort`?"],
        ),
        (
            "[[phases]]",
            "[limits]\njoints = { elbow = { effort = 0.0 } }\n[[phases]]".into(),
            "effort = 0",
            vec!["key `limits.joints.elbow.effort`", "a positive number, or inf", "0.0"],
        ),
        (
            "[[phases]]",
            "[limits]\njoints = { elbow = { velocity = \"x\" } }\n[[phases]]".into(),
            "velocity = ",
            vec!["key `limits.joints.elbow.velocity`", "a positive number, or inf", "text `x`"],
        ),
        (
            "[[phases]]",
            "[limits]\njoints = { elbow = { position = [1.0, -1.0] } }\n[[phases]]".into(),
            "position = ",
            vec!["the lower limit, 1, is above the upper one, -1"],
        ),
        (
            "kind = \"control\"",
            before("[1.0]"),
            "before",
            vec!["key `costs[2].before`", "expected 2 numbers", "found 1"],
        ),
        ("kind = \"control\"", before("3"), "before", vec!["key `costs[2].before`", "a list with one number an entry"]),
        (
            "kind = \"control\"",
            before("{ elbw = 1.0 }"),
            "before",
            vec!["`costs[2].before.elbw`", "did you mean `elbow`?"],
        ),
        (
            "kind = \"control\"",
            before("{ elbow = 1.0 }"),
            "before",
            vec!["control `shoulder` is left out", "`default`"],
        ),
        (
            "kind = \"control\"",
            before("[1.0, 2.0]\n[[costs]]\nname = \"again\"\nkind = \"control-rate\"\nbefore = [1.0, 3.0]"),
            "name = \"again\"",
            vec!["key `costs[3].before`", "[1.0, 2.0] as `torque` says, found [1.0, 3.0]"],
        ),
        ("kind = \"control\"", "kind = \"control\"\nbefore = [0.0, 0.0]".into(), "before", vec!["no key `before`"]),
    ];
    let folder = directory("broken-motors");
    for (from, to, at, said) in cases {
        assert!(SMALL.contains(from), "{from}");
        let file = small(&folder, |text| text.replacen(from, &to, 1));
        // A table is named where it begins.
        let at = if at == "name = \"again\"" { "[[costs]]\nname = \"again\"" } else { at };
        if at.contains('\n') {
            let message = refused(&run(["optimize", &file]));
            assert!(said.iter().all(|part| message.contains(part)), "{message}");
        } else {
            refused_at(&file, at, &said);
        }
    }
    // A robot without joints has no motors.
    let fixed = "<robot name=\"f\"><link name=\"a\"/><link name=\"tip\"/><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"tip\"/></joint></robot>";
    fs::write(folder.join("fixed.urdf"), fixed).expect("writes");
    let task = "[robot]\nfile = \"fixed.urdf\"\n[[phases]]\nname = \"a\"\nnodes = 1\n[[costs]]\nkind = \"control\"\n";
    fs::write(folder.join("fixed.toml"), task).expect("writes");
    let file = folder.join("fixed.toml");
    refused_at(file.to_str().expect("UTF-8"), "[robot]", &["key `robot`", "no joint has a motor"]);
}

/// Limits of zero are warned of where they are used, with the key that says others, which helps.
#[test]
fn limits_of_zero_are_warned_of() {
    let folder = directory("zero-limits");
    let robot = fs::read_to_string(robots().join("double_pendulum.urdf")).expect("is there");
    let robot = robot.replace("effort=\"100\"", "effort=\"0\"");
    assert!(robot.contains("effort=\"0\""), "{robot}");
    fs::write(folder.join("zero.urdf"), robot).expect("writes");
    let with = |limits: &str, bounds: &str| {
        small(&folder, |text| {
            let robot = text.lines().find(|line| line.starts_with("file = ")).expect("a robot").to_owned();
            let text = text.replace(&robot, "file = \"zero.urdf\"");
            text.replace("[[phases]]", &format!("{bounds}\n{limits}\n[[phases]]"))
        })
    };
    let warned = |file: &str| {
        let output = run(["optimize", file]);
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (_, errors) = warned(&with("", "bounds = \"effort\""));
    for part in [
        "joint `shoulder`: effort limit 0",
        "key `actuation.bounds`: joints `shoulder`, `elbow` have a limit of 0",
        "`limits.joints.shoulder.effort`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let (_, errors) = warned(&with("[limits]\ntorque = true", ""));
    assert!(errors.contains("key `limits.torque`: joints `shoulder`, `elbow` have a limit of 0"), "{errors}");
    // Where they are not used, only the file is said to have them.
    let (code, errors) = warned(&with("", ""));
    assert!(code == Some(0) && !errors.contains("have a limit of 0"), "{errors}");
    let others = "[limits]\njoints = { shoulder = { effort = 30.0 }, elbow = { effort = 20.0 } }";
    let file = with(others, "bounds = \"effort\"");
    let (code, errors) = warned(&file);
    assert!(code == Some(0) && !errors.contains("have a limit of 0"), "{errors}");
    let text = good(["optimize", &file, "--explain"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("bounds -30 to 30, -20 to 20") && text.contains("solver fddp"), "{text}");
}
