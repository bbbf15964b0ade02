//! The KKT residual of a node, against its formula.

use super::Random;
use crate::quadratic::{Dims, Multipliers};
use crate::solver::optimality::{Conditions, Optimality};
use nalgebra::DVector;

const DIMS: Dims = Dims { nx: 4, ndx: 4, nu: 3, n_eq: 2, n_in: 2 };

#[test]
fn each_condition_is_the_largest_entry_of_its_formula() {
    // States have the largest entry of some, controls that of others.
    (0..20).for_each(|seed| conditions_are_those_of_formulas(&mut Random::new(seed)));
}

fn conditions_are_those_of_formulas(random: &mut Random) {
    let mut node = random.node(DIMS);
    (node.a, node.b) = (random.matrix(4, 4), random.matrix(4, 3));
    let multipliers = Multipliers { next: random.vector(4), eq: random.vector(2), ineq: random.vector(2) };
    let (costate, gap, scale, of_bounds) = (random.vector(4), random.vector(4), 0.3, [0.7, -0.2]);
    let controls = [0, 2];
    let mut found = Optimality::default();
    let conditions = |off: f64| Conditions {
        costate: &costate,
        multipliers: &multipliers,
        controls: &controls,
        gap: &gap,
        off,
        bounds: (0.9, 2),
    };
    let mut memory = [DVector::zeros(6), DVector::zeros(5)];
    found.add(&node, scale, conditions(0.0), |row| of_bounds[row], &mut memory);
    let Multipliers { next, eq, ineq } = &multipliers;
    let x = scale * &node.lx + node.a.tr_mul(next) - &costate + node.eq_x.tr_mul(eq) + node.ineq_x.tr_mul(ineq);
    let mut u = scale * &node.lu + node.b.tr_mul(next) + node.eq_u.tr_mul(eq) + node.ineq_u.tr_mul(ineq);
    controls.iter().zip(of_bounds).for_each(|(i, z)| u[*i] += z);
    // Sums of a dozen products of numbers below 1.
    assert!((found.dual - x.amax().max(u.amax())).abs() < 1e-14, "{found:?}");
    assert_eq!(found.primal, gap.amax().max(node.eq.amax()));
    // Multipliers of size 1 leave all as it is; rows that are off count as violations.
    assert_eq!(found.stationarity(), found.dual);
    assert_eq!(found.error(0.0), found.dual.max(found.primal));
    assert_eq!(found.error(50.0), 50.0);
    found.add(&node, scale, conditions(7.0), |row| of_bounds[row], &mut memory);
    assert_eq!(found.primal, 7.0);
}

/// Wächter and Biegler (2006), equation (6), with `s_max` = 100.
#[test]
fn large_multipliers_divide_what_they_make_large() {
    let (node, size) = (Random::new(2).node(DIMS), 4e3);
    let (costate, gap) = (DVector::from_element(4, size), DVector::zeros(4));
    let multipliers = Multipliers::new(DIMS, true);
    let bounds = (3.0 * size, 3);
    let here = Conditions { costate: &costate, multipliers: &multipliers, controls: &[], gap: &gap, off: 0.0, bounds };
    let mut found = Optimality::NONE;
    found.add(&node, 1.0, here, |_| 0.0, &mut [DVector::zeros(4), DVector::zeros(3)]);
    // Four entries of λ, two of ν and two of y that are zero, three of bounds.
    let mean = 7.0 * size / 11.0;
    assert!((found.stationarity() / (found.dual * 100.0 / mean) - 1.0).abs() < 1e-15, "{found:?}");
    // The mean of multipliers of bounds alone is 40 times what is large.
    assert_eq!(found.error(1e6), 1e6 / 40.0);
}

#[test]
fn a_node_without_controls_and_constraints_has_its_gradient_alone() {
    let dims = Dims { nu: 0, n_eq: 0, n_in: 0, ..DIMS };
    let node = Random::new(3).node(dims);
    let (zero, multipliers) = (DVector::zeros(4), Multipliers::new(dims, true));
    let here =
        Conditions { costate: &zero, multipliers: &multipliers, controls: &[], gap: &zero, off: 0.0, bounds: (0.0, 0) };
    let mut found = Optimality::NONE;
    found.add(&node, 1.0, here, |_| 0.0, &mut [DVector::zeros(4), DVector::zeros(0)]);
    assert_eq!((found.dual, found.primal), (node.lx.amax(), 0.0));
    // No bound, whatever is said of complementarity.
    assert_eq!(found.error(0.0), found.dual);
}
