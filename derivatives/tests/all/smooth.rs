//! The smooth functions of θ² and three derivatives, against sums in twice the precision.

use gradyn_derivatives::scalar::smooth::{atan_ratio, half_cotangent, half_cotangent_ratio, stumpff};
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Dual, Kernel, Lanes, Level, Register, dispatch};
use std::f64::consts::PI;
use testing::assert_close;

type D1 = Dual<f64, f64>;
type D2 = Dual<D1, D1>;
type D3 = Dual<D2, D2>;

/// The variable, for three derivatives.
fn variable(x: f64) -> D3 {
    Dual::new(Dual::new(Dual::new(x, 1.0), D1::from(1.0)), D2::from(1.0))
}

/// Value and three derivatives.
fn parts(y: D3) -> [f64; 4] {
    [y.re.re.re, y.re.re.eps, y.re.eps.eps, y.eps.eps.eps]
}

/// A number as an unevaluated sum, to about 32 digits (Dekker 1971, Knuth's exact sum).
#[derive(Clone, Copy)]
struct Twofold(f64, f64);

impl Twofold {
    fn add(self, o: Self) -> Self {
        let s = self.0 + o.0;
        let v = s - self.0;
        let lost = (self.0 - (s - v)) + (o.0 - v) + self.1 + o.1;
        let high = s + lost;
        Self(high, lost - (high - s))
    }
    fn times(self, x: f64) -> Self {
        let p = self.0 * x;
        let lost = self.0.mul_add(x, -p) + self.1 * x;
        let high = p + lost;
        Self(high, lost - (high - p))
    }
    fn over(self, x: f64) -> Self {
        let q = self.0 / x;
        let rest = (-q).mul_add(x, self.0) + self.1;
        let low = rest / x;
        let high = q + low;
        Self(high, low - (high - q))
    }
}

/// `C_k(x) = Σ_j (−x)ʲ / (2j + k)!`, for any `x` up to 150 or so.
fn stumpff_sum(k: u32, x: f64) -> f64 {
    let mut term = Twofold(1.0, 0.0);
    for i in 1..=k {
        term = term.over(f64::from(i));
    }
    let mut sum = term;
    for j in 0..70 {
        let n = f64::from(2 * j + k);
        term = term.times(-x).over((n + 1.0) * (n + 2.0));
        sum = sum.add(term);
    }
    sum.0
}

/// `C_k` and three derivatives, by `dC_k/dx = (k C_{k+2} − C_{k+1}) / 2` (differentiate the sum term by term).
fn stumpff_reference(k: u32, x: f64) -> [f64; 4] {
    let c: Vec<f64> = (0..6).map(|i| stumpff_sum(k + i, x)).collect();
    let at = |i: u32| c[(i - k) as usize];
    // (d/dx)² needs C up to k + 4, (d/dx)³ beyond the six above: the direct sum below
    let first = (f64::from(k) * at(k + 2) - at(k + 1)) / 2.0;
    let [_, _, second, third] = derivatives_of_sum(k, x);
    [at(k), first, second, third]
}

/// `Σ_j (−1)ʲ j (j−1) … xʲ⁻ᵈ / (2j + k)!` for d = 0 … 3.
fn derivatives_of_sum(k: u32, x: f64) -> [f64; 4] {
    let mut result = [0.0; 4];
    for (d, result) in result.iter_mut().enumerate() {
        let d = d as u32;
        // first term: j = d, (−1)ᵈ d! / (2d + k)!
        let mut term = Twofold(if d.is_multiple_of(2) { 1.0 } else { -1.0 }, 0.0);
        for i in 1..=d {
            term = term.times(f64::from(i));
        }
        for i in 1..=(2 * d + k) {
            term = term.over(f64::from(i));
        }
        let mut sum = term;
        for j in d..d + 70 {
            // from j to j + 1: −x (j+1) / (j+1−d) / ((2j+k+1)(2j+k+2))
            let n = f64::from(2 * j + k);
            term = term.times(-x).times(f64::from(j + 1)).over(f64::from(j + 1 - d)).over((n + 1.0) * (n + 2.0));
            sum = sum.add(term);
        }
        *result = sum.0;
    }
    result
}

fn angles() -> Vec<f64> {
    let mut list = vec![0.0, 0.1, 0.5, 1.0, 1.9, 2.1, 2.5, 3.0, 10.0];
    list.extend([1e-300, 1e-200, 1e-160, 1e-100, 1e-20, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3]);
    for around in [2.0, PI, 2.0 * PI, 3.0 * PI] {
        list.extend([around, around + 1e-9, around - 1e-9, around + 1e-4, around - 1e-4]);
    }
    list
}

/// Largest error of each order seen, relative to the largest value of that derivative (the one at zero).
fn stumpff_errors(x: f64) -> [f64; 4] {
    let mut errors = [0.0; 4];
    for (k, y) in stumpff(variable(x)).into_iter().enumerate() {
        let (at_zero, expected) = (stumpff_reference(k as u32, 0.0), stumpff_reference(k as u32, x));
        for (order, y) in parts(y).into_iter().enumerate() {
            let error = (y - expected[order]).abs() / at_zero[order].abs();
            assert!(error.is_finite(), "C{k}, derivative {order}, at x = {x:e}: {y:e}");
            errors[order] = f64::max(errors[order], error);
        }
    }
    errors
}

