//! Differences: what accuracy is claimed, and whether the error estimates tell the truth.
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]
#![allow(clippy::needless_range_loop, reason = "indices name entries of several arrays")]

use gradyn_derivatives::difference::*;
use std::f64::consts::PI;
use testing::{Random, assert_close};

/// A function, its derivative, and where both are smooth over the longest step.
struct Known {
    name: &'static str,
    f: fn(f64) -> f64,
    derivative: fn(f64) -> f64,
    domain: [f64; 2],
}

const BATTERY: [Known; 12] = [
    Known { name: "sin x", f: f64::sin, derivative: f64::cos, domain: [-10.0, 10.0] },
    Known { name: "exp x", f: f64::exp, derivative: f64::exp, domain: [-5.0, 5.0] },
    Known { name: "ln x", f: f64::ln, derivative: |x| 1.0 / x, domain: [0.5, 100.0] },
    Known { name: "√x", f: f64::sqrt, derivative: |x| 0.5 / x.sqrt(), domain: [0.5, 100.0] },
    Known { name: "3x + 1000", f: |x| 3.0 * x + 1000.0, derivative: |_| 3.0, domain: [-10.0, 10.0] },
    Known { name: "7", f: |_| 7.0, derivative: |_| 0.0, domain: [-10.0, 10.0] },
    Known { name: "x³ − x", f: |x| x * x * x - x, derivative: |x| 3.0 * x * x - 1.0, domain: [-2.0, 2.0] },
    Known { name: "x¹⁰", f: |x| x.powi(10), derivative: |x| 10.0 * x.powi(9), domain: [-1.5, 1.5] },
    Known {
        name: "Runge's",
        f: |x| 1.0 / (1.0 + 25.0 * x * x),
        derivative: |x| -50.0 * x / (1.0 + 25.0 * x * x).powi(2),
        domain: [-1.0, 1.0],
    },
    Known {
        name: "tanh 5x",
        f: |x| (5.0 * x).tanh(),
        derivative: |x| 5.0 / (5.0 * x).cosh().powi(2),
        domain: [-1.0, 1.0],
    },
    Known { name: "cos 20x", f: |x| (20.0 * x).cos(), derivative: |x| -20.0 * (20.0 * x).sin(), domain: [-1.0, 1.0] },
    Known { name: "1e-9 sin x", f: |x| 1e-9 * x.sin(), derivative: |x| 1e-9 * x.cos(), domain: [-3.0, 3.0] },
];

/// Worst of true error over estimate.
fn honesty(method: Method) -> f64 {
    let mut random = Random::new(30);
    let mut worst: f64 = 0.0;
    for known in &BATTERY {
        for _ in 0..testing::rounds(500) {
            let x = random.range(known.domain[0], known.domain[1]);
            let f = |x: &[f64], y: &mut [f64]| y[0] = (known.f)(x[0]);
            let found = jacobian(method, &Euclidean(1), &Euclidean(1), f, &[x]).unwrap();
            let exact = (known.derivative)(x);
            let error = (found.value[0] - exact).abs();
            // the exact value is rounded too
            let ratio = (error - 4.0 * f64::EPSILON * exact.abs()).max(0.0) / found.error[0].max(f64::MIN_POSITIVE);
            assert!(ratio < 3.0, "{} at {x}: {found:?}, exactly {exact:e}, off by {error:e}", known.name);
            worst = worst.max(ratio);
        }
    }
    worst
}

#[test]
fn error_estimates_are_honest() {
    println!("central: true error at most {} times the estimate", honesty(Method::central()));
    println!("ridders: true error at most {} times the estimate", honesty(Method::ridders()));
}

/// For functions of unit scale; estimates are no worse than ten times that.
#[test]
fn accuracy_is_what_the_module_promises() {
    for (method, promised) in [(Method::central(), 1e-10), (Method::ridders(), 1e-12)] {
        let mut worst: f64 = 0.0;
        for i in 0..testing::rounds(100) {
            let x = [0.1 * i as f64 - 5.0, 0.5];
            let f = |x: &[f64], y: &mut [f64]| y[0] = x[0].sin() + x[1].exp();
            let found = jacobian(method, &Euclidean(2), &Euclidean(1), f, &x).unwrap();
            for (found, exact) in found.value.iter().zip([x[0].cos(), x[1].exp()]) {
                worst = worst.max((found - exact).abs());
            }
            assert!(found.error.iter().all(|error| *error < 10.0 * promised), "{found:?}");
        }
        println!("{method:?}: {worst:e}");
        assert!(worst < promised, "{method:?}: {worst:e}");
    }
}

