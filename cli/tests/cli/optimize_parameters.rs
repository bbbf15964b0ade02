//! `gradyn optimize` with `[[parameters]]`.

use super::optimize_broken::refused_at;
use super::{directory, good, json};
use std::fs;
use std::path::{Path, PathBuf};

fn task(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/tasks/{name}.toml"))
}

/// The task of the counterweight, changed, in a folder of its own.
fn changed(folder: &Path, change: impl Fn(&str) -> String) -> String {
    let text = fs::read_to_string(task("pendulum_counterweight")).expect("is there");
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/robots/balanced_pendulum.urdf");
    let text = text.replace("../robots/balanced_pendulum.urdf", robot.to_str().expect("UTF-8"));
    let file = folder.join("counterweight.toml");
    fs::write(&file, change(&text)).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The mass is that of the closed form, in the text, the files and `--explain`; files can be guesses and be compared.
#[test]
fn the_counterweight_is_that_of_the_closed_form() {
    let folder = directory("counterweight");
    let out = folder.join("out");
    let file = changed(&folder, str::to_owned);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    assert!(text.starts_with("all "), "{text}");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[lines.len() - 2], "parameter counterweight = 2.444 kg");
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    // M = A B / (B² + w), with A = m c g sin q, B = b g sin q.
    let (a, b) = (9.81 * 1.0_f64.sin(), 0.4 * 9.81 * 1.0_f64.sin());
    let found = answer["parameters"]["counterweight"][0].as_f64().expect("a number");
    assert!((found - a * b / (b * b + 0.25)).abs() < 1e-6, "{found}");
    // The node that chooses it is none of the motion.
    for (key, n) in [("time", 21), ("phase", 21), ("q", 21), ("u", 20), ("tau", 20), ("gains", 20)] {
        assert_eq!(answer[key].as_array().expect("a list").len(), n, "{key}");
    }
    assert_eq!(answer["phase"][0], "hold");
    let page = fs::read_to_string(out.join("report.html")).expect("is there");
    assert!(page.contains("<h2>Parameters</h2>") && page.contains("counterweight"));
    let explained = good(["optimize", &file, "--explain"]);
    let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["21 nodes", "counterweight point-mass weight kg 0 to 5", "price parameter counterweight"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    for theirs in ["trajectory.json", "trajectory.npz"] {
        let theirs = out.join(theirs);
        let text = good(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]);
        assert!(text.contains("largest violation"), "{text}");
        let violation = answer["violation"].as_f64().expect("a number");
        assert!(violation < 1e-6, "{violation}");
        // From the solution the solver has less to do than from a guess.
        let again = changed(&folder, |text| format!("{text}\n[guess]\nfile = \"{}\"\n", theirs.display()));
        let text = good(["optimize", &again]);
        let first = text.lines().nth(1).expect("a line of an iteration");
        let cost: f64 = first.split_whitespace().nth(1).expect("a cost").parse().expect("a number");
        let least = answer["cost"].as_f64().expect("a number");
        assert!((cost - least).abs() < 1e-3 * least, "{first}: {least}");
    }
}

