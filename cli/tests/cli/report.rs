//! `gradyn check --report`

use super::{directory, good, robot, run, run_with};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testing::Running;

/// The page that a check with these arguments and this input writes, and its exit code.
fn page(name: &str, arguments: &[&str], input: &str) -> (PathBuf, String, Option<i32>) {
    let file = directory(name).join("report.html");
    let path = file.to_str().expect("UTF-8");
    let output = run_with([&["check"], arguments, &["--report", path]].concat(), input.as_bytes());
    let text = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (file, text, output.status.code())
}

/// Two states of the double pendulum; the second has a wrong entry.
fn wrong_claims() -> String {
    let states = br#"{"states": [{"q": [1, 2], "v": [3, 4], "a": [5, 6]}, {"q": [0, 1], "v": [1, 0], "a": [0, 0]}]}"#;
    let answer = run_with(["evaluate", &robot("double_pendulum"), "--states", "-"], states);
    let mut claims: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    claims["states"][1]["dtau_dq"][1][0] = serde_json::json!(7.0);
    claims.to_string()
}

/// The pages of a check without and with `--against`.
fn pages(name: &str) -> [(PathBuf, String); 2] {
    let (own, own_text, code) = page(&format!("{name}-own"), &[&robot("solo12"), "--samples", "2"], "");
    assert_eq!(code, Some(0));
    let arguments = [&robot("double_pendulum"), "--against", "-"];
    let (theirs, text, code) = page(&format!("{name}-theirs"), &arguments, &wrong_claims());
    assert_eq!(code, Some(1));
    [(own, own_text), (theirs, text)]
}

#[test]
fn a_page_holds_what_was_found() {
    let [(_, own), (_, theirs)] = pages("holds");
    for part in
        ["All agrees", "2 random states (seed 0)", "Methods against each other", "analytical, difference", "FL_"]
    {
        assert!(own.contains(part), "{part}");
    }
    for part in
        ["Something disagrees", "1 of 4 entries disagree", "state 1 of standard input", "elbow by shoulder: claimed 7"]
    {
        assert!(theirs.contains(part), "{part}");
    }
    for text in [&own, &theirs] {
        for part in [
            "∂τ/∂q",
            "∂τ/∂v",
            "<h2>M ",
            "what is claimed",
            "how far it is",
            "over its step",
            "Orders: ",
            "@media print",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
    // Two heat maps of each of three matrices, and two curves and one of remainders.
    assert_eq!(own.matches("<figure>").count(), 3 * (2 + 2 + 1));
}

/// Nothing is fetched, and the page is well-formed.
#[test]
fn a_page_stands_alone() {
    for (_, text) in pages("alone") {
        for outside in ["http", "//", "src=", "href", "<link", "url(", "@import", "<script", "<iframe", "<object"] {
            assert!(!text.contains(outside), "{outside}");
        }
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        let tree = roxmltree::Document::parse_with_options(&text, options).unwrap_or_else(|error| panic!("{error}"));
        assert!(tree.root_element().has_tag_name("html"));
        let pictures = tree.descendants().filter(|node| node.has_tag_name("svg"));
        for number in pictures.flat_map(|node| node.descendants()).flat_map(|node| node.attributes()) {
            assert!(!number.value().contains("NaN") && !number.value().contains("inf"), "{number:?}");
        }
    }
}

/// Names may hold anything.
#[test]
fn odd_names_do_no_harm() {
    let text = r#"<robot name="a&#10;&lt;b&gt;"><link name="x"/><link name="c&amp;"/>
<joint name="j,&quot;&lt;script&gt;" type="floating"><parent link="x"/><child link="c&amp;"/></joint></robot>"#;
    let file = directory("odd-report").join("odd.urdf");
    std::fs::write(&file, text).expect("writes");
    let (_, text, code) = page("odd-page", &[file.to_str().expect("UTF-8"), "--samples", "1"], "");
    assert_eq!(code, Some(0));
    assert!(!text.contains("<script") && text.contains("&lt;script&gt;"));
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(&text, options).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_robot_that_cannot_move_has_a_page() {
    let file = directory("still-report").join("still.urdf");
    std::fs::write(&file, r#"<robot name="still"><link name="rock"/></robot>"#).expect("writes");
    let (_, text, code) = page("still-page", &[file.to_str().expect("UTF-8")], "");
    assert_eq!(code, Some(0));
    assert!(text.contains("nq 0, nv 0"), "{text}");
}

/// The answer on standard output is the one without a page; the same input gives the same page.
#[test]
fn a_page_changes_nothing_else() {
    let file = robot("panda");
    let (path, text, _) = page("same", &[&file, "--samples", "2"], "");
    let path = path.to_str().expect("UTF-8");
    let answer = good(["check", &file, "--samples", "2", "--report", path]);
    assert_eq!(answer, good(["check", &file, "--samples", "2"]));
    assert_eq!(std::fs::read_to_string(path).expect("is there"), text);
    let message = super::refused(&run(["check", &file, "--report", &file]));
    assert!(message.contains("input of the same command"), "{message}");
}

/// A browser without a window, if one is installed.
pub(super) fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    names.into_iter().find(|name| {
        let mut version = Command::new(name);
        version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Few systems have them all.
        Running::try_start(&mut version).is_ok_and(|version| version.finish(b"").status.success())
    })
}

/// What the browser does with the page, within a minute.
pub(super) fn browse(browser: &str, here: &Path, arguments: &[&str], page: &Path) -> Option<Vec<u8>> {
    let quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    let out = here.join("out");
    let mut child = Command::new(browser)
        .args(quiet)
        .arg(format!("--user-data-dir={}", here.join("profile").display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .stdout(std::fs::File::create(&out).ok()?)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if child.try_wait().ok()?.is_some() {
            return std::fs::read(&out).ok();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// In a real browser the pictures are there and are seen.
#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium or Chrome is installed");
        return;
    };
    let here = directory("browser");
    for (k, (file, text)) in pages("shown").into_iter().enumerate() {
        let Some(dom) = browse(browser, &here, &["--dump-dom"], &file) else {
            println!("skipped: {browser} does not start here");
            return;
        };
        let dom = String::from_utf8(dom).expect("UTF-8");
        for part in ["<svg ", "<rect ", "<path ", "<table>", "<figure>"] {
            assert_eq!(dom.matches(part).count(), text.matches(part).count(), "{part}");
        }
        // The picture is a PNG with more in it than one color, which would be packed into a few kilobytes.
        let picture = here.join(format!("{k}.png"));
        let screenshot = format!("--screenshot={}", picture.display());
        browse(browser, &here, &[&screenshot, "--hide-scrollbars", "--window-size=1100,1400"], &file)
            .expect("shows it");
        let png = std::fs::read(&picture).expect("a picture");
        assert!(png.starts_with(b"\x89PNG") && png.len() > 30_000, "{} bytes", png.len());
        let pdf = here.join(format!("{k}.pdf"));
        let print = format!("--print-to-pdf={}", pdf.display());
        browse(browser, &here, &[&print, "--no-pdf-header-footer"], &file).expect("prints it");
        assert!(std::fs::read(&pdf).expect("a print").starts_with(b"%PDF"));
    }
}
