//! Identification: base parameters of known robots, planted truths, data that are not what they seem.

use crate::common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::estimate::Loss;
use gradyn_sensitivity::identify::{Data, FitOptions, Warning, fit};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use testing::rng;

/// Sums of sines, and the torques of a robot with noise.
fn measured(model: &Model, n: usize, dt: f64, noise: f64, rng: &mut ChaCha8Rng) -> Data {
    let nv = model.nv();
    let waves: Vec<Vec<(f64, f64, f64)>> = (0..nv)
        .map(|_| {
            (1..=4)
                .map(|k| {
                    (
                        rng.random_range(0.2..0.6) / f64::from(k),
                        f64::from(k) * rng.random_range(0.6..1.4),
                        rng.random_range(0.0..6.0),
                    )
                })
                .collect()
        })
        .collect();
    let ws = &mut Workspace::new(model);
    let mut data = Data::default();
    for i in 0..n {
        let t = dt * i as f64;
        let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
            waves.iter().map(|waves| waves.iter().map(|(size, w, phase)| f(*size, *w, w * t + phase)).sum()).collect()
        };
        let (q, v, a) =
            (sum(&|s, _, x| s * x.sin()), sum(&|s, w, x| s * w * x.cos()), sum(&|s, w, x| -s * w * w * x.sin()));
        let tau = rnea(model, ws, &q, &v, &a, &[]).expect("runs").iter().map(|tau| tau + noise * normal(rng)).collect();
        data.time.push(t);
        data.q.push(q);
        data.v.push(v);
        data.a.push(a);
        data.tau.push(tau);
    }
    data
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, w): (f64, f64) = (rng.random_range(f64::MIN_POSITIVE..1.0), rng.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * w).cos()
}

#[test]
fn a_planted_truth_is_found_and_intervals_cover_it() {
    let model = robot("panda", false);
    let p = Parameters::of(&model)
        .select_all("panda_link7.payload.m, panda_link4.mass, panda_joint2.friction, panda_joint4.damping, panda_joint3.armature")
        .expect("are there");
    let mut truth = p.nominal();
    truth[0] = 0.8;
    truth[1] *= 1.1;
    (truth[2], truth[3], truth[4]) = (0.6, 0.3, 0.05);
    let robot = p.robot_at(&truth).expect("fits");
    let (mut inside, runs) = (vec![0; truth.len()], 200);
    let clean = fit(&p, &measured(&robot, 60, 0.05, 0.0, &mut rng(1)), &FitOptions::default()).expect("runs");
    for (found, truth) in clean.estimate.parameters.iter().zip(&truth) {
        // Noise-free: rounding times the condition.
        assert!((found - truth).abs() < 1e-9, "{found} against {truth}");
    }
    assert!(clean.cannot_tell.is_empty() && clean.validation.held_out < 1e-9 && clean.not_physical.is_empty());
    for seed in 0..runs {
        let rng = &mut rng(100 + seed);
        let data = measured(&robot, 60, 0.05, 0.2, rng);
        let found = fit(&p, &data, &FitOptions { hold_out: 0.0, ..FitOptions::default() }).expect("runs");
        assert!(found.estimate.status.converged(), "{}", found.estimate.status);
        for k in 0..truth.len() {
            let half = found.estimate.half_width(k, 0.95).expect("is told");
            inside[k] += usize::from((found.estimate.parameters[k] - truth[k]).abs() < half);
        }
    }
    // Of 200 runs 95 % in the mean; five parameters at once stay within three standard deviations of a binomial count:
    // 190 ± 9.
    for (k, count) in inside.iter().enumerate() {
        assert!((181..=199).contains(count), "{}: {count} of {runs}", p.names()[k]);
    }
}

