//! The checker of derivatives: second derivatives, products, manifolds, patterns, generic functions, bad input.

use gradyn_derivatives::check::{
    CheckError, Claim, Guess, Knowledge, Options, Reason, Verdict, generic_gradient, generic_hessian, generic_jacobian,
    gradient, hessian, hessian_vector, jacobian, jacobian_vector, jacobian_with, vector_jacobian,
};
use gradyn_derivatives::difference::{Euclidean, Manifold};
use gradyn_derivatives::{Function, Scalar, ScalarFunction, assert_derivatives, assert_gradient, assert_jacobian};
use std::f64::consts::PI;

/// `x² y + sin(y z) + z³`
fn f(x: &[f64]) -> f64 {
    x[0] * x[0] * x[1] + (x[1] * x[2]).sin() + x[2].powi(3)
}

fn second(x: &[f64]) -> Vec<f64> {
    let [a, b, c] = [x[0], x[1], x[2]];
    let (sin, cos) = (b * c).sin_cos();
    let bc = cos - b * c * sin;
    vec![2.0 * b, 2.0 * a, 0.0, 2.0 * a, -c * c * sin, bc, 0.0, bc, 6.0 * c - b * b * sin]
}

const X: [f64; 3] = [0.7, -1.1, 0.4];

fn of_f(values: &[f64]) -> gradyn_derivatives::check::Report {
    let claim = Claim::new(3, 3, values).expect("fits");
    hessian(&Options::new("H").seed(5), &Euclidean(3), f, &X, &claim).expect("runs")
}

/// A right Hessian agrees, and its Taylor remainders are of third order; an entry wrong by 1e-5 is found; half of a
/// symmetric matrix is called that.
#[test]
fn hessians_are_checked() {
    let right = second(&X);
    let report = of_f(&right);
    assert!(report.agrees(), "{report}");
    for taylor in &report.taylor {
        assert!(taylor.order.is_some_and(|order| (order - 3.0).abs() < 0.2), "{taylor:?}");
    }
    for wrong in (0..9).filter(|k| right[*k] != 0.0) {
        let mut values = right.clone();
        values[wrong] *= 1.0 + 1e-5;
        let report = of_f(&values);
        let found = report.worst()[0];
        assert_eq!((report.counts.disagree, found.row * 3 + found.column), (1, wrong), "{report}");
        values[wrong] = right[wrong] * 1.5;
        let report = of_f(&values);
        assert!(report.taylor.iter().any(|taylor| !taylor.agrees()), "{:?}", report.taylor);
    }
    let upper: Vec<f64> = (0..9).map(|k| if k / 3 > k % 3 { 0.0 } else { right[k] }).collect();
    assert_eq!(of_f(&upper).guess(), Some(&Guess::OneTriangle { upper: true }));
    let doubled: Vec<f64> = right.iter().map(|x| 2.0 * x).collect();
    assert_eq!(of_f(&doubled).guess(), Some(&Guess::Factor { factor: 2.0 }));
}

/// Where the slope has a kink, there is no second derivative.
#[test]
fn kinks_of_slopes_are_recognized() {
    for (name, f) in [("x|x|", (|x: &[f64]| x[0] * x[0].abs()) as fn(&[f64]) -> f64), ("|x|", |x| x[0].abs())] {
        let claim = Claim::new(1, 1, &[0.5]).expect("fits");
        let report = hessian(&Options::new(name), &Euclidean(1), f, &[0.0], &claim).expect("runs");
        assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::NonSmooth), "{report}");
    }
}

