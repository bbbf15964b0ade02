//! Sine and cosine of eight numbers at once.

use super::{Register, WIDTH};

/// Sine and cosine for `|x| < 1.6e6`, at most one unit of the last place from the standard library's (2 million random
/// arguments and 1.6 million at and beside multiples of π/2, at every level); beyond that, and for what is not finite,
/// the standard library's. Each lane separately: none sees its neighbors.
///
/// Reduction by multiples of π/2 in three parts (Cody and Waite, *Software Manual for the Elementary Functions*, 1980,
/// section 8) whose products with the multiple are exact, then the polynomials of FDLIBM's `__kernel_sin` and
/// `__kernel_cos` (Sun Microsystems, 1993), the low part of the reduced argument included.
#[inline(always)]
pub(crate) fn sin_cos<R: Register>(x: R) -> (R, R) {
    let (mut sin, mut cos) = reduced(x);
    if !x.abs().all_lt(R::splat(REDUCIBLE)) {
        // By arrays that only this branch knows: what a call reads or writes stays in memory, even where the call is
        // hardly ever made.
        let mut found = [sin.to_array(), cos.to_array()];
        beyond(&x.to_array(), &mut found);
        [sin, cos] = [R::from_array(found[0]), R::from_array(found[1])];
    }
    (sin, cos)
}

/// Sine and cosine for `|x| < REDUCIBLE`; other lanes do not matter.
#[inline(always)]
fn reduced<R: Register>(x: R) -> (R, R) {
    // n = the multiple of π/2 next to x; y + low = x − n π/2, |y| ≤ π/4
    let quarters = x.mul_add(R::splat(std::f64::consts::FRAC_2_PI), R::splat(MAGIC));
    let n = quarters.sub(R::splat(MAGIC));
    let r = n.mul_add(R::splat(-PIO2_1), x); //      exact: 33 bits times 20
    let w = n.mul_add(R::splat(-PIO2_2), r); //      rounded; what it lost:
    let lost = n.mul_add(R::splat(-PIO2_2), r.sub(w));
    let tail = n.mul_sub(R::splat(PIO2_2T), lost);
    let y = w.sub(tail);
    let low = w.sub(y).sub(tail);

    kernel_sin(y, low).turned(kernel_cos(y, low), quarters)
}

/// [`Register::turned`] by arithmetic.
#[inline(always)]
pub(super) fn turned<R: Register>(sin: R, cos: R, quarters: R) -> (R, R) {
    // n mod 4 as m in {−2, −1, 0, 1, 2}: sine and cosine change places for ±1, sines are negative but for 0 and 1,
    // cosines but for −1 and 0.
    let n = quarters.sub(R::splat(MAGIC));
    let m = round(n.mul(R::splat(0.25))).mul_add(R::splat(-4.0), n);
    let (one, half) = (R::splat(1.0), R::splat(0.5));
    let even = m.mul_sub(m, one);
    let even = even.mul(even);
    let s = even.select_lt(half, cos, sin);
    let c = even.select_lt(half, sin, cos);
    let (of_sin, of_cos) = (m.sub(half), m.add(half));
    let sin = of_sin.mul(of_sin).select_lt(one, s, s.neg());
    let cos = of_cos.mul(of_cos).select_lt(one, c, c.neg());
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

/// 1.5 · 2⁵²: next to it there are whole numbers only.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// The nearest whole number, for `|x| < 2⁵¹`.
#[inline(always)]
fn round<R: Register>(x: R) -> R {
    x.add(R::splat(MAGIC)).sub(R::splat(MAGIC))
}

#[inline(always)]
fn kernel_sin<R: Register>(y: R, low: R) -> R {
    let z = y.mul(y);
    let v = z.mul(y);
    let minus_r = R::splat(-1.589_690_995_211_550_102_21e-10)
        .mul_add(z, R::splat(2.505_076_025_340_686_341_95e-8))
        .mul_add(z, R::splat(-2.755_731_370_707_006_767_89e-6))
        .mul_add(z, R::splat(1.984_126_982_985_794_931_34e-4))
        .mul_add(z, R::splat(-8.333_333_333_322_489_461_24e-3));
    // y − ((z (low/2 − v r) − low) − v S₁); a difference last, which keeps the sign of −0
    let minus_s1 = R::splat(1.666_666_666_666_663_243_48e-1);
    let inner = v.mul_add(minus_r, R::splat(0.5).mul(low)).mul_sub(z, low);
    y.sub(v.mul_add(minus_s1, inner))
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
    let rest = z.mul_sub(z.mul(r), y.mul(low));
    w.add(R::splat(1.0).sub(w).sub(half_z).add(rest))
}

/// Replaces the lanes whose argument is too large to reduce here. Rare: kept out of the caller.
#[cold]
#[inline(never)]
fn beyond(x: &[f64; WIDTH], [sin, cos]: &mut [[f64; WIDTH]; 2]) {
    for i in 0..WIDTH {
        if x[i].is_nan() || x[i].abs() >= REDUCIBLE {
            (sin[i], cos[i]) = x[i].sin_cos();
        }
    }
}
