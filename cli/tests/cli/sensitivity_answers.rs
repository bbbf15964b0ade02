//! Answers of `gradyn sensitivity`: JSON, tables and CSV by outputs, pages.

use super::report::{browse, browser};
use super::sensitivity::{data, json};
use super::{directory, good, refused, robot, run};
use serde_json::Value;
use std::fs;

/// JSON names columns, state, seed, samples, priors, and has intervals by output; its columns are in the order of its
/// parameters.
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
