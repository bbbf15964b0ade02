//! Are numbers finite?

use crate::kernels::by_joint::read::zero_if_finite;
use gradyn_derivatives::simd::Register;

kernel!(
    active,
    /// Are all numbers finite?
    pub(crate) fn all_finite<'a, R: Register>(x: &'a [f64]) -> bool {
        zero_if_finite::<R>(x).all_lt(R::splat(1.0))
    }
);
