//! Pendulum and double pendulum, in closed forms derived by hand.
//!
//! Both swing about y in the plane y = 0, hanging straight down at q = 0; the second angle is relative to the first
//! rod. With the masses m, lengths l, distances c of the mass centers and inertias I (about them) of `robots/*.urdf`:
//!
//! ```text
//! one rod:    L = ½ (I + m c²) v² + m g c cos q
//! two rods:   L = ½ I₁ v₁² + ½ m₁ c₁² v₁² + ½ I₂ (v₁ + v₂)²
//!               + ½ m₂ (l₁² v₁² + c₂² (v₁ + v₂)² + 2 l₁ c₂ cos q₂ v₁ (v₁ + v₂))
//!               + m₁ g c₁ cos q₁ + m₂ g (l₁ cos q₁ + c₂ cos(q₁ + q₂))
//! ```
//!
//! and `τ = d/dt ∂L/∂v − ∂L/∂q`.

use gradyn::dynamics::{Workspace, forward_kinematics};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn_derivatives::num_dual::{Dual, Dual64};
use nalgebra::Matrix2;
use testing::{assert_near, dual, lift, rng, robot, uniform};

/// Some ten roundings of torques up to 40 N m, relative.
const ROUNDING: f64 = 1e-14;
const G: f64 = 9.81;

fn load(name: &str) -> Model {
    robot(name, &UrdfOptions::new().strict(false))
}

