//! Output error: parameters from a motion that was measured, without accelerations.

use crate::common::*;
use gradyn_sensitivity::estimate::Options;
use gradyn_sensitivity::identify::{Measured, OutputErrorOptions, fit_motion, fit_output_error};
use gradyn_sensitivity::rollout::State;
use gradyn_sensitivity::statistics::normal_quantile;
use gradyn_sensitivity::{Parameters, Rollout, Scheme, StateMemory};
use rand::RngExt;
use testing::{numbers, rng};

/// A planted robot's motion, every fifth node, with noise of these sizes.
fn measured(run: &Rollout<'_>, truth: &[f64], start: (&[f64], &[f64]), sd: [f64; 2], seed: u64) -> Measured {
    let model = run.parameters().robot();
    let states = run.simulate(truth, start.0, start.1).expect("runs");
    let rng = &mut rng(seed);
    let mut noise = |sd: f64| sd * normal_quantile(rng.random_range(1e-9..1.0)).expect("within");
    let mut noisy = |(q, v): &State| {
        let step: Vec<f64> = v.iter().map(|_| noise(sd[0])).collect();
        let q = model.integrate(q, &step).expect("fits");
        (q, v.iter().map(|v| v + noise(sd[1])).collect())
    };
    let states = states.iter().enumerate().filter(|(k, _)| k % 5 == 0).map(|(k, x)| (k, noisy(x))).collect();
    Measured { states, sd_q: vec![sd[0]; model.nv()], sd_v: vec![sd[1]; model.nv()] }
}

#[test]
fn a_planted_robot_is_found() {
    let model = robot("panda", false).with_joint_friction(true);
    let p = Parameters::of(&model)
        .select_all("panda_link7.mass, panda_link7.com.z, *.damping, gravity.z, state.v.panda_joint4")
        .expect("are there");
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 2e-3, controls(&model, 200, 4.0)).expect("fits");
    let nominal = p.nominal();
    let truth: Vec<f64> = nominal
        .iter()
        .zip(numbers(&mut rng(5), p.len()))
        .map(|(x, d)| if *x == 0.0 { 0.1 + 0.05 * d } else { x * (1.0 + 0.1 * d) })
        .collect();
    // Without noise: to rounding, which the motion has grown.
    let exact = measured(&run, &truth, (&q0, &v0), [1e-12, 1e-12], 1);
    let found = fit_motion(&run, (&q0, &v0), &exact, &Options::default()).expect("fits");
    for (k, (x, truth)) in found.estimate.parameters.iter().zip(&truth).enumerate() {
        assert!((x - truth).abs() < 1e-8 * truth.abs().max(0.1), "{}: {x} against {truth}", found.parameters[k]);
    }
    assert!(found.cannot_tell.is_empty() && found.trustworthy);
    // With noise: within five of the deviations that it says, which is 1 in 1.7 million for each.
    let noisy = measured(&run, &truth, (&q0, &v0), [1e-4, 1e-3], 2);
    let found = fit_motion(&run, (&q0, &v0), &noisy, &Options::default()).expect("fits");
    assert!(found.estimate.status.converged(), "{:?}", found.estimate.status);
    let scale = found.estimate.scale.expect("there are more residuals than parameters");
    assert!((scale - 1.0).abs() < 0.15, "{scale}");
    for (k, (x, truth)) in found.estimate.parameters.iter().zip(&truth).enumerate() {
        let sd = found.estimate.deviation(k).expect("is told");
        assert!((x - truth).abs() < 5.0 * sd, "{}: {x} ± {sd} against {truth}", found.parameters[k]);
    }
    // The adjoint says the same of the end: no slope is left, against that at the start.
    let slope = |values: &[f64]| {
        let by = run.adjoint(values, &q0, &v0, &noisy, StateMemory::default()).expect("runs");
        (by.cost, by.by_parameters.iter().zip(&truth).map(|(g, x)| (g * x).abs()).fold(0.0_f64, f64::max))
    };
    let ((_, before), (cost, after)) = (slope(&nominal), slope(&found.estimate.parameters));
    assert!(after < 1e-7 * before, "{after:e} against {before:e}");
    assert!((cost / found.estimate.cost - 1.0).abs() < 1e-12, "{cost} against {}", found.estimate.cost);
}

