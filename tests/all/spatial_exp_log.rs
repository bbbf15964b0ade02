//! Exponentials, logarithms and their Jacobians: values and derivatives at zero, near zero, near π and near 2π.
//!
//! The oracle is the power series of the matrix exponential over the same number type: a polynomial, whose derivatives
//! of every order are right by construction.

use crate::spatial_support::{ROUNDING, for_seeds};
use gradyn::spatial::se3::log6_with_time_derivative;
use gradyn::spatial::so3::{jexp3_left, jlog3_left, log3_with_time_derivative};
use gradyn::spatial::{
    Motion, Transform, exp3, exp6, jexp3, jexp6, jlog3, jlog6, log3, log6, matrix6, quaternion, vector as v3,
};
use gradyn_derivatives::num_dual::{Dual, Dual3, Dual64, HyperDual64, HyperHyperDual64};
use gradyn_derivatives::{Dual8, Real};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::f64::consts::PI;
use testing::{Random, assert_near, entries};

/// Angles where something could go wrong: zero, squares that vanish, the switch of Stumpff's functions at θ = 2, the
/// switch of the quaternion's branches, π, 2π.
const ANGLES: [f64; 24] = [
    0.0,
    1e-300,
    1e-200,
    1e-162,
    1e-154,
    1e-100,
    1e-20,
    1e-8,
    1e-5,
    1e-3,
    0.1,
    1.0,
    2.0 - 1e-9,
    2.0 + 1e-9,
    2.5,
    3.0,
    PI - 1e-3,
    PI - 1e-7,
    PI,
    PI + 1e-7,
    4.0,
    5.0,
    2.0 * PI - 1e-3,
    2.0 * PI,
];

/// Largest terms of the series are `θᵏ/k! < e^θ ≈ 540`, with the fourth derivative's factor `k⁴/θ⁴` some ten times
/// that: 540 × 10 × 1e-16 × a few sums.
const SERIES_TOLERANCE: f64 = 2e-11;

/// A value with three derivatives along one direction.
type D3 = Dual3<f64>;

/// All parts of a number: the value and its derivatives.
fn parts(x: D3) -> [f64; 4] {
    [x.re, x.v1, x.v2, x.v3]
}

fn all_parts<'a>(x: impl IntoIterator<Item = &'a D3>) -> Vec<f64> {
    x.into_iter().flat_map(|c| parts(*c)).collect()
}

fn pose_parts(x: &Transform<D3>) -> Vec<f64> {
    all_parts(x.rotation.iter().chain(x.translation.iter()))
}

fn motion_parts(m: Motion<D3>) -> Vec<f64> {
    all_parts(&m.to_array())
}

/// `Σ Aᵏ/k!` of the 4×4 matrix of a motion.
fn exp6_by_series<T: Real>(xi: Motion<T>) -> Transform<T> {
    let w = v3::skew(xi.angular);
    // [[R, p], [0, 1]] = 1 + A Σ, term by term: (Wᵏ, Wᵏ⁻¹ v)/k!
    let (mut rotation, mut translation) = (v3::identity::<T>(), v3::zero::<T>());
    let (mut r, mut p) = (v3::identity::<T>(), xi.linear);
    for k in 1..60 {
        let by = T::from(1.0 / f64::from(k));
        p = if k == 1 { p } else { v3::scale(by, v3::rotate(&w, p)) };
        r = v3::scale_matrix(by, &v3::product(&w, &r));
        rotation = v3::add_matrix(&rotation, &r);
        translation = v3::add(translation, p);
    }
    Transform::new(rotation, translation)
}

/// A way through the space of motions: at time zero turned by the angle, with random first to third derivatives.
fn way(r: &mut Random, angle: f64) -> Motion<D3> {
    let w = r.direction() * angle;
    let linear = Vector3::from_fn(|_, _| Dual3::new(r.number(), r.number(), r.number(), r.number()));
    let angular = Vector3::from_fn(|i, _| Dual3::new(w[i], r.number(), r.number(), r.number()));
    Motion::new(linear, angular)
}