/// Row by row.
fn rows(m: &nalgebra::DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

#[test]
fn a_pendulum_has_its_closed_form_and_its_derivatives() {
    let model = load("pendulum");
    let (m, c, i) = (2.0, 0.5, 0.1);
    let (inertia, weight) = (i + m * c * c, m * G * c);
    let mut ws = DerivativeWorkspace::new(&model);
    let rng = &mut rng(1);
    for sample in 0..50 {
        let (q, v, a) = (uniform(rng) * 6.0, uniform(rng) * 5.0, uniform(rng) * 5.0);
        let what = format!("sample {sample}, q = {q}");
        let d = rnea_derivatives(&model, &mut ws, Method::Dual, &[q], &[v], &[a], &[]).expect("runs");
        assert_near(d.tau.as_slice(), &[inertia * a + weight * q.sin()], ROUNDING, format!("{what}: tau"));
        assert_near(d.dtau_dq.as_slice(), &[weight * q.cos()], ROUNDING, format!("{what}: dtau_dq"));
        assert_near(d.dtau_dv.as_slice(), &[0.0], ROUNDING, format!("{what}: dtau_dv"));
        assert_near(d.dtau_da.as_slice(), &[inertia], ROUNDING, format!("{what}: dtau_da"));

        // d²τ/dq² = −m g c sin q
        let q2 = Dual::new(Dual64::new(q, 1.0), Dual64::from(1.0));
        let tau = once::rnea(&model, &[q2], &lift(&[v]), &lift(&[a]), &[]).expect("runs")[0];
        assert_near(&[tau.eps.eps], &[-weight * q.sin()], ROUNDING, format!("{what}: second derivative"));

        let mut ws = Workspace::new(&model);
        let kinematics = forward_kinematics(&model, &mut ws, &[q], &[v], &[a]).expect("runs");
        let tip = kinematics.frame_pose(model.find_frame("tip").expect("is there")).expect("is there").translation;
        assert_near(tip.as_slice(), &[-q.sin(), 0.0, -q.cos()], ROUNDING, format!("{what}: tip"));
    }
}

#[test]
fn a_double_pendulum_has_its_closed_form_and_its_derivatives() {
    let model = load("double_pendulum");
    let (m1, l1, c1, i1) = (2.0, 1.0, 0.5, 0.1);
    let (m2, l2, c2, i2) = (1.0, 1.0, 0.6, 0.05);
    let h = m2 * l1 * c2;
    let (g1, g2) = (G * (m1 * c1 + m2 * l1), G * m2 * c2);
    let mut ws = DerivativeWorkspace::new(&model);
    let rng = &mut rng(2);
    for sample in 0..50 {
        let mut pair = |scale: f64| [uniform(rng) * scale, uniform(rng) * scale];
        let (q, v, a) = (pair(6.0), pair(3.0), pair(3.0));
        let what = format!("sample {sample}, q = {q:?}, v = {v:?}, a = {a:?}");
        let ((s2, cos2), (s12, c12)) = (q[1].sin_cos(), (q[0] + q[1]).sin_cos());
        let m11 = i1 + m1 * c1 * c1 + i2 + m2 * (l1 * l1 + c2 * c2) + 2.0 * h * cos2;
        let m12 = i2 + m2 * c2 * c2 + h * cos2;
        let m22 = i2 + m2 * c2 * c2;
        let v12 = 2.0 * v[0] * v[1] + v[1] * v[1];
        let tau = [
            m11 * a[0] + m12 * a[1] - h * s2 * v12 + g1 * q[0].sin() + g2 * s12,
            m12 * a[0] + m22 * a[1] + h * s2 * v[0] * v[0] + g2 * s12,
        ];
        // ∂/∂q₁ moves weights alone, ∂/∂q₂ the masses' distances too.
        let by_q = [
            g1 * q[0].cos() + g2 * c12,
            -h * s2 * (2.0 * a[0] + a[1]) - h * cos2 * v12 + g2 * c12,
            g2 * c12,
            -h * s2 * a[0] + h * cos2 * v[0] * v[0] + g2 * c12,
        ];
        let by_v = [-2.0 * h * s2 * v[1], -2.0 * h * s2 * (v[0] + v[1]), 2.0 * h * s2 * v[0], 0.0];

        let d = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &[]).expect("runs");
        assert_near(d.tau.as_slice(), &tau, ROUNDING, format!("{what}: tau"));
        assert_near(&rows(&d.dtau_dq), &by_q, ROUNDING, format!("{what}: dtau_dq"));
        assert_near(&rows(&d.dtau_dv), &by_v, ROUNDING, format!("{what}: dtau_dv"));
        assert_near(
            &rows(&d.dtau_da),
            Matrix2::new(m11, m12, m12, m22).as_slice(),
            ROUNDING,
            format!("{what}: dtau_da"),
        );

        // ∂²τ₁/∂q₂∂v₂ = −2 h cos q₂ (v₁ + v₂), ∂²τ₂/∂q₂∂v₂ = 0
        let (one, zero) = (Dual64::from(1.0), Dual64::from(0.0));
        let q_varied = [Dual::new(q[0].into(), zero), Dual::new(Dual64::new(q[1], 1.0), zero)];
        let v_varied = [Dual::new(v[0].into(), zero), Dual::new(v[1].into(), one)];
        let found = once::rnea(&model, &q_varied, &v_varied, &lift(&a), &[]).expect("runs");
        let found = [found[0].eps.eps, found[1].eps.eps];
        assert_near(&found, &[-2.0 * h * cos2 * (v[0] + v[1]), 0.0], ROUNDING, format!("{what}: second derivative"));

        let mut ws = Workspace::new(&model);
        let (q, v, a) = (dual(&q, &v), lift(&v), lift(&a));
        let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("runs");
        let tip = kinematics.frame_pose(model.find_frame("tip").expect("is there")).expect("is there").translation;
        let (s1, c1) = q[0].re.sin_cos();
        let place = [-l1 * s1 - l2 * s12, 0.0, -l1 * c1 - l2 * c12];
        assert_near(tip.map(|x| x.re).as_slice(), &place, ROUNDING, format!("{what}: tip"));
        let turn = v[0].re + v[1].re;
        let rate = [-l1 * c1 * v[0].re - l2 * c12 * turn, 0.0, l1 * s1 * v[0].re + l2 * s12 * turn];
        assert_near(tip.map(|x| x.eps).as_slice(), &rate, ROUNDING, format!("{what}: tip's rate"));
    }
}
