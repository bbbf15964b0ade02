//! Logs with what real logs have wrong with them: intervals hold the truth, or a warning says that they do not.
//!
//! Truth: the last link carries 0.8 kg at (0.02, 0, 0.1); every joint has damping 0.3 and friction 0.4, smooth
//! over 0.01 rad/s.

use crate::common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::estimate::Loss;
use gradyn_sensitivity::identify::{Data, FitOptions, Warning, fit};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::TAU;
use testing::rng;

const RATE: f64 = 50.0;
const SAMPLES: usize = 250;
/// Noise of torques by joint, N m.
const NOISE: [f64; 7] = [0.3, 0.2, 0.2, 0.1, 0.05, 0.05, 0.02];

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, w): (f64, f64) = (rng.random_range(f64::MIN_POSITIVE..1.0), rng.random());
    (-2.0 * u.ln()).sqrt() * (TAU * w).cos()
}

/// Parameters, their truth, and the robot that has them.
fn planted() -> (Parameters, Vec<f64>, Model) {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("panda_link7.payload.*, *.friction, *.damping").expect("are there");
    let of = |name: &String| match name.as_str() {
        "panda_link7.payload.m" => 0.8,
        "panda_link7.payload.cx" => 0.02,
        "panda_link7.payload.cy" => 0.0,
        "panda_link7.payload.cz" => 0.1,
        name if name.ends_with(".friction") => 0.4,
        _ => 0.3,
    };
    let truth: Vec<f64> = p.names().iter().map(of).collect();
    let robot = p.robot_at(&truth).expect("fits");
    (p, truth, robot)
}

/// Five harmonics of 5 s about a posture, without noise.
fn clean(model: &Model, rng: &mut ChaCha8Rng) -> Data {
    let posture = [0.0, -0.4, 0.0, -1.8, 0.0, 1.6, 0.5];
    let sizes: Vec<Vec<[f64; 2]>> =
        (0..5).map(|_| (0..7).map(|_| [0.25 * normal(rng), 0.25 * normal(rng)]).collect()).collect();
    let ws = &mut Workspace::new(model);
    let mut data = Data::default();
    for i in 0..SAMPLES {
        let t = i as f64 / RATE;
        let (mut q, mut v, mut a) = (posture.to_vec(), vec![0.0; 7], vec![0.0; 7]);
        for (h, sizes) in sizes.iter().enumerate() {
            let w = TAU * (h + 1) as f64 * RATE / SAMPLES as f64;
            let (s, c) = (w * t).sin_cos();
            for (j, [x, y]) in sizes.iter().enumerate() {
                q[j] += x * s + y * (c - 1.0);
                v[j] += w * (x * c - y * s);
                a[j] -= w * w * (x * s + y * c);
            }
        }
        data.tau.push(rnea(model, ws, &q, &v, &a, &[]).expect("runs").to_vec());
        data.time.push(t);
        data.q.push(q);
        data.v.push(v);
        data.a.push(a);
    }
    data
}

fn white(data: &mut Data, size: f64, rng: &mut ChaCha8Rng) {
    for row in &mut data.tau {
        row.iter_mut().zip(NOISE).for_each(|(tau, noise)| *tau += size * noise * normal(rng));
    }
}

/// White noise through a Butterworth filter of second order, forwards and backwards, its corner at a tenth of Nyquist's
/// frequency.
fn colored(data: &mut Data, rng: &mut ChaCha8Rng) {
    let w = (std::f64::consts::PI * 0.05).tan();
    let norm = 1.0 / (1.0 + 2.0_f64.sqrt() * w + w * w);
    let (b, a) = (w * w * norm, [2.0 * (w * w - 1.0) * norm, (1.0 - 2.0_f64.sqrt() * w + w * w) * norm]);
    let pass = |x: Vec<f64>| -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for i in 2..x.len() {
            y[i] = b * (x[i] + 2.0 * x[i - 1] + x[i - 2]) - a[0] * y[i - 1] - a[1] * y[i - 2];
        }
        y
    };
    for j in 0..7 {
        // Fifty samples at each end settle the filter.
        let mut noise = pass((0..SAMPLES + 100).map(|_| normal(rng)).collect());
        noise.reverse();
        let mut noise = pass(noise);
        noise.reverse();
        (0..SAMPLES).for_each(|i| data.tau[i][j] += 0.4 * noise[i + 50]);
    }
}

