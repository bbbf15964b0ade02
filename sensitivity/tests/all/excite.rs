//! Motions that tell the most: against random ones, within limits, and what they promise against what fits find.

use crate::common::*;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::excite::{Excitation, ExciteOptions, JointLimits, LimitKind, Status, excite};
use gradyn_sensitivity::identify::{Data, FitOptions, fit};
use gradyn_sensitivity::statistics::normal_quantile;
use rand::RngExt;
use std::ops::ControlFlow;
use testing::rng;

fn designed(p: &Parameters, options: &ExciteOptions) -> Excitation {
    excite(p, options, |_| ControlFlow::Continue(())).expect("runs")
}

fn of(model: &Model, patterns: &str) -> Parameters {
    Parameters::of(model).select_all(patterns).expect("are there")
}

/// Largest uses of position, velocity, acceleration and effort over a grid, found here and not by what is tested.
fn uses(model: &Model, found: &Excitation, limits: &JointLimits, points: usize) -> [f64; 4] {
    let ws = &mut Workspace::new(model);
    let mut most = [0.0_f64; 4];
    for i in 0..points {
        let (q, v, a) = found.series.at(found.series.period * i as f64 / points as f64);
        let tau = rnea(model, ws, &q, &v, &a, &[]).expect("runs").to_vec();
        for j in 0..model.nv() {
            let (lower, upper) = limits.position[j];
            let used = [
                (q[j] - 0.5 * (lower + upper)).abs() / (0.5 * (upper - lower)),
                v[j].abs() / limits.velocity[j],
                a[j].abs() / limits.acceleration[j],
                tau[j].abs() / limits.effort[j],
            ];
            most.iter_mut().zip(used).for_each(|(most, used)| *most = most.max(used));
        }
    }
    most
}

/// The arm's 43 base parameters. Measured for the seeds 0 to 3: conditions of 49, 36, 99, 50 of random motions as large
/// as limits let them be, 21 to 26 of those found; deviations 5.5, 5.8, 11.9, 10.1 times smaller in the mean.
#[test]
fn an_arm_is_told_better_than_by_random_motions_and_within_limits() {
    let model = robot("panda", false);
    let p = of(&model, "*.pi.*");
    // Few steps of the optimizer: most is gained by the first.
    let options = ExciteOptions { iterations: 150, rate: 25.0, seed: 3, ..ExciteOptions::new(&model).expect("an arm") };
    let found = designed(&p, &options);
    assert_eq!((found.base.len(), found.random.rank, found.found.rank), (43, 43, 43));
    let (random, best) = (&found.random, &found.found);
    // A factor of 2 was measured for the condition, of 10.1 for the deviations, after convergence.
    assert!(best.condition < 0.6 * random.condition, "{} against {}", best.condition, random.condition);
    assert!(found.gain > 5.0, "{}", found.gain);
    assert!(best.condition < 30.0, "{}", best.condition);
    let most = uses(&model, &found, &options.limits, 10 * found.samples.len() + 7);
    assert!(most.iter().all(|used| *used <= 1.0), "{most:?}");
    // And they are used: velocities limit what can be told.
    assert!(most[0] > 0.9 && most[1] > 0.9, "{most:?}");
    let said = found
        .uses
        .iter()
        .fold([0.0_f64; 4], |most, of| std::array::from_fn(|k| most[k].max(of.largest[k].unwrap_or(0.0))));
    for (k, kind) in LimitKind::ALL.into_iter().enumerate() {
        // Another grid, as fine.
        assert!((said[k] - most[k]).abs() < 1e-3, "{kind}: {} against {}", said[k], most[k]);
    }
}

