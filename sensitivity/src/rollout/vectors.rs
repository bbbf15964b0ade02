//! Vectors over any number type.

use gradyn::Scalar;
use nalgebra::DMatrix;

/// `Aᵀ x`, over number types that nalgebra's products do not support.
pub(super) fn transposed_times<P: Scalar<f64>>(a: &DMatrix<P>, x: &[P]) -> Vec<P> {
    let dot = |j: usize| (0..x.len()).fold(P::from(0.0), |sum, i| sum + a[(i, j)] * x[i]);
    (0..a.ncols()).map(dot).collect()
}

/// Adds these.
pub(super) fn add<P: Scalar<f64>>(to: &mut [P], x: &[P]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += *x);
}
