/// Sine and cosine, off by at most 1.2e-7 for `|x| < 8192`; beyond, by way of `f64`.
///
/// Reduction by multiples of π/2 in three parts (Cody and Waite, Software Manual for the Elementary Functions, 1980,
/// section 8), then the polynomials of Cephes' `sinf` and `cosf` (S. Moshier, Methods and Programs for Mathematical Functions, 1989).
#[inline(always)]
#[allow(dead_code)]
fn sin_cos(x: f32) -> (f32, f32) {
    if x.abs() < 8192.0 { reduced(x) } else { beyond(x) }
}

/// Of many angles, side by side.
#[inline(always)]
#[allow(dead_code)]
fn sines<const N: usize>(x: [f32; N]) -> ([f32; N], [f32; N]) {
    let (mut sin, mut cos) = ([0.0; N], [0.0; N]);
    for k in 0..N {
        (sin[k], cos[k]) = sin_cos(x[k]);
    }
    (sin, cos)
}

#[inline(always)]
#[allow(dead_code)]
fn reduced(x: f32) -> (f32, f32) {
    // Next to 1.5 · 2²³ there are whole numbers only.
    const MAGIC: f32 = 12_582_912.0;
    let quarters = x * core::f32::consts::FRAC_2_PI + MAGIC;
    let n = quarters - MAGIC;
    // π/2 in parts of 8, 11 and 24 bits, and the rest: the first products are exact.
    let y = ((x - n * 1.570_312_5) - n * 4.837_512_97e-4) - n * 7.549_789_95e-8;
    turned(quarters.to_bits(), y)
}

#[inline(always)]
#[allow(dead_code)]
fn turned(quarters: u32, y: f32) -> (f32, f32) {
    let z = y * y;
    let sin = y + y * z * (-1.666_665_5e-1 + z * (8.332_161e-3 + z * -1.951_529_6e-4));
    let cos = (1.0 - 0.5 * z) + z * z * (4.166_664_6e-2 + z * (-1.388_731_6e-3 + z * 2.443_315_7e-5));
    let (s, c) = if quarters & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let s = f32::from_bits(s.to_bits() ^ ((quarters & 2) << 30));
    let c = f32::from_bits(c.to_bits() ^ ((quarters.wrapping_add(1) & 2) << 30));
    (s, c)
}

/// For large numbers: `f64` holds multiples of π/2 exactly enough up to 2³², where neighbors of `f32` are whole turns apart.
#[cold]
#[inline(never)]
#[allow(dead_code)]
fn beyond(x: f32) -> (f32, f32) {
    if !x.is_finite() {
        return (f32::NAN, f32::NAN);
    }
    let turns = f64::from(x) / core::f64::consts::TAU;
    let turns = turns % 1.0 * 4.0;
    let nearest = (turns + if turns < 0.0 { -0.5 } else { 0.5 }) as i32;
    turned(nearest as u32, ((turns - f64::from(nearest)) * core::f64::consts::FRAC_PI_2) as f32)
}

/// Square root, rounded to nearest: `core` has none.
#[inline]
#[allow(dead_code)]
fn sqrt(x: f32) -> f32 {
    if x.is_nan() || x <= 0.0 || x == f32::INFINITY {
        return if x < 0.0 { f32::NAN } else { x };
    }
    let bits = x.to_bits();
    let (mut mantissa, mut exponent) = (bits & ((1 << 23) - 1), (bits >> 23) as i32);
    if exponent == 0 {
        let shift = mantissa.leading_zeros() as i32 - 8;
        (mantissa, exponent) = (mantissa << shift, 1 - shift);
    }
    exponent -= 150;
    // 25 bits of the root: one to round by. It is never halfway.
    let shift = 25 + (1 - (exponent & 1));
    let root = (u64::from(mantissa | 1 << 23) << shift).isqrt() as u32;
    let rounded = (root >> 1) + (root & 1);
    let exponent = ((exponent - shift) / 2 + 1 + 150) as u32;
    f32::from_bits((exponent << 23) + (rounded - (1 << 23)))
}
