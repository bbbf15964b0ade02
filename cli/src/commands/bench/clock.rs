//! The measurement: many calls to a sample, many samples, their median and the least.

use gradyn::model::InputError;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Long against the clock's own 20 ns, short against what else a machine does.
const SAMPLE: Duration = Duration::from_micros(50);
const SAMPLES: usize = 41;
/// Caches, branch predictors and the processor's frequency get used to it.
const WARM_UP: Duration = Duration::from_millis(3);
/// After so long, few samples have to do.
const PATIENCE: Duration = Duration::from_millis(400);
const FEWEST: usize = 5;

/// Nanoseconds a call.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Timing {
    pub(super) median_ns: f64,
    /// What it takes when nothing disturbs.
    pub(super) min_ns: f64,
}

/// Measures one after the other.
#[derive(Debug)]
pub(super) struct Clock<'a> {
    only: &'a [String],
    pub(super) results: Vec<(String, Timing)>,
    /// What cannot be computed for this robot, and why.
    pub(super) skipped: Vec<(String, String)>,
}

impl<'a> Clock<'a> {
    /// Measures what has one of these in its name; everything if there are none.
    pub(super) fn new(only: &'a [String]) -> Self {
        Self { only, results: Vec::new(), skipped: Vec::new() }
    }

    /// Whether this is requested.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }

    /// Notes why this is not measured.
    pub(super) fn skip(&mut self, name: &str, reason: String) {
        if self.wants(name) {
            self.skipped.push((name.to_owned(), reason));
        }
    }

    /// Times a call on each of the states in turn; each call counts for `share` results.
    pub(super) fn time<S>(
        &mut self,
        name: &str,
        states: &[S],
        share: usize,
        mut call: impl FnMut(&S) -> Result<(), InputError>,
    ) {
        if self.wants(name) && !states.is_empty() {
            self.measure(name, states.len(), share, &mut |k| call(std::hint::black_box(&states[k])));
        }
    }

    /// [`time`](Self::time) on states by number. Compiled once.
    fn measure(
        &mut self,
        name: &str,
        states: usize,
        share: usize,
        call: &mut dyn FnMut(usize) -> Result<(), InputError>,
    ) {
        // Errors show on the first round; the inner loop need not look.
        let start = Instant::now();
        for state in 0..states {
            if let Err(error) = call(state) {
                return self.skip(name, error.to_string());
            }
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        let mut next = 0;
        let mut sample = |calls: u32| {
            let start = Instant::now();
            for _ in 0..calls {
                let _ = call(next);
                next = if next + 1 == states { 0 } else { next + 1 };
            }
            start.elapsed()
        };
        let calls = calibrate(&mut sample);
        let start = Instant::now();
        let mut times = Vec::with_capacity(SAMPLES);
        while times.len() < SAMPLES && (times.len() < FEWEST || start.elapsed() < PATIENCE) {
            times.push(sample(calls).as_secs_f64() * 1e9);
        }
        times.sort_by(f64::total_cmp);
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let results = f64::from(calls) * share as f64;
        let timing = Timing { median_ns: times[times.len() / 2] / results, min_ns: times[0] / results };
        self.results.push((name.to_owned(), timing));
    }
}

/// Warms up and returns how many calls fill a sample.
fn calibrate(sample: &mut impl FnMut(u32) -> Duration) -> u32 {
    let (start, mut calls) = (Instant::now(), 1);
    loop {
        let taken = sample(calls);
        let enough = taken >= SAMPLE;
        if enough && start.elapsed() >= WARM_UP {
            return calls;
        }
        if !enough {
            calls *= 2;
        }
    }
}
