//! Friction that varies with speed and side: its formula, what it takes, and when it counts.

use gradyn::dynamics::{Workspace, rnea};
use gradyn::joint::{Axis, Revolute};
use gradyn::model::{FrictionCurve, InputError, Model, ModelBuilder, ModelError};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, HessianWorkspace, Method, rnea_derivatives, rnea_hessian};
use gradyn::spatial::Transform;
use gradyn_derivatives::Real;
use gradyn_derivatives::num_dual::HyperDual64;
use testing::*;

/// Trees, which have curves on every fourth joint.
fn rubbing() -> Vec<(String, Model)> {
    let all: Vec<_> = trees().into_iter().filter(|(_, model)| !model.friction_curves().is_empty()).collect();
    assert!(all.len() > 8, "there are curves");
    all
}

fn torques(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    rnea(model, &mut Workspace::new(model), q, v, a, &[]).expect("runs").to_vec()
}

/// As Olsson et al. write Stribeck's curve, with a smooth sign.
fn by_hand(curve: &FrictionCurve, w: f64, v: f64) -> f64 {
    let u = curve.multiplier * v;
    let sign = u / (u * u + w * w).sqrt();
    let breakaway = curve.stribeck * (-(u / curve.stribeck_velocity).powi(2)).exp();
    curve.multiplier * (breakaway * sign + curve.asymmetry * sign.powi(2))
}

#[test]
fn torques_are_those_of_the_formula() {
    let mut followers = 0;
    for (n, (what, model)) in rubbing().into_iter().enumerate() {
        let (q, v, a) = state(&model, n as u64);
        let rest = model.clone().without_friction_curves();
        let mut expected = torques(&rest, &q, &v, &a);
        for curve in model.friction_curves() {
            expected[curve.index] += by_hand(curve, model.friction_width(), v[curve.index]);
            followers += usize::from((curve.multiplier - 1.0).abs() > 0.1);
        }
        // Two sums more.
        assert_near(&torques(&model, &q, &v, &a), &expected, 1e-12, &what);
        let off = |model: Model| torques(&model.with_joint_friction(false), &q, &v, &a);
        assert_eq!(off(model.clone()), off(rest.clone()), "{what}: friction switched off");
        let left: Vec<f64> = (0..v.len()).map(|i| a[i] - expected[i] + torques(&rest, &q, &v, &a)[i]).collect();
        if let (Ok(found), Ok(expected)) = (once::aba(&model, &q, &v, &a, &[]), once::aba(&rest, &q, &v, &left, &[])) {
            // The same algorithm on torques that differ by roundings, as bad as M is conditioned: up to 1e4.
            assert_near(&found, &expected, 1e-9, format!("{what}: accelerations"));
        }
    }
    assert!(followers > 0, "a mimic joint has a curve");
}

/// First and second derivatives by nested dual numbers through the formula, at any speed.
#[test]
fn derivatives_are_those_of_the_formula() {
    let (body, model) = hinge();
    let model = model.with_stribeck(body, &[1.3]).expect("fits").with_friction_asymmetry(body, &[-0.4]).expect("fits");
    let curve = model.friction_curves()[0];
    let w = model.friction_width();
    for v in [-30.0, -0.7, -0.1, -0.004, 0.0, 0.003, 0.02, 0.3, 12.0] {
        let twice = HyperDual64::new(v, 1.0, 1.0, 0.0);
        let sign = twice / (twice * twice + w * w).sqrt();
        let u = twice / curve.stribeck_velocity;
        let torque = (-(u * u)).exp() * sign * curve.stribeck + sign * sign * curve.asymmetry;
        // Quotients of small numbers: some ten roundings of the largest, 1 / w².
        let near = |x: f64, y: f64, scale: f64| assert_close(x, y, 1e-13, scale, v);
        near(curve.torque(v, w), torque.re, 1.0);
        near(curve.slope(v, w), torque.eps1, 1.0 / w);
        near(curve.curvature(v, w), torque.eps1eps2, 1.0 / (w * w));
    }
}

/// A hinge without anything.
fn hinge() -> (gradyn::model::BodyId, Model) {
    let mut builder = ModelBuilder::new("hinge");
    let x = Transform::identity();
    builder.add_body(None, "wheel", "axle", x, Revolute { axis: Axis::Z }, inertia(&mut rng(1))).expect("fits");
    let model = builder.build().expect("builds");
    (model.body_id(0).expect("is there"), model)
}

