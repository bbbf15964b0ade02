//! The one bound of every algorithm.
//!
//! [`Real`] is a number that may carry derivatives: `f64`, every `Copy` dual number of `num-dual`,
//! [`Dual`](crate::Dual) and [`Lanes`](crate::Lanes). [`Scalar<P>`](Scalar) is a `Real` that can be multiplied by a `P`
//! and made from one: in `T: Scalar<P>`, `P` is the type of a model's constants and `T` the type of its states. `T`
//! times `f64` costs half of `T` times `T` when `T` carries derivatives, so constants stay constants; with `P = T` they
//! become variables.
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

use crate::simd::Piece;
use num_dual::DualNum;
use std::f64::consts::FRAC_PI_2;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Multiply by a `P` and add: the operation that inner products are made of.
///
/// `f64` and the numbers of `num-dual` round after the product and after the sum, so that the value part of a formula
/// over them is bit for bit the formula over `f64`. Types made of registers round once where the processor can
/// ([`Uniform`](crate::Uniform)): their values agree with `f64` to rounding.
pub trait MulAdd<P>: Sized + Add<P, Output = Self> + Sub<P, Output = Self> + Mul<P, Output = Self> {
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
}

/// A number that may carry derivatives.
///
/// Implemented for every `T: DualNum<Primitive = f64> + Copy + Send + Sync` that has [`MulAdd`], which covers `f64`,
/// this crate's [`Dual`](crate::Dual) and all fixed-size numbers of `num-dual` (its vectors with the cargo feature
/// `num-dual-vectors`); and for [`Lanes`](crate::Lanes).
/// A number type of your own joins with [`real_by_operators!`](crate::real_by_operators).
///
/// Comparisons look at the value, never at derivatives. Generic code chooses between two formulas with
/// [`select_lt`](Real::select_lt) and [`select_less`](Real::select_less), which work in each lane separately; where
/// code has to branch, [`is_below`](Real::is_below) and [`is_less`](Real::is_less) say whether all lanes agree.
///
/// What functions are where they have a kink, a pole or an edge:
///
/// | where | value | derivatives |
/// |---|---|---|
/// | `abs` at 0 | 0 | 0, between those of both sides |
/// | `min`, `max` of equal values | that value | the mean of both |
/// | `atan2` at the origin | as `f64`'s | NaN: the angle has none |
/// | `atan2` on the axes, `tanh` far out, `powi` at 0 | right | right, of every order |
/// | `sqrt` at 0, `asin`, `acos` at ±1 | right | infinite, NaN in directions that do not move the argument |
/// | `powi` at 0 with a negative power, `recip` at 0 | infinite | infinite or NaN |
/// | `sqrt`, `ln`, `asin`, `acos` outside of where they are defined | NaN | NaN |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type of the generic code here",
    note = "`f64`, `Dual`, `Lanes` and the fixed-size numbers of num-dual are; a type of your own joins with `real_by_operators!`"
)]
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
    /// `eˣ − 1`, right to the last digits near zero.
    fn exp_m1(self) -> Self;
    /// Inverse sine, in [−π/2, π/2].
    fn asin(self) -> Self;
    /// Inverse cosine, in [0, π].
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// The angle of the point `(x, self)`, in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// `below` where the value is less than `bound`, `otherwise` elsewhere (NaN included).
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self;
    /// Whether the value (of every lane) is finite. Derivatives are ignored.
    fn is_finite(self) -> bool;

    /// Sine; [`sin_cos`](Self::sin_cos) gives both for the price of one.
    #[inline(always)]
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    #[inline(always)]
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    #[inline(always)]
    fn tan(self) -> Self {
        let (sin, cos) = self.sin_cos();
        // Not a quotient: dual numbers divide by multiplying with the reciprocal, and values must keep their bits.
        sin * cos.recip()
    }
    /// Hyperbolic tangent: `−t / (t + 2)` with `t = exp(−2|x|) − 1`, which neither overflows nor cancels.
    #[inline(always)]
    fn tanh(self) -> Self {
        let x = self.select_lt(0.0, -self, self);
        let t = (x * -2.0).exp_m1();
        let y = -t * (t + 2.0).recip();
        self.select_lt(0.0, -y, y)
    }
    /// `xⁿ`, by multiplication: derivatives are right at zero, too. `x⁰ = 1` for every `x`.
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        let (mut power, mut square, mut rest) = (Self::one(), self, n.unsigned_abs());
        while rest > 0 {
            if rest % 2 == 1 {
                power *= square;
            }
            rest /= 2;
            if rest > 0 {
                square *= square;
            }
        }
        if n < 0 { power.recip() } else { power }
    }
    /// Magnitude. At zero all derivatives are zero.
    #[inline(always)]
    fn abs(self) -> Self {
        let zero = self * 0.0; //                                  NaN for NaN
        self.select_lt(0.0, -self, (-self).select_lt(0.0, self, zero)) + 0.0 // never −0
    }
    /// The smaller of two; where they are equal, with the mean of their derivatives. NaN if either is.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let mean = self * 0.5 + other * 0.5;
        self.select_less(other, self, other.select_less(self, other, mean))
    }
    /// The larger of two; where they are equal, with the mean of their derivatives. NaN if either is.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let mean = self * 0.5 + other * 0.5;
        self.select_less(other, other, other.select_less(self, self, mean))
    }
    /// `√(x² + w²)`: the magnitude without its kink, above it by at most the width `w`.
    #[inline(always)]
    fn smooth_abs(self, width: f64) -> Self {
        (self * self + width * width).sqrt()
    }
    /// `(a + b − √((a − b)² + w²)) / 2`: the smaller without the kink, below it by at most half the width `w`.
    #[inline(always)]
    fn smooth_min(self, other: Self, width: f64) -> Self {
        (self + other - (self - other).smooth_abs(width)) * 0.5
    }
    /// `(a + b + √((a − b)² + w²)) / 2`: the larger without the kink, above it by at most half the width `w`.
    #[inline(always)]
    fn smooth_max(self, other: Self, width: f64) -> Self {
        (self + other + (self - other).smooth_abs(width)) * 0.5
    }
    /// `below` where the value is less than that of `other`, `otherwise` elsewhere (NaN included).
    #[inline(always)]
    fn select_less(self, other: Self, below: Self, otherwise: Self) -> Self {
        (self - other).select_lt(0.0, below, otherwise)
    }
    /// Whether the value is less than `bound`. `None` if lanes differ.
    #[inline(always)]
    fn is_below(self, bound: f64) -> Option<bool> {
        let one = self.select_lt(bound, Self::one(), Self::zero());
        if one == Self::one() {
            Some(true)
        } else if one == Self::zero() {
            Some(false)
        } else {
            None
        }
    }
    /// Whether the value of every lane is less than `bound`; NaN is not. Of numbers that have no value yet, as those that
    /// record what is computed with them, true: such code goes the usual way.
    #[inline(always)]
    fn all_below(self, bound: f64) -> bool {
        self.select_lt(bound, Self::zero(), Self::one()) == Self::zero()
    }
    /// Whether the value of some lane is less than `bound`. Of numbers that have no value yet, false: see
    /// [`all_below`](Self::all_below).
    #[inline(always)]
    fn any_below(self, bound: f64) -> bool {
        self.select_lt(bound, Self::one(), Self::zero()) != Self::zero()
    }
    /// Whether the value is less than that of `other`. `None` if lanes differ.
    #[inline(always)]
    fn is_less(self, other: Self) -> Option<bool> {
        (self - other).is_below(0.0)
    }
}