/// On a manifold: gradients by the adjoint are `Jᵀ r` of the fit, by differences of the cost.
#[test]
fn the_cost_of_a_floating_robot_has_the_gradient_of_its_residuals() {
    let model = tree(2);
    let p = Parameters::of(&model).select_all("*.mass, state.q.*").expect("are there");
    let (q0, v0, _) = state(&model, 4);
    let v0: Vec<f64> = v0.iter().map(|v| 0.3 * v).collect();
    let run = Rollout::new(&p, Scheme::Rk4, 5e-3, controls(&model, 20, 0.5)).expect("fits");
    let nominal = p.nominal();
    let data = measured(&run, &nominal, (&q0, &v0), [0.05, 0.1], 3);
    let at = |values: &[f64]| run.adjoint(values, &q0, &v0, &data, StateMemory::default()).expect("runs");
    let by = at(&nominal);
    for k in (0..p.len()).step_by(7) {
        let cost = |t: f64| {
            let mut moved = nominal.clone();
            moved[k] += t;
            at(&moved).cost
        };
        let h = 1e-3;
        let slope = (8.0 * (cost(h) - cost(-h)) - (cost(2.0 * h) - cost(-2.0 * h))) / (12.0 * h);
        // Differences of a cost of some hundred, over 1e-3: 1e-10, and h⁴ of its fifth derivative.
        let found = by.by_parameters[k];
        assert!((slope - found).abs() <= 1e-6 * found.abs().max(1.0), "{}: {slope} against {found}", p.names()[k]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.mass").expect("are there");
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 0.01, vec![vec![0.0; 7]; 3]).expect("fits");
    let (q, v) = (vec![0.1; 7], vec![0.0; 7]);
    let good = Measured {
        states: vec![(0, (q.clone(), v.clone())), (3, (q.clone(), v.clone()))],
        sd_q: vec![1.0; 7],
        sd_v: vec![1.0; 7],
    };
    let ask =
        |data: &Measured| fit_motion(&run, (&q, &v), data, &Options::default()).map(|_| ()).map_err(|e| e.to_string());
    assert_eq!(ask(&good), Ok(()));
    let early = Measured { states: vec![good.states[0].clone()], ..good.clone() };
    assert!(ask(&early).expect_err("ends early").contains("to its last node, has 0 entries, expected 3"));
    let twice = Measured { states: vec![good.states[1].clone(), good.states[1].clone()], ..good.clone() };
    assert!(ask(&twice).expect_err("twice").contains("a measured node is 3"));
    let flat = Measured { sd_q: vec![0.0; 7], ..good.clone() };
    assert!(ask(&flat).expect_err("no noise").contains("sd_q[0] is 0"));
    let mut lost = good.clone();
    lost.states[1].1.1[2] = f64::NAN;
    assert!(ask(&lost).expect_err("not a number").contains("v[2] of node 3 is NaN"));
    assert!(ask(&Measured { states: vec![], ..good }).expect_err("nothing").contains("the measured states"));
}

/// Dampings and frictions that are zero: as few iterations as where they are inside.
#[test]
fn a_motion_at_a_bound_is_fitted_as_fast_as_one_inside() {
    let model = robot("panda", false).with_joint_friction(true);
    let p = Parameters::of(&model).select_all("*.damping, panda_link7.mass").expect("are there");
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 2e-3, controls(&model, 200, 4.0)).expect("fits");
    let steps = |damping: f64, seed: u64| {
        let mut truth = p.nominal();
        truth[..7].fill(damping);
        let noisy = measured(&run, &truth, (&q0, &v0), [1e-4, 1e-3], seed);
        let found = fit_motion(&run, (&q0, &v0), &noisy, &Options::default()).expect("fits");
        assert!(found.estimate.status.converged(), "{:?}", found.estimate.status);
        found.estimate.evaluations
    };
    for seed in 0..3 {
        let (inside, bound) = (steps(0.3, seed), steps(0.0, seed));
        assert!(bound <= 2 * inside, "{bound} against {inside}");
    }
}

/// A log without accelerations: torques drive the simulation. Friction of one joint, a mass, and a damping of zero.
#[test]
fn a_log_is_fitted_by_its_simulation() {
    let model = robot("panda", false).with_joint_friction(true);
    let p = Parameters::of(&model)
        .select_all("panda_link5.mass, panda_joint2.damping, panda_joint4.damping")
        .expect("are there");
    let truth = [p.nominal()[0] * 1.2, 2.0, 0.0];
    let planted = p.robot_at(&truth).expect("fits");
    let data = sines(&planted, 200, 0.0, 4);
    let found = fit_output_error(&p, &data, &OutputErrorOptions { samples: 25, hold_out: 0.3 }).expect("fits");
    assert!(found.explains && found.motion.cannot_tell.is_empty() && found.motion.trustworthy);
    for (k, (x, truth)) in found.motion.estimate.parameters.iter().zip(truth).enumerate() {
        // Torques constant over a step: (w h)²/12 = 5e-4 of the fastest, 4 rad/s at 50 Hz.
        assert!((x - truth).abs() < 2e-2, "{}: {x} against {truth}", found.motion.parameters[k]);
    }
    assert!(found.pieces.len() - found.held_out == 3 || found.pieces.len() - found.held_out == 2, "{:?}", found.pieces);
    for joint in &found.joints {
        assert!(joint.held_out < 0.2 * joint.before.max(1e-3), "{joint:?}");
    }
    let ask = |options| fit_output_error(&p, &data, &options).map(|_| ()).expect_err("is refused").to_string();
    assert!(ask(OutputErrorOptions { samples: 1, hold_out: 0.0 }).contains("samples of a piece is 1"));
    assert!(ask(OutputErrorOptions { samples: 9, hold_out: 1.0 }).contains("the share held out is 1"));
}
