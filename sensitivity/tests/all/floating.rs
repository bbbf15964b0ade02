//! Identification of a robot whose base floats: wrenches that are measured, of contacts, and none at all.

use crate::common::*;
use gradyn::dynamics::{ReferenceFrame, frame_jacobian};
use gradyn::{Model, Workspace, crba, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{ContactForces, Data, FitOptions, fit};
use nalgebra::{DMatrix, DVector};

const SAMPLES: usize = 120;
const FEET: [&str; 4] = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];

/// A smooth motion of all degrees of freedom, `q(t) = neutral ⊕ s(t)`; s and its rate.
fn course(nv: usize, t: f64) -> (Vec<f64>, Vec<f64>) {
    let of = |j: usize| {
        // The base turns by more than a whole turn, so that quaternions change their sign.
        let (size, w) = if j == 5 { (4.0, 0.9) } else { (0.4, 1.0 + 0.37 * j as f64) };
        let x = w * t + j as f64;
        (size * x.sin(), size * w * x.cos())
    };
    (0..nv).map(of).unzip()
}

/// Position and velocity: `v = ∂(q ⊕ s)/∂s ṡ`.
fn at(model: &Model, t: f64) -> (Vec<f64>, Vec<f64>) {
    let (s, rate) = course(model.nv(), t);
    let q = model.integrate(&model.neutral::<f64>(), &s).expect("fits");
    let v = model.integrate_dv(&s).expect("fits") * DVector::from_vec(rate);
    (q, v.as_slice().to_vec())
}

/// Positions, velocities, accelerations (by differences of fourth order with a step of 1e-3: rounding is 1e-12), and
/// all torques.
fn moved(robot: &Model, step: f64, samples: usize) -> Data {
    let ws = &mut Workspace::new(robot);
    let mut data = Data::default();
    for i in 0..samples {
        let t = step * i as f64;
        let (q, v) = at(robot, t);
        let beside = |h: f64| at(robot, t + h).1;
        let h = 1e-3;
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| beside(k * h));
        let a: Vec<f64> = (0..v.len()).map(|j| (8.0 * (c[j] - b[j]) - (d[j] - a[j])) / (12.0 * h)).collect();
        data.tau.push(rnea(robot, ws, &q, &v, &a, &[]).expect("runs").to_vec());
        data.time.push(t);
        data.q.push(q);
        data.v.push(v);
        data.a.push(a);
    }
    data
}

fn planted() -> (Parameters, Vec<f64>, Model) {
    let model = robot("solo12", true);
    let p =
        Parameters::of(&model).select_all("base_link.payload.m, FL_UPPER_LEG.mass, HR_LOWER_LEG.com.z").expect("are");
    let mut truth = p.nominal();
    truth[0] = 0.4;
    truth[1] *= 1.3;
    truth[2] += 0.02;
    let robot = p.robot_at(&truth).expect("fits");
    (p, truth, robot)
}

/// Forces of the feet that carry the base, the smallest; torques of the motors with them, and no other wrench on the
/// base.
fn stand(robot: &Model, data: &mut Data, axes: ReferenceFrame) -> Vec<ContactForces> {
    let ws = &mut Workspace::new(robot);
    let frames = FEET.map(|name| robot.find_frame(name).expect("is there"));
    let mut contacts = frames.map(|frame| ContactForces { frame: frame.into(), axes, wrenches: vec![] }).to_vec();
    for i in 0..data.len() {
        let mut all = DMatrix::zeros(robot.nv(), 12);
        for (k, frame) in frames.iter().enumerate() {
            let jacobian = frame_jacobian(robot, ws, &data.q[i], *frame, axes).expect("runs");
            all.columns_mut(3 * k, 3).copy_from(&jacobian.rows(0, 3).transpose());
        }
        let base = all.rows(0, 6).into_owned();
        let wanted = DVector::from_row_slice(&data.tau[i][..6]);
        let forces = base.svd(true, true).solve(&wanted, 1e-9).expect("has both sides");
        let carried = &all * &forces;
        data.tau[i].iter_mut().zip(carried.iter()).for_each(|(tau, x)| *tau -= x);
        data.tau[i][..6].fill(0.0);
        for (k, contact) in contacts.iter_mut().enumerate() {
            contact.wrenches.push([forces[3 * k], forces[3 * k + 1], forces[3 * k + 2], 0.0, 0.0, 0.0]);
        }
    }
    contacts
}

/// Rounding of torques of 30 N m by differenced accelerations, and the condition.
fn assert_found(p: &Parameters, data: &Data, truth: &[f64]) {
    let found = fit(p, data, &FitOptions::default()).expect("runs");
    assert!(found.cannot_tell.is_empty() && found.explains, "{:?}", found.cannot_tell);
    for (k, (x, truth)) in found.estimate.parameters.iter().zip(truth).enumerate() {
        assert!((x - truth).abs() < 1e-7, "{}: {x} against {truth}", found.parameters[k]);
    }
}

/// The base's wrench as measured; forces of feet in either axes; and of these the six rows of the base alone, without a
/// torque of a motor.
#[test]
fn wrenches_on_the_base_tell_inertias() {
    let (p, truth, robot) = planted();
    let data = moved(&robot, 0.02, SAMPLES);
    assert_found(&p, &data, &truth);
    for axes in [ReferenceFrame::LocalWorldAligned, ReferenceFrame::Local] {
        let mut data = data.clone();
        let contacts = stand(&robot, &mut data, axes);
        let all = data.clone().with_contact_forces(p.robot(), &contacts).expect("fits");
        assert_found(&p, &all, &truth);
        let base = Data { tau: vec![vec![0.0; robot.nv()]; data.len()], measured: (0..6).collect(), ..data };
        let base = base.with_contact_forces(p.robot(), &contacts).expect("fits");
        let found = fit(&p, &base, &FitOptions::default()).expect("runs");
        assert_eq!(found.joints.len(), 6);
        assert_found(&p, &base, &truth);
    }
}

