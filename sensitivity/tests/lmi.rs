//! Fits over all physical robots by convex optimization: their optimum is that of log-Cholesky parameters, and no robot
//! is better.

#[path = "all/common.rs"]
#[allow(dead_code, reason = "all other tests use the rest")]
mod common;

use common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Data, FitOptions, divergence, fit, fit_convex};

/// Half the squares of residuals, in units of noise.
fn cost(robot: &Model, data: &Data, noise: &[f64]) -> f64 {
    let ws = &mut Workspace::new(robot);
    let of = |i: usize| {
        let tau = rnea(robot, ws, &data.q[i], &data.v[i], &data.a[i], &[]).expect("runs").to_vec();
        let squares = tau.iter().zip(&data.tau[i]).zip(noise).map(|((a, b), s)| ((a - b) / s).powi(2));
        0.5 * squares.sum::<f64>()
    };
    (0..data.len()).map(of).sum()
}

/// Four links of the arm, heavier or lighter than its file says, and so much noise that the best fit is no robot.
fn noisy(seed: u64) -> (Model, Data) {
    let model = robot("panda", false);
    let masses = Parameters::of(&model).select("panda_link[4-7].density").expect("are there");
    let truth = masses.robot_at(&[1.2, 0.9, 1.3, 0.8]).expect("fits");
    let data = sines(&truth, 60, 0.5, seed);
    (model, data)
}

/// What an entropic pull of weight γ finds costs at most `cost(q) + γ (D(q) − D)`, for any q, and at least the bound.
#[test]
fn the_optimum_is_that_of_log_cholesky_parameters() {
    let mut active = 0;
    for seed in 0..4 {
        let (model, data) = noisy(seed);
        let linear = Parameters::of(&model).select("panda_link[4-7].pi.*").expect("are there");
        let curved = Parameters::of(&model).select("panda_link[4-7].log_cholesky.*").expect("are there");
        let (mut last, mut unbound) = (f64::INFINITY, 0.0);
        for entropic in [1.0, 1e-2, 1e-4] {
            let options = FitOptions { entropic: Some(entropic), hold_out: 0.0, ..FitOptions::default() };
            let other = fit(&curved, &data, &options).expect("runs");
            let noise = &other.noise;
            let other = curved.robot_at(&other.estimate.parameters).expect("fits");
            let found = fit_convex(&linear, &data, noise).expect("runs");
            // Tight: to the eigenvalues that count as not negative, 1e-8, times how fast the cost grows along them;
            // measured 1e-6 at most.
            let gap = found.cost - found.bound;
            assert!(gap > -1e-6 && gap < 1e-4, "{} above {}", found.cost, found.bound);
            let best = linear.robot_at(&found.values).expect("fits");
            let own = cost(&best, &data, noise);
            assert!((own - found.cost).abs() < 1e-8 * own, "{own} against {}", found.cost);
            for body in best.bodies() {
                assert!(body.inertia().validity().is_ok(), "{}: {:?}", body.name(), body.inertia().validity());
            }
            active += found.at_border.len();

            let costs = cost(&other, &data, noise);
            assert!(costs >= found.bound - 1e-6, "{costs} below {}", found.bound);
            // A thousandth of the way to the robot's own values, so that D is finite.
            let inside: Vec<f64> =
                found.values.iter().zip(linear.nominal()).map(|(x, own)| 0.999 * x + 0.001 * own).collect();
            let inside = linear.robot_at(&inside).expect("fits");
            let pull = |of: &Model| {
                let d =
                    |b: usize| divergence(of.bodies()[b].inertia(), model.bodies()[b].inertia()).expect("is physical");
                entropic * linear.bodies().into_iter().map(d).sum::<f64>()
            };
            let most = cost(&inside, &data, noise) + pull(&inside) - pull(&other);
            assert!(costs <= most + 1e-6, "{costs} above {most}");
            // Nearer and nearer as the weight falls; measured by a half at least.
            assert!(costs - found.bound < last / 1.5, "{costs} above {}, {last} before", found.bound);
            last = costs - found.bound;
            let free = fit(&linear, &data, &FitOptions { hold_out: 0.0, ..FitOptions::default() }).expect("runs");
            unbound = found.bound - cost(&linear.robot_at(&free.estimate.parameters).expect("fits"), &data, noise);
        }
        // What constraints cost, over the best of all numbers, is fifty times as much.
        assert!(last < 0.02 && unbound > 50.0 * last, "{last} of {unbound}");
    }
    assert!(active > 0, "no constraint was active");
}

