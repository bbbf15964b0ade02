//! Fits: where they end, how certain they are, and what they cannot tell.

use gradyn_sensitivity::estimate::{
    Estimate, EstimateError, Loss, Noise, Options, Regularizer, Status, identifiability, levenberg_marquardt,
};
use gradyn_sensitivity::statistics::normal_quantile;
use gradyn_sensitivity::uncertainty::{Euclidean, Manifold};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    normal_quantile(rng.random_range(1e-12..1.0 - 1e-12)).expect("between 0 and 1")
}

fn matrix(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| normal(rng))
}

/// `r = A p − y`
fn linear(a: &DMatrix<f64>, y: &DVector<f64>, options: &Options) -> Estimate {
    let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        r.copy_from_slice((a * DVector::from_column_slice(p) - y).as_slice());
        j.copy_from(a);
        Ok(())
    };
    let k = a.ncols();
    levenberg_marquardt(&Euclidean(k), &vec![0.0; k], a.nrows(), evaluate, options).expect("everything is finite")
}

/// Rosenbrock's valley, `10 (p₁ − p₀²)`, `1 − p₀`, from its usual start, and a longer chain of them.
#[test]
fn the_valley_of_rosenbrock_is_followed_to_its_end() {
    let f = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        j.fill(0.0);
        for i in 0..p.len() - 1 {
            (r[2 * i], r[2 * i + 1]) = (10.0 * (p[i + 1] - p[i] * p[i]), 1.0 - p[i]);
            (j[(2 * i, i)], j[(2 * i, i + 1)], j[(2 * i + 1, i)]) = (-20.0 * p[i], 10.0, -1.0);
        }
        Ok(())
    };
    for (start, most) in [(vec![-1.2, 1.0], 40), (vec![-1.2, 1.0, -1.2, 1.0, 2.0, -3.0], 200)] {
        let k = start.len();
        let found = levenberg_marquardt(&Euclidean(k), &start, 2 * (k - 1), f, &Options::default()).expect("a start");
        println!("{} iterations, {}", found.iterations, found.status);
        assert!(found.status.converged() && found.iterations < most, "{found:?}");
        // Residuals are zero there: every digit is told.
        assert!(found.parameters.iter().all(|p| (p - 1.0).abs() < 1e-12), "{:?}", found.parameters);
    }
}

/// A planted linear problem with normal noise: 95 % intervals hold 92 to 98 % of the true parameters over 200 seeds,
/// with estimated and with known noise, and with robust losses.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let (n, k) = (60, 5);
    for (loss, noise) in [
        (Loss::Quadratic, Noise::Estimated),
        (Loss::Quadratic, Noise::Unit),
        (Loss::Huber { width: 1.345 }, Noise::Estimated),
        (Loss::Cauchy { width: 2.385 }, Noise::Estimated),
    ] {
        let mut within = 0;
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (a, truth) = (matrix(&mut rng, n, k), matrix(&mut rng, k, 1).column(0).into_owned());
            let y = &a * &truth + matrix(&mut rng, n, 1).column(0);
            let found = linear(&a, &y, &Options { loss, noise, ..Options::default() });
            assert!(found.status.converged(), "seed {seed}: {}", found.status);
            for j in 0..k {
                let half = found.half_width(j, 0.95).expect("there is noise to estimate");
                within += usize::from((found.parameters[j] - truth[j]).abs() <= half);
            }
        }
        // 1000 parameters: 950 expected, with a standard deviation of 7.
        println!("{loss:?} {noise:?}: {within} of 1000");
        assert!((920..=980).contains(&within), "{loss:?} {noise:?}: {within} of 1000");
    }
}

