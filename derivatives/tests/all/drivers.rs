//! The drivers against closed forms and against num-dual's, at every level.

use gradyn_derivatives::drivers::*;
use gradyn_derivatives::{FallibleFunction, Function, Scalar, ScalarFunction, num_dual};
use nalgebra::DVector;
use num_dual::DualNum;
use testing::{Random, assert_close, at_every_level};

/// The sizes at which chunks of eight begin, end and are full.
const SIZES: [usize; 8] = [0, 1, 2, 7, 8, 9, 16, 17];

/// `Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)²`
struct Rosenbrock(usize);
impl ScalarFunction for Rosenbrock {
    fn inputs(&self) -> usize {
        self.0
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        let mut sum = T::zero();
        for i in 1..x.len() {
            let (a, b) = (T::one() - x[i - 1], x[i] - x[i - 1] * x[i - 1]);
            sum += a * a + b * b * 100.0;
        }
        sum
    }
}

impl Rosenbrock {
    /// By hand.
    fn closed_form(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.0;
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n * n]);
        for i in 1..n {
            let (a, b) = (x[i - 1], x[i]);
            g[i - 1] += -400.0 * a * (b - a * a) - 2.0 * (1.0 - a);
            g[i] += 200.0 * (b - a * a);
            h[(i - 1) * n + i - 1] += 1200.0 * a * a - 400.0 * b + 2.0;
            h[i * n + i] += 200.0;
            h[(i - 1) * n + i] -= 400.0 * a;
            h[i * n + i - 1] -= 400.0 * a;
        }
        (g, h)
    }
}

/// `y_i = sin(Σ_j (i + 1) x_j / (j + 1)) + x_i²` with as many outputs as asked for.
struct Waves(usize, usize);
impl Function for Waves {
    fn inputs(&self) -> usize {
        self.0
    }
    fn outputs(&self) -> usize {
        self.1
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        for i in 0..y.len() {
            let mut phase = T::zero();
            for (j, x) in x.iter().enumerate() {
                phase += *x * ((i + 1) as f64 / (j + 1) as f64);
            }
            y[i] = phase.sin_cos().0;
            if i < x.len() {
                y[i] += x[i] * x[i];
            }
        }
    }
}

impl Waves {
    fn phase(x: &[f64], i: usize) -> f64 {
        x.iter().enumerate().map(|(j, x)| x * (i + 1) as f64 / (j + 1) as f64).sum()
    }
    fn entry(x: &[f64], i: usize, j: usize) -> f64 {
        let own = if i == j { 2.0 * x[i] } else { 0.0 };
        Self::phase(x, i).cos() * (i + 1) as f64 / (j + 1) as f64 + own
    }
    /// `∂²y_i / ∂x_j ∂x_k`
    fn second(x: &[f64], i: usize, j: usize, k: usize) -> f64 {
        let weight = (i + 1) as f64 / (j + 1) as f64 * (i + 1) as f64 / (k + 1) as f64;
        let own = if i == j && i == k { 2.0 } else { 0.0 };
        -Self::phase(x, i).sin() * weight + own
    }
}

/// Every output coupled to every input by more than one operation.
struct Coupled(usize);
impl ScalarFunction for Coupled {
    fn inputs(&self) -> usize {
        self.0
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        let mut y = T::one();
        for (i, x) in x.iter().enumerate() {
            y = (y * *x + 1.5).sqrt() + (*x * (i as f64 * 0.3 - 1.0)).exp() * y * 0.1;
        }
        y
    }
}
fn coupled<D: DualNum<Primitive = f64>>(x: &[D]) -> D {
    let mut y = D::one();
    for (i, x) in x.iter().enumerate() {
        y = (y.clone() * x + 1.5).sqrt() + (x.clone() * (i as f64 * 0.3 - 1.0)).exp() * y * 0.1;
    }
    y
}

/// Sums of up to 17 terms of size up to 17.
const TOLERANCE: f64 = 1e-13;

