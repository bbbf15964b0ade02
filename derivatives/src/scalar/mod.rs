//! The one bound of every algorithm.
//!
//! [`Real`] is a number that may carry derivatives: `f64`, every `Copy` dual number of `num-dual`, [`Dual`](crate::Dual)
//! and [`Lanes`](crate::Lanes). [`Scalar<P>`](Scalar) is a `Real` that can be multiplied by a `P` and made from one: in
//! `T: Scalar<P>`, `P` is the type of a model's constants and `T` the type of its states. `T` times `f64` costs half of
//! `T` times `T` when `T` carries derivatives, so constants stay constants; with `P = T` they become variables.
//!
//! ```
//! use gradyn_derivatives::{Dual, Scalar};
//!
//! /// Kinetic energy: the mass is a constant, or a variable like the velocity.
//! fn energy<P: Copy, T: Scalar<P>>(mass: P, velocity: T) -> T {
//!     velocity * velocity * mass * 0.5
//! }
//!
//! let mass = Dual::new(2.0, 1.0);
//! assert_eq!(energy(2.0, 3.0), 9.0);
//! assert_eq!(energy(2.0, Dual::new(3.0, 1.0)).eps, 6.0); //       by velocity: m v
//! assert_eq!(energy(mass, Dual::constant(3.0)).eps, 4.5); //      by mass: v²/2
//! ```

pub mod smooth;

use crate::simd::{Piece, WIDTH};
use num_dual::DualNum;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Multiply by a `P` and add: the operation that inner products are made of.
///
/// `f64` and the numbers of `num-dual` round after the product and after the sum, so that the value part of a formula
/// over them is bit for bit the formula over `f64`. Types made of registers round once where the processor can
/// ([`Uniform`](crate::Uniform)): their values agree with `f64` to rounding.
pub trait MulAdd<P> {
    /// `self * p + b`
    fn mul_plus(self, p: P, b: Self) -> Self;
    /// `self * p - b`
    fn mul_minus(self, p: P, b: Self) -> Self;
}

/// How code over this number type comes to the instructions of its registers.
///
/// Intrinsics are fast only where they are inlined into a function compiled for them. [`AtLevel::call`] is such a
/// function for types made of registers, and nothing at all for others. Algorithms put the work at one body into a
/// [`Piece`], so that they run at full width wherever they are called from, and compile in pieces.
pub trait AtLevel {
    /// Runs the piece with the instructions that this type's operations need.
    #[inline(always)]
    fn call<P: Piece>(piece: P) -> P::Output {
        piece.run()
    }
    /// The numbers as `f64`, if that is what they are: for algorithms that have a form of their own for plain numbers.
    #[inline(always)]
    #[doc(hidden)]
    fn as_f64s(x: &[Self]) -> Option<&[f64]>
    where
        Self: Sized,
    {
        let _ = x;
        None
    }
    /// The value and eight derivatives, if that is what the number is ([`VectorDual`](crate::VectorDual), or a
    /// [`Dual`](crate::Dual) of an `f64` and a register): for algorithms that have a form of their own for such numbers.
    #[inline(always)]
    #[doc(hidden)]
    fn split(self) -> Option<(f64, [f64; WIDTH])>
    where
        Self: Sized,
    {
        None
    }
    /// The number that [`split`](Self::split) takes apart.
    #[inline(always)]
    #[doc(hidden)]
    fn joined(value: f64, derivatives: [f64; WIDTH]) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (value, derivatives);
        None
    }
}

/// A number that may carry derivatives.
///
/// Implemented for every `T: DualNum<Primitive = f64> + Copy + Send + Sync` that has [`MulAdd`], which covers `f64`,
/// this crate's [`Dual`](crate::Dual) and all fixed-size numbers of `num-dual` (its vectors with the cargo feature
/// `num-dual-vectors`); and for [`Lanes`](crate::Lanes).
/// A number type of your own joins with [`real_by_operators!`](crate::real_by_operators).
///
/// Comparisons look at the value, never at derivatives, and do not exist here: generic code chooses between two
/// formulas with [`Real::select_lt`], which works in each lane separately.
pub trait Real:
    Copy
    + Send
    + Sync
    + Debug
    + PartialEq
    + 'static
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + MulAdd<Self>
    + MulAdd<f64>
    + AtLevel
{
    /// Zero, with zero derivatives.
    #[inline(always)]
    fn zero() -> Self {
        Self::from(0.0)
    }
    /// One, with zero derivatives.
    #[inline(always)]
    fn one() -> Self {
        Self::from(1.0)
    }
    /// Sine and cosine at once.
    fn sin_cos(self) -> (Self, Self);
    /// Square root. The derivative at zero does not exist and comes out infinite or NaN.
    fn sqrt(self) -> Self;
    /// Reciprocal.
    fn recip(self) -> Self;
    /// Exponential function.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// The angle of the point `(x, self)`, in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// `below` where the value is less than `bound`, `otherwise` elsewhere (NaN included).
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self;
    /// Is the value (of every lane) finite? Derivatives are not looked at.
    fn is_finite(self) -> bool;
}

