//! A value and its derivatives in the directions of one register.
//!
//! [`Dual<f64, Lanes<R>>`](Dual) carries eight directional derivatives in a register; the value stands beside it. As a
//! [`num_dual::DualNum`] it goes wherever the types of the `num-dual` crate go, and inside them:
//! `num_dual::Dual<Dual<…>>` or [`Dual<D, D>`](Dual) with `D` a dual number again carry second derivatives.
//!
//! ```
//! use gradyn_derivatives::{Dual8, num_dual::DualNum};
//!
//! // x and y vary in lanes 0 and 1
//! let x = Dual8::variable(2.0, 0);
//! let y = Dual8::variable(3.0, 1);
//! let z = x.powi(2) * y;
//! assert_eq!(z.value(), 12.0);
//! assert_eq!(z.eps.to_array()[..2], [12.0, 4.0]); // 2 x y, x²
//! ```

mod dual_num;
mod ops;

use crate::{Lanes, MulAdd, Real, Register};
use std::fmt::Debug;

/// `re + eps ε` with `ε² = 0`: a value and its derivatives.
///
/// | type | what it carries |
/// |---|---|
/// | `Dual<f64, f64>` | one derivative |
/// | `Dual<f64, Lanes<R>>` | eight derivatives, one register |
/// | `Dual<f64, [Lanes<R>; N]>` | `8 N` derivatives |
/// | `Dual<D, D>` with `D = Dual<f64, Lanes<R>>` | eight derivatives, one derivative of all of that: second derivatives |
/// | `Dual<Lanes<R>, Lanes<R>>` | one derivative of each of eight independent states |
///
/// Comparisons look at `re` alone, as `num-dual`'s do.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Dual<V, E> {
    /// The value.
    pub re: V,
    /// The derivatives.
    pub eps: E,
}

impl<V, E> Dual<V, E> {
    /// From the value and the derivatives.
    #[inline(always)]
    pub fn new(re: V, eps: E) -> Self {
        Self { re, eps }
    }
}

impl<V, E: Tangent<V>> Dual<V, E> {
    /// A value that does not vary.
    #[inline(always)]
    pub fn constant(re: V) -> Self {
        Self { re, eps: E::zero() }
    }
    /// `f(self)` from `f` and `f′` at the value.
    #[inline(always)]
    fn chain(self, f: V, df: V) -> Self {
        Self { re: f, eps: self.eps.scale(df) }
    }
}

/// The derivative part of a [`Dual`] with values of type `V`: a vector space over `V`.
pub trait Tangent<V>: Copy + Send + Sync + Debug + 'static {
    /// No variation.
    fn zero() -> Self;
    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `-self`
    fn neg(self) -> Self;
    /// `self * v`
    fn scale(self, v: V) -> Self;
    /// `self * v + b`
    fn scale_plus(self, v: V, b: Self) -> Self;
    /// `self * v - b`
    fn scale_minus(self, v: V, b: Self) -> Self;
    /// `self * x`, by a constant.
    fn scale_by(self, x: f64) -> Self;
    /// `self * x + b`, by a constant.
    fn scale_by_plus(self, x: f64, b: Self) -> Self;
    /// `self * x - b`, by a constant.
    fn scale_by_minus(self, x: f64, b: Self) -> Self;
}

/// One direction.
impl<V: Real> Tangent<V> for V {
    #[inline(always)]
    fn zero() -> Self {
        <V as Real>::zero()
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
    fn scale(self, v: V) -> Self {
        self * v
    }
    #[inline(always)]
    fn scale_plus(self, v: V, b: Self) -> Self {
        MulAdd::<V>::mul_plus(self, v, b)
    }
    #[inline(always)]
    fn scale_minus(self, v: V, b: Self) -> Self {
        MulAdd::<V>::mul_minus(self, v, b)
    }
    #[inline(always)]
    fn scale_by(self, x: f64) -> Self {
        self * x
    }
    #[inline(always)]
    fn scale_by_plus(self, x: f64, b: Self) -> Self {
        MulAdd::<f64>::mul_plus(self, x, b)
    }
    #[inline(always)]
    fn scale_by_minus(self, x: f64, b: Self) -> Self {
        MulAdd::<f64>::mul_minus(self, x, b)
    }
}

/// Eight directions.
impl<R: Register> Tangent<f64> for Lanes<R> {
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
    fn scale(self, v: f64) -> Self {
        self * v
    }
    #[inline(always)]
    fn scale_plus(self, v: f64, b: Self) -> Self {
        self.mul_plus(v, b)
    }
    #[inline(always)]
    fn scale_minus(self, v: f64, b: Self) -> Self {
        self.mul_minus(v, b)
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

/// `N` times as many directions.
impl<V: Copy, E: Tangent<V>, const N: usize> Tangent<V> for [E; N] {
    #[inline(always)]
    fn zero() -> Self {
        [E::zero(); N]
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].add(other[i]);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].sub(other[i]);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn neg(mut self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].neg();
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale(mut self, v: V) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale(v);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale_plus(mut self, v: V, b: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale_plus(v, b[i]);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale_minus(mut self, v: V, b: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale_minus(v, b[i]);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale_by(mut self, x: f64) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale_by(x);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale_by_plus(mut self, x: f64, b: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale_by_plus(x, b[i]);
            i += 1;
        }
        self
    }
    #[inline(always)]
    fn scale_by_minus(mut self, x: f64, b: Self) -> Self {
        let mut i = 0;
        while i < N {
            self[i] = self[i].scale_by_minus(x, b[i]);
            i += 1;
        }
        self
    }
}
