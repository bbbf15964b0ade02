//! Operators and the special cases of elementary functions: axes, poles, overflow, zero.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use gradyn_derivatives::num_dual::{Dual64, DualNum, DualStruct};
use gradyn_derivatives::{Dual, Dual8, Lanes, MulAdd, Real};
use num_traits::{FromPrimitive, Inv, Num, One, Signed, Zero};
use testing::{Random, assert_close, same};

type Simple = Dual<f64, f64>;

fn dual8(re: f64, eps: [f64; 8]) -> Dual8 {
    Dual8::from_parts(re, eps)
}

/// Each operator against num-dual's, direction by direction. The difference: where a rounding stands.
#[test]
fn operators_agree_with_num_dual() {
    type Pair<D> = fn(D, D) -> D;
    let operators: [(&str, Pair<Dual8>, Pair<Dual64>); 11] = [
        ("+", |a, b| a + b, |a, b| a + b),
        ("-", |a, b| a - b, |a, b| a - b),
        ("*", |a, b| a * b, |a, b| a * b),
        ("/", |a, b| a / b, |a, b| a / b),
        ("+ f64", |a, _| a + 3.5, |a, _| a + 3.5),
        ("- f64", |a, _| a - 3.5, |a, _| a - 3.5),
        ("* f64", |a, _| a * 3.5, |a, _| a * 3.5),
        ("/ f64", |a, _| a / 3.5, |a, _| a / 3.5),
        ("neg", |a, _| -a, |a, _| -a),
        ("recip", |a, _| a.inv(), |a, _| a.inv()),
        ("atan2", |a, b| DualNum::atan2(&a, b), |a, b| a.atan2(b)),
    ];
    let mut random = Random::new(6);
    for _ in 0..testing::rounds(200) {
        let (a, da, b, db) = (random.range(-3.0, 3.0), random.eight(), random.range(0.2, 3.0), random.eight());
        for (name, ours, theirs) in operators {
            let y = ours(dual8(a, da), dual8(b, db));
            for k in 0..8 {
                let z = theirs(Dual64::new(a, da[k]), Dual64::new(b, db[k]));
                assert!(same(y.value(), z.re) || (y.value() - z.re).abs() <= 2.0 * f64::EPSILON * z.re.abs(), "{name}");
                // terms of size a/b² cancel
                assert_close(y.eps.to_array()[k], z.eps, 1e-14, 100.0, format_args!("{a} {name} {b}"));
            }
        }
    }
}

/// The assigning and the borrowing form of each operator are the plain form.
#[test]
fn every_form_of_an_operator_is_the_same() {
    let (a, b) = (Simple::new(7.5, 1.5), Simple::new(-2.0, 0.25));
    macro_rules! forms {
        ($($op:tt $assign:tt),*) => { $(
            let plain = a $op b;
            let mut assigned = a;
            assigned $assign b;
            let borrowed = a $op &b;
            assert_eq!((plain.re, plain.eps), (assigned.re, assigned.eps), stringify!($op));
            assert_eq!((plain.re, plain.eps), (borrowed.re, borrowed.eps), stringify!($op));
            let constant = a $op 2.0;
            let mut assigned = a;
            assigned $assign 2.0;
            let lifted = a $op Simple::from(2.0);
            assert_eq!((constant.re, constant.eps), (assigned.re, assigned.eps), stringify!($op));
            assert_eq!((constant.re, constant.eps), (lifted.re, lifted.eps), stringify!($op));
        )* };
    }
    forms!(+ +=, - -=, * *=, / /=, % %=);
}

/// `a % b = a − trunc(a/b) b` has derivative `da − trunc(a/b) db`, for either sign.
#[test]
fn remainder_differentiates_between_its_jumps() {
    for (a, b) in [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (0.5, 2.0)] {
        let r = Simple::new(a, 1.0) % Simple::new(b, 10.0);
        assert_eq!(r.re, a % b);
        assert_eq!(r.eps, 1.0 - 10.0 * f64::trunc(a / b), "{a} % {b}");
        let r = Simple::new(a, 3.0) % b;
        assert_eq!((r.re, r.eps), (a % b, 3.0));
    }
}

