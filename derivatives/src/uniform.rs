//! One number, held as the level of its registers likes it best.

use crate::scalar::Component;
use crate::simd::{Piece, Register, Single, WIDTH};
use crate::{AtLevel, Dual, Lanes, MulAdd, Real, Tangent};
use num_dual::{DualNum, DualStruct, Mappable};
use num_traits::{FromPrimitive, Inv, Num, One, Signed, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

/// One number: the value beside a register of derivatives. Arithmetic as over `f64`, except that a product and a sum
/// are rounded once where the level has fused multiply-add.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Uniform<R: Register>(R::Single);

/// A value and its derivatives in eight directions, in registers of type `R`: what a [`Kernel`](crate::Kernel)
/// differentiates with.
pub type VectorDual<R> = Dual<Uniform<R>, Lanes<R>>;

impl<R: Register> VectorDual<R> {
    /// From the value and eight derivatives.
    #[inline(always)]
    pub fn from_parts(re: f64, eps: [f64; WIDTH]) -> Self {
        Self::new(Uniform::from(re), Lanes::from_array(eps))
    }
    /// The value, with derivative one in direction `k` (none if there is no such direction).
    #[inline(always)]
    pub fn variable(re: f64, k: usize) -> Self {
        Self::new(Uniform::from(re), Lanes::unit(k))
    }
    /// The value.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.re.get()
    }
}

impl<R: Register> Uniform<R> {
    /// The number.
    #[inline(always)]
    pub fn get(self) -> f64 {
        self.0.get()
    }
}

impl<R: Register> AtLevel for Uniform<R> {
    #[inline(always)]
    fn call<P: Piece>(piece: P) -> P::Output {
        R::call(piece)
    }
}

/// The register's tangents, times a value.
impl<R: Register> Tangent<Uniform<R>> for Lanes<R> {
    #[inline(always)]
    fn zero() -> Self {
        <Self as Real>::zero()
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    #[inline(always)]
    fn scale(self, v: Uniform<R>) -> Self {
        Self(self.0.mul(R::broadcast(v.0)))
    }
    #[inline(always)]
    fn scale_plus(self, v: Uniform<R>, b: Self) -> Self {
        Self(self.0.mul_add(R::broadcast(v.0), b.0))
    }
    #[inline(always)]
    fn scale_minus(self, v: Uniform<R>, b: Self) -> Self {
        Self(self.0.mul_sub(R::broadcast(v.0), b.0))
    }
    #[inline(always)]
    fn scale_by(self, x: f64) -> Self {
        self * x
    }
    #[inline(always)]
    fn scale_by_plus(self, x: f64, b: Self) -> Self {
        self.mul_plus(x, b)
    }
    #[inline(always)]
    fn scale_by_minus(self, x: f64, b: Self) -> Self {
        self.mul_minus(x, b)
    }
}

impl<R: Register> From<f64> for Uniform<R> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(R::Single::new(x))
    }
}

impl<R: Register> Neg for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.neg())
    }
}

impl<R: Register> Add for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0.add(o.0))
    }
}

impl<R: Register> Sub for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0.sub(o.0))
    }
}

impl<R: Register> Mul for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(self.0.mul(o.0))
    }
}

impl<R: Register> Div for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        Self::from(self.get() / o.get())
    }
}

impl<R: Register> Rem for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn rem(self, o: Self) -> Self {
        Self::from(self.get() % o.get())
    }
}

macro_rules! operators {
    ($($op:ident $f:ident $assign:ident $fa:ident),*) => { $(
        impl<R: Register> $op<f64> for Uniform<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, x: f64) -> Self {
                $op::$f(self, Self::from(x))
            }
        }
        impl<'r, R: Register> $op<&'r Self> for Uniform<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: &'r Self) -> Self {
                $op::$f(self, *o)
            }
        }
        impl<R: Register> $assign for Uniform<R> {
            #[inline(always)]
            fn $fa(&mut self, o: Self) {
                *self = $op::$f(*self, o);
            }
        }
        impl<R: Register> $assign<f64> for Uniform<R> {
            #[inline(always)]
            fn $fa(&mut self, x: f64) {
                *self = $op::$f(*self, x);
            }
        }
    )* };
}
operators!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign,
    Div div DivAssign div_assign, Rem rem RemAssign rem_assign);

impl<R: Register> MulAdd<Self> for Uniform<R> {
    #[inline(always)]
    fn mul_plus(self, p: Self, b: Self) -> Self {
        Self(self.0.mul_add(p.0, b.0))
    }
    #[inline(always)]
    fn mul_minus(self, p: Self, b: Self) -> Self {
        Self(self.0.mul_sub(p.0, b.0))
    }
}

impl<R: Register> MulAdd<f64> for Uniform<R> {
    #[inline(always)]
    fn mul_plus(self, p: f64, b: Self) -> Self {
        self.mul_plus(Self::from(p), b)
    }
    #[inline(always)]
    fn mul_minus(self, p: f64, b: Self) -> Self {
        self.mul_minus(Self::from(p), b)
    }
}

