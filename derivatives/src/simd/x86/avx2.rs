//! AVX2 with FMA: two registers of four numbers, and each of them by itself.

use super::super::single::Fused;
use super::super::stack::align_stack;
use super::super::{Level, Piece, Places, Register, Single, WIDTH};
use std::arch::x86_64::*;

#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn call_avx2<P: Piece>(piece: P) -> P::Output {
    align_stack();
    piece.run()
}

/// Registers of 256 bits.
macro_rules! avx2 {
    (
        $(#[$doc:meta])* $name:ident, [$($i:literal)*] from $first:literal,
        halves $low:ident $high:ident, rows |$columns:ident| $rows:expr,
        lanes { $($lanes:item)* }
    ) => {
        register!(
            $(#[$doc])*
            pub(in crate::simd) $name, Level::Avx2, Fused, |x| Self::splat(x.get()), call_avx2, __m256d, [$($i)*] x 4 from $first,
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
