//! `gradyn sensitivity --task`, `--uncertainty`, and what pages show of them.

use super::report::{browse, browser};
use super::{directory, good, refused, robot, run};
use serde_json::Value;
use std::fs;

fn task(name: &str) -> String {
    format!("{}/../examples/tasks/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn ask(more: &[&str]) -> (Option<i32>, Value, String) {
    let (robot, task) = (robot("panda"), task("arm_reach"));
    let output = run([&["sensitivity", &robot, "--parameters", "*.mass", "--task", &task, "--json"], more].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), serde_json::from_str(&text).unwrap_or(Value::Null), warnings)
}

#[test]
fn along_a_task_first_order_is_what_samples_say() {
    let closed = ["--closed-loop", "--of", "pose", "--frame", "panda_link8", "--share", "0.02"];
    let (code, answer, warnings) = ask(&[&closed[..], &["--uncertainty", "--samples", "2000"]].concat());
    assert_eq!(code, Some(0), "{warnings}");
    let rows = answer["uncertainty"]["rows"].as_array().expect("list");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let (first, sampled) = (row["first_order"].as_f64().expect("number"), row["sampled"]["value"].as_f64());
        let off = (first / sampled.expect("number") - 1.0).abs();
        // 2000 samples tell a standard deviation to 1.6 %.
        assert!(off < 0.07, "{row}");
    }
    assert_eq!((&answer["task"], &answer["closed_loop"]), (&"arm reach".into(), &true.into()));
    let series = &answer["series"];
    assert_eq!(series["time"].as_array().expect("list").len(), 101);
    assert!((series["time"][100].as_f64().expect("number") - 1.0).abs() < 1e-12);
    // Feedback holds errors of the start; without it they grow.
    assert!(series["amplification"].as_f64().expect("number") < 1.0);
    assert_eq!(series["derivatives"][100], answer["matrix"]["values"]);

    let (code, answer, _) = ask(&["--uncertainty", "--samples", "100"]);
    assert_eq!(code, Some(1));
    assert!(answer["series"]["amplification"].as_f64().expect("number") > 1e3);
    let doubts = answer["doubts"].as_array().expect("list");
    assert!(doubts[0].as_str().expect("text").starts_with("not trustworthy: `panda_joint"), "{doubts:?}");
}

/// Shares of the variance by samples are those to first order: over 2 % the motion with feedback is nearly linear in
/// masses.
#[test]
fn along_a_task_by_samples() {
    let closed = ["--closed-loop", "--share", "0.02"];
    let (_, first, _) = ask(&closed);
    let (code, sobol, warnings) = ask(&[&closed[..], &["--global", "sobol", "--samples", "256"]].concat());
    assert_eq!((code, warnings.contains("does not vary")), (Some(0), false), "{warnings}");
    let share = |answer: &Value, name: &str| {
        let all = answer["parameters"].as_array().expect("list");
        let found = all.iter().find(|p| p["name"] == name).expect("is there");
        found["share"]["value"].as_f64().expect("number")
    };
    for link in 2..8 {
        let name = format!("panda_link{link}.mass");
        let (exact, found) = (share(&first, &name), share(&sobol, &name));
        assert!((exact - found).abs() < 0.06, "{name}: {exact} against {found}");
    }
}

/// Without feedback a tenth of the masses off sends some simulations far away: there is no index, and the exit code
/// says so.
#[test]
fn a_motion_that_explodes_has_no_index() {
    let (code, answer, _) = ask(&["--global", "sobol", "--samples", "256"]);
    assert_eq!(code, Some(1));
    for p in answer["parameters"].as_array().expect("list") {
        assert!(p["share"].is_null() && p["total"].is_null(), "{p}");
    }
    for output in answer["outputs"].as_array().expect("list") {
        assert!(output["without_index"].is_string() && output["total"][0].is_null(), "{output}");
    }
    assert!(answer["matrix"]["values"][0][0].is_null());
    let doubts = answer["doubts"].as_array().expect("list");
    assert_eq!(doubts.len(), 7, "{doubts:?}");
    assert!(doubts[0].as_str().expect("text").contains("not trustworthy: one sample of `panda_joint1` is so far away"));
    // Half of the masses off leaves no finite end of one simulation in five.
    for more in [&["--global", "sobol", "--samples", "32"][..], &["--uncertainty", "--samples", "64"]] {
        let (code, answer, warnings) = ask(&[more, &["--share", "0.5"]].concat());
        let doubts = answer["doubts"].as_array().expect("list");
        assert!(doubts[0].as_str().expect("text").contains("simulations have no finite output"), "{doubts:?}");
        assert_eq!((code, warnings.contains("has no index")), (Some(1), false), "{warnings}");
    }
}

