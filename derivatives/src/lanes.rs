//! Eight independent numbers in one register.
//!
//! ```
//! use gradyn_derivatives::{Kernel, Lanes, Real, Register, dispatch};
//!
//! /// The heights of eight pendulums at once.
//! struct Heights([f64; 8]);
//! impl Kernel for Heights {
//!     type Output = [f64; 8];
//!     #[inline(always)]
//!     fn run<R: Register>(self) -> [f64; 8] {
//!         let (_, cos) = Lanes::<R>::from_array(self.0).sin_cos();
//!         (Lanes::from(1.0) - cos).to_array()
//!     }
//! }
//! assert_eq!(dispatch(Heights([0.0; 8])), [0.0; 8]);
//! ```

use crate::simd::{self, Piece, Register, WIDTH};
use crate::{AtLevel, MulAdd, Real};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Eight numbers that go through the same computation: eight states of a robot, or eight directions.
///
/// Not a `DualNum`: that trait compares real parts, and eight numbers have no common order. `==` asks for all lanes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Lanes<R>(pub R);

impl<R: PartialEq> PartialEq for Lanes<R> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<R: Register> Lanes<R> {
    /// From eight numbers.
    #[inline(always)]
    pub fn from_array(x: [f64; WIDTH]) -> Self {
        Self(R::from_array(x))
    }
    /// To eight numbers.
    #[inline(always)]
    pub fn to_array(self) -> [f64; WIDTH] {
        self.0.to_array()
    }
    /// One in lane `i`, zero elsewhere; all zero if there is no lane `i`.
    #[inline(always)]
    pub fn unit(i: usize) -> Self {
        Self::from_array(UNITS[if i < WIDTH { i } else { WIDTH }])
    }
}

/// One in each lane, then none: a load from memory, where a store of one number would have to be waited for.
static UNITS: [[f64; WIDTH]; WIDTH + 1] = {
    let mut units = [[0.0; WIDTH]; WIDTH + 1];
    let mut i = 0;
    while i < WIDTH {
        units[i][i] = 1.0;
        i += 1;
    }
    units
};

/// A function of the standard library, lane by lane.
#[inline(always)]
fn each<R: Register>(x: R, f: fn(f64) -> f64) -> Lanes<R> {
    let mut x = x.to_array();
    for y in &mut x {
        *y = f(*y);
    }
    Lanes::from_array(x)
}

impl<R: Register> AtLevel for Lanes<R> {
    #[inline(always)]
    fn call<P: Piece>(piece: P) -> P::Output {
        R::call(piece)
    }
}

impl<R: Register> Real for Lanes<R> {
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = simd::sin_cos(self.0);
        (Self(s), Self(c))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn recip(self) -> Self {
        Self(R::splat(1.0).div(self.0))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        each(self.0, f64::exp)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        each(self.0, f64::ln)
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        each(self.0, f64::exp_m1)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        each(self.0, f64::asin)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        each(self.0, f64::acos)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        each(self.0, f64::atan)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let (mut y, x) = (self.to_array(), x.to_array());
        for i in 0..WIDTH {
            y[i] = y[i].atan2(x[i]);
        }
        Self::from_array(y)
    }
    #[inline(always)]
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self {
        Self(self.0.select_lt(R::splat(bound), below.0, otherwise.0))
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        // x − x is zero exactly for finite x
        self.0.sub(self.0).all_lt(R::splat(1.0))
    }
}

impl<R: Register> From<f64> for Lanes<R> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(R::splat(x))
    }
}

impl<R: Register> Neg for Lanes<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.neg())
    }
}

macro_rules! operators {
    ($($op:ident $f:ident),*) => { $(
        impl<R: Register> $op for Lanes<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                Self(self.0.$f(other.0))
            }
        }
        impl<R: Register> $op<f64> for Lanes<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: f64) -> Self {
                Self(self.0.$f(R::splat(other)))
            }
        }
    )* };
}
operators!(Add add, Sub sub, Mul mul, Div div);

macro_rules! assignments {
    ($($op:ident $f:ident $by:ident),*) => { $(
        impl<R: Register> $op for Lanes<R> {
            #[inline(always)]
            fn $f(&mut self, other: Self) {
                self.0 = self.0.$by(other.0);
            }
        }
    )* };
}
assignments!(AddAssign add_assign add, SubAssign sub_assign sub, MulAssign mul_assign mul);

impl<R: Register> MulAdd<Self> for Lanes<R> {
    #[inline(always)]
    fn mul_plus(self, p: Self, b: Self) -> Self {
        Self(self.0.mul_add(p.0, b.0))
    }
    #[inline(always)]
    fn mul_minus(self, p: Self, b: Self) -> Self {
        Self(self.0.mul_sub(p.0, b.0))
    }
}

impl<R: Register> MulAdd<f64> for Lanes<R> {
    #[inline(always)]
    fn mul_plus(self, p: f64, b: Self) -> Self {
        Self(self.0.mul_add(R::splat(p), b.0))
    }
    #[inline(always)]
    fn mul_minus(self, p: f64, b: Self) -> Self {
        Self(self.0.mul_sub(R::splat(p), b.0))
    }
}
