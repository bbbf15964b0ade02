//! Identities of motions, forces and poses, on random values.
#![expect(clippy::float_cmp, reason = "numbers that are only moved, not computed, have to be the same")]

use crate::spatial_support::{ROUNDING, for_seeds, times};
use approx::{assert_abs_diff_eq, assert_relative_eq};
use gradyn::spatial::{Force, Motion, PoseError, Quaternion, Transform, exp6, jexp6, matrix6, so3, vector as v3};
use gradyn_derivatives::num_dual::{Dual2, Dual64, HyperDual64};
use gradyn_derivatives::{Dual8, Lanes, Real, simd};
use nalgebra::{Matrix3, Matrix4, Matrix6, Point3, Vector3};
use std::f64::consts::{FRAC_PI_2, PI};
use testing::{assert_near, entries};

#[test]
fn actions_are_their_matrices() {
    for_seeds(|r| {
        let (x, m, f) = (r.transform(), r.motion(), r.force());
        assert_near(&x.act(m).to_array(), &times(&x.action(), m.to_array()), ROUNDING, "X m");
        assert_near(&x.inv_act(m).to_array(), &times(&x.inv_action(), m.to_array()), ROUNDING, "X⁻¹ m");
        assert_near(&x.act(f).to_array(), &times(&x.dual_action(), f.to_array()), ROUNDING, "X* f");
        assert_near(&x.inv_act(f).to_array(), &times(&x.inv_dual_action(), f.to_array()), ROUNDING, "X*⁻¹ f");
        let one = Matrix6::identity();
        assert_near((x.action() * x.inv_action()).as_slice(), one.as_slice(), ROUNDING, "X X⁻¹");
        assert_near((x.dual_action() * x.inv_dual_action()).as_slice(), one.as_slice(), ROUNDING, "X* X*⁻¹");
        assert_near(x.dual_action().as_slice(), x.inv_action().transpose().as_slice(), ROUNDING, "X* = X⁻ᵀ");
        assert_near(x.inverse().action().as_slice(), x.inv_action().as_slice(), ROUNDING, "action of the inverse");
    });
}

#[test]
fn actions_of_a_product_are_products_of_actions() {
    for_seeds(|r| {
        let (x, y, m, f) = (r.transform(), r.transform(), r.motion(), r.force());
        let (inertia, p) = (r.inertia(), Point3::from(r.vector()));
        assert_relative_eq!((x * y).act(m), x.act(y.act(m)), epsilon = ROUNDING);
        assert_relative_eq!((x * y).act(f), x.act(y.act(f)), epsilon = ROUNDING);
        assert_relative_eq!((x * y).act(inertia), x.act(y.act(inertia)), epsilon = 10.0 * ROUNDING);
        assert_relative_eq!((x * y) * p, x * (y * p), epsilon = ROUNDING);
        assert_relative_eq!(x.inv_act(x * p), p, epsilon = ROUNDING);
        assert_relative_eq!(x.inv_mul(&y), x.inverse() * y, epsilon = ROUNDING);
        assert_relative_eq!(x.inverse() * x, Transform::identity(), epsilon = ROUNDING);
        assert_relative_eq!(x.inv_act(x.act(inertia)), inertia, epsilon = 10.0 * ROUNDING);
        assert_near((x * y).matrix4().as_slice(), (x.matrix4() * y.matrix4()).as_slice(), ROUNDING, "4×4");
    });
}

#[test]
fn points_turn_and_move_while_free_vectors_only_turn() {
    for_seeds(|r| {
        let (x, p, q) = (r.transform(), r.vector(), r.vector());
        assert_near((x.point(p) - x.point(q)).as_slice(), x.vector(p - q).as_slice(), ROUNDING, "difference of points");
        assert_near(x.inv_point(x.point(p)).as_slice(), p.as_slice(), ROUNDING, "point and back");
        assert_near(x.inv_vector(x.vector(p)).as_slice(), p.as_slice(), ROUNDING, "vector and back");
        let h = x.matrix4() * p.push(1.0);
        assert_near(x.point(p).as_slice(), &h.as_slice()[..3], ROUNDING, "homogeneous");
    });
}

