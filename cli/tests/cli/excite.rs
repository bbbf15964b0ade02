//! `gradyn excite`

use super::{directory, good, json, refused, robot, run};
use std::fs;

/// A motion of two joints: what it tells, its file read back by `identify`, its page, the same bits again.
#[test]
fn a_motion_is_found_and_read_back() {
    let here = directory("excite");
    let (csv, page) = (here.join("motion.csv"), here.join("page.html"));
    let (csv, page) = (csv.to_str().expect("UTF-8"), page.to_str().expect("UTF-8"));
    let robot = robot("double_pendulum");
    let arguments =
        ["excite", &robot, "--parameters", "*.pi.*", "--period", "5", "--harmonics", "3", "--rate", "40", "--limits"];
    let limits = ["*.velocity=4,*.acceleration=12,*.position=-1.5..1.5"];
    let files = ["--csv", csv, "--report", page];
    let text = good([&arguments[..], &limits, &["--json"], &files].concat());
    let answer = json(&text);
    assert_eq!(text, good([&arguments[..], &limits, &["--json"]].concat()));
    assert_eq!(answer["base"].as_array().expect("list").len(), 6);
    assert_eq!(answer["parameters"].as_array().expect("list").len(), 20);
    let number = |value: &serde_json::Value| value.as_f64().expect("number");
    assert!(number(&answer["gain"]) > 1.5, "{answer:#}");
    assert_eq!(answer["converged"], true);
    for joint in answer["limits"].as_array().expect("list") {
        for kind in ["position", "velocity", "acceleration", "effort"] {
            // A share of 0.9 is the default; what is reported is of that share.
            assert!(number(&joint[kind]) <= 1.0, "{joint}");
        }
        assert!(number(&joint["velocity"]).max(number(&joint["acceleration"])) > 0.9, "{joint}");
    }
    let table = fs::read_to_string(csv).expect("is there");
    assert_eq!(table.lines().count(), 1 + 201);
    let fast = table.lines().skip(1).flat_map(|line| {
        let fields: Vec<f64> = line.split(',').map(|x| x.parse().expect("number")).collect();
        [fields[3], fields[4]]
    });
    // 0.9 of the limit that was asked for.
    assert!(fast.fold(0.0, |most: f64, v| most.max(v.abs())) <= 3.6);

    // Torques without noise: the masses that they were computed with.
    let arguments = ["identify", &robot, "--data", csv, "--parameters", "*.pi.m?", "--json"];
    let fitted = run(arguments);
    let fitted = json(&String::from_utf8(fitted.stdout).expect("UTF-8"));
    assert!(number(&fitted["relative"]["held_out"]) < 1e-9, "{fitted:#}");
    let html = fs::read_to_string(page).expect("is there");
    assert!(html.contains("class=\"verdict good\"") && html.matches("<svg ").count() == 6, "{html}");
}

#[test]
fn it_says_what_it_uses_and_whether_it_converged() {
    let robot = robot("double_pendulum");
    let arguments = ["excite", &robot, "--parameters", "*.mass,*.com.z", "--period", "5", "--harmonics", "2"];
    let text = good(arguments);
    for part in
        ["base parameter", "largest use of 90 % of the limits", "random motion: condition", "times smaller in the mean"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let short = run([&arguments[..], &["--iterations", "1"]].concat());
    assert_eq!(short.status.code(), Some(1));
    let text = String::from_utf8(short.stdout).expect("UTF-8");
    assert!(text.contains("the limit of iterations is reached"), "{text}");
}

#[test]
fn wrong_questions_are_refused_by_name() {
    let double = robot("double_pendulum");
    let panda = robot("panda");
    for (robot, arguments, part) in [
        (&panda, &["--parameters", "*.mas"][..], "fits `*.mas`"),
        (&panda, &["--parameters", ","], "no parameters"),
        (&panda, &["--parameters", "*.mass", "--period", "-2"], "the period is -2"),
        (&panda, &["--parameters", "*.mass", "--harmonics", "1"], "harmonics is 1"),
        (&panda, &["--parameters", "*.mass", "--rate", "0.9"], "the rate is 0.9 Hz: expected more than 1 Hz"),
        (&panda, &["--parameters", "*.mass", "--share", "1.5"], "--share is 1.5"),
        (
            &panda,
            &["--parameters", "*.mass", "--limits", "panda_joint9.velocity=1"],
            "`panda_joint9`; did you mean `panda_joint",
        ),
        (&panda, &["--parameters", "*.mass", "--limits", "*.speed=1"], "position, velocity, acceleration, effort"),
        (&panda, &["--parameters", "*.mass", "--limits", "*.velocity"], "expected JOINT.KIND=VALUE"),
        (&panda, &["--parameters", "*.mass", "--limits", "*.position=2"], "LEAST..GREATEST"),
        (&panda, &["--parameters", "*.mass", "--limits", "*.velocity=-1"], "velocity of `panda_joint1` is -0.9"),
        (&panda, &["--parameters", "*.mass", "--noise", "panda_joint1=0"], "noise of `panda_joint1` is 0"),
        (&panda, &["--parameters", "*.mass", "--noise", "much"], "--noise: `much`"),
        (&panda, &["--parameters", "*.mass", "--start", "0,0"], "the start has 2 entries, expected 7"),
        (&double, &["--parameters", "*.mass", "--floating-base"], "7 coordinates and 6 velocities"),
    ] {
        let message = refused(&run([&["excite", robot][..], arguments].concat()));
        assert!(message.contains(part), "{part}: {message}");
    }
}
