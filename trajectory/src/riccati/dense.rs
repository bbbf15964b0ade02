//! One node of the sweep, line by line as the equations of the [module](super) have it. The [fast form](super::fast) is held to it.

use super::{Quadratics, Stagewise};
use crate::dense::add;
use crate::quadratic::Quadratic;
use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};

/// `Qₓ`, `Qᵤ`, `Qₓₓ`, `Qₓᵤ`, `Qᵤᵤ` with δ.
pub(super) fn assemble(lq: &Quadratic, next: &Stagewise, delta: f64, q: &mut Quadratics) {
    q.x.copy_from(&lq.lx);
    q.x.gemv_tr(1.0, &lq.a, &next.vx, 1.0);
    q.u.copy_from(&lq.lu);
    q.u.gemv_tr(1.0, &lq.b, &next.vx, 1.0);
    q.a_v.gemm_tr(1.0, &lq.a, &next.vxx, 0.0);
    q.b_v.gemm_tr(1.0, &lq.b, &next.vxx, 0.0);
    q.xx.copy_from(&lq.lxx);
    q.xx.gemm(1.0, &q.a_v, &lq.a, 1.0);
    q.xu.copy_from(&lq.lxu);
    q.xu.gemm(1.0, &q.a_v, &lq.b, 1.0);
    q.uu.copy_from(&lq.luu);
    q.uu.gemm(1.0, &q.b_v, &lq.b, 1.0);
    for i in 0..q.u.len() {
        q.uu[(i, i)] += delta;
    }
}

/// `k`, `K`, `vₓ`, `Vₓₓ` without δ. `None` if `Qᵤᵤ` is not positive definite.
pub(super) fn eliminate(q: &mut Quadratics, here: &mut Stagewise) -> Option<()> {
    here.qu.copy_from(&q.u);
    here.vx.copy_from(&q.x);
    here.vxx.copy_from(&q.xx);
    q.factor.copy_from(&q.uu);
    cholesky(&mut q.factor.as_view_mut())?;
    here.k.copy_from(&q.u);
    solve(&q.factor.as_view(), here.k.as_mut_slice());
    q.xu.transpose_to(&mut here.gain);
    for mut column in here.gain.column_iter_mut() {
        solve(&q.factor.as_view(), column.as_mut_slice());
    }
    here.quu_k.gemv(1.0, &q.uu, &here.k, 0.0);
    here.vx.gemv_tr(-1.0, &here.gain, &here.qu, 1.0);
    here.vxx.gemm(-1.0, &q.xu, &here.gain, 1.0);
    symmetrize(&mut here.vxx);
    Some(())
}

/// [`eliminate`], with `δu` between bounds.
pub(super) fn eliminate_in_box(q: &mut Quadratics, bounds: (&[f64], &[f64]), here: &mut Stagewise) -> Option<()> {
    here.qu.copy_from(&q.u);
    here.vx.copy_from(&q.x);
    here.vxx.copy_from(&q.xx);
    // From the step of the last sweep.
    here.k.neg_mut();
    q.boxed.solve(&q.uu, &q.u, bounds, &here.k)?;
    here.k.copy_from(q.boxed.x());
    here.k.neg_mut();
    q.xu.transpose_to(&mut here.gain);
    for mut column in here.gain.column_iter_mut() {
        q.boxed.apply(column.as_mut_slice());
    }
    for i in 0..here.qu.len() {
        if !q.boxed.is_free(i) {
            here.qu[i] = 0.0;
        }
    }
    here.quu_k.gemv(1.0, &q.uu, &here.k, 0.0);
    here.vx.gemv_tr(-1.0, &here.gain, &here.qu, 1.0);
    here.vxx.gemm(-1.0, &q.xu, &here.gain, 1.0);
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