/// A claim at every angle, for three seeds each.
fn everywhere(below: f64, claim: impl Fn(&mut Random, f64, &str)) {
    for (i, angle) in ANGLES.into_iter().enumerate().filter(|(_, angle)| *angle < below) {
        for seed in 0..3 {
            let seed = 100 * i as u64 + seed;
            claim(&mut Random::new(seed), angle, &format!("angle {angle:e}, seed {seed}"));
        }
    }
}

#[test]
fn exponential_is_the_power_series_to_the_third_derivative() {
    everywhere(7.0, |r, angle, case| {
        let xi = way(r, angle);
        let (got, expected) = (exp6(xi), exp6_by_series(xi));
        assert_near(&pose_parts(&got), &pose_parts(&expected), SERIES_TOLERANCE, case);
        let by_quaternion = quaternion::exp(xi.angular).rotation();
        assert_near(
            &all_parts(&by_quaternion),
            &all_parts(&expected.rotation),
            SERIES_TOLERANCE,
            format_args!("quat, {case}"),
        );
        assert_near(&all_parts(&exp3(xi.angular)), &all_parts(&expected.rotation), SERIES_TOLERANCE, case);
    });
}

#[test]
fn logarithm_undoes_the_exponential_to_the_third_derivative() {
    // at 1e-7 below π the two choices ±v are still told apart
    everywhere(PI - 1e-8, |r, angle, case| {
        let xi = way(r, angle);
        assert_near(&motion_parts(log6(&exp6(xi))), &motion_parts(xi), SERIES_TOLERANCE, case);
        assert_near(&all_parts(&quaternion::exp(xi.angular).log()), &all_parts(&xi.angular), SERIES_TOLERANCE, case);
        // the other sign, and another length, are the same rotation
        let other = quaternion::exp(xi.angular).scale(Dual3::from_re(-3.0));
        assert_near(&all_parts(&other.log()), &all_parts(&xi.angular), SERIES_TOLERANCE, format_args!("-3 q, {case}"));
    });
}

#[test]
fn exponential_undoes_the_logarithm_beyond_pi_too() {
    everywhere(7.0, |r, angle, case| {
        let x = exp6_by_series(way(r, angle));
        let xi = log6(&x);
        assert!(xi.angular.map(|c| c.re).norm() < PI + 1e-12, "{case}: longer than π");
        assert_near(&pose_parts(&exp6(xi)), &pose_parts(&x), SERIES_TOLERANCE, case);
        assert_near(&all_parts(&log3(&x.rotation)), &all_parts(&xi.angular), 0.0, case);
    });
}

/// A small motion comes back to its last digit, not only to rounding of one.
#[test]
fn logarithm_of_a_small_exponential_is_relatively_exact() {
    let mut r = Random::new(5);
    for angle in [1e-300, 1e-200, 1e-100, 1e-20, 1e-10, 1e-8, 1e-5, 1e-3] {
        let v = r.direction() * angle;
        let back = log3(&exp3(v)) / angle;
        assert_near(back.as_slice(), (v / angle).as_slice(), ROUNDING, format_args!("{angle:e}"));
        let back = quaternion::exp(v).log() / angle;
        assert_near(back.as_slice(), (v / angle).as_slice(), ROUNDING, format_args!("{angle:e}"));
    }
}