/// Frictions of a robot that has none stay at zero or above, noise-free data give what made them, and what data cannot
/// tell stays.
#[test]
fn numbers_of_joints_and_data_without_noise() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("panda_link7.pi.*").and_then(|p| p.select("*.friction")).expect("are there");
    let mut truth = p.nominal();
    truth[0] += 0.4;
    (10..17).for_each(|k| truth[k] = 0.1 * (k - 10) as f64);
    let data = sines(&p.robot_at(&truth).expect("fits"), 80, 0.0, 1);
    let found = fit_convex(&p, &data, &[0.1; 7]).expect("runs");
    // Torques of 1e-1 to 1e-4 of that, as a cost; the solver ends at 1e-10 of some thousand.
    assert!(found.cost < 1e-5 && found.at_border.is_empty(), "{found:?}");
    for (found, truth) in found.values.iter().zip(&truth).skip(10) {
        assert!((found - truth).abs() < 1e-4, "{found} against {truth}");
    }
    let frictionless = Parameters::of(&model).select("*.friction").expect("are there");
    let none = sines(&frictionless.robot_at(&[0.0; 7]).expect("fits"), 80, 0.3, 2);
    let found = fit_convex(&frictionless, &none, &[0.3; 7]).expect("runs");
    // Noise puts some below zero if it may.
    assert!(found.values.iter().all(|x| *x >= 0.0) && found.values.iter().any(|x| *x < 1e-6), "{:?}", found.values);
    // The first link's mass moves no torque.
    let still = Parameters::of(&model).select("panda_link1.pi.m").expect("is there");
    let found = fit_convex(&still, &data, &[0.1; 7]).expect("runs");
    assert!((found.values[0] - still.nominal()[0]).abs() < 1e-6, "{:?}", found.values);
}

#[test]
fn what_is_not_convex_is_said() {
    let model = robot("panda", false);
    let data = sines(&model, 20, 0.0, 1);
    let refused = |pattern: &str, noise: &[f64]| {
        let p = Parameters::of(&model).select(pattern).expect("are there");
        fit_convex(&p, &data, noise).expect_err("is refused").to_string()
    };
    for pattern in ["panda_link7.log_cholesky.*", "panda_link7.mass", "*.placement.x"] {
        let error = refused(pattern, &[1.0; 7]);
        assert!(error.contains("`pi`"), "{error}");
    }
    assert!(refused("panda_link7.pi.*", &[1.0; 6]).contains("noise has 6 entries"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused("panda_link7.pi.*", &[1.0, 1.0, bad, 1.0, 1.0, 1.0, 1.0]);
        assert!(error.contains("panda_joint3"), "{error}");
    }
    let link = model.find_body("panda_link7").expect("is there");
    let rod = model.clone().with_inertia(link, gradyn::Inertia::thin_rod(1.0, 0.2).expect("is a rod")).expect("fits");
    let p = Parameters::of(&rod).select("panda_link7.pi.*").expect("are there");
    let error = fit_convex(&p, &data, &[1.0; 7]).expect_err("is flat").to_string();
    assert!(error.contains("panda_link7"), "{error}");
    assert!(fit_convex(&Parameters::of(&model), &data, &[1.0; 7]).is_err());
}
