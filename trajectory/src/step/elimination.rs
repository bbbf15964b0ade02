//! Linear equations with a square matrix, in the memory of the matrix.

use nalgebra::DMatrix;

/// `x := m⁻¹ x`, by Gaussian elimination with pivots chosen in columns; `m` is used up. `None` if a pivot is zero or
/// not finite.
pub(super) fn solve(m: &mut DMatrix<f64>, x: &mut DMatrix<f64>) -> Option<()> {
    let n = m.nrows();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| m[(*i, k)].abs().total_cmp(&m[(*j, k)].abs()))?;
        if m[(pivot, k)] == 0.0 || !m[(pivot, k)].is_finite() {
            return None;
        }
        m.swap_rows(k, pivot);
        x.swap_rows(k, pivot);
        for i in k + 1..n {
            m[(i, k)] /= m[(k, k)];
        }
        for j in k + 1..n {
            let by = m[(k, j)];
            for i in k + 1..n {
                m[(i, j)] -= m[(i, k)] * by;
            }
        }
    }
    for mut x in x.column_iter_mut() {
        for k in 0..n {
            for i in k + 1..n {
                x[i] -= m[(i, k)] * x[k];
            }
        }
        for k in (0..n).rev() {
            x[k] /= m[(k, k)];
            for i in 0..k {
                x[i] -= m[(i, k)] * x[k];
            }
        }
    }
    Some(())
}
