//! The operators of [`Dual`]: sum, product and quotient rule, each once.

use super::{Dual, Tangent};
use crate::simd::Piece;
use crate::{AtLevel, MulAdd, Real};
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

impl<V: Real, E: Tangent<V>> Neg for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.re, self.eps.neg())
    }
}

impl<V: Real, E: Tangent<V>> Add for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.re + o.re, self.eps.add(o.eps))
    }
}

impl<V: Real, E: Tangent<V>> Sub for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.re - o.re, self.eps.sub(o.eps))
    }
}

impl<V: Real, E: Tangent<V>> Mul for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::new(self.re * o.re, self.eps.scale_plus(o.re, o.eps.scale(self.re)))
    }
}

impl<V: Real, E: Tangent<V>> Div for Dual<V, E> {
    type Output = Self;
    /// `d(a/b) = (da − (a/b) db) / b`
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        Self::new(q, self.eps.sub(o.eps.scale(q)).scale(o.re.recip()))
    }
}

impl<V: Real + Rem<Output = V>, E: Tangent<V>> Rem for Dual<V, E> {
    type Output = Self;
    /// `a % b = a − trunc(a/b) b`, and the quotient is constant between its jumps.
    #[inline(always)]
    fn rem(self, o: Self) -> Self {
        let r = self.re % o.re;
        let n = (self.re - r) / o.re;
        Self::new(r, self.eps.sub(o.eps.scale(n)))
    }
}

impl<V: Real, E: Tangent<V>> Add<f64> for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn add(self, x: f64) -> Self {
        Self::new(self.re + x, self.eps)
    }
}

impl<V: Real, E: Tangent<V>> Sub<f64> for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, x: f64) -> Self {
        Self::new(self.re - x, self.eps)
    }
}

impl<V: Real, E: Tangent<V>> Mul<f64> for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, x: f64) -> Self {
        Self::new(self.re * x, self.eps.scale_by(x))
    }
}

impl<V: Real, E: Tangent<V>> Div<f64> for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn div(self, x: f64) -> Self {
        Self::new(self.re / x, self.eps.scale_by(1.0 / x))
    }
}

impl<V: Real + Rem<f64, Output = V>, E: Tangent<V>> Rem<f64> for Dual<V, E> {
    type Output = Self;
    #[inline(always)]
    fn rem(self, x: f64) -> Self {
        Self::new(self.re % x, self.eps)
    }
}

impl<V: AtLevel, E: Tangent<V>> AtLevel for Dual<V, E> {
    #[inline(always)]
    fn call<P: Piece>(piece: P) -> P::Output {
        V::call(piece)
    }
}

/// The value is rounded after the product and after the sum, as over `f64`; the derivatives once.
impl<V: Real, E: Tangent<V>> MulAdd<Self> for Dual<V, E> {
    #[inline(always)]
    fn mul_plus(self, p: Self, b: Self) -> Self {
        Self::new(
            MulAdd::<V>::mul_plus(self.re, p.re, b.re),
            self.eps.scale_plus(p.re, p.eps.scale_plus(self.re, b.eps)),
        )
    }
    #[inline(always)]
    fn mul_minus(self, p: Self, b: Self) -> Self {
        Self::new(
            MulAdd::<V>::mul_minus(self.re, p.re, b.re),
            self.eps.scale_plus(p.re, p.eps.scale_minus(self.re, b.eps)),
        )
    }
}

impl<V: Real, E: Tangent<V>> MulAdd<f64> for Dual<V, E> {
    #[inline(always)]
    fn mul_plus(self, p: f64, b: Self) -> Self {
        Self::new(MulAdd::<f64>::mul_plus(self.re, p, b.re), self.eps.scale_by_plus(p, b.eps))
    }
    #[inline(always)]
    fn mul_minus(self, p: f64, b: Self) -> Self {
        Self::new(MulAdd::<f64>::mul_minus(self.re, p, b.re), self.eps.scale_by_minus(p, b.eps))
    }
}

macro_rules! by_reference {
    ($($op:ident $f:ident $assign:ident $fa:ident [$($rem:tt)*]),*) => { $(
        impl<'r, V: Real $($rem)*, E: Tangent<V>> $op<&'r Self> for Dual<V, E> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: &'r Self) -> Self {
                $op::$f(self, *o)
            }
        }
        impl<V: Real $($rem)*, E: Tangent<V>> $assign for Dual<V, E> {
            #[inline(always)]
            fn $fa(&mut self, o: Self) {
                *self = $op::$f(*self, o);
            }
        }
    )* };
}
by_reference!(Add add AddAssign add_assign [], Sub sub SubAssign sub_assign [], Mul mul MulAssign mul_assign [],
    Div div DivAssign div_assign [], Rem rem RemAssign rem_assign [+ Rem<Output = V>]);

macro_rules! assign_constant {
    ($($op:ident $f:ident $assign:ident $fa:ident [$($rem:tt)*]),*) => { $(
        impl<V: Real $($rem)*, E: Tangent<V>> $assign<f64> for Dual<V, E> {
            #[inline(always)]
            fn $fa(&mut self, x: f64) {
                *self = $op::$f(*self, x);
            }
        }
    )* };
}
assign_constant!(Add add AddAssign add_assign [], Sub sub SubAssign sub_assign [], Mul mul MulAssign mul_assign [],
    Div div DivAssign div_assign [], Rem rem RemAssign rem_assign [+ Rem<f64, Output = V>]);

impl<V: PartialEq, E> PartialEq for Dual<V, E> {
    #[inline(always)]
    fn eq(&self, o: &Self) -> bool {
        self.re == o.re
    }
}

impl<V: PartialEq<f64>, E> PartialEq<f64> for Dual<V, E> {
    #[inline(always)]
    fn eq(&self, x: &f64) -> bool {
        self.re == *x
    }
}

impl<V: PartialOrd, E> PartialOrd for Dual<V, E> {
    #[inline(always)]
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        self.re.partial_cmp(&o.re)
    }
}

impl<V: PartialOrd<f64> + PartialEq<f64>, E> PartialOrd<f64> for Dual<V, E> {
    #[inline(always)]
    fn partial_cmp(&self, x: &f64) -> Option<Ordering> {
        self.re.partial_cmp(x)
    }
}

impl<V: Real, E: Tangent<V>> From<f64> for Dual<V, E> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self::constant(V::from(x))
    }
}