/// Breakaway where motion begins, Coulomb friction at speed, more of it forward; and never a torque that drives.
#[test]
fn friction_falls_with_speed_and_has_two_sides() {
    let (body, model) = hinge();
    let model = model.with_friction_width(1e-6).expect("is positive").with_friction(body, &[2.0]).expect("fits");
    let model = model.with_stribeck(body, &[1.5]).expect("fits").with_stribeck_velocity(body, &[0.2]).expect("fits");
    let model = model.with_friction_asymmetry(body, &[0.5]).expect("fits");
    let still = |v: f64| torques(&model, &[0.0], &[v], &[0.0])[0] - torques(&model, &[0.0], &[0.0], &[0.0])[0];
    // The smooth sign is 1 but for (w/u)²/2, and the exponential is there to 1e-8 of a thousandth of its velocity.
    for (v, expected) in [(1e-3, 2.0 + 1.5 + 0.5), (-1e-3, -(2.0 + 1.5 - 0.5)), (5.0, 2.5), (-5.0, -1.5)] {
        assert_close(still(v), expected, 1e-4, 1.0, v);
    }
    for k in 0..400 {
        let v = 1e-7 * 1.05_f64.powi(k) * if k % 2 == 0 { 1.0 } else { -1.0 };
        assert!(still(v) * v >= 0.0, "friction drives at {v}");
    }
    for (_, model) in rubbing() {
        let (q, mut v, _) = state(&model, 3);
        let rest = vec![0.0; v.len()];
        for scale in [1e-3, 1.0, 1e3] {
            v.iter_mut().for_each(|v| *v *= scale);
            let (with, without) =
                (torques(&model, &q, &v, &rest), torques(&model.clone().with_joint_friction(false), &q, &v, &rest));
            let power: f64 = (0..v.len()).map(|i| (with[i] - without[i]) * v[i]).sum();
            let size: f64 = (0..v.len()).map(|i| (with[i] * v[i]).abs()).sum();
            assert!(power >= -1e-12 * size, "friction adds {power} W"); // a difference of torques
        }
    }
}

#[test]
fn bad_numbers_are_refused() {
    let (body, model) = hinge();
    let key = model.to_builder().key(0).expect("is there");
    for x in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-160] {
        let error = model.clone().with_stribeck_velocity(body, &[x]).expect_err("is no velocity");
        assert!(error.to_string().contains("stribeck_velocity"), "{error}");
        assert!(
            matches!(model.to_builder().set_stribeck_velocity(key, &[x]), Err(ModelError::BadNumber { .. })),
            "{x}"
        );
    }
    assert!(matches!(model.clone().with_stribeck(body, &[-0.1]), Err(InputError::Parameter { what: "stribeck", .. })));
    assert!(matches!(model.clone().with_stribeck(body, &[0.1, 0.2]), Err(InputError::JointLength { .. })));
    assert!(matches!(model.to_builder().set_stribeck(key, &[-0.1]), Err(ModelError::BadNumber { .. })));
    assert!(matches!(model.to_builder().set_stribeck(key, &[]), Err(ModelError::Length { .. })));
    assert!(matches!(model.to_builder().set_friction_asymmetry(key, &[f64::NAN]), Err(ModelError::BadNumber { .. })));
    assert!(model.clone().with_friction_asymmetry(body, &[-0.1]).is_ok());
}

/// What is too large is an error with the joint's name.
#[test]
fn overflow_names_the_joint() {
    let model = robot("panda", &gradyn::UrdfOptions::new());
    let id = model.find_body("panda_joint3").expect("is there");
    let model =
        model.with_stribeck(id, &[1e308]).expect("is finite").with_friction_asymmetry(id, &[1e308]).expect("fits");
    let model = model.with_stribeck_velocity(id, &[1e3]).expect("is positive");
    let (q, _, a) = state(&model, 1);
    let v = vec![1.0; model.nv()];
    let names = |error: InputError| assert!(error.to_string().contains("panda_joint3"), "{error}");
    names(rnea(&model, &mut Workspace::new(&model), &q, &v, &a, &[]).expect_err("overflows"));
    for method in Method::ALL {
        let mut ws = DerivativeWorkspace::new(&model);
        names(rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &[]).expect_err("overflows"));
    }
    let mut ws = HessianWorkspace::new(&model);
    assert!(rnea_hessian(&model, &mut ws, &q, &v, &a, &v, &[]).is_err());
}
