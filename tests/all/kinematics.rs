//! Jacobians, velocities and accelerations of frames and points.

use gradyn::dynamics::{
    ExternalWrench, FrameRef, ReferenceFrame, Workspace, forward_kinematics, frame_bias_acceleration, frame_jacobian,
    frame_jacobian_rate, point_jacobian, relative_jacobian,
};
use gradyn::joint::{Axis, Prismatic, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, Method, SparsityPattern, classical_frame_derivatives, frame_derivatives,
    jacobian_transpose_derivatives, point_derivatives, rnea_derivatives,
};
use gradyn::spatial::{Force, Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Level, Scalar};
use nalgebra::{DMatrix, Vector3};
use testing::{assert_near, lift, models, motion, moved, state, tree_of_every_joint, uniform, vector};

/// A few bodies and frames of a model: the first, the last and some between.
fn frames(model: &Model) -> Vec<FrameRef> {
    let (bodies, frames) = (model.bodies().len(), model.frames().len());
    let mut chosen: Vec<FrameRef> = [0, bodies / 3, bodies / 2, bodies - 1]
        .into_iter()
        .map(|i| model.body_id(i).expect("is there").into())
        .collect();
    for i in [0, frames / 2, frames - 1] {
        chosen.push(model.find_frame(model.frames()[i].name()).expect("is there").into());
    }
    chosen
}

/// The pose of a frame.
fn pose<T: Scalar>(model: &Model, q: &[T], frame: FrameRef) -> Transform<T> {
    let mut ws = Workspace::new(model);
    let zero = vec![T::zero(); model.nv()];
    let kinematics = forward_kinematics(model, &mut ws, q, &zero, &zero).expect("valid");
    match frame {
        FrameRef::Body(body) => kinematics.pose(body),
        FrameRef::Frame(frame) => kinematics.frame_pose(frame),
    }
    .expect("is there")
}

fn times<T: Scalar>(j: &DMatrix<T>, v: &[T]) -> Vec<T> {
    (0..j.nrows()).map(|r| v.iter().enumerate().fold(T::zero(), |sum, (c, v)| sum + j[(r, c)] * *v)).collect()
}

/// The spatial velocity of a frame whose pose varies, `[v]× = ẋ x⁻¹`, in coordinates of its parent frame.
fn velocity_of(x: &Transform<Dual64>) -> Motion<f64> {
    let (r, dr) = (x.rotation.map(|x| x.re), x.rotation.map(|x| x.eps));
    let w = dr * r.transpose();
    let angular = Vector3::new(w[(2, 1)], w[(0, 2)], w[(1, 0)]);
    let (p, dp) = (x.translation.map(|x| x.re), x.translation.map(|x| x.eps));
    Motion::new(dp - angular.cross(&p), angular)
}

/// `J q̇` is how the pose moves, in all references, for bodies and frames.
#[test]
fn jacobians_give_velocities() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 1);
        let mut ws = Workspace::new(&model);
        for frame in frames(&model) {
            let x = pose(&model, &moved(&model, &q, &v), frame);
            let v_w = velocity_of(&x);
            let x = pose(&model, &q, frame);
            for reference in ReferenceFrame::ALL {
                let expected = motion(match reference {
                    ReferenceFrame::Local => x.inv_act(v_w),
                    ReferenceFrame::World => v_w,
                    ReferenceFrame::LocalWorldAligned => {
                        Motion::new(v_w.linear + v_w.angular.cross(&x.translation), v_w.angular)
                    }
                });
                let j = frame_jacobian(&model, &mut ws, &q, frame, reference).expect("valid");
                // Rounding of sums over a path of 60 bodies.
                assert_near(&times(j, &v), &expected, 1e-12, format_args!("{what}, {frame:?}, {reference}"));
            }
        }
    }
}