/// `x⁻¹ ∂x/∂ε` by dual numbers over the series, and three more derivatives of it along the way, is `J_r(ξ) ∂ξ/∂ε`.
#[test]
fn jacobian_is_the_derivative_of_the_exponential_to_its_third_derivative() {
    everywhere(7.0, |r, angle, case| {
        let xi = way(r, angle);
        let direction = r.motion();
        let seeded = |x: D3, d: f64| Dual::new(x, D3::from(d));
        let moved = Motion::from_array(std::array::from_fn(|i| seeded(xi.to_array()[i], direction.to_array()[i])));
        let x = exp6_by_series(moved);

        let (rotation, rate) = (x.rotation.map(|c| c.re), x.rotation.map(|c| c.eps));
        let w = v3::product_tr(&rotation, &rate);
        let linear = v3::rotate_back(&rotation, x.translation.map(|c| c.eps));
        let expected = Motion::new(linear, Vector3::new(w.m32, w.m13, w.m21));

        let got = Motion::from_vector6(&product(&jexp6(xi), direction.lift()));
        assert_near(&motion_parts(got), &motion_parts(expected), SERIES_TOLERANCE, case);

        // angular part alone, right and left
        let j = v3::rotate(&jexp3(xi.angular), v3::lift(direction.angular));
        assert_near(&all_parts(&j), &all_parts(&expected.angular), SERIES_TOLERANCE, case);
        let left = v3::rotate(&jexp3_left(xi.angular), v3::lift(direction.angular));
        let turned = v3::rotate(&rotation, expected.angular);
        assert_near(&all_parts(&left), &all_parts(&turned), SERIES_TOLERANCE, format_args!("left, {case}"));
    });
}

fn product(m: &Matrix6<D3>, x: Motion<D3>) -> nalgebra::Vector6<D3> {
    let x = x.to_array();
    nalgebra::Vector6::from_fn(|i, _| (0..6).fold(D3::from(0.0), |sum, j| sum + m[(i, j)] * x[j]))
}

#[test]
fn jacobian_of_the_logarithm_is_the_inverse_to_the_third_derivative() {
    // the inverse ends at 2π; at a distance of 1.3 from it, it and three derivatives are below 100
    everywhere(5.5, |r, angle, case| {
        let xi = way(r, angle);
        let (j, inverse) = (jexp6(xi), jlog6(xi));
        let one = Matrix6::from_fn(|i, k| (0..6).fold(D3::from(0.0), |sum, l| sum + inverse[(i, l)] * j[(l, k)]));
        assert_near(&all_parts(&one), &all_parts(&Matrix6::<f64>::identity().map(D3::from)), 1e-11, case);
        let one = Matrix3::<f64>::identity().map(D3::from);
        let right = v3::product(&jlog3(xi.angular), &jexp3(xi.angular));
        assert_near(&all_parts(&right), &all_parts(&one), 1e-11, case);
        let left = v3::product(&jlog3_left(xi.angular), &jexp3_left(xi.angular));
        assert_near(&all_parts(&left), &all_parts(&one), 1e-11, case);
    });
}

/// Near 2π the Jacobian is fine; its inverse grows and ends, without a panic.
#[test]
fn inverse_jacobian_grows_towards_two_pi() {
    for distance in [1e-1, 1e-2, 1e-3] {
        let xi = Motion::new(Vector3::new(0.3, 0.2, 0.1), Vector3::new(0.0, 0.6, 0.8) * (2.0 * PI - distance));
        let residual = jlog6(xi) * jexp6(xi) - Matrix6::identity();
        // entries of the inverse grow as 2π/distance², and roundings with them
        assert!(residual.amax() < 1e-14 * 100.0 / (distance * distance), "{distance}: {}", residual.amax());
    }
    let at = jlog6(Motion::new(Vector3::x(), Vector3::z() * (2.0 * PI)));
    assert!(at.amax() > 1e12 || !at.iter().all(|x| x.is_finite()), "{}", at.amax());
}

#[test]
fn rate_of_the_logarithm_is_its_derivative() {
    everywhere(PI - 1e-8, |r, angle, case| {
        let x0 = exp6(Motion::new(r.vector(), r.direction() * angle));
        let velocity = r.motion();
        let t = Dual64::new(0.0, 1.0);
        let x = x0.lift::<Dual64>() * exp6(velocity.lift::<Dual64>().scale(t));
        let expected = log6(&x).to_array();
        let (xi, rate) = log6_with_time_derivative(&x0, velocity);
        assert_near(&xi.to_array(), &expected.map(|c| c.re), ROUNDING, case);
        assert_near(&rate.to_array(), &expected.map(|c| c.eps), 10.0 * ROUNDING, format_args!("rate, {case}"));
        let (v, v_rate) = log3_with_time_derivative(&x0.rotation, velocity.angular);
        assert_near(v.as_slice(), xi.angular.as_slice(), ROUNDING, case);
        assert_near(v_rate.as_slice(), rate.angular.as_slice(), ROUNDING, case);
    });
}