/// A kink has no derivative: the estimate says so.
#[test]
fn a_kink_shows_in_the_estimate() {
    for method in [Method::central(), Method::ridders()] {
        let found =
            along(method, &Euclidean(1), |t: f64, y: &mut [f64]| y[0] = if t > 0.0 { t } else { t.sin() * 0.5 });
        let found = found.unwrap();
        // the one-sided slopes are 1 and 1/2
        assert!((found.value[0] - 0.75).abs() < 1e-2);
    }
    // a jump: D(h) = 1/2h
    for method in [Method::central(), Method::ridders()] {
        let found =
            along(method, &Euclidean(1), |t: f64, y: &mut [f64]| y[0] = if t > 0.0 { 1.0 } else { 0.0 }).unwrap();
        assert!(found.error[0] > 0.1 * found.value[0].abs(), "{found:?}");
    }
}

#[test]
fn a_sweep_falls_with_slope_two_and_rises_with_slope_minus_one() {
    let steps = logarithmic_steps(1e-1, 1e-12, 4);
    assert_eq!(steps.len(), 45);
    let curve = sweep(&steps, &Euclidean(1), |t: f64, y: &mut [f64]| y[0] = (1.0 + t).exp()).unwrap();
    let error = curve.errors(&[1.0_f64.exp()]);
    let slope = |from: f64, to: f64| {
        // least squares through log–log points
        let points: Vec<_> = steps.iter().zip(&error).filter(|(h, _)| **h >= from && **h <= to).collect();
        let n = points.len() as f64;
        let (sx, sy) = points.iter().fold((0.0, 0.0), |s, (h, e)| (s.0 + h.ln() / n, s.1 + e.ln() / n));
        let (xy, xx) = points
            .iter()
            .fold((0.0, 0.0), |s, (h, e)| (s.0 + (h.ln() - sx) * (e.ln() - sy), s.1 + (h.ln() - sx).powi(2)));
        xy / xx
    };
    assert_close(slope(1e-4, 1e-1), 2.0, 0.02, 0.0, "truncation");
    // rounding errors scatter
    assert_close(slope(1e-12, 1e-7), -1.0, 0.25, 0.0, "rounding");

    let best = curve.best_step(0).unwrap();
    assert!((1e-7..1e-3).contains(&best), "{best:e}");
    let at_best = steps.iter().position(|h| h.to_bits() == best.to_bits()).map(|i| error[i]).unwrap();
    let least = error.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(at_best < 1e-8 && least < 1e-9, "{at_best:e}, {least:e}");
    assert_eq!(curve.best_step(1), None);
    assert_eq!(sweep(&[0.1, 0.2], &Euclidean(1), |_: f64, y: &mut [f64]| y[0] = 0.0).unwrap().best_step(0), None);
    assert!(logarithmic_steps(0.0, 1.0, 3).is_empty() && logarithmic_steps(1.0, f64::NAN, 3).is_empty());
    assert_eq!(logarithmic_steps(1.0, 1.0, 3)[0], 1.0);
    assert_eq!(logarithmic_steps(1.0, 1e-300, u32::MAX).len(), 1_000_000);
    // Fields are public: what does not fit is no number, and nothing panics.
    let cut = Sweep { steps: vec![1.0, 0.1, 0.01], outputs: 2, derivative: vec![3.0; 3] };
    let errors = cut.errors(&[1.0, 1.0]);
    assert!(errors[0] == 2.0 && errors[1..].iter().all(|x| x.is_nan()) && errors.len() == 3, "{errors:?}");
    assert_eq!(cut.best_step(1), None);
}

/// Unit quaternions x y z w: `q ⊕ ω = q exp(ω)`, in the body frame.
struct UnitQuaternion;

fn product(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}
fn exp(w: &[f64]) -> [f64; 4] {
    let angle = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let s = if angle < 1e-8 { 0.5 } else { (angle / 2.0).sin() / angle };
    [w[0] * s, w[1] * s, w[2] * s, (angle / 2.0).cos()]
}
fn conjugate(q: &[f64]) -> [f64; 4] {
    [-q[0], -q[1], -q[2], q[3]]
}
/// `R(q) v`
fn rotate(q: &[f64], v: [f64; 3]) -> [f64; 3] {
    let w = product(&product(q, &[v[0], v[1], v[2], 0.0]), &conjugate(q));
    [w[0], w[1], w[2]]
}

