//! Elementary effects.

use crate::salib;
use gradyn_sensitivity::global::{GlobalError, Morris, Run, morris_effects};
use gradyn_sensitivity::{Prior, Resampling};
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// On SALib's paths and outputs the estimates are SALib's.
#[test]
fn on_the_paths_of_salib_the_estimates_are_those_of_salib() {
    let file = salib::read(include_str!("../data/salib_morris.csv"), 3);
    let units: Vec<f64> = file.samples.iter().map(|x| (x + PI) / (2.0 * PI)).collect();
    // A coordinate that does not move keeps its bits: it was made by the same operations.
    let found = morris_effects(&units, 3, &file.outputs, 1, &Resampling::none()).expect("the paths are whole");
    for (name, found) in [("mu", &found.mean), ("mu_star", &found.magnitude), ("sigma", &found.deviation)] {
        for (found, known) in found.iter().zip(file.named(name)) {
            // Effects of size 10, with a step of 2/3 that was rounded on its way through π.
            assert!((found.value - known).abs() < 1e-12, "{name}: {} instead of {known}", found.value);
        }
    }
}

/// Of what is linear in the coordinates of the range, every effect is the slope: σ is zero, and so is the interval.
#[test]
fn linear_functions_have_equal_effects() {
    let priors = vec![
        Prior::Uniform { low: 0.0, high: 2.0 },
        Prior::Uniform { low: -1.0, high: 0.0 },
        Prior::Fixed { value: 3.0 },
    ];
    let mut run = Run::new(Morris { priors, paths: 10, levels: 4, seed: 5 }, 1).expect("the plan is one");
    let f = |x: &[f64], y: &mut [f64]| x.chunks_exact(3).zip(y).for_each(|(x, y)| *y = 3.0 * x[0] - 5.0 * x[1] + x[2]);
    run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
    let found = run.effects(&Resampling::default()).expect("outputs are finite");
    for (j, slope) in [6.0, -5.0, 0.0].into_iter().enumerate() {
        // Some roundings of numbers of size 10.
        assert!((found.mean[j].value - slope).abs() < 1e-13, "{:?}", found.mean[j]);
        assert!((found.magnitude[j].value - slope.abs()).abs() < 1e-13);
        assert!(found.deviation[j].value < 1e-13 && found.mean[j].half_width.is_some_and(|half| half < 1e-13));
    }
}

/// Intervals of a function that is not linear hold the mean effect of many paths.
#[test]
fn intervals_hold_the_mean_effect() {
    let f = |x: &[f64], y: &mut [f64]| {
        for (x, y) in x.chunks_exact(3).zip(y) {
            *y = x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin();
        }
    };
    let effects = |paths, seed| {
        let priors = vec![Prior::Uniform { low: -PI, high: PI }; 3];
        let mut run = Run::new(Morris { priors, paths, levels: 8, seed }, 1).expect("the plan is one");
        run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
        run.effects(&Resampling::default()).expect("outputs are finite")
    };
    let exact = effects(20_000, 1000);
    let mut within = [0; 6];
    for seed in 0..100 {
        let found = effects(40, seed);
        for (j, within) in within.iter_mut().enumerate() {
            let pair =
                if j < 3 { (found.mean[j], exact.mean[j]) } else { (found.magnitude[j - 3], exact.magnitude[j - 3]) };
            *within += usize::from(pair.0.contains(pair.1.value));
        }
    }
    // 95 expected of 100; of a binomial distribution five standard deviations are 11.
    assert!(within.iter().all(|within| *within >= 84), "{within:?}");
}

/// Normal distributions have levels too.
#[test]
fn levels_of_a_normal_distribution_are_finite() {
    let priors = vec![Prior::Normal { mean: 0.0, sd: 1.0 }; 2];
    let mut run = Run::new(Morris { priors, paths: 50, levels: 4, seed: 0 }, 1).expect("the plan is one");
    let f = |x: &[f64], y: &mut [f64]| x.chunks_exact(2).zip(y).for_each(|(x, y)| *y = x[0]);
    run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
    let found = run.effects(&Resampling::none()).expect("outputs are finite");
    // From 1/8 to 5/8, or from 3/8 to 7/8: Φ⁻¹ moves by 1.150349 + 0.318639 each time.
    assert!((found.mean[0].value - 2.0 * 1.468_989).abs() < 1e-5, "{:?}", found.mean);
    assert!(found.mean[1].value.abs() < 1e-15);
}

#[test]
fn what_is_no_path_is_refused() {
    let none = Resampling::none();
    let error = morris_effects(&[0.0, 0.0, 0.5, 0.5, 0.5, 0.0], 2, &[0.0; 3], 1, &none).expect_err("two move at once");
    assert_eq!(error, GlobalError::Path { path: 0, step: 0, moved: 2 });
    let error = morris_effects(&[0.0, 0.0, 0.5, 0.0, 0.7, 0.0], 2, &[0.0; 3], 1, &none).expect_err("one moves twice");
    assert_eq!(error, GlobalError::Path { path: 0, step: 1, moved: 1 });
    assert!(morris_effects(&[0.0, 0.0, f64::NAN, 0.0, 0.7, 0.5], 2, &[0.0; 3], 1, &none).is_err());
    assert!(morris_effects(&[0.0; 5], 2, &[0.0; 3], 1, &none).is_err());
    assert!(morris_effects(&[0.0; 6], 0, &[0.0; 3], 1, &none).is_err());
    assert!(morris_effects(&[0.0, 0.0, 0.5, 0.0, 0.5, 0.5], 2, &[0.0; 2], 1, &none).is_err());
    let error = morris_effects(&[0.0, 0.0, 0.5, 0.0, 0.5, 0.5], 2, &[0.0; 3], 1, &none).expect_err("one path only");
    assert_eq!(error, GlobalError::Few { what: "an elementary effect", found: 1, least: 2 });
    let priors = vec![Prior::Uniform { low: 0.0, high: 1.0 }];
    for (paths, levels) in [(1, 4), (4, 3), (4, 0)] {
        assert!(Run::new(Morris { priors: priors.clone(), paths, levels, seed: 0 }, 1).is_err(), "{paths} {levels}");
    }
}