#[test]
fn physical_charts_stay_physical_and_outliers_do_not_count() {
    let model = robot("ur5", false);
    let p = Parameters::of(&model)
        .select("wrist_3_link.log_cholesky.*")
        .and_then(|p| p.select("*.friction"))
        .expect("are there");
    let mut truth = p.nominal();
    truth[0] += 0.3;
    truth[9] += 0.05;
    let robot = p.robot_at(&truth).expect("fits");
    let mut data = measured(&robot, 400, 0.02, 0.02, &mut rng(3));
    // One torque in fifty is nonsense.
    let rng = &mut rng(4);
    for row in &mut data.tau {
        for tau in row {
            if rng.random_range(0..50) == 0 {
                *tau += 20.0;
            }
        }
    }
    let prior = Some(vec![0.5; p.len()]);
    let off = |loss| {
        let found = fit(&p, &data, &FitOptions { loss, prior: prior.clone(), ..FitOptions::default() }).expect("runs");
        assert!(found.not_physical.is_empty());
        let friction = 10..p.len();
        friction.map(|k| (found.estimate.parameters[k] - truth[k]).abs()).fold(0.0, f64::max)
    };
    let (plain, huber) = (off(Loss::Quadratic), off(Loss::Huber { width: 0.05 }));
    assert!(huber < 0.5 * plain, "{huber} against {plain}");
}

/// Friction that is none stays at zero, and is not taken for one that the data cannot tell.
#[test]
fn a_friction_of_zero_is_told() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.friction").and_then(|p| p.select("panda_link7.mass")).expect("are there");
    let mut at_zero = 0;
    for seed in 0..5 {
        let found = fit(&p, &measured(&model, 200, 0.02, 0.1, &mut rng(seed)), &FitOptions::default()).expect("runs");
        assert!(found.cannot_tell.is_empty(), "{:?}", found.cannot_tell);
        assert!(found.estimate.parameters.iter().all(|x| *x >= 0.0));
        at_zero += found.at_zero.len();
    }
    // Noise puts about half of the 35 below zero.
    assert!((8..=28).contains(&at_zero), "{at_zero}");
}

/// Sensors that are off: told beside gravity, where the arm turns enough.
#[test]
fn offsets_of_torque_sensors_are_told() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("panda_link7.payload.m, *.torque_offset").expect("are there");
    let mut data = measured(&model, 200, 0.05, 0.01, &mut rng(9));
    let off: Vec<f64> = (0..7).map(|j| 0.3 - 0.1 * f64::from(j)).collect();
    data.tau.iter_mut().for_each(|row| row.iter_mut().zip(&off).for_each(|(tau, off)| *tau += off));
    let found = fit(&p, &data, &FitOptions::default()).expect("runs");
    assert!(found.cannot_tell.is_empty(), "{:?}", found.cannot_tell);
    for (k, truth) in [0.0].iter().chain(&off).enumerate() {
        let (x, sd) = (found.estimate.parameters[k], found.estimate.deviation(k).expect("is told"));
        // Five deviations: 1 in 1.7 million for each.
        assert!((x - truth).abs() < 5.0 * sd && sd < 0.01, "{}: {x} ± {sd} against {truth}", found.parameters[k]);
    }
    assert!(found.validation.held_out < 0.3 * found.validation.before, "{:?}", found.validation);
}

#[test]
fn what_cannot_be_told_is_said() {
    let model = robot("panda", false);
    // Mass and center of the first link: about a vertical axis only one moment counts.
    let p = Parameters::of(&model)
        .select("panda_link1.pi.*")
        .and_then(|p| p.select("panda_link7.mass"))
        .expect("are there");
    let data = measured(&model, 200, 0.02, 0.01, &mut rng(5));
    let found = fit(&p, &data, &FitOptions::default()).expect("runs");
    assert_eq!(found.estimate.identifiability.rank, 2, "{:?}", found.estimate.identifiability.singular_values);
    assert_eq!(found.cannot_tell.len(), 9);
    // One of each stays where it was.
    assert_eq!(found.held.len(), 9);
    for k in &found.held {
        assert!((found.estimate.parameters[*k] - p.nominal()[*k]).abs() <= 0.0, "{}", found.parameters[*k]);
        assert_eq!(found.estimate.half_width(*k, 0.95), Some(f64::INFINITY));
    }
    assert!(found.cannot_tell.iter().any(|s| s.contains("`panda_link1.pi.m`")), "{:?}", found.cannot_tell);
}

