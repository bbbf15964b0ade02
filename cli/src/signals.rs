//! Signals that end programs.

use std::fs;

/// Was the program told to ignore this signal, as by `nohup`, or as a job in the background of a script? It is to leave it so, then.
/// Where that cannot be found out: no.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
