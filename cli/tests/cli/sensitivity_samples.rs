//! Samples of `gradyn sensitivity`: too many, from a file, in groups, stopped and resumed.

use super::sensitivity::{json, of};
use super::{directory, good, refused, robot, run};
use serde_json::Value;
use std::fmt::Write;
use std::fs;

/// More samples than memory holds are refused before any is drawn.
#[test]
fn too_many_samples_are_refused() {
    let panda = robot("panda");
    let common = ["sensitivity", &panda, "--parameters", "*.mass"];
    for more in [&["--global", "sobol"][..], &["--global", "morris"], &["--global", "dgsm"], &["--uncertainty"]] {
        let message = refused(&run([&common[..], more, &["--samples", "3000000000"]].concat()));
        assert!(
            message.contains("--samples 3000000000") && message.contains("TB of memory")
                || message.contains("GB of memory"),
            "{message}"
        );
        let message = refused(&run([&common[..], more, &["--samples", "1000", "--max-memory", "10kB"]].concat()));
        assert!(message.contains("expected 10 kB at most (as --max-memory says)"), "{message}");
    }
}

/// Torques are linear in masses: pairs do nothing together, a group does what its parameters do, and bounds are total
/// indices; of two poses' placements bounds are above them.
#[test]
fn pairs_groups_and_bounds_are_those_of_a_linear_map() {
    let panda = robot("panda");
    let ask = |more: &[&str]| {
        let common = ["sensitivity", &panda, "--parameters", "*.mass", "--json", "--share", "0.02"];
        json(&good([&common[..], more].concat()))
    };
    let local = ask(&[]);
    let sobol = ["--global", "sobol", "--samples", "1024"];
    let grouped = ask(&[&sobol[..], &["--second-order", "--group", "arm=panda_link[2-4].mass"]].concat());
    let share = |answer: &Value, name: &str| of(answer, name)["share"]["value"].as_f64().expect("number");
    let sum: f64 = (2..5).map(|k| share(&local, &format!("panda_link{k}.mass"))).sum();
    let found = &of(&grouped, "arm")["share"];
    let (value, half) = (found["value"].as_f64().expect("number"), found["half_width"].as_f64().expect("number"));
    assert!((value - sum).abs() < half, "{value} ± {half} against {sum}");
    assert_eq!(of(&grouped, "arm")["members"].as_array().expect("list").len(), 3);
    assert_eq!(grouped["columns"][0], "arm");
    for output in grouped["outputs"].as_array().expect("list").iter().filter(|output| output["without_index"].is_null())
    {
        for pair in output["second"].as_array().expect("list") {
            let (value, half) = (&pair["index"]["value"], &pair["index"]["half_width"]);
            let [value, half] = [value, half].map(|x| x.as_f64().expect("number"));
            // Four standard deviations: there are some hundred of them.
            assert!(value.abs() < 2.1 * half + 1e-9, "{pair}");
        }
    }
    let bounds = ask(&["--global", "dgsm", "--samples", "2000"]);
    for k in 2..8 {
        let name = format!("panda_link{k}.mass");
        let (total, exact) = (&of(&bounds, &name)["total"], share(&local, &name));
        let [value, half] = [&total["value"], &total["half_width"]].map(|x| x.as_f64().expect("number"));
        // Of lognormal parameters 2 % wide, bounds are above indices by 1 %, and by what samples are off.
        assert!((value - exact).abs() < 2.0 * half + 0.02 * exact, "{name}: {value} ± {half} against {exact}");
    }
    // A pose turns by finite angles, of which the rotation vector is not linear.
    let common = [
        "sensitivity",
        &panda,
        "--parameters",
        "panda_joint[456].placement.r?",
        "--of",
        "pose",
        "--frame",
        "panda_link8",
    ];
    let pose = |more: &[&str]| json(&good([&common[..], more, &["--json", "--share", "0.3"]].concat()));
    let (total, bound) = (pose(&["--global", "sobol"]), pose(&["--global", "dgsm"]));
    for (total, bound) in
        total["outputs"].as_array().expect("list").iter().zip(bound["outputs"].as_array().expect("list"))
    {
        for (total, bound) in
            total["total"].as_array().expect("list").iter().zip(bound["bound"].as_array().expect("list"))
        {
            let upper = bound["value"].as_f64().expect("number") + 2.0 * bound["half_width"].as_f64().expect("number");
            assert!(total["value"].as_f64().expect("number") < upper + 0.02, "{total} above {bound}");
        }
    }
    for (more, part) in [
        (&["--second-order", "--global", "morris"][..], "--second-order is of Sobol's indices"),
        (&["--group", "a=*.mass", "--global", "dgsm"], "--group is of Sobol's indices"),
        (&["--global", "sobol", "--group", "*.mass"], "expected NAME=LIST"),
        (&["--global", "sobol", "--group", "a=panda_link4.mas"], "the nearest is `panda_link4.mass`"),
        (&["--global", "sobol", "--group", "a=*.mass", "--group", "b=panda_link3.mass"], "is in another group already"),
        (&["--global", "sobol", "--group", "panda_link3.mass=*.mass"], "already"),
        (&["--global", "dgmm"], "dgsm"),
        (&["--global", "sobol", "--resume", "nowhere/left.json"], "--resume: there is no folder nowhere"),
    ] {
        let message = refused(&run([&["sensitivity", &panda, "--parameters", "*.mass"], more].concat()));
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// Samples of one's own, in the order of each method, give what samples of the command's own would.
#[test]
fn samples_come_from_a_file() {
    let here = directory("own-samples");
    let file = here.join("samples.csv");
    let path = file.to_str().expect("UTF-8");
    let ur5 = robot("ur5");
    let common = ["sensitivity", &ur5, "--parameters", "wrist_[12]_link.mass", "--state", "random", "--json"];
    let ask = |more: &[&str]| json(&good([&common[..], &["--sample-file", path], more].concat()));
    // Rows of A, A with one number of B, B; columns in another order than that of the parameters.
    let mut random = testing::Random::new(5);
    let mut text = String::from("wrist_2_link.mass, \"wrist_1_link.mass\"\n");
    let mut plain = text.clone();
    for _ in 0..256 {
        let [a, b] = [0, 1].map(|_| [random.range(1.0, 1.4), random.range(1.0, 1.4)]);
        // The first parameter is `wrist_1_link.mass`.
        for [x, y] in [a, [a[0], b[1]], [b[0], a[1]], b] {
            let _ = writeln!(text, "{x:?},{y:?}");
            let _ = writeln!(plain, "{x:?},{y:?}");
        }
    }
    fs::write(&file, &text).expect("writes");
    let (own, local) = (ask(&["--global", "sobol"]), json(&good(common)));
    assert_eq!((&own["samples"], &own["evaluations"]), (&1024.into(), &1024.into()));
    for name in ["wrist_1_link.mass", "wrist_2_link.mass"] {
        // Linear, and both are as uncertain; of the local analysis to nearly the same share of 1.219 kg.
        let [own, local] = [&own, &local].map(|answer| of(answer, name)["share"].clone());
        let [value, half] = [&own["value"], &own["half_width"]].map(|x| x.as_f64().expect("number"));
        assert!((value - local["value"].as_f64().expect("number")).abs() < 2.0 * half, "{name}: {own} {local}");
    }
    let bounds = ask(&["--global", "dgsm"]);
    assert!(of(&bounds, "wrist_1_link.mass")["total"]["value"].is_number());
    fs::write(&file, "wrist_1_link.mass,wrist_2_link.mass\n1,1\n1.1,1\n1.1,1.1\n1,1\n1,1.2\n1.2,1.2\n")
        .expect("writes");
    let effects = ask(&["--global", "morris"]);
    assert!(effects["outputs"][0]["effect"][0]["value"].is_number(), "{effects}");
    for (text, method, part) in [
        (
            "wrist_1_link.mas,wrist_2_link.mass\n",
            "sobol",
            "line 1: column `wrist_1_link.mas` is not one of the parameters that vary; did you mean `wrist_1_link.mass`?",
        ),
        ("wrist_1_link.mass,wrist_1_link.mass\n", "sobol", "line 1: column `wrist_1_link.mass` stands twice"),
        ("wrist_1_link.mass\n1\n", "sobol", "line 1: there is no column `wrist_2_link.mass`"),
        (
            "wrist_1_link.mass,wrist_2_link.mass\n1,x\n",
            "sobol",
            "line 2: `x` of column `wrist_2_link.mass` is not a finite number",
        ),
        ("wrist_1_link.mass,wrist_2_link.mass\n1\n", "sobol", "line 2: expected 2 numbers, as many as names, found 1"),
        ("wrist_1_link.mass,wrist_2_link.mass\n1,1\n2,2\n3,3\n", "sobol", "3 samples, expected a multiple of 4"),
        (
            "wrist_1_link.mass,wrist_2_link.mass\n1,1\n2,3\n1,2\n2,2\n",
            "sobol",
            "line 3: the number of parameter 2 is 3, expected 1",
        ),
        ("wrist_1_link.mass,wrist_2_link.mass\n1,1\n2,2\n1,2\n", "morris", "moves 2 parameters"),
    ] {
        fs::write(&file, text).expect("writes");
        let message = refused(&run([&common[..], &["--sample-file", path, "--global", method]].concat()));
        assert!(message.contains(part) && message.contains("samples.csv"), "{part}: {message}");
    }
}

/// Ctrl-C leaves a file, and the same command goes on from there to the same answer.
#[cfg(unix)]
#[test]
fn samples_that_are_stopped_go_on() {
    use crate::signals;
    use std::process::Stdio;
    use std::time::Duration;
    use testing::Running;
    let here = directory("sensitivity-resume");
    let left = here.join("left.json");
    let file = left.to_str().expect("UTF-8");
    let text = std::fs::read_to_string(robot("panda")).expect("reads");
    let own = here.join("panda.urdf");
    std::fs::write(&own, &text).expect("writes");
    let robot = own.to_str().expect("UTF-8").to_owned();
    let ask = |samples: &'static str| {
        [
            "sensitivity",
            &robot,
            "--parameters",
            "*.pi.*",
            "--of",
            "ddq",
            "--global",
            "sobol",
            "--samples",
            samples,
            "--json",
        ]
        .map(str::to_owned)
    };
    // So many that it takes seconds; stopped as soon as it is at work, and again.
    for name in ["INT", "TERM"] {
        let stopped = [300, 600, 1200].into_iter().any(|wait| {
            let mut gradyn = signals::gradyn();
            gradyn.args(ask("8192")).args(["--resume", file]).stdout(Stdio::piped()).stderr(Stdio::null());
            let program = Running::start(&mut gradyn);
            std::thread::sleep(Duration::from_millis(wait));
            signals::send(signals::heeded(name, &program).0, &program);
            let output = program.finish(b"");
            let stopped = output.status.code() == Some(1);
            assert!(!stopped || String::from_utf8_lossy(&output.stdout).contains("go on with --resume"));
            stopped && left.is_file()
        });
        if !stopped {
            println!("skipped: SIG{name} came too early or too late each time");
            return;
        }
    }
    let other = refused(&run(ask("1024").iter().map(String::as_str).chain(["--resume", file])));
    assert!(other.contains("it holds samples of"), "{other}");
    // Another mass in the same file is another robot.
    let heavier = text.replacen("<mass value=\"", "<mass value=\"1", 1);
    assert_ne!(heavier, text);
    std::fs::write(&own, heavier).expect("writes");
    let changed = refused(&run(ask("8192").iter().map(String::as_str).chain(["--resume", file])));
    assert!(changed.contains("another robot, state, gravity or task"), "{changed}");
    std::fs::write(&own, &text).expect("writes");
    let resumed = good(ask("8192").iter().map(String::as_str).chain(["--resume", file]));
    assert!(!left.exists(), "it has been used up");
    assert!(resumed == good(ask("8192").iter().map(String::as_str)), "the same to the last bit");
}
