//! Variance-based indices: against closed forms, against SALib on SALib's own samples, and what is refused.

use crate::salib;
use gradyn_sensitivity::global::{
    GlobalError, Layout, Morris, Plan, Rule, Run, Saltelli, Sampling, Warning, linear, sobol_indices,
};
use gradyn_sensitivity::{Prior, Resampling};
use nalgebra::DMatrix;
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// I. Sobol', Math. Comput. Simul. 55, 2001: of the Ishigami function with a = 7, b = 0.1.
const ISHIGAMI_FIRST: [f64; 3] = [0.313_905_191, 0.442_411_144, 0.0];
const ISHIGAMI_TOTAL: [f64; 3] = [0.557_588_856, 0.442_411_144, 0.243_683_664];

fn ishigami(x: &[f64], y: &mut [f64]) {
    for (x, y) in x.chunks_exact(3).zip(y) {
        *y = x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin();
    }
}

fn around() -> Vec<Prior> {
    vec![Prior::Uniform { low: -PI, high: PI }; 3]
}

fn evaluated(plan: Saltelli, outputs: usize, f: impl Fn(&[f64], &mut [f64]) + Sync) -> Run<Saltelli> {
    let mut run = Run::new(plan, outputs).expect("the plan is one");
    assert_eq!(run.advance(f, |_| ControlFlow::Continue(())), Ok(true));
    run
}

/// The closed form of the Ishigami function, from its variances, so that the constants above are no mere claim.
#[test]
fn the_constants_are_those_of_the_function() {
    let (a, b) = (7.0_f64, 0.1_f64);
    let first = 0.5 * (1.0 + b * PI.powi(4) / 5.0).powi(2);
    let second = a * a / 8.0;
    let both = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
    let all = first + second + both;
    for (found, exact) in ISHIGAMI_FIRST.iter().zip([first / all, second / all, 0.0]) {
        // Nine digits are written.
        assert!((found - exact).abs() < 1e-9, "{found} {exact}");
    }
    for (found, exact) in ISHIGAMI_TOTAL.iter().zip([(first + both) / all, second / all, both / all]) {
        assert!((found - exact).abs() < 1e-9, "{found} {exact}");
    }
}

/// Of 100 seeds, how many have an index within its own 95 % interval: of the index that is least often.
///
/// Intervals by resampling are those of random points. In these dimensions Sobol points are about as good as random
/// ones up to 512 rows, and better from 1024 rows on.
fn coverage(priors: &[Prior], rows: usize, f: fn(&[f64], &mut [f64]), exact: &[f64]) -> usize {
    let mut within = vec![0; exact.len()];
    for seed in 0..100 {
        let run = evaluated(Saltelli::new(priors.to_vec(), rows, seed), 1, f);
        let found = run.indices(&Resampling { seed, ..Resampling::default() }).expect("outputs are finite");
        for ((within, found), exact) in within.iter_mut().zip(found.first.iter().chain(&found.total)).zip(exact) {
            *within += usize::from(found.contains(*exact));
        }
    }
    println!("{within:?} of 100 seeds within");
    within.into_iter().min().unwrap_or(0)
}

#[test]
fn errors_of_the_ishigami_function_are_below_their_intervals() {
    let exact = [ISHIGAMI_FIRST, ISHIGAMI_TOTAL].concat();
    assert!(coverage(&around(), 1024, ishigami, &exact) >= 95);
}

/// The g function of Saltelli and Sobol' (1995): `Π (|4 x_i − 2| + a_i)/(1 + a_i)`, whose partial variances are
/// `1/3 (1 + a_i)²`.
#[test]
fn errors_of_the_g_function_are_below_their_intervals() {
    const A: [f64; 6] = [0.0, 0.5, 3.0, 9.0, 99.0, 99.0];
    fn g(x: &[f64], y: &mut [f64]) {
        for (x, y) in x.chunks_exact(A.len()).zip(y) {
            *y = x.iter().zip(A).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a)).product();
        }
    }
    let part = A.map(|a| 1.0 / (3.0 * (1.0 + a).powi(2)));
    let others: f64 = part.iter().map(|v| 1.0 + v).product();
    let all = others - 1.0;
    let first = part.map(|v| v / all);
    let total = part.map(|v| v * others / (1.0 + v) / all);
    let priors = vec![Prior::Uniform { low: 0.0, high: 1.0 }; A.len()];
    assert!(coverage(&priors, 1024, g, &[first, total].concat()) >= 95);
}

