//! Eight independent numbers: each lane does what one number would, whatever stands in the others.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Kernel, Lanes, Level, MulAdd, Real, Register, dispatch};
use testing::{Random, same};

/// Every operation of `Real`, on three numbers.
#[inline(always)]
fn everything<T: Real>(a: T, b: T, c: T) -> [T; 31] {
    let (mut sum, mut difference, mut product) = (a, a, a);
    sum += b;
    difference -= b;
    product *= b;
    let (sin, cos) = a.sin_cos();
    [
        a + b,
        a - b,
        a * b,
        a / b,
        a + 1.5,
        a - 1.5,
        a * 1.5,
        a / 1.5,
        -a,
        sum,
        difference,
        product,
        sin,
        cos,
        a.sqrt(),
        a.recip(),
        a.exp(),
        a.ln(),
        a.atan(),
        a.atan2(b),
        a.select_lt(0.5, b, c),
        a.select_lt(f64::NAN, b, c),
        MulAdd::<T>::mul_plus(a, b, c),
        MulAdd::<T>::mul_minus(a, b, c),
        MulAdd::<f64>::mul_plus(a, 1.5, c),
        MulAdd::<f64>::mul_minus(a, 1.5, c),
        T::zero(),
        T::one(),
        T::from(2.5),
        a,
        b.abs_by_select(),
    ]
}

trait Extra: Real {
    /// `|x|` as generic code writes it.
    #[inline(always)]
    fn abs_by_select(self) -> Self {
        self.select_lt(0.0, -self, self)
    }
}
impl<T: Real> Extra for T {}

/// Results by operation and lane, and whether all lanes of the first number are finite.
struct OverLanes([[f64; 8]; 3]);

impl Kernel for OverLanes {
    type Output = ([[f64; 8]; 31], bool);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let [a, b, c] = self.0;
        let (a, b, c) = (Lanes::<R>::from_array(a), Lanes::from_array(b), Lanes::from_array(c));
        (everything(a, b, c).map(Lanes::to_array), a.is_finite())
    }
}

/// Sine and cosine may differ by two units of the last place, fused products by their own rounding.
fn equivalent(operation: usize, found: f64, [a, b, c]: [f64; 3], expected: f64) -> bool {
    let fused = match operation {
        22 => a.mul_add(b, c),
        23 => a.mul_add(b, -c),
        24 => a.mul_add(1.5, c),
        25 => a.mul_add(1.5, -c),
        12 | 13 => return testing::ulps(found, expected) <= 2.0,
        _ => expected,
    };
    same(found, expected) || same(found, fused)
}

#[test]
fn each_lane_is_a_number() {
    let mut random = Random::new(8);
    for level in Level::available() {
        for _ in 0..testing::rounds(100) {
            let input = [random.eight(), random.eight(), random.eight()];
            let (found, finite) = with_level(level, || dispatch(OverLanes(input)));
            assert!(finite);
            for lane in 0..8 {
                let [a, b, c] = input.map(|x| x[lane]);
                let expected = everything(a, b, c);
                for operation in 0..31 {
                    let (x, y) = (found[operation][lane], expected[operation]);
                    assert!(
                        equivalent(operation, x, [a, b, c], y),
                        "{level}, operation {operation} of {a}, {b}, {c}: {x:e} instead of {y:e}"
                    );
                }
            }
        }
    }
}

/// Bit for bit, a lane does not see its neighbors: neither NaN, nor infinities, nor arguments that are hard to reduce.
#[test]
fn a_bad_lane_touches_no_other() {
    let mut random = Random::new(9);
    for level in Level::available() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e22, -1.7e6] {
            let good = [random.eight(), random.eight(), random.eight()];
            let (expected, _) = with_level(level, || dispatch(OverLanes(good)));
            for lane in 0..8 {
                let mut input = good;
                input.iter_mut().for_each(|x| x[lane] = bad);
                let (found, finite) = with_level(level, || dispatch(OverLanes(input)));
                assert_eq!(finite, bad.is_finite(), "{level}: lane {lane} is {bad}");
                for operation in 0..31 {
                    for other in (0..8).filter(|other| *other != lane) {
                        let (x, y) = (found[operation][other], expected[operation][other]);
                        assert!(
                            same(x, y),
                            "{level}, operation {operation}: {bad} in lane {lane} changed lane {other}"
                        );
                    }
                }
            }
        }
    }
}

/// NaN is not less than anything: the second choice, in its own lane only.
#[test]
fn select_takes_the_second_choice_for_nan() {
    let x =
        Lanes::<gradyn_derivatives::simd::Baseline>::from_array([f64::NAN, -1.0, 0.0, 1.0, -0.0, 2.0, -2.0, f64::NAN]);
    let y = x.select_lt(0.0, Lanes::from(1.0), Lanes::from(2.0));
    assert_eq!(y.to_array(), [2.0, 1.0, 2.0, 2.0, 2.0, 2.0, 1.0, 2.0]);
}

#[test]
fn unit_lanes_and_equality() {
    type L = Lanes<gradyn_derivatives::simd::Baseline>;
    assert_eq!(L::unit(3).to_array(), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(L::unit(8), L::from(0.0));
    assert_ne!(L::unit(1), L::unit(2));
    assert_ne!(L::from(f64::NAN), L::from(f64::NAN));
}
