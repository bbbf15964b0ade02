//! Frames are checked, mistakes named, and results are those of the plain operations.

use crate::spatial_support::{ROUNDING, for_seeds};
use gradyn::spatial::checked::{
    CheckedAcceleration, CheckedForce, CheckedInertia, CheckedJacobian, CheckedMomentum, CheckedMomentumMatrix,
    CheckedMotion, CheckedPoint, CheckedTransform, CheckedVector, Frame, FrameMismatch,
};
use gradyn_derivatives::num_dual::Dual64;
use testing::{Random, assert_near};

fn frames() -> [Frame; 4] {
    ["world", "arm", "hand", "eye"].map(Frame::new)
}

#[test]
fn fitting_frames_give_the_plain_results() {
    for_seeds(|r| {
        let [w, a, h, e] = frames();
        let (x, y) = (r.transform(), r.transform());
        let (x_wa, x_ah) = (CheckedTransform::new(&w, &a, x), CheckedTransform::new(&a, &h, y));

        let x_wh = x_wa.compose(&x_ah).unwrap();
        assert_eq!((x_wh.reference(), x_wh.frame(), x_wh.value()), (&w, &h, x * y));
        let again = x_wa.inv_compose(&x_wh).unwrap();
        assert_eq!((again.reference(), again.frame(), again.value()), (&a, &h, x.inv_mul(&(x * y))));
        let x_aw = x_wa.inverse();
        assert_eq!((x_aw.reference(), x_aw.frame(), x_aw.value()), (&a, &w, x.inverse()));
        assert_eq!(CheckedTransform::<f64>::identity(&w).compose(&x_wa).unwrap().frame(), &a);

        let p = CheckedPoint::new(&a, r.vector());
        let q = CheckedPoint::new(&a, r.vector());
        assert_eq!(x_wa.act(&p), Ok(CheckedPoint::new(&w, x.point(p.value()))));
        let p_w = x_wa.act(&p).unwrap();
        assert_near(x_wa.inv_act(&p_w).unwrap().value().as_slice(), p.value().as_slice(), ROUNDING, "point and back");
        let d = p.sub(&q).unwrap();
        assert_eq!(x_wa.act(&d), Ok(CheckedVector::new(&w, x.vector(p.value() - q.value()))));
        assert_near(q.add(&d).unwrap().value().as_slice(), p.value().as_slice(), ROUNDING, "q + (p − q)");
        assert_eq!(d.dot(&d), Ok(gradyn::spatial::vector::norm_squared(d.value())));
        assert_eq!(d.add(&d).unwrap().value(), d.value() * 2.0);

        let [v1, v2, a1, a2] = [r.motion(), r.motion(), r.motion(), r.motion()];
        let (v_wa, v_ah) = (CheckedMotion::new(&a, &w, &h, v1), CheckedMotion::new(&h, &a, &h, v2));
        let v_wh = v_wa.compose(&v_ah).unwrap();
        assert_eq!(v_wh, CheckedMotion::new(&h, &w, &h, v1 + v2));
        assert_eq!(v_wh.relative_to(&v_wa), Ok(CheckedMotion::new(&h, &a, &h, v1 + v2 - v1)));
        assert_eq!(v_wa.inverse(), CheckedMotion::new(&w, &a, &h, -v1));
        assert_eq!(x_ah.act(&v_wh), Ok(CheckedMotion::new(&h, &w, &a, y.act(v1 + v2))));
        let (a_wa, a_ah) = (CheckedAcceleration::new(&a, &w, &h, a1), CheckedAcceleration::new(&h, &a, &h, a2));
        let a_wh = a_wa.compose(&v_wa, &a_ah, &v_ah).unwrap();
        assert_eq!(a_wh, CheckedAcceleration::new(&h, &w, &h, a1 + a2 + v1.cross(v2)));
        // as the plain composition, in coordinates of the hand
        let plain = y.act(a1).composed_acceleration(y.act(v1), &y, v2, a2);
        assert_near(&a_wh.value().to_array(), &plain.to_array(), 10.0 * ROUNDING, "composed acceleration");

        let p_h = CheckedPoint::new(&h, r.vector());
        assert_eq!(v_wh.velocity_at(&p_h).unwrap().value(), (v1 + v2).velocity_at(p_h.value()));
        let expected = a_wh.value().acceleration_at(p_h.value(), v1 + v2);
        assert_eq!(a_wh.acceleration_at(&p_h, &v_wh).unwrap().value(), expected);

        let (f, g, m) = (r.force(), r.force(), r.inertia());
        let (f_h, g_h) = (CheckedForce::new(&h, &h, f), CheckedForce::new(&h, &h, g));
        assert_eq!(f_h.add(&g_h), Ok(CheckedForce::new(&h, &h, f + g)));
        assert_eq!(f_h.sub(&g_h), Ok(CheckedForce::new(&h, &h, f - g)));
        assert_eq!(f_h.reaction_on(&a), CheckedForce::new(&a, &h, -f));
        assert_eq!(v_wh.power(&f_h), Ok((v1 + v2).power(f)));
        assert_eq!(x_ah.act(&f_h), Ok(CheckedForce::new(&h, &a, y.act(f))));
        assert_eq!(x_ah.inv_act(&x_ah.act(&f_h).unwrap()).unwrap().expressed_in(), &h);

        let m_h = CheckedInertia::new(&h, &h, m);
        let h_wh = m_h.momentum(&v_wh).unwrap();
        assert_eq!(h_wh, CheckedMomentum::new(&h, &w, &h, m * (v1 + v2)));
        assert_eq!(h_wh.times_velocity(&v_wh), Ok((v1 + v2).power(m * (v1 + v2))));
        assert_eq!(
            h_wh.joined_with(&h_wh, &e).unwrap(),
            CheckedMomentum::new(&e, &w, &h, m * (v1 + v2) + m * (v1 + v2))
        );
        assert_eq!(x_ah.act(&h_wh), Ok(CheckedMomentum::new(&h, &w, &a, y.act(m * (v1 + v2)))));
        assert_eq!(m_h.center_of_mass(), CheckedPoint::new(&h, m.com));
        assert_eq!(m_h.kinetic_energy(&v_wh), Ok(m.kinetic_energy(v1 + v2)));
        let wrench = m.newton_euler(v1 + v2, a_wh.value());
        assert_eq!(m_h.newton_euler(&v_wh, &a_wh), Ok(CheckedForce::new(&h, &h, wrench)));
        assert_eq!(m_h.joined_with(&m_h).unwrap().value(), m + m);
        assert_eq!(x_ah.act(&m_h), Ok(CheckedInertia::new(&h, &a, y.act(m))));
    });
}

