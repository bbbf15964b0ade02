//! Dual numbers within dual numbers, ours and num-dual's in either order.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use gradyn_derivatives::num_dual::{
    Dual as Theirs, Dual2, Dual3_64, DualNum, HyperDual64, first_derivative, second_derivative,
    second_partial_derivative, third_derivative,
};
use gradyn_derivatives::{Dual, Dual8, Lanes, Real};
use testing::assert_close;

type D1 = Dual<f64, f64>;
type D2 = Dual<D1, D1>;
type D3 = Dual<D2, D2>;

/// Some of everything.
fn f<D: DualNum<Primitive = f64> + Copy>(x: D, y: D) -> D {
    (x * y).sin() * (x + y.powi(2)).exp().sqrt() + (x / y).atan() + x.powf(1.5).ln_1p() * y.tanh() + y.atan2(x)
        - (x * y + 1.0).cbrt() / (y.acosh() + x.asinh())
}

const X: f64 = 0.7;
const Y: f64 = 1.3;
/// Twenty operations, each of condition below ten.
const TOLERANCE: f64 = 1e-13;

fn unit(i: usize) -> Lanes<gradyn_derivatives::simd::Baseline> {
    Lanes::unit(i)
}

#[test]
fn ours_in_ours_gives_second_derivatives() {
    let (value, by_x, by_y, mixed) = second_partial_derivative(|(x, y)| f(x, y), (X, Y));
    let xx = {
        let x = HyperDual64::from(X).derivative1().derivative2();
        f(x, HyperDual64::from(Y)).eps1eps2
    };

    // x outside; x and y in lanes 0 and 1 inside
    let x = Dual::new(Dual8::new(X.into(), unit(0)), Dual8::from(1.0));
    let y = Dual::new(Dual8::new(Y.into(), unit(1)), Dual8::from(0.0));
    let z: Dual<Dual8, Dual8> = f(x, y);
    assert_close(z.re.value(), value, TOLERANCE, 0.0, "value");
    assert_close(z.re.eps.to_array()[0], by_x, TOLERANCE, 0.0, "∂/∂x");
    assert_close(z.re.eps.to_array()[1], by_y, TOLERANCE, 0.0, "∂/∂y");
    assert_close(z.eps.value(), by_x, TOLERANCE, 0.0, "∂/∂x, outer");
    assert_close(z.eps.eps.to_array()[0], xx, TOLERANCE, 0.0, "∂²/∂x²");
    assert_close(z.eps.eps.to_array()[1], mixed, TOLERANCE, 0.0, "∂²/∂x∂y");
    assert_eq!(z.eps.eps.to_array()[2..], [0.0; 6]);
}

#[test]
fn ours_in_theirs_gives_second_derivatives() {
    let (_, _, _, mixed) = second_partial_derivative(|(x, y)| f(x, y), (X, Y));
    let (z, dz) =
        first_derivative(|x| f(x, Theirs::from_re(Dual8::new(Y.into(), unit(1)))), Dual8::new(X.into(), unit(0)));
    assert_close(dz.eps.to_array()[1], mixed, TOLERANCE, 0.0, "∂²/∂x∂y");
    assert_close(dz.value(), z.eps.to_array()[0], TOLERANCE, 0.0, "∂/∂x");
}

#[test]
fn third_derivatives_agree_with_dual3() {
    let g = |x: Dual3_64| f(x, x * 0.5 + 1.0);
    let expected = third_derivative(g, X);

    let ours: D3 = {
        let x = Dual::new(Dual::new(Dual::new(X, 1.0), D1::from(1.0)), D2::from(1.0));
        f(x, x * 0.5 + 1.0)
    };
    assert_close(ours.re.re.re, expected.0, TOLERANCE, 0.0, "value");
    assert_close(ours.re.re.eps, expected.1, TOLERANCE, 0.0, "first");
    assert_close(ours.re.eps.eps, expected.2, TOLERANCE, 0.0, "second");
    assert_close(ours.eps.eps.eps, expected.3, 10.0 * TOLERANCE, 0.0, "third");

    // two derivatives by num-dual's Dual2, the third in our lanes
    let (_, _, second): (Dual8, Dual8, Dual8) =
        second_derivative(|x: Dual2<Dual8>| f(x, x * 0.5 + 1.0), Dual8::new(X.into(), unit(4)));
    assert_close(second.value(), expected.2, TOLERANCE, 0.0, "second, Dual2<Dual8>");
    assert_close(second.eps.to_array()[4], expected.3, 10.0 * TOLERANCE, 0.0, "third, Dual2<Dual8>");
}

/// num-dual's drivers take a function of our numbers, with ours constant inside or varying.
#[test]
fn num_dual_drivers_take_our_numbers() {
    let (value, slope) =
        first_derivative(|x| x.powi(3) * Theirs::from_re(Dual8::new(2.0.into(), unit(3))), Dual8::from(2.0));
    assert_eq!((value.value(), slope.value()), (16.0, 24.0));
    assert_eq!((value.eps.to_array()[3], slope.eps.to_array()[3]), (8.0, 12.0));
}

/// The derivatives of eight independent states: duals over lanes, against one state at a time.
#[test]
fn dual_over_lanes_is_eight_duals() {
    fn g<T: Real>(x: T) -> T {
        let (s, c) = (x * x).sin_cos();
        (s * 2.0 + x.exp()) / (c + 3.0) + (x * x + 1.0).sqrt().ln() + x.atan2(c + 2.0)
    }
    let points = [-1.5, -0.9, -0.1, 0.0, 0.3, 0.8, 1.1, 2.0];
    let all = g(D1::new(0.0, 0.0)); // the same code over one state
    assert!(all.re.is_finite());
    let lanes = Lanes::<gradyn_derivatives::simd::Baseline>::from_array(points);
    let (value, slope) = {
        // chain rule by hand over lanes: the number type is Dual<Lanes, Lanes>
        let x = Dual::new(lanes, Lanes::from(1.0));
        let x2 = x * x;
        let y = x2 * x + x / (x2 + 2.0) - x;
        (y.re.to_array(), y.eps.to_array())
    };
    for k in 0..8 {
        let x = D1::new(points[k], 1.0);
        let x2 = x * x;
        let y = x2 * x + x / (x2 + 2.0) - x;
        assert_eq!(value[k], y.re);
        assert_close(slope[k], y.eps, 4.0 * f64::EPSILON, 1.0, "slope");
    }
    let over_lanes = g(lanes).to_array();
    for k in 0..8 {
        // vector sine within 2 ulp
        assert_close(over_lanes[k], g(points[k]), 1e-15, 1.0, "value");
    }
}
