//! The functions of [`Real`] with three derivatives, in every number type, also where they have a kink or an edge.

#![expect(clippy::float_cmp, reason = "kinks and infinite values are at exact places")]

use gradyn_derivatives::num_dual::{Dual as Theirs, Dual3_64, Dual64};
use gradyn_derivatives::{Dual, Dual8, Kernel, Lanes, Real, Register, VectorDual, dispatch};
use std::f64::consts::{FRAC_PI_2, PI};
use std::marker::PhantomData;
use testing::{assert_close, at_every_level};

type D1 = Dual<f64, f64>;
type D2 = Dual<D1, D1>;
type D3 = Dual<D2, D2>;
type Theirs3 = Theirs<Theirs<Dual64>>;

/// A function of one variable.
trait Case {
    fn eval<T: Real>(x: T) -> T;
    /// `f, f′, f″, f‴`, by formulas of their own.
    fn exact(x: f64) -> [f64; 4];
}

/// Value and first derivative in all lanes but the last, which does not vary; and the value in lanes.
struct AtLevel<C>(f64, PhantomData<C>);

impl<C: Case> Kernel for AtLevel<C> {
    type Output = (f64, [f64; 8], [f64; 8]);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let y = C::eval(VectorDual::<R>::from_parts(self.0, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]));
        (y.value(), y.eps.to_array(), C::eval(Lanes::<R>::from(self.0)).to_array())
    }
}

fn d3(x: f64) -> D3 {
    let one = D1::new(1.0, 0.0);
    D3::new(D2::new(D1::new(x, 1.0), one), D2::new(one, D1::new(0.0, 0.0)))
}

fn check<C: Case>(name: &str, points: &[f64]) {
    for &x in points {
        let exact = C::exact(x);
        let compare = |what: &str, k: usize, found: f64| {
            // A few dozen roundings, each of condition below ten; infinite ones are compared as they are.
            let same = found == exact[k] || (found - exact[k]).abs() <= 1e-12 * exact[k].abs().max(1.0);
            assert!(same, "{name}({x}), derivative {k} by {what}: {found:e} instead of {:e}", exact[k]);
        };
        compare("f64", 0, C::eval(x));
        let y = C::eval(d3(x));
        for (k, found) in [y.re.re.re, y.re.re.eps, y.re.eps.eps, y.eps.eps.eps].into_iter().enumerate() {
            compare("three of ours", k, found);
        }
        compare("three of ours, outside", 1, y.eps.re.re);
        let y = C::eval(Dual3_64::from(x).derivative());
        for (k, found) in [y.re, y.v1, y.v2, y.v3].into_iter().enumerate() {
            compare("Dual3", k, found);
        }
        let one = Theirs::new(1.0, 0.0);
        let y = C::eval(Theirs3::new(Theirs::new(Theirs::new(x, 1.0), one), Theirs::new(one, Theirs::new(0.0, 0.0))));
        for (k, found) in [y.re.re.re, y.re.re.eps, y.re.eps.eps, y.eps.eps.eps].into_iter().enumerate() {
            compare("three of theirs", k, found);
        }
        at_every_level(|| {
            let (value, derivatives, lanes) = dispatch(AtLevel::<C>(x, PhantomData));
            compare("VectorDual", 0, value);
            for (lane, derivative) in derivatives.into_iter().enumerate() {
                if lane < 7 {
                    compare("VectorDual", 1, derivative);
                } else if exact[1].is_finite() {
                    assert_close(derivative, 0.0, 0.0, 0.0, format_args!("{name}({x}), no variation"));
                }
            }
            lanes.into_iter().for_each(|value| compare("Lanes", 0, value));
        });
    }
}

macro_rules! cases {
    ($($name:ident |$x:ident| $formula:expr, $points:expr, $exact:expr;)*) => { $(
        #[test]
        fn $name() {
            struct This;
            impl Case for This {
                #[inline(always)]
                fn eval<T: Real>($x: T) -> T {
                    $formula
                }
                #[allow(unused_variables, reason = "derivatives of constants")]
                fn exact($x: f64) -> [f64; 4] {
                    $exact
                }
            }
            check::<This>(stringify!($name), &$points);
        }
    )* };
}

/// Of `θ = atan2(y, x)` along a straight line: `θ′ = c/r²` with `c = x y′ − y x′`, and `r²′ = 2 p`.
fn angle(x: f64, y: f64, dx: f64, dy: f64) -> [f64; 4] {
    let (c, p, d, r) = (x * dy - y * dx, x * dx + y * dy, dx * dx + dy * dy, x * x + y * y);
    [y.atan2(x), c / r, -2.0 * c * p / (r * r), -2.0 * c * (d - 4.0 * p * p / r) / (r * r)]
}