/// Torques that come 30 ms late, linear between samples.
fn late(data: &mut Data) {
    let before = data.tau.clone();
    for i in 0..SAMPLES {
        let at = (i as f64 - 0.03 * RATE).max(0.0);
        let (k, part) = (at.floor() as usize, at.fract());
        let next = (k + 1).min(SAMPLES - 1);
        data.tau[i] = before[k].iter().zip(&before[next]).map(|(a, b)| a + part * (b - a)).collect();
    }
}

/// An encoder of 12 bits, velocities by differences.
fn quantized(data: &mut Data) {
    let step = TAU / 4096.0;
    data.q.iter_mut().flatten().for_each(|q| *q = (*q / step).round() * step);
    for i in 0..SAMPLES {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(SAMPLES - 1));
        let time = (after - before) as f64 / RATE;
        data.v[i] = (0..7).map(|j| (data.q[after][j] - data.q[before][j]) / time).collect();
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Clean,
    White,
    Differenced,
    Colored,
    Late,
    Quantized,
}

fn log(kind: Kind, robot: &Model, seed: u64) -> Data {
    let rng = &mut rng(1000 + seed);
    let mut data = clean(robot, rng);
    match kind {
        Kind::Clean => return data.with_differenced_accelerations(),
        Kind::White => white(&mut data, 1.0, rng),
        Kind::Differenced => {
            white(&mut data, 1.0, rng);
            return data.with_differenced_accelerations();
        }
        Kind::Colored => colored(&mut data, rng),
        Kind::Late => {
            late(&mut data);
            white(&mut data, 0.1, rng);
        }
        Kind::Quantized => {
            quantized(&mut data);
            white(&mut data, 0.1, rng);
            return data.with_differenced_accelerations();
        }
    }
    data
}

/// Seeds of each kind. Sixty take minutes.
const SEEDS: u64 = 10;