#[test]
fn a_pose_of_constants_carries_numbers_with_derivatives() {
    for_seeds(|r| {
        let [w, a, ..] = frames();
        let (x, v) = (r.transform(), r.motion().lift::<Dual64>().scale(Dual64::new(1.0, 1.0)));
        let v_a = CheckedMotion::new(&a, &w, &a, v);
        assert_eq!(CheckedTransform::new(&w, &a, x).act(&v_a).unwrap().value(), x.act(v));
    });
}

#[test]
fn mismatches_are_named() {
    let r = &mut Random::new(1);
    let [w, a, h, e] = frames();
    let pose = |a: &Frame, b: &Frame| CheckedTransform::new(a, b, gradyn::spatial::Transform::<f64>::identity());
    let text = |e: gradyn::spatial::checked::FrameMismatch| e.to_string();

    let (x_wa, x_he) = (pose(&w, &a), pose(&h, &e));
    let message = "compose: the left pose is of `arm`, but the right pose is measured in `hand`";
    assert_eq!(x_wa.compose(&x_he).map_err(text), Err(message.into()));
    let message = "inv_compose: the left pose is measured in `world`, but the right pose in `hand`";
    assert_eq!(x_wa.inv_compose(&x_he).map_err(text), Err(message.into()));

    let p = |f: &Frame| CheckedPoint::new(f, nalgebra::Vector3::new(1.0, 2.0, 3.0));
    let message = "act: the pose is of `arm`, but the quantity is expressed in `world`";
    assert_eq!(x_wa.act(&p(&w)).map_err(text), Err(message.into()));
    let message = "inv_act: the pose is measured in `world`, but the quantity is expressed in `arm`";
    assert_eq!(x_wa.inv_act(&p(&a)).map_err(text), Err(message.into()));
    let message = "sub: the left side is expressed in `arm`, but the right side in `hand`";
    assert_eq!(p(&a).sub(&p(&h)).map_err(text), Err(message.into()));
    let u = |f: &Frame| CheckedVector::new(f, nalgebra::Vector3::new(1.0, 2.0, 3.0));
    assert!(p(&a).add(&u(&h)).is_err() && u(&a).add(&u(&h)).is_err() && u(&a).dot(&u(&h)).is_err());

    let v = |body: &Frame, base: &Frame, frame: &Frame| CheckedMotion::new(body, base, frame, r_motion());
    let message = "compose: the left velocity is of `arm`, but the right one is measured in `hand`";
    assert_eq!(v(&a, &w, &h).compose(&v(&e, &h, &h)).map_err(text), Err(message.into()));
    let message = "compose: the left side is expressed in `hand`, but the right side in `arm`";
    assert_eq!(v(&a, &w, &h).compose(&v(&h, &a, &a)).map_err(text), Err(message.into()));
    let message = "relative_to: the left velocity is measured in `world`, but the right one in `arm`";
    assert_eq!(v(&h, &w, &h).relative_to(&v(&e, &a, &h)).map_err(text), Err(message.into()));
    assert!(v(&h, &w, &h).velocity_at(&p(&a)).is_err());

    let acceleration =
        |body: &Frame, base: &Frame, frame: &Frame| CheckedAcceleration::new(body, base, frame, r_motion());
    let message = "acceleration_at: the acceleration is measured in `world`, but the velocity in `arm`";
    let wrong = acceleration(&h, &w, &h).acceleration_at(&p(&h), &v(&h, &a, &h));
    assert_eq!(wrong.map_err(text), Err(message.into()));
    let chain = |v_wa, v_ah| acceleration(&a, &w, &h).compose(&v_wa, &acceleration(&h, &a, &h), &v_ah);
    assert!(chain(v(&a, &w, &h), v(&h, &a, &h)).is_ok());
    assert!(chain(v(&e, &w, &h), v(&h, &a, &h)).is_err());
    assert!(chain(v(&a, &w, &h), v(&h, &e, &h)).is_err());
    assert!(chain(v(&a, &w, &e), v(&h, &a, &h)).is_err());

    let f = |body: &Frame, frame: &Frame| CheckedForce::new(body, frame, gradyn::spatial::Force::<f64>::zero());
    let message = "power: the velocity is of `arm`, but the force acts on `hand`";
    assert_eq!(v(&a, &w, &h).power(&f(&h, &h)).map_err(text), Err(message.into()));
    let message = "add: the left force acts on `arm`, but the right one on `hand`";
    assert_eq!(f(&a, &w).add(&f(&h, &w)).map_err(text), Err(message.into()));
    assert!(f(&a, &w).sub(&f(&a, &h)).is_err());

    let m = CheckedInertia::new(&h, &h, r.inertia());
    let message = "momentum: the inertia is of `hand`, but the velocity is of `arm`";
    assert_eq!(m.momentum(&v(&a, &w, &h)).map_err(text), Err(message.into()));
    let message = "kinetic_energy: the inertia is expressed in `hand`, but the velocity in `arm`";
    assert_eq!(m.kinetic_energy(&v(&h, &w, &a)).map_err(text), Err(message.into()));
    assert!(m.newton_euler(&v(&h, &w, &h), &acceleration(&h, &a, &h)).is_err());
    assert!(m.joined_with(&CheckedInertia::new(&h, &w, r.inertia())).is_err());
}