impl<T> Real for T
where
    T: DualNum<Primitive = f64> + Copy + Send + Sync + MulAdd<T> + MulAdd<f64> + AtLevel,
{
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        DualNum::sin_cos(&self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        DualNum::sqrt(&self)
    }
    #[inline(always)]
    fn recip(self) -> Self {
        DualNum::recip(&self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        DualNum::exp(&self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        DualNum::ln(&self)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        DualNum::atan(&self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        DualNum::atan2(&self, x)
    }
    #[inline(always)]
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self {
        if self.re() < bound { below } else { otherwise }
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.re().is_finite()
    }
}

/// A [`Real`] that can be multiplied by a `P` and made from one.
///
/// Every `Real` is a `Scalar<f64>` and a `Scalar` of itself; nothing needs to be implemented.
pub trait Scalar<P = f64>:
    Real + From<P> + Add<P, Output = Self> + Sub<P, Output = Self> + Mul<P, Output = Self> + MulAdd<P>
{
}

impl<T, P> Scalar<P> for T where
    T: Real + From<P> + Add<P, Output = T> + Sub<P, Output = T> + Mul<P, Output = T> + MulAdd<P>
{
}

/// Lets a [`DualNum`](num_dual::DualNum) type be a [`Real`]: products and sums by its operators, no registers.
///
/// `real_by_operators!(MyDual)`; with generics in brackets: `real_by_operators!([D: Component] My<D>)`.
#[macro_export]
macro_rules! real_by_operators {
    ([$($generics:tt)*] $t:ty) => {
        $crate::real_by_operators!(@ [$($generics)*] $t, Self);
        $crate::real_by_operators!(@ [$($generics)*] $t, f64);
        impl<$($generics)*> $crate::AtLevel for $t {}
    };
    (@ [$($generics:tt)*] $t:ty, $p:ty) => {
        impl<$($generics)*> $crate::MulAdd<$p> for $t {
            #[inline(always)]
            fn mul_plus(self, p: $p, b: Self) -> Self {
                self * p + b
            }
            #[inline(always)]
            fn mul_minus(self, p: $p, b: Self) -> Self {
                self * p - b
            }
        }
    };
    ($t:ty) => {
        $crate::real_by_operators!([] $t);
    };
}

real_by_operators!(@ [] f64, f64);
impl AtLevel for f64 {
    #[inline(always)]
    fn as_f64s(x: &[Self]) -> Option<&[f64]> {
        Some(x)
    }
}

macro_rules! num_dual_types {
    ($([$($generics:tt)*] $t:ty;)*) => { $(
        real_by_operators!([$($generics)*] $t);
    )* };
}
num_dual_types! {
    [D: Component] num_dual::Dual<D>;
    [D: Component] num_dual::Dual2<D>;
    [D: Component] num_dual::Dual3<D>;
    [D: Component] num_dual::HyperDual<D>;
    [D: Component] num_dual::HyperHyperDual<D>;
}
#[cfg(feature = "num-dual-vectors")]
num_dual_types! {
    [D: Component, const N: usize] num_dual::DualSVec<D, N>;
    [D: Component, const N: usize] num_dual::Dual2SVec<D, N>;
}

/// What the parts of a dual number can be: `f64`, or a dual number again.
pub trait Component: DualNum<Primitive = f64> + Copy + Send + Sync + MulAdd<Self> + MulAdd<f64> + AtLevel {}
impl<T: DualNum<Primitive = f64> + Copy + Send + Sync + MulAdd<T> + MulAdd<f64> + AtLevel> Component for T {}