#[test]
fn power_does_not_depend_on_the_frame() {
    for_seeds(|r| {
        let (x, m, f, p) = (r.transform(), r.motion(), r.force(), r.vector());
        let power = m.power(f);
        assert_near(
            &[f.power(m), x.act(m).power(x.act(f)), m.shifted(p).power(f.shifted(p))],
            &[power; 3],
            ROUNDING,
            "power",
        );
    });
}

#[test]
fn cross_products_are_their_matrices() {
    for_seeds(|r| {
        let (a, b, f) = (r.motion(), r.motion(), r.force());
        assert_near(&a.cross(b).to_array(), &times(&a.cross_matrix(), b.to_array()), ROUNDING, "a × b");
        assert_near(&a.cross_force(f).to_array(), &times(&a.cross_force_matrix(), f.to_array()), ROUNDING, "a ×* f");
        assert_near(&f.bar_cross(a).to_array(), &a.cross_force(f).to_array(), ROUNDING, "f ×̄* a = a ×* f");
        assert_near(&f.bar_cross(a).to_array(), &times(&f.bar_cross_matrix(), a.to_array()), ROUNDING, "[f]×̄* a");
        assert_near(a.cross_force_matrix().as_slice(), (-a.cross_matrix().transpose()).as_slice(), 0.0, "×* = −×ᵀ");
    });
}

#[test]
fn cross_product_is_a_lie_bracket_that_poses_respect() {
    for_seeds(|r| {
        let (a, b, c, f, x) = (r.motion(), r.motion(), r.motion(), r.force(), r.transform());
        let jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b));
        assert_abs_diff_eq!(jacobi, Motion::zero(), epsilon = ROUNDING);
        assert_abs_diff_eq!(a.cross(a), Motion::zero(), epsilon = ROUNDING);
        assert_relative_eq!(x.act(a.cross(b)), x.act(a).cross(x.act(b)), epsilon = ROUNDING);
        assert_relative_eq!(x.act(a.cross_force(f)), x.act(a).cross_force(x.act(f)), epsilon = ROUNDING);
        // d/dt ⟨b, f⟩ = 0 when both are carried along
        assert_near(&[a.cross(b).power(f)], &[-b.power(a.cross_force(f))], ROUNDING, "⟨a×b, f⟩ = −⟨b, a×*f⟩");
    });
}

#[test]
fn shifting_is_a_translated_frame() {
    for_seeds(|r| {
        let (m, f, p) = (r.motion(), r.force(), r.vector());
        let x = Transform::from_translation(p);
        assert_relative_eq!(m.shifted(p), x.inv_act(m), epsilon = ROUNDING);
        assert_relative_eq!(f.shifted(p), x.inv_act(f), epsilon = ROUNDING);
        let pure = Force::at_point(f.linear, p);
        assert_abs_diff_eq!(pure.shifted(p), Force::new(f.linear, Vector3::zeros()), epsilon = ROUNDING);
    });
}

/// A pose along a way with the body velocity `v` and body acceleration `a` at time zero: `x₀ exp(v t + ½ a t²)`.
fn along<T: Real>(x0: &Transform<f64>, v: Motion<f64>, a: Motion<f64>, t: T) -> Transform<T> {
    let xi = v.lift::<T>().scale::<T>(t) + a.lift::<T>().scale::<T>(t * t * 0.5);
    x0.lift::<T>() * exp6(xi)
}

