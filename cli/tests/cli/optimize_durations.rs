//! `gradyn optimize` with phases whose durations the solver chooses.

use super::optimize::task;
use super::optimize_broken::refused_at;
use super::{directory, good, json, refused, robot, robots, run};
use std::fs;
use std::path::Path;

/// The task of the arm in a hurry, changed, in a folder of its own.
fn changed(folder: &Path, change: impl Fn(&str) -> String) -> String {
    let text = fs::read_to_string(task("arm_in_a_hurry")).expect("is there");
    let text = text.replace("../../robots", robots().to_str().expect("UTF-8"));
    let file = folder.join("hurry.toml");
    fs::write(&file, change(&text)).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The time that is chosen is said, and is that of the files; files can be compared and be guesses.
#[test]
fn the_shortest_time_is_found_and_written() {
    let folder = directory("hurry");
    let out = folder.join("out");
    let file = changed(&folder, str::to_owned);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    let seconds = answer["durations"]["reach"].as_f64().expect("a number");
    assert!(text.contains("\nduration of reach: 0.6"), "{text}");
    let time: Vec<f64> =
        answer["time"].as_array().expect("a list").iter().map(|t| t.as_f64().expect("a number")).collect();
    assert_eq!(time.len(), 51);
    for (k, t) in time.iter().enumerate() {
        // A sum of 50 numbers.
        assert!((t - seconds * k as f64 / 50.0).abs() < 1e-14, "{k}: {t}");
    }
    // Shorter than the guess, and as fast as a joint may be somewhere.
    assert!(seconds < 0.75, "{seconds}");
    assert!(answer["constraints"]["velocity limits"]["active"].as_u64() > Some(0), "{answer}");
    let page = fs::read_to_string(out.join("report.html")).expect("is there");
    assert!(page.contains("<td>duration</td>"), "the page names it");
    let explained = good(["optimize", &file, "--explain"]);
    assert!(explained.contains("reach lasts from 0.1 to 5 s, as the solver chooses"), "{explained}");
    for theirs in ["trajectory.json", "trajectory.npz"] {
        let theirs = out.join(theirs);
        let text = good(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]);
        let cost = text.lines().find_map(|line| line.strip_prefix("cost")).expect("a line");
        let cost: f64 = cost.trim().parse().expect("a number");
        let least = answer["cost"].as_f64().expect("a number");
        // The text has ten digits.
        assert!((cost - least).abs() < 1e-9, "{cost} {least}");
        let again = changed(&folder, |text| format!("{text}\n[guess]\nfile = \"{}\"\n", theirs.display()));
        let text = good(["optimize", &again]);
        let first = text.lines().nth(1).expect("a line of an iteration");
        let cost: f64 = first.split_whitespace().nth(1).expect("a cost").parse().expect("a number");
        // The first step goes a per cent away from it, since the barrier begins anew; from the start at rest it is at a
        // sixth.
        assert!((cost - least).abs() < 1e-2 * least, "{first}: {least}");
    }
}

#[test]
fn what_cannot_be_free_is_refused_with_its_line() {
    let cases: [(&str, &str, &str, &[&str]); 6] = [
        ("[0.1, 5.0]", "0.5", "free_duration", &["key `phases[0].free_duration`", "the least and the most, s"]),
        ("[0.1, 5.0]", "[0.1]", "free_duration", &["expected 2 numbers", "found 1"]),
        ("[0.1, 5.0]", "[0.0, 5.0]", "free_duration", &["positive"]),
        ("[0.1, 5.0]", "[5.0, 0.1]", "free_duration", &["key `phases[0].free_duration`", "5 s", "0.1 s"]),
        ("dt = 0.015", "dt = 0.015\nscheme = \"rk4\"", "free_duration", &["phase `reach`", "only Euler's steps"]),
        (
            "kind = \"frame-translation\"\nframe = \"tool0\"\nequal = [-0.3, 0.5, 0.5]",
            "kind = \"duration\"\nupper = 1.0",
            "[[constraints]]",
            &["`duration` is for `[[costs]]`", "`free_duration` of a phase"],
        ),
    ];
    let folder = directory("hurry_broken");
    for (from, to, at, said) in cases {
        let file = changed(&folder, |text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        refused_at(&file, at, said);
    }
    let file = changed(&folder, str::to_owned);
    let task = ["sensitivity", &robot("ur5"), "--parameters", "*.mass", "--task", &file];
    let message = refused(&run(task));
    assert!(message.contains("how long `reach` lasts") && message.contains("`free_duration`"), "{message}");
}
