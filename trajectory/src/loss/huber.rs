//! `½ r²` up to a width, then a line.
//!
//! Source: P. Huber, *Robust estimation of a location parameter*, Ann. Math. Statist. 35(1), 1964.

pub(super) fn value(width: f64, r: &[f64]) -> f64 {
    r.iter().map(|r| if r.abs() <= width { 0.5 * r * r } else { width * (r.abs() - 0.5 * width) }).sum()
}

/// The second derivative jumps at the width; there it is 1.
pub(super) fn derivatives(width: f64, r: &[f64], gradient: &mut [f64], diagonal: &mut [f64]) -> f64 {
    for ((r, g), d) in r.iter().zip(gradient).zip(diagonal) {
        (*g, *d) = (r.clamp(-width, width), f64::from(r.abs() <= width));
    }
    value(width, r)
}