#[test]
fn velocity_and_acceleration_of_a_point_are_its_derivatives() {
    for_seeds(|r| {
        let (x0, v, a, p) = (r.transform(), r.motion(), r.motion(), r.vector());
        let t = Dual2::new(0.0, 1.0, 0.0);
        let p_w = along(&x0, v, a, t).point(v3::lift(p));
        let first = x0.inv_vector(p_w.map(|c: Dual2<f64>| c.v1));
        let second = x0.inv_vector(p_w.map(|c| c.v2));
        assert_near(v.velocity_at(p).as_slice(), first.as_slice(), ROUNDING, "velocity");
        assert_near(a.acceleration_at(p, v).as_slice(), second.as_slice(), ROUNDING, "acceleration");
        assert_near(
            a.classical(v).linear.as_slice(),
            a.acceleration_at(Vector3::zeros(), v).as_slice(),
            ROUNDING,
            "classical",
        );
        assert_relative_eq!(Motion::from_classical(a.classical(v), v), a, epsilon = ROUNDING);
    });
}

/// Body velocity along [`along`]: `J_r(ξ) ξ̇`.
fn velocity_along(v: Motion<f64>, a: Motion<f64>, t: Dual64) -> Motion<Dual64> {
    let xi = v.lift::<Dual64>().scale(t) + a.lift::<Dual64>().scale(t * t * 0.5);
    let rate = v.lift::<Dual64>() + a.lift::<Dual64>().scale(t);
    let [j, q, _, _] = matrix6::to_blocks(&jexp6(xi));
    Motion::new(v3::add(v3::rotate(&j, rate.linear), v3::rotate(&q, rate.angular)), v3::rotate(&j, rate.angular))
}

#[test]
fn composed_motions_are_those_of_composed_poses() {
    for_seeds(|r| {
        let (x0, y0) = (r.transform(), r.transform());
        let [v_wb, a_wb, v_bc, a_bc] = [r.motion(), r.motion(), r.motion(), r.motion()];
        let t = Dual64::new(0.0, 1.0);
        let (x_wb, x_bc) = (along(&x0, v_wb, a_wb, t), along(&y0, v_bc, a_bc, t));

        let x_wc = x_wb * x_bc;
        let x_wc0 = x0 * y0;
        let w = x_wc0.rotation.transpose() * x_wc.rotation.map(|c| c.eps);
        let linear = x_wc0.inv_vector(x_wc.translation.map(|c| c.eps));
        let got = v_wb.composed(&y0, v_bc);
        assert_near(&got.to_array(), &[linear.x, linear.y, linear.z, w.m32, w.m13, w.m21], ROUNDING, "velocity");

        let v_wc = velocity_along(v_wb, a_wb, t).composed(&x_bc, velocity_along(v_bc, a_bc, t));
        let got = a_wb.composed_acceleration(v_wb, &y0, v_bc, a_bc);
        assert_near(&got.to_array(), &v_wc.to_array().map(|c| c.eps), ROUNDING, "acceleration");
    });
}

#[test]
fn six_numbers_go_both_ways() {
    let m = Motion::from_array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((m.linear, m.angular), (Vector3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 5.0, 6.0)));
    assert_eq!(m.to_angular_first(), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    assert_eq!(Motion::from_angular_first(m.to_angular_first()), m);
    assert_eq!(Motion::from_vector6(&m.to_vector6()), m);
    let f = Force::from_array(m.to_array());
    assert_eq!(f.to_vector6(), m.to_vector6());
    assert_eq!(Force::from_angular_first([4.0, 5.0, 6.0, 1.0, 2.0, 3.0]), f);
    assert_eq!(Force::from_vector6(&f.to_vector6()).to_angular_first(), m.to_angular_first());
    let blocks = matrix6::to_blocks(&Matrix6::from_fn(|i, j| (6 * i + j) as f64));
    assert_eq!(matrix6::from_blocks(&blocks[0], &blocks[1], &blocks[2], &blocks[3])[(4, 1)], 25.0);
}

