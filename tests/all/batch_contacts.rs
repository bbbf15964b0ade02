//! Many states in one call: derivatives of accelerations, motions under contacts, poses and Jacobians of frames.

use gradyn::UrdfOptions;
use gradyn::batch::{Batch, BatchAbaDerivatives, BatchConstraintDynamics, BatchConstraintDynamicsDerivatives};
use gradyn::dynamics::{
    Constraint, FrameRef, ReferenceFrame, Workspace, constraint_dynamics, forward_kinematics, frame_jacobian,
};
use gradyn::model::{InputError, Model};
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, constraint_dynamics_derivatives};
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::Vector3;
use testing::{assert_near, assert_same, models, robot, state, transform, vector};

/// Configurations, velocities and torques one after the other.
fn states(model: &Model, n: usize) -> [Vec<f64>; 3] {
    let mut all = [vec![], vec![], vec![]];
    for s in 0..n {
        let (q, v, tau) = state(model, s as u64);
        all.iter_mut().zip([q, v, tau]).for_each(|(all, x)| all.extend(x));
    }
    all
}

/// Feet of solo12 on the ground.
fn standing() -> (Model, Vec<Constraint>) {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let contact = |name: &str| {
        let frame = &model.frames()[model.find_frame(name).expect("is there").index()];
        let (foot, sole) = (frame.body().expect("moves"), frame.placement().translation);
        Constraint::contact(foot, sole, Vector3::new(0.1, 0.2, 0.0)).with_gains(30.0, 4.0)
    };
    let contacts = ["FL_FOOT", "FR_FOOT", "HL_FOOT"].map(contact).to_vec();
    (model, contacts)
}

/// The last body held in two ways: rows depend on each other.
fn held_twice() -> (Model, Vec<Constraint>) {
    let model = robot("panda", &UrdfOptions::new());
    let rng = &mut testing::rng(4);
    let last = model.body_id(model.bodies().len() - 1).expect("is there");
    let frame = Constraint::frame(None, transform(rng), last, transform(rng)).with_gains(5.0, 1.0);
    let point = Constraint::contact(last, vector(rng), vector(rng));
    (model, vec![frame, point])
}

