//! x86-64: AVX-512, AVX2 with FMA, and SSE2, which every such processor has.

use super::{Level, Piece, Register, WIDTH};
use std::arch::x86_64::*;

/// One level: registers with the indices `$i`, of `$w` numbers each. Written out, not in loops: a loop for every
/// product of every formula made a third of the compiler's work. Changed in place: without optimization each copy takes
/// room on the stack.
///
/// SAFETY, for every block below: the intrinsics need only that the processor has the instructions. `Sse2` is part of
/// x86-64. The other two types are private to this folder and handed out by `dispatch_at` alone, after it has
/// seen the features; a value of such a type proves that they are there. Loads and stores are unaligned ones of exactly
/// `WIDTH` numbers together, of an array that is borrowed or owned at that moment.
macro_rules! register {
    (
        $(#[$doc:meta])* $vis:vis $name:ident, $level:expr, $single:ty, |$one:ident| $broadcast:expr, $call:ident, $v:ty, [$($i:literal)*] x $w:literal from $first:literal,
        halves $low:ident $high:ident of $whole:ident, rows |$columns:ident| $rows:expr,
        $set:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident,
        mul_add |$a:ident, $b:ident, $c:ident| $mul_add:expr,
        mul_sub |$sa:ident, $sb:ident, $sc:ident| $mul_sub:expr,
        select |$x:ident, $y:ident, $t:ident, $f:ident| $select:expr,
        all_lt |$lx:ident, $ly:ident| $all_lt:expr,
        all_eq |$ex:ident, $ey:ident| $all_eq:expr
        $(, lanes { $($lanes:item)* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        $vis struct $name([$v; [$($i),*].len()]);

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                true $(& {
                    let ($ex, $ey) = (self.0[$i], other.0[$i]);
                    // SAFETY: see `register!`.
                    unsafe { $all_eq }
                })*
            }
        }

        impl Register for $name {
            const LEVEL: Level = $level;
            type Single = $single;
            type Low = $low;
            type High = $high;
            type Whole = $whole;
            const LANES: usize = [$($i),*].len() * $w;
            #[inline(always)]
            fn rows($columns: [Self; WIDTH]) -> [$whole; WIDTH] {
                $rows
            }
            #[inline(always)]
            fn call<P: Piece>(piece: P) -> P::Output {
                // SAFETY: see `register!`.
                #[allow(unused_unsafe, reason = "the baseline's function needs no features")]
                unsafe {
                    $call(piece)
                }
            }
            #[inline(always)]
            fn broadcast($one: $single) -> Self {
                $broadcast
            }
            #[inline(always)]
            fn splat(x: f64) -> Self {
                // SAFETY: see `register!`.
                Self([unsafe { $set(x) }; [$($i),*].len()])
            }
            #[inline(always)]
            fn from_array(x: [f64; WIDTH]) -> Self {
                // SAFETY: see `register!`.
                Self([$(unsafe { $load(x.as_ptr().add($first + $i * $w)) }),*])
            }
            #[inline(always)]
            fn to_array(self) -> [f64; WIDTH] {
                let mut x = [0.0; WIDTH];
                self.store(&mut x);
                x
            }
            #[inline(always)]
            fn store(self, to: &mut [f64; WIDTH]) {
                // SAFETY: see `register!`.
                $(unsafe { $store(to.as_mut_ptr().add($first + $i * $w), self.0[$i]) };)*
            }
            register!(@binary [$($i)*], add $add);
            register!(@binary [$($i)*], sub $sub);
            register!(@binary [$($i)*], mul $mul);
            register!(@binary [$($i)*], div $div);
            #[inline(always)]
            fn mul_add(mut self, a: Self, b: Self) -> Self {
                $(
                    let ($a, $b, $c) = (self.0[$i], a.0[$i], b.0[$i]);
                    // SAFETY: see `register!`.
                    self.0[$i] = unsafe { $mul_add };
                )*
                self
            }
            #[inline(always)]
            fn mul_sub(mut self, a: Self, b: Self) -> Self {
                $(
                    let ($sa, $sb, $sc) = (self.0[$i], a.0[$i], b.0[$i]);
                    // SAFETY: see `register!`.
                    self.0[$i] = unsafe { $mul_sub };
                )*
                self
            }
            #[inline(always)]
            fn neg(self) -> Self {
                Register::sub(Self::splat(-0.0), self)
            }
            #[inline(always)]
            fn sqrt(mut self) -> Self {
                // SAFETY: see `register!`.
                $(self.0[$i] = unsafe { $sqrt(self.0[$i]) };)*
                self
            }
            #[inline(always)]
            fn select_lt(self, bound: Self, below: Self, mut otherwise: Self) -> Self {
                $(
                    let ($x, $y, $t, $f) = (self.0[$i], bound.0[$i], below.0[$i], otherwise.0[$i]);
                    // SAFETY: see `register!`.
                    otherwise.0[$i] = unsafe { $select };
                )*
                otherwise
            }
            #[inline(always)]
            fn all_lt(self, bound: Self) -> bool {
                true $(& {
                    let ($lx, $ly) = (self.0[$i], bound.0[$i]);
                    // SAFETY: see `register!`.
                    unsafe { $all_lt }
                })*
            }
            $($($lanes)*)?
        }
    };
    (@binary [$($i:literal)*], $name:ident $intrinsic:ident) => {
        #[inline(always)]
        fn $name(mut self, other: Self) -> Self {
            // SAFETY: see `register!`.
            $(self.0[$i] = unsafe { $intrinsic(self.0[$i], other.0[$i]) };)*
            self
        }
    };
}

mod avx2;
mod avx512;

pub(super) use avx2::Avx2;
pub(super) use avx512::Avx512;

#[inline(never)]
fn call_sse2<P: Piece>(piece: P) -> P::Output {
    piece.run()
}

register!(
    /// Four 128-bit registers.
    pub Sse2, Level::Plain, f64, |x| Self::splat(x), call_sse2, __m128d, [0 1 2 3] x 2 from 0,
    halves Sse2 Sse2 of Sse2, rows |columns| Self::transpose(columns),
    _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_sqrt_pd,
    mul_add |a, b, c| _mm_add_pd(_mm_mul_pd(a, b), c),
    mul_sub |a, b, c| _mm_sub_pd(_mm_mul_pd(a, b), c),
    select |x, y, t, f| { let m = _mm_cmplt_pd(x, y); _mm_or_pd(_mm_and_pd(m, t), _mm_andnot_pd(m, f)) },
    all_lt |x, y| _mm_movemask_pd(_mm_cmplt_pd(x, y)) == 0b11,
    all_eq |x, y| _mm_movemask_pd(_mm_cmpeq_pd(x, y)) == 0b11
);
