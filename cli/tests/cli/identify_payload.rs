//! `gradyn identify` of a payload: estimates written back, tables as people have them, data that are not what they
//! seem.

use super::sensitivity::json;
use super::{directory, good, refused, robot, run, run_with};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The robot with half a kilogram more in its hand, in motion, as CSV; every entry a little off, always the same.
fn log(name: &str) -> PathBuf {
    let here = directory(name);
    let text = fs::read_to_string(robot("panda")).expect("reads");
    let loaded = here.join("loaded.urdf");
    fs::write(&loaded, text.replace("0.735522", "1.235522")).expect("writes");
    let (mut states, mut rows) = (String::from("{\"states\": ["), Vec::new());
    for i in 0..150 {
        let t = 0.05 * f64::from(i);
        let wave = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            (0..7).map(|j| f(0.7 + 0.3 * f64::from(j), f64::from(j))).collect()
        };
        let q = wave(&|w, p| 0.5 * (w * t + p).sin() + 0.2 * (2.3 * w * t).sin());
        let v = wave(&|w, p| 0.5 * w * (w * t + p).cos() + 0.46 * w * (2.3 * w * t).cos());
        let a = wave(&|w, p| -0.5 * w * w * (w * t + p).sin() - 1.058 * w * w * (2.3 * w * t).sin());
        let _ = write!(states, "{}{{\"q\": {q:?}, \"v\": {v:?}, \"a\": {a:?}}}", if i == 0 { "" } else { ", " });
        rows.push((t, q, v));
    }
    states.push_str("]}");
    let path = loaded.to_str().expect("UTF-8");
    let answer = run_with(["evaluate", path, "--states", "-", "--quantities", "tau"], states.as_bytes());
    let answer = json(&String::from_utf8(answer.stdout).expect("UTF-8"));
    let names = |what: &str| (1..=7).map(|j| format!("{what}.panda_joint{j}")).collect::<Vec<_>>().join(",");
    let mut csv = format!("time,{},{},{}\n", names("q"), names("v"), names("tau"));
    let mut noise = 0.1_f64;
    for ((t, q, v), answer) in rows.iter().zip(answer["states"].as_array().expect("list")) {
        let tau: Vec<f64> = answer["tau"].as_array().expect("list").iter().filter_map(Value::as_f64).collect();
        let noisy = tau.iter().map(|tau| {
            noise = 3.7 * noise * (1.0 - noise); // the logistic map: chaotic, in (0, 1)
            tau + 0.2 * (noise - 0.65)
        });
        let all: Vec<String> = [*t]
            .into_iter()
            .chain(q.iter().copied())
            .chain(v.iter().copied())
            .chain(noisy)
            .map(|x| format!("{x:?}"))
            .collect();
        csv.push_str(&all.join(","));
        csv.push('\n');
    }
    let file = here.join("log.csv");
    fs::write(&file, csv).expect("writes");
    file
}

