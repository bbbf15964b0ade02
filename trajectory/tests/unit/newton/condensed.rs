//! Rows as squares in the cost of their node: the direction of least cost solves the linearized conditions of the
//! barrier problem, which are evaluated here one by one.

use super::rows;
use crate::quadratic::Quadratic;
use crate::solver::newton::elastic::{Elastic, PRICE};
use crate::solver::newton::inequalities::Inequalities;
use crate::solver::newton::lorentz::{point, scaling};
use crate::solver::tests::{Random, beside, joined, least, limited};
use nalgebra::{DMatrix, DVector};

const MU: f64 = 0.05;

/// All rows by states and controls: bounded controls, then `g`.
fn jacobian(rows: &Inequalities, node: &Quadratic) -> DMatrix<f64> {
    let (n, ndx) = (rows.controls.len(), node.lx.len());
    let of_g = beside(&node.ineq_x, &node.ineq_u);
    DMatrix::from_fn(rows.s.len(), of_g.ncols(), |i, j| match rows.controls.get(i) {
        Some(control) => f64::from(j == ndx + control),
        None => of_g[(i - n, j)],
    })
}

/// The multiplier of a row after a whole step.
fn after(rows: &Inequalities, i: usize) -> f64 {
    rows.z[1][i] + rows.dz[1][i] - rows.z[0][i] - rows.dz[0][i]
}

/// What is left of `z slack = μ` to first order: of each bound, and of the cone in the scaling of Nesterov and Todd,
/// `δs + W² δz = μ z⁻¹ − s`.
fn complementarity(rows: &Inequalities) -> f64 {
    let mut left: f64 = 0.0;
    for i in 0..rows.s.len() {
        for (k, (slack, sign)) in rows.slacks(i).into_iter().zip([1.0, -1.0]).enumerate() {
            if slack.is_finite() {
                let products = rows.z[k][i] * (slack + sign * rows.ds[i]) + slack * rows.dz[k][i] - MU;
                left = left.max(products.abs());
            }
        }
    }
    for cone in &rows.cones {
        let (s, z, n) = (cone.slack(&rows.s), &rows.z[0][cone.rows.clone()], cone.rows.len());
        let (mut inverse, mut square) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
        scaling(s, point(z), [&mut inverse, &mut square], &mut DVector::zeros(n));
        let of = |x: &[f64]| DVector::from_column_slice(&x[cone.rows.clone()]);
        let det = point(z).det();
        for (i, sum) in (of(&rows.ds) + square * of(&rows.dz[0])).iter().enumerate() {
            let (z, s) = (z[i] / det, if i == 0 { s.t } else { s.w[i - 1] });
            left = left.max((sum - MU * if i == 0 { z } else { -z } + s).abs());
        }
    }
    left
}

#[test]
fn directions_solve_the_linearized_conditions() {
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut rows = rows(&mut random, MU);
        let mut node = random.node(limited(2).dims(1));
        node.eq.fill(0.0);
        let mut condensed = node.clone();
        rows.barrier_terms(MU, None);
        rows.condense(&mut condensed);
        let [dx, du] = least(&condensed);
        rows.directions(&node, &dx, &du, MU, None);
        let (hessian, gradient) = joined(&node);
        let both = DVector::from_iterator(21, dx.iter().chain(du.iter()).copied());
        let by = jacobian(&rows, &node);
        let y = DVector::from_fn(rows.s.len(), |i, _| after(&rows, i));
        let dual = &hessian * &both + gradient + by.tr_mul(&y);
        // Weights of rows are at most some 1e3 of the Hessian: three of 15 digits are lost.
        assert!(dual.amax() < 1e-10, "{seed}: {:e}", dual.amax());
        let moved = &by * &both;
        for i in (0..rows.s.len()).filter(|i| rows.counts(*i)) {
            assert!((moved[i] + rows.residual(i) - rows.ds[i]).abs() < 1e-12, "{seed}, row {i}");
        }
        assert!(complementarity(&rows) < 1e-10, "{seed}: {:e}", complementarity(&rows));
        // A correction of second order changes nothing but what rows are off.
        let more: Vec<f64> = (0..rows.s.len()).map(|i| if i < 6 { 0.0 } else { random.number(-0.1, 0.1) }).collect();
        let mut corrected = condensed.clone();
        rows.correct(&mut corrected, &more);
        let [dx, du] = least(&corrected);
        rows.directions(&node, &dx, &du, MU, Some(&more));
        let mut off = rows.g.clone();
        off.iter_mut().zip(&more).for_each(|(g, more)| *g += more);
        let expected = rows.ds.clone();
        std::mem::swap(&mut rows.g, &mut off);
        let mut again = node.clone();
        rows.barrier_terms(MU, None);
        rows.condense(&mut again);
        let [same_x, same_u] = least(&again);
        rows.directions(&node, &same_x, &same_u, MU, None);
        assert!((dx - same_x).amax().max((du - same_u).amax()) < 1e-10, "{seed}");
        assert!(rows.ds.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-10), "{seed}");
    }
}

