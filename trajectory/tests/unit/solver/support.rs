//! What solvers say about a problem.

use super::{arm, limited};
use crate::solver::report::Status;
use crate::solver::support::{
    all_positive, is_unbounded, size_mismatch, stall_status, unsupported_bounds, unsupported_constraint, worst_term,
};
use crate::{Reason, guess};

#[test]
fn an_option_that_is_not_positive_is_named_with_its_value() {
    assert_eq!(all_positive(&[]), Ok(()));
    assert_eq!(all_positive(&[("a", 1e-300), ("b", 1e300)]), Ok(()));
    for (value, text) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let expected = format!("the option `b` is {text}: it must be positive and finite");
        assert_eq!(all_positive(&[("a", 1.0), ("b", value)]), Err(expected));
    }
}

#[test]
fn costs_are_unbounded_from_a_size_on_and_where_they_are_no_number() {
    for (cost, expected) in
        [(0.0, false), (1e24, false), (-1e24, false), (1e26, true), (-1e26, true), (f64::INFINITY, true)]
    {
        assert_eq!(is_unbounded(cost), expected, "{cost}");
    }
    assert!(is_unbounded(f64::NAN));
}

#[test]
fn a_stall_is_acceptable_within_a_hundred_tolerances_or_rounding_of_the_cost() {
    let otherwise = || Status::Diverged;
    let of = |cost: f64, closed, expected| stall_status(cost, closed, expected, 1e-9, otherwise);
    assert_eq!(of(1.0, true, 1e-7), Status::Acceptable);
    assert_eq!(of(1.0, true, 1e-6), Status::Diverged);
    // A sum of 1e8 is known to 1e3 roundings of it, some 2e-5.
    assert_eq!(of(1e8, true, 1e-5), Status::Acceptable);
    assert_eq!(of(-1e8, true, 1e-5), Status::Acceptable);
    // Never with open gaps, nor where what is expected is no number.
    assert_eq!(of(1.0, false, 0.0), Status::Diverged);
    assert_eq!(of(1.0, true, f64::NAN), Status::Diverged);
}

#[test]
fn the_first_constraint_that_is_not_supported_is_named() {
    let free = arm(2, &[]);
    assert_eq!(unsupported_constraint(&free), None);
    let bounds = unsupported_bounds(&free).expect("motors have limits");
    assert_eq!((bounds.node, bounds.phase.as_str(), bounds.term), (0, "reach", None));
    let expected = "this solver does not keep bounds of controls; `Fddp` and `Newton` and `Proximal` do";
    assert_eq!(bounds.reason.to_string(), expected);
    let held = arm(2, &[("there", [0.4, 0.3, 0.5])]);
    let fault = unsupported_constraint(&held).expect("the end is held");
    assert_eq!((fault.node, fault.term.as_deref()), (2, Some("there")));
    // Cones come first, wherever they are.
    let fault = unsupported_constraint(&limited(2)).expect("has a cone");
    assert_eq!((fault.node, fault.term.as_deref()), (0, Some("torque")));
    assert!(fault.reason.to_string().contains("second-order cones"), "{fault}");
}

#[test]
fn other_sizes_and_the_steepest_cost_are_told() {
    let problem = arm(2, &[]);
    let fault = size_mismatch(&problem);
    assert!(matches!(&*fault.reason, Reason::SizeMismatch { .. }) && fault.phase == "reach", "{fault}");
    let mut at = guess::standing(&problem);
    let memory = &mut problem.memory();
    // At rest at its goal, without torques, nothing has a gradient.
    assert_eq!(worst_term(&problem, &at, 0, memory), None);
    at.u_mut(1)[3] = 1.0;
    // At this node or, from another one, at any.
    assert_eq!(worst_term(&problem, &at, 1, memory).as_deref(), Some("torque"));
    assert_eq!(worst_term(&problem, &at, 0, memory).as_deref(), Some("torque"));
    at.x_mut(1)[2] += 1.0;
    assert_eq!(worst_term(&problem, &at, 1, memory).as_deref(), Some("state"));
    // No gradient at all where nothing can be evaluated.
    at.x_mut(1)[2] = f64::NAN;
    at.u_mut(1)[3] = 0.0;
    assert_eq!(worst_term(&problem, &at, 1, memory), None);
}
