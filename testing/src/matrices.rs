//! Comparisons of matrices, and what their rounding grows with.

use nalgebra::DMatrix;

/// The largest deviation of two matrices, relative to the largest entry of the second (at least one).
pub fn deviation(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let scale = b.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    let worst = a
        .iter()
        .zip(b.iter())
        .fold(0.0, |w: f64, (x, y)| if (x - y).is_nan() { f64::NAN } else { w.max((x - y).abs()) });
    worst / scale
}

/// Condition number of the mass matrix with its diagonal scaled to one, which is what rounding in a factorization without
/// pivoting grows with. Each result is a sum over the tree of products of such sums: some thousand roundings.
pub fn condition(m: &DMatrix<f64>) -> f64 {
    let scaled = DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] / (m[(i, i)] * m[(j, j)]).sqrt());
    let eigenvalues = scaled.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}
