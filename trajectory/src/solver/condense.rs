//! A row as a square in the cost of its node.

use nalgebra::{DMatrix, DVector};

/// `row · x`
pub(super) fn row_dot(m: &DMatrix<f64>, row: usize, x: &DVector<f64>) -> f64 {
    m.row(row).iter().zip(x.iter()).map(|(m, x)| m * x).sum()
}

/// Adds `½ σ (G δ)² + push G δ` of one row, `G = [x u]`, to the cost of its node.
pub(super) fn add_row(
    node: &mut Cost<'_>,
    [by_x, by_u]: [&DMatrix<f64>; 2],
    row: usize,
    [sigma, push]: [f64; 2],
    places: &mut Vec<usize>,
) {
    if sigma == 0.0 && push == 0.0 {
        return;
    }
    let (ndx, nu) = (by_x.ncols(), by_u.ncols());
    let Cost { lx, lu, lxx, lxu, luu } = node;
    let entry = |k: usize| if k < ndx { by_x[(row, k)] } else { by_u[(row, k - ndx)] };
    places.clear();
    places.extend((0..ndx + nu).filter(|k| entry(*k) != 0.0));
    for j in places.iter() {
        let by = entry(*j);
        let (weight, column) = (sigma * by, places.iter());
        if *j < ndx {
            lx[*j] += push * by;
            column.take_while(|i| **i < ndx).for_each(|i| lxx[(*i, *j)] += weight * entry(*i));
        } else {
            lu[*j - ndx] += push * by;
            for i in column {
                if *i < ndx {
                    lxu[(*i, *j - ndx)] += weight * entry(*i);
                } else {
                    luu[(*i - ndx, *j - ndx)] += weight * entry(*i);
                }
            }
        }
    }
}

/// The cost of a node, to be added to.
pub(super) struct Cost<'a> {
    pub(super) lx: &'a mut DVector<f64>,
    pub(super) lu: &'a mut DVector<f64>,
    pub(super) lxx: &'a mut DMatrix<f64>,
    pub(super) lxu: &'a mut DMatrix<f64>,
    pub(super) luu: &'a mut DMatrix<f64>,
}