/// The estimate of a linear problem is that of the normal equations, its covariance `s² (AᵀA)⁻¹`.
#[test]
fn a_linear_problem_has_the_solution_of_the_normal_equations() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (a, y) = (matrix(&mut rng, 30, 4), matrix(&mut rng, 30, 1).column(0).into_owned());
    let inverse = a.tr_mul(&a).try_inverse().expect("the columns are independent");
    let exact = &inverse * a.tr_mul(&y);
    let found = linear(&a, &y, &Options::default());
    assert!((DVector::from_column_slice(&found.parameters) - &exact).amax() < 1e-12, "{found:?}");
    let s2 = (&a * &exact - &y).norm_squared() / 26.0;
    assert!((found.covariance.expect("there is noise") - inverse * s2).amax() < 1e-14);
    assert!((found.scale.expect("there is noise").powi(2) - s2).abs() < 1e-13);
    assert_eq!((found.freedom, found.identifiability.rank), (26, 4));
}

/// A tenth of the measurements are off by fifty deviations to one side: least squares is far off, the robust losses are
/// not.
#[test]
fn robust_losses_recover_the_truth_from_outliers() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let (n, k) = (200, 4);
    let (mut a, truth) = (matrix(&mut rng, n, k), dvector![1.0, -2.0, 0.5, 3.0]);
    a.column_mut(0).fill(1.0);
    let mut y = &a * &truth + matrix(&mut rng, n, 1).column(0);
    (0..n).step_by(10).for_each(|i| y[i] += 50.0);
    let error = |loss| {
        let found = linear(&a, &y, &Options { loss, ..Options::default() });
        assert!(found.status.converged(), "{loss:?}: {}", found.status);
        let apart = (DVector::from_column_slice(&found.parameters) - &truth).amax();
        let outliers = (0..n).step_by(10).map(|i| found.weights[i]).fold(0.0_f64, f64::max);
        (apart, outliers)
    };
    // Without outliers the deviation of a parameter is 1/√200 = 0.07; a tenth of 50 pulls the mean by 5.
    assert!(error(Loss::Quadratic).0 > 2.0);
    let (huber, weight) = error(Loss::Huber { width: 1.345 });
    // Huber's outliers still pull, each with 1.345: a tenth of that to one side is 0.2 with the weights of the rest.
    assert!(huber < 0.4 && weight < 0.05, "{huber} {weight}");
    let (cauchy, weight) = error(Loss::Cauchy { width: 2.385 });
    // Four deviations.
    assert!(cauchy < 0.28 && weight < 0.005, "{cauchy} {weight}");
}

/// The sine of the largest angle between two spaces with orthonormal bases.
fn angle(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    (b - a * a.tr_mul(b)).norm()
}

/// Two planted directions that the data cannot tell, in units that are far apart, are found to 1e-8, and the rest is
/// estimated all the same.
#[test]
fn directions_that_cannot_be_told_are_found() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (n, k) = (50, 6);
        let units = DVector::from_fn(k, |i, _| 10_f64.powi(i as i32 - 3));
        let null = matrix(&mut rng, k, 2).qr().q();
        let projector = DMatrix::identity(k, k) - &null * null.transpose();
        // In scaled coordinates z the space is `null`; p = units ∘ z.
        let a = matrix(&mut rng, n, k) * projector * DMatrix::from_diagonal(&units.map(|u| 1.0 / u));
        let exact = (DMatrix::from_diagonal(&units) * &null).qr().q();
        let y = &a * units.map(|u| 2.0 * u) + matrix(&mut rng, n, 1).column(0);
        let found = linear(&a, &y, &Options::default());
        assert!(found.status.converged(), "seed {seed}: {}", found.status);
        let Estimate { identifiability, covariance, .. } = &found;
        assert_eq!(identifiability.rank, 4, "seed {seed}");
        let apart = angle(&exact, &identifiability.null_space);
        assert!(apart < 1e-8, "seed {seed}: {apart:e}");
        // What is printed spans the same space.
        let mut printed = DMatrix::zeros(k, 2);
        for (column, direction) in identifiability.cannot_tell.iter().enumerate() {
            direction.iter().for_each(|(parameter, x)| printed[(*parameter, column)] = *x);
        }
        // Entries below 1e-6 are not printed.
        assert!(angle(&exact, &printed.qr().q()) < 1e-5, "seed {seed}");
        // Residuals at the end are those of the projection: what can be told is told. It ends where a step promises
        // 1e-20 of the cost: the gradient is then 1e-10 of |r| = 7 and of columns of length 7.
        let r = DVector::from_column_slice(&found.residuals);
        let scaled = &a * DMatrix::from_diagonal(&units);
        assert!(scaled.tr_mul(&r).amax() < 1e-8, "seed {seed}");
        assert!(covariance.as_ref().is_some_and(|p| p.iter().all(|p| p.is_finite())));
        let told = |j: usize| identifiability.is_told(j);
        assert!((0..k).all(|j| found.deviation(j).is_some_and(|d| d.is_finite() == told(j))), "seed {seed}");
    }
}

