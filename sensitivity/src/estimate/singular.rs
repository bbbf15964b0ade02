//! Singular values of a small square matrix, to high relative accuracy.
//!
//! Sources: M. Hestenes, *Inversion of matrices by biorthogonalization and related results*, J. SIAM 6(1), 1958
//! (rotations of pairs of columns); J. Demmel, K. Veselić, *Jacobi's method is more accurate than QR*, SIAM J. Matrix
//! Anal. Appl. 13(4), 1992.

use nalgebra::{DMatrix, DVector};

/// `A V = U Σ`: the singular values in descending order, and V with its columns in that order.
#[derive(Debug)]
pub(super) struct Singular {
    pub(super) values: DVector<f64>,
    pub(super) v: DMatrix<f64>,
}

/// The sweep limit. Each sweep squares the remaining angles; ten are plenty.
const SWEEPS: usize = 40;

/// Decomposes a matrix with finite entries. A few times O(k³).
pub(super) fn singular(mut a: DMatrix<f64>) -> Singular {
    let k = a.ncols();
    let mut v = DMatrix::identity(k, k);
    // A common scale, so that no square overflows or underflows.
    let scale = a.amax();
    if scale > 0.0 {
        a /= scale;
    }
    for _ in 0..SWEEPS {
        let mut turned = false;
        for i in 0..k {
            for j in i + 1..k {
                let (aa, bb, ab) =
                    (a.column(i).norm_squared(), a.column(j).norm_squared(), a.column(i).dot(&a.column(j)));
                if ab.abs() <= f64::EPSILON * (aa * bb).sqrt() {
                    continue;
                }
                turned = true;
                let zeta = (bb - aa) / (2.0 * ab);
                let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                rotate(&mut a, i, j, cosine, cosine * tangent);
                rotate(&mut v, i, j, cosine, cosine * tangent);
            }
        }
        if !turned {
            break;
        }
    }
    let lengths: Vec<f64> = a.column_iter().map(|column| scale * column.norm()).collect();
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|i, j| lengths[*j].total_cmp(&lengths[*i]));
    let values = DVector::from_iterator(k, order.iter().map(|i| lengths[*i]));
    Singular { values, v: v.select_columns(&order) }
}

fn rotate(a: &mut DMatrix<f64>, i: usize, j: usize, c: f64, s: f64) {
    for row in 0..a.nrows() {
        let (x, y) = (a[(row, i)], a[(row, j)]);
        a[(row, i)] = c * x - s * y;
        a[(row, j)] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::stream;
    use rand::RngExt;

    /// `(A V)ᵀ A V = Σ²` and `VᵀV = 1`; a planted singular value of 1e-12 is found to all but a few digits.
    #[test]
    fn factors_multiply_back_and_small_values_are_right() {
        let mut rng = stream(3, 0);
        let mut orthogonal = |k: usize| DMatrix::from_fn(k, k, |_, _| rng.random_range(-1.0..1.0)).qr().q();
        let (u, w) = (orthogonal(6), orthogonal(6));
        let planted = [3.0, 1.0, 0.5, 1e-3, 1e-6, 1e-12];
        let a = u * DMatrix::from_diagonal(&DVector::from_row_slice(&planted)) * w.transpose();
        let found = singular(a.clone());
        let av = &a * &found.v;
        let square = av.transpose() * &av;
        assert!((found.v.transpose() * &found.v - DMatrix::identity(6, 6)).amax() < 1e-14, "V is not orthogonal");
        for (i, planted) in planted.iter().enumerate() {
            // The product above rounds to 1e-16 of its largest.
            assert!((found.values[i] - planted).abs() < 1e-14, "{} instead of {planted}", found.values[i]);
            assert!((square[(i, i)] - found.values[i].powi(2)).abs() < 1e-14);
        }
    }
}
