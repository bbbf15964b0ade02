//! One node of the sweep, by dense products.

use super::Stagewise;
use crate::quadratic::{Dims, Quadratic};
use nalgebra::{DMatrix, DVector};

/// Memory of the sweep, for the largest node.
#[derive(Debug)]
pub(super) struct Scratch {
    sizes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    ndx: usize,
    nu: usize,
    a_v: DMatrix<f64>,
    b_v: DMatrix<f64>,
    qx: DVector<f64>,
    qxx: DMatrix<f64>,
    qxu: DMatrix<f64>,
    quu: DMatrix<f64>,
    factor: DMatrix<f64>,
}

impl Scratch {
    pub(super) fn new(dims: &[Dims]) -> Self {
        let mut sizes: Vec<Node> = Vec::new();
        for &Dims { ndx, nu, .. } in dims {
            if !sizes.iter().any(|node| (node.ndx, node.nu) == (ndx, nu)) {
                sizes.push(Node {
                    ndx,
                    nu,
                    a_v: DMatrix::zeros(ndx, ndx),
                    b_v: DMatrix::zeros(nu, ndx),
                    qx: DVector::zeros(ndx),
                    qxx: DMatrix::zeros(ndx, ndx),
                    qxu: DMatrix::zeros(ndx, nu),
                    quu: DMatrix::zeros(nu, nu),
                    factor: DMatrix::zeros(nu, nu),
                });
            }
        }
        Self { sizes }
    }
}

/// From the value function behind a node to the one before it. `None` if `Qᵤᵤ` is not positive definite.
pub(super) fn step(
    lq: &Quadratic,
    next: &Stagewise,
    delta: f64,
    here: &mut Stagewise,
    scratch: &mut Scratch,
) -> Option<()> {
    let (ndx, nu) = (lq.lx.len(), lq.lu.len());
    let m = scratch.sizes.iter_mut().find(|node| (node.ndx, node.nu) == (ndx, nu))?;
    m.qx.copy_from(&lq.lx);
    m.qx.gemv_tr(1.0, &lq.a, &next.vx, 1.0);
    m.a_v.gemm_tr(1.0, &lq.a, &next.vxx, 0.0);
    m.qxx.copy_from(&lq.lxx);
    m.qxx.gemm(1.0, &m.a_v, &lq.a, 1.0);
    here.vx.copy_from(&m.qx);
    here.vxx.copy_from(&m.qxx);
    if nu > 0 {
        here.qu.copy_from(&lq.lu);
        here.qu.gemv_tr(1.0, &lq.b, &next.vx, 1.0);
        m.b_v.gemm_tr(1.0, &lq.b, &next.vxx, 0.0);
        m.quu.copy_from(&lq.luu);
        m.quu.gemm(1.0, &m.b_v, &lq.b, 1.0);
        m.qxu.copy_from(&lq.lxu);
        m.qxu.gemm(1.0, &m.a_v, &lq.b, 1.0);
        for i in 0..nu {
            m.quu[(i, i)] += delta;
        }
        m.factor.copy_from(&m.quu);
        cholesky(&mut m.factor)?;
        here.k.copy_from(&here.qu);
        solve(&m.factor, here.k.as_mut_slice());
        m.qxu.transpose_to(&mut here.gain);
        for mut column in here.gain.column_iter_mut() {
            solve(&m.factor, column.as_mut_slice());
        }
        here.quu_k.gemv(1.0, &m.quu, &here.k, 0.0);
        here.vx.gemv_tr(-1.0, &here.gain, &here.qu, 1.0);
        here.vxx.gemm(-1.0, &m.qxu, &here.gain, 1.0);
    }
    for j in 0..ndx {
        for i in 0..j {
            let mean = 0.5 * (here.vxx[(i, j)] + here.vxx[(j, i)]);
            (here.vxx[(i, j)], here.vxx[(j, i)]) = (mean, mean);
        }
    }
    Some(())
}

/// `m = L Lᵀ`, L into the lower triangle. `None` if m is not positive definite.
fn cholesky(m: &mut DMatrix<f64>) -> Option<()> {
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
fn solve(l: &DMatrix<f64>, x: &mut [f64]) {
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
