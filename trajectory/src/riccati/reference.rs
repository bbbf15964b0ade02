//! One node of the sweep, line by line as in the equations of the [module](super). A test compares the
//! [vectorized form](super::vectorized) with it. Nodes with equalities use its small factors.

#[cfg(test)]
use super::Stagewise;
use crate::dense::add;
#[cfg(test)]
use crate::quadratic::Quadratic;
use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};

/// From the value function behind a node to the one before it, without δ of `Vₓₓ`. `None` if `Qᵤᵤ` is not positive
/// definite.
#[cfg(test)]
pub(super) fn step(lq: &Quadratic, next: &Stagewise, delta: f64, here: &mut Stagewise) -> Option<()> {
    let identity = DMatrix::identity(lq.lu.len(), lq.lu.len());
    let qx = &lq.lx + lq.a.tr_mul(&next.vx);
    let qu = &lq.lu + lq.b.tr_mul(&next.vx);
    let qxx = &lq.lxx + lq.a.tr_mul(&next.vxx) * &lq.a;
    let qxu = &lq.lxu + lq.a.tr_mul(&next.vxx) * &lq.b;
    let quu = &lq.luu + lq.b.tr_mul(&next.vxx) * &lq.b + identity * delta;
    let mut factor = quu.clone();
    cholesky(&mut factor.as_view_mut())?;
    here.k.copy_from(&qu);
    solve(&factor.as_view(), here.k.as_mut_slice());
    here.gain = qxu.transpose();
    for mut column in here.gain.column_iter_mut() {
        solve(&factor.as_view(), column.as_mut_slice());
    }
    here.quu_k = &quu * &here.k;
    here.vx = qx - here.gain.tr_mul(&qu);
    here.vxx = qxx - &qxu * &here.gain;
    here.qu = qu;
    symmetrize(&mut here.vxx);
    Some(())
}

/// The mean of both halves.
pub(super) fn symmetrize(m: &mut DMatrix<f64>) {
    for j in 0..m.ncols() {
        for i in 0..j {
            let mean = 0.5 * (m[(i, j)] + m[(j, i)]);
            (m[(i, j)], m[(j, i)]) = (mean, mean);
        }
    }
}

/// `m = L Lᵀ`, L into the lower triangle. `None` if m is not positive definite.
pub(super) fn cholesky(m: &mut DMatrixViewMut<'_, f64>) -> Option<()> {
    let n = m.nrows();
    for j in 0..n {
        for k in 0..j {
            let l = m[(j, k)];
            for i in j..n {
                m[(i, j)] -= m[(i, k)] * l;
            }
        }
        let pivot = m[(j, j)];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        let root = pivot.sqrt();
        for i in j..n {
            m[(i, j)] /= root;
        }
    }
    Some(())
}

/// `x := (L Lᵀ)⁻¹ x`
pub(super) fn solve(l: &DMatrixView<'_, f64>, x: &mut [f64]) {
    let n = x.len();
    for j in 0..n {
        x[j] /= l[(j, j)];
        for i in j + 1..n {
            x[i] -= l[(i, j)] * x[j];
        }
    }
    for j in (0..n).rev() {
        for i in j + 1..n {
            x[j] -= l[(i, j)] * x[i];
        }
        x[j] /= l[(j, j)];
    }
}

/// `X := X (L Lᵀ)⁻¹`, by columns: it is as long as X is high in the inner loop.
pub(super) fn solve_columns(l: &DMatrixView<'_, f64>, x: &mut [f64], height: usize) {
    let n = l.nrows();
    for j in 0..n {
        let (before, own) = x.split_at_mut(j * height);
        let own = &mut own[..height];
        for (i, before) in before.chunks_exact(height.max(1)).enumerate() {
            add(-l[(j, i)], before, own);
        }
        own.iter_mut().for_each(|x| *x /= l[(j, j)]);
    }
    for j in (0..n).rev() {
        let (own, after) = x[j * height..].split_at_mut(height);
        for (i, after) in (j + 1..n).zip(after.chunks_exact(height.max(1))) {
            add(-l[(i, j)], after, own);
        }
        own.iter_mut().for_each(|x| *x /= l[(j, j)]);
    }
}
