//! How large rounding is, and that no index is made of it.

use crate::common::{robot, state, tree};
use gradyn::{Model, UrdfOptions, Workspace, aba, once, rnea};
use gradyn_sensitivity::global::{Morris, Run, Saltelli, Warning};
use gradyn_sensitivity::local::rounding;
use gradyn_sensitivity::{Parameters, Resampling, StateOutput, evaluate_many};
use std::ops::ControlFlow;
use testing::{Precise, Random};

/// A vertical axis under two that are not.
fn yaw() -> Model {
    let text = include_str!("../../../cli/tests/data/yaw.urdf");
    Model::from_urdf_text(text, &UrdfOptions::new()).expect("a robot").model
}

/// Gravity does nothing about a vertical axis, so what is computed there is rounding. It is as large as it is said to
/// be: at most ten times it, as numbers are rounded about ten times on their way, and not below a thousandth of it.
#[test]
fn torques_about_a_vertical_axis_are_as_small_as_said() {
    let (model, mut random, mut largest) = (yaw(), Random::new(1), 0.0_f64);
    let p = Parameters::of(&model).select_all("*.mass, *.com.*").expect("are there");
    for _ in 0..100 {
        let q: Vec<f64> = (0..3).map(|_| random.range(-3.0, 3.0)).collect();
        let output = StateOutput::Torques { q: &q, v: &[0.0; 3], a: &[0.0; 3] };
        let r = rounding(&model, output).expect("a state");
        // Weights of 60 N at half a meter: tens of N m, of which u is 1e-16.
        assert!(r.iter().all(|r| (1e-16..1e-13).contains(r)), "{r:?}");
        // Masses and centers up to a tenth larger.
        let values: Vec<f64> = p.nominal().iter().map(|x| x * random.range(1.0, 1.1)).collect();
        let mut tau = [0.0; 3];
        evaluate_many(&p, output, &values, &mut tau);
        assert!(tau[0].abs() <= 10.0 * r[0], "{tau:?} {r:?}");
        largest = largest.max(tau[0].abs() / r[0]);
    }
    assert!(largest > 1e-3, "{largest}");
}

/// Torques and accelerations of all kinds of robots, held against numbers of twice the digits, are off by no more than
/// ten times what is said, and by no less than a ten-thousandth of it for some.
#[test]
fn results_are_off_by_no_more_than_said() {
    let lift = |x: &[f64]| x.iter().map(|x| Precise::from(*x)).collect::<Vec<_>>();
    for model in [robot("panda", false), robot("ur5", false), robot("solo12", true), robot("g1", true), tree(5), yaw()]
    {
        let mut largest = 0.0_f64;
        for seed in 0..3 {
            let (q, v, a) = state(&model, seed);
            let tau = once::rnea(&model, &q, &v, &a, &[]).expect("a state");
            let precise: Model<Precise> = model.lift();
            let ws = &mut Workspace::new(&precise);
            let exact = rnea(&precise, ws, &lift(&q), &lift(&v), &lift(&a), &[]).expect("a state").to_vec();
            let r = rounding(&model, StateOutput::Torques { q: &q, v: &v, a: &a }).expect("a state");
            let off = |found: &[f64], exact: &[Precise], i: usize| (exact[i] - Precise::from(found[i])).round().abs();
            for (i, r) in r.iter().enumerate() {
                assert!(off(&tau, &exact, i) <= 10.0 * r, "{} {seed} {i}: {} {r}", model.name(), off(&tau, &exact, i));
                largest = largest.max(off(&tau, &exact, i) / r);
            }
            let ddq = once::aba(&model, &q, &v, &tau, &[]).expect("a state");
            let exact = aba(&precise, ws, &lift(&q), &lift(&v), &lift(&tau), &[]).expect("a state").to_vec();
            let r = rounding(&model, StateOutput::Accelerations { q: &q, v: &v, tau: &tau }).expect("a state");
            for (i, r) in r.iter().enumerate() {
                assert!(off(&ddq, &exact, i) <= 10.0 * r, "{} {seed} {i}: {} {r}", model.name(), off(&ddq, &exact, i));
            }
        }
        assert!(largest > 1e-4, "{}: {largest}", model.name());
    }
}

/// What is a torque is a million million times its rounding.
#[test]
fn rounding_is_small_beside_what_is_not() {
    let model = robot("panda", false);
    let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
    let tau = once::rnea(&model, &q, &v, &a, &[]).expect("a state");
    let r = rounding(&model, StateOutput::Torques { q: &q, v: &v, a: &a }).expect("a state");
    assert!(tau[1].abs() / r[1] > 1e12 && r.iter().all(|r| *r > 0.0), "{tau:?} {r:?}");
}

#[test]
fn rounding_has_no_index() {
    let model = yaw();
    let p = Parameters::of(&model).select_all("*.mass, *.com.*").expect("are there");
    let q: Vec<f64> = model.neutral();
    let output = StateOutput::Torques { q: &q, v: &[0.0; 3], a: &[0.0; 3] };
    let r = rounding(&model, output).expect("a state");
    let f = |x: &[f64], y: &mut [f64]| evaluate_many(&p, output, x, y);
    let mut run = Run::new(Saltelli::new(p.default_priors(0.1), 128, 0), 3).expect("a plan");
    run.advance(f, |_| ControlFlow::Continue(())).expect("a plan");
    let found = run.indices(&Resampling::default()).expect("finite").above_rounding(&r);
    assert_eq!(found.warnings, [Warning::Rounding { output: 0 }]);
    let k = p.len();
    assert!(found.first[..k].iter().chain(&found.total[..k]).all(|x| x.value.is_nan()));
    assert!(found.first[k..].iter().chain(&found.total[k..]).all(|x| x.value.is_finite()));
    let mut run = Run::new(Morris { priors: p.default_priors(0.1), paths: 20, levels: 4, seed: 0 }, 3).expect("a plan");
    run.advance(f, |_| ControlFlow::Continue(())).expect("a plan");
    let found = run.effects(&Resampling::default()).expect("finite").above_rounding(&r);
    assert_eq!(found.warnings, [Warning::Rounding { output: 0 }]);
    assert!(found.magnitude[..k].iter().all(|x| x.value.is_nan()));
    assert!(found.magnitude[k..].iter().all(|x| x.value.is_finite()));
}
