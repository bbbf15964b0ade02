//! The filter: Wächter and Biegler (2006), section 2.3.

use crate::solver::filter::{Filter, Merit};

fn at(cost: f64, violation: f64) -> Merit {
    Merit { cost, violation }
}

/// A filter that begins at this point.
fn filter(from: Merit) -> Filter {
    let mut filter = Filter::with_capacity(10);
    filter.restart(from);
    filter
}

#[test]
fn either_less_cost_or_less_violation_is_accepted() {
    let from = at(10.0, 1.0);
    for (trial, accepted) in [
        (at(11.0, 0.5), true),
        (at(9.0, 1.5), true),
        (at(9.0, 0.5), true),
        (at(11.0, 1.0), false),
        // Less than a share of 1e-5 is not less.
        (at(10.0, 1.0 - 1e-6), false),
        (at(10.0 - 1e-6, 1.0), false),
        (at(f64::NAN, 0.5), false),
        (at(f64::INFINITY, 0.5), false),
    ] {
        // No slope: the switching condition asks for nothing.
        assert_eq!(filter(from).accepts(from, 1.0, 1.0, trial), accepted, "{trial:?}");
    }
}

#[test]
fn points_that_were_left_bar_the_way_back() {
    let mut filter = filter(at(10.0, 1.0));
    // More cost, less violation: the point before is stored.
    assert!(filter.accepts(at(10.0, 1.0), 1.0, 1.0, at(20.0, 0.1)));
    assert!(!filter.allows(at(10.5, 1.0)));
    assert!(filter.allows(at(10.5, 0.5)) && filter.allows(at(9.5, 1.0)));
    // A new barrier problem forgets it.
    filter.restart(at(20.0, 0.1));
    assert!(filter.allows(at(10.5, 1.0)));
}

#[test]
fn violations_far_beyond_the_first_one_are_refused_at_any_cost() {
    let mut filter = filter(at(10.0, 2.0));
    assert!(filter.accepts(at(10.0, 2.0), -1e9, 1.0, at(-1e9, 1.9e4)));
    assert!(!filter.accepts(at(10.0, 2.0), -1e9, 1.0, at(-1e9, 2.1e4)));
}

#[test]
fn along_a_descent_of_the_cost_little_violation_asks_for_armijo() {
    let from = at(10.0, 1e-6);
    let mut filter = filter(from);
    // A slope of −1 promises more than 1e-6 of violation are worth.
    assert!(filter.accepts(from, -1.0, 0.5, at(10.0 - 1e-3, 2e-6)));
    // A ten-thousandth of the promise is too little, however much less violation there is.
    assert!(!filter.accepts(from, -1.0, 0.5, at(10.0 - 4e-5, 0.0)));
}

#[test]
fn violations_of_rounding_count_as_none() {
    let from = at(10.0, 1e-12);
    let mut exact = filter(from);
    // Twice the violation, a little less cost, no descent: refused, as long as violations that small count.
    assert!(!exact.accepts(from, -1e-14, 1.0, at(10.0, 1e-11)) || exact.allows(from));
    let mut forgiving = filter(from);
    forgiving.forgive(1e-9);
    assert!(forgiving.accepts(from, -1e-14, 1.0, at(10.0 - 1e-13, 5e-10)));
}