#[test]
fn quaternions_and_matrices_are_the_same_rotations() {
    for_seeds(|r| {
        let (p, q, u) = (r.quaternion(), r.quaternion(), r.vector());
        assert_near((p * q).rotation().as_slice(), (p.rotation() * q.rotation()).as_slice(), ROUNDING, "product");
        assert_near(p.rotate(u).as_slice(), (p.rotation() * u).as_slice(), ROUNDING, "rotated vector");
        assert_near(p.conjugate().rotation().as_slice(), p.rotation().transpose().as_slice(), ROUNDING, "conjugate");
        let nalgebra =
            nalgebra::UnitQuaternion::new_unchecked(nalgebra::Quaternion::from(nalgebra::Vector4::from(p.to_array())));
        assert_near(p.rotation().as_slice(), nalgebra.to_rotation_matrix().matrix().as_slice(), ROUNDING, "nalgebra");
        let x = Transform::from_quaternion(p, u);
        assert_relative_eq!(Transform::from_quaternion(x.quaternion(), u), x, epsilon = ROUNDING);
        // a length off by 1e-5 comes back to 1 within 3/2 of its square
        let near = p.scale(1.0 + 1e-5).renormalized();
        assert_near(&[near.norm_squared().sqrt()], &[1.0], 1.6e-10, "renormalized");
    });
}

/// All four branches: turns by 0 … π about the axes and between them.
#[test]
fn quaternion_of_a_matrix_is_right_in_every_branch() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, -1.0, 1.0], [0.1, -2.0, 0.3]];
    for axis in axes.map(|a| Vector3::from(a).normalize()) {
        for angle in [0.0, 1e-9, 1.0, 2.0, 2.2, 3.0, PI - 1e-9, PI, 4.0, 6.0] {
            let r = so3::about_axis(axis, angle);
            let q = Quaternion::from_rotation(&r);
            assert_near(&[q.norm_squared()], &[1.0], ROUNDING, format_args!("|q|² at {axis:?} {angle}"));
            assert_near(q.rotation().as_slice(), r.as_slice(), ROUNDING, format_args!("{axis:?} {angle}"));

            // derivative, turning on at unit rate: ½ q ⊗ (axis, 0)
            let turning = so3::about_axis(v3::lift(axis), Dual64::new(angle, 1.0));
            let rate = Quaternion::from_rotation(&turning).to_array().map(|c| c.eps);
            assert_near(&rate, &q.rate(axis).to_array(), ROUNDING, format_args!("q̇ at {axis:?} {angle}"));
        }
    }
}

#[test]
fn lanes_choose_each_their_branch() {
    type L = Lanes<simd::Baseline>;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.6, 0.8]];
    let turns: Vec<Vector3<f64>> =
        (0..8).map(|k| Vector3::from(axes[k % 4]) * if k < 4 { 3.0 } else { 1e-9 * k as f64 }).collect();
    let lane = |i: usize| L::from_array(std::array::from_fn(|k| turns[k][i]));
    let v = Vector3::new(lane(0), lane(1), lane(2));
    let r = gradyn::spatial::exp3(v);
    let back = gradyn::spatial::log3(&r);
    for (k, turn) in turns.iter().enumerate() {
        let got = [back.x, back.y, back.z].map(|c| c.to_array()[k]);
        assert_near(&got, turn.as_slice(), ROUNDING, format_args!("lane {k}"));
        let r_k = r.map(|c| c.to_array()[k]);
        assert_near(r_k.as_slice(), gradyn::spatial::exp3(*turn).as_slice(), ROUNDING, format_args!("R in lane {k}"));
    }
}

#[test]
fn roll_pitch_yaw_turn_about_fixed_axes() {
    for_seeds(|r| {
        let [roll, pitch, yaw] = [3.0 * r.number(), 1.5 * r.number(), 3.0 * r.number()];
        let about = |axis: Vector3<f64>, angle| so3::about_axis(axis, angle);
        let expected = about(Vector3::z(), yaw) * about(Vector3::y(), pitch) * about(Vector3::x(), roll);
        let x = Transform::from_rpy([roll, pitch, yaw], r.vector());
        assert_near(x.rotation.as_slice(), expected.as_slice(), ROUNDING, "R");
        // pitch stays 0.07 away from the pole, where angles lose a factor of 14
        assert_near(&x.rpy(), &[roll, pitch, yaw], 20.0 * ROUNDING, "angles");
    });
    for pitch in [FRAC_PI_2, -FRAC_PI_2] {
        let x = Transform::from_rpy([0.3, pitch, 0.5], Vector3::zeros());
        let again = Transform::from_rpy(x.rpy(), Vector3::zeros());
        assert_relative_eq!(again, x, epsilon = ROUNDING);
    }
}

