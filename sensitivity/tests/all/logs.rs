//! Logs with what real logs have wrong with them: intervals hold the truth, or a warning says that they do not.
//!
//! Truth: the last link carries 0.8 kg at (0.02, 0, 0.1); every joint has damping 0.3 and friction 0.4, smooth over 0.01 rad/s.

use crate::common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Data, FitOptions, fit};
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
    let mut data = Data { time: vec![], q: vec![], v: vec![], a: vec![], tau: vec![] };
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

/// White noise through a Butterworth filter of second order, forwards and backwards, its corner at a tenth of Nyquist's frequency.
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

/// How many truths intervals of 95 % hold, of how many; how many fits had a warning; of truths of fits without one the same.
fn held(kind: Kind, seeds: u64, options: &FitOptions) -> (usize, usize, usize) {
    let (p, truth, robot) = planted();
    let (mut inside, mut all, mut warned) = (0, 0, 0);
    for seed in 0..seeds {
        let found = fit(&p, &log(kind, &robot, seed), options).expect("runs");
        println!("{kind:?} {seed}: {:?} {:?}", found.delay, found.warnings.iter().map(ToString::to_string).collect::<Vec<_>>());
        warned += usize::from(!found.warnings.is_empty());
        for (k, truth) in truth.iter().enumerate() {
            let half = found.estimate.half_width(k, 0.95).expect("is told");
            if (found.estimate.parameters[k] - truth).abs() >= half { println!("  out {} {} {} {}", p.names()[k], found.estimate.parameters[k], truth, half); }
            inside += usize::from((found.estimate.parameters[k] - truth).abs() < half);
            all += 1;
        }
    }
    println!("{kind:?}: {inside} of {all} ({:.1} %), {warned} of {seeds} warned", 100.0 * inside as f64 / all as f64);
    (inside, all, warned)
}

#[test]
fn measure() {
    let start = std::time::Instant::now();
    for kind in [Kind::Clean, Kind::White, Kind::Differenced, Kind::Colored, Kind::Late, Kind::Quantized] {
        held(kind, 20, &FitOptions::default());
        held(kind, 20, &FitOptions { color: false, delay: false, ..FitOptions::default() });
        println!("{:?}", start.elapsed());
    }
}
