//! x86-64: AVX-512, AVX2 with FMA, and SSE2, which every such processor has.

use super::single::Fused;
use super::stack::align_stack;
use super::{Level, Piece, Places, Register, Single, WIDTH};
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

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,bmi1,bmi2")]
fn call_avx512<P: Piece>(piece: P) -> P::Output {
    align_stack();
    piece.run()
}

#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn call_avx2<P: Piece>(piece: P) -> P::Output {
    align_stack();
    piece.run()
}

#[inline(never)]
fn call_sse2<P: Piece>(piece: P) -> P::Output {
    piece.run()
}

register!(
    /// One 512-bit register.
    pub(super) Avx512, Level::Avx512, Avx512, |x| x, call_avx512, __m512d, [0] x 8 from 0,
    halves Avx512 Avx512 of Avx512, rows |columns| Self::transpose(columns),
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_sqrt_pd,
    mul_add |a, b, c| _mm512_fmadd_pd(a, b, c),
    mul_sub |a, b, c| _mm512_fmsub_pd(a, b, c),
    select |x, y, t, f| _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, y), f, t),
    all_lt |x, y| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, y) == 0xff,
    all_eq |x, y| _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(x, y) == 0xff,
    lanes {
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: see `register!`.
            Self([unsafe { _mm512_abs_pd(self.0[0]) }])
        }
        #[inline(always)]
        fn turned(self, cos: Self, quarters: Self) -> (Self, Self) {
            const SIGN: i32 = 0x78; // a ^ (b & c)
            // SAFETY: see `register!`. They change places where n is odd; the sine is negative where bit 1 of n is set,
            // the cosine where that of n + 1 is.
            unsafe {
                let (n, one) = (_mm512_castpd_si512(quarters.0[0]), _mm512_set1_epi64(1));
                let (odd, sign) = (_mm512_test_epi64_mask(n, one), _mm512_set1_epi64(i64::MIN));
                let s = _mm512_castpd_si512(_mm512_mask_blend_pd(odd, self.0[0], cos.0[0]));
                let c = _mm512_castpd_si512(_mm512_mask_blend_pd(odd, cos.0[0], self.0[0]));
                let of_s = _mm512_slli_epi64::<62>(n);
                let of_c = _mm512_slli_epi64::<62>(_mm512_add_epi64(n, one));
                let s = _mm512_ternarylogic_epi64::<SIGN>(s, of_s, sign);
                let c = _mm512_ternarylogic_epi64::<SIGN>(c, of_c, sign);
                (Self([_mm512_castsi512_pd(s)]), Self([_mm512_castsi512_pd(c)]))
            }
        }
        #[inline(always)]
        fn permute(self, places: &Places) -> Self {
            // SAFETY: see `register!`; `from` is eight numbers of 64 bits.
            Self([unsafe {
                let from = _mm512_loadu_epi64(places.from.as_ptr());
                _mm512_maskz_permutexvar_pd(places.mask, from, self.0[0])
            }])
        }
        #[inline(always)]
        fn load_first(from: &[f64]) -> Self {
            let mask = first(from.len());
            // SAFETY: see `register!`; only lanes inside the slice are read.
            Self([unsafe { _mm512_maskz_loadu_pd(mask, from.as_ptr()) }])
        }
        #[inline(always)]
        fn store_first(self, to: &mut [f64]) {
            let mask = first(to.len());
            // SAFETY: see `register!`; only lanes inside the slice are written.
            unsafe { _mm512_mask_storeu_pd(to.as_mut_ptr(), mask, self.0[0]) }
        }
        #[inline(always)]
        fn where_else(self, mask: u8, other: Self) -> Self {
            // SAFETY: see `register!`.
            Self([unsafe { _mm512_mask_blend_pd(mask, other.0[0], self.0[0]) }])
        }
        #[inline(always)]
        fn transpose(r: [Self; WIDTH]) -> [Self; WIDTH] {
            const EVEN: i32 = 0x88; // lanes of 128 bits 0 and 2 of each
            const ODD: i32 = 0xdd; //  1 and 3
            // SAFETY: see `register!`.
            unsafe {
                let [r0, r1, r2, r3, r4, r5, r6, r7] =
                    [r[0].0[0], r[1].0[0], r[2].0[0], r[3].0[0], r[4].0[0], r[5].0[0], r[6].0[0], r[7].0[0]];
                // Pairs: t0 = (r0[0] r1[0] r0[2] r1[2] …), t1 = (r0[1] r1[1] …)
                let (t0, t1) = (_mm512_unpacklo_pd(r0, r1), _mm512_unpackhi_pd(r0, r1));
                let (t2, t3) = (_mm512_unpacklo_pd(r2, r3), _mm512_unpackhi_pd(r2, r3));
                let (t4, t5) = (_mm512_unpacklo_pd(r4, r5), _mm512_unpackhi_pd(r4, r5));
                let (t6, t7) = (_mm512_unpacklo_pd(r6, r7), _mm512_unpackhi_pd(r6, r7));
                let (a, b) = (_mm512_shuffle_f64x2::<EVEN>(t0, t2), _mm512_shuffle_f64x2::<EVEN>(t4, t6));
                let (c, d) = (_mm512_shuffle_f64x2::<ODD>(t0, t2), _mm512_shuffle_f64x2::<ODD>(t4, t6));
                let (e, f) = (_mm512_shuffle_f64x2::<EVEN>(t1, t3), _mm512_shuffle_f64x2::<EVEN>(t5, t7));
                let (g, h) = (_mm512_shuffle_f64x2::<ODD>(t1, t3), _mm512_shuffle_f64x2::<ODD>(t5, t7));
                [
                    Self([_mm512_shuffle_f64x2::<EVEN>(a, b)]),
                    Self([_mm512_shuffle_f64x2::<EVEN>(e, f)]),
                    Self([_mm512_shuffle_f64x2::<EVEN>(c, d)]),
                    Self([_mm512_shuffle_f64x2::<EVEN>(g, h)]),
                    Self([_mm512_shuffle_f64x2::<ODD>(a, b)]),
                    Self([_mm512_shuffle_f64x2::<ODD>(e, f)]),
                    Self([_mm512_shuffle_f64x2::<ODD>(c, d)]),
                    Self([_mm512_shuffle_f64x2::<ODD>(g, h)]),
                ]
            }
        }
        #[inline(always)]
        fn low_twice(self) -> Self {
            // SAFETY: see `register!`.
            Self([unsafe { _mm512_shuffle_f64x2::<0x44>(self.0[0], self.0[0]) }])
        }
        #[inline(always)]
        fn high_twice(self) -> Self {
            // SAFETY: see `register!`.
            Self([unsafe { _mm512_shuffle_f64x2::<0xee>(self.0[0], self.0[0]) }])
        }
        #[inline(always)]
        fn halves_swapped(self) -> Self {
            // SAFETY: see `register!`.
            Self([unsafe { _mm512_shuffle_f64x2::<0x4e>(self.0[0], self.0[0]) }])
        }
    }
);
/// Registers of 256 bits.
macro_rules! avx2 {
    (
        $(#[$doc:meta])* $name:ident, [$($i:literal)*] from $first:literal,
        halves $low:ident $high:ident, rows |$columns:ident| $rows:expr,
        lanes { $($lanes:item)* }
    ) => {
        register!(
            $(#[$doc])*
            pub(super) $name, Level::Avx2, Fused, |x| Self::splat(x.get()), call_avx2, __m256d, [$($i)*] x 4 from $first,
            halves $low $high of Avx2, rows |$columns| $rows,
            _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd,
            mul_add |a, b, c| _mm256_fmadd_pd(a, b, c),
            mul_sub |a, b, c| _mm256_fmsub_pd(a, b, c),
            select |x, y, t, f| _mm256_blendv_pd(f, t, _mm256_cmp_pd::<_CMP_LT_OQ>(x, y)),
            all_lt |x, y| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(x, y)) == 0b1111,
            all_eq |x, y| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(x, y)) == 0b1111,
            lanes {
                #[inline(always)]
                fn abs(mut self) -> Self {
                    for x in &mut self.0 {
                        // SAFETY: see `register!`.
                        *x = unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), *x) };
                    }
                    self
                }
                #[inline(always)]
                fn turned(mut self, mut cos: Self, quarters: Self) -> (Self, Self) {
                    for ((s, c), n) in self.0.iter_mut().zip(&mut cos.0).zip(quarters.0) {
                        // SAFETY: see `register!`. As with AVX-512.
                        (*s, *c) = unsafe {
                            let (n, sign) = (_mm256_castpd_si256(n), _mm256_set1_pd(-0.0));
                            let odd = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(n));
                            let of_s = _mm256_castsi256_pd(_mm256_slli_epi64::<62>(n));
                            let of_c = _mm256_castsi256_pd(_mm256_slli_epi64::<62>(_mm256_add_epi64(n, _mm256_set1_epi64x(1))));
                            (
                                _mm256_xor_pd(_mm256_blendv_pd(*s, *c, odd), _mm256_and_pd(of_s, sign)),
                                _mm256_xor_pd(_mm256_blendv_pd(*c, *s, odd), _mm256_and_pd(of_c, sign)),
                            )
                        };
                    }
                    (self, cos)
                }
                $($lanes)*
            }
        );
    };
}
avx2!(
    /// Two 256-bit registers.
    Avx2, [0 1] from 0,
    halves Avx2Low Avx2High, rows |columns| Self::transpose(columns),
    lanes {
        const HALVES: bool = true;
        #[inline(always)]
        fn permute(self, places: &Places) -> Self {
            Self([permuted(self.0, places, 0), permuted(self.0, places, 4)])
        }
        #[inline(always)]
        fn load_first(from: &[f64]) -> Self {
            let (n, at) = (from.len(), from.as_ptr());
            // SAFETY: see `register!`; only lanes inside the slice are read.
            Self([unsafe { _mm256_maskload_pd(at, before(n, 0)) }, unsafe {
                _mm256_maskload_pd(at.wrapping_add(4), before(n, 4))
            }])
        }
        #[inline(always)]
        fn store_first(self, to: &mut [f64]) {
            let (n, at) = (to.len(), to.as_mut_ptr());
            // SAFETY: see `register!`; only lanes inside the slice are written.
            unsafe {
                _mm256_maskstore_pd(at, before(n, 0), self.0[0]);
                _mm256_maskstore_pd(at.wrapping_add(4), before(n, 4), self.0[1]);
            }
        }
        #[inline(always)]
        fn where_else(self, mask: u8, other: Self) -> Self {
            // SAFETY: see `register!`. The sign of each number picks.
            unsafe {
                let bits = _mm256_set1_epi64x(i64::from(mask));
                let low = _mm256_castsi256_pd(_mm256_sllv_epi64(bits, _mm256_set_epi64x(60, 61, 62, 63)));
                let high = _mm256_castsi256_pd(_mm256_sllv_epi64(bits, _mm256_set_epi64x(56, 57, 58, 59)));
                Self([
                    _mm256_blendv_pd(other.0[0], self.0[0], low),
                    _mm256_blendv_pd(other.0[1], self.0[1], high),
                ])
            }
        }
        #[inline(always)]
        fn transpose(r: [Self; WIDTH]) -> [Self; WIDTH] {
            // Four blocks of four times four.
            let [a0, a1, a2, a3] = transposed([r[0].0[0], r[1].0[0], r[2].0[0], r[3].0[0]]);
            let [b0, b1, b2, b3] = transposed([r[4].0[0], r[5].0[0], r[6].0[0], r[7].0[0]]);
            let [c0, c1, c2, c3] = transposed([r[0].0[1], r[1].0[1], r[2].0[1], r[3].0[1]]);
            let [d0, d1, d2, d3] = transposed([r[4].0[1], r[5].0[1], r[6].0[1], r[7].0[1]]);
            [
                Self([a0, b0]), Self([a1, b1]), Self([a2, b2]), Self([a3, b3]),
                Self([c0, d0]), Self([c1, d1]), Self([c2, d2]), Self([c3, d3]),
            ]
        }
        #[inline(always)]
        fn low_twice(self) -> Self {
            Self([self.0[0], self.0[0]])
        }
        #[inline(always)]
        fn high_twice(self) -> Self {
            Self([self.0[1], self.0[1]])
        }
        #[inline(always)]
        fn halves_swapped(self) -> Self {
            Self([self.0[1], self.0[0]])
        }
    }
);
/// Half of [`Avx2`], from lane `$first` on.
macro_rules! half {
    ($(#[$doc:meta])* $name:ident from $first:literal) => {
        avx2!(
            $(#[$doc])*
            $name, [0] from $first,
            halves $name $name, rows |columns| {
                let [Self([a]), Self([b]), Self([c]), Self([d]), Self([e]), Self([f]), Self([g]), Self([h])] = columns;
                let [a, b, c, d] = transposed([a, b, c, d]);
                let [e, f, g, h] = transposed([e, f, g, h]);
                let mut rows = [Avx2::splat(0.0); WIDTH];
                rows[$first] = Avx2([a, e]);
                rows[$first + 1] = Avx2([b, f]);
                rows[$first + 2] = Avx2([c, g]);
                rows[$first + 3] = Avx2([d, h]);
                rows
            },
            lanes {
                #[inline(always)]
                fn permute(self, places: &Places) -> Self {
                    Self([permuted_half(self.0[0], places, $first)])
                }
                #[inline(always)]
                fn transposed(rows: [&[f64; WIDTH]; WIDTH]) -> [Self; WIDTH] {
                    let (a, b) = (Avx2::from_array(*rows[$first]).0, Avx2::from_array(*rows[$first + 1]).0);
                    let (c, d) = (Avx2::from_array(*rows[$first + 2]).0, Avx2::from_array(*rows[$first + 3]).0);
                    let [e, f, g, h] = transposed([a[1], b[1], c[1], d[1]]);
                    let [a, b, c, d] = transposed([a[0], b[0], c[0], d[0]]);
                    [Self([a]), Self([b]), Self([c]), Self([d]), Self([e]), Self([f]), Self([g]), Self([h])]
                }
            }
        );
    };
}
half!(
    /// Lanes 0 to 3 of [`Avx2`].
    Avx2Low from 0
);
half!(
    /// Lanes 4 to 7 of [`Avx2`].
    Avx2High from 4
);
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

/// All lanes hold the number.
impl Single for Avx512 {
    #[inline(always)]
    fn new(x: f64) -> Self {
        Self::splat(x)
    }
    #[inline(always)]
    fn get(self) -> f64 {
        // SAFETY: see `register!`.
        unsafe { _mm512_cvtsd_f64(self.0[0]) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Register::add(self, other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Register::sub(self, other)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Register::mul(self, other)
    }
    #[inline(always)]
    fn neg(self) -> Self {
        Register::neg(self)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Register::mul_add(self, a, b)
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        Register::mul_sub(self, a, b)
    }
}

/// Lanes from `at` on, of places in the same half: zeros from the other.
#[inline(always)]
fn permuted_half(x: __m256d, places: &Places, at: usize) -> __m256d {
    // SAFETY: see `register!`; `at` is 0 or 4 of eight numbers of 64 bits, and of eight pairs of 32 bits.
    unsafe {
        let from = _mm256_loadu_si256(places.from.as_ptr().add(at).cast());
        let pairs = _mm256_loadu_si256(places.pairs.as_ptr().add(2 * at).cast());
        let x = _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), pairs));
        // All bits where the place is in this half: the lower half has places 0 to 3.
        let half = _mm256_set1_epi64x(at as i64 / 4);
        let is_here = _mm256_cmpeq_epi64(_mm256_srli_epi64::<2>(from), half);
        _mm256_and_pd(x, _mm256_castsi256_pd(is_here))
    }
}

/// Four lanes of eight that have been moved, from lane `at` on.
#[inline(always)]
fn permuted([low, high]: [__m256d; 2], places: &Places, at: usize) -> __m256d {
    // SAFETY: see `register!`; `at` is 0 or 4 of eight numbers of 64 bits, and of eight pairs of 32 bits.
    unsafe {
        let from = _mm256_loadu_si256(places.from.as_ptr().add(at).cast());
        let pairs = _mm256_loadu_si256(places.pairs.as_ptr().add(2 * at).cast());
        let in_low = _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(low), pairs));
        let in_high = _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(high), pairs));
        // The sign of each number picks: places 4 to 7 have bit 2, none is bit 3.
        let is_high = _mm256_castsi256_pd(_mm256_slli_epi64::<61>(from));
        let is_none = _mm256_castsi256_pd(_mm256_slli_epi64::<60>(from));
        _mm256_blendv_pd(_mm256_blendv_pd(in_low, in_high, is_high), _mm256_setzero_pd(), is_none)
    }
}

/// All bits of those lanes from lane `at` on that are among the first `n`.
#[inline(always)]
fn before(n: usize, at: i64) -> __m256i {
    let n = i64::try_from(n.min(WIDTH)).unwrap_or(0);
    // SAFETY: see `register!`.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(n - at), _mm256_set_epi64x(3, 2, 1, 0)) }
}

/// Four times four.
#[inline(always)]
fn transposed([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: see `register!`.
    unsafe {
        let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
            _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
        ]
    }
}

/// A bit for each of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> u8 {
    if n < WIDTH { (1 << n) - 1 } else { u8::MAX }
}
