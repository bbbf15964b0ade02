//! Signals that end programs.

use std::fs;

/// Whether the program was told to ignore this signal, as by `nohup`, or as a background job of a script. Then it must
/// leave it so. `false` where that is unknown.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
