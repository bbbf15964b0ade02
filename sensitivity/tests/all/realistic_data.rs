//! Data as a robot gives them: encoders that count, torques of a coarse resolution, noise, velocities that come late,
//! drives at their limits. The truth is planted; positions and torques go through one filter, as in
//! `examples/identification/panda_log.py`.

use crate::common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Data, FitOptions, Warning, fit};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::TAU;
use testing::rng;

/// Samples a second of the log.
const RATE: f64 = 500.0;
/// A turn in counts of an encoder before its gear, 14 bits by 100.
const COUNTS: f64 = 16_384.0 * 100.0;
/// Resolution and noise of torques, N m.
const RESOLUTION: f64 = 0.05;
const NOISE: f64 = 0.2;
/// Half the length of the filter, in samples: 41 of them, 80 ms.
const HALF: usize = 20;
/// One sample of so many is kept: neighbors share no noise.
const EVERY: usize = 2 * HALF + 1;

fn rounded(x: f64, unit: f64) -> f64 {
    (x / unit).round() * unit
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, w): (f64, f64) = (rng.random_range(f64::MIN_POSITIVE..1.0), rng.random());
    (-2.0 * u.ln()).sqrt() * (TAU * w).cos()
}

/// What a log of so many samples holds: velocities are differences of counts over ten samples, as drives give them.
fn log(model: &Model, n: usize, rng: &mut ChaCha8Rng) -> Data {
    let nv = model.nv();
    let wave = |rng: &mut ChaCha8Rng, k: u32| {
        let k = f64::from(k);
        (rng.random_range(0.2..0.5) / k, k * rng.random_range(0.8..1.4), rng.random_range(0.0..TAU))
    };
    let waves: Vec<Vec<(f64, f64, f64)>> = (0..nv).map(|_| (1..=4).map(|k| wave(rng, k)).collect()).collect();
    let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
        waves.iter().map(|waves| waves.iter().map(|(size, w, x)| f(*size, *w, *x)).sum()).collect()
    };
    let ws = &mut Workspace::new(model);
    let mut data = Data { a: vec![vec![0.0; nv]; n], ..Data::default() };
    for i in 0..n {
        let t = i as f64 / RATE;
        let q = sum(&|s, w, x| s * (w * t + x).sin());
        let v = sum(&|s, w, x| s * w * (w * t + x).cos());
        let a = sum(&|s, w, x| -s * w * w * (w * t + x).sin());
        let tau = rnea(model, ws, &q, &v, &a, &[]).expect("runs");
        data.time.push(t);
        data.tau.push(tau.iter().map(|tau| rounded(tau + NOISE * normal(rng), RESOLUTION)).collect());
        data.q.push(q.iter().map(|q| rounded(*q, TAU / COUNTS)).collect());
    }
    for i in 0..n {
        let (before, after) = (i.saturating_sub(5), (i + 5).min(n - 1));
        let time = (after - before) as f64 / RATE;
        data.v.push((0..nv).map(|j| (data.q[after][j] - data.q[before][j]) / time).collect());
    }
    data
}

/// Positions and torques through a symmetric window, velocities and accelerations as its differences: nothing is late.
/// Where joint `dry` turns back within the window there is no sample: the filter smears the jump of its dry friction.
fn filtered(log: &Data, dry: Option<usize>) -> Data {
    let weight = |k: usize| 1.0 + (TAU * (k as f64 - HALF as f64) / (2 * HALF + 2) as f64).cos();
    let total: f64 = (0..=2 * HALF).map(weight).sum();
    let smooth = |rows: &[Vec<f64>], i: usize, j: usize| {
        (0..=2 * HALF).map(|k| weight(k) * rows[i + k - HALF][j]).sum::<f64>() / total
    };
    let nv = log.tau[0].len();
    let mut data = Data::default();
    let turns = |i: usize, j: usize| (i - HALF..=i + HALF).any(|k| log.v[k][j] * log.v[i][j] <= 0.0);
    for i in (HALF + 1..log.len() - HALF - 1).step_by(EVERY).filter(|i| dry.is_none_or(|j| !turns(*i, j))) {
        let row = |f: &dyn Fn(usize) -> f64| (0..nv).map(f).collect::<Vec<f64>>();
        let q = |i: usize, j: usize| smooth(&log.q, i, j);
        data.time.push(log.time[i]);
        data.q.push(row(&|j| q(i, j)));
        data.v.push(row(&|j| (q(i + 1, j) - q(i - 1, j)) * RATE / 2.0));
        data.a.push(row(&|j| (q(i + 1, j) - 2.0 * q(i, j) + q(i - 1, j)) * RATE * RATE));
        data.tau.push(row(&|j| smooth(&log.tau, i, j)));
    }
    data
}

