//! A row as a square in the cost of its node.

use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// `row · x`
pub(super) fn row_dot(m: &DMatrix<f64>, row: usize, x: &DVector<f64>) -> f64 {
    m.row(row).iter().zip(x.iter()).map(|(m, x)| m * x).sum()
}

/// Adds `½ σ (G δ)² + push G δ` of one row, `G = [x u]`, to the cost of its node. Cost: the square of the span of its
/// entries that are not zero.
pub(super) fn add_row(
    node: &mut Cost<'_>,
    [by_x, by_u]: [&DMatrix<f64>; 2],
    row: usize,
    [sigma, push]: [f64; 2],
    line: &mut Vec<f64>,
) {
    if sigma == 0.0 && push == 0.0 {
        return;
    }
    // Entries of a row are far from each other; columns of second derivatives are not.
    line.clear();
    line.extend(by_x.row(row).iter().chain(by_u.row(row).iter()));
    let (x, u) = line.split_at(by_x.ncols());
    let (x_span, u_span) = (span(x), span(u));
    let Cost { lx, lu, lxx, lxu, luu } = node;
    for j in x_span.clone() {
        lx[j] += push * x[j];
        add(lxx, j, sigma * x[j], (x, &x_span));
    }
    for j in u_span.clone() {
        lu[j] += push * u[j];
        add(lxu, j, sigma * u[j], (x, &x_span));
        add(luu, j, sigma * u[j], (u, &u_span));
    }
}

/// From the first entry that is not zero to the last one.
fn span(part: &[f64]) -> Range<usize> {
    let first = part.iter().position(|x| *x != 0.0).unwrap_or(0);
    first..part.iter().rposition(|x| *x != 0.0).map_or(first, |last| last + 1)
}

/// Adds `weight · part` to a column.
fn add(to: &mut DMatrix<f64>, column: usize, weight: f64, (part, span): (&[f64], &Range<usize>)) {
    if weight != 0.0 {
        let height = to.nrows();
        let column = &mut to.as_mut_slice()[column * height..][span.clone()];
        column.iter_mut().zip(&part[span.clone()]).for_each(|(to, x)| *to += weight * x);
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