/// Columns of what does not move a frame are zero, to the bit: in its Jacobian, in that one's rate, in derivatives of
/// its motion.
#[test]
fn columns_beside_the_path_are_zero() {
    let mut zeros = 0;
    for (what, model) in models() {
        let (q, v, a) = state(&model, 2);
        let (mut ws, mut derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
        for (tip, reference) in (0..model.bodies().len()).zip(ReferenceFrame::ALL.into_iter().cycle()) {
            let body = model.body_id(tip).expect("is there");
            let pattern = SparsityPattern::frame(&model, body);
            let jacobian = frame_jacobian(&model, &mut ws, &q, body, reference).expect("valid").clone();
            let rate = frame_jacobian_rate(&model, &mut ws, &q, &v, body, reference).expect("valid").clone();
            let method = Method::Analytical;
            let by = frame_derivatives(&model, &mut derivatives, method, &q, &v, &a, body, reference).expect("valid");
            let all = [("jacobian", &jacobian), ("rate", &rate)].into_iter().chain(by.matrices());
            for (name, m) in all {
                for (row, column) in (0..6).flat_map(|i| (0..model.nv()).map(move |j| (i, j))) {
                    if !pattern.contains(row, column) {
                        assert!(m[(row, column)] == 0.0, "{what}, body {tip}, {name}[{row}, {column}]");
                        zeros += 1;
                    }
                }
            }
        }
    }
    assert!(zeros > 1000, "some trees branch");
}

/// A point's Jacobian gives how the point moves.
#[test]
fn point_jacobians_give_velocities() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 3);
        let (mut ws, rng) = (Workspace::new(&model), &mut testing::rng(3));
        for i in [0, model.bodies().len() / 2, model.bodies().len() - 1] {
            let (body, point) = (model.body_id(i).expect("is there"), vector(rng));
            let x = pose(&model, &moved(&model, &q, &v), body.into());
            let u: Vector3<f64> = x.point(point.map(Dual64::from)).map(|x| x.eps);
            let r = x.rotation.map(|x| x.re);
            for reference in ReferenceFrame::ALL {
                let expected = if reference == ReferenceFrame::Local { r.transpose() * u } else { u };
                let j = point_jacobian(&model, &mut ws, &q, body, point, reference).expect("valid");
                // Rounding of sums over a path of 60 bodies.
                let what = format_args!("{what}, body {i}, {reference}").to_string();
                assert_near(&times(j, &v), expected.as_slice(), 1e-12, what);
            }
        }
    }
}

/// The relative Jacobian gives how the pose of B in A moves; seen from the world, it is the Jacobian of B.
#[test]
fn relative_jacobians_give_relative_velocities() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 4);
        let mut ws = Workspace::new(&model);
        let frames = frames(&model);
        for a in &frames {
            for b in &frames {
                let q_t = moved(&model, &q, &v);
                let x: Transform<Dual64> = pose(&model, &q_t, *a).inverse() * pose(&model, &q_t, *b);
                let v_ab = velocity_of(&x);
                let x: Transform<f64> = pose(&model, &q, *a).inverse() * pose(&model, &q, *b);
                for reference in ReferenceFrame::ALL {
                    let expected = motion(match reference {
                        ReferenceFrame::World => v_ab,
                        ReferenceFrame::Local => x.inv_act(v_ab),
                        ReferenceFrame::LocalWorldAligned => {
                            Motion::new(v_ab.linear + v_ab.angular.cross(&x.translation), v_ab.angular)
                        }
                    });
                    let j = relative_jacobian(&model, &mut ws, &q, *a, *b, reference).expect("valid");
                    // Rounding of sums over two paths of up to 60 bodies, some meters apart.
                    let what = format!("{what}, {b:?} in {a:?}, {reference}");
                    assert_near(&times(j, &v), &expected, 1e-11, what);
                }
            }
        }
    }
}

/// What moves both frames alike moves neither relative to the other: those columns are zero, to the bit.
#[test]
fn common_columns_of_relative_jacobians_are_zero() {
    for (what, model) in models() {
        let (q, ..) = state(&model, 13);
        let mut ws = Workspace::new(&model);
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        let path: Vec<_> = std::iter::successors(Some(last), |b| model.bodies()[b.index()].parent()).collect();
        let middle = path[path.len() / 2];
        let j = relative_jacobian(&model, &mut ws, &q, middle, last, ReferenceFrame::Local).expect("valid");
        for k in 0..model.nv() {
            let between = path[..path.len() / 2].iter().any(|b| model.bodies()[b.index()].v_range().contains(&k));
            assert!(between || j.column(k).iter().all(|x| *x == 0.0), "{what}: column {k}");
        }
    }
}