/// Torques and accelerations limit as well; the start is where it was asked for, at rest, to the last sample.
#[test]
fn every_kind_of_limit_holds_from_a_given_start() {
    let model = robot("ur5", false);
    let p = of(&model, "wrist_3_link.payload.m, *.pi.m?, *.friction");
    let mut limits = JointLimits::of(&model).expect("an arm").shared(0.8);
    limits.acceleration = vec![2.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    limits.effort = vec![30.0, 60.0, 30.0, 6.0, 3.0, 0.3];
    let start = vec![0.3, -1.4, 1.2, 0.2, -0.5, 0.1];
    let options = ExciteOptions {
        period: 8.0,
        harmonics: 4,
        rate: 50.0,
        start: Some(start.clone()),
        limits,
        iterations: 400,
        ..ExciteOptions::new(&model).expect("an arm")
    };
    let found = designed(&p, &options);
    let most = uses(&model, &found, &options.limits, 5003);
    assert!(most.iter().all(|used| *used <= 1.0), "{most:?}");
    assert!(most[2] > 0.95 && most[3] > 0.9, "{most:?}");
    assert!(found.gain > 1.5, "{}", found.gain);
    let samples = &found.samples;
    assert_eq!(samples.len(), 401);
    for i in [0, 400] {
        for (j, start) in start.iter().enumerate() {
            // Rounding of sums of eight terms, times the highest frequency.
            assert!((samples.q[i][j] - start).abs() < 1e-12);
            assert!(samples.v[i][j].abs() < 1e-12 && samples.a[i][j].abs() < 1e-11);
        }
    }
    // The robot's own check of data finds nothing odd.
    assert_eq!(samples.check(&model).expect("fits"), vec![]);
}

/// A robot measured along its excitation, with noise: estimates scatter as was promised, and say so.
#[test]
fn promised_deviations_are_those_of_fits() {
    let model = robot("panda", false);
    let p = of(
        &model,
        "panda_link7.payload.m, panda_link4.mass, panda_link6.com.x, panda_joint2.friction, panda_joint4.damping, panda_joint3.armature",
    );
    let mut values = p.nominal();
    // Away from zero, below which there is none.
    (values[3], values[4], values[5]) = (0.6, 0.3, 0.05);
    let robot = p.robot_at(&values).expect("fits");
    let p = of(&robot, &p.names().join(","));
    let noise = vec![0.4, 0.5, 0.3, 0.3, 0.1, 0.1, 0.05];
    let options = ExciteOptions {
        rate: 8.0,
        noise: noise.clone(),
        iterations: 60,
        ..ExciteOptions::new(&robot).expect("an arm")
    };
    let found = designed(&p, &options);
    let runs = 120;
    let (mut sum, mut square, mut own) = (vec![0.0; p.len()], vec![0.0; p.len()], vec![0.0; p.len()]);
    for seed in 0..runs {
        let rng = &mut rng(700 + seed);
        let mut noisy = |tau: &Vec<f64>| -> Vec<f64> {
            tau.iter()
                .zip(&noise)
                .map(|(t, s)| t + s * normal_quantile(rng.random_range(1e-12..1.0)).expect("inside"))
                .collect()
        };
        let data = Data { tau: found.samples.tau.iter().map(&mut noisy).collect(), ..found.samples.clone() };
        let fitted = fit(&p, &data, &FitOptions { hold_out: 0.0, ..FitOptions::default() }).expect("runs");
        for k in 0..p.len() {
            let off = fitted.estimate.parameters[k] - p.nominal()[k];
            sum[k] += off;
            square[k] += off * off;
            own[k] += fitted.estimate.deviation(k).expect("told") / runs as f64;
        }
    }
    for (k, name) in p.names().iter().enumerate() {
        let promised = found.deviation(k).expect("is there");
        let n = runs as f64;
        let scatter = ((square[k] - sum[k] * sum[k] / n) / (n - 1.0)).sqrt();
        // A deviation of 120 runs is itself good to 1/√240 = 6.5 %: three to four of these each way.
        assert!((0.8..1.25).contains(&(scatter / promised)), "{name}: {scatter} against {promised}");
        // That which the fit says of itself: only the noise is estimated, from 81 samples a joint.
        assert!((0.9..1.1).contains(&(own[k] / promised)), "{name}: {} against {promised}", own[k]);
        // No bias beyond that of a mean of so many.
        assert!((sum[k] / n).abs() < 4.0 * promised / n.sqrt(), "{name}");
    }
}

/// Noise twice as large, deviations twice as large; the same seed, the same bits; another seed, another motion; a stop
/// is heeded.
#[test]
fn the_same_seed_gives_the_same_motion() {
    let model = robot("double_pendulum", false);
    let p = of(&model, "*.pi.*");
    let options =
        ExciteOptions { period: 4.0, harmonics: 3, rate: 50.0, ..ExciteOptions::new(&model).expect("two joints") };
    let found = designed(&p, &options);
    assert!(found.status.converged(), "{}", found.status);
    // What follows needs no end.
    let options = ExciteOptions { iterations: 40, ..options };
    let found = designed(&p, &options);
    assert_eq!(found, designed(&p, &options));
    assert_ne!(found.series, designed(&p, &ExciteOptions { seed: 1, ..options.clone() }).series);
    let noisy = designed(&p, &ExciteOptions { noise: vec![0.2; 2], ..options.clone() });
    for (one, two) in found.found.deviations.iter().zip(&noisy.found.deviations) {
        // Scales are powers of two, but not all sums of squares are.
        assert!((two / one - 2.0).abs() < 1e-6, "{one} {two}");
    }
    let short = designed(&p, &ExciteOptions { iterations: 3, ..options.clone() });
    assert_eq!((short.status, short.iterations), (Status::Iterations, 3));
    let mut seen = 0;
    let stopped = excite(&p, &options, |progress| {
        seen = progress.iterations;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((stopped.expect("runs").status, seen), (Status::Stopped, 2));
}

/// Placements and gravity go another way than the regressor; of what is told only together with others the deviation is
/// infinite.
#[test]
fn what_is_not_linear_is_told_too() {
    let model = robot("double_pendulum", false);
    let names: Vec<String> = Parameters::of(&model).select("*.placement.*").expect("there").names();
    let p = of(&model, &format!("{}, gravity.*, *.mass", names.join(",")));
    let options = ExciteOptions { period: 4.0, harmonics: 2, ..ExciteOptions::new(&model).expect("two joints") };
    let found = designed(&p, &options);
    assert!(found.found.rank == found.base.len() && found.gain >= 1.0, "{found:?}");
    // A root that leans by δ about y is gravity that leans by 9.81 δ along x; about its other axes and along all of
    // them nothing is felt.
    assert_eq!(found.base.len(), 7, "{:?}", found.base);
    assert_eq!(found.base[0], "shoulder.placement.ry + 0.1019 gravity.x");
    for (name, told) in
        [("shoulder.placement.ry", false), ("gravity.x", false), ("gravity.z", true), ("rod_2.mass", true)]
    {
        let k = p.names().iter().position(|known| known == name).expect("is there");
        assert_eq!(found.deviation(k).expect("is there").is_finite(), told, "{name}");
    }
}

#[test]
fn bad_questions_are_refused_with_names_and_values() {
    let model = robot("panda", false);
    let p = of(&model, "*.mass");
    let good = ExciteOptions::new(&model).expect("an arm");
    let refused = |p: &Parameters, options: &ExciteOptions| {
        excite(p, options, |_| ControlFlow::Continue(())).map(|found| found.status).expect_err("is refused").to_string()
    };
    let with = |change: &dyn Fn(&mut ExciteOptions)| {
        let mut options = good.clone();
        change(&mut options);
        refused(&p, &options)
    };
    type Case<'a> = (&'a dyn Fn(&mut ExciteOptions), &'a [&'a str]);
    let cases: [Case<'_>; 14] = [
        (&|o| o.period = f64::NAN, &["period is NaN"]),
        (&|o| o.period = -1.0, &["period is -1"]),
        (&|o| o.harmonics = 1, &["harmonics is 1", "2"]),
        (&|o| o.harmonics = 51, &["harmonics is 51", "50"]),
        (&|o| o.rate = 0.0, &["rate is 0"]),
        (&|o| o.rate = 1.0, &["rate is 1 Hz", "0.5 Hz of harmonic 5"]),
        (&|o| o.rate = 1e7, &["samples is 100000000", "1e6"]),
        (&|o| o.noise[2] = 0.0, &["noise of `panda_joint3` is 0", "1e-100"]),
        (&|o| o.noise.truncate(3), &["noise has 3 entries, expected 7"]),
        (&|o| o.limits.velocity[1] = -2.0, &["velocity of `panda_joint2` is -2"]),
        (&|o| o.limits.position[0] = (2.0, 1.0), &["position of `panda_joint1` is 1", "2"]),
        (&|o| o.limits.position[0].1 = f64::INFINITY, &["`panda_joint1`", "inf"]),
        (&|o| o.start = Some(vec![9.0; 7]), &["start of `panda_joint1` is 9", "2.8973"]),
        (&|o| o.limits.effort.fill(0.01), &["at rest, `panda_joint", "% of its effort"]),
    ];
    for (change, parts) in cases {
        let message = with(change);
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    assert!(refused(&Parameters::of(&model), &good).contains("no parameters"));
    // About a vertical axis: a mass of the first link does nothing.
    let none = refused(&of(&model, "panda_link1.pi.m"), &good);
    assert!(none.contains("no motion identifies any of the 1 selected parameters"), "{none}");
    let floating = robot("solo12", true);
    let error = JointLimits::of(&floating).expect_err("a free-flyer").to_string();
    assert!(error.contains("7 coordinates and 6 velocities"), "{error}");
    let endless = robot("continuous", false);
    let mut options = ExciteOptions::new(&endless).expect("angles");
    options.limits.velocity.fill(f64::INFINITY);
    let error = refused(&of(&endless, "*.mass"), &options);
    assert!(error.contains("no limit of position, velocity or acceleration"), "{error}");
}
