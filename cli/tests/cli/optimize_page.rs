//! The page of `gradyn optimize`, as text and in a browser.

use super::optimize::task;
use super::report::{browse, browser};
use super::{directory, good, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
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
        for outside in ["http", " src=", "href", "<link", "url(", "@import", "fetch(", "<iframe", "import("] {
            assert!(!part.contains(outside), "{outside}");
        }
        assert!(!part.contains("NaN") && !part.contains("inf"), "a number is none");
    }
    let verdict = before.find("<p class=\"verdict good\">Converged</p>").expect("the verdict");
    assert!(verdict < before.find("<canvas").expect("a view"));
    for part in ["Positions q", "Velocities v", "Torques τ", "Stationarity", "FL_HAA"] {
        assert!(before.contains(part), "{part}");
    }
}

/// Before the page's own scripts: errors are kept. After them: play is pressed, and frames are read.
const WATCH: &str = "<script>window.errors = []; addEventListener('error', (e) => errors.push(e.message)); \
    for (const kind of ['error', 'warn']) console[kind] = (...all) => errors.push(all.join(' '));</script>";
/// The page counts as loaded, and the browser ends, when an image has come that a server here holds back until frames have been read.
const PRESS: &str = "<script>setTimeout(() => { const at = () => ({ ...document.documentElement.dataset }); \
    const before = at(); let polls = 0; document.getElementById('play').click(); \
    const timer = setInterval(() => { const after = at(); \
    if (++polls < 400 && !(after.frames - before.frames > 8 && after.time - before.time > 0.1)) return; \
    clearInterval(timer); document.getElementById('play').click(); \
    const text = JSON.stringify({ before, after, errors, flat: !document.getElementById('fallback').hidden, \
    width: innerWidth, content: document.documentElement.scrollWidth, \
    clock: document.getElementById('clock').textContent, now: document.querySelector('.now').getAttribute('transform') }); \
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

/// In a real browser the robot moves when play is pressed, at the widths of a desk and of a hand, with WebGL and without it.
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
        if !webgl {
            assert_eq!(seen["flat"], true, "{seen}");
        }
    }
}
