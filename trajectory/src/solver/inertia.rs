//! The regularization of second derivatives that are not positive along the directions that equalities leave free.
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale
//! nonlinear programming*, Mathematical Programming 106 (2006), section 3.1, with its constants.

/// Factors of δ_w: at the first failure of all, at others, and after success (`κ_w⁺` bar, `κ_w⁺`, `κ_w⁻`).
const MUCH_MORE: f64 = 100.0;
const MORE: f64 = 8.0;
const LESS: f64 = 1.0 / 3.0;
/// The least δ_w.
const LEAST: f64 = 1e-20;

/// δ_w after a failure with this one, zero if none has been tried. `last`: the last one that was not zero. `first`: of
/// the first failure.
pub(super) fn raise(delta: f64, last: f64, first: f64) -> f64 {
    match (delta, last) {
        (0.0, 0.0) => first,
        (0.0, last) => (last * LESS).max(LEAST),
        (delta, 0.0) => delta * MUCH_MORE,
        (delta, _) => delta * MORE,
    }
}
