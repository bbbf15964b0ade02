//! Slices of numbers, gone through at the level of the numbers: methods of the standard library would be functions of their own,
//! compiled for no level, and call another one for each number that is a register.

use crate::level::at_level;
use gradyn_derivatives::Real;

/// Whether all numbers are finite. Call it at the level of the numbers.
#[inline(always)]
pub(crate) fn are_finite<T: Real>(x: &[T]) -> bool {
    let mut i = 0;
    while i < x.len() {
        if !x[i].is_finite() {
            return false;
        }
        i += 1;
    }
    true
}

/// Sets all.
#[inline(always)]
pub(crate) fn fill<T: Copy>(to: &mut [T], x: T) {
    for to in to {
        *to = x;
    }
}

/// Whether all numbers are finite. Plain ones are checked several at a time: `0 x` is zero, or not a number.
#[inline(always)]
pub(crate) fn all_finite<T: Real>(x: &[T]) -> bool {
    let Some(x) = T::as_f64s(x) else { return first_not_finite(x).is_none() };
    let (fours, rest) = x.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        for i in 0..4 {
            sums[i] += four[i] * 0.0;
        }
    }
    rest.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, x| sum + x * 0.0) == 0.0
}

at_level! {
    /// `to = a − b`
    pub(crate) fn subtract<T: Real>(a: &[T], b: &[T], to: &mut [T]) {
        for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
            *to = *a - *b;
        }
    }

    /// `x = −x`
    pub(crate) fn negate<T: Real>(x: &mut [T]) {
        for x in x {
            *x = -*x;
        }
    }

    /// `Σ aᵢ bᵢ`
    pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
        let mut sum = T::zero();
        for (a, b) in a.iter().zip(b) {
            sum = a.mul_plus(*b, sum);
        }
        sum
    }
}

/// The first number that is not finite.
#[inline(always)]
pub(crate) fn first_not_finite<T: Real>(x: &[T]) -> Option<usize> {
    first_not_finite_of(x, 1)
}

/// The first number that is not finite on the diagonal of a matrix with so many rows.
#[inline(always)]
pub(crate) fn first_not_finite_on_diagonal<T: Real>(matrix: &[T], rows: usize) -> Option<usize> {
    first_not_finite_of(matrix, rows + 1)
}

/// Among each `step`-th number, and counted among those.
#[inline(always)]
fn first_not_finite_of<T: Real>(x: &[T], step: usize) -> Option<usize> {
    search(x, step)
}

at_level! {
    #[inline(always)]
    fn search<T: Real>(x: &[T], step: usize) -> Option<usize> {
        let (mut at, mut count) = (0, 0);
        while at < x.len() {
            if !x[at].is_finite() {
                return Some(count);
            }
            (at, count) = (at + step, count + 1);
        }
        None
    }
}

/// Whether all numbers of a state are finite.
#[inline]
pub(crate) fn state_is_finite<T: Real>(q: &[T], v: &[T], a: &[T]) -> bool {
    [q, v, a].into_iter().all(|x| first_not_finite(x).is_none())
}
