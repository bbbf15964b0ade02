//! What several test files need: random numbers, levels, comparisons.

#![allow(dead_code, reason = "each test file uses a part")]

use gradyn_derivatives::Level;
use gradyn_derivatives::simd::with_level;

/// Steele, Lea and Flood's SplitMix64 (2014): a few lines, the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    /// Prints the seed: shown when the test fails.
    pub(crate) fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed)
    }
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In `[low, high)`.
    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.range(-1.0, 1.0)).collect()
    }
    pub(crate) fn eight(&mut self) -> [f64; 8] {
        std::array::from_fn(|_| self.range(-1.0, 1.0))
    }
}

/// Runs `test` at each level of this processor; the level is printed.
pub(crate) fn at_every_level(mut test: impl FnMut()) {
    for level in Level::available() {
        println!("level {level}");
        with_level(level, &mut test);
    }
}

/// Few under Miri, which is some thousand times slower.
pub(crate) fn count(full: usize) -> usize {
    if cfg!(miri) { full.min(8) } else { full }
}

/// `|found − expected| ≤ tolerance · max(|expected|, scale)`
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64, scale: f64, what: impl std::fmt::Display) {
    let bound = tolerance * expected.abs().max(scale);
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found:e} instead of {expected:e}, off by {:e}, allowed {bound:e}",
        (found - expected).abs()
    );
}

/// Equal bits, or both NaN.
pub(crate) fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Distance in units of the last place of `b`.
pub(crate) fn ulps(a: f64, b: f64) -> f64 {
    if same(a, b) {
        return 0.0;
    }
    let ulp = (b.abs().next_up() - b.abs()).max(f64::from_bits(1));
    (a - b).abs() / ulp
}
