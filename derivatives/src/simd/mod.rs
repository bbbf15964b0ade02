//! Vector registers, chosen at run time. All unsafe code of gradyn is in this folder.
//!
//! A build for plain x86-64 knows only two-wide registers. Code generic over [`Register`] is compiled once per
//! [`Level`] and entered through [`dispatch`], which looks at the processor: full width without build flags. Two
//! conditions, or intrinsics become calls: everything between `dispatch` and the operators is `#[inline(always)]`, and
//! it contains no closures or library functions that may stay calls.
//!
//! ```
//! use gradyn_derivatives::simd::{Kernel, Register, dispatch};
//!
//! /// Eight square roots at once.
//! struct Roots([f64; 8]);
//! impl Kernel for Roots {
//!     type Output = [f64; 8];
//!     #[inline(always)]
//!     fn run<R: Register>(self) -> [f64; 8] {
//!         R::from_array(self.0).sqrt().to_array()
//!     }
//! }
//! assert_eq!(dispatch(Roots([4.0; 8])), [2.0; 8]);
//! ```
//!
//! All register types but [`Baseline`] cannot be named outside: the only way to one is a [`Kernel`], which is run at a
//! level that the processor has been seen to offer. That is the reason behind every `unsafe` block here.
//!
//! ```compile_fail
//! // Private: a value of this type would claim instructions that the processor may lack.
//! use gradyn_derivatives::simd::x86::Avx512;
//! ```

#![expect(unsafe_code, reason = "the one module of vector registers")]

mod dispatch;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod places;
#[cfg(any(not(target_arch = "x86_64"), test))]
mod portable;
mod single;
#[cfg(target_arch = "x86_64")]
mod stack;
#[cfg(test)]
mod tests;
mod trig;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use dispatch::{Kernel, VectorLevel, dispatch, dispatch_at};
pub use level::{Level, with_level};
#[doc(hidden)]
pub use places::Places;
pub(crate) use trig::sin_cos;

/// The registers that every processor of this architecture has: a type to name where no [`Kernel`] runs.
#[cfg(target_arch = "aarch64")]
pub use neon::Neon as Baseline;
/// The registers that every processor of this architecture has: a type to name where no [`Kernel`] runs.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use portable::Portable as Baseline;
/// The registers that every processor of this architecture has: a type to name where no [`Kernel`] runs.
#[cfg(target_arch = "x86_64")]
pub use x86::Sse2 as Baseline;

use std::fmt::Debug;

/// Numbers in a register, whatever the level: wider registers than the processor's are made of several.
pub const WIDTH: usize = 8;

/// A piece of work that is compiled as a function of its own: [`AtLevel::call`](crate::AtLevel::call).
///
/// An algorithm whose parts are all inlined into one function takes the compiler minutes where its pieces take seconds.
/// `run` must be `#[inline(always)]`, as a kernel's.
pub trait Piece {
    /// What it returns.
    type Output;
    /// The computation.
    fn run(self) -> Self::Output;
}

/// Runs a piece as a function of its own, without instructions of a level: what [`AtLevel::call`](crate::AtLevel::call)
/// is for numbers that are large and not made of registers. Not inlined: a piece that many algorithms share is compiled
/// once, and in the first crate of a program that needs it.
#[inline(never)]
pub fn call<P: Piece>(piece: P) -> P::Output {
    piece.run()
}

/// One number, in the form in which a level combines it with registers at the least cost.
///
/// AVX-512 keeps it in all lanes: every product of a value with derivatives would otherwise begin with a broadcast, and
/// the compiler would pair the scalar operations by shuffles (measured on a prototype of a 7-joint RNEA: 1.7 µs against
/// 2.1 µs, and 1.3 µs with fused products of the values). The
/// other levels keep a scalar.
pub trait Single: Copy + Send + Sync + Debug + PartialEq + 'static {
    /// From a number.
    fn new(x: f64) -> Self;
    /// The number.
    fn get(self) -> f64;
    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `self * other`
    fn mul(self, other: Self) -> Self;
    /// `-self`
    fn neg(self) -> Self;
    /// `self * a + b`, in one rounding where the level has it.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self * a - b`, in one rounding where the level has it.
    fn mul_sub(self, a: Self, b: Self) -> Self;
}

