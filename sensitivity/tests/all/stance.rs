//! Motions of robots on their feet: feet stay, limits hold, and what they tell.

use crate::common::*;
use gradyn::dynamics::{Constraint, FrameRef, ReferenceFrame, constraint_error, frame_jacobian, frame_pose};
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::excite::{ExciteOptions, Series, Stance, excite_stance};
use gradyn_sensitivity::identify::{ContactForces, Data, FitOptions, fit};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

const FEET: [&str; 4] = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];

/// The quadruped, legs bent.
fn standing(knee: f64) -> (Model, Vec<f64>) {
    let model = robot("solo12", true);
    let mut q = model.neutral::<f64>();
    q[..3].copy_from_slice(&[0.3, -0.2, 0.25]);
    for leg in 0..4 {
        let sign = if leg < 2 { 1.0 } else { -1.0 };
        q[7 + 3 * leg..][..3].copy_from_slice(&[0.05, 0.5 * sign * knee, -sign * knee]);
    }
    (model, q)
}

/// Points of frames, where they are.
fn points(model: &Model, q: &[f64], names: &[&str]) -> Vec<Constraint> {
    let ws = &mut Workspace::new(model);
    let contact = |name: &&str| {
        let frame = model.find_frame(name).expect("is there");
        let place = frame_pose(model, ws, q, frame).expect("runs").translation;
        Constraint::frame_contact(model, frame, place).expect("fits")
    };
    names.iter().map(contact).collect()
}

/// Some motion of what is free, of this size: rest at the start is not needed here.
fn some(stance: &Stance, start: Vec<f64>, size: f64) -> Series {
    let waves = move |shift: f64| {
        (0..stance.free().len())
            .map(move |j| (0..2).map(move |k| size * (j as f64 + shift + 2.0 * f64::from(k)).sin()).collect())
    };
    Series { period: 2.0, start, cosines: waves(0.3).collect(), sines: waves(1.1).collect() }
}

/// Feet stay to a nanometer, velocities and accelerations are the rates of what they are of.
fn assert_stands(name: &str, model: &Model, start: &[f64], feet: &[Constraint], size: f64) {
    let stance = Stance::new(model, start, feet).expect(name);
    let at = stance.positions(model, start).expect("fits");
    let free = stance.free().iter().map(|dof| at[*dof]).collect();
    let series = some(&stance, free, size);
    let h = 1e-4;
    let times: Vec<f64> = (0..40).flat_map(|i| [-h, 0.0, h].map(|h| 0.05 * f64::from(i) + h)).collect();
    let states = stance.along(model, &series, &times).expect("runs").expect(name);
    let ws = &mut Workspace::new(model);
    let mut moved = 0.0_f64;
    for beside in states.chunks(3) {
        let [[q0, v0, _], [q, v, a], [q1, v1, _]] = beside else { panic!("three of each") };
        let error = constraint_error(model, ws, q, feet).expect("runs");
        // What is promised.
        assert!(error.iter().all(|e| e.abs() < 1e-9), "{name}: {error:?}");
        let rate = model.difference(q0, q1).expect("near");
        for j in 0..model.nv() {
            // Third derivatives of some hundred by h²/6, relative to velocities of about one and accelerations of about
            // ten.
            assert!(
                (rate[j] / (2.0 * h) - v[j]).abs() < 1e-5,
                "{name}, v {j}: {} against {}",
                rate[j] / (2.0 * h),
                v[j]
            );
            let of_v = (v1[j] - v0[j]) / (2.0 * h);
            assert!((of_v - a[j]).abs() < 1e-4, "{name}, a {j}: {of_v} against {}", a[j]);
            moved = moved.max((stance.positions(model, q).expect("fits")[j] - at[j]).abs());
        }
    }
    assert!(moved > 0.02, "{name} hardly moves: {moved}");
}