/// In free flight nothing acts on the base: `M_bb a_b = −(h_b + M_bj a_j)`. Links are told beside one that is known;
/// all at once are not.
#[test]
fn free_flight_tells_links_without_any_torque() {
    let (p, truth, robot) = planted();
    let mut data = moved(&robot, 0.02, SAMPLES);
    let ws = &mut Workspace::new(&robot);
    for i in 0..data.len() {
        data.a[i][..6].fill(0.0);
        let tau = rnea(&robot, ws, &data.q[i], &data.v[i], &data.a[i], &[]).expect("runs").to_vec();
        let mass = crba(&robot, ws, &data.q[i]).expect("runs").view((0, 0), (6, 6)).into_owned();
        let a = mass.cholesky().expect("is positive").solve(&-DVector::from_row_slice(&tau[..6]));
        data.a[i][..6].copy_from_slice(a.as_slice());
        data.tau[i].fill(0.0);
    }
    data.measured = (0..6).collect();
    assert_found(&p, &data, &truth);
    let all = Parameters::of(p.robot()).select("*.pi.*").expect("are there");
    let error = fit(&all, &data, &FitOptions::default()).expect_err("only ratios").to_string();
    assert!(error.contains("only their ratios can be identified"), "{error}");
}

/// Torques and forces that come late, and a low-pass: as of arms.
#[test]
fn delays_and_filters_are_those_of_arms() {
    let (p, truth, robot) = planted();
    let mut data = moved(&robot, 0.01, 300);
    let late = moved(&robot, 0.01, 300).tau;
    (3..300).for_each(|i| data.tau[i].clone_from(&late[i - 3]));
    for rows in [&mut data.q, &mut data.v, &mut data.a, &mut data.tau] {
        rows.drain(..3);
    }
    data.time.drain(..3);
    let options = FitOptions { low_pass: Some(10.0), every: 2, ..FitOptions::default() };
    let found = fit(&p, &data, &options).expect("runs");
    let delay = found.delay.expect("is asked for");
    // The torques are the model's three samples before: what is left is interpolation, (w h)⁴/40.
    assert!(delay.significant && (delay.seconds - 0.03).abs() < 1e-4, "{delay:?}");
    for (x, truth) in found.estimate.parameters.iter().zip(&truth) {
        assert!((x - truth).abs() < 1e-3, "{x} against {truth}");
    }
}

/// Of velocities and accelerations of a base that turns by more than a turn: half the step leaves a sixteenth of the
/// error.
#[test]
fn differences_on_the_manifold_are_of_fourth_order() {
    let (_, _, robot) = planted();
    let all: Vec<usize> = (0..robot.nv()).collect();
    let error = |step: f64| {
        let mut data = moved(&robot, step, (3.0 / step) as usize);
        // The other sign of a quaternion is the same pose.
        data.q.iter_mut().step_by(3).for_each(|q| q[3..7].iter_mut().for_each(|x| *x = -*x));
        let exact = data.clone();
        data.v.iter_mut().chain(&mut data.a).for_each(|row| row.fill(0.0));
        let found = data.with_differenced_velocities(&robot, &all).expect("fits").with_differenced_accelerations();
        assert_eq!(found.len(), exact.len() - 8);
        let worst = |rows: &[Vec<f64>], exact: &[Vec<f64>]| {
            let pairs = rows.iter().flatten().zip(exact.iter().flatten());
            pairs.map(|(x, y)| (x - y).abs()).fold(0.0_f64, f64::max)
        };
        let inner = 4..exact.len() - 4;
        [worst(&found.v, &exact.v[inner.clone()]), worst(&found.a, &exact.a[inner])]
    };
    let (coarse, fine) = (error(0.02), error(0.01));
    for (coarse, fine) in coarse.iter().zip(&fine) {
        // Terms of sixth order are (w h)² of those of fourth: 2 %. Not the same samples are worst.
        assert!((14.0..18.0).contains(&(coarse / fine)), "{coarse:e} and {fine:e}");
    }
}

#[test]
fn contacts_that_do_not_fit_are_refused() {
    let (_, _, robot) = planted();
    let data = moved(&robot, 0.02, 5);
    let frame = robot.find_frame("FL_FOOT").expect("is there").into();
    let contact = |wrenches| ContactForces { frame, axes: ReferenceFrame::Local, wrenches };
    let ask = |contact| data.clone().with_contact_forces(&robot, &[contact]).map(|_| ()).map_err(|e| e.to_string());
    assert_eq!(ask(contact(vec![[0.0; 6]; 5])), Ok(()));
    assert!(ask(contact(vec![[0.0; 6]; 4])).expect_err("one is missing").contains("has 4 entries, expected 5"));
    let mut wrenches = vec![[0.0; 6]; 5];
    wrenches[2][1] = f64::NAN;
    assert!(ask(contact(wrenches)).expect_err("not a number").contains("a contact force of sample 2 is NaN"));
    let twice = Data { measured: vec![3, 3], ..data.clone() };
    assert!(twice.check(&robot).expect_err("twice").to_string().contains("a measured degree of freedom is 3"));
}
