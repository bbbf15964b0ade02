//! The page of `gradyn optimize`, as text and in a browser.

use super::optimize::task;
use super::report::{browse, browser};
use super::{directory, good, json, refused, run};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A page of the jump: contacts, impacts, targets.
fn page(name: &str) -> PathBuf {
    let out = directory(name);
    good(["optimize", &task("solo12_jump"), "--output", out.to_str().expect("UTF-8")]);
    out.join("report.html")
}

/// Nothing is fetched, and the verdict comes first.
#[test]
fn the_page_stands_alone() {
    let text = fs::read_to_string(page("optimize-page")).expect("is there");
    let (before, rest) = text.split_once("three.js 0.187.0 (npm)").expect("the library");
    assert!(rest.contains("Permission is hereby granted"), "the licence");
    let (_, own) = rest.rsplit_once("\"use strict\"").expect("the script");
    for part in [before, own] {
        for outside in ["http", " src=", "href=", "<link", "url(", "@import", "fetch(", "<iframe", "import("] {
            assert!(!part.contains(outside), "{outside}");
        }
        assert!(!part.contains("NaN") && !part.contains("inf"), "a number is none");
    }
    let verdict = before.find("<p class=\"verdict good\">Converged</p>").expect("the verdict");
    assert!(verdict < before.find("<canvas").expect("a view"));
    for part in [
        "Positions q",
        "Velocities v",
        "Torques τ",
        "stationarity",
        "FL_HAA",
        "Contact forces",
        "Center of mass and center of pressure",
    ] {
        assert!(before.contains(part), "{part}");
    }
}

/// Before the page's own scripts: errors are kept. After them: play is pressed, and frames are read.
const WATCH: &str = "<script>window.errors = []; addEventListener('error', (e) => errors.push(e.message)); \
    for (const kind of ['error', 'warn']) console[kind] = (...all) => errors.push(all.join(' '));</script>";
/// The page counts as loaded, and the browser ends, when an image has come that a server here holds back until frames
/// have been read. First the page plays; then it plays again from near the end in a loop, until it is before the
/// middle.
const PRESS: &str = "<script>setTimeout(() => { const $ = (id) => document.getElementById(id), at = () => ({ ...document.documentElement.dataset }); \
    const taken = at().taken, before = at(); let polls = 0, after = null, saved = null, tip = null; $('play').click(); \
    const ready = () => { const now = at(); if (!after) { \
        if (++polls < 400 && !(now.frames - before.frames > 8 && now.time - before.time > 0.1)) return false; \
        after = now; $('play').click(); \
        const svg = document.querySelector('svg[data-from].valued'), box = svg.getBoundingClientRect(); \
        svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 0.6 * box.width, clientY: box.top + 0.5 * box.height })); \
        tip = $('tip').hidden ? null : $('tip').textContent; svg.dispatchEvent(new PointerEvent('pointerleave')); \
        HTMLAnchorElement.prototype.click = function () { saved = [this.download, this.href.slice(0, 22), this.href.length]; }; \
        $('snapshot').click(); \
        $('loop').checked = true; $('seek').value = 970; $('seek').dispatchEvent(new Event('input')); $('play').click(); return false; } \
      const end = JSON.parse($('scene').textContent).time.at(-1); return ++polls > 800 || now.time < 0.5 * end; }; \
    const timer = setInterval(() => { if (!ready()) return; \
    clearInterval(timer); const looped = $('play').textContent === 'Pause'; $('play').click(); \
    const text = JSON.stringify({ before, after, errors, taken, saved, tip, looped, left: $('tip').hidden, flat: !$('fallback').hidden, \
    width: innerWidth, content: document.documentElement.scrollWidth, touch: getComputedStyle($('view')).touchAction, \
    clock: $('clock').textContent, now: document.querySelector('.now').getAttribute('transform') }); \
    const out = document.createElement('pre'); out.id = 'watched'; out.textContent = text; document.body.append(out); new Image().src = 'http://127.0.0.1:PORT/done'; }, 50); }, 300);\
    </script><img src='http://127.0.0.1:PORT/hold' alt=''></body>";

