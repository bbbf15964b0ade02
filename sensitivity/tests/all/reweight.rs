//! A sample under another distribution.

use gradyn_sensitivity::Prior;
use gradyn_sensitivity::global::{GlobalError, Rule, Run, Sampling, reweight};
use std::ops::ControlFlow;

/// `y = x₀² + x₁`
fn sampled(priors: &[Prior], seed: u64) -> (Vec<f64>, Vec<f64>) {
    let plan = Sampling { priors: priors.to_vec(), samples: 4000, rule: Rule::Random, seed };
    let mut run = Run::new(plan, 1).expect("the plan is one");
    let f = |x: &[f64], y: &mut [f64]| x.chunks_exact(2).zip(y).for_each(|(x, y)| *y = x[0] * x[0] + x[1]);
    run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
    (run.samples().expect("the plan is one"), run.values().expect("it is at its end").to_vec())
}

/// 95 % intervals of mean and variance under the other prior hold the closed form in about 95 of 100 seeds.
#[test]
fn intervals_under_another_prior_hold_the_closed_form() {
    let from = [Prior::Normal { mean: 0.0, sd: 1.0 }, Prior::Uniform { low: 0.0, high: 2.0 }];
    let to = [Prior::Normal { mean: 0.4, sd: 0.8 }, Prior::Uniform { low: 0.5, high: 2.0 }];
    // E[x²] = m² + s², Var[x²] = 2 s⁴ + 4 m² s².
    let mean = 0.16 + 0.64 + 1.25;
    let variance = 2.0 * 0.64 * 0.64 + 4.0 * 0.16 * 0.64 + 1.5 * 1.5 / 12.0;
    let mut within = [0; 2];
    for seed in 0..100 {
        let (x, y) = sampled(&from, seed);
        let found = reweight(&x, &y, 1, &from, &to, 0.95).expect("the distributions are near");
        // ∫ q²/p = 1.2 for the normal and 4/3 for the uniform parameter: about 4000/1.7.
        assert!((1800.0..3000.0).contains(&found.effective), "{}", found.effective);
        within[0] += usize::from(found.mean[0].contains(mean));
        within[1] += usize::from(found.variance[0].contains(variance));
    }
    // 95 expected of 100; of a binomial distribution four standard deviations are 9.
    assert!(within.iter().all(|within| *within >= 86), "{within:?}");
}

/// Under its own distribution a sample is what it is.
#[test]
fn the_same_prior_gives_equal_weights() {
    let from = [Prior::Normal { mean: 0.0, sd: 1.0 }, Prior::Fixed { value: 2.0 }];
    let (x, y) = sampled(&from, 1);
    let found = reweight(&x, &y, 1, &from, &from, 0.95).expect("it is the same");
    assert!((found.effective - 4000.0).abs() < 1e-8, "{}", found.effective);
    let mean = y.iter().sum::<f64>() / 4000.0;
    // Rounding of 4000 numbers of unit size.
    assert!((found.mean[0].value - mean).abs() < 1e-12);
}

#[test]
fn what_a_sample_cannot_say_is_refused() {
    let normal = |mean, sd| Prior::Normal { mean, sd };
    let uniform = |low, high| Prior::Uniform { low, high };
    let from = [normal(0.0, 1.0), uniform(0.0, 2.0)];
    let (x, y) = sampled(&from, 1);
    let refused = |to: [Prior; 2]| reweight(&x, &y, 1, &from, &to, 0.95).expect_err("too far");
    match refused([normal(3.0, 1.0), from[1]]) {
        GlobalError::Weights { effective, samples: 4000 } => assert!(effective < 400.0, "{effective}"),
        other => panic!("{other}"),
    }
    match refused([from[0], uniform(0.0, 3.0)]) {
        GlobalError::Support { parameter: 1, low, high, sampled_low, sampled_high } => {
            assert_eq!(
                [low, high, sampled_low, sampled_high].map(f64::to_bits),
                [0.0, 3.0, 0.0, 2.0].map(f64::to_bits)
            );
        }
        other => panic!("{other}"),
    }
    assert!(matches!(refused([from[0], Prior::Fixed { value: 1.0 }]), GlobalError::Weights { .. }));
    assert!(matches!(refused([from[0], uniform(1.0, 1.001)]), GlobalError::Weights { .. }));
    assert!(reweight(&x, &y, 1, &from, &from[..1], 0.95).is_err());
    assert!(reweight(&x[2..], &y, 1, &from, &from, 0.95).is_err());
    assert!(reweight(&x, &y, 0, &from, &from, 0.95).is_err());
    assert!(reweight(&x, &y, 1, &from, &from, f64::NAN).is_err());
    let mut other = x.clone();
    other[1] = -1.0;
    assert!(reweight(&other, &y, 1, &from, &[from[0], uniform(0.5, 1.5)], 0.95).is_err());
}