/// The part of the truths that intervals of 95 % hold; how many fits had a warning; the largest error of an estimate.
fn held(kind: Kind, seeds: u64) -> (f64, u64, f64) {
    let (p, truth, robot) = planted();
    let (mut inside, mut warned, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..seeds {
        let found = fit(&p, &log(kind, &robot, seed), &FitOptions::default()).expect("runs");
        assert!(found.explains && found.cannot_tell.is_empty(), "{kind:?}, seed {seed}: {:?}", found.validation);
        warned += u64::from(!found.warnings.is_empty());
        if kind == Kind::Late {
            let delay = found.delay.expect("is asked for");
            // Linear interpolation between samples is no pure delay: a thirtieth of one.
            assert!(delay.significant && (delay.seconds - 0.03).abs() < 1e-3, "seed {seed}: {delay:?}");
        }
        for (k, truth) in truth.iter().enumerate() {
            let half = found.estimate.half_width(k, 0.95).expect("is told");
            let off = (found.estimate.parameters[k] - truth).abs();
            inside += usize::from(off < half);
            worst = worst.max(off);
        }
    }
    let part = inside as f64 / (seeds as f64 * truth.len() as f64);
    println!("{kind:?}: {:.1} % held, {warned} of {seeds} warned, off by {worst:.1e} at most", 100.0 * part);
    (part, warned, worst)
}

/// Of 60 seeds 88 to 99 % are wanted; of 180 truths, three standard deviations of a binomial count are 5 %: 95 % in the
/// mean is 90 to 100 %, and truths of one fit hang together: 86.
const BOUND: f64 = 0.86;

#[test]
fn intervals_hold_where_noise_is_white_without_a_warning() {
    for kind in [Kind::White, Kind::Differenced] {
        let (part, warned, _) = held(kind, SEEDS);
        // 57 of 60 are without: one of ten.
        assert!(part > BOUND && warned <= 1, "{kind:?}: {part}, {warned}");
    }
}

#[test]
fn intervals_hold_where_neighbors_share_noise() {
    let (part, warned, _) = held(Kind::Colored, SEEDS);
    assert!(part > BOUND && warned == SEEDS, "{part}, {warned}");
}

#[test]
fn a_delay_is_found_and_coarse_encoders_are_noticed() {
    assert_eq!(held(Kind::Late, SEEDS).1, SEEDS);
    assert_eq!(held(Kind::Quantized, SEEDS).1, SEEDS);
}

#[test]
fn clean_velocities_give_exact_estimates() {
    let (_, warned, worst) = held(Kind::Clean, SEEDS);
    // Differences of fourth order: (w h)⁴/30 = 8e-6 of the accelerations of the fastest harmonic.
    assert!(worst < 1e-4 && warned <= 1, "{worst}, {warned}");
}

/// A default of 0.003 that is believed holds damping there against the data: the fit says so.
#[test]
fn a_prior_against_the_data_is_named() {
    let (p, _, robot) = planted();
    let sd = |name: &String| if name.ends_with(".damping") { 0.003 } else { f64::INFINITY };
    let prior = Some(p.names().iter().map(sd).collect());
    let found = fit(&p, &log(Kind::White, &robot, 0), &FitOptions { prior, ..FitOptions::default() }).expect("runs");
    for (k, name) in found.parameters.iter().enumerate() {
        assert_eq!(found.from_prior[k].is_some(), name.ends_with(".damping"), "{name}");
    }
    let far = |k: usize| found.from_prior[k].is_some_and(|deviations| deviations.abs() > 3.0);
    let named = found.warnings.iter().filter(|w| matches!(w, Warning::Prior { .. })).count();
    assert_eq!(named, (0..p.len()).filter(|k| far(*k)).count());
    assert!(named > 0, "{:?}", found.from_prior);
}

/// Noise of accelerations: estimates of armatures are pulled toward zero, and the fit says which.
#[test]
fn noise_of_accelerations_that_pulls_estimates_is_named() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("*.armature, panda_link7.mass").expect("are there");
    let mut truth = p.nominal();
    truth[..7].fill(0.3);
    let planted = p.robot_at(&truth).expect("fits");
    let rng = &mut rng(31);
    let (mut off, mut named) = (Vec::new(), Vec::new());
    for size in [0.0, 2.0] {
        let mut data = clean(&planted, rng);
        white(&mut data, 0.1, rng);
        data.a.iter_mut().flatten().for_each(|a| *a += size * normal(rng));
        let found = fit(&p, &data, &FitOptions::default()).expect("runs");
        let far = |k: &usize| {
            let half = found.estimate.half_width(*k, 0.95).expect("is told");
            (found.estimate.parameters[*k] - truth[*k]).abs() > half
        };
        off.push((0..p.len()).filter(far).count());
        named.push(found.warnings.iter().filter(|w| matches!(w, Warning::Attenuated { .. })).count());
    }
    println!("{off:?} of {} truths are outside, {named:?} are named", p.len());
    assert!(named[0] == 0 && named[1] >= 1 && named[1] >= off[1], "{named:?} named, {off:?} outside");
}

/// One torque in twenty is nonsense: the noise of a robust fit is that of the others.
#[test]
fn a_robust_scale_is_that_of_the_good_samples() {
    let (p, _, robot) = planted();
    let mut data = log(Kind::White, &robot, 1);
    data.tau.iter_mut().step_by(20).for_each(|row| row.iter_mut().for_each(|tau| *tau += 20.0));
    let options = FitOptions { loss: Loss::Huber { width: 1.345 }, ..FitOptions::default() };
    let found = fit(&p, &data, &options).expect("runs");
    for (found, noise) in found.noise.iter().zip(NOISE) {
        // The median of 175 absolute values: 9 % for one deviation, and 5 % of outliers move it by 8 %.
        assert!((0.7..1.4).contains(&(found / noise)), "{found} against {noise}");
    }
}

/// The figures of docs/sensitivity.md: intervals of 95 % hold between 88 and 99 % of the truths, or all are warned of;
/// of white and clean logs 57 of 60 are without a warning.
#[test]
#[ignore = "takes 90 s; ten seeds of each kind always run"]
fn sixty_seeds_of_each_kind() {
    for kind in [Kind::White, Kind::Differenced, Kind::Clean, Kind::Colored, Kind::Late, Kind::Quantized] {
        let (part, warned, _) = held(kind, 60);
        let warned_of = !matches!(kind, Kind::White | Kind::Differenced | Kind::Clean);
        if warned_of {
            assert_eq!(warned, 60, "{kind:?}");
        } else {
            assert!(warned <= 3 && (0.88..0.99).contains(&part), "{kind:?}: {part}, {warned}");
        }
    }
}
