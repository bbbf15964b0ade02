//! [`Dual`] as a [`num_dual::DualNum`]: every elementary function by the chain rule.

use super::{Dual, Tangent};
use crate::scalar::Component;
use num_dual::{DualNum, DualStruct, Mappable};
use num_traits::{FromPrimitive, Inv, Num, One, Signed, Zero};
use std::fmt;
use std::iter::{Product, Sum};

/// 1 / ln 10
use std::f64::consts::{LN_2, LN_10};

impl<V: Component, E: Tangent<V>> DualNum for Dual<V, E> {
    type Primitive = f64;
    const NDERIV: usize = V::NDERIV + 1;
    type InnerDual = V;

    #[inline(always)]
    fn from_re(re: V) -> Self {
        Self::constant(re)
    }
    #[inline(always)]
    fn scale(self, factor: &V) -> Self {
        Self::new(self.re * *factor, self.eps.scale(*factor))
    }
    #[inline(always)]
    fn recip(&self) -> Self {
        let r = self.re.recip();
        self.chain(r, -(r * r))
    }
    #[inline(always)]
    fn powi(&self, n: i32) -> Self {
        if n == 0 {
            return <Self as One>::one();
        }
        self.chain(self.re.powi(n), self.re.powi(n.saturating_sub(1)) * f64::from(n))
    }
    #[inline(always)]
    fn powf(&self, n: f64) -> Self {
        if n.is_zero() {
            return Self::one();
        }
        self.chain(self.re.powf(n), self.re.powf(n - 1.0) * n)
    }
    #[inline(always)]
    fn sqrt(&self) -> Self {
        let r = self.re.sqrt();
        self.chain(r, r.recip() * 0.5)
    }
    #[inline(always)]
    fn cbrt(&self) -> Self {
        let r = self.re.cbrt();
        self.chain(r, (r * r * 3.0).recip())
    }
    #[inline(always)]
    fn exp(&self) -> Self {
        let f = self.re.exp();
        self.chain(f, f)
    }
    #[inline(always)]
    fn exp2(&self) -> Self {
        let f = self.re.exp2();
        self.chain(f, f * LN_2)
    }
    #[inline(always)]
    fn exp_m1(&self) -> Self {
        self.chain(self.re.exp_m1(), self.re.exp())
    }
    #[inline(always)]
    fn ln(&self) -> Self {
        self.chain(self.re.ln(), self.re.recip())
    }
    #[inline(always)]
    fn log(&self, base: f64) -> Self {
        self.chain(self.re.log(base), self.re.recip() / base.ln())
    }
    #[inline(always)]
    fn log2(&self) -> Self {
        self.chain(self.re.log2(), self.re.recip() / LN_2)
    }
    #[inline(always)]
    fn log10(&self) -> Self {
        self.chain(self.re.log10(), self.re.recip() / LN_10)
    }
    #[inline(always)]
    fn ln_1p(&self) -> Self {
        self.chain(self.re.ln_1p(), (self.re + 1.0).recip())
    }
    #[inline(always)]
    fn sin(&self) -> Self {
        self.sin_cos().0
    }
    #[inline(always)]
    fn cos(&self) -> Self {
        self.sin_cos().1
    }
    #[inline(always)]
    fn tan(&self) -> Self {
        let t = self.re.tan();
        self.chain(t, t * t + 1.0)
    }
    #[inline(always)]
    fn sin_cos(&self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline(always)]
    fn asin(&self) -> Self {
        self.chain(self.re.asin(), across(self.re).recip())
    }
    #[inline(always)]
    fn acos(&self) -> Self {
        self.chain(self.re.acos(), -across(self.re).recip())
    }
    #[inline(always)]
    fn atan(&self) -> Self {
        self.chain(self.re.atan(), (self.re * self.re + 1.0).recip())
    }
    /// `d atan2(y, x) = (x dy − y dx) / (x² + y²)`, right on the axes too, and without squares that could overflow or
    /// vanish.
    #[inline(always)]
    fn atan2(&self, x: Self) -> Self {
        let (y, value) = (*self, self.re.atan2(x.re));
        let (by_y, by_x) = if y.re().abs() <= x.re().abs() {
            let t = y.re / x.re;
            let by_y = (x.re * (t * t + 1.0)).recip();
            (by_y, -(by_y * t))
        } else {
            let t = x.re / y.re;
            let by_x = -(y.re * (t * t + 1.0)).recip();
            (-(by_x * t), by_x)
        };
        Self::new(value, y.eps.scale(by_y).add(x.eps.scale(by_x)))
    }
    #[inline(always)]
    fn sinh(&self) -> Self {
        self.chain(self.re.sinh(), self.re.cosh())
    }
    #[inline(always)]
    fn cosh(&self) -> Self {
        self.chain(self.re.cosh(), self.re.sinh())
    }
    /// From the value's own `tanh`, which does not overflow.
    #[inline(always)]
    fn tanh(&self) -> Self {
        let t = self.re.tanh();
        self.chain(t, V::one() - t * t)
    }
    #[inline(always)]
    fn asinh(&self) -> Self {
        self.chain(self.re.asinh(), (self.re * self.re + 1.0).sqrt().recip())
    }
    #[inline(always)]
    fn acosh(&self) -> Self {
        self.chain(self.re.acosh(), (self.re * self.re - 1.0).sqrt().recip())
    }
    #[inline(always)]
    fn atanh(&self) -> Self {
        self.chain(self.re.atanh(), (V::one() - self.re * self.re).recip())
    }
    #[inline(always)]
    fn sph_j0(&self) -> Self {
        spherical_bessel(*self, 0)
    }
    #[inline(always)]
    fn sph_j1(&self) -> Self {
        spherical_bessel(*self, 1)
    }
    #[inline(always)]
    fn sph_j2(&self) -> Self {
        spherical_bessel(*self, 2)
    }
    #[inline(always)]
    fn mul_add(&self, a: Self, b: Self) -> Self {
        crate::MulAdd::<Self>::mul_plus(*self, a, b)
    }
    /// `d xⁿ = n xⁿ⁻¹ dx + xⁿ ln x dn`; the second term is zero where `xⁿ` is.
    #[inline(always)]
    fn powd(&self, n: Self) -> Self {
        let f = self.re.powd(n.re);
        let by_x = self.re.powd(n.re - 1.0) * n.re;
        let by_n = if f.is_zero() { f } else { f * self.re.ln() };
        Self::new(f, self.eps.scale_plus(by_x, n.eps.scale(by_n)))
    }
}