#[test]
fn a_payload_is_identified_and_written_back() {
    let data = log("identify");
    let data = data.to_str().expect("UTF-8");
    let here = directory("identify-out");
    let (urdf, page) = (here.join("new.urdf"), here.join("report.html"));
    let (urdf, page) = (urdf.to_str().expect("UTF-8"), page.to_str().expect("UTF-8"));
    let arguments = ["identify", &robot("panda"), "--data", data, "--parameters", "panda_link7.mass"];
    let answer = json(&good([&arguments[..], &["--json", "--write-urdf", urdf, "--report", page]].concat()));
    let found = &answer["parameters"][0];
    let (value, half) = (found["value"].as_f64().expect("number"), found["half_width"].as_f64().expect("number"));
    // Differenced accelerations at 20 Hz are off by some tenths of a percent.
    assert!((value - 1.235522).abs() < 0.02 && half < 0.05, "{value} ± {half}");
    let relative = &answer["relative"];
    assert!(relative["held_out"].as_f64() < relative["before"].as_f64(), "{relative}");
    let (old, new) = (fs::read_to_string(robot("panda")).expect("reads"), fs::read_to_string(urdf).expect("is there"));
    let changed: Vec<(&str, &str)> = old.lines().zip(new.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert!(changed[0].0.contains("0.735522") && changed[0].1.contains(&format!("{value:?}")), "{changed:?}");
    let text = fs::read_to_string(page).expect("is there");
    assert!(text.contains("fitted:") && text.matches("<svg ").count() == 14, "{text}");

    // Two that hang together have an ellipse; what was held out is shaded.
    let _ = good([
        "identify",
        &robot("panda"),
        "--data",
        data,
        "--parameters",
        "panda_link7.mass,panda_link7.com.z",
        "--report",
        page,
    ]);
    let text = fs::read_to_string(page).expect("is there");
    assert!(text.contains("Pairs that are correlated most") && text.matches("<svg ").count() == 15, "{text}");
    assert_eq!(text.matches("<rect class=\"shade\"").count(), 14);

    let no = run(["identify", &robot("panda"), "--data", data, "--parameters", "panda_link1.pi.*"]);
    assert_eq!(no.status.code(), Some(1));
    let text = String::from_utf8_lossy(&no.stdout);
    assert!(text.contains("cannot tell: `panda_link1.pi.m`") && text.contains("not identifiable"), "{text}");

    let broken = here.join("broken.csv");
    let lines = fs::read_to_string(data).expect("reads");
    for (from, to, part) in [
        ("q.panda_joint3,", "q.panda_joint33,", "line 1: there is no column `q.panda_joint3`"),
        ("0.05,", "zero,", "line 3: `zero` of column `time` is not a finite number"),
    ] {
        fs::write(&broken, lines.replacen(from, to, 1)).expect("writes");
        let message = refused(&run([
            "identify",
            &robot("panda"),
            "--data",
            broken.to_str().expect("UTF-8"),
            "--parameters",
            "*.mass",
        ]));
        assert!(message.contains(part), "{message}");
    }
}

/// Data as spreadsheets and loggers write them give the same estimates; what is not read is named.
#[test]
fn tables_are_read_as_people_have_them() {
    let data = log("identify-tables");
    let text = fs::read_to_string(&data).expect("reads");
    let other = data.with_file_name("other.csv");
    let path = other.to_str().expect("UTF-8");
    let robot = robot("panda");
    let fit = |file: &str, more: &[&str]| {
        let arguments = ["identify", &robot, "--data", file, "--parameters", "panda_link7.mass", "--json"];
        let done = run([&arguments[..], more].concat());
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
        (answer["parameters"][0]["value"].as_f64().expect("number"), String::from_utf8(done.stderr).expect("UTF-8"))
    };
    let (plain, _) = fit(data.to_str().expect("UTF-8"), &[]);
    let mut lines = text.lines();
    let heading = lines.next().expect("a heading").to_owned();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().expect("number")).collect()).collect();
    let write = |map: &dyn Fn(usize, f64) -> f64| {
        let row = |row: &Vec<f64>| {
            row.iter().enumerate().map(|(k, x)| format!("{:?}", map(k, *x))).collect::<Vec<_>>().join(",")
        };
        format!("{heading}\n{}\n", rows.iter().map(row).collect::<Vec<_>>().join("\n"))
    };
    let last = text.lines().last().expect("rows");
    for (made, more, warning) in [
        (format!("\u{feff}{text}"), &[][..], ""),
        (
            text.replace(',', ";").replace('.', ",").replace("q,", "q.").replace("v,", "v.").replace("tau,", "tau."),
            &[],
            "",
        ),
        (write(&|k, x| if (1..15).contains(&k) { x.to_degrees() } else { x }), &["--degrees"], ""),
        (write(&|k, x| if k == 0 { 1e3 * x } else { x }), &["--time-unit", "ms"], ""),
        (format!("{text}{last}\n"), &[], "1 time the time of the line before"),
        (
            text.lines()
                .map(|l| format!("{l},{}\n", if l.starts_with('t') { "acc.panda_joint1" } else { "0" }))
                .collect(),
            &[],
            "column `acc.panda_joint1` is not read; did you mean `a.panda_joint1`?",
        ),
        (
            text.lines()
                .map(|l| format!("{l},{}\n", if l.starts_with('t') { "tau.panda_joint1" } else { "0" }))
                .collect(),
            &[],
            "column `tau.panda_joint1` stands twice",
        ),
    ] {
        fs::write(&other, made).expect("writes");
        let (value, said) = fit(path, more);
        // Sixteen digits by a factor and back.
        assert!((value - plain).abs() < 1e-9, "{value} against {plain}: {more:?} {said}");
        assert!(said.contains(warning), "{said}");
    }
    let twice = run(["identify", &robot, "--data", path, "--data", path, "--parameters", "panda_link7.mass", "--json"]);
    let once = run(["identify", &robot, "--data", path, "--parameters", "panda_link7.mass", "--json"]);
    let samples = |done: &std::process::Output| {
        let answer = json(&String::from_utf8(done.stdout.clone()).expect("UTF-8"));
        answer["effective_samples"].as_array().expect("list").len()
    };
    assert_eq!(samples(&twice), samples(&once));
    fs::write(&other, text.replacen("0.1,", "0.01,", 1)).expect("writes");
    let message = refused(&run(["identify", &robot, "--data", path, "--parameters", "*.mass"]));
    assert!(message.contains("expected times that grow"), "{message}");
    let message = refused(&run(["identify", &robot, "--data", path, "--parameters", "*.mass", "--time-unit", "min"]));
    assert!(message.contains("min"), "{message}");
    let message = refused(&run([
        "identify",
        &robot,
        "--data",
        data.to_str().expect("UTF-8"),
        "--parameters",
        "*.mass",
        "--low-pass",
        "500",
    ]));
    assert!(message.contains("low-pass") && message.contains("half the rate"), "{message}");
}