/// The estimators are SALib's, on SALib's samples and outputs.
#[test]
fn on_the_samples_of_salib_the_estimates_are_those_of_salib() {
    let file = salib::read(include_str!("../data/salib_sobol.csv"), 3);
    let layout = Layout { groups: 3, second_order: true };
    let found = sobol_indices(&file.outputs, 1, layout, &Resampling::none()).expect("the samples are whole");
    for (name, found) in [("S1", &found.first), ("ST", &found.total), ("S2", &found.second)] {
        let known = file.named(name);
        assert_eq!(found.len(), known.len());
        for (found, known) in found.iter().zip(known) {
            // Rounding of 64 products of unit size.
            assert!((found.value - known).abs() < 1e-12, "{name}: {} instead of {known}", found.value);
        }
    }
    let mut y = vec![0.0; file.outputs.len()];
    ishigami(&file.samples, &mut y);
    let apart = y.iter().zip(&file.outputs).fold(0.0_f64, |apart, (a, b)| apart.max((a - b).abs()));
    // Sines and powers of two libraries.
    assert!(apart < 1e-12, "the outputs are not those of the function: {apart:e}");
}

/// Second order: the first and third variables act together with what total and first order differ by.
#[test]
fn second_order_finds_the_pair() {
    let plan = Saltelli { second_order: true, ..Saltelli::new(around(), 4096, 3) };
    let found = evaluated(plan, 1, ishigami).indices(&Resampling::default()).expect("outputs are finite");
    for (pair, exact) in found.second.iter().zip([0.0, ISHIGAMI_TOTAL[2], 0.0]) {
        assert!(pair.contains(exact), "{pair:?} does not hold {exact}");
    }
}

/// A function that is linear has the closed form, for every kind of distribution; and a whole vector of outputs costs
/// one pass.
#[test]
fn linear_outputs_have_the_closed_form_within_their_intervals() {
    let priors = [
        Prior::Normal { mean: 1.0, sd: 0.5 },
        Prior::Uniform { low: -1.0, high: 2.0 },
        Prior::LogNormal { median: 1.0, log_sd: 0.2 },
        Prior::Fixed { value: 3.0 },
    ];
    let y = DMatrix::from_row_slice(3, 4, &[1.0, 0.3, -0.7, 2.0, 0.0, 0.0, 1e-9, 1.0, 0.0, 0.0, 0.0, 5.0]);
    let exact = linear(&y, &priors).expect("the matrix fits");
    let f = |x: &[f64], out: &mut [f64]| {
        for (x, out) in x.chunks_exact(4).zip(out.chunks_exact_mut(3)) {
            out.iter_mut().zip(y.row_iter()).for_each(|(out, y)| *out = y.iter().zip(x).map(|(y, x)| y * x).sum());
        }
    };
    let run = evaluated(Saltelli::new(priors.to_vec(), 2048, 5), 3, f);
    let found = run.indices(&Resampling::default()).expect("outputs are finite");
    for (i, exact) in exact.share.iter().enumerate() {
        for found in [found.first[i], found.total[i]] {
            // An index that is zero has no error at all.
            assert!((found.value - exact).abs() <= found.half_width.unwrap_or(0.0) + 1e-12, "{i}: {found:?} {exact}");
        }
    }
    for (found, exact) in found.variance.iter().zip(&exact.variance) {
        // 4096 samples: a standard error of √(2/4096) = 2.2 % for random ones.
        assert!((found - exact).abs() <= 0.05 * exact, "{found} {exact}");
    }
    assert_eq!(found.warnings, [Warning::Constant { output: 2 }]);
    assert_eq!(exact.warnings, [Warning::Constant { output: 2 }]);
}