/// The hand comes down between the edges of the table, where it is easiest.
#[test]
fn the_hand_is_put_down_at_a_place_that_is_chosen() {
    let folder = directory("put-down");
    let path = task("arm_put_down");
    let text = good(["optimize", path.to_str().expect("UTF-8"), "--output", folder.to_str().expect("UTF-8")]);
    assert!(text.contains("parameter place = "), "{text}");
    let answer = json(&fs::read_to_string(folder.join("trajectory.json")).expect("is there"));
    let place: Vec<f64> = answer["parameters"]["place"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect();
    for (x, [lower, upper]) in place.iter().zip([[0.2, 0.6], [0.15, 0.4], [0.3, 0.3]]) {
        assert!(*x >= lower - 1e-6 && *x <= upper + 1e-6, "{place:?}");
    }
    assert!(answer["constraints"]["hand"]["violation"].as_f64().expect("a number") < 1e-6);
}

/// A number of the robot by its name of `sensitivity --parameters`: the same solution as by kind and element, and
/// errors with their line.
#[test]
fn numbers_of_the_robot_are_found_by_name() {
    let folder = directory("by_name");
    let by_kind = "kind = \"point-mass\"\nframe = \"weight\"";
    let with = |of: &str| changed(&folder, |text| text.replace(by_kind, of));
    let text = good(["optimize", &with("of = \"weight.point_mass\"")]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[lines.len() - 2], "parameter counterweight = 2.444 kg");
    let cases: [(&str, &str, &[&str]); 3] = [
        ("of = \"wieght.point_mass\"", "wieght", &["`parameters[0].of`", "did you mean `weight.point_mass`?"]),
        ("of = \"gravity.z\"", "gravity.z", &["`parameters[0].of`", "cannot choose `gravity.z`"]),
        ("of = \"rod.mass\"\nlink = \"rod\"", "link = \"rod\"", &["`parameters[0].link`"]),
    ];
    for (of, line, expected) in cases {
        refused_at(&with(of), line, expected);
    }
}

/// What is wrong is said on one line, with the file, the line of what is wrong, its key, and what it should be.
#[test]
fn broken_parameters_are_refused_with_their_line() {
    let cases: [(&str, &str, &str, &[&str]); 15] = [
        (
            "kind = \"point-mass\"",
            "kind = \"pointmass\"",
            "pointmass",
            &["`parameters[0].kind`", "did you mean `point-mass`?"],
        ),
        ("frame = \"weight\"", "frame = \"wieght\"", "frame = ", &["`parameters[0].frame`", "did you mean `weight`?"]),
        ("frame = \"weight\"", "", "[[parameters]]", &["`parameters[0]`", "missing key `frame`"]),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"mass\"\nlink = \"weight\"",
            "link",
            &["no link that moves by itself `weight`", "rod"],
        ),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"center\"\nlink = \"rod\"",
            "[[parameters]]",
            &["missing key `entry`", "x, y, z"],
        ),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"center\"\nlink = \"rod\"\nentry = \"w\"",
            "entry",
            &["there is no entry `w`", "x, y, z"],
        ),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"armature\"\njoint = \"hing\"",
            "joint",
            &["did you mean `hinge`?"],
        ),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"armature\"\njoint = \"hinge\"\nentry = 1",
            "entry",
            &["from 0 to 0", "the number 1"],
        ),
        (
            "kind = \"point-mass\"\nframe = \"weight\"",
            "kind = \"damping\"\njoint = \"hinge\"",
            "[[parameters]]",
            &["parameter `counterweight`", "joint friction is on"],
        ),
        (
            "upper = 5.0",
            "upper = 5.0\nlower = 6.0",
            "[[parameters]]",
            &["parameter `counterweight`", "6", "not above the upper one"],
        ),
        ("upper = 5.0", "lower = -1.0", "[[parameters]]", &["parameter `counterweight`", "-1", "below zero"]),
        ("guess = 1.0", "gues = 1.0", "gues", &["`parameters[0].gues`", "did you mean `guess`?"]),
        ("kind = \"point-mass\"\nframe = \"weight\"\nguess = 1.0", "", "[[parameters]]", &["missing key `guess`"]),
        (
            "parameter = \"counterweight\"",
            "parameter = \"counterwieght\"",
            "counterwieght",
            &["`costs[1].parameter`", "did you mean `counterweight`?"],
        ),
        (
            "kind = \"control\"",
            "kind = \"state\"\nparameter = \"counterweight\"",
            "[[costs]]",
            &["parameter `counterweight`", "1", "2"],
        ),
    ];
    let folder = directory("broken-parameters");
    for (from, to, at, said) in cases {
        let file = changed(&folder, |text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        refused_at(&file, at, said);
    }
}