#[test]
fn jacobian_and_directional_derivative_match_the_closed_form() {
    at_every_level(|| {
        let mut random = Random::new(20);
        for n in SIZES {
            for m in [0, 1, 3, 9] {
                let (x, dx) = (random.numbers(n), random.numbers(n));
                let f = Waves(n, m);
                let (y, j) = jacobian(&f, &x).unwrap();
                let (y_2, dy) = directional(&f, &x, &dx).unwrap();
                assert_eq!((y.len(), j.len(), dy.len()), (m, m * n, m));
                assert_eq!(y, y_2);
                for i in 0..m {
                    let own = x.get(i).map_or(0.0, |x| x * x);
                    assert_close(y[i], Waves::phase(&x, i).sin() + own, TOLERANCE, 1.0, "value");
                    for k in 0..n {
                        assert_close(
                            j[i * n + k],
                            Waves::entry(&x, i, k),
                            TOLERANCE,
                            1.0,
                            format_args!("{m} × {n}: ({i}, {k})"),
                        );
                    }
                    let along: f64 = (0..n).map(|k| Waves::entry(&x, i, k) * dx[k]).sum();
                    assert_close(dy[i], along, TOLERANCE, 1.0, "J dx");
                }
            }
        }
    });
}

#[test]
fn rosenbrock_matches_the_closed_form() {
    at_every_level(|| {
        let mut random = Random::new(21);
        for n in SIZES {
            let f = Rosenbrock(n);
            let (x, v) = (random.numbers(n), random.numbers(n));
            let (g, h) = f.closed_form(&x);
            let (value, gradient) = gradient(&f, &x).unwrap();
            let (value_2, gradient_2, hessian) = hessian(&f, &x).unwrap();
            let (value_3, gradient_3, product) = hessian_vector(&f, &x, &v).unwrap();
            assert_eq!((value, value), (value_2, value_3));
            for i in 0..n {
                for gradient in [&gradient, &gradient_2, &gradient_3] {
                    assert_close(gradient[i], g[i], TOLERANCE, 100.0, format_args!("∇f[{i}], n = {n}"));
                }
                for k in 0..n {
                    assert_close(
                        hessian[i * n + k],
                        h[i * n + k],
                        TOLERANCE,
                        100.0,
                        format_args!("∇²f[{i}, {k}], n = {n}"),
                    );
                    assert!(hessian[i * n + k].to_bits() == hessian[k * n + i].to_bits(), "symmetric to the last bit");
                }
                let expected: f64 = (0..n).map(|k| h[i * n + k] * v[k]).sum();
                assert_close(product[i], expected, TOLERANCE, 1000.0, format_args!("(∇²f v)[{i}], n = {n}"));
            }
        }
    });
}

