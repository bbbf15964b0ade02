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
    use crate::signals;
    use std::ffi::OsString;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use testing::Running;

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
        let reader = Running::start(Command::new("cat").arg(&pipe).stdout(Stdio::piped()));
        text_of(&write_to(&pipe));
        assert_eq!(text_of(&reader.finish(b"")), printed);
        assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 1, "nothing is left behind");
        if Path::new("/dev/full").exists() {
            assert!(refused(&write_to(Path::new("/dev/full"))).contains("cannot write /dev/full"));
        }
    }

    /// Starts it on minutes of work, second derivatives by differences, whose answer goes to a file that is there
    /// already; waits until it is being written, to a third file in this folder.
    fn at_work(here: &Path, mut gradyn: Command) -> Running {
        std::fs::write(here.join("answer.json"), "precious").expect("writes");
        let state = |n: usize| format!(r#"{{"q": [{0}], "v": [{0}], "a": [{0}]}}"#, vec!["0.1"; n].join(","));
        let states = format!(r#"{{"states": [{}]}}"#, vec![state(43); 1000].join(","));
        std::fs::write(here.join("states.json"), states).expect("writes");
        gradyn
            .args(["evaluate", &robot("g1"), "--quantities", "d2tau_dqdq", "--method", "difference", "--states"])
            .args([here.join("states.json").as_os_str(), "--output".as_ref(), here.join("answer.json").as_os_str()])
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let mut program = Running::start(&mut gradyn);
        program.wait_until("the answer is being written", || names(here).len() == 3);
        program
    }

    fn names(here: &Path) -> Vec<OsString> {
        std::fs::read_dir(here).expect("reads").map(|entry| entry.expect("is there").file_name()).collect()
    }

    fn is_as_before(here: &Path) {
        assert_eq!(std::fs::read_to_string(here.join("answer.json")).expect("is there"), "precious");
        assert_eq!(names(here).len(), 2, "nothing is left behind: {:?}", names(here));
    }

    /// A signal ends the program as it ends others, and takes the unfinished answer along.
    #[test]
    fn signals_leave_nothing_behind() {
        let here = directory("signals");
        for name in ["INT", "TERM", "HUP"] {
            let program = at_work(&here, signals::gradyn());
            let (name, number) = signals::heeded(name, &program);
            signals::send(name, &program);
            let status = program.finish(b"").status;
            assert_eq!(status.signal(), Some(number), "{status}");
            is_as_before(&here);
        }
    }

    /// Whoever starts it may tell it to ignore some, as `nohup` and jobs in the background are told. Others still end
    /// it.
    #[cfg(target_os = "linux")]
    #[test]
    fn signals_that_were_ignored_stay_so() {
        let here = directory("ignored");
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' HUP INT; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_gradyn")]);
        let program = at_work(&here, shell);
        for name in ["HUP", "INT", "TERM"] {
            signals::send(name, &program);
        }
        let status = program.finish(b"").status;
        assert_eq!(status.signal(), Some(15), "{status}");
        is_as_before(&here);
    }
}