/// Fused and unfused: derivatives of `a p ± b`.
#[test]
fn multiply_add_is_product_and_sum() {
    let mut random = Random::new(7);
    for _ in 0..testing::rounds(100) {
        let v = random.numbers(6);
        let [a, p, b] = [0, 2, 4].map(|i| Simple::new(v[i], v[i + 1]));
        let c = random.range(-2.0, 2.0);
        for (fused, plain) in [
            (MulAdd::<Simple>::mul_plus(a, p, b), a * p + b),
            (MulAdd::<Simple>::mul_minus(a, p, b), a * p - b),
            (MulAdd::<f64>::mul_plus(a, c, b), a * c + b),
            (MulAdd::<f64>::mul_minus(a, c, b), a * c - b),
        ] {
            assert!(same(fused.re, plain.re), "the value is rounded twice, as over f64");
            assert_close(fused.eps, plain.eps, 4.0 * f64::EPSILON, 1.0, "a p ± b");
        }
        let (a8, p8, b8) = (dual8(a.re, [a.eps; 8]), dual8(p.re, [p.eps; 8]), dual8(b.re, [b.eps; 8]));
        let y = MulAdd::<Dual8>::mul_minus(a8, p8, b8);
        assert!(same(y.value(), a.re * p.re - b.re));
        assert_close(y.eps.to_array()[3], (a * p - b).eps, 4.0 * f64::EPSILON, 1.0, "a p − b");
    }
}

/// On the axes the quotient `y/x` has a pole, the angle has none.
#[test]
fn atan2_is_right_on_the_axes() {
    use std::f64::consts::{FRAC_PI_2, PI};
    // (y, x), angle, ∂/∂y = x/r², ∂/∂x = −y/r²
    for ((y, x), angle, by_y, by_x) in [
        ((0.0, 2.0), 0.0, 0.5, 0.0),
        ((2.0, 0.0), FRAC_PI_2, 0.0, -0.5),
        ((-2.0, 0.0), -FRAC_PI_2, 0.0, 0.5),
        ((0.0, -2.0), PI, -0.5, 0.0),
        ((-0.0, -2.0), -PI, -0.5, 0.0),
    ] {
        let a = DualNum::atan2(&dual8(y, unit(0)), dual8(x, unit(1)));
        assert_eq!(a.re, angle, "atan2({y}, {x})");
        let eps = a.eps.to_array();
        assert_eq!((eps[0], eps[1]), (by_y, by_x), "atan2({y}, {x})");
    }
}

/// `tanh` neither overflows nor divides infinities.
#[test]
fn tanh_is_flat_far_out() {
    for x in [20.0, 400.0, 800.0, 1e300, -400.0, -800.0] {
        let y = Simple::new(x, 1.0).tanh();
        // 1/cosh², which vanishes from 373 on; a few roundings.
        let slope = x.cosh().recip().powi(2);
        assert_eq!(y.re, x.signum(), "tanh({x})");
        assert!((y.eps - slope).abs() <= 1e-14 * slope, "tanh({x}): {:e}, not {slope:e}", y.eps);
        let second = Dual::new(Simple::new(x, 1.0), Simple::from(1.0)).tanh();
        let bend = -2.0 * x.signum() * slope;
        assert!((second.eps.eps - bend).abs() <= 1e-14 * slope, "tanh({x}): {:e}, not {bend:e}", second.eps.eps);
    }
}

/// Powers where the product form meets 0·∞.
#[test]
fn powers_at_zero_and_at_the_ends() {
    let zero = Simple::new(0.0, 1.0);
    let cases: [(Simple, f64, f64); 9] = [
        (zero.powi(0), 1.0, 0.0),
        (zero.powi(1), 0.0, 1.0),
        (zero.powi(2), 0.0, 0.0),
        (zero.powi(3), 0.0, 0.0),
        (zero.powi(-1), f64::INFINITY, f64::NEG_INFINITY),
        (zero.powf(2.0), 0.0, 0.0),
        (zero.powf(0.5), 0.0, f64::INFINITY),
        (zero.powf(0.0), 1.0, 0.0),
        (Simple::new(1.0, 1.0).powi(i32::MIN), 1.0, f64::from(i32::MIN)),
    ];
    for (i, (y, value, derivative)) in cases.into_iter().enumerate() {
        assert_eq!((y.re, y.eps), (value, derivative), "case {i}");
    }
    // x ↦ x² twice: 2
    let second = Dual::new(zero, Simple::from(1.0)).powf(2.0);
    assert_eq!((second.re.re, second.re.eps, second.eps.eps), (0.0, 0.0, 2.0));
    let second = Dual::new(zero, Simple::from(1.0)).powi(2);
    assert_eq!((second.re.re, second.re.eps, second.eps.eps), (0.0, 0.0, 2.0));
}

/// `xⁿ` with both varying: `n xⁿ⁻¹` and `xⁿ ln x`.
#[test]
fn power_by_a_dual_exponent() {
    let y = DualNum::powd(&dual8(2.0, unit(0)), dual8(3.0, unit(1)));
    let eps = y.eps.to_array();
    assert_eq!(y.re, 8.0);
    assert_close(eps[0], 12.0, 1e-15, 0.0, "n xⁿ⁻¹");
    assert_close(eps[1], 8.0 * 2.0_f64.ln(), 1e-15, 0.0, "xⁿ ln x");
    // at x = 0, n > 0 the power is flat in n
    let y = DualNum::powd(&Simple::new(0.0, 1.0), Simple::new(2.0, 1.0));
    assert_eq!((y.re, y.eps), (0.0, 0.0));
}