/// Answers nothing, and hangs up on all when somebody asks for `done`.
fn hold() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            // A browser opens connections ahead, on which nothing may ever come.
            let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
            let _ = BufReader::new(&stream).read_line(&mut line);
            if line.contains("/done") {
                return;
            }
            held.push(stream);
        }
    });
    port
}

/// In a real browser the robot moves when play is pressed, at the widths of a desk and of a hand, with WebGL and
/// without it.
#[test]
fn a_browser_plays_the_page() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let file = page("optimize-played");
    let folder = file.parent().expect("a folder").to_owned();
    let text = fs::read_to_string(&file).expect("is there");
    let watched = text.replacen("<head>", &format!("<head>{WATCH}"), 1).replace("</body>", PRESS);
    for (size, webgl) in [("1200,900", true), ("390,844", true), ("1200,900", false)] {
        let text =
            if webgl { watched.clone() } else { watched.replace("getContext(\"webgl2\")", "getContext(\"none\")") };
        let copy = folder.join("watched.html");
        fs::write(&copy, text.replace("PORT", &hold().to_string())).expect("writes");
        let window = format!("--window-size={size}");
        let arguments =
            ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", &window, "--dump-dom"];
        let Some(dom) = browse(browser, &folder, &arguments, &copy) else {
            println!("skipped: {browser} does not start here");
            return;
        };
        let dom = String::from_utf8(dom).expect("UTF-8");
        let seen = dom.split_once("<pre id=\"watched\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let seen =
            json(&seen.unwrap_or_else(|| panic!("the page's script has not run: {size}")).0.replace("&amp;", "&"));
        // A browser without a graphics card may lose its graphics: the library says so, and the page draws flat.
        let flat = seen["flat"] == true;
        let errors = seen["errors"].as_array().expect("a list").iter();
        let mut bad = errors.filter(|error| !(flat && error.as_str().expect("a text").starts_with("THREE.WebGL")));
        assert_eq!(bad.next(), None, "{seen}");
        let number =
            |when: &str, key: &str| -> f64 { seen[when][key].as_str().expect("is set").parse().expect("a number") };
        assert!(number("after", "frames") > number("before", "frames") + 3.0, "{seen}");
        assert!(number("after", "time") > number("before", "time") + 0.1, "{seen}");
        assert!(seen["clock"].as_str().expect("a text").contains(" s, "), "{seen}");
        assert!(seen["now"].as_str().expect("a text").starts_with("translate("), "{seen}");
        // Nothing is wider than the window, so that no page must be pushed to the side.
        assert!(seen["content"].as_f64() <= seen["width"].as_f64(), "{seen}");
        // A finger that moves up or down scrolls the page, also over the robot.
        assert_eq!(seen["touch"], "pan-y", "{seen}");
        assert_eq!(seen["looped"], true, "{seen}");
        let tip = seen["tip"].as_str().expect("values at the pointer");
        assert!(tip.contains(" s\n") && tip.contains(": "), "{seen}");
        assert_eq!(seen["left"], true, "{seen}");
        assert!(seen["saved"][0].as_str().expect("a name").starts_with("solo12_jumps_"), "{seen}");
        assert_eq!(seen["saved"][1], "data:image/png;base64,", "{seen}");
        if !webgl {
            assert_eq!(seen["flat"], true, "{seen}");
        }
        if !flat {
            // Across and up, nothing is cut, and what is narrower than the picture still takes most of one of its
            // sides.
            let taken = seen["taken"].as_str().expect("of the picture");
            let taken: Vec<f64> = taken.split(' ').map(|x| x.parse().expect("a number")).collect();
            let most = taken[0].max(taken[1]);
            assert!((0.7..1.0).contains(&most), "{seen}");
        }
    }
}