/// A robot that has gone 1000 km keeps the digits of what does not depend on where it is.
#[test]
fn digits_are_kept_far_away() {
    for (what, model) in testing::robots() {
        if model.bodies()[0].joint().kind() != "free-flyer" {
            continue;
        }
        let (mut q, v, a) = state(&model, 14);
        let (mut ws, mut numbers) = (Workspace::new(&model), [Vec::new(), Vec::new()]);
        let (first, last) = (model.body_id(0).expect("one"), model.body_id(model.bodies().len() - 1).expect("one"));
        let (point, force) = (Vector3::new(0.1, 0.2, 0.3), Force::new(Vector3::x(), Vector3::y()));
        for numbers in &mut numbers {
            for reference in [ReferenceFrame::Local, ReferenceFrame::LocalWorldAligned] {
                let ws = &mut ws;
                numbers.extend_from_slice(frame_jacobian(&model, ws, &q, last, reference).expect("valid").as_slice());
                let j = point_jacobian(&model, ws, &q, last, point, reference).expect("valid");
                numbers.extend_from_slice(j.as_slice());
                let j = relative_jacobian(&model, ws, &q, first, last, reference).expect("valid");
                numbers.extend_from_slice(j.as_slice());
                let j = frame_jacobian_rate(&model, ws, &q, &v, last, reference).expect("valid");
                numbers.extend_from_slice(j.as_slice());
                let by = gradyn::dynamics::frame_derivatives(&model, ws, &q, &v, &a, last, reference).expect("valid");
                by.matrices().into_iter().for_each(|(_, m)| numbers.extend_from_slice(m.as_slice()));
                let by = gradyn::dynamics::jacobian_transpose_derivatives(&model, ws, &q, last, reference, force)
                    .expect("valid");
                numbers.extend_from_slice(by.dtorque_dq.as_slice());
            }
            q[0] += 1e6;
        }
        let [near, far] = numbers;
        assert_near(&far, &near, 1e-12, &what);
    }
}

/// `J̇` is the derivative of `J` along `q ⊕ t v`, entry by entry, in all references.
#[test]
fn jacobian_rates_are_derivatives_in_time() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 6);
        let (mut ws, mut duals) = (Workspace::new(&model), Workspace::new(&model));
        let q_t = moved(&model, &q, &v);
        for frame in frames(&model) {
            for reference in ReferenceFrame::ALL {
                let j = frame_jacobian(&model, &mut duals, &q_t, frame, reference).expect("valid");
                let expected: Vec<f64> = j.iter().map(|x| x.eps).collect();
                let rate = frame_jacobian_rate(&model, &mut ws, &q, &v, frame, reference).expect("valid");
                // Rounding of sums over a path of 60 bodies.
                assert_near(rate.as_slice(), &expected, 1e-12, format_args!("{what}, {frame:?}, {reference}"));
            }
        }
    }
}

/// Accelerations are `J q̈ + J̇ q̇`: spatial in the local and the world reference, classical, and then the rate of
/// change of the velocity, in the local one with axes of the world. All agree with forward kinematics.
#[test]
fn accelerations_are_those_of_jacobians_and_biases() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 7);
        let mut ws = Workspace::new(&model);
        let a_t = testing::dual(&v, &a);
        for frame in frames(&model) {
            for reference in ReferenceFrame::ALL {
                let j = frame_jacobian(&model, &mut ws, &q, frame, reference).expect("valid");
                let (velocity, of_joints) = (times(j, &v), times(j, &a));
                let rate = frame_jacobian_rate(&model, &mut ws, &q, &v, frame, reference).expect("valid");
                let of_rate = times(rate, &v);
                let bias = frame_bias_acceleration(&model, &mut ws, &q, &v, frame, reference).expect("valid");
                let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("valid");
                let own = motion(kinematics.velocity_in(frame, reference).expect("is there"));
                let spatial = motion(kinematics.acceleration_in(frame, reference).expect("is there"));
                let classical = motion(kinematics.classical_acceleration_in(frame, reference).expect("is there"));
                let sum = |bias: [f64; 6]| of_joints.iter().zip(bias).map(|(a, b)| a + b).collect::<Vec<_>>();
                let what = format!("{what}, {frame:?}, {reference}");
                // Rounding of accelerations of a few hundred.
                assert_near(&velocity, &own, 1e-12, &what);
                assert_near(&sum(motion(bias.spatial)), &spatial, 1e-12, &what);
                assert_near(&sum(motion(bias.classical)), &classical, 1e-12, &what);
                let of_rate_expected = match reference {
                    ReferenceFrame::LocalWorldAligned => bias.classical,
                    _ => bias.spatial,
                };
                assert_near(&of_rate, &motion(of_rate_expected), 1e-12, &what);
                // The velocity's own derivative in time.
                let mut duals = Workspace::new(&model);
                let q_t = moved(&model, &q, &v);
                let j = frame_jacobian(&model, &mut duals, &q_t, frame, reference).expect("valid");
                let rate = testing::eps(&times(j, &a_t));
                let expected = if reference == ReferenceFrame::LocalWorldAligned { classical } else { spatial };
                assert_near(&rate, &expected, 1e-12, &what);
            }
        }
    }
}