/// Of the largest value of each derivative. Closed forms divide a difference by `x` and each derivative divides once
/// more, so at `x = 4`, where they are worst, a digit or two are lost per order: 4e-16, 1.7e-14, 5.7e-13 and 2.2e-11
/// there.
const TOLERANCES: [f64; 4] = [2e-15, 5e-14, 2e-12, 1e-10];

#[test]
fn stumpff_functions_are_right_to_the_third_derivative() {
    let mut worst = [0.0; 4];
    for theta in angles() {
        let x = theta * theta;
        let errors = stumpff_errors(x);
        for order in 0..4 {
            assert!(errors[order] <= TOLERANCES[order], "θ = {theta:e}: {errors:?}");
            worst[order] = f64::max(worst[order], errors[order]);
        }
    }
    println!("largest errors: {worst:?}");
}

/// Series below 4, closed forms from there.
#[test]
fn the_switch_at_four_is_seamless() {
    for x in [4.0_f64.next_down(), 4.0, 4.0_f64.next_up()] {
        let errors = stumpff_errors(x);
        println!("x = {x:e}: {errors:?}");
        for order in 0..4 {
            assert!(errors[order] <= TOLERANCES[order], "x = {x:e}: {errors:?}");
        }
    }
}

/// `C_k = 1/k! − x C_{k+2}`, and the closed forms where they are well conditioned.
#[test]
fn stumpff_functions_satisfy_their_definitions() {
    for theta in [0.0, 0.3, 1.0, 1.99, 2.01, 3.0, 7.0, 50.0] {
        let x = theta * theta;
        let c = stumpff(x);
        let (sin, cos) = f64::sin_cos(theta);
        assert_close(c[0], cos, 1e-15, 1.0, "C₀ = cos θ");
        assert_close(c[1] * theta, sin, 1e-15, 1.0, "θ C₁ = sin θ");
        for (k, factorial) in [1.0, 1.0, 2.0, 6.0].into_iter().enumerate() {
            // x C_{k+2} grows with x
            assert_close(
                c[k] + x * c[k + 2],
                1.0 / factorial,
                4e-16,
                1.0,
                format_args!("recurrence {k} at θ = {theta}"),
            );
        }
    }
}

/// On the edge of what it is made for: no NaN, no infinity.
#[test]
fn stumpff_functions_stay_finite_far_out() {
    for x in [1e6, 1e30, 1e150] {
        for (k, y) in stumpff(variable(x)).into_iter().enumerate() {
            assert!(parts(y).into_iter().all(f64::is_finite), "C{k}({x:e}) = {:?}", parts(y));
        }
    }
    assert!(stumpff(f64::NAN).into_iter().all(f64::is_nan));
}

struct OverLanes([f64; 8]);
impl Kernel for OverLanes {
    type Output = [[f64; 8]; 8];
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let x = Lanes::<R>::from_array(self.0);
        let [c0, c1, c2, c3, c4, c5] = stumpff(x);
        [c0, c1, c2, c3, c4, c5, atan_ratio(x * 0.001), half_cotangent_ratio(x * 0.001)].map(Lanes::to_array)
    }
}

/// Series and closed form side by side in one register.
#[test]
fn lanes_choose_their_formula_separately() {
    let points = [0.0, 1e-300, 1e-3, 3.999, 4.0, 9.869, 39.478, 100.0];
    for level in Level::available() {
        let found = with_level(level, || dispatch(OverLanes(points)));
        for (k, found) in found.iter().enumerate() {
            for lane in 0..8 {
                let expected = match k {
                    0..6 => stumpff_sum(k as u32, points[lane]),
                    6 => atan_sum(points[lane] * 0.001)[0],
                    _ => half_cotangent_sum(points[lane] * 0.001)[0],
                };
                assert_close(
                    found[lane],
                    expected,
                    4e-15,
                    1e-2,
                    format_args!("{level}: function {k}, {}", points[lane]),
                );
            }
        }
    }
}

/// `Σ_j c_j tʲ` and three derivatives, summed until terms vanish; `plus_term(sum, p, j)` is `sum + c_j p`.
fn power_sum(t: f64, plus_term: impl Fn(Twofold, Twofold, u32) -> Twofold) -> [f64; 4] {
    [0, 1, 2, 3].map(|d| {
        // dᵗʰ derivative of tʲ, from j = d on
        let mut power = (1..=d).fold(Twofold(1.0, 0.0), |power, i| power.times(f64::from(i)));
        let mut sum = Twofold(0.0, 0.0);
        for j in d..d + 80 {
            sum = plus_term(sum, power, j);
            power = power.times(t).times(f64::from(j + 1)).over(f64::from(j + 1 - d));
        }
        sum.0
    })
}