/// Products with vectors of any length agree if right and disagree if wrong.
#[test]
fn products_are_checked() {
    let h = second(&X);
    let gradient =
        [2.0 * X[0] * X[1], X[0] * X[0] + X[2] * (X[1] * X[2]).cos(), X[1] * (X[1] * X[2]).cos() + 3.0 * X[2] * X[2]];
    for size in [1e-3, 1.0, 1e4] {
        let v = [0.3 * size, -size, 0.5 * size];
        let mut product: Vec<f64> = (0..3).map(|i| (0..3).map(|k| h[3 * i + k] * v[k]).sum()).collect();
        let options = Options::new("product");
        let check = |product: &[f64]| hessian_vector(&options, &Euclidean(3), f, &X, &v, product).expect("runs");
        assert!(check(&product).agrees(), "{}", check(&product));
        product[1] *= 1.0 + 1e-4;
        assert_eq!(check(&product).counts.disagree, 1);

        let along: f64 = gradient.iter().zip(&v).map(|(g, v)| g * v).sum();
        let one = |x: &[f64], y: &mut [f64]| y[0] = f(x);
        let check =
            |claim: f64| jacobian_vector(&options, &Euclidean(3), &Euclidean(1), one, &X, &v, &[claim]).expect("runs");
        assert!(check(along).agrees() && !check(along * (1.0 + 1e-5)).agrees(), "{size}: {}", check(along));
        let back: Vec<f64> = gradient.iter().map(|g| g * size).collect();
        let report = vector_jacobian(&options, &Euclidean(3), &Euclidean(1), one, &X, &[size], &back).expect("runs");
        assert!(report.agrees(), "{report}");
        let minus: Vec<f64> = back.iter().map(|g| -g).collect();
        let report = vector_jacobian(&options, &Euclidean(3), &Euclidean(1), one, &X, &[size], &minus).expect("runs");
        assert_eq!(report.guess(), Some(&Guess::WrongSign), "{report}");
    }
}

/// Angles in the plane, as (cos, sin).
struct Circle;

impl Manifold for Circle {
    fn coordinates(&self) -> usize {
        2
    }
    fn directions(&self) -> usize {
        1
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        let (sin, cos) = dx[0].sin_cos();
        (out[0], out[1]) = (x[0] * cos - x[1] * sin, x[1] * cos + x[0] * sin);
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        out[0] = (y0[0] * y1[1] - y0[1] * y1[0]).atan2(y0[0] * y1[0] + y0[1] * y1[1]);
    }
}

/// Inputs and outputs on a manifold; a column a coordinate is refused, with the reason.
#[test]
fn manifolds_have_columns_for_directions() {
    let x = [0.6, 0.8];
    // Angle doubling.
    let double = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[0] - x[1] * x[1], 2.0 * x[0] * x[1]);
    let right = Claim::new(1, 1, &[2.0]).expect("fits");
    assert_derivatives!(jacobian(&Options::new("2θ"), &Circle, &Circle, double, &x, &right));
    let by_coordinates = Claim::new(1, 2, &[0.0, 2.0]).expect("fits");
    let error =
        jacobian(&Options::new("2θ"), &Circle, &Circle, double, &x, &by_coordinates).expect_err("has two columns");
    let CheckError::Shape { guess, .. } = &error else { panic!("{error}") };
    assert_eq!(*guess, Some(Guess::CoordinatesNotDirections));
    assert_eq!(
        error.to_string(),
        "`2θ` is 1 × 2, expected 1 × 1: one entry per coordinate (nq) instead of one per direction of motion (nv)"
    );
    // cos² of the angle, whose second derivative is −2 cos 2θ.
    let claim = Claim::new(1, 1, &[-2.0 * (0.36 - 0.64)]).expect("fits");
    assert_derivatives!(hessian(&Options::new("cos²"), &Circle, |x: &[f64]| x[0] * x[0], &x, &claim));
}

/// What a declared pattern leaves out has to be zero.
#[test]
fn patterns_are_checked() {
    let f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[0], x[0] * x[1]);
    let check = |entries: &[(usize, usize, f64)]| {
        let claim = Claim::sparse(2, 2, entries).expect("fits");
        jacobian(&Options::new("J"), &Euclidean(2), &Euclidean(2), f, &[1.5, 2.0], &claim).expect("runs")
    };
    assert!(check(&[(0, 0, 3.0), (1, 0, 1.0), (1, 0, 1.0), (1, 1, 1.5)]).agrees());
    let report = check(&[(0, 0, 3.0), (1, 1, 1.5)]);
    assert_eq!((report.counts.disagree, report.guess()), (1, Some(&Guess::Pattern)), "{report}");
    assert!(Claim::sparse(2, 2, &[(2, 0, 1.0)]).is_err());
}