#[test]
fn axis_and_angle_go_both_ways() {
    for_seeds(|r| {
        let (axis, angle) = (r.direction(), 1.5 + 1.4 * r.number());
        let x = Transform::from_axis_angle(axis * 1e-200, angle, r.vector()).unwrap();
        let (axis_back, angle_back) = x.axis_angle();
        assert_near(&[angle_back], &[angle], 10.0 * ROUNDING, "angle");
        // the axis of a small turn is as good as rounding over the angle, 0.1 at least
        assert_near(axis_back.as_slice(), axis.as_slice(), 100.0 * ROUNDING, "axis");
    });
    assert_eq!(Transform::identity().axis_angle(), (Vector3::x(), 0.0));
}

#[test]
fn matrices_that_are_no_poses_are_refused_with_the_reason() {
    let good = Transform::from_rpy([0.1, 0.2, 0.3], Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(Transform::from_matrix4(&good.matrix4()), Ok(good));

    let with = |i: usize, j: usize, x: f64| {
        let mut m = good.matrix4();
        m[(i, j)] = x;
        Transform::from_matrix4(&m).unwrap_err()
    };
    assert!(matches!(with(3, 0, 0.1), PoseError::BottomRow { row } if row == [0.1, 0.0, 0.0, 1.0]));
    assert!(matches!(with(3, 3, f64::NAN), PoseError::BottomRow { .. }));
    assert!(matches!(with(0, 0, f64::NAN), PoseError::NotFinite { .. }));
    assert!(matches!(with(0, 3, f64::INFINITY), PoseError::NotFinite { .. }));
    assert!(matches!(with(0, 0, 0.5), PoseError::NotOrthonormal { deviation, .. } if deviation > 0.1));
    assert!(matches!(with(0, 0, 1e300), PoseError::NotOrthonormal { .. }));
    let mirror = Matrix4::from_diagonal(&nalgebra::Vector4::new(1.0, 1.0, -1.0, 1.0));
    let error = Transform::from_matrix4(&mirror).unwrap_err();
    assert!(matches!(error, PoseError::Reflection { determinant, .. } if determinant < -0.9));
    assert!(error.to_string().contains("is a reflection, its determinant is -1"), "{error}");

    let error = Transform::from_axis_angle(Vector3::zeros(), 1.0, Vector3::zeros()).unwrap_err();
    assert_eq!(error.to_string(), "pose: [0.0, 0.0, 0.0] is not an axis of rotation");
    let x = Transform::from_axis_angle(Vector3::x(), f64::INFINITY, Vector3::zeros());
    assert!(matches!(x, Err(PoseError::NotFinite { .. })));
    for q in [[0.0; 4], [f64::NAN, 0.0, 0.0, 1.0]] {
        assert!(matches!(Quaternion::from_array(q).to_unit(), Err(PoseError::Quaternion { .. })));
    }
    let q = Quaternion::from_array([0.0, 3e-200, 0.0, 4e-200]).to_unit().unwrap();
    assert_near(&q.to_array(), &[0.0, 0.6, 0.0, 0.8], ROUNDING, "a tiny quaternion");
}

#[test]
fn orthonormalizing_squares_the_error() {
    for_seeds(|r| {
        let x = r.transform();
        let off = Transform::new(x.rotation + Matrix3::from_fn(|_, _| 1e-4 * r.number()), x.translation);
        let error = |x: &Transform<f64>| (x.rotation.transpose() * x.rotation - Matrix3::identity()).amax();
        let once = off.orthonormalized();
        // 3/4 ε² with ε up to 3 √3 times the largest entry
        assert!(error(&once) < 30.0 * error(&off).powi(2), "{} after {}", error(&once), error(&off));
        assert_eq!(once.orthonormalized().validity(), Ok(()));
    });
}

#[test]
fn interpolation_goes_from_one_pose_to_the_other_at_constant_velocity() {
    for_seeds(|r| {
        let (a, b) = (r.transform(), r.transform());
        assert_relative_eq!(a.interpolate(&b, 0.0), a, epsilon = ROUNDING);
        assert_relative_eq!(a.interpolate(&b, 1.0), b, epsilon = 10.0 * ROUNDING);
        let half = a.interpolate(&b, 0.5);
        assert_relative_eq!(a.inv_mul(&half), half.inv_mul(&b), epsilon = 10.0 * ROUNDING);
        assert_relative_eq!(a.interpolate(&a, 0.3), a, epsilon = ROUNDING);
        let q = a.quaternion().interpolate(b.quaternion().scale(-1.0), 0.3);
        assert_near(q.rotation().as_slice(), a.interpolate(&b, 0.3).rotation.as_slice(), 10.0 * ROUNDING, "slerp");
    });
}

/// The simpler type on the left is the same as the lifted one, for values and derivatives.
#[test]
fn constants_act_on_numbers_with_derivatives() {
    for_seeds(|r| {
        let (x, m, dm, f, p) = (r.transform(), r.motion(), r.motion(), r.force(), r.vector());
        let y = r.inertia();
        let moving = m.lift::<Dual64>() + dm.lift::<Dual64>().scale(Dual64::new(0.0, 1.0));
        let lifted = x.lift::<Dual64>();
        let flat = |m: Motion<Dual64>| m.to_array().map(|c| [c.re, c.eps]).concat();
        let flat_f = |f: Force<Dual64>| f.to_array().map(|c| [c.re, c.eps]).concat();
        assert_near(&flat(x.act(moving)), &flat(lifted.act(moving)), ROUNDING, "X m");
        assert_near(&flat(x.inv_act(moving)), &flat(lifted.inv_act(moving)), ROUNDING, "X⁻¹ m");
        assert_near(&flat_f(y * moving), &flat_f(y.lift::<Dual64>() * moving), 10.0 * ROUNDING, "Y m");
        assert_near(&flat_f(f.bar_cross(moving)), &flat_f(moving.cross_force(f.lift())), ROUNDING, "f ×̄* m");
        assert_near(&flat(moving.shifted(p)), &flat(moving.shifted(v3::lift::<f64, Dual64>(p))), ROUNDING, "shifted");
        // linear: the derivative part is the map of the derivative part
        assert_near(&x.act(moving).to_array().map(|c| c.eps), &x.act(dm).to_array(), ROUNDING, "linear");

        let eight = Motion::from_array(m.to_array().map(|c| Dual8::from_parts(c, [c; 8])));
        assert_near(&x.act(eight).to_array().map(|c| c.value()), &x.act(m).to_array(), ROUNDING, "eight directions");
        let second = m.lift::<HyperDual64>().scale(HyperDual64::new(1.0, 1.0, 1.0, 1.0));
        assert_near(&x.act(second).to_array().map(|c| c.eps1eps2), &x.act(m).to_array(), ROUNDING, "second");
        assert_near(&x.act(second).to_array().map(|c| c.re), &x.act(m).to_array(), ROUNDING, "value");
    });
}

#[test]
fn text_is_readable_and_keeps_the_precision_asked_for() {
    let m = Motion::from_array([1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
    assert_eq!(format!("{m:.1}"), "linear [1.0, 2.0, 3.0], angular [4.0, 5.0, 6.5]");
    let f = Force::from_array(m.to_array());
    assert_eq!(format!("{f}"), "force [1, 2, 3], moment [4, 5, 6.5]");
    let x = Transform::from_translation(Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(format!("{x}"), "position [1, 2, 3], rotation [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
    assert_eq!(format!("{}", Quaternion::<f64>::identity()), "xyzw [0, 0, 0, 1]");
    assert_eq!(entries(&x).len(), 12);
}
