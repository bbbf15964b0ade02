//! Rows of the augmented Lagrangian: its value, gradient and multipliers, against its formula.

use crate::quadratic::{Multipliers, Quadratic};
use crate::solver::proximal::cones::outside;
use crate::solver::proximal::constraints::Constraints;
use crate::solver::tests::{Random, beside, joined, least, limited};
use nalgebra::DVector;

const MU: f64 = 0.2;

/// The rows of a node of [`limited`], at values of which some are inside of their bounds and others are not, with
/// estimates of multipliers.
fn rows(random: &mut Random) -> (Constraints, Quadratic, DVector<f64>) {
    let problem = limited(2);
    let mut rows = Constraints::new(&problem, 1);
    rows.take_bounds(&problem, 1);
    let mut node = random.node(problem.dims(1));
    node.ineq *= 2.0;
    let u = 100.0 * random.vector(7);
    rows.read(u.as_slice(), &node);
    rows.y.iter_mut().for_each(|y| *y = random.number(-1.0, 1.0));
    rows.go_on(&random.vector(node.eq.len()));
    (rows, node, u)
}

/// `|c + μ ν̄|² / 2μ + |w − Π(w)|² / 2μ` along a direction, with rows to first order.
fn along(rows: &Constraints, node: &Quadratic, u: &DVector<f64>, [dx, du]: &[DVector<f64>; 2], step: f64) -> f64 {
    let eq = &node.eq + step * (&node.eq_x * dx + &node.eq_u * du);
    let g = &node.ineq + step * (&node.ineq_x * dx + &node.ineq_u * du);
    rows.penalty((u + step * du).as_slice(), eq.as_slice(), g.as_slice(), MU)
}