/// A formula for every number type.
struct Generic;

impl ScalarFunction for Generic {
    fn inputs(&self) -> usize {
        3
    }
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        x[0] * x[0] * x[1] + (x[1] * x[2]).sin_cos().0 + x[2] * x[2] * x[2]
    }
}

/// Its two halves.
struct Halves;

impl Function for Halves {
    fn inputs(&self) -> usize {
        3
    }
    fn outputs(&self) -> usize {
        2
    }
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        (y[0], y[1]) = (x[0] * x[0] * x[1], (x[1] * x[2]).sin_cos().0);
    }
}

/// Dual numbers sharpen the evidence to rounding; where they lose a derivative, differences are believed.
#[test]
fn dual_numbers_are_evidence() {
    let options = Options::new("generic").tolerance(1e-12);
    let mut values = second(&X);
    let claim = |values: &[f64]| Claim::new(3, 3, values).expect("fits");
    assert_derivatives!(generic_hessian(&options, &Generic, &X, &claim(&values)));
    values[4] *= 1.0 + 1e-10;
    assert_eq!(generic_hessian(&options, &Generic, &X, &claim(&values)).expect("runs").counts.disagree, 1);

    let exact = gradyn_derivatives::drivers::gradient(&Generic, &X).expect("is finite").1;
    assert_derivatives!(generic_gradient(&options, &Generic, &X, &exact));

    let jacobian = gradyn_derivatives::drivers::jacobian(&Halves, &X).expect("is finite").1;
    let claim = Claim::new(2, 3, &jacobian).expect("fits");
    assert_derivatives!(generic_jacobian(&options, &Halves, &X, &claim));

    // What a shortcut for equal values makes of x y: the derivative by y is lost.
    let f = |x: &[f64], y: &mut [f64]| y[0] = x[0] * x[1];
    let check = |values: &[f64]| {
        let knowledge = Knowledge { exact: Some(vec![3.0, 0.0]), ..Knowledge::default() };
        let claim = Claim::new(1, 2, values).expect("fits");
        let (plane, line) = (Euclidean(2), Euclidean(1));
        jacobian_with(&Options::new("lossy"), &plane, &line, f, &[2.0, 3.0], &claim, &knowledge).expect("runs")
    };
    let report = check(&[3.0, 2.0]);
    assert!(report.agrees() && report.notes.len() == 1, "{report}");
    assert_eq!(check(&[3.0, 0.0]).counts.disagree, 1);
}

/// Degrees and parts exchanged, in the columns that they concern.
#[test]
fn mistakes_in_some_columns_are_named() {
    // x = [angle, length; their rates]
    let f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[1] * x[0].sin() + x[2] * x[3], x[0].cos() * x[3] + x[2]);
    let x: [f64; 4] = [0.5, 2.0, -0.3, 0.8];
    let (sin, cos) = x[0].sin_cos();
    let right = [x[1] * cos, sin, x[3], x[2], -sin * x[3], 0.0, 1.0, cos];
    let check = |values: &[f64]| {
        let claim = Claim::new(2, 4, values).expect("fits");
        jacobian(&Options::new("J"), &Euclidean(4), &Euclidean(2), f, &x, &claim).expect("runs")
    };
    assert!(check(&right).agrees());
    let mut degrees = right;
    (degrees[0], degrees[4]) = (right[0] * PI / 180.0, right[4] * PI / 180.0);
    assert_eq!(check(&degrees).guess(), Some(&Guess::Degrees));
    let exchanged: Vec<f64> = (0..8).map(|k| right[k / 4 * 4 + (k + 2) % 4]).collect();
    assert!(matches!(check(&exchanged).guess(), Some(Guess::PartsExchanged { .. })), "{}", check(&exchanged));
    let order = [1, 0, 3, 2];
    let reordered: Vec<f64> = (0..8).map(|k| right[k / 4 * 4 + order[k % 4]]).collect();
    assert_eq!(check(&reordered).guess(), Some(&Guess::Reordered));
}

