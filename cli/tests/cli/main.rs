//! The program `gradyn` as scripts and people see it: answers, exit codes, messages.

mod against;
mod bench;
mod check;
mod constraints;
mod convert;
mod derivatives;
mod errors;
mod evaluate;
mod excite;
mod function;
mod generate;
mod identify;
mod identify_payload;
mod identify_write;
mod info;
mod layouts;
mod mjcf;
mod named_poses;
mod optimize;
mod optimize_broken;
mod optimize_constraints;
mod optimize_contacts;
mod optimize_durations;
mod optimize_files;
mod optimize_ground;
mod optimize_page;
mod optimize_pairs;
mod optimize_parameters;
mod optimize_steps;
mod optimize_verdicts;
mod quantities;
mod report;
mod sensitivity;
mod sensitivity_answers;
mod sensitivity_forces;
mod sensitivity_samples;
mod sensitivity_task;
#[cfg(unix)]
mod signals;
mod size;
mod written;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use testing::Running;

/// Runs `gradyn` with these arguments and this standard input.
fn run_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradyn"));
    output(command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE"), input)
}

/// Runs a command with this standard input.
fn output(command: &mut Command, input: &[u8]) -> Output {
    Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped())).finish(input)
}

fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    run_with(arguments, b"")
}

/// What it writes when all is well.
fn good<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    text_of(&run(arguments))
}

fn text_of(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The one line that it writes on bad input.
fn refused(output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    let message = errors.strip_prefix("gradyn: error: ").unwrap_or_else(|| panic!("not an error line: {errors}"));
    let message = message.strip_suffix('\n').expect("ends");
    assert!(!message.contains('\n') && !message.is_empty(), "not one line: {errors}");
    message.to_owned()
}

fn robots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots")
}

fn robot(name: &str) -> String {
    robots().join(format!("{name}.urdf")).to_str().expect("UTF-8").to_owned()
}

/// Every robot of the repository but the quadrotor, of which nothing moves unless its base floats.
fn all_robots() -> Vec<String> {
    let entries = fs::read_dir(robots()).expect("there are robots").map(|entry| entry.expect("is there").path());
    let urdf = entries.filter(|path| path.extension().is_some_and(|extension| extension == "urdf"));
    let urdf = urdf.filter(|path| !path.ends_with("quadrotor.urdf"));
    let mut paths: Vec<_> = urdf.map(|path| path.to_str().expect("UTF-8").to_owned()).collect();
    paths.sort();
    assert!(paths.len() >= 10, "{paths:?}");
    paths
}

/// A new, empty directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("can be made");
    path
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