#[test]
fn elastic_directions_solve_the_conditions_of_the_restoration() {
    for seed in 0..5 {
        let mut random = Random::new(10 + seed);
        let (problem, mut rows) = (limited(2), rows(&mut random, MU));
        let node = random.node(problem.dims(1));
        let (n, n_eq) = (rows.controls.len(), node.eq.len());
        let mut elastic = Elastic::new(&problem, 1);
        (0..n_eq).for_each(|i| elastic.begin(i, Some(node.eq[i]), MU));
        (n..rows.s.len()).for_each(|i| elastic.begin(n_eq + i - n, rows.counts(i).then(|| rows.residual(i)), MU));
        // It begins with what is violated given up, on its own central path.
        for (i, c) in node.eq.iter().enumerate() {
            assert!((elastic.given(i) - c).abs() < 1e-12 && elastic.multiplier(i).abs() <= PRICE, "{seed}, {i}");
        }
        let mut condensed = node.clone();
        elastic.condense(&mut condensed, MU);
        assert!(condensed.eq.is_empty() || condensed.eq.amax() == 0.0);
        rows.barrier_terms(MU, Some(&elastic));
        rows.condense(&mut condensed);
        let [dx, du] = least(&condensed);
        elastic.swap(&mut condensed);
        assert_eq!((&condensed.eq, &condensed.eq_x, &condensed.eq_u), (&node.eq, &node.eq_x, &node.eq_u));
        elastic.directions(&node, &dx, &du, MU);
        rows.elastic_directions(&node, &dx, &du, MU, &mut elastic);
        let both = DVector::from_iterator(21, dx.iter().chain(du.iter()).copied());
        // Weights are up to ρ/μ, some 1e4.
        let (by, by_eq) = (jacobian(&rows, &node), beside(&node.eq_x, &node.eq_u));
        for (i, moved) in (&by_eq * &both).iter().enumerate() {
            assert!((node.eq[i] + moved - elastic.given_after(i, 1.0)).abs() < 1e-9, "{seed}, equality {i}");
        }
        for (i, moved) in (&by * &both).iter().enumerate().filter(|(i, _)| rows.counts(*i)) {
            let given = if i < n { 0.0 } else { elastic.given_after(n_eq + i - n, 1.0) };
            assert!((rows.residual(i) + moved - given - rows.ds[i]).abs() < 1e-9, "{seed}, row {i}");
        }
        assert!(complementarity(&rows) < 1e-7, "{seed}: {:e}", complementarity(&rows));
        // The slope of the price is what it does along the direction.
        let h = 1e-6;
        let slope = (elastic.cost(h, MU) - elastic.cost(-h, MU)) / (2.0 * h);
        assert!((slope - elastic.slope(MU)).abs() < 1e-4 * slope.abs().max(PRICE), "{seed}: {slope}");
        let [primal, dual] = elastic.max_step(0.99);
        assert!(primal > 0.0 && dual > 0.0 && primal <= 1.0 && dual <= 1.0);
        assert!(
            elastic.cost(primal, MU).is_finite()
                && elastic.cost(1.02 * primal / 0.99, MU).is_finite() == (primal == 1.0)
        );
        elastic.advance([1.0, 1.0]);
        let y = DVector::from_fn(rows.s.len(), |i, _| after(&rows, i));
        let nu = DVector::from_fn(n_eq, |i, _| elastic.multiplier(i));
        let (hessian, gradient) = joined(&node);
        let dual = &hessian * &both + gradient + by.tr_mul(&y) + by_eq.tr_mul(&nu);
        assert!(dual.amax() < 1e-7, "{seed}: {:e}", dual.amax());
        // Multipliers of elastic rows are those of the rows.
        for i in (n..rows.s.len()).filter(|i| rows.counts(*i)) {
            assert!((elastic.multiplier(n_eq + i - n) - y[i]).abs() < 1e-7 * PRICE, "{seed}, row {i}");
        }
    }
}