/// An arm that moves in a plane does not turn about its vertical axis, but by rounding.
#[test]
fn rounding_along_a_task_has_no_index() {
    let here = directory("sensitivity-planar");
    let robot = format!("{}/tests/data/planar_arm.urdf", env!("CARGO_MANIFEST_DIR"));
    let file = here.join("planar.toml");
    let text = format!(
        "name = \"planar\"\n[robot]\nfile = {robot:?}\n[start]\nq = [0.4, 0.3, -0.2]\n[steps]\ndt = 0.01\n\
         [[phases]]\nname = \"reach\"\nnodes = 50\n\
         [[costs]]\nname = \"goal\"\nkind = \"state\"\ngoal = {{ q = [0.4, 0.9, 0.5] }}\nweight = 1e3\nat = \"last\"\n\
         [[costs]]\nname = \"torque\"\nkind = \"control\"\nweight = 1e-3\n"
    );
    fs::write(&file, text).expect("writes");
    let task = file.to_str().expect("UTF-8");
    let common = ["sensitivity", &robot, "--parameters", "*.mass", "--task", task, "--json"];
    for more in [&["--global", "sobol", "--samples", "64"][..], &["--global", "morris", "--samples", "20"], &[]] {
        let answer: Value = serde_json::from_str(&good([&common[..], more].concat())).expect("JSON");
        let outputs = answer["outputs"].as_array().expect("list");
        assert_eq!((&outputs[0]["name"], &outputs[0]["unit"]), (&"yaw".into(), &"rad".into()));
        assert!(
            outputs[0]["without_index"].is_string() && outputs[1]["without_index"].is_null(),
            "{more:?}: {outputs:?}"
        );
    }
}