/// Eight numbers, one operation each.
///
/// Implemented for the levels' register types only; see the [module](self) for the way to one. What this page leaves
/// out is for gradyn's own kernels, and may change.
pub trait Register: Copy + Send + Sync + Debug + PartialEq + 'static {
    /// The level whose instructions this type uses.
    const LEVEL: Level;
    /// How one number is best held to be combined with registers of this level.
    type Single: Single;
    /// Lanes 0 to 3 by themselves, where [`HALVES`](Self::HALVES) says so: of the others arrays are not read and hold
    /// zeros, and what is [stored](Self::store) over leaves them alone.
    #[doc(hidden)]
    type Low: Register;
    /// Lanes 4 to 7, as well.
    #[doc(hidden)]
    type High: Register;
    /// What holds all eight numbers at this level.
    #[doc(hidden)]
    type Whole: Register;
    /// Whether this is two registers of the processor, which has so few that long formulas are better evaluated for
    /// each of the two separately.
    #[doc(hidden)]
    const HALVES: bool = false;
    /// How many lanes this holds: all eight, or four.
    #[doc(hidden)]
    const LANES: usize = WIDTH;
    /// Eight times the same number.
    fn broadcast(x: Self::Single) -> Self;
    /// Eight times the same number.
    fn splat(x: f64) -> Self;
    /// From eight numbers.
    fn from_array(x: [f64; WIDTH]) -> Self;
    /// To eight numbers.
    fn to_array(self) -> [f64; WIDTH];
    /// To its lanes of eight numbers.
    #[inline(always)]
    #[doc(hidden)]
    fn store(self, to: &mut [f64; WIDTH]) {
        *to = self.to_array();
    }
    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `self * other`
    fn mul(self, other: Self) -> Self;
    /// `self / other`
    fn div(self, other: Self) -> Self;
    /// `self * a + b`, in one rounding where the level has it.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self * a - b`, in one rounding where the level has it.
    fn mul_sub(self, a: Self, b: Self) -> Self;
    /// `-self`
    fn neg(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Lane by lane: `below` where `self < bound`, `otherwise` elsewhere (NaN included).
    fn select_lt(self, bound: Self, below: Self, otherwise: Self) -> Self;
    /// Whether every lane is less than its bound.
    fn all_lt(self, bound: Self) -> bool;
    /// Runs a piece of a kernel as a function of its own, with this level's instructions.
    fn call<P: Piece>(piece: P) -> P::Output;

    /// Magnitude.
    #[inline(always)]
    fn abs(self) -> Self {
        // The sum makes −0 positive.
        self.select_lt(Self::splat(0.0), self.neg(), self).add(Self::splat(0.0))
    }
    /// Sine (`self`) and cosine of an angle that is `n` quarter turns larger, lane by lane; `quarters` is
    /// `n + 1.5 · 2⁵²`, whose last bits are those of `n`.
    #[inline(always)]
    #[doc(hidden)]
    fn turned(self, cos: Self, quarters: Self) -> (Self, Self) {
        trig::turned(self, cos, quarters)
    }
    /// From the first numbers of a slice; lanes that it does not reach are zero.
    #[inline(always)]
    fn load_first(from: &[f64]) -> Self {
        let mut x = [0.0; WIDTH];
        for (x, from) in x.iter_mut().zip(from) {
            *x = *from;
        }
        Self::from_array(x)
    }
    /// To the first numbers of a slice: all lanes, or as many as it has room for.
    #[inline(always)]
    fn store_first(self, to: &mut [f64]) {
        let x = self.to_array();
        if let Some(to) = to.first_chunk_mut::<WIDTH>() {
            *to = x;
        } else {
            for (to, x) in to.iter_mut().zip(x) {
                *to = x;
            }
        }
    }
    /// Lane `i` is lane `places[i]`, or zero where there is none.
    #[inline(always)]
    #[doc(hidden)]
    fn permute(self, places: &Places) -> Self {
        places::permute(self, places)
    }
    /// Lane by lane: `self` where the mask's bit is set, `other` elsewhere.
    #[inline(always)]
    #[doc(hidden)]
    fn where_else(self, mask: u8, other: Self) -> Self {
        places::where_else(self, mask, other)
    }
    /// Lane `j` of register `i` is lane `i` of register `j`.
    #[inline(always)]
    fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        places::transpose(rows)
    }
    /// Lane `j` of register `i` is number `i` of row `j`.
    #[inline(always)]
    #[doc(hidden)]
    fn transposed(rows: [&[f64; WIDTH]; WIDTH]) -> [Self; WIDTH] {
        let mut registers = [Self::splat(0.0); WIDTH];
        let mut j = 0;
        while j < WIDTH {
            registers[j] = Self::from_array(*rows[j]);
            j += 1;
        }
        Self::transpose(registers)
    }
    /// Number `j` of row `i` is lane `i` of column `j`; rows for lanes that this does not hold are zero.
    #[doc(hidden)]
    fn rows(columns: [Self; WIDTH]) -> [Self::Whole; WIDTH];
    /// Lanes 0 to 3, twice.
    #[inline(always)]
    #[doc(hidden)]
    fn low_twice(self) -> Self {
        let [a, b, c, d, ..] = self.to_array();
        Self::from_array([a, b, c, d, a, b, c, d])
    }
    /// Lanes 4 to 7, twice.
    #[inline(always)]
    #[doc(hidden)]
    fn high_twice(self) -> Self {
        let [.., a, b, c, d] = self.to_array();
        Self::from_array([a, b, c, d, a, b, c, d])
    }
    /// Lanes 4 to 7, then lanes 0 to 3.
    #[inline(always)]
    #[doc(hidden)]
    fn halves_swapped(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self.to_array();
        Self::from_array([e, f, g, h, a, b, c, d])
    }
}