#[test]
fn weighted_hessian_is_the_weighted_sum_of_hessians() {
    at_every_level(|| {
        let mut random = Random::new(22);
        for n in SIZES {
            for m in [0, 1, 4] {
                let (x, weights) = (random.numbers(n), random.numbers(m));
                let found = weighted_hessian(&Waves(n, m), &x, &weights).unwrap();
                for j in 0..n {
                    let g: f64 = (0..m).map(|i| weights[i] * Waves::entry(&x, i, j)).sum();
                    assert_close(found.gradient[j], g, TOLERANCE, 10.0, "Jᵀλ");
                    for k in 0..n {
                        let h: f64 = (0..m).map(|i| weights[i] * Waves::second(&x, i, j, k)).sum();
                        assert_close(
                            found.hessian[j * n + k],
                            h,
                            TOLERANCE,
                            10.0,
                            format_args!("({j}, {k}) of {n}, m = {m}"),
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn drivers_agree_with_num_dual() {
    at_every_level(|| {
        let mut random = Random::new(23);
        for n in [1, 7, 8, 9, 17] {
            let x: Vec<f64> = (0..n).map(|_| random.range(0.1, 1.0)).collect();
            let v = random.numbers(n);
            let (value, gradient, hessian) = hessian(&Coupled(n), &x).unwrap();
            let (_, _, product) = hessian_vector(&Coupled(n), &x, &v).unwrap();
            let (value_2, gradient_2, hessian_2) =
                num_dual::hessian(|x| coupled(x.as_slice()), &DVector::from_column_slice(&x));
            let scale = hessian_2.amax().max(1.0);
            assert_close(value, value_2, TOLERANCE, 0.0, "value");
            for i in 0..n {
                assert_close(gradient[i], gradient_2[i], TOLERANCE, 1.0, "gradient");
                for k in 0..n {
                    assert_close(
                        hessian[i * n + k],
                        hessian_2[(i, k)],
                        TOLERANCE,
                        scale,
                        format_args!("({i}, {k}) of {n}"),
                    );
                }
                let expected: f64 = (0..n).map(|k| hessian_2[(i, k)] * v[k]).sum();
                assert_close(product[i], expected, 10.0 * TOLERANCE, scale, "∇²f v");
            }
        }
    });
    // and the Jacobian
    let x = DVector::from_fn(9, |i, _| 0.1 + 0.1 * i as f64);
    let (y, expected) = num_dual::jacobian(|x| nalgebra::dvector![coupled(x.as_slice()), x[8].clone() * &x[0]], &x);
    let (y_2, found) = jacobian(&CoupledPair, x.as_slice()).unwrap();
    for i in 0..2 {
        assert_close(y_2[i], y[i], TOLERANCE, 0.0, "value");
        for k in 0..9 {
            assert_close(found[i * 9 + k], expected[(i, k)], TOLERANCE, 1.0, format_args!("({i}, {k})"));
        }
    }
}

struct CoupledPair;
impl Function for CoupledPair {
    fn inputs(&self) -> usize {
        9
    }
    fn outputs(&self) -> usize {
        2
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y[0] = Coupled(9).eval(x);
        y[1] = x[8] * x[0];
    }
}

/// One workspace serves functions and drivers of all sizes in any order, and a change of level.
#[test]
fn a_workspace_serves_everything() {
    let mut workspace = Workspace::new();
    let mut random = Random::new(24);
    for round in 0..3 {
        at_every_level(|| {
            for n in [17, 1, 9, 0] {
                let x = random.numbers(n);
                let (y, j) = jacobian(&Waves(n, 3), &x).unwrap();
                let (mut y_2, mut j_2) = (vec![f64::NAN; 3], vec![f64::NAN; 3 * n]);
                jacobian_into(&Waves(n, 3), &x, &mut workspace, &mut y_2, &mut j_2).unwrap();
                assert_eq!((&y, &j), (&y_2, &j_2), "round {round}");
                let (value, g, h) = hessian(&Rosenbrock(n), &x).unwrap();
                let (mut g_2, mut h_2) = (vec![f64::NAN; n], vec![f64::NAN; n * n]);
                let value_2 = hessian_into(&Rosenbrock(n), &x, &mut workspace, &mut g_2, &mut h_2).unwrap();
                assert_eq!((value, &g, &h), (value_2, &g_2, &h_2), "round {round}");
            }
        });
    }
    assert!(format!("{workspace:?}").starts_with("Workspace"));
    fn is_send<T: Send>() {}
    is_send::<Workspace>();
}

#[test]
fn wrong_sizes_are_named() {
    let size = |what, expected, found| Err(DriverError::Size { what, expected, found });
    let (f, g, mut w) = (Waves(2, 3), Rosenbrock(2), Workspace::new());
    assert_eq!(jacobian(&f, &[1.0]).map(drop), size("x", 2, 1));
    assert_eq!(gradient(&g, &[]).map(drop), size("x", 2, 0));
    assert_eq!(hessian(&g, &[0.0; 3]).map(drop), size("x", 2, 3));
    assert_eq!(directional(&f, &[1.0; 2], &[1.0]).map(drop), size("dx", 2, 1));
    assert_eq!(hessian_vector(&g, &[1.0; 2], &[1.0]).map(drop), size("v", 2, 1));
    assert_eq!(weighted_hessian(&f, &[1.0; 2], &[1.0]).map(drop), size("weights", 3, 1));
    assert_eq!(jacobian_into(&f, &[1.0; 2], &mut w, &mut [0.0; 2], &mut [0.0; 6]), size("value", 3, 2));
    assert_eq!(jacobian_into(&f, &[1.0; 2], &mut w, &mut [0.0; 3], &mut [0.0; 7]), size("jacobian", 6, 7));
    assert_eq!(gradient_into(&g, &[1.0; 2], &mut w, &mut [0.0; 1]).map(drop), size("gradient", 2, 1));
    assert_eq!(hessian_into(&g, &[1.0; 2], &mut w, &mut [0.0; 2], &mut [0.0; 2]).map(drop), size("hessian", 4, 2));
    let message = jacobian(&f, &[1.0]).map_err(|error| error.to_string());
    assert_eq!(message.err().as_deref(), Some("`x` has 1 entries instead of 2"));
}

/// `y = [x₀, √x₁, unwritten if x₂ > 0 else x₂]`
struct Defective;
impl Function for Defective {
    fn inputs(&self) -> usize {
        3
    }
    fn outputs(&self) -> usize {
        3
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y[0] = x[0];
        y[1] = x[1].sqrt();
        let untouched = y[2];
        y[2] = x[2].select_lt(0.5, x[2], untouched);
    }
}

#[test]
fn what_is_not_finite_is_named() {
    at_every_level(|| {
        let value = |x: &[f64]| match jacobian(&Defective, x) {
            Err(DriverError::Value { output, value }) => (output, value.is_nan()),
            other => panic!("{other:?}"),
        };
        assert!(jacobian(&Defective, &[1.0, 1.0, 0.0]).is_ok());
        assert_eq!(value(&[f64::INFINITY, 1.0, 0.0]), (0, false));
        assert_eq!(value(&[1.0, -1.0, 0.0]), (1, true));
        assert_eq!(value(&[1.0, 1.0, 1.0]), (2, true), "an output that is not written");
        assert_eq!(value(&[1.0, 1.0, f64::NAN]), (2, true));
        let at_zero = [1.0, 0.0, 0.0];
        let derivative = |result: Result<_, DriverError>| match result {
            Err(DriverError::Derivative { output, .. }) => output,
            other => panic!("{other:?}"),
        };
        assert_eq!(derivative(jacobian(&Defective, &at_zero).map(drop)), 1);
        assert_eq!(derivative(directional(&Defective, &at_zero, &[0.0, 1.0, 0.0]).map(drop)), 1);
        assert_eq!(derivative(weighted_hessian(&Defective, &at_zero, &[0.0; 3]).map(drop)), 1);
        let huge = weighted_hessian(&Waves(1, 1), &[0.1], &[f64::MAX]).map(drop);
        assert!(huge.is_err(), "{huge:?}");
    });
}

/// `1e600 x²`: at zero the second derivative alone overflows.
struct Steep;
impl ScalarFunction for Steep {
    fn inputs(&self) -> usize {
        1
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        x[0] * x[0] * 1e300 * 1e300
    }
}

#[test]
fn a_second_derivative_that_is_not_finite_is_an_error() {
    assert_eq!(gradient(&Steep, &[0.0]), Ok((0.0, vec![0.0])));
    let expected = DriverError::SecondDerivative { row: 0, column: 0, derivative: f64::INFINITY };
    assert_eq!(hessian(&Steep, &[0.0]), Err(expected.clone()));
    assert_eq!(hessian_vector(&Steep, &[0.0], &[1.0]), Err(expected));
}

#[test]
fn plain_drivers_give_what_the_level_gives() {
    let (waves, x) = (Waves(11, 5), (0..11).map(|i| 0.3 + 0.1 * f64::from(i)).collect::<Vec<_>>());
    let ((value, exact), (plain_value, plain)) =
        (jacobian(&waves, &x).expect("fine"), plain_jacobian(&waves, &x).expect("fine"));
    // Levels differ by fused products: a few units of the last place of what is summed up, which is about one.
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + a.abs()));
    assert!(near(&value, &plain_value) && near(&exact, &plain));
    let (_, g, h) = hessian(&Rosenbrock(11), &x).expect("fine");
    let (_, plain_g, plain_h) = plain_hessian(&Rosenbrock(11), &x).expect("fine");
    assert!(near(&g, &plain_g) && near(&h, &plain_h));
    assert!(matches!(plain_jacobian(&waves, &x[1..]), Err(DriverError::Size { expected: 11, found: 10, .. })));
    assert!(matches!(plain_hessian(&Rosenbrock(11), &x[1..]), Err(DriverError::Size { expected: 11, found: 10, .. })));
}

/// The same valley, term by term in memory of its own; lost outside of a box.
struct Fallible(Rosenbrock);
impl FallibleFunction for Fallible {
    type Memory<T: Scalar> = Vec<T>;
    type Error = String;
    fn inputs(&self) -> usize {
        self.0.0
    }
    fn outputs(&self) -> usize {
        1
    }
    fn memory<T: Scalar>(&self) -> Vec<T> {
        Vec::new()
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, terms: &mut Vec<T>, x: &[T], y: &mut [T]) -> Result<(), String> {
        terms.clear();
        for i in 1..x.len() {
            if x[i].abs().is_below(10.0) != Some(true) {
                return Err(format!("input {i} is too large"));
            }
            let (a, b) = (T::one() - x[i - 1], x[i] - x[i - 1] * x[i - 1]);
            terms.push(a * a + b * b * 100.0);
        }
        y[0] = T::zero();
        for term in &*terms {
            y[0] += *term;
        }
        Ok(())
    }
}

/// With memory of its own a function has the same derivatives, and its error comes back as it is.
#[test]
fn functions_that_can_fail_have_derivatives() {
    for n in [1, 7, 9, 17] {
        let f = Fallible(Rosenbrock(n));
        let mut random = Random::new(n as u64);
        let mut x = random.numbers(n);
        let (expected_g, expected_h) = f.0.closed_form(&x);
        at_every_level(|| {
            let (mut w, mut g, mut h, mut value) = (Workspace::new(), vec![0.0; n], vec![0.0; n * n], [0.0]);
            for _ in 0..2 {
                let y = try_gradient_into(&f, &x, &mut w, &mut g).expect("inside the box");
                assert_close(y, f.0.eval(&x), 1e-13, 1.0, "value");
                for (found, expected) in g.iter().zip(&expected_g) {
                    assert_close(*found, *expected, 1e-13, 1000.0, "gradient");
                }
                try_weighted_hessian_into(&f, &x, &[2.0], &mut w, &mut value, &mut g, &mut h).expect("inside the box");
                for (found, expected) in h.iter().zip(&expected_h) {
                    assert_close(*found, 2.0 * expected, 1e-13, 1000.0, "hessian");
                }
            }
        });
        if n > 1 {
            x[n - 1] = -11.0;
            let (mut w, mut g) = (Workspace::new(), vec![0.0; n]);
            let error = try_gradient_into(&f, &x, &mut w, &mut g).expect_err("outside");
            assert_eq!(error, TryError::Function(format!("input {} is too large", n - 1)));
            let error = try_gradient_into(&f, &x[1..], &mut w, &mut g).expect_err("short");
            assert!(matches!(error, TryError::Driver(DriverError::Size { what: "x", .. })), "{error}");
        }
    }
}
