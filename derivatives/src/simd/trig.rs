//! Sine and cosine of eight numbers at once.

use super::{Register, WIDTH};

/// Sine and cosine, within 1 ulp or so for `|x| < 1.6e6`; beyond that, and for what is not finite, the standard
/// library's, lane by lane.
///
/// Reduction by multiples of π/2 in three parts (Cody and Waite, *Software Manual for the Elementary Functions*, 1980,
/// section 8) whose products with the multiple are exact, then the polynomials of FDLIBM's `__kernel_sin` and
/// `__kernel_cos` (Sun Microsystems, 1993), the low part of the reduced argument included.
#[inline(always)]
pub(crate) fn sin_cos<R: Register>(x: R) -> (R, R) {
    let magnitude = x.select_lt(R::splat(0.0), x.neg(), x);
    let (sin, cos) = reduced(magnitude.select_lt(R::splat(REDUCIBLE), x, R::splat(0.0)));
    if magnitude.all_lt(R::splat(REDUCIBLE)) { (sin, cos) } else { beyond(x, sin, cos) }
}

/// Sine and cosine for `|x| < REDUCIBLE`.
#[inline(always)]
fn reduced<R: Register>(x: R) -> (R, R) {
    // n = the multiple of π/2 next to x; y + low = x − n π/2, |y| ≤ π/4
    let n = round(x.mul(R::splat(std::f64::consts::FRAC_2_PI)));
    let r = x.sub(n.mul(R::splat(PIO2_1))); //       exact: 33 bits times 20
    let t = n.mul(R::splat(PIO2_2)); //              exact
    let w = r.sub(t); //                             rounded; what it lost:
    let lost = r.sub(w).sub(t);
    let tail = n.mul(R::splat(PIO2_2T)).sub(lost);
    let y = w.sub(tail);
    let low = w.sub(y).sub(tail);

    let (sin, cos) = (kernel_sin(y, low), kernel_cos(y, low));

    // quadrant = n mod 4 in {0, 1, 2, 3}; half = n mod 2
    let quadrant = n.sub(R::splat(4.0).mul(floor(n.mul(R::splat(0.25)))));
    let half = n.sub(R::splat(2.0).mul(floor(n.mul(R::splat(0.5)))));
    let one_half = R::splat(0.5);
    let s = half.select_lt(one_half, sin, cos);
    let c = half.select_lt(one_half, cos, sin);
    let sin = quadrant.select_lt(R::splat(1.5), s, s.neg());
    let middle = quadrant.sub(R::splat(1.5)); //     ±0.5 in quadrants 1 and 2
    let middle = middle.mul(middle);
    let cos = middle.select_lt(R::splat(1.0), c.neg(), c);
    (sin, cos)
}

/// The reduction's products are exact below 2²⁰ π/2.
const REDUCIBLE: f64 = 1.6e6;
/// The first 33 bits of π/2.
const PIO2_1: f64 = 1.570_796_326_734_125_614_17e0;
/// The next 33 bits of π/2.
const PIO2_2: f64 = 6.077_100_506_303_965_976_60e-11;
/// π/2 − (PIO2_1 + PIO2_2)
const PIO2_2T: f64 = 2.022_266_248_795_950_631_54e-21;

/// The nearest whole number, for `|x| < 2⁵¹`.
#[inline(always)]
fn round<R: Register>(x: R) -> R {
    const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
    x.add(R::splat(MAGIC)).sub(R::splat(MAGIC))
}

/// The next whole number below, for `|x| < 2⁵¹`.
#[inline(always)]
fn floor<R: Register>(x: R) -> R {
    let r = round(x);
    x.select_lt(r, r.sub(R::splat(1.0)), r)
}

#[inline(always)]
fn kernel_sin<R: Register>(y: R, low: R) -> R {
    let z = y.mul(y);
    let v = z.mul(y);
    let r = R::splat(1.589_690_995_211_550_102_21e-10)
        .mul_add(z, R::splat(-2.505_076_025_340_686_341_95e-8))
        .mul_add(z, R::splat(2.755_731_370_707_006_767_89e-6))
        .mul_add(z, R::splat(-1.984_126_982_985_794_931_34e-4))
        .mul_add(z, R::splat(8.333_333_333_322_489_461_24e-3));
    // y − ((z (low/2 − v r) − low) − v S₁)
    let s1 = R::splat(-1.666_666_666_666_663_243_48e-1);
    let inner = z.mul(R::splat(0.5).mul(low).sub(v.mul(r))).sub(low);
    y.sub(inner.sub(v.mul(s1)))
}

#[inline(always)]
fn kernel_cos<R: Register>(y: R, low: R) -> R {
    let z = y.mul(y);
    let r = R::splat(-1.135_964_755_778_819_482_65e-11)
        .mul_add(z, R::splat(2.087_572_321_298_174_827_90e-9))
        .mul_add(z, R::splat(-2.755_731_435_139_066_330_35e-7))
        .mul_add(z, R::splat(2.480_158_728_947_672_941_78e-5))
        .mul_add(z, R::splat(-1.388_888_888_887_410_957_49e-3))
        .mul_add(z, R::splat(4.166_666_666_666_660_190_37e-2));
    // w + (((1 − w) − z/2) + (z² r − y low)), w = 1 − z/2
    let half_z = z.mul(R::splat(0.5));
    let w = R::splat(1.0).sub(half_z);
    let rest = z.mul(z.mul(r)).sub(y.mul(low));
    w.add(R::splat(1.0).sub(w).sub(half_z).add(rest))
}

/// Replaces the lanes whose argument is too large to reduce here. Rare: kept out of the caller.
#[cold]
#[inline(never)]
fn beyond<R: Register>(x: R, sin: R, cos: R) -> (R, R) {
    let (x, mut sin, mut cos) = (x.to_array(), sin.to_array(), cos.to_array());
    for i in 0..WIDTH {
        if x[i].is_nan() || x[i].abs() >= REDUCIBLE {
            (sin[i], cos[i]) = x[i].sin_cos();
        }
    }
    (R::from_array(sin), R::from_array(cos))
}
