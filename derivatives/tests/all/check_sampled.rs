//! Checks of tables of values: what samples cannot tell is not called wrong, nor right.

use gradyn_derivatives::check::{Claim, Options, Reason, Report, Verdict, sampled_jacobian};

type Samples = Vec<(Vec<f64>, Vec<f64>)>;

/// Values around a point, at three families of halved steps along each input, as far as the function has any.
fn samples(x: &[f64], longest: &[f64], halves: i32, f: &dyn Fn(&[f64]) -> Vec<f64>) -> Samples {
    let mut samples = vec![(x.to_vec(), f(x))];
    for (k, longest) in longest.iter().enumerate() {
        for step in [1.0, 0.61, 0.83].into_iter().flat_map(|part| (0..halves).map(move |i| part * 0.5_f64.powi(i))) {
            for step in [step * longest, -step * longest] {
                let mut at = x.to_vec();
                at[k] += step;
                let y = f(&at);
                if y.iter().all(|y| y.is_finite()) {
                    samples.push((at, y));
                }
            }
        }
    }
    samples
}

fn check(x: &[f64], longest: &[f64], f: &dyn Fn(&[f64]) -> Vec<f64>, claimed: &[f64]) -> Report {
    let samples = samples(x, longest, 4, f);
    let claim = Claim::new(samples[0].1.len(), x.len(), claimed).expect("fits");
    sampled_jacobian(&Options::new("∂y/∂x"), &samples, &claim).expect("runs")
}

fn one(x: f64, longest: f64, f: fn(f64) -> f64, claimed: f64) -> Report {
    check(&[x], &[longest], &|x| vec![f(x[0])], &[claimed])
}

fn verdict(report: &Report) -> Verdict {
    report.entries[0].verdict
}

