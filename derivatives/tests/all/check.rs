//! The checker of derivatives, on functions without robots.

use gradyn_derivatives::check::{Claim, Guess, Options, Reason, Verdict, gradient, jacobian};
use gradyn_derivatives::difference::{self, Euclidean, Method};

fn f(x: &[f64], y: &mut [f64]) {
    y[0] = x[0].sin() * x[1] + x[2];
    y[1] = (x[0] * x[1]).exp() - x[2] * x[2];
    y[2] = x[0] * x[0] * x[0] - x[1] / (1.0 + x[2] * x[2]);
}

fn right(x: &[f64]) -> Vec<f64> {
    let [a, b, c] = [x[0], x[1], x[2]];
    let e = (a * b).exp();
    let d = 1.0 + c * c;
    vec![a.cos() * b, a.sin(), 1.0, b * e, a * e, -2.0 * c, 3.0 * a * a, -1.0 / d, 2.0 * b * c / (d * d)]
}

const X: [f64; 3] = [0.4, -1.3, 0.7];

/// A right Jacobian agrees entry by entry, its curves are Vs and its Taylor remainders of second order.
#[test]
fn a_right_jacobian_agrees() {
    let claim = Claim::new(3, 3, &right(&X)).expect("fits");
    let report = jacobian(&Options::new("J").seed(3), &Euclidean(3), &Euclidean(3), f, &X, &claim).expect("runs");
    assert!(report.agrees() && report.counts.agree == 9 && report.guesses.is_empty(), "{report}");
    for curve in &report.curves {
        let (right, left) = (curve.slope_truncation, curve.slope_rounding);
        assert!(right.is_some_and(|slope| (slope - 2.0).abs() < 0.2), "{curve:?}");
        assert!(left.is_some_and(|slope| (slope + 1.0).abs() < 0.4), "{curve:?}");
    }
    assert_eq!((report.curves.len(), report.taylor.len()), (2, 2));
    for taylor in &report.taylor {
        assert!(taylor.agrees() && taylor.order.is_some_and(|order| (order - 2.0).abs() < 0.1), "{taylor:?}");
    }
}

/// An entry that is wrong by 1e-5 of itself is found, alone, and a Taylor remainder of first order gives it away.
#[test]
fn a_wrong_entry_is_found() {
    for wrong in 0..9 {
        let mut values = right(&X);
        values[wrong] *= 1.0 + 1e-5;
        let claim = Claim::new(3, 3, &values).expect("fits");
        let report = jacobian(&Options::new("J"), &Euclidean(3), &Euclidean(3), f, &X, &claim).expect("runs");
        let found = report.worst()[0];
        assert_eq!((report.counts.disagree, found.row * 3 + found.column), (1, wrong), "{report}");
        assert!(report.guesses.is_empty(), "{report}");
        assert!(report.taylor.iter().any(|taylor| !taylor.agrees()), "{:?}", report.taylor);
    }
}

/// Kinks and jumps at the point are recognized; a kink beside it does no harm.
#[test]
fn what_is_not_smooth_is_not_called_wrong() {
    type Case = (&'static str, fn(f64) -> f64, f64, f64);
    let kinks: [Case; 7] = [
        ("|x|", f64::abs, 0.0, 1.0),
        ("|x| + sin x", |x| x.abs() + x.sin(), 0.0, 0.0),
        ("friction", |v| if v == 0.0 { 0.0 } else { 3.0 * v.signum() + 0.1 * v }, 0.0, 0.1),
        ("step", |x| if x < 0.5 { 1.0 } else { 2.0 }, 0.5, 0.0),
        ("contact", |x| if x < 0.0 { -1e3 * x } else { 0.0 }, 0.0, 0.0),
        ("sqrt |x|", |x| x.abs().sqrt(), 0.0, 0.0),
        ("floor", f64::floor, 2.0, 0.0),
    ];
    for (name, f, x, claimed) in kinks {
        let report = gradient(&Options::new(name), &Euclidean(1), |x| f(x[0]), &[x], &[claimed]).expect("runs");
        assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::NonSmooth), "{report}\n{report:?}");
    }
    for distance in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        let f = |x: &[f64]| (x[0] - 1.0).abs() + x[0].sin();
        let x = 1.0 + distance;
        let report = gradient(&Options::new("kink"), &Euclidean(1), f, &[x], &[1.0 + x.cos()]).expect("runs");
        assert_eq!(report.entries[0].verdict, Verdict::Agrees, "{distance}: {report}");
        let report = gradient(&Options::new("kink"), &Euclidean(1), f, &[x], &[x.cos() - 1.0]).expect("runs");
        assert_eq!(report.entries[0].verdict, Verdict::Disagrees, "{distance}: {report}");
    }
}

/// A value that stands apart from those around it: there is no derivative, whatever is claimed, and differences say so.
#[test]
fn an_isolated_value_is_seen() {
    for (apart, isolated) in [(1.0, true), (-1e-3, true), (1e-6, true), (0.0, false)] {
        let f = move |x: f64| if x - 0.5 == 0.0 { x.sin() + apart } else { x.sin() };
        let exact = 0.5_f64.cos();
        for (claimed, is_right) in [(exact, true), (0.0, false)] {
            let report = gradient(&Options::new("f"), &Euclidean(1), |x| f(x[0]), &[0.5], &[claimed]).expect("runs");
            let expected = match (isolated, is_right) {
                (true, _) => Verdict::CannotTell(Reason::Isolated),
                (false, true) => Verdict::Agrees,
                (false, false) => Verdict::Disagrees,
            };
            assert_eq!(report.entries[0].verdict, expected, "{apart}: {report}");
        }
        let run = |x: &[f64], y: &mut [f64]| y[0] = f(x[0]);
        let by = difference::jacobian(Method::ridders(), &Euclidean(1), &Euclidean(1), run, &[0.5]);
        let by = by.expect("runs");
        assert!((by.value[0] - exact).abs() < 1e-10, "{apart}: {by:?}");
        assert_eq!(by.error[0].is_infinite(), isolated, "{apart}: {by:?}");
    }
}

