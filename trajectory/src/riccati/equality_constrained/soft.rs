//! Soft equalities: controls and multipliers together.

use super::{Rows, Scratch, Wrong};
use crate::dense::add;
use crate::quadratic::Quadratic;
use crate::riccati::{Quadratics, Stagewise, reference};
use nalgebra::DVector;

/// From the value function behind a soft node, `δ_c > 0`, to the one before it.
pub(in crate::riccati) fn soft(
    lq: &Quadratic,
    eq: &DVector<f64>,
    q: &Quadratics,
    dual: f64,
    (here, rows): (&mut Stagewise, &mut Rows),
    scratch: &mut Scratch,
) -> Result<(), Wrong> {
    let (nu, own) = (lq.lu.len(), lq.eq.len());
    let Scratch { ldl, right, .. } = scratch;
    let n = nu + own;
    ldl.a.view_mut((0, 0), (nu, nu)).copy_from(&q.uu);
    ldl.a.view_mut((nu, 0), (own, nu)).copy_from(&lq.eq_u);
    for j in 0..own {
        for i in 0..n {
            let entry = if i < nu { lq.eq_u[(j, i)] } else { -dual * f64::from(i == nu + j) };
            ldl.a[(i, nu + j)] = entry;
        }
    }
    // As many positive eigenvalues as controls, or the node is no minimum.
    if ldl.factor(n) != Some(nu) {
        return Err(Wrong::Indefinite);
    }
    let right = &mut right[..n];
    right[..nu].copy_from_slice(q.u.as_slice());
    right[nu..].copy_from_slice(eq.as_slice());
    ldl.solve(right);
    here.k.as_mut_slice().copy_from_slice(&right[..nu]);
    rows.n[..own].copy_from_slice(&right[nu..]);
    here.qu.copy_from(&q.u);
    here.quu_k.gemv(1.0, &q.uu, &here.k, 0.0);
    here.vx.copy_from(&q.x);
    here.vx.gemv(-1.0, &q.xu, &here.k, 1.0);
    for (c, n) in lq.eq_x.row_iter().zip(&rows.n) {
        here.vx.iter_mut().zip(c.iter()).for_each(|(vx, c)| *vx -= n * c);
    }
    here.vxx.copy_from(&q.xx);
    for (j, mut vxx) in here.vxx.column_iter_mut().enumerate() {
        right[..nu].iter_mut().zip(q.xu.row(j).iter()).for_each(|(to, x)| *to = *x);
        right[nu..].copy_from_slice(lq.eq_x.column(j).as_slice());
        ldl.solve(right);
        here.gain.column_mut(j).as_mut_slice().copy_from_slice(&right[..nu]);
        for (i, x) in right[nu..].iter().enumerate() {
            rows.n_x[(j, i)] = *x;
        }
        for (x, xu) in right.iter().zip(q.xu.column_iter()) {
            add(-x, xu.as_slice(), vxx.as_mut_slice());
        }
        for (x, c) in right[nu..].iter().zip(lq.eq_x.row_iter()) {
            vxx.iter_mut().zip(c.iter()).for_each(|(vxx, c)| *vxx -= x * c);
        }
    }
    reference::symmetrize(&mut here.vxx);
    (rows.m, rows.own, rows.pivots, rows.rank) = (own, own, own, 0);
    rows.scale[..own].fill(1.0);
    rows.order[..own].iter_mut().enumerate().for_each(|(i, order)| *order = i);
    Ok(())
}
