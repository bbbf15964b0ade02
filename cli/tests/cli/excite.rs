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

/// The quadruped stands with bent legs.
const POSE: &str = "0,0,0.25,0,0,0,1,0,0.7,-1.4,0,0.7,-1.4,0,-0.7,1.4,0,-0.7,1.4";
const FEET: [&str; 4] = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];

/// A motion of the quadruped on its feet, of a robot with a heavier base and a heavier leg: from its file `identify`
/// finds both masses, which are not those of the robot that it is given; all outputs are there.
#[test]
fn a_quadruped_on_its_feet_is_excited_and_identified() {
    let here = directory("excite-stance");
    let file = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    let (csv, page, heavy, held) = (file("motion.csv"), file("page.html"), file("heavy.urdf"), file("held.json"));
    let solo = robot("solo12");
    let text = fs::read_to_string(&solo).expect("is there");
    let changed = text.replace("<mass value=\"1.25123725\"/>", "<mass value=\"1.6\"/>");
    assert_ne!(text, changed);
    fs::write(&heavy, changed).expect("writes");
    // Two feet by name, two of a file: the same words as of other commands.
    let contact = |foot: &&str| format!("{{\"frame\": \"{foot}\", \"type\": \"point\"}}");
    let list: Vec<String> = FEET[2..].iter().map(contact).collect();
    fs::write(&held, format!("{{\"constraints\": [{}]}}", list.join(", "))).expect("writes");
    let arguments =
        ["excite", &heavy, "--floating-base", "--contact", "FL_FOOT", "--contact", "FR_FOOT", "--constraints", &held];
    let how = [
        "--start",
        POSE,
        "--parameters",
        "base_link.mass,FL_UPPER_LEG.mass",
        "--period",
        "1.5",
        "--harmonics",
        "2",
        "--rate",
        "40",
    ];
    let limits = [
        "--limits",
        "*.velocity=8,*.acceleration=80,*.effort=5,root_joint.v?.position=-0.05..0.05",
        "--iterations",
        "10",
    ];
    let files = ["--csv", &csv, "--report", &page, "--json"];
    let done = run([&arguments[..], &how, &limits, &files].concat());
    // Ten steps are too few to converge.
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    let answer = json(&String::from_utf8(done.stdout).expect("UTF-8"));
    // Contacts of the file come first.
    assert_eq!(answer["contacts"], serde_json::json!(["HL_FOOT", "HR_FOOT", "FL_FOOT", "FR_FOOT"]));
    let series = answer["series"].as_array().expect("list");
    assert_eq!((series.len(), &series[5]["joint"]), (6, &serde_json::json!("root_joint.wz")));
    assert_eq!(answer["start"].as_array().expect("list").len(), 19);
    for joint in answer["limits"].as_array().expect("list") {
        for kind in ["position", "velocity", "acceleration", "effort"] {
            assert!(joint[kind].as_f64().is_none_or(|used| used <= 1.0), "{joint}");
        }
    }
    // Positions and velocities of all, torques of twelve motors.
    assert_eq!(fs::read_to_string(page).expect("is there").matches("<svg ").count(), 18 + 18 + 12);

    let arguments = [
        "identify",
        &solo,
        "--floating-base",
        "--data",
        &csv,
        "--parameters",
        "base_link.mass,FL_UPPER_LEG.mass",
        "--json",
    ];
    let fitted = json(&good(arguments));
    let value = |k: usize| fitted["parameters"][k]["value"].as_f64().expect("number");
    // Torques without noise.
    assert!((value(0) - 1.6).abs() < 1e-9 && (value(1) - 0.14736).abs() < 1e-3, "{fitted:#}");
    assert_eq!(fitted["measured"].as_array().expect("list").len(), 18);
}

#[test]
fn feet_that_cannot_be_held_are_refused() {
    let (solo, panda) = (robot("solo12"), robot("panda"));
    let here = directory("excite-held");
    let file = |name: &str, text: &str| {
        let path = here.join(name);
        fs::write(&path, text).expect("writes");
        path.to_str().expect("UTF-8").to_owned()
    };
    let far = FEET.map(|foot| {
        format!("{{\"frame\": \"{foot}\", \"type\": \"point\", \"to_placement\": {{\"xyz\": [0, 0, -9]}}}}")
    });
    let far = file("far.json", &format!("{{\"constraints\": [{}]}}", far.join(", ")));
    let tied =
        file("tied.json", "{\"constraints\": [{\"frame\": \"FL_FOOT\", \"type\": \"point\", \"to\": \"FR_FOOT\"}]}");
    let none = file("none.json", "{\"constraints\": []}");
    let feet: Vec<&str> = FEET.iter().flat_map(|foot| ["--contact", foot]).collect();
    let with = |more: &[&'static str]| [&feet[..], more].concat();
    let one = ["--contact", "FL_FOOT", "--start", POSE];
    let cases: [(Vec<&str>, &str); 9] = [
        (vec!["--contact", "FL_FOO"], "did you mean `FL_FOOT`?"),
        (with(&[]), "expected a pose with bent legs (the start) (--start says where it stands)"),
        (with(&["--start", "0,0,0.25"]), "--start has 3 numbers: expected 19"),
        (with(&["--start", &POSE[2..]]), "--start has 18 numbers: expected 19"),
        (one.to_vec(), "the contacts carry the base in 3 of 6 directions"),
        (vec!["--constraints", &far, "--start", POSE], "the feet cannot reach where they are held"),
        (vec!["--constraints", &tied, "--start", POSE], "constraint 0, key `to`: expected none"),
        (vec!["--constraints", &none, "--start", POSE], "--constraints: the list is empty"),
        (vec![], "--contact"),
    ];
    for (arguments, part) in cases {
        let all = [&["excite", &solo, "--floating-base", "--parameters", "*.mass"][..], &arguments].concat();
        let message = refused(&run(all));
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = refused(&run(["excite", &panda, "--contact", "panda_link7", "--parameters", "*.mass"]));
    assert!(message.contains("the base of `panda` does not float"), "{message}");
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
