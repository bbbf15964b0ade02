//! Numbers of twice the digits, for the algorithms to be held against: 32 decimals, by the crate `twofloat`.

use gradyn_derivatives::{AtLevel, MulAdd, Real};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use twofloat::TwoFloat;

/// An unevaluated sum of two `f64`, some 106 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precise(pub TwoFloat);

impl Precise {
    /// The nearest `f64`.
    pub fn round(self) -> f64 {
        self.0.into()
    }
}

impl From<f64> for Precise {
    fn from(x: f64) -> Self {
        Self(TwoFloat::from(x))
    }
}

impl AtLevel for Precise {}

impl Neg for Precise {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! operators {
    ($($op:ident $f:ident $assign:ident $by:ident),*) => { $(
        impl $op for Precise {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                Self(self.0.$f(other.0))
            }
        }
        impl $op<f64> for Precise {
            type Output = Self;
            fn $f(self, other: f64) -> Self {
                Self(self.0.$f(other))
            }
        }
        impl $assign for Precise {
            fn $by(&mut self, other: Self) {
                self.0 = self.0.$f(other.0);
            }
        }
    )* };
}
operators!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign);

impl Div for Precise {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // Digit by digit: the quotient of `twofloat` 0.8 has those of one `f64`.
        let (divisor, mut left, mut quotient) = (other.round(), self, Self::from(0.0));
        for _ in 0..3 {
            let digits = left.round() / divisor;
            left -= other * digits;
            quotient = quotient + digits;
        }
        quotient
    }
}
impl Div<f64> for Precise {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        Self(self.0 / other)
    }
}

macro_rules! mul_add {
    ($($p:ty),*) => { $(
        impl MulAdd<$p> for Precise {
            fn mul_plus(self, p: $p, b: Self) -> Self {
                self * p + b
            }
            fn mul_minus(self, p: $p, b: Self) -> Self {
                self * p - b
            }
        }
    )* };
}
mul_add!(f64, Precise);

impl Real for Precise {
    fn sin_cos(self) -> (Self, Self) {
        sin_cos(self)
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn recip(self) -> Self {
        Self::from(1.0) / self
    }
    fn exp(self) -> Self {
        Self(self.0.exp())
    }
    fn ln(self) -> Self {
        Self(self.0.ln())
    }
    fn exp_m1(self) -> Self {
        Self(self.0.exp_m1())
    }
    fn asin(self) -> Self {
        Self(self.0.asin())
    }
    fn acos(self) -> Self {
        Self(self.0.acos())
    }
    fn atan(self) -> Self {
        Self(self.0.atan())
    }
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self {
        if self.round() < bound { below } else { otherwise }
    }
    fn is_finite(self) -> bool {
        self.round().is_finite()
    }
}

/// By Taylor's series, since `twofloat`'s have 23 decimals.
fn sin_cos(x: Precise) -> (Precise, Precise) {
    // π/2 in three parts: arguments of robots are small numbers of turns.
    let parts = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
    let turns = (x.round() / parts[0]).round();
    let mut x = x;
    for part in parts {
        x -= Precise::from(turns) * part;
    }
    let (mut term, mut sin, mut cos) = (Precise::from(1.0), Precise::from(0.0), Precise::from(0.0));
    for k in 0..32 {
        match k % 4 {
            0 => cos += term,
            1 => sin += term,
            2 => cos -= term,
            _ => sin -= term,
        }
        term = term * x / f64::from(k + 1);
    }
    match turns.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}
