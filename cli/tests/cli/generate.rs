//! `gradyn generate`: files that compile and agree, and what it refuses.

use super::{directory, good, refused, robot, run};
use std::fs;
use std::path::Path;
use std::process::Command;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn the_test_beside_the_code_passes() {
    let here = directory("generate").join("new");
    let said = good([
        "generate",
        &robot("panda"),
        "--function",
        "rnea, rnea_derivatives",
        "--language",
        "rust",
        "-o",
        text(&here),
    ]);
    assert!(said.contains("rnea  ") && said.contains("; by formulas: costs are "), "{said}");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compile = || {
        let compiled =
            Command::new(&rustc).current_dir(&here).args(["--edition", "2024", "--test", "panda_test.rs"]).output();
        let compiled = compiled.expect("rustc is here");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Command::new(here.join("panda_test")).output().expect("runs").status.success()
    };
    assert!(compile());
    // A mistake is found: the first sum of the code becomes a difference.
    let code = fs::read_to_string(here.join("panda.rs")).expect("is there");
    fs::write(here.join("panda.rs"), code.replacen(" + x_", " - x_", 1)).expect("writes");
    assert!(!compile());
    fs::remove_file(here.join("panda_test")).expect("is there");
    // Its own files are replaced.
    good(["generate", &robot("panda"), "--function", "crba", "--language", "rust", "-o", text(&here)]);
    assert!(!fs::read_to_string(here.join("panda.rs")).expect("is there").contains("pub fn rnea"));
}

/// Of a quadruped, with its legs in registers: the test beside the code asks for the processor.
#[test]
fn the_test_beside_legs_passes() {
    let here = directory("generate-legs").join("new");
    let solo = robot("solo12");
    let line =
        ["generate", &solo, "--floating-base", "--function", "rnea", "--language", "rust", "--legs", "-o", text(&here)];
    good(line);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled =
        Command::new(rustc).current_dir(&here).args(["--edition", "2024", "--test", "solo12_test.rs"]).output();
    let compiled = compiled.expect("rustc is here");
    let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    // Registers of AVX2 are there on x86-64 alone.
    assert!(cfg!(not(target_arch = "x86_64")) || compiled.status.success(), "{said}");
    if compiled.status.success() {
        assert!(Command::new(here.join("solo12_test")).output().expect("runs").status.success());
    }
}

#[test]
fn nothing_of_others_is_overwritten() {
    let here = directory("generate-foreign");
    fs::write(here.join("notes.txt"), "mine").expect("writes");
    let said = refused(&run(["generate", &robot("panda"), "--function", "rnea", "--language", "c", "-o", text(&here)]));
    assert!(
        said.contains("it has `notes.txt`, which was not generated: expected an empty folder, or a new one"),
        "{said}"
    );
    assert!(!here.join("panda.c").exists());
    assert_eq!(fs::read_to_string(here.join("notes.txt")).expect("is there"), "mine");
}

#[test]
fn what_cannot_be_generated_is_named() {
    let here = directory("generate-refused").join("new");
    let ask = |function: &str, more: &[&str]| {
        let panda = robot("panda");
        let mut line = vec!["generate", &panda, "--function", function, "-o", text(&here)];
        line.extend(more);
        let said = refused(&run(line));
        assert!(!here.exists());
        said
    };
    for (function, more, needle) in [
        ("rnae", &["--language", "rust"][..], "no function is called `rnae`; the nearest is `rnea`"),
        ("frame_pose", &["--language", "c"], "`frame_pose`: it needs a frame (`--frame`)"),
        ("contact_dynamics", &["--language", "c"], "it needs the frames that touch (`--contact`)"),
        ("frame_pose", &["--language", "c", "--frame", "panda_link9"], "there is no link or joint `panda_link9`"),
        ("rnea", &["--language", "c", "--lanes", "4"], "--lanes is for --language rust"),
        ("rnea", &["--language", "rust", "--lanes", "0"], "--lanes is 0, expected 1 to 64"),
        ("rnea", &["--language", "casadi", "--legs"], "--legs is for --language rust and c"),
        ("rnea", &["--language", "rust", "--legs", "--lanes", "4"], "--legs and --lanes exclude each other"),
        ("rnea,rnea", &["--language", "rust"], "--function names `rnea` twice"),
        ("rnea", &["--language", "rust", "--parameters", "nothing"], "no parameter of `panda` fits `nothing`"),
    ] {
        let said = ask(function, more);
        assert!(said.contains(needle), "{function} {more:?}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}
