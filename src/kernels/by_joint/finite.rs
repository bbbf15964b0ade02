//! Are numbers finite?

use crate::kernels::by_joint::outward::zero_if_finite;
use gradyn_derivatives::simd::{Kernel, Register, dispatch};

/// Are all numbers finite?
pub(crate) fn all_finite(x: &[f64]) -> bool {
    dispatch(AllFinite(x))
}

struct AllFinite<'a>(&'a [f64]);

impl Kernel for AllFinite<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        zero_if_finite::<R>(self.0).all_lt(R::splat(1.0))
    }
}