/// A point's position, velocity and acceleration are each other's derivatives in time.
#[test]
fn points_move_as_their_derivatives_say() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 8);
        let rng = &mut testing::rng(8);
        let (q_t, v_t, still) = (moved(&model, &q, &v), testing::dual(&v, &a), testing::lift(&a));
        let (mut ws, mut duals) = (Workspace::new(&model), Workspace::new(&model));
        let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("valid");
        let along = forward_kinematics(&model, &mut duals, &q_t, &v_t, &still).expect("valid");
        for i in 0..model.bodies().len() {
            let (body, point) = (model.body_id(i).expect("is there"), vector(rng));
            let rotation = kinematics.pose(body).expect("is there").rotation;
            let what = format!("{what}, body {i}");
            let world = ReferenceFrame::World;
            let velocity = kinematics.point_velocity(body, point, world).expect("is there");
            let acceleration = kinematics.point_acceleration(body, point, world).expect("is there");
            let (p, u) = (along.point(body, point), along.point_velocity(body, point, world));
            let rate = |x: Option<Vector3<Dual64>>| x.expect("is there").map(|x| x.eps);
            // Rounding of accelerations of a few hundred.
            assert_near(velocity.as_slice(), rate(p).as_slice(), 1e-12, &what);
            assert_near(acceleration.as_slice(), rate(u).as_slice(), 1e-12, &what);
            let local = kinematics.point_velocity(body, point, ReferenceFrame::Local).expect("is there");
            assert_near((rotation * local).as_slice(), velocity.as_slice(), 1e-14, &what);
            let local = kinematics.point_acceleration(body, point, ReferenceFrame::Local).expect("is there");
            assert_near((rotation * local).as_slice(), acceleration.as_slice(), 1e-14, &what);
        }
    }
}

/// Frames and bodies that are not there, wrong lengths and numbers that are not finite are errors.
#[test]
fn misuse_is_refused() {
    let (small, large) = (testing::tree_of(3, 1), testing::tree_of(30, 1));
    let (q, v, _) = state(&small, 5);
    let mut ws = Workspace::new(&small);
    let body = large.body_id(20).expect("is there");
    let frame = large.find_frame(large.frames().last().expect("some").name()).expect("is there");
    let own = small.body_id(0).expect("is there");
    let reference = ReferenceFrame::World;
    let error = frame_jacobian(&small, &mut ws, &q, body, reference).expect_err("refused");
    assert!(matches!(error, InputError::OtherModel { what: "body", index: 20, .. }), "{error}");
    let error = frame_jacobian(&small, &mut ws, &q, frame, reference).expect_err("refused");
    assert!(matches!(error, InputError::OtherModel { what: "frame", index, .. } if index == frame.index()), "{error}");
    let error = frame_jacobian(&small, &mut ws, &v[1..], own, reference).expect_err("refused");
    assert!(matches!(error, InputError::Length { what: "q", .. }), "{error}");
    let error = frame_jacobian(&large, &mut ws, &state(&large, 5).0, body, reference).expect_err("refused");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let mut bad = q.clone();
    bad[0] = f64::NAN;
    let error = frame_jacobian(&small, &mut ws, &bad, own, reference).expect_err("refused");
    assert!(matches!(error, InputError::NotFinite { what: "q", index: 0, .. }), "{error}");
    let far = Vector3::new(1e308, 1e308, 1e308) * uniform(&mut testing::rng(1)).signum();
    let tip = small.body_id(2).expect("is there");
    match point_jacobian(&small, &mut ws, &q, tip, far, reference) {
        Ok(j) => assert!(j.iter().all(|x| x.is_finite())),
        Err(error) => assert!(matches!(error, InputError::Overflow { what: "point_jacobian", .. }), "{error}"),
    }
}