/// Below this `|x/y|`, `atan(x/y)` is nothing beside π/2.
const NEAR_AXIS: f64 = 1e-50;

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
    fn exp_m1(self) -> Self {
        DualNum::exp_m1(&self)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        DualNum::asin(&self)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        DualNum::acos(&self)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        DualNum::atan(&self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let (a, b) = (self.re(), x.re());
        // num-dual divides by x. Next to the axis of y the point is turned by a quarter; the value is ±π/2 to the last
        // bit.
        if T::NDERIV > 0 && a != 0.0 && b.abs() <= NEAR_AXIS * a.abs() {
            return if a > 0.0 { DualNum::atan2(&-x, self) + FRAC_PI_2 } else { DualNum::atan2(&x, -self) - FRAC_PI_2 };
        }
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
#[diagnostic::on_unimplemented(
    message = "numbers of type `{Self}` do not go with constants of type `{P}`",
    label = "a state of `{Self}` with a model of `{P}`",
    note = "a model of `f64` goes with states of every number type, a model of dual numbers with states, and a workspace, of the same dual numbers",
    note = "`T::from(x)` makes one number out of another, `model.lift::<T>()` a model"
)]
pub trait Scalar<P = f64>: Real + From<P> + MulAdd<P> {}

impl<T, P> Scalar<P> for T where T: Real + From<P> + MulAdd<P> {}

/// Lets a [`DualNum`](num_dual::DualNum) type be a [`Real`]: products and sums by its operators, no registers.
///
/// `real_by_operators!(MyDual)`; with generics in brackets: `real_by_operators!([D: Component] My<D>)`.
#[macro_export]
macro_rules! real_by_operators {
    ([$($generics:tt)*] $t:ty) => {
        $crate::real_by_operators!(@ [$($generics)*] $t, Self);
        $crate::real_by_operators!(@ [$($generics)*] $t, f64);
        impl<$($generics)*> $crate::AtLevel for $t {
            #[inline(always)]
            fn call<P: $crate::simd::Piece>(piece: P) -> P::Output {
                $crate::simd::call(piece)
            }
        }
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