/// `√(1 − x²)`, by factors that keep their digits next to ±1.
#[inline(always)]
fn across<V: Component>(x: V) -> V {
    let squared: V = (V::one() - x) * (x + 1.0);
    DualNum::sqrt(&squared)
}

/// `j_n(x)` for n = 0, 1, 2, smooth through zero: `j_n(x) = xⁿ Σ_k (−x²/2)ᵏ / (k! (2n+2k+1)!!)` below 2 (Abramowitz and
/// Stegun, 10.1.2), the closed forms above.
#[inline(always)]
fn spherical_bessel<V: Component, E: Tangent<V>>(x: Dual<V, E>, n: u32) -> Dual<V, E> {
    if x.re().abs() < 2.0 {
        let half = x * x * -0.5;
        let mut sum = Dual::one();
        let mut k = 15_u32;
        while k > 0 {
            sum = Dual::one() + half * sum / f64::from(k * (2 * n + 2 * k + 1));
            k -= 1;
        }
        return match n {
            0 => sum,
            1 => x * sum / 3.0,
            _ => x * x * sum / 15.0,
        };
    }
    let (s, c) = DualNum::sin_cos(&x);
    let r = DualNum::recip(&x);
    match n {
        0 => s * r,
        1 => (s * r - c) * r,
        _ => ((r * r * 3.0 - 1.0) * s - r * c * 3.0) * r,
    }
}

impl<V: Component, E: Tangent<V>> Zero for Dual<V, E> {
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(<V as Zero>::zero())
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.re.is_zero()
    }
}

impl<V: Component, E: Tangent<V>> One for Dual<V, E> {
    #[inline(always)]
    fn one() -> Self {
        Self::constant(<V as One>::one())
    }
    #[inline(always)]
    fn is_one(&self) -> bool {
        self.re.is_one()
    }
}

impl<V: Component, E: Tangent<V>> Num for Dual<V, E> {
    type FromStrRadixErr = <f64 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        f64::from_str_radix(text, radix).map(Self::from)
    }
}

impl<V: Component, E: Tangent<V>> Signed for Dual<V, E> {
    #[inline(always)]
    fn abs(&self) -> Self {
        if self.is_negative() { -*self } else { *self }
    }
    #[inline(always)]
    fn abs_sub(&self, other: &Self) -> Self {
        if self.re() > other.re() { *self - *other } else { <Self as Zero>::zero() }
    }
    #[inline(always)]
    fn signum(&self) -> Self {
        if self.is_zero() { <Self as Zero>::zero() } else { Self::from(self.re().signum()) }
    }
    #[inline(always)]
    fn is_positive(&self) -> bool {
        self.re.is_positive()
    }
    #[inline(always)]
    fn is_negative(&self) -> bool {
        self.re.is_negative()
    }
}

impl<V: Component, E: Tangent<V>> Inv for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn inv(self) -> Self {
        DualNum::recip(&self)
    }
}

impl<V: Component, E: Tangent<V>> Sum for Dual<V, E> {
    #[inline(always)]
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(<Self as Zero>::zero(), |a, b| a + b)
    }
}

impl<'a, V: Component, E: Tangent<V>> Sum<&'a Self> for Dual<V, E> {
    #[inline(always)]
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().sum()
    }
}

impl<V: Component, E: Tangent<V>> Product for Dual<V, E> {
    #[inline(always)]
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(<Self as One>::one(), |a, b| a * b)
    }
}

impl<'a, V: Component, E: Tangent<V>> Product<&'a Self> for Dual<V, E> {
    #[inline(always)]
    fn product<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().product()
    }
}

impl<V: Component, E: Tangent<V>> FromPrimitive for Dual<V, E> {
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

impl<V: Component, E: Tangent<V>> DualStruct for Dual<V, E> {
    type Real = f64;
    type Inner = V;
    #[inline(always)]
    fn re(&self) -> f64 {
        self.re.re()
    }
    #[inline(always)]
    fn from_inner(inner: &V) -> Self {
        Self::constant(*inner)
    }
}

impl<V: Component, E: Tangent<V>> Mappable<Self> for Dual<V, E> {
    type Output<O> = O;
    #[inline(always)]
    fn map_dual<M: Fn(Self) -> O, O>(self, f: M) -> O {
        f(self)
    }
}

impl<V: Component, E: Tangent<V>> fmt::Display for Dual<V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {:?}ε", self.re, self.eps)
    }
}
