/// Sine and cosine, at most one unit of the last place off for `|x| < 1.6e6`, two beyond; NaN of what is not finite.
///
/// Reduction by multiples of π/2 in three parts (Cody and Waite, Software Manual for the Elementary Functions, 1980,
/// section 8), then the polynomials of FDLIBM's `__kernel_sin` and `__kernel_cos` (Sun Microsystems, 1993).
#[inline(always)]
#[allow(dead_code)]
fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < 1.6e6 { reduced(x) } else { beyond(x) }
}

/// Of many angles, side by side.
#[inline(always)]
#[allow(dead_code)]
fn sines<const N: usize>(x: [f64; N]) -> ([f64; N], [f64; N]) {
    let (mut sin, mut cos, mut far) = ([0.0; N], [0.0; N], false);
    for k in 0..N {
        (sin[k], cos[k]) = reduced(x[k]);
        far |= !(x[k].abs() < 1.6e6);
    }
    if far {
        for k in 0..N {
            (sin[k], cos[k]) = sin_cos(x[k]);
        }
    }
    (sin, cos)
}

/// For `|x| < 1.6e6`.
#[inline(always)]
#[allow(dead_code)]
fn reduced(x: f64) -> (f64, f64) {
    // Next to 1.5 · 2⁵² there are whole numbers only.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let quarters = x * 0.636_619_772_367_581_4 + MAGIC;
    let n = quarters - MAGIC;
    // The first 33 bits of π/2, the next 33, and the rest: the first two products are exact.
    let r = x - n * 1.570_796_326_734_125_6;
    let second = n * 6.077_100_506_303_966e-11;
    let w = r - second;
    let tail = n * 2.022_266_248_795_950_6e-21 - ((r - w) - second);
    let y = w - tail;
    turned(quarters.to_bits(), y, (w - y) - tail)
}

/// Of `y + low` in ±π/4 and a number of quarter turns, of which two bits count.
#[inline(always)]
#[allow(dead_code)]
fn turned(quarters: u64, y: f64, low: f64) -> (f64, f64) {
    let z = y * y;
    let v = z * y;
    let r = 8.333_333_333_322_49e-3
        + z * (-1.984_126_982_985_795e-4
            + z * (2.755_731_370_707_006_8e-6 + z * (-2.505_076_025_340_686_3e-8 + z * 1.589_690_995_211_55e-10)));
    let sin = y - ((z * (0.5 * low - v * r) - low) + v * 0.166_666_666_666_666_32);
    let r = 4.166_666_666_666_66e-2
        + z * (-1.388_888_888_887_411e-3
            + z * (2.480_158_728_947_673e-5
                + z * (-2.755_731_435_139_066_3e-7
                    + z * (2.087_572_321_298_175e-9 + z * -1.135_964_755_778_819_5e-11))));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * (z * r) - y * low));
    let (s, c) = if quarters & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let s = f64::from_bits(s.to_bits() ^ ((quarters & 2) << 62));
    let c = f64::from_bits(c.to_bits() ^ ((quarters.wrapping_add(1) & 2) << 62));
    (s, c)
}

/// For large numbers, by the bits of 2/π that matter (M. Payne and R. Hanek, Radian reduction for trigonometric functions, 1983).
#[cold]
#[inline(never)]
#[allow(dead_code)]
fn beyond(x: f64) -> (f64, f64) {
    /// 2/π after the point.
    const TWO_OVER_PI: [u64; 20] = [
        0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561,
        0xb724_6e3a_424d_d2e0, 0x0649_2eea_09d1_921c, 0xfe1d_eb1c_b129_a73e, 0xe882_35f5_2ebb_4484,
        0xe99c_7026_b45f_7e41, 0x3991_d639_8353_39f4, 0x9c84_5f8b_bdf9_283b, 0x1ff8_97ff_de05_980f,
        0xef2f_118b_5a0a_6d1f, 0x6d36_7ecf_27cb_09b7, 0x4f46_3f66_9e5f_ea2d, 0x7527_bac7_ebe5_f17b,
        0x3d07_39f7_8a52_92ea, 0x6bfb_5fb1_1f8d_5d08, 0x5603_3046_fc7b_6bab, 0xf0cf_bc20_9af4_361d,
    ];
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let bits = x.abs().to_bits();
    let (mantissa, exponent) = ((bits & ((1 << 52) - 1)) | 1 << 52, (bits >> 52) as i64 - 1075);
    // Bits before these make whole turns: 192 of them, from this one on.
    let from = exponent - 2;
    let word = |k: i64| {
        let at = |i: i64| usize::try_from(i).ok().and_then(|i| TWO_OVER_PI.get(i)).copied().unwrap_or(0);
        let (i, shift) = ((from + 64 * k).div_euclid(64), (from + 64 * k).rem_euclid(64));
        if shift == 0 { at(i) } else { at(i) << shift | at(i + 1) >> (64 - shift) }
    };
    // The product without what are whole turns.
    let low = u128::from(mantissa) * u128::from(word(2));
    let middle = u128::from(mantissa) * u128::from(word(1)) + (low >> 64);
    let high = mantissa.wrapping_mul(word(0)).wrapping_add((middle >> 64) as u64);
    let all = u128::from(high) << 64 | u128::from(middle as u64);
    // Two bits count quarter turns, to the nearest; the rest is a part of one.
    let quarters = (all >> 126) as u64 + ((all >> 125) & 1) as u64;
    let part = (all << 2) as i128 as f64 / 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    let (s, c) = turned(quarters, part * 1.570_796_326_794_896_6, 0.0);
    (if x < 0.0 { -s } else { s }, c)
}

/// Square root, rounded to nearest: `core` has none.
#[inline]
#[allow(dead_code)]
fn sqrt(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 || x == f64::INFINITY {
        return if x < 0.0 { f64::NAN } else { x };
    }
    let bits = x.to_bits();
    let (mut mantissa, mut exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i64);
    if exponent == 0 {
        let shift = i64::from(mantissa.leading_zeros()) - 11;
        (mantissa, exponent) = (mantissa << shift, 1 - shift);
    }
    exponent -= 1075;
    // 54 bits of the root: one to round by. It is never halfway.
    let shift = 54 + (exponent & 1);
    let root = (u128::from(mantissa | 1 << 52) << shift).isqrt() as u64;
    let rounded = (root >> 1) + (root & 1);
    let exponent = ((exponent - shift) / 2 + 1 + 1075) as u64;
    f64::from_bits((exponent << 52) + (rounded - (1 << 52)))
}