/// What a batch computes one state after the other, each result with its size.
type Arrays = Vec<(&'static str, usize, Vec<f64>)>;

/// With the exceptions of each call.
fn compute(
    batch: &mut Batch,
    model: &Model,
    constraints: &[Constraint],
    [q, v, tau]: &[Vec<f64>; 3],
) -> Result<(Arrays, [Vec<usize>; 3]), InputError> {
    let (nv, rows) = (model.nv(), constraints.iter().map(Constraint::rows).sum::<usize>());
    let n = q.len() / model.nq();
    let zeros = |size: usize| vec![0.0; n * size];
    let (square, side) = (nv * nv, rows * nv);
    let [mut a, mut b, mut c] = [zeros(nv), zeros(nv), zeros(nv)];
    let [mut a_q, mut a_v, mut a_tau] = [zeros(square), zeros(square), zeros(square)];
    let [mut b_q, mut b_v, mut b_tau] = [zeros(square), zeros(square), zeros(square)];
    let [mut l_q, mut l_v, mut l_tau] = [zeros(side), zeros(side), zeros(side)];
    let (mut lambda, mut lambda_2, mut residual) = (zeros(rows), zeros(rows), zeros(1));
    let to = BatchAbaDerivatives { ddq: &mut a, ddq_dq: &mut a_q, ddq_dv: &mut a_v, ddq_dtau: &mut a_tau };
    let of_aba = batch.aba_derivatives(model, q, v, tau, to)?.exceptions().collect();
    let to = BatchConstraintDynamics { ddq: &mut b, lambda: &mut lambda, residual: &mut residual };
    let of_held = batch.constraint_dynamics(model, q, v, tau, constraints, to)?.exceptions().collect();
    let to = BatchConstraintDynamicsDerivatives {
        ddq: &mut c,
        lambda: &mut lambda_2,
        ddq_dq: &mut b_q,
        ddq_dv: &mut b_v,
        ddq_dtau: &mut b_tau,
        dlambda_dq: &mut l_q,
        dlambda_dv: &mut l_v,
        dlambda_dtau: &mut l_tau,
    };
    let by = batch.constraint_dynamics_derivatives(model, q, v, tau, constraints, to)?;
    let exceptions = [of_aba, of_held, by.exceptions().collect()];
    let arrays = vec![
        ("free ddq", nv, a),
        ("free ddq_dq", square, a_q),
        ("free ddq_dv", square, a_v),
        ("free ddq_dtau", square, a_tau),
        ("ddq", nv, b),
        ("lambda", rows, lambda),
        ("residual", 1, residual),
        ("ddq, with derivatives", nv, c),
        ("lambda, with derivatives", rows, lambda_2),
        ("ddq_dq", square, b_q),
        ("ddq_dv", square, b_v),
        ("ddq_dtau", square, b_tau),
        ("dlambda_dq", side, l_q),
        ("dlambda_dv", side, l_v),
        ("dlambda_dtau", side, l_tau),
    ];
    Ok((arrays, exceptions))
}

/// The same of one state, in the same order, by the functions for one.
fn single(model: &Model, constraints: &[Constraint], [q, v, tau]: &[Vec<f64>; 3], k: usize) -> Vec<Vec<f64>> {
    let (nq, nv) = (model.nq(), model.nv());
    let (q, v, tau) = (&q[k * nq..(k + 1) * nq], &v[k * nv..(k + 1) * nv], &tau[k * nv..(k + 1) * nv]);
    let (ws, inner) = (&mut DerivativeWorkspace::new(model), &mut Workspace::new(model));
    let method = Method::Analytical;
    let by = aba_derivatives(model, ws, method, q, v, tau, &[]).expect("regular");
    let mut all = vec![by.ddq.as_slice().to_vec()];
    all.extend(by.matrices().map(|(_, m)| m.as_slice().to_vec()));
    let by = constraint_dynamics(model, inner, q, v, tau, constraints, &[]).expect("regular");
    all.extend([by.ddq.to_vec(), by.lambda.to_vec(), vec![by.residual]]);
    let by = constraint_dynamics_derivatives(model, ws, method, q, v, tau, constraints, &[]).expect("regular");
    all.extend([by.ddq.as_slice().to_vec(), by.lambda.as_slice().to_vec()]);
    all.extend(by.matrices().map(|(_, m)| m.as_slice().to_vec()));
    all
}

/// Derivatives of accelerations, and motions under contacts with theirs, have the bits of the calls for single states,
/// at every level and on however many threads.
#[test]
fn each_state_has_the_bits_of_the_call_for_it_alone() {
    let panda = (robot("panda", &UrdfOptions::new()), vec![]);
    for (model, constraints) in [standing(), held_twice(), panda] {
        // Enough work for three threads.
        let (n, what) = (61, model.name());
        let s = states(&model, n);
        for level in Level::available() {
            with_level(level, || {
                let one = &mut Batch::with_threads(&model, 1);
                let (arrays, exceptions) = compute(one, &model, &constraints, &s).expect("fits");
                assert!(exceptions.iter().all(Vec::is_empty), "{what}, {level}: {exceptions:?}");
                for k in (0..n).step_by(5) {
                    for ((name, size, array), expected) in arrays.iter().zip(single(&model, &constraints, &s, k)) {
                        let found = &array[k * size..(k + 1) * size];
                        assert_same(found, &expected, format!("{what}, {level}: {name} of state {k}"));
                    }
                }
                let several = &mut Batch::with_threads(&model, 3);
                let (found, _) = compute(several, &model, &constraints, &s).expect("fits");
                for ((name, _, found), (_, _, expected)) in found.iter().zip(&arrays) {
                    assert_same(found, expected, format!("{what}, {level}: {name}, on threads"));
                }
            });
        }
    }
}

/// A number that is not finite, or a result that overflows: its state is NaN and named, all others keep their bits, and
/// the next call knows nothing of it.
#[test]
fn a_bad_state_touches_no_other_under_contacts() {
    for (model, constraints) in [standing(), held_twice()] {
        let (n, nv) = (17, model.nv());
        let good = states(&model, n);
        let batch = &mut Batch::with_threads(&model, 1);
        let (expected, _) = compute(batch, &model, &constraints, &good).expect("fits");
        for (k, bad) in [(3, 1e300), (0, f64::NAN), (8, f64::NEG_INFINITY), (16, f64::INFINITY)] {
            let mut s = good.clone();
            s[1][k * nv + nv - 1] = bad;
            let (found, exceptions) = compute(batch, &model, &constraints, &s).expect("fits");
            assert!(exceptions.iter().all(|of_call| *of_call == [k]), "{bad}: {exceptions:?}");
            for ((name, size, found), (_, _, expected)) in found.iter().zip(&expected) {
                for other in (0..n).filter(|other| *other != k) {
                    let range = other * size..(other + 1) * size;
                    assert_same(&found[range.clone()], &expected[range], format!("{bad}: {name} of state {other}"));
                }
                assert!(found[k * size..(k + 1) * size].iter().all(|x| x.is_nan()), "{bad}: {name} of state {k}");
            }
        }
        let (again, _) = compute(batch, &model, &constraints, &good).expect("fits");
        for ((name, _, found), (_, _, expected)) in again.iter().zip(&expected) {
            assert_same(found, expected, name);
        }
    }
}

/// Every frame and body of every model, in every reference, in blocks that are full and one that is not.
#[test]
fn poses_and_jacobians_equal_those_of_single_states() {
    let mut worst = 0.0_f64;
    for (what, model) in models().into_iter().filter(|(_, model)| model.nq() > 0) {
        let n = 9;
        let [q, ..] = states(&model, n);
        let bodies = (0..model.bodies().len()).filter_map(|b| model.body_id(b)).map(FrameRef::from);
        let named = model.frames().iter().filter_map(|f| model.find_frame(f.name())).map(FrameRef::from);
        let frames: Vec<FrameRef> = bodies.chain(named).collect();
        let (count, nv) = (frames.len(), model.nv());
        let still = vec![0.0; nv];
        for level in Level::available() {
            let batch = &mut Batch::with_threads(&model, 1);
            let mut poses = vec![f64::NAN; n * count * 12];
            let finite = with_level(level, || batch.frame_poses(&model, &q, &frames, &mut poses).map(|by| by.all()));
            assert_eq!(finite, Ok(true), "{what}, {level}");
            let ws = &mut Workspace::new(&model);
            for (s, (poses, q)) in poses.chunks_exact(12 * count).zip(q.chunks_exact(model.nq())).enumerate() {
                let bodies = forward_kinematics(&model, ws, q, &still, &still).expect("finite");
                for (found, frame) in poses.chunks_exact(12).zip(&frames) {
                    let pose = match *frame {
                        FrameRef::Body(body) => bodies.pose(body),
                        FrameRef::Frame(frame) => bodies.frame_pose(frame),
                    };
                    let pose = pose.expect("is there");
                    let expected: Vec<f64> = pose.rotation.iter().chain(pose.translation.iter()).copied().collect();
                    // Rotations and positions one after the other along the tree: some roundings a joint.
                    assert_near(found, &expected, 1e-13, format!("{what}, {level}: {frame:?} of state {s}"));
                }
            }
            for reference in ReferenceFrame::ALL {
                let mut jacobians = vec![f64::NAN; n * count * 6 * nv];
                let finite = with_level(level, || {
                    batch.frame_jacobians(&model, &q, &frames, reference, &mut jacobians).map(|by| by.all())
                });
                assert_eq!(finite, Ok(true), "{what}, {level}");
                let of_states = jacobians.chunks_exact(6 * nv * count).zip(q.chunks_exact(model.nq()));
                for (s, (jacobians, q)) in of_states.enumerate() {
                    for (found, frame) in jacobians.chunks_exact(6 * nv).zip(&frames) {
                        let expected = frame_jacobian(&model, ws, q, *frame, reference).expect("finite");
                        let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                        let off = found.iter().zip(expected.iter()).map(|(x, y)| (x - y).abs() / scale);
                        worst = off.fold(worst, f64::max);
                        let what = format!("{what}, {level}: {frame:?}, {reference} of state {s}");
                        assert_near(found, expected.as_slice(), 1e-13, what);
                    }
                }
            }
        }
    }
    println!("off by {worst:e} at most");
}

/// A configuration that is not finite has neither poses nor Jacobians, and touches no other.
#[test]
fn frames_of_a_bad_state_are_nan_and_named() {
    let model = robot("panda", &UrdfOptions::new());
    let (n, k, nq) = (11, 9, model.nq());
    let [mut q, ..] = states(&model, n);
    let frames = [model.find_frame("panda_link8").expect("is there").into()];
    let batch = &mut Batch::with_threads(&model, 1);
    let (mut poses, mut jacobians) = (vec![0.0; n * 12], vec![0.0; n * 6 * model.nv()]);
    for bad in [false, true] {
        let good = (poses.clone(), jacobians.clone());
        if bad {
            q[k * nq] = f64::NAN;
        }
        let of_poses: Vec<_> = batch.frame_poses(&model, &q, &frames, &mut poses).expect("fits").exceptions().collect();
        let by = batch.frame_jacobians(&model, &q, &frames, ReferenceFrame::Local, &mut jacobians).expect("fits");
        let expected = if bad { vec![k] } else { vec![] };
        assert_eq!((of_poses, by.exceptions().collect()), (expected.clone(), expected));
        if bad {
            for (found, good, size) in [(&poses, &good.0, 12), (&jacobians, &good.1, 6 * model.nv())] {
                for (s, (found, good)) in found.chunks_exact(size).zip(good.chunks_exact(size)).enumerate() {
                    if s == k {
                        assert!(found.iter().all(|x| x.is_nan()));
                    } else {
                        assert_same(found, good, format!("state {s}"));
                    }
                }
            }
        }
    }
}

/// Wrong lengths, frames and constraints are named; a list of none is none.
#[test]
fn arguments_are_checked() {
    let (model, constraints) = standing();
    let (n, nv) = (2, model.nv());
    let s = states(&model, n);
    let batch = &mut Batch::with_threads(&model, 1);
    let refused = |found: Result<(), InputError>, what: &[&str]| {
        let error = found.expect_err("is wrong").to_string();
        assert!(what.iter().all(|what| error.contains(what)), "{error}: {what:?}");
    };
    let other = robot("ur5", &UrdfOptions::new());
    let far = model.body_id(model.bodies().len() - 1).expect("is there");
    let unknown = FrameRef::from(far);
    let mut none: [f64; 0] = [];
    refused(batch.frame_poses(&model, &s[0], &[unknown], &mut none).map(drop), &["poses", "N frames 12", "24", "0"]);
    let local = ReferenceFrame::Local;
    let found = batch.frame_jacobians(&model, &s[0], &[unknown], local, &mut none).map(drop);
    refused(found, &["jacobians", "N frames 6 nv", &(n * 6 * nv).to_string()]);
    assert!(batch.frame_poses(&model, &s[0], &[], &mut none).expect("nothing").all());
    let small = &mut Batch::with_threads(&other, 1);
    let q = vec![0.0; other.nq()];
    refused(small.frame_poses(&other, &q, &[unknown], &mut [0.0; 12]).map(drop), &["body", &far.index().to_string()]);
    let (mut ddq, mut lambda, mut residual) = (vec![0.0; n * nv], vec![0.0; n * 9], vec![0.0; n]);
    let mut held = |constraints: &[Constraint], rows: usize| {
        let to = BatchConstraintDynamics { ddq: &mut ddq, lambda: &mut lambda[..n * rows], residual: &mut residual };
        batch.constraint_dynamics(&model, &s[0], &s[1], &s[2], constraints, to).map(drop)
    };
    assert_eq!(held(&constraints, 9), Ok(()));
    assert_eq!(held(&[], 0), Ok(()));
    refused(held(&constraints, 8), &["lambda", "N rows", "18", "16"]);
    let same = Constraint::point(far, Vector3::zeros(), far, Vector3::zeros());
    refused(held(&[same], 3), &["constraint 0"]);
}