/// Groups: everything the first and the third variable do is 1 − S₂.
#[test]
fn a_group_acts_as_one() {
    let plan = Saltelli { groups: vec![vec![0, 2], vec![1]], ..Saltelli::new(around(), 2048, 2) };
    let found = evaluated(plan, 1, ishigami).indices(&Resampling::default()).expect("outputs are finite");
    assert!(found.first[0].contains(1.0 - ISHIGAMI_FIRST[1]), "{:?}", found.first);
    assert!(found.total[1].contains(ISHIGAMI_TOTAL[1]), "{:?}", found.total);
    for (groups, says) in [
        (vec![vec![0, 1]], "parameter 2 is in 0 groups"),
        (vec![vec![0, 1, 2], vec![1]], "parameter 1 is in 2 groups"),
        (vec![vec![0, 7]], "group 0 has parameter 7"),
    ] {
        let plan = Saltelli { groups, ..Saltelli::new(around(), 8, 0) };
        let error = Run::new(plan, 1).expect_err("groups that are none").to_string();
        assert!(error.starts_with(says), "{error}");
    }
}

/// Less than 1 % of samples without outputs are kept out and counted; more are refused by name.
#[test]
fn samples_without_outputs_are_kept_out_up_to_one_in_a_hundred() {
    let spoiled = |limit: f64| {
        move |x: &[f64], y: &mut [f64]| {
            ishigami(x, y);
            x.chunks_exact(3).zip(y).filter(|(x, _)| x[0] > limit).for_each(|(_, y)| *y = f64::NAN);
        }
    };
    // 0.3 % and 3 % of the range.
    let few = evaluated(Saltelli::new(around(), 1024, 9), 1, spoiled(PI * 0.994));
    let found = few.indices(&Resampling::default()).expect("few samples are spoiled");
    let [Warning::KeptOut { count, total: 5120 }] = found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert!((1..=51).contains(&count), "{count}");
    for (found, exact) in found.total.iter().zip(ISHIGAMI_TOTAL) {
        assert!(found.contains(exact), "{found:?} {exact}");
    }
    let many = evaluated(Saltelli::new(around(), 1024, 9), 1, spoiled(PI * 0.94));
    match many.indices(&Resampling::none()) {
        Err(GlobalError::Failed { samples, count, total: 5120 }) => {
            assert!(count > 51 && samples.len() == 10, "{count} {samples:?}");
            let values = many.values().expect("the run is at its end");
            assert!(samples.iter().all(|sample| values[*sample].is_nan()), "{samples:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_plan_is_refused_and_odd_numbers_of_rows_are_told() {
    let run = evaluated(Saltelli::new(around(), 1000, 1), 1, ishigami);
    let found = run.indices(&Resampling::none()).expect("outputs are finite");
    assert_eq!(found.warnings, [Warning::NotPowerOfTwo { samples: 1000 }]);
    assert_eq!(found.first[0].half_width, None);

    let bad = |plan: Saltelli| Run::new(plan, 1).expect_err("this is no plan").to_string();
    let mut priors = around();
    priors[1] = Prior::Normal { mean: 0.0, sd: -2.0 };
    let error = bad(Saltelli::new(priors, 8, 0));
    assert_eq!(error, "parameter 1: the standard deviation is -2: it must be positive and finite");
    assert_eq!(bad(Saltelli::new(vec![], 8, 0)), "the number of parameters is 0: there must be one");
    assert_eq!(bad(Saltelli::new(around(), 1, 0)), "the number of rows is 1: from 2 to 2³²");
    assert!(Run::new(Saltelli::new(around(), usize::MAX, 0), 1).is_err());
    assert!(Run::new(Saltelli::new(around(), 1 << 32, 0), usize::MAX).is_err());
    assert!(Run::new(Saltelli::new(around(), 8, 0), 0).is_err());

    for (times, level) in [(1, 0.95), (10, 0.0), (10, 1.0), (10, f64::NAN)] {
        assert!(run.indices(&Resampling { times, level, seed: 0 }).is_err(), "{times} {level}");
    }
    for groups in [0, usize::MAX] {
        let layout = Layout { groups, second_order: true };
        assert!(sobol_indices(&[1.0; 7], 1, layout, &Resampling::none()).is_err());
    }
    assert!(run.indices(&Resampling { times: usize::MAX, ..Resampling::default() }).is_err());
    let layout = Layout { groups: 3, second_order: false };
    assert!(sobol_indices(&[1.0; 7], 1, layout, &Resampling::none()).is_err());
    assert!(sobol_indices(&[1.0; 5], 1, layout, &Resampling::none()).is_err());
    assert!(sobol_indices(&[], 1, layout, &Resampling::none()).is_err());
    let unfinished = Run::new(Saltelli::new(around(), 8, 0), 1).expect("the plan is one");
    assert_eq!(unfinished.indices(&Resampling::none()), Err(GlobalError::Unfinished { done: 0, total: 40 }));
}

/// Scale and offset of outputs change nothing, however large.
#[test]
fn indices_do_not_depend_on_the_unit_of_the_output() {
    let plan = Saltelli::new(around(), 256, 4);
    let plain = evaluated(plan.clone(), 1, ishigami).indices(&Resampling::default()).expect("outputs are finite");
    for (unit, offset, tolerance) in [(1e300, 0.0, 1e-13), (1e-300, 0.0, 1e-13), (1.0, 1e6, 1e-8), (-1.0, 3.0, 1e-12)] {
        let f = |x: &[f64], y: &mut [f64]| {
            ishigami(x, y);
            y.iter_mut().for_each(|y| *y = unit * *y + offset);
        };
        let found = evaluated(plan.clone(), 1, f).indices(&Resampling::default()).expect("outputs are finite");
        for (found, plain) in found.first.iter().chain(&found.total).zip(plain.first.iter().chain(&plain.total)) {
            // An offset of a million takes six of sixteen digits.
            assert!((found.value - plain.value).abs() < tolerance, "{unit} {offset}: {found:?} {plain:?}");
        }
    }
}

/// A sample of A_B that is 1e12 times as far away as those of A and B: their variance is below its rounding.
#[test]
fn an_outlier_is_named() {
    let layout = Layout { groups: 1, second_order: false };
    // Rows of A, A_B, B.
    let mut values: Vec<f64> = (0..24).map(|i| f64::from(i % 5)).collect();
    let resampling = Resampling { times: 0, ..Resampling::default() };
    let good = sobol_indices(&values, 1, layout, &resampling).expect("a sample");
    assert!(good.warnings.is_empty() && good.variance[0] > 0.0);
    values[4] = 1e17;
    let found = sobol_indices(&values, 1, layout, &resampling).expect("a sample");
    assert_eq!(found.warnings, [Warning::Dominated { output: 0 }]);
    assert!(found.warnings[0].to_string().contains("output 0: one sample is so far away"));
}

/// One sample of thousands that explodes makes the variance: there is no index, and a name. Half of a variance is none
/// that smooth functions give one sample.
#[test]
fn a_sample_that_explodes_leaves_no_index() {
    let explodes = |x: &[f64], y: &mut [f64]| {
        ishigami(x, y);
        for (x, y) in x.chunks_exact(3).zip(y) {
            // Grows from nothing to 1e13 at the corner.
            *y += (5.0 * (x[0] + x[1] + x[2]) - 12.0).exp();
        }
    };
    for rows in [16, 256] {
        let found = evaluated(Saltelli::new(around(), rows, 1), 1, explodes).indices(&Resampling::default());
        let found = found.expect("finite");
        assert!(found.warnings.contains(&Warning::Dominated { output: 0 }), "{rows}: {found:?}");
        assert!(
            found.first.iter().chain(&found.total).all(|x| x.value.is_nan() && x.half_width.is_none()),
            "{found:?}"
        );
        let plain = evaluated(Saltelli::new(around(), rows, 1), 1, ishigami).indices(&Resampling::none());
        assert!(plain.expect("finite").warnings.is_empty());
    }
}

/// More samples than memory holds are known to be before any is drawn.
#[test]
fn plans_know_their_memory() {
    let plan = |rows| Saltelli::new(around(), rows, 1);
    let morris = |paths| Morris { priors: around(), paths, levels: 4, seed: 0 };
    let sampling = |samples| Sampling { priors: around(), samples, rule: Rule::Random, seed: 0 };
    // What is kept of each sample at least: its outputs.
    assert!(plan(1024).bytes(7).expect("a plan") > 8 * 7 * 1024 * 5);
    for bytes in [plan(3_000_000_000).bytes(7), morris(3_000_000_000).bytes(7), sampling(3_000_000_000).bytes(7)] {
        assert!(bytes.expect("a plan") > 150_000_000_000);
    }
    assert!(morris(usize::MAX).bytes(7).is_err());
}