/// Poses and motions that are too large are named, with the body, by every form.
#[test]
fn motions_that_overflow_are_named() {
    fn found<T: Scalar>(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Option<InputError> {
        let (q, v, a) = (testing::lift::<T>(q), testing::lift::<T>(v), testing::lift::<T>(a));
        forward_kinematics(model, &mut Workspace::new(model), &q, &v, &a).err()
    }
    let check = |model: &Model, [q, v, a]: [&[f64]; 3], expected: &str| {
        let named = |error: Option<InputError>, form: &str| match error {
            Some(InputError::Overflow { what, joint, .. }) => {
                assert!(what == expected && joint.starts_with("body "), "{form}: {what}, {joint}");
            }
            other => panic!("{form}, {expected}: {other:?}"),
        };
        named(found::<Dual64>(model, q, v, a), "plain form");
        for level in Level::available() {
            named(with_level(level, || found::<f64>(model, q, v, a)), &level.to_string());
        }
    };
    let panda = testing::robot("panda", &UrdfOptions::new());
    let zero = [0.0; 7];
    check(&panda, [&zero, &[1e200; 7], &zero], "acceleration");
    let hand = panda.body_id(6).expect("is there");
    let error = gradyn::once::frame_acceleration(&panda, &zero, &[1e200; 7], &zero, hand, ReferenceFrame::Local);
    assert!(matches!(error, Err(InputError::Overflow { .. })), "{error:?}");
    // Each slide is where it can be, and the second is not.
    let mut builder = ModelBuilder::new("slides");
    let mut parent = None;
    for k in 0..2 {
        let (x, y) = (Transform::identity(), testing::inertia(&mut testing::rng(k)));
        let joint = Prismatic { axis: Axis::X };
        parent = Some(builder.add_body(parent, format!("b{k}"), format!("j{k}"), x, joint, y).expect("fits"));
    }
    let slides = builder.build().expect("builds");
    let (zero, far) = ([0.0; 2], [1.5e308; 2]);
    check(&slides, [&far, &zero, &zero], "pose");
    check(&slides, [&zero, &far, &zero], "velocity");
    check(&slides, [&zero, &zero, &far], "acceleration");
}

/// So are the motions beside their derivatives, where these are finite.
#[test]
fn motions_beside_derivatives_are_looked_at() {
    let mut builder = ModelBuilder::new("hinge");
    let (x, y) = (Transform::identity(), testing::inertia(&mut testing::rng(1)));
    let key = builder.add_body(None, "b", "j", x, Revolute { axis: Axis::Z }, y).expect("fits");
    let far = Vector3::new(1e200, 0.0, 0.0);
    builder.add_frame(Some(key), "far", Transform::from_translation(far)).expect("fits");
    let model = builder.build().expect("builds");
    let (frame, body) = (model.find_frame("far").expect("is there"), model.body_id(0).expect("is there"));
    let local = ReferenceFrame::Local;
    let found = gradyn::once::frame_velocity(&model, &[0.0], &[1e200], frame, local);
    let named = matches!(&found, Err(InputError::Overflow { joint, .. }) if joint == "frame far");
    assert!(named, "{found:?}");
    for level in Level::available() {
        with_level(level, || {
            let ws = &mut DerivativeWorkspace::new(&model);
            let state = (&[0.0][..], &[1e200][..], &[0.0][..]);
            for method in Method::ALL {
                let found = frame_derivatives(&model, ws, method, state.0, state.1, state.2, frame, local).err();
                assert!(matches!(found, Some(InputError::Overflow { .. })), "{level}, {method}: {found:?}");
                let found = point_derivatives(&model, ws, method, state.0, state.1, state.2, body, far, local).err();
                assert!(matches!(found, Some(InputError::Overflow { .. })), "{level}, {method}: {found:?}");
            }
        });
    }
}

/// Compares the matrices of two methods.
#[track_caller]
fn assert_methods_agree<const N: usize>(
    found: [(&'static str, &DMatrix<f64>); N],
    expected: [(&'static str, &DMatrix<f64>); N],
    tolerance: f64,
    what: &str,
) {
    for ((name, found), (_, expected)) in found.into_iter().zip(expected) {
        let deviation = testing::deviation(found, expected);
        assert!(deviation <= tolerance, "{what}: {name} deviates by {deviation:e}\n{found:.6}\n{expected:.6}");
    }
}

/// Rounding of accelerations on paths of up to 60 bodies.
const EXACT: f64 = 1e-12;
/// What Ridders' extrapolation reaches.
const DIFFERENCE: f64 = 1e-8;

/// Derivatives of velocity and acceleration of frames: the three methods agree in every reference, values too.
#[test]
fn frame_derivatives_agree() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 9);
        let mut ws = DerivativeWorkspace::new(&model);
        let mut run = |method, frame, reference| {
            frame_derivatives(&model, &mut ws, method, &q, &v, &a, frame, reference).expect("valid").clone()
        };
        for (i, frame) in frames(&model).into_iter().enumerate() {
            for reference in ReferenceFrame::ALL {
                let what = format!("{what}, {frame:?}, {reference}");
                let exact = run(Method::Analytical, frame, reference);
                let dual = run(Method::Dual, frame, reference);
                assert_near(&motion(exact.velocity), &motion(dual.velocity), EXACT, &what);
                assert_near(&motion(exact.acceleration), &motion(dual.acceleration), EXACT, &what);
                assert_methods_agree(exact.matrices(), dual.matrices(), EXACT, &what);
                if i == 3 {
                    let difference = run(Method::Difference, frame, reference);
                    assert_methods_agree(difference.matrices(), dual.matrices(), DIFFERENCE, &what);
                    assert!(difference.errors.is_some());
                }
            }
        }
    }
}

/// The same of the classical acceleration; at the frame's origin it is that of the point there.
#[test]
fn classical_frame_derivatives_agree() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 15);
        let mut ws = DerivativeWorkspace::new(&model);
        for (i, frame) in frames(&model).into_iter().enumerate() {
            for reference in ReferenceFrame::ALL {
                let what = format!("{what}, {frame:?}, {reference}");
                let mut run = |method| {
                    classical_frame_derivatives(&model, &mut ws, method, &q, &v, &a, frame, reference)
                        .expect("valid")
                        .clone()
                };
                let (exact, dual) = (run(Method::Analytical), run(Method::Dual));
                assert_near(&motion(exact.velocity), &motion(dual.velocity), EXACT, &what);
                assert_near(&motion(exact.acceleration), &motion(dual.acceleration), EXACT, &what);
                assert_methods_agree(exact.matrices(), dual.matrices(), EXACT, &what);
                if i == 3 {
                    let difference = run(Method::Difference);
                    assert_methods_agree(difference.matrices(), dual.matrices(), DIFFERENCE, &what);
                    assert!(difference.errors.is_some());
                }
                let (FrameRef::Body(body), true) = (frame, reference != ReferenceFrame::World) else { continue };
                let (method, origin) = (Method::Analytical, Vector3::zeros());
                let point = point_derivatives(&model, &mut ws, method, &q, &v, &a, body, origin, reference);
                let point = point.expect("valid");
                let linear = exact.matrices().map(|(name, m)| (name, m.rows(0, 3).into_owned()));
                assert_methods_agree(linear.each_ref().map(|(name, m)| (*name, m)), point.matrices(), EXACT, &what);
            }
        }
    }
}

