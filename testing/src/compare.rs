//! Comparisons that say what differs.

use std::fmt::Display;

/// Within `tolerance` of the largest expected number, which counts as one if it is less.
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: impl Display) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let off = (f - e).abs() / scale;
        assert!(off <= tolerance, "{what}: entry {i} is {f:e} instead of {e:e}, off by {off:.1e} of {scale:.1e}");
    }
}

/// The same bits.
#[track_caller]
pub fn assert_same(found: &[f64], expected: &[f64], what: impl Display) {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(bits(found) == bits(expected), "{what}: {found:?} has not the bits of {expected:?}");
}

/// `|found − expected| ≤ tolerance · max(|expected|, scale)`
#[track_caller]
pub fn assert_close(found: f64, expected: f64, tolerance: f64, scale: f64, what: impl Display) {
    let bound = tolerance * expected.abs().max(scale);
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found:e} instead of {expected:e}, off by {:e}, allowed {bound:e}",
        (found - expected).abs()
    );
}

/// Equal bits, or both NaN.
pub fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Distance in units of the last place of `b`.
pub fn ulps(a: f64, b: f64) -> f64 {
    if same(a, b) {
        return 0.0;
    }
    let ulp = (b.abs().next_up() - b.abs()).max(f64::from_bits(1));
    (a - b).abs() / ulp
}