/// The page of a task, what it draws, and its trajectory.
fn drawn(folder: &Path, task: &str, more: &[&str]) -> (String, serde_json::Value, serde_json::Value) {
    let out = folder.to_str().expect("UTF-8");
    good([&["optimize", task, "--output", out], more].concat());
    let text = fs::read_to_string(folder.join("report.html")).expect("is there");
    let (_, scene) = text.split_once("id=\"scene\">").expect("a scene");
    let scene = json(scene.split_once("</script>").expect("its end").0);
    let answer = json(&fs::read_to_string(folder.join("trajectory.json")).expect("is there"));
    (text, scene, answer)
}

fn numbers(of: &serde_json::Value) -> Vec<f64> {
    of.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The numbers that a curve shows at the pointer.
fn shown(text: &str, name: &str) -> Vec<f64> {
    let (_, rest) = text.split_once(&format!("data-name=\"{name}\"")).unwrap_or_else(|| panic!("no curve {name}"));
    let (_, rest) = rest.split_once("data-y=\"").expect("values");
    let values = rest.split_once('"').expect("their end").0;
    values.split(' ').map(|x| x.parse().expect("a number")).collect()
}

/// Rotors push along their own axes, as hard as their controls say.
#[test]
fn thrusts_are_those_of_the_controls() {
    let (text, scene, answer) = drawn(&directory("optimize-thrusts"), &task("quadrotor_gate"), &[]);
    for (k, thrusts) in scene["thrusts"].as_array().expect("a list").iter().enumerate() {
        let controls = numbers(&answer["u"][k]);
        let pose = numbers(&scene["poses"][k][1]);
        let (x, y, z, w) = (pose[3], pose[4], pose[5], pose[6]);
        // The third column of the rotation.
        let axis = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
        for (of, u) in thrusts.as_array().expect("a list").iter().zip(controls) {
            for (found, axis) in numbers(&of["force"]).into_iter().zip(axis) {
                // What is drawn is rounded to 1e-5, and thrusts are up to 8 N.
                assert!((found - u * axis).abs() < 3e-4, "step {k}: {of}, control {u}");
            }
        }
    }
    // The other way: what the pointer shows of a control is what the file has, held over each step.
    let of_first = shown(&text, "front_left");
    let controls: Vec<f64> = answer["u"].as_array().expect("a list").iter().map(|u| numbers(u)[0]).collect();
    assert_eq!(of_first.len(), 2 * controls.len());
    for (shown, u) in of_first.iter().step_by(2).zip(controls) {
        // Five digits.
        assert!((shown - u).abs() <= 1e-4 * u.abs(), "{shown}, {u}");
    }
}

/// Bodies have the size that their mass and inertia say: a finger is no leg.
#[test]
fn bodies_are_as_large_as_their_inertia() {
    let (_, scene, _) = drawn(&directory("optimize-bodies"), &task("g1_reach"), &[]);
    let links = scene["links"].as_array().expect("a list");
    let sizes = |part: &str| -> Vec<Vec<f64>> {
        let of = |link: &&serde_json::Value| link["name"].as_str().expect("a name").contains(part);
        links.iter().filter(of).map(|link| numbers(&link["solid"]["half"])).collect()
    };
    let (fingers, legs) = (sizes("hand_index"), sizes("knee"));
    assert!(!fingers.is_empty() && legs.len() == 2);
    let thinnest = legs.iter().flatten().fold(f64::INFINITY, |least, x| least.min(*x));
    for finger in fingers {
        let mut finger = finger;
        finger.sort_by(f64::total_cmp);
        assert!(finger[1] < 0.5 * thinnest, "{finger:?}, a leg {thinnest}");
    }
    // The ground pushes between the outermost edges of the soles: 5 cm beyond the ankles to the side, 17 cm to the
    // front and back.
    for (pressure, forces) in
        scene["pressure"].as_array().expect("a list").iter().zip(scene["forces"].as_array().expect("a list"))
    {
        let pressure = numbers(pressure);
        for (axis, edge) in [(0, 0.17), (1, 0.05)] {
            let feet = forces.as_array().expect("a list").iter().map(|of| numbers(&of["at"])[axis]);
            let (least, most) = feet.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            assert!((least - edge..most + edge).contains(&pressure[axis]), "{pressure:?}, {forces}");
        }
    }
}

/// Distances over the whole motion are not less than what the task allows.
#[test]
fn distances_are_plotted() {
    let (text, scene, _) = drawn(&directory("optimize-distances"), &task("arm_around_pole"), &[]);
    let (_, section) = text.split_once("<h2>Distances</h2>").expect("a section");
    let section = section.split_once("</section>").expect("its end").0;
    let names: Vec<&str> =
        section.split("data-name=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|x| x.0).collect();
    assert_eq!(names.len(), 2);
    let mut nearest = f64::INFINITY;
    for name in names {
        let distances = shown(section, name);
        assert_eq!(distances.len(), scene["time"].as_array().expect("a list").len(), "{name}");
        let least = distances.into_iter().fold(f64::INFINITY, f64::min);
        // The task keeps 1 cm; the solver's tolerance is below the fifth digit that is shown.
        assert!(least > 0.00999, "{name}: {least}");
        nearest = nearest.min(least);
    }
    // The hand passes as near as it may.
    assert!(nearest < 0.0101, "{nearest}");
}

/// A second trajectory: another program's or an earlier one, at its own times if it has others.
#[test]
fn a_second_trajectory_is_beside_the_first() {
    let folder = directory("optimize-beside");
    let file = super::optimize::small(&folder, str::to_owned);
    let (_, first, answer) = drawn(&folder.join("one"), &file, &[]);
    assert!(first["beside"].is_null());
    let own = folder.join("one/trajectory.json");
    let own = own.to_str().expect("UTF-8");
    let (text, scene, _) = drawn(&folder.join("two"), &file, &["--beside", own]);
    assert_eq!(scene["beside"]["poses"], first["poses"]);
    assert_eq!(scene["beside"]["name"], "trajectory.json");
    assert!(text.contains("data-name=\"trajectory.json\""), "curves");

    // Every other node, with its time.
    let theirs = folder.join("theirs.json");
    let half = |key: &str| {
        let all = answer[key].as_array().expect("a list");
        all.iter().step_by(2).cloned().collect::<Vec<_>>()
    };
    let mut value = serde_json::json!({ "time": half("time"), "q": half("q"), "v": half("v"), "u": half("u") });
    value["u"].as_array_mut().expect("a list").truncate(half("q").len() - 1);
    fs::write(&theirs, value.to_string()).expect("writes");
    let path = theirs.to_str().expect("UTF-8");
    let (_, scene, _) = drawn(&folder.join("three"), &file, &["--beside", path]);
    assert_eq!(scene["beside"]["time"], value["time"]);
    assert_eq!(scene["beside"]["poses"][1], first["poses"][2]);

    // What is wrong is said before anything is solved.
    let out = folder.join("four");
    let out = out.to_str().expect("UTF-8");
    let wrong = |more: &[&str]| refused(&run([&["optimize", &file], more].concat()));
    assert!(wrong(&["--beside", own]).contains("--output"));
    assert!(wrong(&["--output", out, "--beside", "nowhere.json"]).contains("nowhere.json"));
    value.as_object_mut().expect("an object").remove("time");
    fs::write(&theirs, value.to_string()).expect("writes");
    let message = wrong(&["--output", out, "--beside", path]);
    assert!(message.contains("theirs.json") && message.contains("expected"), "{message}");
    value["v"] = serde_json::json!([[1.0]]);
    fs::write(&theirs, value.to_string()).expect("writes");
    let message = wrong(&["--output", out, "--beside", path]);
    assert!(message.contains("`q` has") && message.contains("`v` has 1"), "{message}");
    assert!(!Path::new(out).exists());
}
