//! How much memory the program may take: what is free, unless the command line says otherwise.

mod need;

pub(crate) use need::Evaluation;

use std::fmt;
use sysinfo::System;

/// A limit, and who set it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryLimit {
    /// `None` if nobody knows: then allocations fail when they fail.
    limit: Option<u64>,
    /// Whether it is from the command line.
    given: bool,
}

/// What `--max-memory` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Bytes(u64),
    None,
}

impl MemoryLimit {
    pub(crate) fn new(given: Option<Limit>) -> Self {
        match given {
            Some(Limit::Bytes(bytes)) => Self { limit: Some(bytes), given: true },
            Some(Limit::None) => Self { limit: None, given: true },
            // Somewhat less than all: other programs go on.
            None => Self { limit: available().map(|bytes| bytes - bytes / 8), given: false },
        }
    }

    /// Checks that there is so much. The error is what follows "takes 8.0 GB of memory, ".
    pub(crate) fn check(self, bytes: u128) -> Result<(), String> {
        let Some(limit) = self.limit.filter(|limit| bytes > u128::from(*limit)) else { return Ok(()) };
        let (needed, limit) = (Size(bytes), Size(limit.into()));
        let whose = if self.given { "as --max-memory says" } else { "what is free; --max-memory sets another limit" };
        Err(format!("takes {needed} of memory, expected {limit} at most ({whose})"))
    }
}

/// `8.0 GB`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub(crate) u128);

/// Units of size, each a thousand times the one before.
const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "shown with two or three digits")]
        let mut number = self.0 as f64;
        let mut unit = 0;
        while number >= 1000.0 && unit + 1 < UNITS.len() {
            (number, unit) = (number / 1000.0, unit + 1);
        }
        let digits = usize::from(number < 10.0 && unit > 0);
        write!(f, "{number:.digits$} {}", UNITS[unit])
    }
}

/// `8GB`, `500 MB`, `2GiB`, `none`.
pub(crate) fn parse(text: &str) -> Result<Limit, String> {
    let wrong = || String::from("expected a size such as 8GB, 500MB or 2GiB, or `none`");
    let text = text.trim();
    if text == "none" {
        return Ok(Limit::None);
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim().to_ascii_lowercase();
    let power = |base: f64, letters: &str| {
        let letters = ["", "k", "m", "g", "t", "p"].iter().position(|known| *known == letters)?;
        Some(base.powi(i32::try_from(letters).ok()?))
    };
    let factor = match unit.strip_suffix("ib") {
        Some(letters) if !letters.is_empty() => power(1024.0, letters),
        _ => power(1000.0, unit.strip_suffix('b').unwrap_or(&unit)),
    };
    let bytes = (number * factor.ok_or_else(wrong)?).min(1e18);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and below 2^63")]
    Ok(Limit::Bytes(bytes as u64))
}

/// Bytes that the system, or the program's container, has left; `None` where it does not say.
fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let free = Some(system.available_memory()).filter(|free| *free > 0);
    let of_group = system.cgroup_limits().map(|group| group.free_memory).filter(|_| free.is_some());
    [free, of_group, address_space()].into_iter().flatten().min()
}

/// The limit of the program's address space, `ulimit -v`; `None` without one.
fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, bytes) in [
            ("8GB", 8_000_000_000),
            ("1.5 kB", 1500),
            ("2GiB", 2 << 30),
            ("3g", 3_000_000_000),
            ("77", 77),
            ("0", 0),
            ("12 b", 12),
        ] {
            assert_eq!(parse(text), Ok(Limit::Bytes(bytes)), "{text}");
        }
        assert_eq!(parse("none"), Ok(Limit::None));
        for wrong in ["", "GB", "-1", "1XB", "1 2", "1e9", "ib", "1ib"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_much_is_said_with_both_sizes() {
        let memory = MemoryLimit::new(Some(Limit::Bytes(2_000_000)));
        assert_eq!(memory.check(2_000_000), Ok(()));
        let expected = "takes 32 GB of memory, expected 2.0 MB at most (as --max-memory says)";
        assert_eq!(memory.check(32_000_000_000), Err(expected.to_owned()));
        assert_eq!(MemoryLimit::new(Some(Limit::None)).check(u128::MAX), Ok(()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_machine_has_some_memory_and_not_all() {
        let memory = MemoryLimit::new(None);
        assert_eq!(memory.check(1 << 16), Ok(()));
        assert!(memory.check(1 << 60).is_err_and(|reason| reason.contains("--max-memory sets another limit")));
    }
}
