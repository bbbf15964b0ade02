//! Covariances through functions.

use gradyn_sensitivity::Resampling;
use gradyn_sensitivity::uncertainty::{
    Euclidean, Manifold, MonteCarlo, SigmaPoints, UncertaintyError, first_order, monte_carlo, second_order, unscented,
};
use nalgebra::{DMatrix, Vector3, dmatrix};

fn covariance() -> DMatrix<f64> {
    dmatrix![0.5, 0.1, -0.2; 0.1, 0.3, 0.05; -0.2, 0.05, 0.4]
}

/// Through a linear function first order, second order and sigma points are `A P Aᵀ`.
#[test]
fn linear_functions_are_exact() {
    let a = dmatrix![1.0, -2.0, 0.5; 0.3, 0.0, 4.0];
    let p = covariance();
    let exact = &a * &p * a.transpose();
    assert!((first_order(&a, &p).expect("a covariance") - &exact).amax() < 1e-13);
    let none = [DMatrix::zeros(3, 3), DMatrix::zeros(3, 3)];
    assert!((second_order(&a, &none, &p).expect("a covariance").covariance - &exact).amax() < 1e-13);
    let f = |x: &[f64], y: &mut [f64]| y.copy_from_slice((&a * Vector3::from_row_slice(x)).as_slice());
    for sigma in [SigmaPoints::default(), SigmaPoints { alpha: 0.5, beta: 2.0, kappa: 1.0 }] {
        let found = unscented(&Euclidean(3), &[1.0, 2.0, 3.0], &p, &Euclidean(2), f, &sigma).expect("a covariance");
        // Points and weights of unit size, some roundings of numbers of size 10.
        assert!((found.covariance - &exact).amax() < 1e-13, "{sigma:?}");
        assert!((found.mean[0] + 1.5).abs() < 1e-13 && (found.mean[1] - 12.3).abs() < 1e-13, "{:?}", found.mean);
    }
    // Four intervals: at 99.9 % one of them misses in one of 250 seeds.
    let resampling = Resampling { times: 200, level: 0.999, seed: 1 };
    let options = MonteCarlo { samples: 20_000, seed: 1, resampling };
    let block = |x: &[f64], y: &mut [f64]| x.chunks_exact(3).zip(y.chunks_exact_mut(2)).for_each(|(x, y)| f(x, y));
    let found = monte_carlo(&Euclidean(3), &[1.0, 2.0, 3.0], &p, &Euclidean(2), block, &options).expect("a covariance");
    for (d, deviation) in found.deviation.iter().enumerate() {
        assert!(deviation.contains(exact[(d, d)].sqrt()), "{deviation:?} {}", exact[(d, d)].sqrt());
        assert!((found.moments.mean[d] - [-1.5, 12.3][d]).abs() <= found.mean_half_width[d]);
    }
}

/// Through a quadratic function second order is exact: `E[(xᵀHx)(xᵀGx)]` of normal x is Isserlis' theorem.
#[test]
fn quadratic_functions_are_exact_to_second_order() {
    // y₀ = x₀², y₁ = x₀ x₁ at the origin, P = [s² r; r t²]: Var y₀ = 2 s⁴, Cov = 2 s² r, Var y₁ = s² t² + r².
    let p = dmatrix![0.5, 0.1; 0.1, 0.3];
    let hessians = [dmatrix![2.0, 0.0; 0.0, 0.0], dmatrix![0.0, 1.0; 1.0, 0.0]];
    let found = second_order(&DMatrix::zeros(2, 2), &hessians, &p).expect("a covariance");
    let exact = dmatrix![2.0 * 0.25, 2.0 * 0.5 * 0.1; 2.0 * 0.5 * 0.1, 0.5 * 0.3 + 0.01];
    assert!((found.covariance - exact).amax() < 1e-15);
    assert!((found.shift - nalgebra::dvector![0.5, 0.1]).amax() < 1e-15);
    let f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[0], x[0] * x[1]);
    let sigma = SigmaPoints::default();
    let found = unscented(&Euclidean(2), &[0.0; 2], &p, &Euclidean(2), f, &sigma).expect("a covariance");
    assert!((found.mean[0] - 0.5).abs() < 1e-15 && (found.mean[1] - 0.1).abs() < 1e-15);
}

