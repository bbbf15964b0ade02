//! Distributions of parameters.

use crate::common::{robot, tree};
use gradyn_sensitivity::prior::PriorError;
use gradyn_sensitivity::{Normals, Parameters, Prior};
use nalgebra::{DMatrix, dmatrix};

fn all() -> [Prior; 4] {
    [
        Prior::Normal { mean: -0.3, sd: 0.7 },
        Prior::LogNormal { median: 1.5, log_sd: 0.4 },
        Prior::Uniform { low: -2.0, high: 0.5 },
        Prior::HalfNormal { scale: 0.8 },
    ]
}

/// Quantile, density, mean and variance say the same: the slope of the quantile is one over the density, and the mean
/// of the quantile over equal slices is the mean.
#[test]
fn quantile_density_mean_and_variance_agree() {
    for prior in all() {
        let at = |p| prior.quantile(p).expect("p is in range");
        for p in [0.01, 0.2, 0.5, 0.77, 0.99] {
            let h = 1e-6;
            let slope = (at(p + h) - at(p - h)) / (2.0 * h);
            // Central differences: h² times the third derivative, a million at the ends, and rounding of 1e-16/h.
            assert!((slope * prior.density(at(p)) - 1.0).abs() < 1e-7, "{prior:?} at {p}");
            assert!((prior.density(at(p)).ln() - prior.log_density(at(p))).abs() < 1e-13);
        }
        let n = 200_000;
        let samples: Vec<f64> = (0..n).map(|i| at((f64::from(i) + 0.5) / f64::from(n))).collect();
        let mean = samples.iter().sum::<f64>() / f64::from(n);
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        // The outermost slices of infinite tails lack about √(ln n)/n.
        assert!((mean - prior.mean()).abs() < 1e-4, "{prior:?}: {mean}");
        assert!((variance / prior.variance() - 1.0).abs() < 3e-4, "{prior:?}: {variance}");
    }
}

#[test]
fn a_lognormal_has_the_mean_and_the_deviation_that_were_asked_for() {
    let prior = Prior::log_normal(3.0, 0.6).expect("both are positive");
    assert!((prior.mean() - 3.0).abs() < 1e-14 && (prior.variance() - 0.36).abs() < 1e-14, "{prior:?}");
    assert!(Prior::log_normal(-3.0, 0.6).is_err() && Prior::log_normal(3.0, f64::NAN).is_err());
}

#[test]
fn numbers_that_make_no_distribution_are_told() {
    let error = |prior: Prior| prior.check().expect_err("no distribution").to_string();
    assert_eq!(error(Prior::Normal { mean: f64::NAN, sd: 1.0 }), "the mean is NaN: it must be finite");
    assert_eq!(
        error(Prior::Normal { mean: 0.0, sd: 0.0 }),
        "the standard deviation is 0: it must be positive and finite"
    );
    assert_eq!(
        error(Prior::LogNormal { median: -1.0, log_sd: 1.0 }),
        "the median is -1: it must be positive and finite"
    );
    assert_eq!(error(Prior::Uniform { low: 2.0, high: 1.0 }), "the lower bound 2 is not below the upper bound 1");
    assert!(Prior::Uniform { low: f64::MIN, high: f64::MAX }.check().is_err());
    assert!(Prior::Fixed { value: f64::INFINITY }.check().is_err());
    for prior in all() {
        assert_eq!(prior.check(), Ok(()));
        assert!([-0.1, 1.1, f64::NAN].iter().all(|p| prior.quantile(*p).is_none()));
        assert!(prior.log_density(f64::NAN) < f64::MIN);
    }
    let none = Prior::LogNormal { median: 1.0, log_sd: 1.0 }.log_density(0.0);
    assert!(none.is_infinite() && none < 0.0);
}

fn named(covariance: &DMatrix<f64>) -> Result<Normals, PriorError> {
    Normals::new(&["a", "b", "c"], &[1.0, 2.0, 3.0], covariance)
}

/// `L Lᵀ = P`, and the density is that of the formula.
#[test]
fn normals_have_their_covariance_and_density() {
    let p = dmatrix![4.0, 1.0, 0.5; 1.0, 2.0, -0.3; 0.5, -0.3, 1.0];
    let normals = named(&p).expect("it is positive definite");
    assert!((normals.factor() * normals.factor().transpose() - &p).amax() < 1e-15);
    let x = [1.5, 1.0, 3.7];
    let d = nalgebra::dvector![0.5, -1.0, 0.7];
    let inverse = p.clone().try_inverse().expect("it is positive definite");
    let exact = -0.5 * (d.dot(&(inverse * &d)) + p.determinant().ln() + 3.0 * std::f64::consts::TAU.ln());
    assert!((normals.log_density(&x).expect("three numbers") - exact).abs() < 1e-13);
    let middle = normals.sample(&[0.5; 3]).expect("a point of the cube");
    assert_eq!(middle.as_slice(), [1.0, 2.0, 3.0]);
    assert!(normals.sample(&[0.5, 1.0, 0.5]).is_err() && normals.sample(&[0.5; 2]).is_err());
    assert!(normals.log_density(&[0.0; 4]).is_err());
}