/// Derivatives of velocity and acceleration of points: the three methods agree in every reference, values too.
#[test]
fn point_derivatives_agree() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 10);
        let rng = &mut testing::rng(10);
        let mut ws = DerivativeWorkspace::new(&model);
        for i in [0, model.bodies().len() / 2, model.bodies().len() - 1] {
            let (body, point) = (model.body_id(i).expect("is there"), vector(rng));
            for reference in ReferenceFrame::ALL {
                let mut run = |method| {
                    point_derivatives(&model, &mut ws, method, &q, &v, &a, body, point, reference)
                        .expect("valid")
                        .clone()
                };
                let what = format!("{what}, body {i}, {reference}");
                let (exact, dual) = (run(Method::Analytical), run(Method::Dual));
                assert_near(exact.velocity.as_slice(), dual.velocity.as_slice(), EXACT, &what);
                assert_near(exact.acceleration.as_slice(), dual.acceleration.as_slice(), EXACT, &what);
                assert_methods_agree(exact.matrices(), dual.matrices(), EXACT, &what);
                if i + 1 == model.bodies().len() {
                    let difference = run(Method::Difference);
                    assert_methods_agree(difference.matrices(), dual.matrices(), DIFFERENCE, &what);
                }
            }
        }
    }
}

/// Derivatives of the torques of a wrench on a frame: the three methods agree, whatever the wrench is fixed in.
#[test]
fn jacobian_transpose_derivatives_agree() {
    for (what, model) in models() {
        let (q, ..) = state(&model, 11);
        let rng = &mut testing::rng(11);
        let mut ws = DerivativeWorkspace::new(&model);
        for (i, frame) in frames(&model).into_iter().enumerate() {
            let force = Force::new(vector(rng) * 3.0, vector(rng) * 3.0);
            for reference in ReferenceFrame::ALL {
                let mut run = |method| {
                    jacobian_transpose_derivatives(&model, &mut ws, method, &q, frame, reference, force)
                        .expect("valid")
                        .clone()
                };
                let what = format!("{what}, {frame:?}, {reference}");
                let (exact, dual) = (run(Method::Analytical), run(Method::Dual));
                assert_near(exact.torque.as_slice(), dual.torque.as_slice(), EXACT, &what);
                let (x, y) = (exact.dtorque_dq, dual.dtorque_dq);
                assert_methods_agree([("dtorque_dq", &x)], [("dtorque_dq", &y)], EXACT, &what);
                if i == 3 {
                    let difference = run(Method::Difference);
                    assert_methods_agree([("dtorque_dq", &difference.dtorque_dq)], [("", &y)], DIFFERENCE, &what);
                }
            }
        }
    }
}