cases! {
    sin |x| x.sin(), [-2.0, 0.0, 0.5, 3.0], [x.sin(), x.cos(), -x.sin(), -x.cos()];
    cos |x| x.cos(), [-2.0, 0.0, 0.5, 3.0], [x.cos(), -x.sin(), -x.cos(), x.sin()];
    tan |x| x.tan(), [-1.2, -0.5, 0.0, 1e-200, 0.3, 1.3, PI], {
        let t = x.tan();
        let d = 1.0 + t * t;
        [t, d, 2.0 * t * d, (2.0 + 6.0 * t * t) * d]
    };
    tanh |x| x.tanh(), [-1e300, -800.0, -400.0, -3.0, -1e-9, -0.0, 0.0, 1e-300, 1e-9, 0.2, 1.0, 20.0, 400.0, 800.0, 1e300], {
        let (y, s) = (x.tanh(), 1.0 / (x.cosh() * x.cosh()));
        [y, s, -2.0 * y * s, s * (6.0 * y * y - 2.0)]
    };
    exp_m1 |x| x.exp_m1(), [-800.0, -1.0, -1e-12, 0.0, 1e-12, 2.0], [x.exp_m1(), x.exp(), x.exp(), x.exp()];
    asin |x| x.asin(), [-0.9, 0.0, 0.5, 0.999], {
        let d = ((1.0 - x) * (1.0 + x)).sqrt().recip();
        [x.asin(), d, x * d.powi(3), (1.0 + 2.0 * x * x) * d.powi(5)]
    };
    acos |x| x.acos(), [-0.9, 0.0, 0.5, 0.999], {
        let d = -((1.0 - x) * (1.0 + x)).sqrt().recip();
        [x.acos(), d, x * d.powi(3), (1.0 + 2.0 * x * x) * d.powi(5)]
    };
    atan |x| x.atan(), [-3.0, 0.0, 0.5, 1e3], {
        let d = (1.0 + x * x).recip();
        [x.atan(), d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d.powi(3)]
    };
    abs |x| x.abs(), [-2.0, -1e-300, -0.0, 0.0, 1e-300, 3.0],
        [x.abs(), if x == 0.0 { 0.0 } else { x.signum() }, 0.0, 0.0];
    powi_0 |x| x.powi(0), [-2.0, 0.0, 3.0], [1.0, 0.0, 0.0, 0.0];
    powi_1 |x| x.powi(1), [-2.0, 0.0, 3.0], [x, 1.0, 0.0, 0.0];
    powi_2 |x| x.powi(2), [-2.0, 0.0, 3.0], [x * x, 2.0 * x, 2.0, 0.0];
    powi_3 |x| x.powi(3), [-2.0, 0.0, 3.0], [x * x * x, 3.0 * x * x, 6.0 * x, 6.0];
    powi_7 |x| x.powi(7), [-1.5, 0.0, 1.5],
        [x.powi(7), 7.0 * x.powi(6), 42.0 * x.powi(5), 210.0 * x.powi(4)];
    powi_minus_2 |x| x.powi(-2), [-1.5, 0.7], [x.powi(-2), -2.0 * x.powi(-3), 6.0 * x.powi(-4), -24.0 * x.powi(-5)];
    min_with_a_line |x| x.min(-x + 2.0), [0.5, 1.0, 2.0],
        if x == 1.0 { [1.0, 0.0, 0.0, 0.0] } else if x < 1.0 { [x, 1.0, 0.0, 0.0] } else { [2.0 - x, -1.0, 0.0, 0.0] };
    max_with_a_parabola |x| (x * x).max(x), [-0.5, 0.0, 0.5, 1.0, 2.0],
        if x == 0.0 || x == 1.0 { [x, x + 0.5, 1.0, 0.0] }
        else if x * x > x { [x * x, 2.0 * x, 2.0, 0.0] } else { [x, 1.0, 0.0, 0.0] };
    smooth_abs |x| x.smooth_abs(0.3), [-2.0, 0.0, 0.1, 5.0], {
        let (r, w) = ((x * x + 0.09).sqrt(), 0.09);
        [r, x / r, w / r.powi(3), -3.0 * w * x / r.powi(5)]
    };
    smooth_min |x| x.smooth_min(-x, 0.6), [-2.0, 0.0, 0.1, 5.0], {
        let (r, w) = ((x * x + 0.09).sqrt(), 0.09); //               −√(4x² + 0.36)/2
        [-r, -x / r, -w / r.powi(3), 3.0 * w * x / r.powi(5)]
    };
    smooth_max |x| x.smooth_max(-x, 0.6), [-2.0, 0.0, 0.1, 5.0], {
        let (r, w) = ((x * x + 0.09).sqrt(), 0.09);
        [r, x / r, w / r.powi(3), -3.0 * w * x / r.powi(5)]
    };
    atan2_through_the_axis_of_y |t| (t * 0.5 + 1.5).atan2(t), [-1.0, -0.0, 0.0, 1e-60, 1e-300, 0.5],
        angle(t, 1.5 + 0.5 * t, 1.0, 0.5);
    atan2_through_the_lower_axis_of_y |t| (t * 0.5 - 1.5).atan2(t), [-1.0, -0.0, 0.0, -1e-60, 1e-300, 0.5],
        angle(t, -1.5 + 0.5 * t, 1.0, 0.5);
    atan2_through_the_axis_of_x |t| t.atan2(t * 0.5 + 1.5), [-1.0, 0.0, 1e-300, 0.5], angle(1.5 + 0.5 * t, t, 0.5, 1.0);
    atan2_where_the_angle_jumps |t| (t + 1e-3).atan2(-t * 0.5 - 1.5), [-0.5, 0.0, 0.5],
        angle(-1.5 - 0.5 * t, t + 1e-3, -0.5, 1.0);
}

