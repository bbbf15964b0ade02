//! AArch64: NEON, which every such processor has.

use super::{Level, Piece, Register, WIDTH};
use std::arch::aarch64::*;

/// Four 128-bit registers.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Neon([float64x2_t; 4]);

impl PartialEq for Neon {
    fn eq(&self, other: &Self) -> bool {
        self.to_array() == other.to_array()
    }
}

/// SAFETY, for every block below: NEON is part of AArch64; loads and stores touch the eight numbers of an array that is
/// borrowed or owned at that moment.
macro_rules! each {
    ($i:ident, $to:expr, $value:expr) => {{
        let mut $i = 0;
        while $i < 4 {
            // SAFETY: see `each!`.
            $to[$i] = unsafe { $value };
            $i += 1;
        }
    }};
}

impl Register for Neon {
    const LEVEL: Level = Level::Neon;
    type Single = super::single::Fused;
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
    fn broadcast(x: Self::Single) -> Self {
        Self::splat(super::Single::get(x))
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: see `each!`.
        Self([unsafe { vdupq_n_f64(x) }; 4])
    }
    #[inline(always)]
    fn from_array(x: [f64; WIDTH]) -> Self {
        let mut r = Self::splat(0.0);
        each!(i, r.0, vld1q_f64(x.as_ptr().add(2 * i)));
        r
    }
    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        let mut x = [0.0; WIDTH];
        let mut i = 0;
        while i < 4 {
            // SAFETY: see `each!`.
            unsafe { vst1q_f64(x.as_mut_ptr().add(2 * i), self.0[i]) };
            i += 1;
        }
        x
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        each!(i, self.0, vaddq_f64(self.0[i], other.0[i]));
        self
    }
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        each!(i, self.0, vsubq_f64(self.0[i], other.0[i]));
        self
    }
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        each!(i, self.0, vmulq_f64(self.0[i], other.0[i]));
        self
    }
    #[inline(always)]
    fn div(mut self, other: Self) -> Self {
        each!(i, self.0, vdivq_f64(self.0[i], other.0[i]));
        self
    }
    #[inline(always)]
    fn mul_add(mut self, a: Self, b: Self) -> Self {
        each!(i, self.0, vfmaq_f64(b.0[i], self.0[i], a.0[i]));
        self
    }
    #[inline(always)]
    fn mul_sub(mut self, a: Self, b: Self) -> Self {
        each!(i, self.0, vfmaq_f64(vnegq_f64(b.0[i]), self.0[i], a.0[i]));
        self
    }
    #[inline(always)]
    fn neg(mut self) -> Self {
        each!(i, self.0, vnegq_f64(self.0[i]));
        self
    }
    #[inline(always)]
    fn sqrt(mut self) -> Self {
        each!(i, self.0, vsqrtq_f64(self.0[i]));
        self
    }
    #[inline(always)]
    fn select_lt(self, bound: Self, below: Self, mut otherwise: Self) -> Self {
        each!(i, otherwise.0, vbslq_f64(vcltq_f64(self.0[i], bound.0[i]), below.0[i], otherwise.0[i]));
        otherwise
    }
    #[inline(always)]
    fn all_lt(self, bound: Self) -> bool {
        let (x, y) = (self.to_array(), bound.to_array());
        let mut all = true;
        let mut i = 0;
        while i < WIDTH {
            all &= x[i] < y[i];
            i += 1;
        }
        all
    }
}
