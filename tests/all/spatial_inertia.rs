//! Inertias: forms, sums, shapes, validity, rates of change.

use crate::spatial_support::{ROUNDING, for_seeds, times};
use approx::{assert_abs_diff_eq, assert_relative_eq};
use gradyn::spatial::{BodyCoriolis, Inertia, InertiaAboutOrigin, InertiaError, Motion, Symmetric3, exp6};
use gradyn_derivatives::Dual8;
use gradyn_derivatives::num_dual::{Dual64, HyperDual64};
use nalgebra::{Matrix3, Matrix4, Matrix6, Vector3, Vector6};
use std::f64::consts::PI;
use testing::{Random, assert_near};

/// Random inertias have moments of some ten, and sums of ten products.
const TOLERANCE: f64 = 20.0 * ROUNDING;

/// Point masses.
fn cloud(r: &mut Random) -> Vec<(f64, Vector3<f64>)> {
    (0..6).map(|_| (1.1 + r.number(), r.vector())).collect()
}

/// By the definition: `Σ m |p|² 1 − p pᵀ` about a point.
fn moments_of(cloud: &[(f64, Vector3<f64>)], about: Vector3<f64>) -> Matrix3<f64> {
    let one = |m: f64, d: Vector3<f64>| (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * m;
    cloud.iter().map(|&(m, p)| one(m, p - about)).sum()
}

fn sum_of_points(cloud: &[(f64, Vector3<f64>)]) -> Inertia<f64> {
    cloud.iter().fold(Inertia::zero(), |y, &(m, p)| y + Inertia::point_mass(m, p).unwrap())
}

#[test]
fn sum_of_point_masses_is_the_definition_about_any_point() {
    for_seeds(|r| {
        let points = cloud(r);
        let y = sum_of_points(&points);
        let mass: f64 = points.iter().map(|(m, _)| m).sum();
        let com = points.iter().map(|(m, p)| p * *m).sum::<Vector3<f64>>() / mass;
        assert_near(&[y.mass], &[mass], TOLERANCE, "mass");
        assert_near(y.com.as_slice(), com.as_slice(), TOLERANCE, "mass center");
        assert_near(
            y.rotational.matrix().as_slice(),
            moments_of(&points, com).as_slice(),
            TOLERANCE,
            "about the mass center",
        );
        let p = r.vector();
        assert_near(
            y.rotational_about(p).matrix().as_slice(),
            moments_of(&points, p).as_slice(),
            TOLERANCE,
            "about a point",
        );
        let origin = moments_of(&points, Vector3::zeros());
        assert_near(y.moment_about_origin().matrix().as_slice(), origin.as_slice(), TOLERANCE, "about the origin");
        assert_relative_eq!(Inertia::about_origin(y.mass, y.com, y.moment_about_origin()), y, epsilon = TOLERANCE);
        assert_relative_eq!(y.shifted(p).moment_about_origin(), y.rotational_about(p), epsilon = TOLERANCE);
        assert_near(y.first_moment().as_slice(), (com * mass).as_slice(), TOLERANCE, "first moment");
        assert_relative_eq!(Inertia::from_unit(y.mass, y.com, y.unit_rotational()), y, epsilon = TOLERANCE);
        assert_eq!(y.validity(), Ok(()));
    });
}

#[test]
fn sum_of_inertias_is_the_sum_of_their_matrices() {
    for_seeds(|r| {
        let (a, b) = (r.inertia(), r.inertia());
        assert_near((a + b).matrix6().as_slice(), (a.matrix6() + b.matrix6()).as_slice(), TOLERANCE, "a + b");
        assert_eq!(a + Inertia::zero(), a);
        assert_relative_eq!(Inertia::zero() + a, a, epsilon = ROUNDING);
        let mut c = a;
        c += b;
        assert_eq!(c, a + b);
    });
}

#[test]
fn sum_without_mass_is_finite() {
    let rotor = Inertia::new(0.0, Vector3::new(1.0, 2.0, 3.0), Symmetric3::diagonal(1.0, 2.0, 3.0));
    let sum = rotor + rotor;
    assert_eq!(sum, Inertia::new(0.0, rotor.com, Symmetric3::diagonal(2.0, 4.0, 6.0)));
    let none = Inertia::<f64>::zero();
    assert_eq!(none + none, none);
    // derivatives too
    let lifted = none + none.lift::<Dual64>();
    assert!(lifted.to_parameters().iter().all(|x: &Dual64| x.re.is_finite() && x.eps.is_finite()));
    assert_eq!(rotor.unit_rotational(), rotor.rotational);
}

#[test]
fn forms_go_both_ways() {
    for_seeds(|r| {
        let y = r.inertia();
        let back = Inertia::try_from_parameters(y.to_parameters()).unwrap();
        assert_relative_eq!(back, y, epsilon = TOLERANCE);
        assert_relative_eq!(Inertia::from_matrix6(&y.matrix6()).unwrap(), y, epsilon = TOLERANCE);
        assert_relative_eq!(Inertia::from_pseudo_inertia(&y.pseudo_inertia()).unwrap(), y, epsilon = TOLERANCE);
    });
    // the order, by hand: 2 kg at (1, 2, 3), no extent
    let y = Inertia::point_mass(2.0, Vector3::new(1.0, 2.0, 3.0)).unwrap();
    let expected = [2.0, 2.0, 4.0, 6.0, 26.0, -4.0, 20.0, -6.0, -12.0, 10.0];
    assert_near(&y.to_parameters(), &expected, 0.0, "small integers");
    assert_eq!(Inertia::try_from_parameters([0.0; 10]), Ok(Inertia::zero()));
    let rotor = Inertia::from_parameters([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rotor, Inertia::new(0.0, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0)));
}

#[test]
fn pseudo_inertia_sums_positions() {
    for_seeds(|r| {
        let points = cloud(r);
        let expected: Matrix4<f64> = points.iter().map(|(m, p)| p.push(1.0) * p.push(1.0).transpose() * *m).sum();
        assert_near(
            sum_of_points(&points).pseudo_inertia().as_slice(),
            expected.as_slice(),
            TOLERANCE,
            "Σ m [p; 1][p; 1]ᵀ",
        );
    });
}

#[test]
fn products_are_those_of_the_matrix() {
    for_seeds(|r| {
        let (y, v, a, x) = (r.inertia(), r.motion(), r.motion(), r.transform());
        let m = y.matrix6();
        assert_near(m.as_slice(), m.transpose().as_slice(), 0.0, "symmetric");
        let momentum = times(&m, v.to_array());
        assert_near(&(y * v).to_array(), &momentum, TOLERANCE, "Y v");
        assert_near(&y.momentum(v).to_array(), &momentum, TOLERANCE, "momentum");
        assert_near(
            &[y.kinetic_energy(v)],
            &[0.5 * v.to_vector6().dot(&Vector6::from(momentum))],
            TOLERANCE,
            "½ vᵀ Y v",
        );
        let wrench = m * a.to_vector6() + v.cross_force_matrix() * m * v.to_vector6();
        assert_near(&y.newton_euler(v, a).to_array(), wrench.as_slice(), TOLERANCE, "Y a + v ×* Y v");
        // X* Y X⁻¹
        let moved = x.dual_action() * m * x.inv_action();
        assert_near(x.act(y).matrix6().as_slice(), moved.as_slice(), TOLERANCE, "moved");
        let moved = x.inv_dual_action() * m * x.action();
        assert_near(x.inv_act(y).matrix6().as_slice(), moved.as_slice(), TOLERANCE, "moved back");
        assert_near(&[x.act(y).kinetic_energy(x.act(v))], &[y.kinetic_energy(v)], TOLERANCE, "energy in another frame");
    });
}

#[test]
fn kinetic_energy_of_point_masses_is_the_definition() {
    for_seeds(|r| {
        let (points, v) = (cloud(r), r.motion());
        let expected: f64 = points.iter().map(|(m, p)| 0.5 * m * v.velocity_at(*p).norm_squared()).sum();
        assert_near(&[sum_of_points(&points).kinetic_energy(v)], &[expected], TOLERANCE, "½ Σ m |v|²");
    });
}

#[test]
fn variation_is_the_rate_of_a_moving_inertia() {
    for_seeds(|r| {
        let (y, v, x) = (r.inertia(), r.motion(), r.transform());
        let m = y.matrix6();
        let expected = v.cross_force_matrix() * m - m * v.cross_matrix();
        assert_near(y.variation(v).as_slice(), expected.as_slice(), TOLERANCE, "v×* Y − Y v×");
        // body fixed at B, B moving with v in W: d/dt of the inertia in W
        let moving = x.lift::<Dual64>() * exp6(v.lift::<Dual64>().scale(Dual64::new(0.0, 1.0)));
        let rate = moving.act(y.lift::<Dual64>()).matrix6().map(|c| c.eps);
        let in_world = x.act(y).variation(x.act(v));
        assert_near(in_world.as_slice(), rate.as_slice(), 10.0 * TOLERANCE, "d/dt");
    });
}

#[test]
fn body_coriolis_is_its_definition() {
    for_seeds(|r| {
        let (y, v, m) = (r.inertia(), r.motion(), r.motion());
        let matrix = y.matrix6();
        let rate = v.cross_force_matrix() * matrix - matrix * v.cross_matrix();
        let expected = rate + (y * v).bar_cross_matrix();
        let b = y.body_coriolis(v);
        assert_near(b.matrix6().as_slice(), expected.as_slice(), TOLERANCE, "B");
        assert_near(y.body_coriolis_matrix(v).as_slice(), b.matrix6().as_slice(), 0.0, "matrix");
        assert_near(&b.times(m).to_array(), &times(&expected, m.to_array()), TOLERANCE, "B m");
        assert_near(&b.tr_times(m).to_array(), &times(&expected.transpose(), m.to_array()), TOLERANCE, "Bᵀ m");
        assert_near(&b.times(v).to_array(), &(v.cross_force(y * v) * 2.0).to_array(), TOLERANCE, "½ B v = v ×* Y v");
        let twice_rate = expected + expected.transpose();
        assert_near(twice_rate.as_slice(), (rate * 2.0).as_slice(), TOLERANCE, "½ (B + Bᵀ) = Ẏ");

        let z = r.inertia();
        let mut sum = y.body_coriolis(v) + z.body_coriolis(v);
        assert_near(
            sum.matrix6().as_slice(),
            (y + z).body_coriolis_matrix(v).as_slice(),
            TOLERANCE,
            "sum of two bodies",
        );
        sum += BodyCoriolis::zero();
        // over dual velocities
        let moving = v.lift::<Dual64>() + m.lift::<Dual64>().scale(Dual64::new(0.0, 1.0));
        let rate = y.body_coriolis(moving).matrix6().map(|c| c.eps);
        assert_near(rate.as_slice(), y.body_coriolis_matrix(m).as_slice(), TOLERANCE, "linear in v");
    });
}

/// The form about the origin is the same inertia: momentum, forces, Coriolis matrix and sums.
#[test]
fn inertia_about_the_origin_is_the_same_inertia() {
    for_seeds(|r| {
        let (y, z, v, a) = (r.inertia(), r.inertia(), r.motion(), r.motion());
        let o = InertiaAboutOrigin::from(y);
        assert_near(&(o * a).to_array(), &(y * a).to_array(), TOLERANCE, "Y a");
        assert_near(
            &o.newton_euler(v, o * v, a).to_array(),
            &y.newton_euler(v, a).to_array(),
            TOLERANCE,
            "Y a + v ×* Y v",
        );
        let b = o.body_coriolis(v, o * v).matrix6();
        assert_near(b.as_slice(), y.body_coriolis_matrix(v).as_slice(), TOLERANCE, "B");
        let mut sum = InertiaAboutOrigin::zero() + o;
        sum += InertiaAboutOrigin::from(z);
        assert_near(&(sum * a).to_array(), &((y + z) * a).to_array(), TOLERANCE, "sum of two bodies");
    });
}

#[test]
fn principal_moments_and_axes_are_the_eigensystem() {
    for_seeds(|r| {
        let moments = [1.1 + r.number(), 1.1 + r.number(), 1.1 + r.number()];
        let rotation = r.rotation();
        let y =
            Inertia::new(1.0, r.vector(), Symmetric3::diagonal(moments[0], moments[1], moments[2]).rotated(&rotation));
        let principal = y.principal().unwrap();
        let mut sorted = moments;
        sorted.sort_by(f64::total_cmp);
        assert_near(&principal.moments, &sorted, ROUNDING, "moments");
        let axes = principal.axes;
        assert_near((axes.transpose() * axes).as_slice(), Matrix3::identity().as_slice(), ROUNDING, "orthonormal");
        assert_near(&[axes.determinant()], &[1.0], ROUNDING, "right-handed");
        let again = axes * Matrix3::from_diagonal(&Vector3::from(principal.moments)) * axes.transpose();
        assert_near(again.as_slice(), y.rotational.matrix().as_slice(), ROUNDING, "A D Aᵀ");
        assert_relative_eq!(y.rotational.rotated(&rotation).rotated_back(&rotation), y.rotational, epsilon = ROUNDING);
    });
    // repeated, zero, tiny and huge moments
    for scale in [0.0, 1e-300, 1e-20, 1.0, 1e300] {
        let s = Symmetric3::diagonal(2.0, 1.0, 2.0).rotated(&Random::new(3).rotation()).scale(scale);
        let (moments, _) = s.eigen();
        let unit = if scale > 0.0 { scale } else { 1.0 };
        assert_near(&moments.map(|m| m / unit), &[1.0, 2.0, 2.0].map(|m| m * scale / unit), ROUNDING, scale);
    }
}

#[test]
fn impossible_inertias_are_refused_with_the_reason() {
    let of = |mass, [xx, yy, zz]: [f64; 3]| {
        Inertia::new(mass, Vector3::zeros(), Symmetric3::diagonal(xx, yy, zz)).validity()
    };
    assert_eq!(of(1.0, [1.0, 1.0, 2.0]), Ok(()), "a plate is on the boundary");
    assert_eq!(of(1.0, [0.0; 3]), Ok(()), "a point mass");
    assert_eq!(of(0.0, [0.0; 3]), Ok(()), "no body at all");
    assert_eq!(of(-1.0, [1.0; 3]), Err(InertiaError::NegativeMass { mass: -1.0 }));
    assert_eq!(of(1.0, [-1.0, 2.0, 2.0]), Err(InertiaError::NotPositive { moments: [-1.0, 2.0, 2.0] }));
    assert_eq!(of(1.0, [3.0, 1.0, 1.0]), Err(InertiaError::TriangleInequality { moments: [1.0, 1.0, 3.0] }));
    assert_eq!(of(0.0, [1.0; 3]), Err(InertiaError::MasslessRotational { moments: [1.0; 3] }));
    for (mass, moment) in [(f64::NAN, 1.0), (1.0, f64::INFINITY), (1.0, f64::NAN)] {
        assert!(matches!(of(mass, [moment; 3]), Err(InertiaError::NotFinite { .. })));
    }
    // the diagonal alone is fine, the principal moments are not
    let skewed = Inertia::new(1.0, Vector3::zeros(), Symmetric3::new(1.0, 0.9, 0.0, 1.0, 0.0, 1.0));
    let Err(InertiaError::TriangleInequality { moments }) = skewed.validity() else {
        panic!("{:?}", skewed.validity())
    };
    assert_near(&moments, &[0.1, 1.0, 1.9], ROUNDING, "moments listed");
    let message = of(1.0, [3.0, 1.0, 1.0]).unwrap_err().to_string();
    assert_eq!(message, "inertia: principal moments [1.0, 1.0, 3.0] kg m² break the triangle inequality");

    let parameters = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let first_moment = [1.0, 0.0, 0.0];
    assert_eq!(Inertia::try_from_parameters(parameters), Err(InertiaError::MasslessFirstMoment { first_moment }));
    // 1 kg at 1 m needs 1 kg m² about the origin
    let short = Inertia::try_from_parameters([1.0, 1.0, 0.0, 0.0, 0.1, 0.0, 0.5, 0.0, 0.0, 0.5]);
    assert!(matches!(short, Err(InertiaError::NotPositive { .. })), "{short:?}");
}

#[test]
fn matrices_off_the_pattern_are_refused_with_the_entry() {
    let y = Random::new(7).inertia();
    for (i, j) in [(0, 0), (0, 1), (0, 3), (1, 3), (4, 2), (5, 3)] {
        let mut m = y.matrix6();
        m[(i, j)] += 0.1;
        let error = Inertia::from_matrix6(&m).unwrap_err();
        assert!(matches!(error, InertiaError::NotAnInertiaMatrix { .. }), "({i}, {j}): {error}");
    }
    let mut m = y.matrix6();
    m[(0, 1)] = 0.5;
    let message = Inertia::from_matrix6(&m).unwrap_err().to_string();
    assert_eq!(message, "inertia matrix: entry (0, 1), counted from zero, is 0.5 where the pattern asks for 0");
    let mut p = y.pseudo_inertia();
    p[(0, 3)] += 0.1;
    assert!(matches!(Inertia::from_pseudo_inertia(&p), Err(InertiaError::NotAnInertiaMatrix { .. })));
    for i in [f64::NAN, f64::INFINITY] {
        assert!(Inertia::from_matrix6(&Matrix6::from_element(i)).is_err());
        assert!(Inertia::from_pseudo_inertia(&Matrix4::from_element(i)).is_err());
    }
}

/// Three-point Gauss–Legendre on `[a, b]`: exact to degree five, and no integrand below has a higher one.
fn gauss(a: f64, b: f64) -> [(f64, f64); 3] {
    let (center, half, node) = ((a + b) / 2.0, (b - a) / 2.0, 0.6_f64.sqrt());
    [(center - half * node, half * 5.0 / 9.0), (center, half * 8.0 / 9.0), (center + half * node, half * 5.0 / 9.0)]
}

/// Inertia of a set of weighted points, brought to the mass asked for.
fn of_density(mass: f64, points: Vec<(f64, Vector3<f64>)>) -> Inertia<f64> {
    let volume: f64 = points.iter().map(|(w, _)| w).sum();
    sum_of_points(&points.into_iter().map(|(w, p)| (w * mass / volume, p)).collect::<Vec<_>>())
}

/// Points of a solid of revolution about z: radii from zero to `radius(z)`.
fn revolved(heights: &[(f64, f64)], radius: impl Fn(f64) -> f64) -> Vec<(f64, Vector3<f64>)> {
    let mut points = Vec::new();
    for &(z, wz) in heights {
        for (r, wr) in gauss(0.0, radius(z)) {
            // eight directions: exact for the second harmonics in x², x y, y²
            for k in 0..8 {
                let (sin, cos) = (f64::from(k) * PI / 4.0).sin_cos();
                points.push((wz * wr * r, Vector3::new(r * cos, r * sin, z)));
            }
        }
    }
    points
}

#[test]
fn shapes_are_their_volume_integrals() {
    let (m, a, b, c) = (2.5, 0.3, 0.7, 1.1);

    let mut points = Vec::new();
    for (x, wx) in gauss(-a / 2.0, a / 2.0) {
        for (y, wy) in gauss(-b / 2.0, b / 2.0) {
            points.extend(gauss(-c / 2.0, c / 2.0).map(|(z, wz)| (wx * wy * wz, Vector3::new(x, y, z))));
        }
    }
    let box_ = Inertia::solid_box(m, [a, b, c]).unwrap();
    assert_abs_diff_eq!(box_, of_density(m, points), epsilon = ROUNDING);

    let cylinder = Inertia::solid_cylinder(m, a, b).unwrap();
    assert_abs_diff_eq!(cylinder, of_density(m, revolved(&gauss(-b / 2.0, b / 2.0), |_| a)), epsilon = ROUNDING);

    // integrands in z: r², r⁴ and z² r², of degree four at most
    let ball = revolved(&gauss(-1.0, 1.0), |z| (1.0 - z * z).sqrt());
    let scaled = |s: [f64; 3]| ball.iter().map(|(w, p)| (*w, p.component_mul(&Vector3::from(s)))).collect::<Vec<_>>();
    assert_abs_diff_eq!(Inertia::solid_sphere(m, b).unwrap(), of_density(m, scaled([b; 3])), epsilon = ROUNDING);
    let ellipsoid = Inertia::solid_ellipsoid(m, [a, b, c]).unwrap();
    assert_abs_diff_eq!(ellipsoid, of_density(m, scaled([a, b, c])), epsilon = ROUNDING);

    let round = |z: f64| (a * a - z * z).max(0.0).sqrt();
    let mut points = revolved(&gauss(-b / 2.0, b / 2.0), |_| a);
    points.extend(revolved(&gauss(0.0, a), round).into_iter().map(|(w, p)| (w, p + Vector3::z() * (b / 2.0))));
    points.extend(revolved(&gauss(-a, 0.0), round).into_iter().map(|(w, p)| (w, p - Vector3::z() * (b / 2.0))));
    assert_abs_diff_eq!(Inertia::solid_capsule(m, a, b).unwrap(), of_density(m, points), epsilon = ROUNDING);

    let rod = gauss(-c / 2.0, c / 2.0).map(|(z, w)| (w, Vector3::z() * z)).to_vec();
    assert_abs_diff_eq!(Inertia::thin_rod(m, c).unwrap(), of_density(m, rod), epsilon = ROUNDING);

    // four points integrate degree two over a tetrahedron exactly: barycentric (a, b, b, b)
    let corners = [[0.1, 0.2, 0.3], [1.1, 0.0, 0.4], [0.2, 0.9, 0.1], [0.3, 0.4, 1.4]].map(Vector3::from);
    let (far, near) = (0.585_410_196_624_968_5, 0.138_196_601_125_010_5); // (5 + 3√5)/20, (5 − √5)/20
    let center: Vector3<f64> = corners.iter().sum();
    let points = corners.map(|p| (1.0, p * (far - near) + center * near)).to_vec();
    let tetrahedron = Inertia::solid_tetrahedron(m, corners).unwrap();
    assert_abs_diff_eq!(tetrahedron, of_density(m, points), epsilon = ROUNDING);

    // a shell has equal area between heights
    let mut points = Vec::new();
    for (z, w) in gauss(-1.0, 1.0) {
        for k in 0..8 {
            let (sin, cos) = (f64::from(k) * PI / 4.0).sin_cos();
            let r = (1.0 - z * z).sqrt();
            points.push((w, Vector3::new(r * cos, r * sin, z) * b));
        }
    }
    assert_abs_diff_eq!(Inertia::hollow_sphere(m, b).unwrap(), of_density(m, points), epsilon = ROUNDING);
    for y in [box_, cylinder, ellipsoid] {
        assert_eq!(y.validity(), Ok(()), "{y}");
    }
}

#[test]
fn limits_of_shapes_are_other_shapes() {
    let ball = Inertia::solid_sphere(2.0, 0.5).unwrap();
    assert_abs_diff_eq!(Inertia::solid_capsule(2.0, 0.5, 0.0).unwrap(), ball, epsilon = ROUNDING);
    assert_abs_diff_eq!(Inertia::solid_ellipsoid(2.0, [0.5; 3]).unwrap(), ball, epsilon = ROUNDING);
    let rod = Inertia::thin_rod(2.0, 0.5).unwrap();
    assert_abs_diff_eq!(Inertia::solid_capsule(2.0, 0.0, 0.5).unwrap(), rod, epsilon = ROUNDING);
    assert_abs_diff_eq!(Inertia::solid_cylinder(2.0, 0.0, 0.5).unwrap(), rod, epsilon = ROUNDING);
    let point = Inertia::point_mass(2.0, Vector3::zeros()).unwrap();
    assert_eq!(Inertia::solid_capsule(2.0, 0.0, 0.0), Ok(point));
}

#[test]
fn impossible_sizes_are_refused_by_name() {
    let error = Inertia::solid_box(1.0, [1.0, -2.0, 1.0]).unwrap_err();
    assert_eq!(error.to_string(), "solid box: y = -2.0 is negative or not finite");
    let error = Inertia::solid_capsule(f64::NAN, 1.0, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "solid capsule: mass = NaN is negative or not finite");
    assert!(Inertia::thin_rod(1.0, f64::INFINITY).is_err());
    assert!(Inertia::point_mass(-1.0, Vector3::<f64>::zeros()).is_err());
    assert!(Inertia::solid_sphere(Dual64::from(1.0), Dual64::from(-1.0)).is_err());
}

/// A size is a design parameter: `∂Izz/∂r = m r` of a cylinder.
#[test]
fn sizes_carry_derivatives() {
    let y = Inertia::solid_cylinder(Dual64::from(3.0), Dual64::new(0.5, 1.0), Dual64::from(2.0)).unwrap();
    assert_near(&[y.rotational.zz.re, y.rotational.zz.eps], &[3.0 * 0.25 / 2.0, 3.0 * 0.5], ROUNDING, "Izz");
    let y = Inertia::solid_sphere(Dual8::from(3.0), Dual8::variable(0.5, 2)).unwrap();
    assert_near(&[y.rotational.zz.eps.to_array()[2]], &[2.0 / 5.0 * 3.0 * 2.0 * 0.5], ROUNDING, "sphere");
    // momentum is linear in the ten parameters: no second derivative
    let p = Random::new(3).inertia().to_parameters().map(|x| HyperDual64::new(x, 0.3, 0.7, 0.0));
    let v = Random::new(4).motion();
    let h = Inertia::from_parameters(p) * v.lift::<HyperDual64>();
    assert_near(&h.to_array().map(|x| x.eps1eps2), &[0.0; 6], TOLERANCE, "second derivative");
}

#[test]
fn equivalent_ellipsoid_has_the_same_inertia() {
    for_seeds(|r| {
        let y = r.inertia();
        let (x, axes) = y.equivalent_ellipsoid().unwrap();
        assert_eq!(x.validity(), Ok(()));
        assert_relative_eq!(x.act(Inertia::solid_ellipsoid(y.mass, axes).unwrap()), y, epsilon = TOLERANCE);
    });
    let plate = Inertia::solid_box(1.0, [1.0, 2.0, 0.0]).unwrap();
    let (_, axes) = plate.equivalent_ellipsoid().unwrap();
    assert!(axes.iter().all(|a| a.is_finite()), "{axes:?}");
    let rotor = Inertia::new(0.0, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0));
    assert!(matches!(rotor.equivalent_ellipsoid(), Err(InertiaError::MasslessRotational { .. })));
    assert_eq!(Inertia::zero().equivalent_ellipsoid().unwrap().1.map(|a| a > 0.0), [false; 3]);
}