/// The macros pass what is right, and fail with the report and the seed in the message.
#[test]
fn macros_fail_readably() {
    assert_jacobian!(|x: &[f64], y: &mut [f64]| y[0] = x[0] * x[1], [2.0, 3.0], [3.0, 2.0]);
    assert_gradient!(|x: &[f64]| x[0] * x[1], [2.0, 3.0], [3.0, 2.0]);
    let failure = std::panic::catch_unwind(|| {
        let options = Options::new("product").columns(["hip", "knee"]).seed(41);
        assert_gradient!(|x: &[f64]| x[0] * x[1], [2.0, 3.0], [6.0, 4.0], options);
    });
    let message = *failure.expect_err("is wrong").downcast::<String>().expect("a message");
    for part in ["product: 2 of 2 entries DISAGREE (seed 41)", "by hip: claimed 6, found 3", "2 times too large"] {
        assert!(message.contains(part), "{message}");
    }
}

/// Bad input comes back as an error, not as a verdict.
#[test]
fn bad_input_is_refused() {
    let f = |x: &[f64]| x[0];
    let check = |x: &[f64], claim: &[f64], options: &Options| gradient(options, &Euclidean(1), f, x, claim);
    let good = Options::default();
    assert!(check(&[1.0], &[1.0], &good).is_ok());
    assert!(matches!(check(&[1.0, 2.0], &[1.0], &good), Err(CheckError::Size { what: "x", .. })));
    assert!(matches!(check(&[f64::NAN], &[1.0], &good), Err(CheckError::Number { what: "x", index: 0, .. })));
    assert!(matches!(check(&[1.0], &[1.0, 2.0], &good), Err(CheckError::Shape { .. })));
    assert!(matches!(check(&[1.0], &[1.0], &Options::new("f").step(0.0)), Err(CheckError::Number { .. })));
    assert!(matches!(check(&[1.0], &[1.0], &Options::new("f").tolerance(f64::NAN)), Err(CheckError::Number { .. })));
    assert!(matches!(check(&[1.0], &[1.0], &Options::new("f").columns(["a", "b"])), Err(CheckError::Size { .. })));
    let failing = |_: &[f64], _: &mut [f64]| Err::<(), _>("no");
    let claim = Claim::new(1, 1, &[1.0]).expect("fits");
    let error = jacobian(&good, &Euclidean(1), &Euclidean(1), failing, &[1.0], &claim).expect_err("fails");
    assert_eq!(error.to_string(), "the function fails at the point: no");
    // A claim that is no number is wrong wherever there is one.
    let report = check(&[1.0], &[f64::NAN], &good).expect("runs");
    assert_eq!(report.counts.disagree, 1, "{report}");
}

/// Reports can be written, with verdicts and guesses by name; what is not finite is null.
#[cfg(feature = "serde")]
#[test]
fn reports_are_written() {
    let f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[1], x[0].abs());
    let claim = Claim::new(2, 2, &[2.0 * 3.0, 0.0, 0.0, 0.0]).expect("fits");
    let options = Options::new("J").rows(["area", "size"]).seed(9);
    let report = jacobian(&options, &Euclidean(2), &Euclidean(2), f, &[0.0, 3.0], &claim).expect("runs");
    let value = serde_json::to_value(&report).expect("writes");
    assert_eq!(
        (&value["seed"], &value["rows"][0], &value["counts"]["disagree"]),
        (&9.into(), &"area".into(), &1.into())
    );
    assert_eq!((&value["entries"][0]["verdict"], &value["entries"][0]["found"]), (&"disagrees".into(), &3.0.into()));
    assert_eq!(
        (&value["entries"][2]["verdict"], &value["entries"][2]["reason"]),
        (&"cannot-tell".into(), &"non-smooth".into())
    );
    assert_eq!((&value["guesses"][0]["mistake"], &value["guesses"][0]["factor"]), (&"factor".into(), &2.0.into()));
}
