//! Files that the program writes: whole or not at all, wherever they are, and nothing beside them.

use super::{directory, refused, robot, run, run_with, text_of};
use std::path::Path;

const EMPTY: &[u8] = br#"{"states": []}"#;

/// Evaluates nothing into this file.
fn write_to(path: &Path) -> std::process::Output {
    let arguments = ["evaluate", &robot("ur5"), "--states", "-", "--output", path.to_str().expect("UTF-8")];
    run_with(arguments, EMPTY)
}

fn is_answer(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.starts_with("{\"robot\":\"ur5\"") && text.ends_with("]}\n"))
}

#[test]
fn names_may_be_as_long_as_the_system_lets_them() {
    let here = directory("names");
    for name in ["a".repeat(250), "ä".repeat(125), "a".repeat(255)] {
        text_of(&write_to(&here.join(&name)));
        assert!(is_answer(&here.join(&name)), "{name}");
    }
    let message = refused(&write_to(&here.join("a".repeat(256))));
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 3, "nothing is left behind");
}

#[test]
fn folders_are_no_files() {
    let here = directory("folders");
    for path in [here.clone(), here.join("no/"), here.join("..")] {
        let message = refused(&write_to(&path));
        assert!(message.contains("cannot write"), "{message}");
    }
    assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 0, "nothing is left behind");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    /// Links to links, to files that are there or not yet, stay links.
    #[test]
    fn links_are_followed() {
        let here = directory("links");
        std::fs::create_dir(here.join("deep")).expect("can be made");
        std::fs::write(here.join("deep/old.json"), "old").expect("writes");
        for (link, to) in
            [("one", "deep/two"), ("deep/two", "new.json"), ("three", "deep/old.json"), ("round", "round")]
        {
            symlink(to, here.join(link)).expect("links");
        }
        text_of(&write_to(&here.join("one")));
        text_of(&write_to(&here.join("three")));
        for link in ["one", "deep/two", "three"] {
            assert!(here.join(link).symlink_metadata().expect("is there").is_symlink(), "{link}");
        }
        assert!(is_answer(&here.join("deep/new.json")) && is_answer(&here.join("deep/old.json")));
        let message = refused(&write_to(&here.join("round")));
        assert!(message.contains("cannot write") && message.contains("links"), "{message}");
        assert_eq!(std::fs::read_dir(here.join("deep")).expect("reads").count(), 3, "nothing is left behind");
    }

    /// Where no file may be made, one that may be written still is. (The administrator may make files anywhere.)
    #[test]
    fn a_file_in_a_folder_that_is_only_read_is_written() {
        let here = directory("read-only");
        let (folder, file) = (here.join("folder"), here.join("folder/answer.json"));
        std::fs::create_dir(&folder).expect("can be made");
        std::fs::write(&file, "old, and longer than nothing ".repeat(100)).expect("writes");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).expect("can be set");
        let output = write_to(&file);
        let wrong = run(["evaluate", "nowhere.urdf", "--states", "-", "--output", file.to_str().expect("UTF-8")]);
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("can be set");
        text_of(&output);
        refused(&wrong);
        assert!(is_answer(&file));
    }

    /// Devices and pipes are written to, and stay.
    #[test]
    fn what_is_no_file_is_written_to() {
        text_of(&write_to(Path::new("/dev/null")));
        let printed = text_of(&run_with(["evaluate", &robot("ur5"), "--states", "-"], EMPTY));
        assert_eq!(text_of(&write_to(Path::new("/dev/stdout"))), printed);
        let here = directory("pipes");
        let pipe = here.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("is there").success());
        let reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().expect("starts");
        text_of(&write_to(&pipe));
        assert_eq!(text_of(&reader.wait_with_output().expect("ends")), printed);
        assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 1, "nothing is left behind");
        if Path::new("/dev/full").exists() {
            assert!(refused(&write_to(Path::new("/dev/full"))).contains("cannot write /dev/full"));
        }
    }

    /// A signal ends the program as it ends others, and takes the unfinished answer along.
    #[test]
    fn signals_leave_nothing_behind() {
        let here = directory("signals");
        let answer = here.join("answer.json");
        std::fs::write(&answer, "precious").expect("writes");
        // Second derivatives by differences, state after state: minutes of work.
        let state = |n: usize| format!(r#"{{"q": [{0}], "v": [{0}], "a": [{0}]}}"#, vec!["0.1"; n].join(","));
        let states = here.join("states.json");
        std::fs::write(&states, format!(r#"{{"states": [{}]}}"#, vec![state(43); 1000].join(","))).expect("writes");
        for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
            let mut child = Command::new(env!("CARGO_BIN_EXE_gradyn"))
                .args(["evaluate", &robot("g1"), "--quantities", "d2tau_dqdq", "--method", "difference"])
                .arg("--states")
                .arg(&states)
                .arg("--output")
                .arg(&answer)
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            let names = || std::fs::read_dir(&here).expect("reads").map(|entry| entry.expect("is there").file_name());
            let begun = Instant::now();
            while names().count() < 3 && begun.elapsed() < Duration::from_secs(120) {
                std::thread::sleep(Duration::from_millis(10));
            }
            assert_eq!(names().count(), 3, "the answer is being written");
            let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().expect("is there");
            assert!(kill.success());
            let status = child.wait().expect("the program ends");
            assert_eq!(status.signal(), Some(number), "{status}");
            assert_eq!(std::fs::read_to_string(&answer).expect("is there"), "precious");
            assert_eq!(names().count(), 2, "nothing is left behind: {:?}", names().collect::<Vec<_>>());
        }
    }
}