/// Torques of the other sign, in other units and columns are not fitted: exit code 1, what would explain them, and
/// nothing is written.
#[test]
fn data_that_are_not_what_they_seem_are_not_fitted() {
    let data = log("identify-wrong");
    let text = fs::read_to_string(&data).expect("reads");
    let other = data.with_file_name("other.csv");
    let urdf = data.with_file_name("new.urdf");
    let (path, new) = (other.to_str().expect("UTF-8"), urdf.to_str().expect("UTF-8"));
    let robot = robot("panda");
    let mut lines = text.lines();
    let heading = lines.next().expect("a heading").to_owned();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().expect("number")).collect()).collect();
    type Change<'a> = &'a dyn Fn(&mut Vec<f64>);
    let cases: [(Change<'_>, &str); 4] = [
        (&|row| row[15..].iter_mut().for_each(|tau| *tau = -*tau), "the torques of all joints with the other sign"),
        (&|row| row[15..].iter_mut().for_each(|tau| *tau *= 1e3), "torques in N mm"),
        (&|row| row[1..15].iter_mut().for_each(|x| *x = x.to_degrees()), "in degrees"),
        (&|row| row.swap(16, 18), "the torques of `panda_joint2` and `panda_joint4` in each other's columns"),
    ];
    for (change, explanation) in cases {
        let mut made = format!("{heading}\n");
        for row in &rows {
            let mut row = row.clone();
            change(&mut row);
            made.push_str(&row.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(","));
            made.push('\n');
        }
        fs::write(&other, made).expect("writes");
        let done = run([
            "identify",
            &robot,
            "--data",
            path,
            "--parameters",
            "panda_link7.mass,*.damping",
            "--write-urdf",
            new,
        ]);
        let said = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(1), "{explanation}: {said}");
        assert!(said.contains("not fitted") && said.contains(explanation), "{explanation}: {said}");
        let written = fs::read_to_string(new).expect("is there");
        assert_eq!(written, fs::read_to_string(&robot).expect("reads"), "{explanation}");
    }
}