/// `j_n` and two derivatives near zero, against `xⁿ/(2n+1)!! (1 − x²/(2(2n+3)) + x⁴/(8(2n+3)(2n+5)))`.
#[test]
fn spherical_bessel_functions_are_smooth_through_zero() {
    for x in [0.0, 1e-300, 1e-200, 1e-17, 3e-16, 1e-12, 1e-9, 1e-8, 1e-5, 1e-3, -1e-3, -1e-9] {
        let t = Dual::new(Simple::new(x, 1.0), Simple::from(1.0));
        let x2 = x * x;
        let expected: [[f64; 3]; 3] = [
            [1.0 - x2 / 6.0, -x / 3.0 * (1.0 - x2 / 10.0), -1.0 / 3.0 + x2 / 10.0],
            [x / 3.0 * (1.0 - x2 / 10.0), 1.0 / 3.0 - x2 / 10.0, -x / 5.0 * (1.0 - 5.0 * x2 / 42.0)],
            [x2 / 15.0 * (1.0 - x2 / 14.0), 2.0 * x / 15.0 * (1.0 - x2 / 7.0), 2.0 / 15.0 - 6.0 * x2 / 105.0],
        ];
        for (n, (y, expected)) in [t.sph_j0(), t.sph_j1(), t.sph_j2()].into_iter().zip(expected).enumerate() {
            // the expansion leaves out x⁴/100 ≤ 1e-14
            assert_close(y.re.re, expected[0], 2e-14, 0.0, format_args!("j{n}({x})"));
            assert_close(y.re.eps, expected[1], 2e-14, 1e-300, format_args!("j{n}′({x})"));
            assert_close(y.eps.eps, expected[2], 2e-13, 1e-300, format_args!("j{n}″({x})"));
        }
    }
}

/// Comparisons and signs see the value alone.
#[test]
fn comparisons_look_at_the_value() {
    let (a, b) = (Simple::new(1.0, 5.0), Simple::new(1.0, -5.0));
    assert!(a == b && a == 1.0 && a < 2.0 && a >= b && a < Simple::from(1.5));
    assert!(Simple::new(0.0, 3.0).is_zero() && a.is_one() && a.is_positive() && (-a).is_negative());
    assert_eq!((-a).abs().eps, 5.0);
    assert_eq!((Simple::new(-2.0, 1.0).abs().re, Simple::new(-2.0, 1.0).abs().eps), (2.0, -1.0));
    assert_eq!((Simple::new(-2.0, 1.0).signum().re, Simple::new(-2.0, 1.0).signum().eps), (-1.0, 0.0));
    assert_eq!(a.abs_sub(&Simple::new(0.25, 1.0)).re, 0.75);
    assert_eq!(a.abs_sub(&Simple::new(3.0, 1.0)).re, 0.0);
    assert!(!Simple::new(f64::NAN, 0.0).is_finite() && Simple::new(0.0, f64::NAN).is_finite());
}

#[test]
fn conversions_sums_and_text() {
    assert_eq!(Simple::from_i64(-3).map(|x| x.re), Some(-3.0));
    assert_eq!(Simple::from_u64(3).map(|x| x.re), Some(3.0));
    assert_eq!(Simple::from_f64(0.5).map(|x| (x.re, x.eps)), Some((0.5, 0.0)));
    assert_eq!(Simple::from_str_radix("2.5", 10).map(|x| x.re).ok(), Some(2.5));
    assert!(Simple::from_str_radix("two", 10).is_err());
    assert_eq!(Simple::new(1.0, 2.0).to_string(), "1 + 2.0ε");
    assert!(dual8(1.0, unit(0)).to_string().starts_with("1 + "));

    let list = [Simple::new(2.0, 1.0), Simple::new(3.0, 10.0), Simple::new(5.0, 100.0)];
    let (sum, product): (Simple, Simple) = (list.iter().sum(), list.iter().product());
    assert_eq!((sum.re, sum.eps), (10.0, 111.0));
    assert_eq!((product.re, product.eps), (30.0, 15.0 + 100.0 + 600.0));
    let (sum, product): (Simple, Simple) = (list.into_iter().sum(), list.into_iter().product());
    assert_eq!((sum.eps, product.eps), (111.0, 715.0));
    assert_eq!(<Simple as DualStruct>::re(&list[0]), 2.0);
    assert_eq!(Simple::NDERIV, 1);
    assert_eq!(Dual::<Dual8, Dual8>::NDERIV, 2);
}

fn unit(i: usize) -> [f64; 8] {
    Lanes::<gradyn_derivatives::simd::Baseline>::unit(i).to_array()
}
