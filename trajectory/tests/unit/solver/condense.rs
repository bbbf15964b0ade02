//! Rows as squares in the cost of their node, and costs that are put back.

use super::{Random, beside, joined};
use crate::quadratic::{Curvature, Dims, Quadratic};
use crate::solver::condense::{Cost, add_row, row_dot};
use crate::solver::cost_model::CostModel;
use nalgebra::DVector;

const DIMS: Dims = Dims { nx: 5, ndx: 5, nu: 3, n_eq: 2, n_in: 4 };

#[test]
fn a_row_adds_its_square_wherever_its_zeros_are() {
    let mut random = Random::new(1);
    let mut node = random.node(DIMS);
    // Zeros at both ends, in the middle, in all of one part, and in all.
    for (row, zeros) in [(0, &[0, 4, 7][..]), (1, &[2]), (2, &[5, 6, 7]), (3, &[0, 1, 2, 3, 4, 5, 6, 7])] {
        for i in zeros {
            if *i < 5 { node.ineq_x[(row, *i)] = 0.0 } else { node.ineq_u[(row, i - 5)] = 0.0 }
        }
    }
    let all = beside(&node.ineq_x, &node.ineq_u);
    for row in 0..4 {
        for [sigma, push] in [[3.0, -2.0], [0.0, 1.5], [2.5, 0.0], [0.0, 0.0]] {
            let mut found = node.clone();
            let Quadratic { lx, lu, lxx, lxu, luu, ineq_x, ineq_u, .. } = &mut found;
            let mut cost = Cost { lx, lu, lxx, lxu, luu };
            add_row(&mut cost, [ineq_x, ineq_u], row, [sigma, push], &mut Vec::new());
            let (g, (hessian, gradient)) = (all.row(row).transpose(), joined(&node));
            let (found_hessian, found_gradient) = joined(&found);
            // Sums of two products of numbers below 10.
            assert!((found_hessian - hessian - sigma * &g * g.transpose()).amax() < 1e-14, "{row}, {sigma}");
            assert!((found_gradient - gradient - push * &g).amax() < 1e-14, "{row}, {push}");
        }
    }
}

#[test]
fn rows_and_vectors_multiply() {
    let mut random = Random::new(2);
    let (m, x) = (random.matrix(3, 6), random.vector(6));
    for row in 0..3 {
        assert!((row_dot(&m, row, &x) - (m.row(row) * &x)[0]).abs() < 1e-15, "{row}");
    }
    assert_eq!(row_dot(&random.matrix(2, 0), 1, &DVector::zeros(0)), 0.0);
}

#[test]
fn a_cost_is_put_back_scaled_with_or_without_curvature() {
    let mut random = Random::new(3);
    let mut node = random.node(DIMS);
    node.curvature = Curvature { xx: random.matrix(5, 5), xu: random.matrix(5, 3), uu: random.matrix(3, 3) };
    let mut model = CostModel::new(&DIMS);
    model.save(&node);
    let (dx, du) = (random.vector(5), random.vector(3));
    assert_eq!(model.slope(&dx, &du), node.lx.dot(&dx) + node.lu.dot(&du));
    for (scale, exact) in [(1.0, false), (0.25, false), (0.25, true)] {
        // What constraints, and solvers, have made of it meanwhile.
        let mut changed = Quadratic { curvature: node.curvature.clone(), ..random.node(DIMS) };
        model.restore(scale, exact, &mut changed);
        let share = f64::from(exact);
        assert_eq!((&changed.lx, &changed.lu), (&(scale * &node.lx), &(scale * &node.lu)));
        assert_eq!(changed.lxx, scale * (&node.lxx + share * &node.curvature.xx));
        assert_eq!(changed.lxu, scale * (&node.lxu + share * &node.curvature.xu));
        assert_eq!(changed.luu, scale * (&node.luu + share * &node.curvature.uu));
        // Equalities are not scaled.
        assert_eq!((&changed.eq, model.eq()), (&node.eq, &node.eq));
    }
}