/// Points of a quadruped, three of them with a leg that swings, and the soles of a humanoid whose arms and waist are
/// free.
#[test]
fn feet_stay_and_rates_are_rates() {
    let (model, q) = standing(1.4);
    assert_stands("four feet", &model, &q, &points(&model, &q, &FEET), 0.05);
    let three = points(&model, &q, &FEET[1..]);
    assert_eq!(Stance::new(&model, &q, &three).expect("stands").free(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_stands("three feet", &model, &q, &three, 0.05);
    let model = robot("g1", true);
    let mut q = model.neutral::<f64>();
    let names = model.dof_names();
    for (k, name) in names.iter().enumerate().skip(6) {
        let bend = [("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)];
        q[k + 1] = bend.iter().find(|(part, _)| name.contains(part)).map_or(0.0, |(_, x)| *x);
    }
    let ws = &mut Workspace::new(&model);
    let soles: Vec<Constraint> = ["left_ankle_roll_link", "right_ankle_roll_link"]
        .iter()
        .map(|name| {
            let frame = &model.frames()[model.find_frame(name).expect("is there").index()];
            let body = frame.body().expect("moves");
            let pose = frame_pose(&model, ws, &q, model.find_frame(name).expect("is there")).expect("runs");
            Constraint::frame(None, pose, body, *frame.placement())
        })
        .collect();
    let stance = Stance::new(&model, &q, &soles).expect("stands");
    assert_eq!(stance.free().len(), model.nv() - 12);
    assert_stands("two soles", &model, &q, &soles, 0.03);
}

fn options(stance: &Stance, model: &Model) -> ExciteOptions {
    let mut limits = stance.limits(model);
    for j in 6..model.nv() {
        (limits.velocity[j], limits.acceleration[j], limits.effort[j]) = (6.0, 60.0, 2.5);
    }
    for j in 0..6 {
        limits.position[j] = if j < 3 { (-0.05, 0.05) } else { (-0.2, 0.2) };
    }
    ExciteOptions { period: 1.5, harmonics: 2, rate: 40.0, iterations: 20, ..ExciteOptions::with_limits(limits) }
}

/// Forces of the feet that carry the base, the smallest, by singular values; and what they do.
fn carried(model: &Model, data: &Data, i: usize) -> (Vec<f64>, DVector<f64>) {
    let ws = &mut Workspace::new(model);
    let mut all = DMatrix::zeros(model.nv(), 12);
    for (k, name) in FEET.iter().enumerate() {
        let frame = model.find_frame(name).expect("is there");
        let by = frame_jacobian(model, ws, &data.q[i], frame, ReferenceFrame::LocalWorldAligned).expect("runs");
        all.columns_mut(3 * k, 3).copy_from(&by.rows(0, 3).transpose());
    }
    let wanted = DVector::from_row_slice(&data.tau[i][..6]);
    let forces = all.rows(0, 6).into_owned().svd(true, true).solve(&wanted, 1e-9).expect("has both sides");
    let does = &all * &forces;
    (forces.as_slice().to_vec(), does)
}

/// A motion of the quadruped: better than random ones, within limits between samples too, with forces that carry it;
/// and what it tells of planted masses.
#[test]
fn a_quadruped_is_told_by_its_feet() {
    let (model, q) = standing(1.4);
    let stance = Stance::new(&model, &q, &points(&model, &q, &FEET)).expect("stands");
    let p = Parameters::of(&model).select_all("base_link.mass, base_link.com.?, *_UPPER_LEG.mass").expect("are there");
    let options = options(&stance, &model);
    let found = excite_stance(&p, &options, &stance, |_| ControlFlow::Continue(())).expect("runs");
    assert_eq!((found.found.rank, found.base.len(), found.series.start.len()), (8, 8, 6));
    println!(
        "gain {}, conditions {} and {}, {}",
        found.gain, found.random.condition, found.found.condition, found.status
    );
    // Against the random motion as large as the limits let it be, and against a small one.
    assert!(found.gain > 1.1, "{}", found.gain);
    let mut small = ExciteOptions { iterations: 0, ..options.clone() };
    small.limits.position[..6].iter_mut().for_each(|range| *range = (0.2 * range.0, 0.2 * range.1));
    let small = excite_stance(&p, &small, &stance, |_| ControlFlow::Continue(())).expect("runs").random;
    println!("small: {} {}; {}", small.condition, small.log_det, found.found.log_det);
    // 0.55 and 1.7 after 40 steps.
    assert!(found.found.condition < 0.7 * small.condition, "{} against {}", found.found.condition, small.condition);
    let smaller = ((found.found.log_det - small.log_det) / 16.0).exp();
    assert!(smaller > 1.5, "{smaller}");

    // On another grid than the one it was looked at.
    let times: Vec<f64> = (0..701).map(|i| 1.5 * f64::from(i) / 700.0).collect();
    let states = stance.along(&model, &found.series, &times).expect("runs").expect("feet stay");
    let ws = &mut Workspace::new(&model);
    let mut all = Data { time: times, ..Data::default() };
    for [q, v, a] in states {
        all.tau.push(rnea(&model, ws, &q, &v, &a, &[]).expect("runs").to_vec());
        all.q.push(q);
        all.v.push(v);
        all.a.push(a);
    }
    let mut most = 0.0_f64;
    for i in 0..all.len() {
        let (_, does) = carried(&model, &all, i);
        let at = stance.positions(&model, &all.q[i]).expect("fits");
        for j in 0..model.nv() {
            let limits = &options.limits;
            let (low, high) = limits.position[j];
            let motor = if j < 6 { 0.0 } else { all.tau[i][j] - does[j] };
            let used = [
                (at[j] - 0.5 * (low + high)).abs() / (0.5 * (high - low)),
                all.v[i][j].abs() / limits.velocity[j],
                all.a[i][j].abs() / limits.acceleration[j],
                motor.abs() / limits.effort[j],
            ];
            assert!(used.iter().all(|used| *used <= 1.0), "{j} at {i}: {used:?}");
            most = used.iter().fold(most, |most, used| most.max(*used));
        }
    }
    // And one of them is what holds it back.
    assert!(most > 0.95, "{most}");

    // Loads are the smallest forces, and motors bear the rest.
    let (samples, loads) = (&found.samples, found.loads.as_ref().expect("stands"));
    for i in (0..samples.len()).step_by(7) {
        let (forces, does) = carried(&model, samples, i);
        for (force, expected) in loads.forces[i].iter().zip(forces) {
            // Two decompositions of forces of some 10 N.
            assert!((force - expected).abs() < 1e-10, "{force} against {expected}");
        }
        for j in 6..18 {
            assert!((loads.motors[i][j] - samples.tau[i][j] + does[j]).abs() < 1e-10);
        }
    }

    // Torques of a robot with other masses, and the forces of its feet, without noise: its masses.
    let mut truth = p.nominal();
    truth.iter_mut().enumerate().for_each(|(k, x)| *x = *x * (1.1 + 0.03 * k as f64) + 0.002);
    let heavy = p.robot_at(&truth).expect("fits");
    let mut log = samples.clone();
    for i in 0..log.len() {
        log.tau[i] = rnea(&heavy, ws, &log.q[i], &log.v[i], &log.a[i], &[]).expect("runs").to_vec();
    }
    let frames = FEET.map(|name| model.find_frame(name).expect("is there"));
    let axes = ReferenceFrame::LocalWorldAligned;
    let mut contacts = frames.map(|frame| ContactForces { frame: FrameRef::from(frame), axes, wrenches: vec![] });
    for i in 0..log.len() {
        let (forces, does) = carried(&model, &log, i);
        log.tau[i].iter_mut().zip(does.iter()).for_each(|(tau, x)| *tau -= x);
        for (k, contact) in contacts.iter_mut().enumerate() {
            contact.wrenches.push([forces[3 * k], forces[3 * k + 1], forces[3 * k + 2], 0.0, 0.0, 0.0]);
        }
    }
    let log = log.with_contact_forces(&model, &contacts).expect("fits");
    let fitted = fit(&p, &log, &FitOptions::default()).expect("runs");
    for (k, (x, truth)) in fitted.estimate.parameters.iter().zip(&truth).enumerate() {
        // Rounding of torques by the condition.
        assert!((x - truth).abs() < 1e-8, "{}: {x} against {truth}", fitted.parameters[k]);
    }
}

#[test]
fn what_cannot_stand_is_refused() {
    let (model, q) = standing(1.4);
    let refused = |q: &[f64], feet: &[Constraint]| Stance::new(&model, q, feet).expect_err("refused").to_string();
    let feet = points(&model, &q, &FEET);
    assert!(refused(&q, &feet[..2]).contains("carry the base in 5 of 6 directions"), "{}", refused(&q, &feet[..2]));
    assert!(refused(&q[1..], &feet).contains("the start has 18 entries, expected 19"));
    let (_, straight) = standing(0.0);
    let message = refused(&straight, &points(&model, &straight, &FEET));
    assert!(message.contains("expected a pose with bent legs"), "{message}");
    let mut high = q.clone();
    high[2] += 0.4;
    assert!(refused(&high, &feet).contains("the feet cannot reach where they are held"), "{}", refused(&high, &feet));
    let fixed = robot("solo12", false);
    let error = Stance::new(&fixed, &fixed.neutral::<f64>(), &[]).expect_err("is fixed").to_string();
    assert!(error.contains("does not float"), "{error}");

    let stance = Stance::new(&model, &q, &feet).expect("stands");
    let options = options(&stance, &model);
    let ask = |patterns: &str, options: &ExciteOptions| {
        let p = Parameters::of(&model).select_all(patterns).expect("are there");
        excite_stance(&p, options, &stance, |_| ControlFlow::Continue(())).expect_err("refused").to_string()
    };
    assert!(ask("FL_HAA.placement.x", &options).contains("must not vary"));
    let mut narrow = options.clone();
    narrow.limits.effort.fill(0.1);
    let message = ask("*.mass", &narrow);
    assert!(message.contains("at rest, `") && message.contains("% of its effort"), "{message}");
    let mut narrow = options.clone();
    narrow.limits.position[8] = (-1.0, 0.9);
    assert!(ask("*.mass", &narrow).contains("at rest, `FL_KFE`"), "{}", ask("*.mass", &narrow));
}