/// Singular and indefinite ones name the parameter of which nothing is left.
#[test]
fn a_covariance_that_is_none_names_the_parameter() {
    // b is twice a.
    let error = named(&dmatrix![1.0, 2.0, 0.0; 2.0, 4.0, 0.0; 0.0, 0.0, 1.0]).expect_err("it is singular");
    assert_eq!(
        error.to_string(),
        "the covariance is not positive definite: given the parameters before `b`, 0 of its variance 4 remains"
    );
    let third = dmatrix![1.0, 0.1, 0.9; 0.1, 1.0, 0.9; 0.9, 0.9, 1.0];
    assert!(matches!(named(&third), Err(PriorError::NotPositive { entry: 2, left, .. }) if left < 0.0));
    // Numbers that are not exact: 0.1 and 0.7 of a direction.
    let direction = nalgebra::dvector![0.1, 0.7, 0.3];
    assert!(matches!(named(&(&direction * direction.transpose())), Err(PriorError::NotPositive { entry: 1, .. })));
    let skew = dmatrix![1.0, 0.1, 0.0; 0.2, 1.0, 0.0; 0.0, 0.0, 1.0];
    assert!(matches!(named(&skew), Err(PriorError::NotSymmetric { row, column, .. }) if row == "a" && column == "b"));
    let mut none = DMatrix::identity(3, 3);
    none[(1, 2)] = f64::NAN;
    assert!(matches!(named(&none), Err(PriorError::NotFinite { row, .. }) if row == "b"));
    assert!(matches!(named(&DMatrix::identity(2, 2)), Err(PriorError::Size { expected: 3, found: 2, .. })));
    assert!(named(&DMatrix::zeros(3, 3)).is_err());
    // Units far apart are no fault.
    assert!(named(&DMatrix::from_diagonal(&nalgebra::dvector![1e-20, 1.0, 1e20])).is_ok());
}

/// Of every parameter of a robot, at any share, the values that its default prior can take make a robot; means and
/// deviations of what is positive are those of a normal prior.
#[test]
fn default_priors_stay_within_the_domain() {
    for model in [robot("panda", false), robot("solo12", true), tree(3)] {
        for pattern in ["*.mass", "*.density", "*.pi.m", "*.friction", "*.damping", "*.armature", "friction_width"] {
            let p = Parameters::of(&model).select(pattern).expect("are there");
            for share in [0.1, 0.9] {
                let priors = p.default_priors(share);
                // Values of one sample in a million, and of nearly all others.
                for part in [1e-6, 0.5, 1.0 - 1e-6] {
                    let values: Vec<f64> = priors.iter().map(|prior| prior.quantile(part).expect("a part")).collect();
                    assert!(p.robot_at(&values).is_ok(), "{pattern} at {share}: {values:?}");
                }
                for (prior, value) in priors.iter().zip(p.nominal()).filter(|(_, value)| *value > 0.0) {
                    let (mean, sd) = (prior.mean(), prior.variance().sqrt());
                    assert!((mean / value - 1.0).abs() < 1e-14, "{prior:?}");
                    assert!((sd / (share * value) - 1.0).abs() < 1e-14, "{prior:?}");
                }
            }
        }
    }
    // Of zero: a tenth of the limit of effort, of this over that of velocity, and of the moment of inertia about the
    // joint.
    let model = robot("panda", false);
    let prior = |name: &str| Parameters::of(&model).select(name).expect("is there").default_priors(0.1)[0];
    let limits = model.limits();
    assert_eq!(prior("panda_joint3.friction"), Prior::HalfNormal { scale: 0.1 * limits.effort[2] });
    let Prior::HalfNormal { scale } = prior("panda_joint1.armature") else { panic!("about zero") };
    let m = gradyn::once::crba(&model, &model.neutral::<f64>()).expect("a state");
    assert!((scale - 0.1 * m[(0, 0)]).abs() < 1e-15);
    // Where others are not zero, a tenth of the largest.
    let body = model.find_body("panda_link2").expect("is there");
    let model = model.with_friction(body, &[0.4]).expect("fits");
    let prior = Parameters::of(&model).select("panda_joint3.friction").expect("is there").default_priors(0.1)[0];
    assert_eq!(prior, Prior::HalfNormal { scale: 0.1 * 0.4 });
}

/// Springs, Stribeck friction and rotors are never negative, as friction and armature are.
#[test]
fn default_priors_of_springs_and_motors_stay_within_the_domain() {
    let model = robot("double_pendulum", false);
    let mut builder = model.to_builder();
    let key = builder.key(0).expect("is there");
    builder.set_stiffness(key, &[5.0]).expect("fits").set_stribeck(key, &[0.25]).expect("fits");
    builder.set_rotor_inertia(key, &[1e-4], &[10.0]).expect("fits");
    let model = builder.build().expect("is right");
    let joint = model.bodies()[0].joint_name().to_owned();
    let of = |model: &gradyn::Model, name: &str| {
        Parameters::of(model).select(&format!("{joint}.{name}")).expect("is there").default_priors(0.5)[0]
    };
    for (name, value) in [("stiffness", 5.0), ("stribeck", 0.25), ("stribeck_velocity", 0.0), ("rotor_inertia", 1e-4)] {
        let prior = of(&model, name);
        let least = prior.quantile(1e-6).expect("a part");
        assert!(least > 0.0, "{name}: {prior:?}");
        assert!(value == 0.0 || (prior.mean() / value - 1.0).abs() < 1e-14, "{name}: {prior:?}"); // two roundings
    }
    // Of zero: half-normal; of Stribeck friction by the effort limit, as friction.
    let still = robot("double_pendulum", false);
    assert_eq!(of(&still, "stiffness"), Prior::HalfNormal { scale: 0.5 });
    let effort = still.limits().effort[0];
    assert_eq!(
        of(&still, "stribeck"),
        Prior::HalfNormal { scale: if effort.is_finite() { 0.5 * effort } else { 0.5 } }
    );
}
