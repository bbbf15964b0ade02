//! AVX-512: one register of eight numbers.

use super::super::stack::align_stack;
use super::super::{Level, Piece, Places, Register, Single, WIDTH};
use std::arch::x86_64::*;

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,bmi1,bmi2")]
fn call_avx512<P: Piece>(piece: P) -> P::Output {
    align_stack();
    piece.run()
}

register!(
    /// One 512-bit register.
    pub(in crate::simd) Avx512, Level::Avx512, Avx512, |x| x, call_avx512, __m512d, [0] x 8 from 0,
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

/// A bit for each of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> u8 {
    if n < WIDTH { (1 << n) - 1 } else { u8::MAX }
}