/// The torque `sin θ` of a pendulum at 1 rad with a deviation of 0.3 rad: `E[sin θ] = sin 1 exp(−σ²/2)`. Second order
/// is more than ten times nearer to a million samples than first order.
#[test]
fn second_order_beats_first_order_ten_times_on_a_pendulum() {
    let sigma = 0.3_f64;
    let p = dmatrix![sigma * sigma];
    let options =
        MonteCarlo { samples: 1_000_000, seed: 4, resampling: Resampling { times: 20, ..Resampling::default() } };
    // Torque at 1 rad, height at the lowest point and near it.
    for (at, f, slope, bend) in [
        (1.0, f64::sin as fn(f64) -> f64, 1.0_f64.cos(), -1.0_f64.sin()),
        (0.1, |x: f64| 1.0 - x.cos(), 0.1_f64.sin(), 0.1_f64.cos()),
    ] {
        let block = |x: &[f64], y: &mut [f64]| x.iter().zip(y).for_each(|(x, y)| *y = f(*x));
        let truth = monte_carlo(&Euclidean(1), &[at], &p, &Euclidean(1), block, &options).expect("a covariance");
        let second = second_order(&dmatrix![slope], &[dmatrix![bend]], &p).expect("a covariance");
        let mean = truth.moments.mean[0];
        let (first_error, second_error) = ((f(at) - mean).abs(), (f(at) + second.shift[0] - mean).abs());
        println!("mean at {at}: {first_error:e} to first, {second_error:e} to second order");
        assert!(second_error * 10.0 < first_error, "at {at}: {first_error:e} {second_error:e}");
        let half = truth.mean_half_width[0];
        // The truth is known well enough to say so.
        assert!(half * 10.0 < first_error, "{half:e}");
    }
    // Near the lowest point the height is nearly quadratic: the deviation to first order is a third of the truth.
    let (slope, bend) = (0.1_f64.sin(), 0.1_f64.cos());
    let block = |x: &[f64], y: &mut [f64]| x.iter().zip(y).for_each(|(x, y)| *y = 1.0 - x.cos());
    let truth = monte_carlo(&Euclidean(1), &[0.1], &p, &Euclidean(1), block, &options).expect("a covariance");
    let second = second_order(&dmatrix![slope], &[dmatrix![bend]], &p).expect("a covariance");
    let exact = truth.deviation[0].value;
    let (first_error, second_error) = ((slope * sigma - exact).abs(), (second.covariance[(0, 0)].sqrt() - exact).abs());
    assert!(second_error * 5.0 < first_error, "{first_error:e} {second_error:e}");
}

/// Rotations as unit quaternions (x y z w), moved by rotation vectors of the body.
struct Rotations;

fn exp(v: &[f64]) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_scaled_axis(Vector3::from_row_slice(v))
}
fn rotation(x: &[f64]) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(x[3], x[0], x[1], x[2]))
}

impl Manifold for Rotations {
    fn coordinates(&self) -> usize {
        4
    }
    fn directions(&self) -> usize {
        3
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        out.copy_from_slice((rotation(x) * exp(dx)).coords.as_slice());
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        out.copy_from_slice((rotation(y0).inverse() * rotation(y1)).scaled_axis().as_slice());
    }
}

/// A fixed rotation behind an uncertain one turns its covariance; samples at the far side of the sphere make no
/// difference.
#[test]
fn rotations_turn_their_covariance() {
    let p = dmatrix![0.04, 0.01, 0.0; 0.01, 0.09, 0.0; 0.0, 0.0, 0.01];
    let turn = exp(&[0.3, -1.2, 0.5]);
    let x = exp(&[3.0, 0.4, 0.0]).coords;
    let f = |x: &[f64], y: &mut [f64]| {
        // A quaternion and its negative are one rotation.
        let y_b = rotation(x) * turn;
        let sign = if x[0] > 0.9 { -1.0 } else { 1.0 };
        y.copy_from_slice((sign * y_b.coords).as_slice());
    };
    let r = turn.to_rotation_matrix().inverse();
    let r = DMatrix::from_column_slice(3, 3, r.matrix().as_slice());
    let exact = &r * &p * r.transpose();
    let sigma = SigmaPoints::default();
    let found = unscented(&Rotations, x.as_slice(), &p, &Rotations, f, &sigma).expect("a covariance");
    // Some roundings of numbers of unit size; R (x ⊕ δ) R' is linear in δ.
    assert!((&found.covariance - &exact).amax() < 1e-13, "{}", found.covariance - exact);
    let options = MonteCarlo { samples: 20_000, seed: 2, resampling: Resampling { times: 200, level: 0.999, seed: 2 } };
    let block = |x: &[f64], y: &mut [f64]| x.chunks_exact(4).zip(y.chunks_exact_mut(4)).for_each(|(x, y)| f(x, y));
    let found = monte_carlo(&Rotations, x.as_slice(), &p, &Rotations, block, &options).expect("a covariance");
    for (d, deviation) in found.deviation.iter().enumerate() {
        assert!(deviation.contains(exact[(d, d)].sqrt()), "{deviation:?} {}", exact[(d, d)].sqrt());
    }
}