fn r_motion() -> gradyn::spatial::Motion<f64> {
    Random::new(2).motion()
}

#[test]
fn frames_of_one_name_are_two_frames() {
    let (one, two) = (Frame::new("base"), Frame::new("base"));
    assert_ne!(one, two);
    assert_eq!(one, one.clone());
    assert_eq!(one.name(), "base");
    let x = CheckedTransform::new(&one, &one, gradyn::spatial::Transform::<f64>::identity());
    let error = x.act(&CheckedPoint::new(&two, nalgebra::Vector3::new(0.0, 0.0, 0.0))).unwrap_err();
    let message = "act: the pose is of `base`, but the quantity is expressed in `base`, another frame of this name";
    assert_eq!(error.to_string(), message);
    assert_eq!((error.operation, error.left, error.right), ("act", one, two));
}

#[test]
fn text_says_of_what_in_what() {
    let [w, a, h, _] = frames();
    let v = CheckedMotion::new(&h, &w, &a, gradyn::spatial::Motion::<f64>::zero());
    assert_eq!(v.to_string(), "velocity of hand in world, expressed in arm: linear [0, 0, 0], angular [0, 0, 0]");
    let f = CheckedForce::new(&h, &w, gradyn::spatial::Force::<f64>::zero());
    assert_eq!(f.to_string(), "wrench on hand, expressed in world: force [0, 0, 0], moment [0, 0, 0]");
}