fn planted() -> (Parameters, Vec<f64>, Model) {
    let model = robot("panda", false);
    let p = Parameters::of(&model)
        .select_all("panda_link7.payload.m, panda_link4.mass, panda_joint2.friction, panda_joint4.damping, panda_joint1.armature")
        .expect("are there");
    let mut truth = p.nominal();
    truth[0] = 0.8;
    truth[1] *= 1.1;
    (truth[2], truth[3], truth[4]) = (0.6, 0.3, 0.1);
    let robot = p.robot_at(&truth).expect("fits");
    (p, truth, robot)
}

/// In how many runs the interval holds each parameter.
fn covered(runs: u64, dry: Option<usize>) -> Vec<usize> {
    let (p, truth, robot) = planted();
    let mut inside = vec![0; truth.len()];
    for seed in 0..runs {
        let data = filtered(&log(&robot, 8000, &mut rng(200 + seed)), dry);
        let found = fit(&p, &data, &FitOptions { hold_out: 0.3, ..FitOptions::default() }).expect("runs");
        assert!(found.estimate.status.converged() && found.cannot_tell.is_empty(), "seed {seed}");
        // Torques are of some 10 N m.
        assert!(found.validation.held_out < 0.02, "seed {seed}: {:?}", found.validation);
        for k in 0..truth.len() {
            let half = found.estimate.half_width(k, 0.95).expect("is told");
            inside[k] += usize::from((found.estimate.parameters[k] - truth[k]).abs() < half);
        }
    }
    println!("{:?}: {inside:?} of {runs}", p.names());
    inside
}

#[test]
fn intervals_cover_a_planted_truth_through_counts_and_noise() {
    // 57 of 60 in the mean, three standard deviations of a binomial count are 5.
    let inside = covered(60, Some(1));
    assert!(inside.iter().all(|count| *count >= 52), "{inside:?}");
}

/// With samples at the reversals of a joint with dry friction, filtered torques are of no robot: its interval is too
/// sure.
#[test]
fn filtered_reversals_of_dry_friction_are_not_covered() {
    let inside = covered(60, None);
    assert!(inside[2] < 50, "{inside:?}");
    assert!(inside.iter().enumerate().all(|(k, count)| k == 2 || *count >= 52), "{inside:?}");
}

/// As the control of a robot logs them: velocities through a filter that makes them late, and a drive at its limit.
#[test]
fn late_velocities_and_clipped_torques_are_noticed() {
    let (_, _, robot) = planted();
    let good = log(&robot, 2500, &mut rng(300));
    assert!(good.check(&robot).expect("fits").is_empty(), "{:?}", good.check(&robot));
    for delay in [10, 15] {
        let mut late = good.clone();
        for i in (0..late.len()).rev() {
            late.v[i].clone_from(&good.v[i.saturating_sub(delay)]);
        }
        let warnings = late.check(&robot).expect("fits");
        let seconds = delay as f64 / RATE;
        let told = |w: &&Warning| matches!(w, Warning::Velocity { delay, .. } if (delay - seconds).abs() < 1.5 / RATE);
        assert!(warnings.iter().filter(told).count() >= 5, "{delay} samples: {warnings:?}");
    }
    let mut clipped = good;
    let limit = 0.7 * clipped.tau.iter().fold(0.0, |most: f64, row| most.max(row[3].abs()));
    let limit = rounded(limit, RESOLUTION);
    clipped.tau.iter_mut().for_each(|row| row[3] = row[3].clamp(-limit, limit));
    let warnings = clipped.check(&robot).expect("fits");
    assert!(
        matches!(&warnings[..], [Warning::Clipped { joint, torque, .. }] if joint == "panda_joint4" && (torque - limit).abs() < 1e-9),
        "{warnings:?}"
    );
}