/// Six directions at once, and second derivatives by other number types, agree with one direction at a time.
#[test]
fn number_types_agree() {
    everywhere(PI - 1e-8, |r, angle, case| {
        let xi = Motion::new(r.vector(), r.direction() * angle);
        let x = |k: usize| {
            let one = Motion::from_array(std::array::from_fn(|i| {
                Dual64::new(xi.to_array()[i], if i == k { 1.0 } else { 0.0 })
            }));
            (exp6(one), log6(&exp6(one)))
        };
        let eight = Motion::from_array(std::array::from_fn(|i| Dual8::variable(xi.to_array()[i], i)));
        let (x8, back8) = (exp6(eight), log6(&exp6(eight)));
        for k in 0..6 {
            let (x1, back1) = x(k);
            let got = x8.rotation.map(|c| c.eps.to_array()[k]);
            assert_near(
                got.as_slice(),
                x1.rotation.map(|c| c.eps).as_slice(),
                ROUNDING,
                format_args!("R, {k}, {case}"),
            );
            let got = x8.translation.map(|c| c.eps.to_array()[k]);
            assert_near(
                got.as_slice(),
                x1.translation.map(|c| c.eps).as_slice(),
                ROUNDING,
                format_args!("p, {k}, {case}"),
            );
            let got = back8.to_array().map(|c| c.eps.to_array()[k]);
            assert_near(&got, &back1.to_array().map(|c| c.eps), 10.0 * ROUNDING, format_args!("log, {k}, {case}"));
        }
        assert_near(&entries(&x8.map_value()), &entries(&exp6(xi)), ROUNDING, format_args!("value, {case}"));

        // mixed second and third derivatives of log ∘ exp vanish
        let d = [r.motion().to_array(), r.motion().to_array(), r.motion().to_array()];
        let second =
            Motion::from_array(std::array::from_fn(|i| HyperDual64::new(xi.to_array()[i], d[0][i], d[1][i], 0.0)));
        let back = log6(&exp6(second)).to_array();
        assert_near(&back.map(|c| c.eps1), &d[0], SERIES_TOLERANCE, format_args!("first, {case}"));
        assert_near(&back.map(|c| c.eps2), &d[1], SERIES_TOLERANCE, format_args!("first, {case}"));
        assert_near(&back.map(|c| c.eps1eps2), &[0.0; 6], SERIES_TOLERANCE, format_args!("second, {case}"));
        let third = Motion::from_array(std::array::from_fn(|i| {
            HyperHyperDual64::new(xi.to_array()[i], d[0][i], d[1][i], d[2][i], 0.0, 0.0, 0.0, 0.0)
        }));
        let back = log6(&exp6(third)).to_array();
        assert_near(&back.map(|c| c.eps3), &d[2], SERIES_TOLERANCE, format_args!("first, {case}"));
        assert_near(&back.map(|c| c.eps1eps2eps3), &[0.0; 6], SERIES_TOLERANCE, format_args!("third, {case}"));
    });
}

/// The value of a pose over the register's dual numbers.
trait MapValue {
    fn map_value(&self) -> Transform<f64>;
}
impl MapValue for Transform<Dual8> {
    fn map_value(&self) -> Transform<f64> {
        Transform::new(self.rotation.map(|c| c.value()), self.translation.map(|c| c.value()))
    }
}

#[test]
fn left_and_right_jacobians_differ_by_the_adjoint() {
    for_seeds(|r| {
        let xi = r.motion();
        let left = jexp6(-xi);
        let expected = exp6(xi).action() * jexp6(xi);
        assert_near(left.as_slice(), expected.as_slice(), ROUNDING, "J_l = Ad(exp ξ) J_r");
        let blocks = matrix6::to_blocks(&jlog6(xi));
        assert_eq!(blocks[0], blocks[3]);
        assert_eq!(blocks[2], Matrix3::zeros());
    });
}
