//! Robot files with random faults, whatever the format.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not zero.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Reads files that `damaged` makes, 2000 at least, for a second; longer on request: `GRADYN_FUZZ_SECONDS=600 cargo test --test all NAME`.
///
/// `read` checks what loads. What is refused has a message of one line that begins with the line of the file, and is found by the reader
/// itself: `is_of_builder` says of which errors it is not.
pub(crate) fn are_refused_or_sane<E: Display>(
    damaged: impl Fn(&mut Random) -> String,
    read: impl Fn(&str, &mut Random) -> Result<(), E>,
    is_of_builder: impl Fn(&E) -> bool,
) {
    let (mut loaded, mut refused) = (0, 0);
    let seconds = std::env::var("GRADYN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (started, mut seed) = (Instant::now(), 0);
    while started.elapsed() < Duration::from_secs(seconds) || seed < 2000 {
        let mut random = Random(seed);
        let text = damaged(&mut random);
        let outcome = catch_unwind(AssertUnwindSafe(|| match read(&text, &mut random) {
            Ok(()) => true,
            Err(error) => {
                let message = error.to_string();
                assert!(message.starts_with("line ") && !message.contains('\n') && message.len() < 1500, "{message}");
                assert!(!is_of_builder(&error), "the reader has to find this itself: {message}");
                false
            }
        }));
        match outcome {
            Ok(true) => loaded += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("seed {seed}: {text}"),
        }
        seed += 1;
    }
    println!("{loaded} loaded, {refused} refused");
    assert!(loaded > 100 && refused > 100, "{loaded} loaded, {refused} refused: the faults are too mild or too rough");
}