/// "The mass times the arm" of two masses: the sentence names the parameters.
#[test]
fn what_cannot_be_told_is_said_in_names() {
    // Columns: a, b = 2 a, c without any effect, d.
    let a = dmatrix![1.0, 2.0, 0.0, 1.0; 2.0, 4.0, 0.0, -1.0; 3.0, 6.0, 0.0, 0.5];
    let found = identifiability(&a, 1e-10).expect("entries are finite");
    assert_eq!(found.rank, 2);
    let mut said = found.sentences(&["a", "b", "c", "d"]);
    said.sort();
    assert_eq!(said, ["`a` - 0.5 `b` can move together without moving a residual", "`c` does not move a residual"]);
    assert!(found.is_told(3) && !found.is_told(0) && !found.is_told(2) && !found.is_told(9));
    let none = identifiability(&DMatrix::zeros(2, 2), 1e-10).expect("entries are finite");
    assert_eq!((none.rank, none.cannot_tell.len()), (0, 2));
    assert_eq!(identifiability(&DMatrix::zeros(3, 0), 1e-10).expect("no entries").rank, 0);
    assert_eq!(identifiability(&DMatrix::zeros(0, 3), 1e-10).expect("no entries").cannot_tell.len(), 3);
    // Fewer rows than columns.
    assert_eq!(identifiability(&dmatrix![1.0, 2.0, 3.0], 1e-10).expect("entries are finite").null_space.ncols(), 2);
    assert!(identifiability(&dmatrix![1.0, f64::NAN], 1e-10).is_err() && identifiability(&a, 0.0).is_err());
}

/// A pull holds what the data cannot tell, and with unit noise the estimate is Bayes' formula.
#[test]
fn a_pull_is_a_prior() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let half = matrix(&mut rng, 20, 2);
    // The third column is the sum of the others.
    let a = DMatrix::from_fn(20, 3, |i, j| if j < 2 { half[(i, j)] } else { half[(i, 0)] + half[(i, 1)] });
    let y = matrix(&mut rng, 20, 1).column(0).into_owned();
    let (at, information) = (dvector![1.0, 2.0, 3.0], dmatrix![4.0, 1.0, 0.0; 1.0, 3.0, 0.5; 0.0, 0.5, 2.0]);
    let pull = Regularizer { at: at.as_slice().to_vec(), information: information.clone() };
    let found = linear(&a, &y, &Options { regularizer: Some(pull), noise: Noise::Unit, ..Options::default() });
    let inverse = (a.tr_mul(&a) + &information).try_inverse().expect("the pull holds it");
    let exact = &inverse * (a.tr_mul(&y) + &information * &at);
    assert!((DVector::from_column_slice(&found.parameters) - &exact).amax() < 1e-12, "{:?} {exact}", found.parameters);
    // The derivative of the pull is a difference: 1e-13 of its size.
    assert!((found.covariance.as_ref().expect("the noise is known") - inverse).amax() < 1e-12);
    assert_eq!(found.identifiability.rank, 2);
    assert!((0..3).all(|j| found.deviation(j).is_some_and(f64::is_finite)));
    // The parameters that the data mix up are told as such.
    let loose = linear(&a, &y, &Options { noise: Noise::Unit, ..Options::default() });
    assert!((0..3).all(|j| loose.deviation(j) == Some(f64::INFINITY)));
}

