//! Jacobians, velocities and accelerations of frames and points.

mod common;

use common::{assert_near, models, motion, moved, state, uniform, vector};
use gradyn::dynamics::{
    FrameRef, ReferenceFrame, Workspace, forward_kinematics, frame_jacobian, point_jacobian, relative_jacobian,
};
use gradyn::model::{InputError, Model};
use gradyn::spatial::{Motion, Transform};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, Vector3};

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

/// Columns of what does not move a frame are zero, to the bit.
#[test]
fn columns_beside_the_path_are_zero() {
    for (what, model) in models() {
        let (q, _, _) = state(&model, 2);
        let mut ws = Workspace::new(&model);
        for tip in 0..model.bodies().len() {
            let body = model.body_id(tip).expect("is there");
            let j = frame_jacobian(&model, &mut ws, &q, body, ReferenceFrame::Local).expect("valid").clone();
            let mut moves = vec![false; model.nv()];
            for (i, b) in model.bodies().iter().enumerate() {
                if model.supports(model.body_id(i).expect("is there"), body) {
                    moves[b.v_range()].fill(true);
                }
            }
            for (k, moves) in moves.into_iter().enumerate() {
                assert!(moves || j.column(k).iter().all(|x| *x == 0.0), "{what}, body {tip}, column {k}");
            }
        }
    }
}

/// A point's Jacobian gives how the point moves.
#[test]
fn point_jacobians_give_velocities() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 3);
        let (mut ws, rng) = (Workspace::new(&model), &mut common::rng(3));
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
                    // Rounding of sums over two paths of up to 60 bodies, some metres apart.
                    let what = format!("{what}, {b:?} in {a:?}, {reference}");
                    assert_near(&times(j, &v), &expected, 1e-11, what);
                }
            }
        }
    }
}

/// Frames and bodies that are not there, wrong lengths and numbers that are not finite are errors.
#[test]
fn misuse_is_refused() {
    let (small, large) = (common::tree_of(3, 1), common::tree_of(30, 1));
    let (q, v, _) = state(&small, 5);
    let mut ws = Workspace::new(&small);
    let body = large.body_id(20).expect("is there");
    let frame = large.find_frame(large.frames().last().expect("some").name()).expect("is there");
    let own = small.body_id(0).expect("is there");
    let reference = ReferenceFrame::World;
    let error = frame_jacobian(&small, &mut ws, &q, body, reference).expect_err("refused");
    assert_eq!(error, InputError::UnknownBody { index: 20, bodies: 3 });
    let error = frame_jacobian(&small, &mut ws, &q, frame, reference).expect_err("refused");
    assert_eq!(error, InputError::UnknownFrame { index: frame.index(), frames: small.frames().len() });
    let error = frame_jacobian(&small, &mut ws, &v[1..], own, reference).expect_err("refused");
    assert!(matches!(error, InputError::Length { what: "q", .. }), "{error}");
    let error = frame_jacobian(&large, &mut ws, &state(&large, 5).0, body, reference).expect_err("refused");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let mut bad = q.clone();
    bad[0] = f64::NAN;
    let error = frame_jacobian(&small, &mut ws, &bad, own, reference).expect_err("refused");
    assert!(matches!(error, InputError::NotFinite { what: "q", index: 0, .. }), "{error}");
    let far = Vector3::new(1e308, 1e308, 1e308) * uniform(&mut common::rng(1)).signum();
    let tip = small.body_id(2).expect("is there");
    match point_jacobian(&small, &mut ws, &q, tip, far, reference) {
        Ok(j) => assert!(j.iter().all(|x| x.is_finite())),
        Err(error) => assert!(matches!(error, InputError::Overflow { what: "point_jacobian", .. }), "{error}"),
    }
}
