//! One number beside registers, as a scalar.

use super::Single;

macro_rules! single {
    ($(#[$doc:meta])* $t:ty, |$x:ident| $new:expr, |$y:ident| $get:expr, |$a:ident, $b:ident, $c:ident| $mul_add:expr) => {
        $(#[$doc])*
        impl Single for $t {
            #[inline(always)]
            fn new($x: f64) -> Self {
                $new
            }
            #[inline(always)]
            fn get(self) -> f64 {
                let $y = self;
                $get
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self::new(self.get() + other.get())
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self::new(self.get() - other.get())
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self::new(self.get() * other.get())
            }
            #[inline(always)]
            fn neg(self) -> Self {
                Self::new(-self.get())
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                let ($a, $b, $c) = (self.get(), a.get(), b.get());
                Self::new($mul_add)
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                let ($a, $b, $c) = (self.get(), a.get(), -b.get());
                Self::new($mul_add)
            }
        }
    };
}

single!(
    /// Two roundings: the plain level.
    f64, |x| x, |x| x, |a, b, c| a * b + c
);

/// A number whose products and sums are rounded once: levels with fused multiply-add.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(dead_code, reason = "no fused level here")
)]
#[allow(unreachable_pub, reason = "the associated type of a public type on AArch64")]
pub struct Fused(f64);

single!(
    // Inlined below an entry point with FMA this is one instruction, never a call.
    Fused,
    |x| Fused(x),
    |x| x.0,
    |a, b, c| f64::mul_add(a, b, c)
);
