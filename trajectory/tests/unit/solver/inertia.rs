//! Regularization of second derivatives: Wächter and Biegler (2006), section 3.1, algorithm IC.

use crate::solver::inertia::raise;

#[test]
fn the_first_failure_of_all_tries_the_option_then_grows_by_a_hundred() {
    let first = raise(0.0, 0.0, 1e-4);
    assert_eq!(first.to_bits(), 1e-4_f64.to_bits());
    assert_eq!(raise(first, 0.0, 1e-4).to_bits(), (1e-4_f64 * 100.0).to_bits());
}

#[test]
fn later_ones_begin_at_a_third_of_the_last_and_grow_by_eight() {
    let next = raise(0.0, 0.3, 1e-4);
    assert!((next - 0.1).abs() < 1e-16, "{next}");
    assert_eq!(raise(next, 0.3, 1e-4).to_bits(), (8.0 * next).to_bits());
    // It never falls to zero.
    assert!(raise(0.0, 1e-30, 1e-4) >= 1e-20);
}
