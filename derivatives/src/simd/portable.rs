//! Plain arrays: the level of processors that have no other here, and the oracle of the others' tests.

use super::{Level, Piece, Register, WIDTH};

/// Eight numbers, left to the compiler.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(unreachable_pub, reason = "the baseline, and public, where there are no vector registers")]
pub struct Portable([f64; WIDTH]);

impl Portable {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut i = 0;
        while i < WIDTH {
            self.0[i] = f(self.0[i], other.0[i]);
            i += 1;
        }
        self
    }
}

impl Register for Portable {
    const LEVEL: Level = Level::Plain;
    type Single = f64;
    type Low = Self;
    type High = Self;
    type Whole = Self;
    #[inline(always)]
    fn rows(columns: [Self; WIDTH]) -> [Self; WIDTH] {
        Self::transpose(columns)
    }
    #[inline(never)]
    fn call<P: Piece>(piece: P) -> P::Output {
        piece.run()
    }
    #[inline(always)]
    fn broadcast(x: f64) -> Self {
        Self::splat(x)
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; WIDTH])
    }
    #[inline(always)]
    fn from_array(x: [f64; WIDTH]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        self.0
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        self.mul(a).sub(b)
    }
    #[inline(always)]
    fn neg(self) -> Self {
        self.zip(self, |a, _| -a)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.zip(self, |a, _| a.sqrt())
    }
    #[inline(always)]
    fn select_lt(self, bound: Self, below: Self, mut otherwise: Self) -> Self {
        let mut i = 0;
        while i < WIDTH {
            if self.0[i] < bound.0[i] {
                otherwise.0[i] = below.0[i];
            }
            i += 1;
        }
        otherwise
    }
    #[inline(always)]
    fn all_lt(self, bound: Self) -> bool {
        let mut all = true;
        let mut i = 0;
        while i < WIDTH {
            all &= self.0[i] < bound.0[i];
            i += 1;
        }
        all
    }
}
