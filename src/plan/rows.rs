//! What constants of lanes stand in: rows of eight numbers, one for each joint, and of four, one for each body.

use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Register, WIDTH};

/// Eight numbers, where a register is loaded from one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [f64; WIDTH]);

impl Row {
    pub(crate) const ZERO: Self = Self([0.0; WIDTH]);
    pub(crate) const ONE: Self = Self([1.0; WIDTH]);

    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> Lanes<R> {
        Lanes::from_array(self.0)
    }
    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, x: Lanes<R>) {
        x.0.store(&mut self.0);
    }
}

/// Bodies abreast.
pub(crate) const ABREAST: usize = 4;

/// Four numbers, one a lane; a register of eight holds them twice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Four(pub(crate) [f64; ABREAST]);

impl Four {
    pub(crate) const ZERO: Self = Self([0.0; ABREAST]);

    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> Lanes<R> {
        let [a, b, c, d] = self.0;
        Lanes(R::from_array([a, b, c, d, a, b, c, d]))
    }

    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, x: Lanes<R>) {
        let [a, b, c, d, ..] = x.0.to_array();
        self.0 = [a, b, c, d];
    }

    /// All four together.
    #[inline(always)]
    pub(crate) fn sum(&self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }
}