impl<R: Register> PartialEq for Uniform<R> {
    #[inline(always)]
    fn eq(&self, o: &Self) -> bool {
        self.get() == o.get()
    }
}

impl<R: Register> PartialEq<f64> for Uniform<R> {
    #[inline(always)]
    fn eq(&self, x: &f64) -> bool {
        self.get() == *x
    }
}

impl<R: Register> PartialOrd for Uniform<R> {
    #[inline(always)]
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&o.get())
    }
}

impl<R: Register> PartialOrd<f64> for Uniform<R> {
    #[inline(always)]
    fn partial_cmp(&self, x: &f64) -> Option<Ordering> {
        self.get().partial_cmp(x)
    }
}

/// The functions of `f64`, one by one.
macro_rules! functions {
    ($($f:ident($($x:ident : $t:ty),*);)*) => { $(
        #[inline(always)]
        fn $f(&self $(, $x: $t)*) -> Self {
            Self::from(DualNum::$f(&self.get() $(, $x)*))
        }
    )* };
}

impl<R: Register> DualNum for Uniform<R> {
    type Primitive = f64;
    const NDERIV: usize = 0;
    type InnerDual = f64;

    #[inline(always)]
    fn from_re(re: f64) -> Self {
        Self::from(re)
    }
    #[inline(always)]
    fn scale(self, factor: &f64) -> Self {
        self * *factor
    }
    #[inline(always)]
    fn sin_cos(&self) -> (Self, Self) {
        let (s, c) = self.get().sin_cos();
        (Self::from(s), Self::from(c))
    }
    #[inline(always)]
    fn atan2(&self, x: Self) -> Self {
        Self::from(self.get().atan2(x.get()))
    }
    #[inline(always)]
    fn mul_add(&self, a: Self, b: Self) -> Self {
        self.mul_plus(a, b)
    }
    #[inline(always)]
    fn powd(&self, n: Self) -> Self {
        Self::from(self.get().powf(n.get()))
    }
    functions! {
        recip(); powi(n: i32); powf(n: f64); sqrt(); cbrt(); exp(); exp2(); exp_m1(); ln(); log(base: f64); log2(); log10();
        ln_1p(); sin(); cos(); tan(); asin(); acos(); atan(); sinh(); cosh(); tanh(); asinh(); acosh(); atanh();
        sph_j0(); sph_j1(); sph_j2();
    }
}

impl<R: Register> Zero for Uniform<R> {
    #[inline(always)]
    fn zero() -> Self {
        Self::from(0.0)
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}

impl<R: Register> One for Uniform<R> {
    #[inline(always)]
    fn one() -> Self {
        Self::from(1.0)
    }
}

impl<R: Register> Num for Uniform<R> {
    type FromStrRadixErr = <f64 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        f64::from_str_radix(text, radix).map(Self::from)
    }
}

impl<R: Register> Signed for Uniform<R> {
    #[inline(always)]
    fn abs(&self) -> Self {
        Self::from(self.get().abs())
    }
    #[inline(always)]
    fn abs_sub(&self, other: &Self) -> Self {
        Self::from((self.get() - other.get()).max(0.0))
    }
    #[inline(always)]
    fn signum(&self) -> Self {
        Self::from(Signed::signum(&self.get()))
    }
    #[inline(always)]
    fn is_positive(&self) -> bool {
        Signed::is_positive(&self.get())
    }
    #[inline(always)]
    fn is_negative(&self) -> bool {
        Signed::is_negative(&self.get())
    }
}

impl<R: Register> Inv for Uniform<R> {
    type Output = Self;
    #[inline(always)]
    fn inv(self) -> Self {
        DualNum::recip(&self)
    }
}

impl<R: Register> Sum for Uniform<R> {
    #[inline(always)]
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Zero::zero(), |a, b| a + b)
    }
}

impl<R: Register> Product for Uniform<R> {
    #[inline(always)]
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(One::one(), |a, b| a * b)
    }
}

impl<R: Register> FromPrimitive for Uniform<R> {
    fn from_i64(n: i64) -> Option<Self> {
        f64::from_i64(n).map(Self::from)
    }
    fn from_u64(n: u64) -> Option<Self> {
        f64::from_u64(n).map(Self::from)
    }
    fn from_f64(x: f64) -> Option<Self> {
        Some(Self::from(x))
    }
}

impl<R: Register> DualStruct for Uniform<R> {
    type Real = f64;
    type Inner = f64;
    #[inline(always)]
    fn re(&self) -> f64 {
        self.get()
    }
    #[inline(always)]
    fn from_inner(inner: &f64) -> Self {
        Self::from(*inner)
    }
}

impl<R: Register> Mappable<Self> for Uniform<R> {
    type Output<O> = O;
    #[inline(always)]
    fn map_dual<M: Fn(Self) -> O, O>(self, f: M) -> O {
        f(self)
    }
}

impl<R: Register> fmt::Display for Uniform<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

const _: () = {
    const fn is_component<T: Component>() {}
    is_component::<Uniform<crate::simd::Baseline>>();
};