/// The logarithm of a pose is a velocity with its frames, and its exponential the pose again, whichever of the two
/// frames has the coordinates.
#[test]
fn a_pose_and_its_logarithm_belong_together() {
    for_seeds(|r| {
        let [w, a, h, _] = frames();
        let x_wa = CheckedTransform::new(&w, &a, r.transform());
        let log = x_wa.log();
        assert_eq!((log.body(), log.base(), log.expressed_in()), (&a, &w, &a));
        assert_eq!(log.value(), gradyn::spatial::log6(&x_wa.value()));
        let again = CheckedTransform::exp(&log).unwrap();
        assert_eq!((again.reference(), again.frame()), (&w, &a));
        // Some hundred roundings: a logarithm near π loses half the digits of its axis.
        assert_near(again.value().rotation.as_slice(), x_wa.value().rotation.as_slice(), 1e-7, "exp log");
        // The adjoint of a displacement leaves its own velocity as it is.
        let in_w = x_wa.act(&log).unwrap();
        assert_near(&in_w.value().to_array(), &log.value().to_array(), 1e-6, "in the base");
        assert!(CheckedTransform::exp(&in_w).is_ok());
        let elsewhere = CheckedMotion::new(&a, &w, &h, log.value());
        let error = CheckedTransform::exp(&elsewhere).unwrap_err();
        assert_eq!(error.to_string(), "exp: the velocity is expressed in `hand`, but it is of `arm`");
    });
}

/// Jacobians and momentum matrices with frames are the plain ones, column by column, in any coordinates; wrenches go
/// back by the transpose.
#[test]
fn matrices_with_frames_multiply_as_the_plain_ones() {
    use nalgebra::{DVector, Matrix6xX, Vector6};
    for_seeds(|r| {
        let [w, a, h, e] = frames();
        let x_ah = CheckedTransform::new(&a, &h, r.transform());
        let columns: Vec<_> = (0..4).map(|_| Vector6::from_column_slice(&r.motion().to_array())).collect();
        let (plain, v) = (Matrix6xX::from_columns(&columns), [0.3, -1.2, 0.7, 2.0]);
        let product = |m: &Matrix6xX<f64>| (m * DVector::from_column_slice(&v)).as_slice().to_vec();

        let jacobian = CheckedJacobian::new(&h, &w, &h, plain.clone());
        let velocity = jacobian.times(&v).unwrap();
        assert_eq!((velocity.body(), velocity.base(), velocity.expressed_in()), (&h, &w, &h));
        assert_near(&velocity.value().to_array(), &product(&plain), 10.0 * ROUNDING, "J v");
        let in_a = x_ah.act(&jacobian).unwrap();
        let moved = x_ah.act(&velocity).unwrap();
        assert_near(&in_a.times(&v).unwrap().value().to_array(), &moved.value().to_array(), 50.0 * ROUNDING, "X J v");
        let back = x_ah.inv_act(&in_a).unwrap();
        assert_near(back.value().as_slice(), plain.as_slice(), 50.0 * ROUNDING, "back");
        let f = CheckedForce::new(&h, &h, r.force());
        let torques = jacobian.transpose_times(&f).unwrap();
        let power: f64 = torques.iter().zip(v).map(|(t, v)| t * v).sum();
        assert_near(&[power], &[velocity.power(&f).unwrap()], 50.0 * ROUNDING, "power");
        assert!(jacobian.transpose_times(&x_ah.act(&f).unwrap()).is_err());
        assert!(jacobian.transpose_times(&CheckedForce::new(&e, &h, f.value())).is_err());
        let error = jacobian.times(&v[..3]).unwrap_err().to_string();
        assert!(error.contains('3') && error.contains('4'), "{error}");

        let momenta = CheckedMomentumMatrix::new(&e, &w, &h, plain.clone());
        let momentum = momenta.times(&v).unwrap();
        assert_eq!((momentum.body(), momentum.base()), (&e, &w));
        assert_near(&momentum.value().to_array(), &product(&plain), 10.0 * ROUNDING, "A v");
        let (in_a, moved) = (x_ah.act(&momenta).unwrap(), x_ah.act(&momentum).unwrap());
        assert_near(&in_a.times(&v).unwrap().value().to_array(), &moved.value().to_array(), 50.0 * ROUNDING, "X* A v");
    });
}