/// Constants of simpler type: the inertia of a model on a state with derivatives.
#[test]
fn mixed_number_types_agree_with_lifted_ones() {
    for_seeds(|r| {
        let (y, z, v) = (r.inertia(), r.inertia(), r.motion());
        let moving = v.lift::<Dual64>().scale(Dual64::new(1.0, 0.5));
        let flat = |x: [Dual64; 6]| x.map(|c| [c.re, c.eps]).concat();
        let lifted = y.lift::<Dual64>();
        assert_near(&flat((y * moving).to_array()), &flat((lifted * moving).to_array()), TOLERANCE, "Y v");
        let energy = y.kinetic_energy(moving);
        assert_near(&[energy.re, energy.eps], &[y.kinetic_energy(v), y.kinetic_energy(v)], TOLERANCE, "energy");
        let sum = (y + z.lift::<Dual64>()).to_parameters().map(|c| c.re);
        assert_near(&sum, &(y + z).to_parameters(), TOLERANCE, "sum");
        let b = y.body_coriolis(moving).angular.map(|c| c.re);
        assert_near(b.as_slice(), y.body_coriolis(v).angular.as_slice(), TOLERANCE, "B");
        let still = Motion::<Dual64>::zero();
        assert_near(
            &flat(y.newton_euler(v, still).to_array()),
            &flat(v.cross_force(y * v).lift().to_array()),
            TOLERANCE,
            "Y a",
        );
    });
}
