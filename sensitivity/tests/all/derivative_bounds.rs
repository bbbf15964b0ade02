//! Bounds of total indices from gradients.

use gradyn_sensitivity::global::{Rule, Run, Sampling, dgsm, linear};
use gradyn_sensitivity::{Prior, Resampling};
use nalgebra::DMatrix;
use std::f64::consts::PI;
use std::ops::ControlFlow;

fn evaluated(priors: &[Prior], rule: Rule, numbers: usize, f: impl Fn(&[f64], &mut [f64]) + Sync) -> Run<Sampling> {
    let plan = Sampling { priors: priors.to_vec(), samples: 4096, rule, seed: 3 };
    let mut run = Run::new(plan, numbers).expect("the plan is one");
    run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
    run
}

/// Of a linear function of normal parameters the bound is the index itself: Poincaré's inequality is an equation there.
#[test]
fn linear_functions_of_normal_parameters_meet_the_bound() {
    let priors = [Prior::Normal { mean: 1.0, sd: 0.5 }, Prior::Normal { mean: 0.0, sd: 2.0 }];
    let y = DMatrix::from_row_slice(2, 2, &[3.0, 1.0, -1.0, 0.0]);
    let exact = linear(&y, &priors).expect("the matrix fits").share;
    let f = |x: &[f64], out: &mut [f64]| {
        for (x, out) in x.chunks_exact(2).zip(out.chunks_exact_mut(6)) {
            out.copy_from_slice(&[3.0 * x[0] + x[1], -x[0], 3.0, 1.0, -1.0, 0.0]);
        }
    };
    let run = evaluated(&priors, Rule::Random, 6, f);
    let found = run.derivative_bounds(&Resampling::default()).expect("outputs are finite");
    for (bound, exact) in found.bounds.iter().zip(&exact) {
        // Only V has an error; the interval is that of 95 %, and this seed is within.
        assert!((bound.value - exact).abs() <= bound.half_width.expect("intervals are wanted"), "{bound:?} {exact}");
    }
    for (square, exact) in found.squares.iter().zip([9.0, 1.0, 1.0, 0.0]) {
        assert!((square.value - exact).abs() < 1e-13, "{square:?}");
    }
}

/// The Ishigami function, with exact gradients: every bound is above its total index, and ν is that of the literature.
#[test]
fn bounds_of_the_ishigami_function_are_above_its_total_indices() {
    let f = |x: &[f64], y: &mut [f64]| {
        for (x, y) in x.chunks_exact(3).zip(y.chunks_exact_mut(4)) {
            let (s, c) = x[0].sin_cos();
            let fourth = 1.0 + 0.1 * x[2].powi(4);
            y[0] = s * fourth + 7.0 * x[1].sin().powi(2);
            y[1] = c * fourth;
            y[2] = 14.0 * x[1].sin() * x[1].cos();
            y[3] = 0.4 * x[2].powi(3) * s;
        }
    };
    let run = evaluated(&[Prior::Uniform { low: -PI, high: PI }; 3], Rule::Sobol, 4, f);
    let found = run.derivative_bounds(&Resampling::default()).expect("outputs are finite");
    for (bound, total) in found.bounds.iter().zip([0.5576, 0.4424, 0.2437]) {
        assert!(bound.low() > total, "{bound:?} {total}");
    }
    // Sobol' and Kucherenko 2009: ½ (1 + b π⁴/5)² + …, a²/2, and 8 b² π⁶/7.
    let exact = [0.5 * (1.0 + 0.2 * PI.powi(4) / 5.0 + 0.01 * PI.powi(8) / 9.0), 24.5, 0.08 * PI.powi(6) / 7.0];
    for (square, exact) in found.squares.iter().zip(exact) {
        assert!(square.contains(exact), "{square:?} {exact}");
    }
}

/// `f = ln x` of a lognormal x is linear in what is normal: the bound is met. By `∂f/∂x` there is none: `x = 1/f′`
/// comes as near to zero as it likes.
#[test]
fn lognormal_parameters_are_bounded_by_their_logarithm() {
    let priors = [Prior::LogNormal { median: 2.0, log_sd: 0.7 }, Prior::Fixed { value: 5.0 }];
    let f = |x: &[f64], y: &mut [f64]| {
        for (x, y) in x.chunks_exact(2).zip(y.chunks_exact_mut(3)) {
            y.copy_from_slice(&[x[0].ln() + x[1], 1.0 / x[0], 1.0]);
        }
    };
    let run = evaluated(&priors, Rule::Random, 3, f);
    let found = run.derivative_bounds(&Resampling::default()).expect("outputs are finite");
    assert!((found.squares[0].value - 1.0).abs() < 1e-14, "{:?}", found.squares);
    assert!(found.bounds[0].contains(1.0), "{:?}", found.bounds);
    // What is fixed has no index, whatever its derivative.
    assert_eq!(found.bounds[1].value.to_bits(), 0.0_f64.to_bits());
}

/// `x²` of a half-normal x is the function whose variance is Poincaré's constant times its mean square slope: the bound
/// is met.
#[test]
fn half_normal_parameters_have_their_own_constant() {
    let priors = [Prior::HalfNormal { scale: 1.3 }];
    let f = |x: &[f64], y: &mut [f64]| {
        x.iter().zip(y.chunks_exact_mut(2)).for_each(|(x, y)| y.copy_from_slice(&[x * x, 2.0 * x]));
    };
    let found = evaluated(&priors, Rule::Sobol, 2, f).derivative_bounds(&Resampling::default()).expect("finite");
    assert!(found.bounds[0].contains(1.0), "{:?}", found.bounds);
    // The variance of a square: 2 scale⁴; a percent of it by so many samples.
    assert!((found.variance[0] / (2.0 * 1.3_f64.powi(4)) - 1.0).abs() < 0.02, "{:?}", found.variance);
}

#[test]
fn what_does_not_fit_is_refused() {
    let priors = [Prior::Normal { mean: 0.0, sd: 1.0 }];
    let none = Resampling::none();
    assert!(dgsm(&priors, &[0.0; 4], &[1.0; 9], 1, &none).is_err());
    assert!(dgsm(&priors, &[0.0; 4], &[1.0; 8], 0, &none).is_err());
    assert!(dgsm(&priors, &[0.0; 3], &[1.0; 8], 1, &none).is_err());
    assert!(dgsm(&priors, &[0.0; 1], &[1.0; 2], 1, &none).is_err());
    assert!(dgsm(&[], &[], &[], 1, &none).is_err());
    assert!(dgsm(&priors, &[], &[], usize::MAX, &none).is_err());
    assert!(dgsm(&priors, &[0.0; 4], &[f64::NAN; 8], 1, &none).is_err());
    let run = evaluated(&priors, Rule::Random, 3, |_, y| y.fill(1.0));
    let error = run.derivative_bounds(&none).expect_err("three is not m (1 + 1)").to_string();
    assert_eq!(error, "what the function gives for a sample has 3 entries, which is not a multiple of 2");
}
