//! Tests whether numbers are finite.
//! Serves: `dynamics/by_plan/values.rs`. Test:
//! `dynamics_as_on_the_page::a_torque_of_a_base_that_overflows_is_an_error`.

use gradyn_derivatives::{Register, WIDTH};

kernel!(
    active,
    /// Whether all numbers are finite.
    pub(crate) fn all_finite<'a, R: Register>(x: &'a [f64]) -> bool {
        zero_if_finite::<R>(x).all_lt(R::splat(1.0))
    }
);

/// Zero in all lanes if all numbers are finite.
#[inline(always)]
pub(crate) fn zero_if_finite<R: Register>(x: &[f64]) -> R {
    let mut sum = R::splat(0.0);
    let (whole, rest) = x.as_chunks::<WIDTH>();
    for x in whole {
        sum = R::from_array(*x).mul_add(R::splat(0.0), sum);
    }
    if !rest.is_empty() {
        sum = R::load_first(rest).mul_add(R::splat(0.0), sum);
    }
    sum
}
