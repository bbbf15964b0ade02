//! `gradyn parameters`, `gradyn sensitivity`, `gradyn identify`

use super::report::{browse, browser};
use super::{directory, good, refused, robot, run, run_with};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn parameters_are_listed_with_what_is_held() {
    let text = good(["parameters", &robot("panda"), "panda_link7.mass", "panda_joint2.axis.*", "gravity.z"]);
    for part in [
        "panda_link7.mass",
        "0.73552",
        "center of mass, and moments about it",
        "panda_joint2.axis.2",
        "-9.81",
        "4 parameters",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Charts of one inertia are listed together, though they cannot vary together.
    let all = json(&good(["parameters", &robot("panda"), "panda_link3.*", "--json"]));
    let names: Vec<&str> =
        all["parameters"].as_array().expect("list").iter().filter_map(|p| p["name"].as_str()).collect();
    for name in ["panda_link3.mass", "panda_link3.pi.Izz", "panda_link3.log_cholesky.d1", "panda_link3.payload.m"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let message = refused(&run(["parameters", &robot("panda"), "panda_link3.mas"]));
    assert!(message.contains("nearest is `panda_link3.mass`"), "{message}");
}

#[test]
fn what_matters_is_said_by_formulas_and_by_samples() {
    let state = ["--state", "random", "--seed", "4"];
    let ask = |more: &[&str]| {
        let arguments = ["sensitivity", &robot("panda"), "--parameters", "*.pi.*", "--json"];
        json(&good([&arguments, &state[..], more].concat()))
    };
    let local = ask(&[]);
    let sampled = ask(&["--global", "sobol", "--samples", "4096"]);
    // Torques are linear in these: shares are the same, to the width of their intervals.
    let share = |answer: &Value, name: &str| {
        let all = answer["parameters"].as_array().expect("list");
        let found = all.iter().find(|p| p["name"] == name).expect("is there");
        (found["share"]["value"].as_f64().expect("number"), found["total"]["half_width"].as_f64())
    };
    let of_rank = |rank: &Value| local["parameters"].as_array().expect("list").iter().find(|p| p["rank"] == *rank);
    for p in (1..=5).map(|rank| of_rank(&Value::from(rank)).expect("is there")) {
        let name = p["name"].as_str().expect("text");
        let (exact, _) = share(&local, name);
        let (found, _) = share(&sampled, name);
        assert!((exact - found).abs() < 0.03, "{name}: {exact} against {found}");
    }
    let dual = ask(&["--method", "dual"]);
    let matrix = |answer: &Value| answer["matrix"]["values"][3][62].as_f64().expect("number");
    assert!((matrix(&local) - matrix(&dual)).abs() < 1e-11);
    let table = good(["sensitivity", &robot("panda"), "--parameters", "*.mass", "--of", "ddq", "--top", "3", "--csv"]);
    assert_eq!(table.lines().count(), 8, "{table}");
    let morris = good([
        "sensitivity",
        &robot("ur5"),
        "--parameters",
        "*.placement.r?",
        "--of",
        "pose",
        "--frame",
        "tool0",
        "--global",
        "morris",
        "--samples",
        "10",
    ]);
    assert!(morris.contains("mean effect"), "{morris}");
    for (arguments, part) in [
        (&["--parameters", "*.mass", "--of", "pose"][..], "--frame"),
        (&["--parameters", "*.mass", "--frame", "tool0"], "--frame is of poses: expected --of pose"),
        (&["--parameters", "*.mass", "--of", "pose", "--frame", "tol0"], "tool0"),
        (&["--parameters", "*.mass", "--share", "-1"], "--share is -1"),
        (&["--parameters", ","], "names none"),
        (&["--parameters", "upper_arm_link.mass,upper_arm_link.pi.m"], "choose one of the charts"),
    ] {
        let message = refused(&run([&["sensitivity", &robot("ur5")], arguments].concat()));
        assert!(message.contains(part), "{message}");
    }
}

/// The number of a parameter in JSON.
fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let all = answer["parameters"].as_array().expect("list");
    all.iter().find(|p| p["name"] == name).expect("is there")
}

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Torque about a vertical axis at rest is rounding: no index, by name, whatever the method; the others are told.
#[test]
fn rounding_has_no_index_in_any_method() {
    let (yaw, parameters) = (data("yaw.urdf"), "*.mass,*.com.*");
    for (method, measure) in
        [(None, "share"), (Some("sobol"), "total"), (Some("morris"), "effect"), (Some("dgsm"), "bound")]
    {
        let mut arguments = vec!["sensitivity", &yaw, "--parameters", parameters, "--state", "neutral", "--json"];
        if let Some(method) = method {
            arguments.extend(["--global", method, "--samples", "64"]);
        }
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{method:?}");
        let answer = json(&String::from_utf8_lossy(&output.stdout));
        let outputs = answer["outputs"].as_array().expect("list");
        assert_eq!(outputs[0]["name"], "tau yaw");
        let why = outputs[0]["without_index"].as_str().expect("a reason");
        assert!(why.contains("no more than its rounding"), "{method:?}: {why}");
        assert!(outputs[0][measure].as_array().expect("list").iter().all(Value::is_null), "{method:?}");
        assert!(outputs[1][measure].as_array().expect("list").iter().all(|x| x["value"].is_number()), "{method:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("`tau yaw` has no index"), "{said}");
    }
}

/// Of zero friction and armature, half of the samples of a normal prior would be no robot.
#[test]
fn default_priors_make_robots() {
    let panda = robot("panda");
    for (parameters, share) in
        [("*.friction,*.armature,*.damping,friction_width", "0.1"), ("*.mass,*.inertia.xx", "0.6")]
    {
        let arguments = ["sensitivity", &panda, "--parameters", parameters, "--share", share, "--json"];
        let answer = json(&good([&arguments[..], &["--global", "sobol", "--samples", "64", "--of", "ddq"]].concat()));
        for p in answer["parameters"].as_array().expect("list") {
            let kind = p["prior"]["kind"].as_str().expect("a name");
            assert_eq!(kind, if p["value"] == 0.0 { "half-normal" } else { "lognormal" }, "{p}");
            // With the value of the robot as its mean, where there is one.
            let (value, mean) = (p["value"].as_f64().expect("number"), p["prior"]["mean"].as_f64().expect("number"));
            assert!(value == 0.0 || (mean / value - 1.0).abs() < 1e-12, "{p}");
        }
    }
    let text = good(["sensitivity", &panda, "--parameters", "*.friction", "--of", "ddq"]);
    assert!(text.contains("half-normal"), "{text}");
}

/// The placement of a fixed joint moves a share of a body's inertia that nobody has kept: it is not listed, and its error says why.
#[test]
fn placements_of_fixed_joints_are_not_listed() {
    let panda = robot("panda");
    let all = good(["parameters", &panda]);
    assert!(!all.contains("panda_joint8.placement") && all.contains("panda_link8.placement.x"), "{all}");
    for command in ["parameters", "sensitivity"] {
        let mut arguments = vec![command, panda.as_str()];
        arguments.extend(if command == "parameters" { vec![] } else { vec!["--parameters"] });
        arguments.push("panda_joint8.placement.x");
        let message = refused(&run(arguments));
        assert!(message.contains("the joint `panda_joint8` is fixed, so `panda_link8` is a part of"), "{message}");
    }
}

/// JSON names columns, state, seed, samples, priors, and has intervals by output; its columns are in the order of its parameters.
#[test]
fn json_stands_by_itself() {
    let panda = robot("panda");
    let ask = |more: &[&str]| {
        let arguments =
            ["sensitivity", &panda, "--parameters", "panda_link[67].mass,*.friction", "--json", "--seed", "3"];
        json(&good([&arguments[..], more].concat()))
    };
    let answer = ask(&["--global", "sobol", "--samples", "64", "--confidence", "0.9"]);
    let names: Vec<&Value> = answer["parameters"].as_array().expect("list").iter().map(|p| &p["name"]).collect();
    assert_eq!(names, answer["columns"].as_array().expect("list").iter().collect::<Vec<_>>());
    assert_eq!(names[0], "panda_link6.mass");
    let expected =
        [("method", "sobol".into()), ("seed", 3.into()), ("samples", 64.into()), ("evaluations", 704.into())];
    for (key, value) in expected.into_iter().chain([("confidence", Value::from(0.9))]) {
        assert_eq!(answer[key], value, "{key}");
    }
    for key in ["q", "v", "a", "tau"] {
        assert_eq!(answer["state"][key].as_array().expect("list").len(), 7);
    }
    for (r, output) in answer["outputs"].as_array().expect("list").iter().enumerate() {
        assert_eq!((&output["name"], &output["unit"]), (&answer["rows"][r], &answer["units"][r]));
        for measure in ["first", "total"] {
            let all = output[measure].as_array().expect("list");
            assert_eq!(all.len(), names.len());
            for (k, x) in all.iter().enumerate() {
                assert!(x.is_null() || x["half_width"].is_number(), "{x}");
                assert!(measure == "first" || x["value"] == answer["matrix"]["values"][r][k], "{x}");
            }
        }
    }
    // Meters and radians: shares are means over outputs, and say so.
    let pose = json(&good([
        "sensitivity",
        &panda,
        "--parameters",
        "panda_joint[3-5].placement.*",
        "--of",
        "pose",
        "--frame",
        "panda_link8",
        "--json",
    ]));
    assert!(
        pose["weights"].as_str().expect("words").starts_with("Outputs have different units"),
        "{}",
        pose["weights"]
    );
    let outputs = pose["outputs"].as_array().expect("list");
    for (k, p) in pose["parameters"].as_array().expect("list").iter().enumerate() {
        let share = |output: &Value| output["share"][k]["value"].as_f64().expect("number");
        let mean = outputs.iter().map(share).sum::<f64>() / outputs.len() as f64;
        assert!((mean - p["share"]["value"].as_f64().expect("number")).abs() < 1e-14, "{p}");
    }
}

/// What JSON has of each output, tables and CSV have on request.
#[test]
fn outputs_are_shown_by_themselves() {
    let yaw = data("yaw.urdf");
    let common =
        ["sensitivity", &yaw, "--parameters", "*.mass", "--state", "neutral", "--global", "sobol", "--samples", "64"];
    let text = good([&common[..], &["--by-output", "--top", "2"]].concat());
    assert!(
        text.contains("tau yaw, N m, scatters by") && text.contains("no index: it scatters by no more than"),
        "{text}"
    );
    assert!(text.contains("in 95 % of cases") && !text.contains("Shares are of"), "{text}");
    let csv = good([&common[..], &["--by-output", "--csv"]].concat());
    assert!(csv.starts_with("output,unit,parameter,measure,value,half_width\n"), "{csv}");
    // Three outputs, three masses, alone and with others; the first output has no numbers.
    assert_eq!((csv.lines().count(), csv.matches(",,\n").count()), (1 + 3 * 3 * 2, 3 * 2), "{csv}");
    let answer = json(&good([&common[..], &["--json"]].concat()));
    let value = answer["outputs"][1]["total"][2]["value"].as_f64().expect("number");
    assert!(csv.contains(&format!("tau pitch,N m,c.mass,total,{value:?},")), "{csv}");
    let message = refused(&run([&common[..], &["--by-output", "--json"]].concat()));
    assert!(message.contains("cannot be used with"), "{message}");
    // Where nothing but rounding scatters, first order and samples do not disagree about it.
    let about =
        ["sensitivity", &yaw, "--parameters", "a.mass", "--state", "neutral", "--uncertainty", "--samples", "100"];
    let _ = good(about);
    // A weight about its own axis: to first order by some 1e-17 N m, which is nothing.
    let local = run(["sensitivity", &yaw, "--parameters", "a.mass,c.mass", "--state", "neutral"]);
    let said = String::from_utf8_lossy(&local.stderr).into_owned();
    assert!(said.contains("`a.mass` does nothing to tau here") && !said.contains("`c.mass`"), "{said}");
}

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

/// Torques are linear in masses: pairs do nothing together, a group does what its parameters do, and bounds are total indices; of two poses'
/// placements bounds are above them.
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
        ("wrist_1_link.mass,wrist_2_link.mass\n1\n", "sobol", "line 2: 1 fields, expected 2"),
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

/// Torques of the other sign, in other units and columns are not fitted: exit code 1, what would explain them, and nothing is written.
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

#[test]
fn a_browser_shows_the_pages() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let here = directory("sensitivity-browser");
    let page = here.join("sensitivity.html");
    let path = page.to_str().expect("UTF-8");
    let _ = good([
        "sensitivity",
        &robot("panda"),
        "--parameters",
        "*.mass",
        "--of",
        "ddq",
        "--global",
        "sobol",
        "--samples",
        "256",
        "--report",
        path,
    ]);
    let text = fs::read_to_string(&page).expect("is there");
    let Some(dom) = browse(browser, &here, &["--dump-dom"], &page) else {
        println!("skipped: {browser} does not start here");
        return;
    };
    let dom = String::from_utf8(dom).expect("UTF-8");
    // A bar a parameter, a darker one in it, a whisker over it, and a scale below; parameters and outputs.
    for (part, count) in [("<rect ", 14), ("<path ", 7), ("<table>", 2), ("<svg ", 1)] {
        assert_eq!((dom.matches(part).count(), text.matches(part).count()), (count, count), "{part}");
    }
    assert!(dom.contains("of the variance, with all it acts together with"));
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