#[test]
fn odd_data_are_noticed() {
    let model = robot("panda", false);
    let good = || measured(&model, 300, 0.01, 0.01, &mut rng(6));
    assert!(good().check(&model).expect("fits").is_empty());
    let mut clipped = good();
    clipped.tau.iter_mut().for_each(|row| row[1] = row[1].clamp(-20.0, 20.0));
    let has = |data: &Data, what: fn(&Warning) -> bool| data.check(&model).expect("fits").iter().any(what);
    assert!(has(&clipped, |w| matches!(w, Warning::Clipped { joint, .. } if joint == "panda_joint2")));
    let mut uneven = good();
    uneven.time.iter_mut().skip(100).for_each(|t| *t += 0.02);
    assert!(has(&uneven, |w| matches!(w, Warning::Time { sample: 100, .. })));
    let mut late = good();
    for i in (0..late.len()).rev() {
        late.v[i][3] = late.v[i.saturating_sub(8)][3];
    }
    assert!(has(
        &late,
        |w| matches!(w, Warning::Velocity { joint, delay, .. } if joint == "panda_joint4" && *delay > 0.0)
    ));
    let mut still = good();
    still.v.iter_mut().for_each(|v| v[5] = 0.0);
    assert!(has(&still, |w| matches!(w, Warning::Still { joint } if joint == "panda_joint6")));
    let mut broken = good();
    broken.tau[7][2] = f64::NAN;
    let error = broken.check(&model).expect_err("is none").to_string();
    assert!(error.contains("tau[2] of sample 7") && error.contains("NaN"), "{error}");
}

/// A friction whose truth is zero: as few iterations as of one inside.
#[test]
fn a_fit_at_a_bound_ends_as_fast_as_one_inside() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("*.friction, *.damping, panda_link7.mass").expect("are there");
    let steps = |truth: f64| -> Vec<usize> {
        let values: Vec<f64> = p.iter().map(|p| if p.unit().starts_with("kg") { p.nominal() } else { truth }).collect();
        let robot = p.robot_at(&values).expect("fits");
        let of = |seed| fit(&p, &measured(&robot, 200, 0.02, 0.1, &mut rng(seed)), &FitOptions::default());
        (0..5).map(|seed| of(seed).expect("runs").evaluations).collect()
    };
    let (inside, at_bound) = (steps(0.3), steps(0.0));
    println!("{inside:?} inside, {at_bound:?} at the bound");
    assert!(at_bound.iter().zip(&inside).all(|(bound, inside)| *bound <= 2 * inside), "{at_bound:?} {inside:?}");
}

/// Less left than before is no fit, if that is more than there is, or if what is left is not noise. Noise as large is
/// no reason against one.
#[test]
fn what_is_left_has_to_be_noise() {
    let model = robot("double_pendulum", false);
    let p = Parameters::of(&model).select("rod_2.mass").expect("is there");
    let heavy = p.robot_at(&[4.0 * p.nominal()[0]]).expect("fits");
    let options = FitOptions { delay: false, ..FitOptions::default() };
    let of = |change: &dyn Fn(usize, &mut [f64])| {
        let mut data = measured(&heavy, 400, 0.02, 0.0, &mut rng(3));
        data.tau.iter_mut().enumerate().for_each(|(i, tau)| change(i, tau));
        fit(&p, &data, &options).expect("fits")
    };
    // As on a wall: there is no gravity, which the robot does not know.
    let mut wall = measured(&heavy.clone().with_gravity([0.0; 3].into()), 400, 0.02, 0.0, &mut rng(3));
    wall.tau.iter_mut().flatten().for_each(|tau| *tau *= 0.3);
    let found = fit(&p, &wall, &options).expect("fits");
    assert!(found.validation.fitted < 0.9 * found.validation.before, "{:?}", found.validation);
    assert!(!found.explains && found.explanations.iter().any(|what| what.contains("without any torque")), "{found:?}");

    // A load that the robot does not know, of half the size of the torques.
    let loaded = of(&|i, tau| tau.iter_mut().for_each(|tau| *tau += 12.0 * (0.13 * i as f64).sin()));
    assert!(loaded.validation.held_out < 0.9 * loaded.validation.before, "{:?}", loaded.validation);
    assert!(!loaded.explains, "{:?}", loaded.validation);
    assert!(loaded.explanations.iter().any(|what| what.contains("not noise")), "{:?}", loaded.explanations);

    let random = &std::cell::RefCell::new(rng(4));
    let noisy = of(&|_, tau| tau.iter_mut().for_each(|tau| *tau += 20.0 * (random.borrow_mut().random::<f64>() - 0.5)));
    assert!(noisy.validation.held_out > 0.3, "{:?}", noisy.validation);
    assert!(noisy.explains, "{:?} {:?}", noisy.validation, noisy.explanations);
}