/// `(−1)ʲ`
fn sign(j: u32) -> f64 {
    if j.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// `atan √t / √t = Σ (−t)ʲ / (2j + 1)` and three derivatives.
fn atan_sum(t: f64) -> [f64; 4] {
    power_sum(t, |sum, power, j| sum.add(power.times(sign(j)).over(f64::from(2 * j + 1))))
}

/// `−((1 − 5t − 4t² − 4t³ − …) (1 − t/3 + t²/5 − …) − 1) / t` and three derivatives.
fn half_cotangent_sum(t: f64) -> [f64; 4] {
    power_sum(t, |mut sum, power, j| {
        for i in 0..=j + 1 {
            let factor = match j + 1 - i {
                0 => -1.0,
                1 => 5.0,
                _ => 4.0,
            };
            sum = sum.add(power.times(factor * sign(i)).over(f64::from(2 * i + 1)));
        }
        sum
    })
}

#[test]
fn atan_ratio_is_right_to_the_third_derivative() {
    // the first term left out, (−t)²⁴/49, and its derivatives at the end of the range
    let truncation = [1e-19, 1e-17, 1e-15, 1e-13];
    for t in [0.0, 1e-300, 1e-30, 1e-16, 1e-8, 1e-4, 0.01, 0.05, 0.1, 0.15, 0.171_572_875_253_809_9, 0.18] {
        let expected = atan_sum(t);
        for (order, y) in parts(atan_ratio(variable(t))).into_iter().enumerate() {
            let tolerance = 4.0 * f64::EPSILON + truncation[order];
            assert_close(y, expected[order], tolerance, 0.0, format_args!("derivative {order} at {t:e}"));
        }
    }
    for angle in [1e-3, 0.1, 0.3, PI / 8.0] {
        let t = f64::tan(angle).powi(2);
        assert_close(atan_ratio(t) * t.sqrt(), angle, 4e-16, 0.0, "atan");
    }
}

/// The closed form at angles where it does not cancel, and the series in double the digits, with three derivatives.
#[test]
fn half_cotangent_ratio_is_right_to_the_third_derivative() {
    // the first term left out, π t²⁸, and its derivatives at the end of the range
    let truncation = [1e-20, 2e-18, 3e-16, 5e-14];
    for t in [0.0, 1e-300, 1e-30, 1e-16, 1e-8, 1e-4, 0.01, 0.05, 0.1, 0.15, 0.171_572_875_253_809_9, 0.18] {
        let expected = half_cotangent_sum(t);
        for (order, y) in parts(half_cotangent_ratio(variable(t))).into_iter().enumerate() {
            // terms of both signs: the largest partial sums are a few times the result
            let tolerance = 16.0 * f64::EPSILON + truncation[order];
            assert_close(y, expected[order], tolerance, 0.0, format_args!("derivative {order} at {t:e}"));
        }
    }
    for angle in [1.0, 2.0, 3.0, PI] {
        let t = f64::tan(angle / 8.0).powi(2);
        let expected = (1.0 - angle / 2.0 / f64::tan(angle / 2.0)) / t;
        // the difference from one cancels: at one rad to a tenth
        assert_close(half_cotangent_ratio(t), expected, 1e-14, 0.0, format_args!("at {angle} rad"));
    }
}

/// Values against Stumpff's functions, which know nothing of ζ; derivatives against those of the value.
#[test]
fn half_cotangent_has_its_derivatives() {
    for x in [0.0, 1e-300, 1e-16, 1e-8, 1e-4, 0.01, 0.3, 1.0, 3.0, 3.9, 6.0, 8.0, PI * PI] {
        let ([_, _, c2, c3, c4, _], [value, slope, bend]) = (stumpff(variable(x)), half_cotangent(variable(x)));
        let by_stumpff = parts((c3 - c4 * 2.0) / (c2 * 2.0));
        let (value, slope, bend) = (parts(value), parts(slope), parts(bend));
        // Relative to 1/12, what it is at zero. Stumpff's functions are right to these, relative to their values at zero; κ divides by
        // C₂, which falls to 0.4 of that.
        for (order, tolerance) in [1e-14, 1e-13, 4e-12, 2e-10].into_iter().enumerate() {
            assert_close(
                value[order],
                by_stumpff[order],
                tolerance,
                1.0 / 12.0,
                format_args!("derivative {order} at {x:e}"),
            );
        }
        for order in 0..3 {
            // The same sums in another order: terms grow with n, (n + 1)(n + 2)(n + 3) at most.
            assert_close(
                slope[order],
                value[order + 1],
                1e-14,
                0.01,
                format_args!("slope, derivative {order} at {x:e}"),
            );
        }
        for order in 0..2 {
            assert_close(bend[order], value[order + 2], 1e-14, 0.01, format_args!("bend, derivative {order} at {x:e}"));
        }
    }
    for angle in [1.0, 2.0, 3.0] {
        let expected = (1.0 - angle / 2.0 / f64::tan(angle / 2.0)) / (angle * angle);
        // the difference from one cancels: at one rad to a tenth
        assert_close(half_cotangent(angle * angle)[0], expected, 1e-14, 0.0, format_args!("at {angle} rad"));
    }
}