impl Manifold for UnitQuaternion {
    fn coordinates(&self) -> usize {
        4
    }
    fn directions(&self) -> usize {
        3
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&product(x, &exp(dx)));
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        let d = product(&conjugate(y0), y1);
        let sine = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let scale = if sine < 1e-12 { 2.0 } else { 2.0 * sine.atan2(d[3]) / sine };
        for k in 0..3 {
            out[k] = d[k] * scale;
        }
    }
}

/// Three columns for four coordinates: `∂(R v)/∂ω = −R [v]ₓ`, and `q ↦ q c` has derivative `R(c)ᵀ`.
#[test]
fn differences_on_the_rotations() {
    let q = exp(&[0.3, -1.2, 0.8]);
    let c = exp(&[-0.5, 0.2, 1.0]);
    let v = [0.4, -0.7, 1.1];
    for (method, tolerance) in [(Method::central(), 1e-10), (Method::ridders(), 1e-12)] {
        let f = |q: &[f64], y: &mut [f64]| y.copy_from_slice(&rotate(q, v));
        let found = jacobian(method, &UnitQuaternion, &Euclidean(3), f, &q).unwrap();
        assert_eq!((found.rows, found.columns), (3, 3));
        for k in 0..3 {
            let e: [f64; 3] = std::array::from_fn(|i| f64::from(u8::from(i == k)));
            // e × v
            let cross = [e[1] * v[2] - e[2] * v[1], e[2] * v[0] - e[0] * v[2], e[0] * v[1] - e[1] * v[0]];
            let expected = rotate(&q, cross);
            for i in 0..3 {
                let error = (found.value[i * 3 + k] - expected[i]).abs();
                assert!(error < tolerance && error < 10.0 * found.error[i * 3 + k], "({i}, {k}): {found:?}");
            }
        }

        let f = |q: &[f64], y: &mut [f64]| y.copy_from_slice(&product(q, &c));
        let found = jacobian(method, &UnitQuaternion, &UnitQuaternion, f, &q).unwrap();
        for k in 0..3 {
            let expected = rotate(&conjugate(&c), std::array::from_fn(|i| f64::from(u8::from(i == k))));
            for i in 0..3 {
                let error = (found.value[i * 3 + k] - expected[i]).abs();
                assert!(error < tolerance && error < 10.0 * found.error[i * 3 + k], "({i}, {k}): {found:?}");
            }
        }

        // along one direction: the same column combination
        let dx = [0.1, 0.2, -0.3];
        let one = directional(method, &UnitQuaternion, &UnitQuaternion, f, &q, &dx).unwrap();
        let expected = rotate(&conjugate(&c), dx);
        for i in 0..3 {
            assert_close(one.value[i], expected[i], tolerance, 1.0, "along dx");
        }
    }
}

/// Many inputs and outputs at once, each entry with its own table.
#[test]
fn entries_are_where_they_belong() {
    let f = |x: &[f64], y: &mut [f64]| {
        for i in 0..3 {
            y[i] = x.iter().enumerate().map(|(j, x)| (x * (i + 2 * j + 1) as f64 * 0.2).sin()).sum();
        }
    };
    let x = [0.1, -0.4, 0.9, 2.0];
    for (method, tolerance) in [(Method::central(), 1e-9), (Method::ridders(), 1e-11)] {
        let found = jacobian(method, &Euclidean(4), &Euclidean(3), f, &x).unwrap();
        for i in 0..3 {
            for j in 0..4 {
                let rate = (i + 2 * j + 1) as f64 * 0.2;
                assert_close(
                    found.value[i * 4 + j],
                    rate * (rate * x[j]).cos(),
                    tolerance,
                    1.0,
                    format_args!("({i}, {j})"),
                );
            }
        }
    }
    let empty = jacobian(Method::ridders(), &Euclidean(0), &Euclidean(2), |_: &[f64], _: &mut [f64]| {}, &[]).unwrap();
    assert_eq!((empty.rows, empty.columns, empty.value.len()), (2, 0, 0));
    let empty = jacobian(Method::central(), &Euclidean(2), &Euclidean(0), |_: &[f64], _: &mut [f64]| {}, &[0.0; 2]);
    assert!(empty.unwrap().value.is_empty());
}