/// What a body that moves sees of another: composition backwards; the plain form says the same.
#[test]
fn accelerations_relative_to_a_moving_body_compose_to_the_absolute_ones() {
    for_seeds(|r| {
        let [w, a, h, _] = frames();
        let [v1, v2, a1, a2] = [r.motion(), r.motion(), r.motion(), r.motion()];
        let (v_wa, v_ah) = (CheckedMotion::new(&a, &w, &h, v1), CheckedMotion::new(&h, &a, &h, v2));
        let (a_wa, a_ah) = (CheckedAcceleration::new(&a, &w, &h, a1), CheckedAcceleration::new(&h, &a, &h, a2));
        let (v_wh, a_wh) = (v_wa.compose(&v_ah).unwrap(), a_wa.compose(&v_wa, &a_ah, &v_ah).unwrap());
        let found = a_wh.relative_to(&v_wh, &a_wa, &v_wa).unwrap();
        assert_eq!((found.body(), found.base(), found.expressed_in()), (&h, &a, &h));
        assert_near(&found.value().to_array(), &a2.to_array(), 50.0 * ROUNDING, "relative acceleration");
        assert!(a_wh.relative_to(&v_wa, &a_wa, &v_wa).is_err());

        let x = r.transform();
        let whole = a1.composed_acceleration(v1, &x, v2, a2);
        let found = whole.acceleration_in_moving_frame(a1, v1, &x, v2);
        assert_near(&found.to_array(), &a2.to_array(), 50.0 * ROUNDING, "in a moving frame");
        // The classical acceleration at a point: shifted, and from the spatial one.
        let p = r.vector();
        let shifted = a1.classical(v1).shifted_classical(p, v1.angular);
        assert_near(shifted.linear.as_slice(), a1.acceleration_at(p, v1).as_slice(), 50.0 * ROUNDING, "shifted");
        assert_eq!(shifted.angular, a1.angular);
    });
}

/// Many points are each point by itself.
#[test]
fn points_go_column_by_column() {
    for_seeds(|r| {
        let x = r.transform();
        let points = nalgebra::Matrix3xX::from_columns(&[r.vector(), r.vector(), r.vector()]);
        let (moved, turned) = (x.points(&points), x.vectors(&points));
        for k in 0..3 {
            let p: nalgebra::Vector3<f64> = points.column(k).into();
            assert_eq!(moved.column(k), x.point(p));
            assert_eq!(turned.column(k), x.vector(p));
            assert_eq!(x.inv_points(&points).column(k), x.inv_point(p));
            assert_eq!(x.inv_vectors(&points).column(k), x.inv_vector(p));
        }
    });
}

/// A user's own code asks for one frame, and the error says which two there were.
#[test]
fn own_code_checks_frames() {
    fn meet(p: &Frame, q: &Frame) -> Result<(), FrameMismatch> {
        gradyn::framecheck!("meet", p, q);
        Ok(())
    }
    let [w, a, ..] = frames();
    assert_eq!(meet(&w, &w), Ok(()));
    assert_eq!(meet(&w, &a).unwrap_err().to_string(), "meet: p is `world`, but q is `arm`");
}
