//! Dual numbers in as many directions as a register has lanes, or, where there are no vector registers, in one.
//!
//! At the plain level a number with eight derivatives takes more registers than there are: an algorithm over it is ten
//! times the code of the same over a number with one, and hardly faster. So [drivers](crate::drivers) go through one
//! direction at a time there, over types that most programs have compiled for other reasons.

use crate::simd::{Kernel, Register, VectorLevel, WIDTH};
use crate::{Dual, Scalar, VectorDual};
use num_dual::{Dual64, HyperDual64};

/// A value with derivatives in [`COUNT`](Self::COUNT) directions.
pub trait Directions: Scalar {
    /// At most [`WIDTH`].
    const COUNT: usize;
    /// The same with one more direction outside.
    type Twice: Scalar;
    /// A value and its derivatives, the first [`COUNT`](Self::COUNT) of these.
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self;
    /// A value with derivative one in direction `k`; none if there is no such direction.
    fn variable(value: f64, k: usize) -> Self;
    /// The value.
    fn value(&self) -> f64;
    /// The derivatives, then zeros.
    fn derivatives(&self) -> [f64; WIDTH];
    /// This number inside, and a constant derivative outside.
    fn twice(self, outside: f64) -> Self::Twice;
    /// The value with its derivatives inside, and the derivative outside with its own inside.
    fn parts(twice: &Self::Twice) -> (Self, Self);
}

impl<R: Register> Directions for VectorDual<R> {
    const COUNT: usize = WIDTH;
    type Twice = Dual<Self, Self>;
    #[inline(always)]
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self {
        Self::from_parts(value, *derivatives)
    }
    #[inline(always)]
    fn variable(value: f64, k: usize) -> Self {
        VectorDual::variable(value, k)
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        VectorDual::value(*self)
    }
    #[inline(always)]
    fn derivatives(&self) -> [f64; WIDTH] {
        self.eps.to_array()
    }
    #[inline(always)]
    fn twice(self, outside: f64) -> Self::Twice {
        Dual::new(self, Self::from(outside))
    }
    #[inline(always)]
    fn parts(twice: &Self::Twice) -> (Self, Self) {
        (twice.re, twice.eps)
    }
}

impl Directions for Dual64 {
    const COUNT: usize = 1;
    type Twice = HyperDual64;
    #[inline(always)]
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self {
        Self::new(value, derivatives[0])
    }
    #[inline(always)]
    fn variable(value: f64, k: usize) -> Self {
        Self::new(value, if k == 0 { 1.0 } else { 0.0 })
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        self.re
    }
    #[inline(always)]
    fn derivatives(&self) -> [f64; WIDTH] {
        let mut all = [0.0; WIDTH];
        all[0] = self.eps;
        all
    }
    #[inline(always)]
    fn twice(self, outside: f64) -> HyperDual64 {
        HyperDual64::new(self.re, self.eps, outside, 0.0)
    }
    #[inline(always)]
    fn parts(twice: &HyperDual64) -> (Self, Self) {
        (Self::new(twice.re, twice.eps1), Self::new(twice.eps2, twice.eps1eps2))
    }
}

/// A computation that goes through directions, as many at a time as a number has.
///
/// `run` must be `#[inline(always)]`, as a [`Kernel`]'s.
pub trait InDirections {
    /// What it returns.
    type Output;
    /// The computation.
    fn run<D: Directions>(self) -> Self::Output;
}

/// Runs it at the [active](crate::Level::active) level, eight directions at a time; at the plain level one at a time.
#[inline]
pub fn in_directions<C: InDirections>(computation: C) -> C::Output {
    struct Eight<C>(C);
    impl<C: InDirections> Kernel for Eight<C> {
        type Output = C::Output;
        #[inline(always)]
        fn run<R: Register>(self) -> C::Output {
            self.0.run::<VectorDual<R>>()
        }
    }
    match VectorLevel::active() {
        Some(level) => level.run(Eight(computation)),
        None => computation.run::<Dual64>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value and derivatives of numbers made of them, and of their squares, by parts of two layers.
    struct Parts;

    impl InDirections for Parts {
        type Output = ();
        #[inline(always)]
        fn run<D: Directions>(self) {
            let slopes: [f64; WIDTH] = std::array::from_fn(|k| 2.0 + k as f64);
            let x = D::of(3.0, &slopes);
            let expected = |factor: f64| -> [f64; WIDTH] {
                std::array::from_fn(|k| if k < D::COUNT { factor * slopes[k] } else { 0.0 })
            };
            assert_eq!((x.value(), x.derivatives()), (3.0, expected(1.0)));
            for k in 0..D::COUNT {
                let unit: [f64; WIDTH] = std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 });
                assert_eq!((D::variable(3.0, k).value(), D::variable(3.0, k).derivatives()), (3.0, unit));
            }
            // x² outside in a direction of slope 5: 2 x 5, which changes by 10 along each direction.
            let twice = x.twice(5.0);
            let (inside, outside) = D::parts(&(twice * twice));
            assert_eq!((inside.value(), inside.derivatives()), (9.0, expected(6.0)));
            assert_eq!((outside.value(), outside.derivatives()), (30.0, expected(10.0)));
        }
    }

    #[test]
    fn numbers_have_the_derivatives_that_they_are_made_of() {
        in_directions(Parts);
        Parts.run::<Dual64>();
    }
}