#[test]
fn contacts_and_impacts_are_in_the_loop() {
    let (robot, task) = (robot("solo12"), task("solo12_jump"));
    let text = good([
        "sensitivity",
        &robot,
        "--parameters",
        "base_link.mass,*_LOWER_LEG.mass",
        "--task",
        &task,
        "--closed-loop",
        "--of",
        "pose",
        "--frame",
        "base_link",
    ]);
    assert!(text.contains("pose of solo") && text.contains("with feedback"), "{text}");
    assert!(text.contains("an error of the start grows"), "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let (panda, solo) = (robot("panda"), task("solo12_jump"));
    let arm = task("arm_reach");
    for (more, part) in [
        (&["--task", &solo][..], "is about the robot of"),
        (&["--task", &arm, "--of", "tau"], "expected `configuration` or `pose`"),
        (&["--task", &arm, "--state", "neutral"], "cannot be used with"),
        (&["--of", "configuration"], "--of configuration needs --task"),
        (&["--closed-loop"], "--task"),
        (&["--uncertainty", "--samples", "1"], "the number of samples is 1"),
        (&["--uncertainty", "--global", "sobol"], "cannot be used with"),
        (&["--task", &arm, "--global", "dgsm"], "--global dgsm is of states"),
    ] {
        let message = refused(&run([&["sensitivity", &panda, "--parameters", "*.mass"], more].concat()));
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_browser_shows_heat_tubes_and_the_plane() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let here = directory("sensitivity-task-browser");
    let (tubes, plane) = (here.join("tubes.html"), here.join("plane.html"));
    let common =
        ["sensitivity", &robot("panda"), "--parameters", "*.mass", "--task", &task("arm_reach"), "--closed-loop"];
    let path = tubes.to_str().expect("UTF-8");
    let _ = good([&common[..], &["--share", "0.02", "--uncertainty", "--samples", "200", "--report", path]].concat());
    let path = plane.to_str().expect("UTF-8");
    let _ = good([&common[..], &["--global", "morris", "--samples", "10", "--report", path]].concat());
    let look = |page: &std::path::Path| {
        let dom = browse(browser, &here, &["--dump-dom"], page)?;
        Some((String::from_utf8(dom).expect("UTF-8"), fs::read_to_string(page).expect("is there")))
    };
    let (Some((dom, text)), Some((effects, _))) = (look(&tubes), look(&plane)) else {
        println!("skipped: {browser} does not start here");
        return;
    };
    // Bars, the heat map, a tube a joint; 40 samples at 26 times in each.
    for (part, count) in [("<svg ", 9), ("class=\"shade\"", 7), ("<circle class=\"dot\"", 7 * 40 * 21), ("<table>", 3)]
    {
        assert_eq!((dom.matches(part).count(), text.matches(part).count()), (count, count), "{part}");
    }
    for part in ["When it matters", "How far it scatters", "200 samples", "from the plan"] {
        assert!(dom.contains(part), "{part}");
    }
    assert!(effects.contains("Effects and their scatter"));
    assert_eq!(effects.matches("<circle class=\"dot\"").count(), 7);
}

/// On a screen of 1280 pixels no column is cut, and on one of 390 the smallest text of a picture is as high as 10
/// pixels.
#[test]
fn a_browser_cuts_no_column_and_shrinks_no_label() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let here = directory("sensitivity-widths");
    let (sobol, tubes) = (here.join("sobol.html"), here.join("tubes.html"));
    let panda = robot("panda");
    let common = ["sensitivity", &panda, "--parameters", "*.mass,*.friction,*.inertia.xx"];
    let path = sobol.to_str().expect("UTF-8");
    let more = ["--of", "ddq", "--global", "sobol", "--samples", "64", "--second-order", "--report", path];
    let _ = good([&common[..], &more].concat());
    let path = tubes.to_str().expect("UTF-8");
    let task = task("arm_reach");
    let more =
        ["--task", &task, "--closed-loop", "--share", "0.02", "--uncertainty", "--samples", "50", "--report", path];
    let _ = run([&["sensitivity", &panda, "--parameters", "*.mass"][..], &more].concat());
    // The widest overhang of a table, and the least size of text in a picture.
    let script = "<script>\
        const cut = [...document.querySelectorAll('.table')].map(t => t.scrollWidth - t.clientWidth);\
        const text = [...document.querySelectorAll('figure > svg')].map(s => \
            parseFloat(getComputedStyle(s).fontSize) * s.getBoundingClientRect().width / s.viewBox.baseVal.width);\
        document.title = `${Math.max(...cut)} ${Math.min(...text)}`;</script></body>";
    for page in [&sobol, &tubes] {
        let text = fs::read_to_string(page).expect("is there");
        fs::write(page, text.replace("</body>", script)).expect("writes");
        for width in [1280, 390] {
            let size = format!("--window-size={width},900");
            let Some(dom) = browse(browser, &here, &[&size, "--dump-dom"], page) else {
                println!("skipped: {browser} does not start here");
                return;
            };
            let dom = String::from_utf8(dom).expect("UTF-8");
            let (_, title) = dom.split_once("<title>").expect("a title");
            let title = title.split_once("</title>").expect("its end").0;
            let (cut, text) = title.split_once(' ').expect("two numbers");
            let (cut, text): (f64, f64) = (cut.parse().expect("number"), text.parse().expect("number"));
            assert!(width < 1280 || cut <= 0.0, "{page:?} at {width}: {cut} pixels are cut");
            assert!(text >= 10.0, "{page:?} at {width}: text of {text} pixels");
        }
    }
}

#[test]
fn priors_come_from_a_file() {
    let here = directory("priors");
    let file = here.join("priors.toml");
    let path = file.to_str().expect("UTF-8");
    let all = "\"*.mass\" = { share = 0.02 }\n\"*.placement.[xyz]\" = { sd = 1e-3 }\n\
               panda_link7.mass = { low = 0.5, high = 1.1 }\n";
    // A name with dots is a key with quotes.
    fs::write(&file, all.replace("panda_link7.mass", "\"panda_link7.mass\"")).expect("writes");
    let panda = robot("panda");
    let parameters = "panda_link[67].mass,panda_joint4.placement.x,panda_link6.com.x";
    let arguments = ["sensitivity", &panda, "--parameters", parameters, "--prior", path, "--json"];
    let answer: Value = serde_json::from_str(&good(arguments)).expect("JSON");
    let sd = |name: &str| {
        let all = answer["parameters"].as_array().expect("list");
        all.iter().find(|p| p["name"] == name).expect("is there")["sd"].as_f64().expect("number")
    };
    for (name, expected) in [
        ("panda_link6.mass", 0.02 * 1.666555),
        ("panda_link7.mass", 0.6 / 12.0_f64.sqrt()),
        ("panda_joint4.placement.x", 1e-3),
        // Not in the file: --share.
        ("panda_link6.com.x", 0.1 * 0.060149),
    ] {
        assert!((sd(name) - expected).abs() < 1e-12, "{name}: {} {expected}", sd(name));
    }
    for (text, part) in [
        ("\"*.mas\" = { sd = 1.0 }", "line 1: key `*.mas`: "),
        ("\n\"gravity.z\" = { sd = 1.0 }", "line 2: key `gravity.z`: `gravity.z` fits none of the selected parameters"),
        ("\"*.mass\" = { sd = -1.0 }", "expected a positive number"),
        ("\"*.mass\" = { sd = 1.0, share = 0.1 }", "and one of these"),
        ("\"*.mass\" = { low = 2.0, high = 1.0 }", "line 1"),
        ("\"*.mass\" = 3", "expected a table with `sd`"),
        ("\"*.placement.x\" = { share = 0.1 }", "a share of zero is zero"),
        ("\"*.mass\" = { scale = -0.1 }", "expected a positive number"),
        ("\"*.mass\" = { scale = 0.1, mean = 1.0 }", "a `scale` is of a half-normal prior about zero"),
        ("\"*.mass\" = { scal = 0.1 }", "did you mean `scale`"),
    ] {
        fs::write(&file, text).expect("writes");
        let message = refused(&run(arguments));
        assert!(message.contains(part) && message.contains("priors.toml"), "{part}: {message}");
    }
    // Half of a normal friction about zero is no friction.
    fs::write(&file, "\"*.friction\" = { sd = 0.1 }").expect("writes");
    let friction = ["sensitivity", &panda, "--parameters", "*.friction", "--prior", path];
    for more in [&["--global", "sobol"][..], &["--uncertainty"]] {
        let message = refused(&run([&friction[..], more].concat()));
        assert!(message.contains("`panda_joint1.friction` is never negative, and of its normal prior"), "{message}");
    }
    let _ = good(friction);
    fs::write(&file, "\"*.friction\" = { scale = 0.1 }").expect("writes");
    let answer: Value =
        serde_json::from_str(&good([&friction[..], &["--global", "sobol", "--samples", "32", "--json"]].concat()))
            .expect("JSON");
    assert_eq!(answer["parameters"][0]["prior"]["scale"], 0.1);
    // Torques are linear in one mass: both scatter by its slope times the range by √12; samples of 2000 to 3 %, and
    // none lies farther away than half the range.
    fs::write(&file, "\"*.mass\" = { low = 0.5, high = 1.1 }").expect("writes");
    let one = ["sensitivity", &panda, "--parameters", "panda_link7.mass", "--prior", path, "--json"];
    let answer: Value =
        serde_json::from_str(&good([&one[..], &["--uncertainty", "--samples", "2000"]].concat())).expect("JSON");
    for row in answer["uncertainty"]["rows"].as_array().expect("list") {
        let (first, sampled) = (&row["first_order"], &row["sampled"]["value"]);
        let [first, sampled] = [first, sampled].map(|x| x.as_f64().expect("a number"));
        assert!((first - sampled).abs() <= 0.03 * first + 1e-12, "{row}");
    }
}
