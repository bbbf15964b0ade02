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

/// Applies one fault: a value for another (of an attribute, or between two tags), a part cut out, an element inserted, a line removed or
/// doubled.
pub(crate) fn damage(text: &mut String, random: &mut Random, words: &[&str], junk: &[&str]) {
    let boundary = |at: usize, text: &str| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let quotes: Vec<_> = text.match_indices('"').map(|(i, _)| i).collect();
    let values: Vec<_> = quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).collect();
    let between = text.match_indices('>').filter_map(|(i, _)| Some(i + 1..i + 1 + text.get(i + 1..)?.find('<')?));
    let values: Vec<_> = values.into_iter().chain(between.filter(|range| !range.is_empty())).collect();
    match random.below(4) {
        0 if !values.is_empty() => {
            let range = values[random.below(values.len())].clone();
            text.replace_range(range, random.pick(words));
        }
        1 if !text.is_empty() => {
            let from = boundary(random.below(text.len()), text);
            let to = boundary((from + random.below(60)).min(text.len()), text);
            text.replace_range(from..to.max(from), "");
        }
        2 if !text.is_empty() => {
            let at = boundary(random.below(text.len()), text);
            let at = text[at..].find('<').map_or(0, |i| at + i);
            text.insert_str(at, random.pick(junk));
        }
        _ => {
            let lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
            let (line, other) = (random.below(lines.len().max(1)), random.below(lines.len().max(1)));
            let left = lines.iter().enumerate().filter(|(n, _)| *n != line).map(|(_, text)| text.as_str());
            *text = left.collect();
            if random.below(2) == 0 {
                text.push_str(lines.get(other).map_or("", String::as_str));
            }
        }
    }
}

/// Reads files that `damaged` makes, 2000 at least, for a second; longer on request: `GRADYN_FUZZ_SECONDS=600 cargo test --test all NAME`.
///
/// `read` checks what loads. What is refused has a message of one line that begins with the line of the file, or with the included file and the line there, and is found by the reader
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
                let is_placed =
                    message.starts_with("line ") || (message.starts_with('`') && message.contains("`, line "));
                assert!(is_placed && !message.contains('\n') && message.len() < 1500, "{message}");
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