/// Nothing is confirmed or refuted by values that are noise, by a wave shorter than any step, or by what is not finite.
#[test]
fn weak_evidence_is_called_weak() {
    let noisy = |x: &[f64]| f64::from((x[0].sin() * 1e3) as f32) + (1e9 * x[0]).sin() * 1e-2;
    let report = gradient(&Options::new("noisy"), &Euclidean(1), noisy, &[0.3], &[955.3]).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::Noise), "{report}");
    let report = gradient(&Options::new("noisy"), &Euclidean(1), noisy, &[0.3], &[1955.3]).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::Disagrees, "{report}");

    let wave = |x: &[f64]| (1e9 * x[0]).sin();
    let report = gradient(&Options::new("wave"), &Euclidean(1), wave, &[0.3], &[1.0]).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::StepTooLarge), "{report}");

    let log = |x: &[f64]| x[0].ln();
    let report = gradient(&Options::new("log"), &Euclidean(1), log, &[0.0], &[1.0]).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::NonFinite), "{report}");
    // Near the end of its domain a function is looked at with shorter steps.
    let report = gradient(&Options::new("log"), &Euclidean(1), log, &[0.01], &[100.0]).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::Agrees, "{report}");
}

/// Each mistake that needs no robot to be understood is named.
#[test]
fn mistakes_are_named() {
    let j = right(&X);
    let degree = std::f64::consts::PI / 180.0;
    let transposed: Vec<f64> = (0..9).map(|k| j[k % 3 * 3 + k / 3]).collect();
    let times = |factor: f64| j.iter().map(|x| x * factor).collect::<Vec<_>>();
    let cases = [
        (transposed, Guess::Transposed),
        (times(-1.0), Guess::WrongSign),
        (times(2.0), Guess::Factor { factor: 2.0 }),
        (times(0.5), Guess::Factor { factor: 0.5 }),
        (times(degree), Guess::Degrees),
        (times(1.0 / degree), Guess::Degrees),
    ];
    for (values, guess) in cases {
        let claim = Claim::new(3, 3, &values).expect("fits");
        let report = jacobian(&Options::new("J"), &Euclidean(3), &Euclidean(3), f, &X, &claim).expect("runs");
        assert_eq!(report.guess(), Some(&guess), "{report}");
    }
}

/// At the edge of what a function is defined for, its derivative is that from inside: right ones agree, with a note,
/// and wrong ones do not.
#[test]
fn edges_of_domains_are_looked_at_from_inside() {
    let sides: [fn(f64) -> bool; 2] = [|x| x < 0.0, |x| x > 0.0];
    for outside in sides {
        let f = |x: &[f64], y: &mut [f64]| {
            y[0] = x[0].exp() * x[1];
            y[1] = x[1] * x[1];
            if outside(x[0]) { Err("outside") } else { Ok(()) }
        };
        let claim = |off: f64| Claim::new(2, 2, &[3.0 + off, 1.0, 0.0, 6.0]).expect("fits");
        let of = |off: f64| {
            let (options, x) = (Options::new("J"), [0.0, 3.0]);
            jacobian(&options, &Euclidean(2), &Euclidean(2), f, &x, &claim(off)).expect("runs")
        };
        let right = of(0.0);
        assert!(right.agrees(), "{right}");
        assert_eq!(right.notes.len(), 1, "{right}");
        assert!(right.notes[0].starts_with("y[0] by x[0] and 1 more: by values on one side only"), "{right}");
        let wrong = of(1e-4);
        assert_eq!((wrong.counts.disagree, wrong.counts.agree), (1, 3), "{wrong}");
    }
}

/// What is left where larger terms cancel has roundings of these, that jump beside it: they are no jumps of the
/// function.
#[test]
fn roundings_of_terms_that_cancel_are_no_jumps() {
    let f = |x: &[f64], y: &mut [f64]| {
        let load = 30.0 * x[0].cos();
        y[0] = (load + 10.0 * x[1]) - load;
    };
    let of = |claim: &[f64]| {
        let claim = Claim::new(1, 2, claim).expect("fits");
        jacobian(&Options::new("J").size(10.0), &Euclidean(2), &Euclidean(1), f, &[0.3, 0.0], &claim).expect("runs")
    };
    let right = of(&[0.0, 10.0]);
    assert!(right.agrees(), "{right}");
    assert_eq!(of(&[1e-3, 10.0]).counts.disagree, 1);
    // A true jump of that size, beside nothing larger, is one.
    let jump = |x: &[f64], y: &mut [f64]| y[0] = if x[0] < 0.3 { 0.0 } else { 1e-14 };
    let claim = Claim::new(1, 1, &[0.0]).expect("fits");
    let report = jacobian(&Options::new("J"), &Euclidean(1), &Euclidean(1), jump, &[0.3], &claim).expect("runs");
    assert_eq!(report.entries[0].verdict, Verdict::CannotTell(Reason::NonSmooth), "{report}");
}
