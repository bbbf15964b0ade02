//! Signals to the program.

use std::process::{Command, Stdio};
use testing::Running;

/// The program as a terminal starts it, heeding these signals also where these tests are told to ignore one, as jobs in
/// the background of scripts are. It can be done where there is the `env` of GNU; see [`heeded`].
pub(super) fn gradyn() -> Command {
    let program = env!("CARGO_BIN_EXE_gradyn");
    let env = |program: &str| {
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", program]).stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    let can = Running::try_start(&mut env("true")).is_ok_and(|env| env.finish(b"").status.success());
    if can { env(program) } else { Command::new(program) }
}

/// The signal to end this program by, and its number: INT, TERM or HUP if it heeds that; else TERM, and it is said why.
pub(super) fn heeded(name: &'static str, program: &Running) -> (&'static str, i32) {
    let number = match name {
        "HUP" => 1,
        "INT" => 2,
        _ => 15,
    };
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    if mask >> (number - 1) & 1 == 0 {
        return (name, number);
    }
    println!("SIG{name} is ignored here, and there is no `env --default-signal`: SIGTERM is tried in its place");
    ("TERM", 15)
}

pub(super) fn send(name: &str, program: &Running) {
    println!("SIG{name} to process {}", program.id());
    let mut kill = Command::new("kill");
    assert!(Running::start(kill.args(["-s", name, &program.id().to_string()])).finish(b"").status.success());
}
