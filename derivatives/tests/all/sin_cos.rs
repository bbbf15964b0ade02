//! The vector sine and cosine against the standard library's, which are within one unit of the last place.
#![allow(clippy::needless_range_loop, reason = "indices name entries of several arrays")]

use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Kernel, Lanes, Level, Real, Register, dispatch};
use std::f64::consts::FRAC_PI_2;
use testing::{Random, same, ulps};

struct SinCos([f64; 8]);

impl Kernel for SinCos {
    type Output = ([f64; 8], [f64; 8]);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let (s, c) = Lanes::<R>::from_array(self.0).sin_cos();
        (s.to_array(), c.to_array())
    }
}

/// The largest distance, in units of the last place, over eight arguments.
fn distance(x: [f64; 8]) -> f64 {
    let (s, c) = dispatch(SinCos(x));
    let mut largest: f64 = 0.0;
    for k in 0..8 {
        let (sin, cos) = x[k].sin_cos();
        let far = ulps(s[k], sin).max(ulps(c[k], cos));
        // std is within 1, this within 1: at most 2 apart
        assert!(far <= 2.0, "sin, cos({:e}) = {:e}, {:e} instead of {sin:e}, {cos:e}", x[k], s[k], c[k]);
        largest = largest.max(far);
    }
    largest
}

#[test]
fn within_two_units_of_the_last_place() {
    for level in Level::available() {
        let mut random = Random::new(10);
        let worst = with_level(level, || {
            let mut worst: f64 = 0.0;
            for scale in [1.0, 10.0, 1e3, 1e5, 1.6e6] {
                for _ in 0..testing::rounds(50_000) {
                    worst = worst.max(distance(std::array::from_fn(|_| random.range(-scale, scale))));
                }
            }
            worst
        });
        println!("{level}: {worst} ulp, random");
    }
}

/// Where the reduction cancels: multiples of π/2, and numbers next to them.
#[test]
fn near_multiples_of_a_right_angle() {
    for level in Level::available() {
        let mut random = Random::new(11);
        let worst = with_level(level, || {
            let mut worst: f64 = 0.0;
            for i in 0..testing::rounds(200_000) {
                let n = if i < 2_000 { i as f64 } else { random.range(0.0, 1.018e6).floor() };
                let x = (n * FRAC_PI_2).min(1.599_999e6);
                let mut points = [x, x.next_up(), x.next_down(), -x, x + 1e-12, x - 1e-9, x + 1e-6, 0.0];
                points[7] = x + std::f64::consts::FRAC_PI_4;
                worst = worst.max(distance(points));
            }
            worst
        });
        println!("{level}: {worst} ulp, near multiples of π/2");
    }
}

#[test]
fn zero_tiny_and_denormal_arguments_keep_their_sign() {
    let denormal = f64::from_bits(1);
    let points = [0.0, -0.0, denormal, -denormal, f64::MIN_POSITIVE, 1e-300, -1e-20, 1e-8];
    for level in Level::available() {
        let (s, c) = with_level(level, || dispatch(SinCos(points)));
        for k in 0..7 {
            assert!(same(s[k], points[k]), "{level}: sin({:e}) = {:e}", points[k], s[k]);
            assert!(same(c[k], 1.0), "{level}: cos({:e}) = {:e}", points[k], c[k]);
        }
        with_level(level, || distance(points));
    }
}

/// The standard library's answer, bit for bit, in its own lane.
#[test]
fn what_cannot_be_reduced_goes_to_the_standard_library() {
    for level in Level::available() {
        for x in [1.6e6, -1.6e6, 1e22, -1e22, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut points = [0.5; 8];
            points[3] = x;
            let (s, c) = with_level(level, || dispatch(SinCos(points)));
            assert!(same(s[3], x.sin()) && same(c[3], x.cos()), "{level}: {x:e}");
            assert!(ulps(s[2], 0.5_f64.sin()) <= 2.0, "{level}: beside {x:e}");
        }
    }
}

/// Fused or not, levels agree to rounding.
#[test]
fn levels_agree() {
    let mut random = Random::new(12);
    for _ in 0..testing::rounds(10_000) {
        let x = std::array::from_fn(|_| random.range(-100.0, 100.0));
        let plain = with_level(Level::Plain, || dispatch(SinCos(x)));
        for level in Level::available() {
            let found = with_level(level, || dispatch(SinCos(x)));
            for k in 0..8 {
                assert!(
                    ulps(found.0[k], plain.0[k]) <= 2.0 && ulps(found.1[k], plain.1[k]) <= 2.0,
                    "{level}: {:e}",
                    x[k]
                );
            }
        }
    }
}
