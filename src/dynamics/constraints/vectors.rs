//! Sums and products of vectors over any number type.

use crate::level::at_level;
use gradyn_derivatives::Real;
use nalgebra::DMatrix;

/// Whether `x` is negative in all lanes (`Some(true)`), in none (`Some(false)`), or in some of them (`None`).
#[inline(always)]
pub(super) fn is_negative<T: Real>(x: T) -> Option<bool> {
    let one = x.select_lt(0.0, T::one(), T::zero());
    if one == T::one() {
        Some(true)
    } else if one == T::zero() {
        Some(false)
    } else {
        None
    }
}

/// `y := y + s x`
#[inline(always)]
pub(super) fn add_times<T: Real>(y: &mut [T], s: T, x: &[T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x.mul_plus(s, *y);
    }
}

/// `x · y`, in four sums that need not wait for each other.
#[inline(always)]
pub(super) fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [T::zero(); 4];
    for (x, y) in x.iter().zip(y) {
        for i in 0..4 {
            sums[i] = x[i].mul_plus(y[i], sums[i]);
        }
    }
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let mut sum = sum;
    for (x, y) in x_rest.iter().zip(y_rest) {
        sum = x.mul_plus(*y, sum);
    }
    sum
}

at_level! {
    /// `y := y + m x`
    pub(super) fn add_product<T: Real>(m: &DMatrix<T>, x: &[T], y: &mut [T]) {
        for (x, column) in x.iter().zip(m.as_slice().chunks_exact(m.nrows().max(1))) {
            add_times(y, *x, column);
        }
    }
}