/// A step that is lost in `x`, or cut unevenly, would show here: `f(x) = x` at large and odd arguments.
#[test]
fn steps_follow_the_scale_of_the_variable() {
    for x in [0.0, 1.0 / 3.0, 1e-30, -7.7, 1e6 / 3.0, -1e15 / 7.0, 1e100] {
        let f = |x: &[f64], y: &mut [f64]| y[0] = x[0];
        for method in [Method::central(), Method::ridders()] {
            let found = jacobian(method, &Euclidean(1), &Euclidean(1), f, &[x]).unwrap();
            // x + h is exact, or else a relative ε |x| / h off
            assert_close(found.value[0], 1.0, 4.0 * f64::EPSILON + found.error[0], 0.0, x);
            let central = matches!(method, Method::Central { .. });
            assert!(!central || (found.value[0] - 1.0).abs() < 4.0 * f64::EPSILON, "{x}: {found:?}");
        }
    }
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("no value beyond {0}")]
struct Beyond(f64);

#[test]
fn failures_propagate_and_name_the_direction() {
    let f = |x: &[f64], y: &mut [f64]| -> Result<(), Beyond> {
        y[0] = x[0] * x[1];
        if x[1] > 1.0 { Err(Beyond(1.0)) } else { Ok(()) }
    };
    let (plane, line) = (Euclidean(2), Euclidean(1));
    assert!(jacobian(Method::central(), &plane, &line, f, &[5.0, 0.5]).is_ok());
    match jacobian(Method::central(), &plane, &line, f, &[0.0, 1.0]) {
        Err(DifferenceError::Function { direction: 1, step, error: Beyond(_) }) => assert!(step > 0.0),
        other => panic!("{other:?}"),
    }
    match jacobian(Method::ridders(), &plane, &line, f, &[0.0, 2.0]) {
        Err(DifferenceError::Function { direction: 0, step, .. }) => assert_eq!(step, 0.0, "at the point itself"),
        other => panic!("{other:?}"),
    }
    let message = jacobian(Method::central(), &plane, &line, f, &[0.0, 2.0]).map_err(|e| e.to_string()).err().unwrap();
    assert_eq!(message, "the function failed at step 0 along direction 0: no value beyond 1");

    let root = |x: &[f64], y: &mut [f64]| y[1] = x[0].sqrt() + x[1];
    match jacobian(Method::central(), &plane, &plane, root, &[4.0, 1.0]) {
        Err(DifferenceError::NotFinite { output: 0, value, .. }) => assert!(value.is_nan(), "not written"),
        other => panic!("{other:?}"),
    }
    let root = |x: &[f64], y: &mut [f64]| y[0] = x[0].sqrt();
    let found = jacobian(Method::central(), &line, &line, root, &[0.0]);
    assert!(matches!(found, Err(DifferenceError::NotFinite { output: 0, direction: 0, .. })), "{found:?}");
}

#[test]
fn wrong_sizes_and_steps_are_named() {
    let f = |x: &[f64], y: &mut [f64]| y[0] = x[0];
    let (plane, line) = (Euclidean(2), Euclidean(1));
    let size = |what, expected, found| Err(DifferenceError::Size { what, expected, found });
    assert_eq!(jacobian(Method::central(), &plane, &line, f, &[1.0]), size("x", 2, 1));
    assert_eq!(directional(Method::central(), &plane, &line, f, &[1.0; 2], &[1.0; 3]), size("dx", 2, 3));
    for step in [0.0, -1.0, f64::INFINITY] {
        let found = jacobian(Method::Central { step }, &line, &line, f, &[1.0]);
        assert_eq!(found, Err(DifferenceError::Step { step }));
        assert!(sweep(&[0.1, step], &line, |t: f64, y: &mut [f64]| y[0] = t).is_err());
    }
    assert!(along(Method::Ridders { step: 0.1, rows: 0 }, &line, |t: f64, y: &mut [f64]| y[0] = t * PI).is_ok());
}

/// Three rows remove `h²` and `h⁴`: exact for polynomials of degree six, but not of degree seven.
#[test]
fn each_row_removes_one_even_power() {
    let three = Method::Ridders { step: 0.5, rows: 3 };
    let at = |degree: i32| {
        let f = |x: &[f64], y: &mut [f64]| y[0] = x[0].powi(degree);
        jacobian(three, &Euclidean(1), &Euclidean(1), f, &[1.0]).unwrap().value[0]
    };
    for degree in 1..=6 {
        // rounding of 1.5⁶ = 11 over h = 1/8
        assert_close(at(degree), f64::from(degree), 5e-14, 0.0, format_args!("degree {degree}"));
    }
    // c₃ h₀² h₁² h₂² with c₃ = 1
    assert_close(at(7), 7.0 + 0.25 * 0.0625 * 0.015_625, 1e-13, 0.0, "degree 7");
}
