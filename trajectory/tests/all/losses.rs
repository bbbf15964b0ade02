//! Losses: gradients and second derivatives against differences, and what they are at their bends.

use gradyn::derivatives::check::{Claim, Options, gradient, jacobian};
use gradyn::derivatives::difference::Euclidean;
use gradyn_trajectory::Loss;
use gradyn_trajectory::residual::Weights;
use nalgebra::DMatrix;

/// Of residuals of three numbers.
fn losses() -> Vec<Loss> {
    let (lower, upper) = (vec![-1.0, f64::NEG_INFINITY, -0.3], vec![1.0, 0.5, f64::INFINITY]);
    vec![
        Loss::Quadratic,
        Loss::Diagonal(vec![0.5, 0.0, 3.0]),
        Loss::Full(DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, -0.4, 0.1, -0.4, 0.7])),
        Loss::QuadraticBarrier { lower: lower.clone(), upper: upper.clone() },
        Loss::Huber { width: 0.4 },
        Loss::SmoothL1 { width: 0.2 },
        Loss::LogBarrier { lower, upper, width: 0.1 },
    ]
}

/// Value, gradient, and second derivatives.
fn all(loss: &Loss, r: &[f64]) -> (f64, Vec<f64>, DMatrix<f64>) {
    let (mut gradient, mut diagonal) = (vec![0.0; r.len()], vec![0.0; r.len()]);
    let value = loss.derivatives(r, &mut gradient, &mut diagonal);
    let curvature = match loss.weights(&diagonal) {
        Weights::Diagonal(w) => DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(w)),
        Weights::Full(w) => w.clone(),
    };
    (value, gradient, curvature)
}

#[test]
fn derivatives_agree_with_differences() {
    // Inside and outside of bounds and widths; none on a bend.
    let points = [[0.1, 0.2, 0.05], [2.0, -3.0, 1.0], [-1.5, 0.7, -0.9], [0.95, 0.45, -0.25], [1e-9, -0.15, 40.0]];
    for loss in losses() {
        for r in points {
            let (value, slope, curvature) = all(&loss, &r);
            assert_eq!(value.to_bits(), loss.value(&r).to_bits(), "{loss:?}");
            let space = Euclidean(3);
            let options = Options::new(format!("{loss:?} at {r:?}")).step(1.0 / 64.0);
            let report = gradient(&options, &space, |r| loss.value(r), &r, &slope).expect("is finite");
            assert!(report.agrees(), "{report}");
            let claim = Claim::from_fn(3, 3, |i, j| curvature[(i, j)]);
            let along = |r: &[f64], g: &mut [f64]| g.copy_from_slice(&all(&loss, r).1);
            let report = jacobian(&options, &space, &space, along, &r, &claim).expect("is finite");
            assert!(report.agrees(), "{report}");
        }
    }
}

/// Both pieces meet with value and slope at the width, the relaxed barrier with its curvature too.
#[test]
fn pieces_meet() {
    let at = |loss: &Loss, r: f64| all(loss, &[r]);
    let (huber, relaxed) =
        (Loss::Huber { width: 0.4 }, Loss::LogBarrier { lower: vec![0.0], upper: vec![f64::INFINITY], width: 0.1 });
    for (loss, bend, of_curvature) in [(&huber, 0.4, 0), (&relaxed, 0.1, 1)] {
        let h = 1e-9;
        let (below, above) = (at(loss, bend - h), at(loss, bend + h));
        // Derivatives are at most 1e3 in size: over 2e-9 nothing changes by more than 2e-6.
        assert!((below.0 - above.0).abs() < 2e-6 && (below.1[0] - above.1[0]).abs() < 2e-6, "{loss:?}");
        assert!(of_curvature == 0 || (below.2[(0, 0)] - above.2[(0, 0)]).abs() < 1e-4, "{loss:?}");
    }
    // −ln z at twice the width, and finite beyond the bound.
    assert!((at(&relaxed, 0.2).0 + 2.0f64.ln()).abs() < 1e-15);
    assert!((at(&relaxed, -0.1).0 - 4.0).abs() < 1e-14);
}

/// Far out, smooth L1 is the magnitude less the width; near zero it is `r²/(2 w)` to the last digits.
#[test]
fn smooth_l1_at_both_ends() {
    let loss = Loss::SmoothL1 { width: 0.2 };
    assert!((loss.value(&[1e8]) - (1e8 - 0.2)).abs() < 1e-7);
    let near = loss.value(&[1e-12]);
    assert!((near / (1e-24 / 0.4) - 1.0).abs() < 1e-14, "{near:e}");
}