/// 95 % intervals of samples hold the truth in about 95 of 100 seeds, and threads change no bit.
#[test]
fn intervals_of_samples_hold_the_truth() {
    let p = dmatrix![0.09];
    let block = |x: &[f64], y: &mut [f64]| x.iter().zip(y).for_each(|(x, y)| *y = x.sin());
    let s = 0.09_f64;
    let mean = 1.0_f64.sin() * (-0.5 * s).exp();
    let variance = 0.5 * (1.0 - 2.0_f64.cos() * (-2.0 * s).exp()) - mean * mean;
    let mut within = [0; 2];
    for seed in 0..100 {
        let options = MonteCarlo { samples: 500, seed, resampling: Resampling { seed, ..Resampling::default() } };
        let sample = || monte_carlo(&Euclidean(1), &[1.0], &p, &Euclidean(1), block, &options).expect("a covariance");
        let found = sample();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        assert_eq!(found, one.install(sample));
        within[0] += usize::from((found.moments.mean[0] - mean).abs() <= found.mean_half_width[0]);
        within[1] += usize::from(found.deviation[0].contains(variance.sqrt()));
    }
    // 95 expected of 100; of a binomial distribution four standard deviations are 9.
    assert!(within.iter().all(|within| *within >= 86), "{within:?}");
}

/// A direction without uncertainty is one, and what is no covariance is refused.
#[test]
fn singular_covariances_are_fine_and_others_are_refused() {
    let p = dmatrix![1.0, 2.0; 2.0, 4.0];
    let sum = |x: &[f64], y: &mut [f64]| y[0] = 2.0 * x[0] - x[1];
    let sigma = SigmaPoints::default();
    let through = |p: &DMatrix<f64>| unscented(&Euclidean(2), &[0.0; 2], p, &Euclidean(1), sum, &sigma);
    assert!(through(&p).expect("it is semidefinite").covariance[(0, 0)].abs() < 1e-14);
    assert!(through(&DMatrix::zeros(2, 2)).expect("it is semidefinite").covariance[(0, 0)].abs() < 1e-300);
    assert!(matches!(through(&dmatrix![1.0, 0.0; 0.0, -1.0]), Err(UncertaintyError::Negative { entry: 1, .. })));
    assert!(through(&dmatrix![1.0, 2.0; 2.0, 1.0]).is_err());
    assert!(matches!(
        through(&dmatrix![1.0, 0.5; 0.4, 1.0]),
        Err(UncertaintyError::NotSymmetric { row: 0, column: 1, .. })
    ));
    assert!(matches!(through(&dmatrix![1.0, f64::NAN; 0.0, 1.0]), Err(UncertaintyError::NotFinite { .. })));
    assert!(matches!(through(&DMatrix::identity(3, 3)), Err(UncertaintyError::Size { expected: 4, found: 9, .. })));
    for sigma in [
        SigmaPoints { alpha: 0.0, ..sigma },
        SigmaPoints { alpha: f64::NAN, ..sigma },
        SigmaPoints { beta: f64::INFINITY, ..sigma },
        SigmaPoints { kappa: -2.0, ..sigma },
    ] {
        let found = unscented(&Euclidean(2), &[0.0; 2], &p, &Euclidean(1), sum, &sigma);
        assert!(matches!(found, Err(UncertaintyError::Number { .. })), "{sigma:?}");
    }
    let options = MonteCarlo { samples: 1000, seed: 0, resampling: Resampling::none() };
    let spoiled = |x: &[f64], y: &mut [f64]| {
        x.chunks_exact(2).zip(y).for_each(|(x, y)| *y = if x[0] > 1.5 { f64::NAN } else { x[0] });
    };
    let found = monte_carlo(&Euclidean(2), &[0.0; 2], &p, &Euclidean(1), spoiled, &options);
    assert!(matches!(found, Err(UncertaintyError::Failed { total: 1000, .. })), "{found:?}");
    let many = MonteCarlo { samples: 1 << 58, ..options };
    assert!(monte_carlo(&Euclidean(2), &[0.0; 2], &p, &Euclidean(1), spoiled, &many).is_err());
    let one = MonteCarlo { samples: 1, ..options };
    assert!(monte_carlo(&Euclidean(2), &[0.0; 2], &p, &Euclidean(1), spoiled, &one).is_err());
    assert!(second_order(&DMatrix::zeros(1, 2), &[], &p).is_err());
    assert!(first_order(&DMatrix::zeros(1, 3), &p).is_err());
}