#[test]
fn what_rows_add_to_the_cost_is_the_gradient_of_their_penalty() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let (mut rows, node, u) = rows(&mut random);
        assert!(
            (rows.penalty_here(MU) - along(&rows, &node, &u, &[DVector::zeros(14), DVector::zeros(7)], 0.0)).abs()
                < 1e-9
        );
        let mut condensed = node.clone();
        rows.begin_direction();
        rows.weigh(MU);
        rows.condense(&mut condensed);
        let added = joined(&condensed).1 - joined(&node).1;
        // Equalities are not in the cost: the sweep has them.
        let shifted = &node.eq + MU * &rows.estimates_eq;
        let equalities = beside(&node.eq_x, &node.eq_u).tr_mul(&shifted) / MU;
        let direction = [random.vector(14), random.vector(7)];
        let both = DVector::from_iterator(21, direction[0].iter().chain(direction[1].iter()).copied());
        let h = 1e-5;
        let [ahead, behind] = [h, -h].map(|step| along(&rows, &node, &u, &direction, step));
        let slope = (ahead - behind) / (2.0 * h);
        let expected = added.dot(&both) + equalities.dot(&both);
        // Piecewise quadratic: differences of squares of 100/μ are rounded to 1e-12 of them, over h.
        assert!((slope - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{seed}: {slope}, {expected}");
        // The same by the multipliers that the direction makes.
        rows.move_to(&node, &direction[0], &direction[1]);
        let nu = (&node.eq + &node.eq_x * &direction[0] + &node.eq_u * &direction[1]) / MU + &rows.estimates_eq;
        let slope = rows.slope(MU, &nu);
        assert!((slope - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{seed}: {slope}, {expected}");
    }
}

#[test]
fn a_row_that_leaves_its_set_changes_the_slope_as_its_penalty_does() {
    for seed in 0..8 {
        let mut random = Random::new(20 + seed);
        let (mut rows, node, u) = rows(&mut random);
        let mut condensed = node.clone();
        rows.begin_direction();
        rows.weigh(MU);
        rows.condense(&mut condensed);
        let [dx, du] = least(&condensed);
        rows.aim(&node, &dx, &du);
        // What all rows together do at a share t, less what they would do if the active set stayed the same.
        let (hessian, gradient) = joined(&condensed);
        let (own, own_gradient) = joined(&node);
        let both = DVector::from_iterator(21, dx.iter().chain(du.iter()).copied());
        for t in [0.0, 0.3, 1.0] {
            let h = 1e-6;
            let at = |t: f64| {
                let g = &node.ineq + t * (&node.ineq_x * &dx + &node.ineq_u * &du);
                rows.penalty((&u + t * &du).as_slice(), &[], g.as_slice(), MU)
            };
            let slope = (at(t + h) - at(t - h)) / (2.0 * h);
            let linear = both.dot(&((&hessian - &own) * &both)) * t + (&gradient - &own_gradient).dot(&both);
            let found = rows.changed(t, MU);
            assert!((found - (slope - linear)).abs() < 1e-3 * (1.0 + slope.abs()), "{seed}, {t}: {found}, {slope}");
        }
        rows.move_by(1.0);
        let moved = rows.weigh(MU);
        assert!(moved <= rows.g.len());
    }
}

/// Moreau: `w = Π(w) + (w − Π(w))`, the first in K, the second in −K, at a right angle.
#[test]
fn points_outside_of_a_cone_are_split_at_a_right_angle() {
    let mut random = Random::new(40);
    let inside = |x: &[f64]| x[0] - x[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    for n in [1, 2, 5] {
        for k in 0..40 {
            let mut w = random.vector(n);
            w[0] *= [0.1, 1.0, 10.0][k % 3];
            let left: Vec<f64> = (0..n).map(|i| outside(&(0..n), i, |j| w[j])).collect();
            let near: Vec<f64> = w.iter().zip(&left).map(|(w, left)| w - left).collect();
            let turned: Vec<f64> = left.iter().map(|x| -x).collect();
            assert!(inside(&near) > -1e-15 && inside(&turned) > -1e-15, "{w}");
            assert!(near.iter().zip(&left).map(|(a, b)| a * b).sum::<f64>().abs() < 1e-14, "{w}");
        }
    }
    // At the tip nothing is outside; no size, and no number that is none.
    assert_eq!(outside(&(0..3), 1, |_| 0.0), 0.0);
}

#[test]
fn multipliers_are_those_of_bounds_that_there_are() {
    let mut random = Random::new(50);
    let (mut rows, node, _) = rows(&mut random);
    let cone = limited(2).cones(1)[0].clone();
    for i in 0..rows.y.len() {
        let [lower, upper] = rows.split(i);
        // Six motors have bounds, which come first.
        if i >= 6 && cone.contains(&(i - 6)) {
            assert_eq!([lower, upper], [-rows.y[i], 0.0]);
        } else {
            assert_eq!(upper - lower, rows.y[i]);
            assert!(lower >= 0.0 && upper >= 0.0);
            assert!((lower == 0.0 || rows.lower[i].is_finite()) && (upper == 0.0 || rows.upper[i].is_finite()));
        }
    }
    // At the point where they are taken, nothing is left of either.
    rows.begin_direction();
    rows.finish_direction(MU, &node, None);
    rows.advance(1.0);
    let nu = &node.eq / MU + &rows.estimates_eq;
    let multipliers = Multipliers { eq: nu.clone(), ..Multipliers::default() };
    let [off, moved] = rows.left(&multipliers, MU);
    assert!(off < 1e-13 * 100.0 && moved > 0.0, "{off:e}, {moved}");
    rows.accept(&nu);
    assert_eq!(rows.left(&multipliers, MU)[1], 0.0);
    rows.forget();
    assert!(rows.y.iter().chain(rows.estimates_eq.iter()).all(|x| *x == 0.0));
    assert_eq!((rows.complementarity(), rows.bounds().0), (0.0, 0.0));
    // The product with the distance of the bound that it points to.
    (rows.y[0], rows.g[0]) = (-2.0, -80.0);
    assert_eq!(rows.complementarity(), 14.0);
    (rows.y[0], rows.g[0]) = (3.0, 80.0);
    assert_eq!(rows.complementarity(), 21.0);
    rows.g[0] = 90.0;
    assert_eq!((rows.residual(0), rows.max_residual() >= 3.0), (3.0, true));
}

#[test]
fn another_node_gives_multipliers_of_the_same_rows() {
    let mut random = Random::new(60);
    let ((mut to, ..), (from, ..)) = (rows(&mut random), rows(&mut random));
    to.warm_start_from(&from);
    assert_eq!(to.y, from.y);
    let mut end = Constraints::new(&limited(2), 2);
    end.warm_start_from(&from);
    assert!(end.y.is_empty());
    let mut u = [100.0, 100.0, -100.0, 1e6, 100.0, -100.0, 0.0];
    to.clamp_controls(&mut u);
    assert_eq!(u, [87.0, 87.0, -87.0, 1e6, 12.0, -12.0, 0.0]);
}