/// Squares of these vanish, or overflow.
#[test]
fn angles_of_short_and_long_vectors_have_derivatives() {
    for size in [1e-200, 1e200] {
        let (y, x) = (D1::new(3.0 * size, size), D1::new(-4.0 * size, 0.0));
        let by = Real::atan2(y, x);
        assert_close(by.re, 3.0_f64.atan2(-4.0), 1e-15, 0.0, "angle");
        assert_close(by.eps, -4.0 / 25.0, 1e-15, 0.0, "its derivative");
    }
}

/// Values are those of `f64` or next to them, and what has no value is NaN, never another number.
#[test]
fn values_at_the_edges() {
    assert_eq!(Real::atan2(0.0_f64, 0.0), 0.0);
    assert!(Real::atan2(Dual8::variable(0.0, 0), Dual8::variable(0.0, 1)).eps.to_array()[0].is_nan());
    assert_eq!(Real::atan2(Dual64::new(1.0, 1.0), Dual64::new(0.0, 0.0)).re, FRAC_PI_2);
    assert_eq!(Real::atan2(Dual64::new(-1.0, 1.0), Dual64::new(-0.0, 0.0)).re, -FRAC_PI_2);
    assert_eq!(Real::powi(0.0_f64, -1), f64::INFINITY);
    assert_eq!(Real::powi(Dual64::new(0.0, 1.0), -1).re, f64::INFINITY);
    assert_eq!(Real::powi(2.0_f64, i32::MIN), 0.0);
    assert_eq!(Real::powi(1.0_f64, i32::MAX), 1.0);
    assert!(Real::abs(-0.0_f64).is_sign_positive());
    assert_eq!(Real::abs(f64::NEG_INFINITY), f64::INFINITY);
    assert_eq!(Real::tanh(f64::INFINITY), 1.0);
    assert_eq!(Real::max(f64::INFINITY, f64::INFINITY), f64::INFINITY);
    assert_eq!(Real::min(f64::INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    let nan = f64::NAN;
    let lost = [Real::abs(nan), Real::tanh(nan), Real::max(nan, 1.0), Real::max(1.0, nan), Real::min(1.0, nan)];
    assert!(lost.iter().all(|x| x.is_nan()), "{lost:?}");
    assert!([Real::asin(1.1_f64), Real::acos(-1.1), Real::sqrt(-1.0)].iter().all(|x| x.is_nan()));
    assert_eq!(Real::sqrt(D1::new(0.0, 1.0)).eps, f64::INFINITY);
    assert_eq!(Real::asin(D1::new(1.0, 1.0)).eps, f64::INFINITY);
}

/// By the value alone; lanes that differ have no common answer.
#[test]
fn values_are_compared() {
    let (a, b) = (D1::new(1.0, 5.0), D1::new(2.0, -5.0));
    assert_eq!((a.is_less(b), b.is_less(a), a.is_less(a)), (Some(true), Some(false), Some(false)));
    assert_eq!((a.is_below(1.0), a.is_below(1.5)), (Some(false), Some(true)));
    assert_eq!(f64::NAN.is_below(0.0), Some(false));
    assert_eq!(a.select_less(b, b, a).eps, -5.0);
    let mut x = [1.0; 8];
    let one = Lanes::<gradyn_derivatives::simd::Baseline>::from_array(x);
    assert_eq!(one.is_below(2.0), Some(true));
    x[3] = 3.0;
    let mixed = Lanes::<gradyn_derivatives::simd::Baseline>::from_array(x);
    assert_eq!(mixed.is_below(2.0), None);
    assert_eq!(one.max(mixed), mixed);
    assert_eq!(one.min(mixed), one);
}