/// Two columns that are nearly the same make a pair.
#[test]
fn correlated_pairs_are_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut a = matrix(&mut rng, 100, 4);
    let near = a.column(1) + 0.05 * a.column(3);
    a.set_column(3, &near);
    let y = matrix(&mut rng, 100, 1).column(0).into_owned();
    let found = linear(&a, &y, &Options::default());
    let pairs = found.correlated(0.95);
    let [(1, 3, correlation)] = pairs[..] else { panic!("{pairs:?}") };
    // cos of the angle of two columns that differ by a twentieth: 1 − 0.05²/2.
    assert!(correlation < -0.99, "{correlation}");
}

/// Rotations as unit quaternions (x y z w).
struct Rotations;

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
        let step = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::from_row_slice(dx));
        out.copy_from_slice((rotation(x) * step).coords.as_slice());
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        out.copy_from_slice((rotation(y0).inverse() * rotation(y1)).scaled_axis().as_slice());
    }
}

/// A rotation from the images of points, from the far side of the sphere: it stays a rotation, and ends at the truth.
#[test]
fn a_rotation_is_found_on_its_manifold() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let truth = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(2.0, -1.5, 0.7));
    let points: Vec<nalgebra::Vector3<f64>> =
        (0..5).map(|_| nalgebra::Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0))).collect();
    let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        let turn = rotation(p);
        for (i, point) in points.iter().enumerate() {
            r[3 * i..][..3].copy_from_slice((turn * point - truth * point).as_slice());
            // ∂(R exp(δ) x)/∂δ = −R [x]×
            j.view_mut((3 * i, 0), (3, 3)).copy_from(&(-turn.to_rotation_matrix().matrix() * point.cross_matrix()));
        }
        Ok(())
    };
    let found =
        levenberg_marquardt(&Rotations, &[0.0, 0.0, 0.0, 1.0], 15, evaluate, &Options::default()).expect("a start");
    assert!(found.status.converged(), "{}", found.status);
    assert!(rotation(&found.parameters).angle_to(&truth) < 1e-12);
    // With a pull toward another rotation the gradient of the whole vanishes, by differences of the cost.
    let at = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(1.0, -1.0, 0.0)).coords;
    let pull =
        Regularizer { at: at.as_slice().to_vec(), information: dmatrix![3.0, 0.5, 0.0; 0.5, 2.0, 0.0; 0.0, 0.0, 0.0] };
    let options = Options { regularizer: Some(pull.clone()), ..Options::default() };
    let found = levenberg_marquardt(&Rotations, &[0.0, 0.0, 0.0, 1.0], 15, evaluate, &options).expect("a start");
    assert!(found.status.converged(), "{}", found.status);
    let cost = |dx: [f64; 3]| {
        let (mut p, mut r, mut j, mut d) = ([0.0; 4], [0.0; 15], DMatrix::zeros(15, 3), [0.0; 3]);
        Rotations.integrate(&found.parameters, &dx, &mut p);
        evaluate(&p, &mut r, &mut j).expect("it never fails");
        Rotations.difference(&pull.at, &p, &mut d);
        let d = DVector::from_row_slice(&d);
        0.5 * r.iter().map(|r| r * r).sum::<f64>() + 0.5 * d.dot(&(&pull.information * &d))
    };
    assert!((cost([0.0; 3]) - found.cost).abs() < 1e-14);
    for i in 0..3 {
        let along = |h: f64| cost(std::array::from_fn(|j| if i == j { h } else { 0.0 }));
        let h = 1e-3;
        let slope = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
        // It ends where a step promises 1e-20 of the cost: the gradient is then the square root of that, times numbers
        // of size 10. Differences of fourth order are good to 1e-11.
        assert!(slope.abs() < 1e-8, "{slope:e}");
    }
}