/// The torques of wrenches are those by which inverse dynamics differs, and so are their derivatives.
#[test]
fn wrenches_of_inverse_dynamics_are_transposed_jacobians() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 12);
        let rng = &mut testing::rng(12);
        let mut ws = DerivativeWorkspace::new(&model);
        for i in [0, model.bodies().len() - 1] {
            let (body, force) = (model.body_id(i).expect("is there"), Force::new(vector(rng), vector(rng)));
            let of_frames = [
                (ReferenceFrame::Local, ExternalWrench::in_body(body, force)),
                (ReferenceFrame::World, ExternalWrench::in_world(body, force)),
            ];
            for (reference, wrench) in of_frames {
                let method = Method::Analytical;
                let by = jacobian_transpose_derivatives(&model, &mut ws, method, &q, body, reference, force)
                    .expect("valid")
                    .clone();
                let without = rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &[]).expect("valid").clone();
                let with = rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &[wrench]).expect("valid");
                let what = format!("{what}, body {i}, {reference}");
                let torque = &without.tau - &with.tau;
                let dtorque_dq = &without.dtau_dq - &with.dtau_dq;
                // Rounding of torques of some thousand.
                assert_near(by.torque.as_slice(), torque.as_slice(), 1e-9, &what);
                assert_near(by.dtorque_dq.as_slice(), dtorque_dq.as_slice(), 1e-9, &what);
            }
        }
    }
}

/// `V_MB_E` of Drake: what M sees of B is the rate of change of B's pose in M, in axes of E.
#[test]
fn relative_velocities_are_rates_of_relative_poses() {
    for seed in 0..3 {
        let model = tree_of_every_joint(seed);
        let (q, v, a) = state(&model, seed);
        let n = model.bodies().len();
        let [b, m, e] = [n - 1, n / 2, n / 3].map(|i| model.body_id(i).expect("is there"));
        let mut ws = Workspace::new(&model);
        let found = forward_kinematics(&model, &mut ws, &q, &v, &a).unwrap().relative_velocity(b, m, e).unwrap();
        // Along the velocity, by dual numbers: x_mb and its derivative.
        let moving = moved(&model, &q, &v);
        let rest: Vec<Dual64> = lift(&vec![0.0; model.nv()]);
        let mut ws = Workspace::<Dual64>::new(&model);
        let kinematics = forward_kinematics(&model, &mut ws, &moving, &rest, &rest).unwrap();
        let [x_wb, x_wm, x_we] = [b, m, e].map(|body| kinematics.pose(body).unwrap());
        let x_mb = x_wm.inv_mul(&x_wb);
        let rate = x_mb.translation.map(|x| x.eps); //             of B's origin, in axes of M
        let r_em = (x_we.rotation.transpose() * x_wm.rotation).map(|x| x.re);
        // ω: Ṙ Rᵀ is its skew matrix.
        let spin = x_mb.rotation.map(|x| x.eps) * x_mb.rotation.map(|x| x.re).transpose();
        let angular = nalgebra::Vector3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]);
        assert_near(found.linear.as_slice(), (r_em * rate).as_slice(), 1e-12, format_args!("seed {seed}, linear"));
        assert_near(found.angular.as_slice(), (r_em * angular).as_slice(), 1e-12, format_args!("seed {seed}, angular"));
    }
}