/// Samples that are wider than the function's own length say nothing, and the note which would: with these, right
/// claims agree and wrong ones disagree.
#[test]
fn samples_that_are_too_far_apart_cannot_tell() {
    type Case = (&'static str, f64, f64, fn(f64) -> f64, f64);
    let cases: [Case; 5] = [
        ("1/m", 2.6e-5, 0.125, |x| 1.0 / x, -1.0 / (2.6e-5 * 2.6e-5)),
        ("ln", 2.6e-5, 0.125, f64::ln, 1.0 / 2.6e-5),
        ("beside a kink", 1e-3, 0.125, |x| x.max(0.0), 1.0),
        ("fast", 0.3, 0.125, |x| (1e3 * x).sin(), 1e3 * 300.0_f64.cos()),
        ("far", 1e3, 125.0, f64::sin, 1e3_f64.cos()),
    ];
    for (name, x, longest, f, slope) in cases {
        for claimed in [slope, -slope, 0.0] {
            let report = one(x, longest, f, claimed);
            assert_eq!(verdict(&report), Verdict::CannotTell(Reason::StepTooLarge), "{name}: {report}");
            assert!(
                !report.agrees() && !report.disagrees() && report.notes[0].contains("add values at"),
                "{name}: {report}"
            );
        }
    }
    for (name, x, f, slope) in [
        ("1/m", 2.6e-5, (|x| 1.0 / x) as fn(f64) -> f64, -1.0 / (2.6e-5 * 2.6e-5)),
        ("ln", 2.6e-5, f64::ln, 1.0 / 2.6e-5),
        ("beside a kink", 1e-3, |x: f64| x.max(0.0), 1.0),
    ] {
        let right = one(x, x / 8.0, f, slope);
        assert!(right.agrees(), "{name}: {right}");
        let wrong = one(x, x / 8.0, f, -slope);
        assert!(wrong.disagrees(), "{name}: {wrong}");
    }
    let fast = |x: f64| (1e3 * x).sin();
    assert!(one(0.3, 1e-4, fast, 1e3 * 300.0_f64.cos()).agrees() && one(0.3, 1e-4, fast, 0.0).disagrees());
}

/// Kinks and ties are seen by the two sides, and claims that are derivatives of one of them are named.
#[test]
fn kinks_and_ties_are_not_smooth() {
    for (claimed, word) in [(1.0, "from ahead"), (-1.0, "from behind"), (0.3, "-1 from behind, 1 from ahead")] {
        let report = one(0.0, 0.125, f64::abs, claimed);
        assert_eq!(verdict(&report), Verdict::CannotTell(Reason::NonSmooth), "{report}");
        assert!(report.notes[0].contains(word), "{report}");
    }
    let bent = one(0.0, 0.125, |x: f64| x.abs() + x.sin() + x * x * x, 2.0);
    assert_eq!(verdict(&bent), Verdict::CannotTell(Reason::NonSmooth), "{bent}");
    assert!(bent.notes[0].ends_with("the claim is the derivative from ahead"), "{bent}");
    let tie = check(&[1.0, 1.0], &[0.125; 2], &|x| vec![x[0].max(x[1])], &[1.0, 0.0]);
    assert!(tie.entries.iter().all(|entry| entry.verdict == Verdict::CannotTell(Reason::NonSmooth)), "{tie}");
    // Infinite slopes and jumps are no derivatives either.
    for f in [(|x: f64| x.abs().sqrt()) as fn(f64) -> f64, f64::cbrt, |x: f64| if x == 0.0 { 1.0 } else { x }] {
        let report = one(0.0, 0.125, f, 0.0);
        assert!(!report.agrees() && !report.disagrees(), "{report}");
    }
}

/// Noise tells neither that a derivative is right nor that it is wrong.
#[test]
fn noise_cannot_tell() {
    // A thousandth, from the bits of x.
    let noise = |x: f64| 1e-3 * ((x.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / 8_388_608.0 - 1.0);
    for claimed in [2.0, 2.2] {
        let report = check(&[1.0], &[0.125], &|x| vec![x[0] * x[0] + noise(x[0])], &[claimed]);
        assert_eq!(verdict(&report), Verdict::CannotTell(Reason::Noise), "{report}");
    }
}

/// Each row and column has its own scale: a wrong sign does not hide behind another unit.
#[test]
fn units_do_not_hide_wrong_entries() {
    let f = |x: &[f64]| vec![1e10 * x[0], 1e-4 * x[1]];
    let ones = [1.0, 1.0];
    assert!(check(&ones, &[0.125; 2], &f, &[1e10, 0.0, 0.0, 1e-4]).agrees());
    let wrong = check(&ones, &[0.125; 2], &f, &[1e10, 0.0, 0.0, -1e-4]);
    assert_eq!((wrong.counts.agree, wrong.counts.disagree), (3, 1), "{wrong}");
    // An input in other units: the derivative by it is small.
    let f = |x: &[f64]| vec![x[0].sin() + 1e-12 * x[1]];
    let right = [1.0_f64.cos(), 1e-12];
    assert!(check(&[1.0, 1e12], &[0.125, 1.25e11], &f, &right).agrees());
    assert!(check(&[1.0, 1e12], &[0.125, 1.25e11], &f, &[right[0], -1e-12]).disagrees());
}

/// Smooth functions of all sizes agree with their derivatives, and disagree with others.
#[test]
fn smooth_functions_are_told() {
    type Function = fn(f64) -> f64;
    let functions: [(Function, Function); 5] = [
        (f64::exp, f64::exp),
        (f64::sin, f64::cos),
        (|x| x * x * x, |x| 3.0 * x * x),
        (|x| 1.0 / (1.0 + x * x), |x| -2.0 * x / (1.0 + x * x).powi(2)),
        (|_| 1.0, |_| 0.0),
    ];
    for (n, (f, slope)) in functions.into_iter().enumerate() {
        for x in [0.0, 1e-6, 0.3, 1.0, 2.5] {
            let longest = if x == 0.0 { 0.125 } else { x / 8.0 };
            let right = one(x, longest, f, slope(x));
            assert!(right.agrees(), "{n} at {x}: {right}");
            let wrong = one(x, longest, f, slope(x) + 1e-3 * slope(x).abs().max(1e-2));
            assert!(wrong.disagrees(), "{n} at {x}: {wrong}");
        }
    }
}

/// Values that do not exist are left out; with those of one side alone a claim can be refuted, not confirmed.
#[test]
fn values_on_one_side_can_refute() {
    let ahead = |x: f64| if x < 0.0 { f64::NAN } else { x.sin() };
    let right = one(0.0, 0.125, ahead, 1.0);
    assert_eq!(verdict(&right), Verdict::CannotTell(Reason::OneSided), "{right}");
    let wrong = one(0.0, 0.125, ahead, 2.0);
    assert!(wrong.disagrees(), "{wrong}");
    // The derivative of a root of higher order is there, but differences do not settle.
    assert!(!one(0.0, 0.125, |x| x.powf(1.5), 0.0).disagrees());
    // Left of 0.1 the longest steps have no partners.
    let samples = samples(&[0.1], &[0.15], 8, &|x| vec![x[0].ln()]);
    let report = sampled_jacobian(&Options::new("∂y/∂x"), &samples, &Claim::new(1, 1, &[10.0]).expect("fits"));
    assert!(report.as_ref().is_ok_and(Report::agrees), "{report:?}");
}

/// Rounded values, decimal or of single precision, are known to half a unit of their last digit: differences that are
/// no larger say nothing, however well they agree.
#[test]
fn rounded_values_cannot_tell() {
    let to = |scale: f64| move |y: f64| (y * scale).round() / scale;
    #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
    let single = |y: f64| f64::from(y as f32);
    type Case<'a> = (&'a str, f64, f64, fn(f64) -> f64, f64, &'a dyn Fn(f64) -> f64);
    let (six, nine) = (to(1e6), to(1e9));
    let cases: [Case<'_>; 5] = [
        ("six decimals", 0.3, 0.0375, f64::exp, 0.3_f64.exp(), &six),
        ("a plateau", 1e-3, 1e-7, |x| 0.295_52 + x, 1.0, &six),
        ("nine decimals", 1e-3, 1.25e-4, f64::exp, 1e-3_f64.exp(), &nine),
        ("single precision", 0.3, 1e-5, f64::sin, 0.3_f64.cos(), &single),
        ("a plateau of single precision", 0.3, 1e-9, f64::sin, 0.3_f64.cos(), &single),
    ];
    for (name, x, longest, f, slope, rounded) in cases {
        let right = check(&[x], &[longest], &|x| vec![rounded(f(x[0]))], &[slope]);
        assert!(!right.disagrees(), "{name}: {right}");
        for claimed in [0.0, -slope, 1.01 * slope] {
            let wrong = check(&[x], &[longest], &|x| vec![rounded(f(x[0]))], &[claimed]);
            assert!(!wrong.agrees(), "{name}: {wrong}");
        }
    }
    // Digits that suffice are told, as are constants.
    for (f, slope) in [(f64::sin as fn(f64) -> f64, 0.3_f64.cos()), (|_| 9.81, 0.0), (|_| 0.0, 0.0)] {
        for rounded in [&nine as &dyn Fn(f64) -> f64, &single] {
            let report = check(&[0.3], &[0.0375], &|x| vec![rounded(f(x[0]))], &[slope]);
            assert!(report.agrees(), "{report}");
        }
    }
}

/// Shorter steps are believed over longer ones, which step over a peak; the noise of all of them is counted.
#[test]
fn shorter_steps_are_believed() {
    let peak = |x: f64| (-((x - 1.01) / 0.01).powi(2)).exp();
    let slope = 2.0 * 100.0 * (-1.0_f64).exp();
    for halves in [8, 12] {
        let report = |claimed: f64| {
            let samples = samples(&[1.0], &[0.125], halves, &|x| vec![peak(x[0])]);
            sampled_jacobian(&Options::new("J"), &samples, &Claim::new(1, 1, &[claimed]).expect("fits")).expect("runs")
        };
        assert!(!report(slope).disagrees() && !report(0.0).agrees(), "{}", report(slope));
        assert!(halves < 12 || report(slope).agrees() && report(0.0).disagrees(), "{}", report(slope));
    }
}