/// Where residuals cannot be computed, a shorter step is tried; a wrong Jacobian ends with a status that says so; and
/// the limit is kept.
#[test]
fn every_end_has_its_status() {
    // ln p = 0 from 5: the first step goes to 5 − 5 ln 5 < 0.
    let logarithm = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        if p[0] <= 0.0 {
            return Err("no logarithm".to_string());
        }
        (r[0], j[(0, 0)]) = (p[0].ln(), 1.0 / p[0]);
        Ok(())
    };
    let options = Options { damping: 1e-9, ..Options::default() };
    let found = levenberg_marquardt(&Euclidean(1), &[5.0], 1, logarithm, &options).expect("a start");
    assert!(found.status.converged() && (found.parameters[0] - 1.0).abs() < 1e-12, "{found:?}");
    assert!(found.evaluations > found.iterations + 1);
    let limited = Options { iterations: 1, ..options.clone() };
    let found = levenberg_marquardt(&Euclidean(1), &[5.0], 1, logarithm, &limited).expect("a start");
    assert_eq!((found.status, found.iterations), (Status::Iterations, 1));
    // One residual, one parameter: nothing is left to estimate noise from.
    assert_eq!((found.scale, found.deviation(0), found.half_width(0, 0.95)), (None, None, None));

    let wrong = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        (r[0], r[1]) = (p[0] - 3.0, 1.0);
        (j[(0, 0)], j[(1, 0)]) = (-1.0, 0.0);
        Ok(())
    };
    let found = levenberg_marquardt(&Euclidean(1), &[0.0], 2, wrong, &Options::default()).expect("a start");
    assert!(!found.status.converged(), "{}", found.status);
}

#[test]
fn what_cannot_begin_is_refused() {
    let fine = |_: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        r.fill(1.0);
        j.fill(1.0);
        Ok(())
    };
    let with = |options: Options| levenberg_marquardt(&Euclidean(2), &[0.0; 2], 3, fine, &options);
    let pull = |information| Some(Regularizer { at: vec![0.0; 2], information });
    for options in [
        Options { loss: Loss::Huber { width: 0.0 }, ..Options::default() },
        Options { loss: Loss::Cauchy { width: f64::NAN }, ..Options::default() },
        Options { damping: -1.0, ..Options::default() },
        Options { step_tolerance: f64::NAN, ..Options::default() },
        Options { rank_tolerance: 0.0, ..Options::default() },
        Options { regularizer: pull(DMatrix::identity(3, 3)), ..Options::default() },
        Options { regularizer: pull(dmatrix![1.0, 0.0; 0.0, -1.0]), ..Options::default() },
        Options { regularizer: pull(dmatrix![1.0, 0.1; 0.2, 1.0]), ..Options::default() },
        Options { regularizer: pull(dmatrix![1.0, f64::NAN; 0.2, 1.0]), ..Options::default() },
        Options {
            regularizer: Some(Regularizer { at: vec![0.0], information: DMatrix::identity(2, 2) }),
            ..Options::default()
        },
    ] {
        assert!(with(options.clone()).is_err(), "{options:?}");
    }
    let start = |p: &[f64], n| levenberg_marquardt(&Euclidean(2), p, n, fine, &Options::default());
    assert!(start(&[0.0; 3], 3).is_err() && start(&[0.0, f64::NAN], 3).is_err() && start(&[0.0; 2], 0).is_err());
    assert!(levenberg_marquardt(&Euclidean(0), &[], 3, fine, &Options::default()).is_err());
    let fails = |_: &[f64], _: &mut [f64], _: &mut DMatrix<f64>| Err("the log is empty".to_string());
    let error = levenberg_marquardt(&Euclidean(1), &[0.0], 1, fails, &Options::default()).expect_err("it fails");
    assert_eq!(error, EstimateError::Start { why: "the log is empty".to_string() });
    let forgets = |_: &[f64], _: &mut [f64], _: &mut DMatrix<f64>| Ok(());
    assert!(levenberg_marquardt(&Euclidean(1), &[0.0], 1, forgets, &Options::default()).is_err());
    let huge = |_: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        r.fill(1e200);
        j.fill(1.0);
        Ok(())
    };
    assert!(levenberg_marquardt(&Euclidean(1), &[0.0], 1, huge, &Options::default()).is_err());
}
