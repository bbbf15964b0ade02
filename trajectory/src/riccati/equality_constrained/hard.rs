//! Equalities that hold: elimination of controls by a rank-revealing factorization.

use super::scratch::Sized;
use super::{AGREE, AGREE_STEP, Rows, Scratch, Wrong};
use crate::dense::{Qr, add, dot};
use crate::quadratic::Quadratic;
use crate::riccati::{Quadratics, Stagewise, reference};
use nalgebra::DVector;

/// A row has no pivot if no more than this share of its length is left. Rounding leaves some 1e-14 of a row that
/// depends on others, sixty nodes further on.
const RANK: f64 = 1e-11;

/// From the value function behind a hard node to the one before it.
pub(in crate::riccati) fn hard(
    lq: &Quadratic,
    eq: &DVector<f64>,
    q: &Quadratics,
    behind: Option<&Rows>,
    (here, rows): (&mut Stagewise, &mut Rows),
    scratch: &mut Scratch,
) -> Result<(), Wrong> {
    let (ndx, nu) = (lq.lx.len(), lq.lu.len());
    gather(lq, eq, behind, rows, scratch)?;
    let Scratch { by_u, by_x, x, right, t, left, sizes, .. } = scratch;
    let own = sizes.iter_mut().find(|s| (s.ndx, s.nu) == (ndx, nu)).ok_or(Wrong::Indefinite)?;
    let m = rows.m;
    by_u.factor(nu, m, RANK);
    let r = by_u.rank;
    (rows.pivots, rows.rank) = (r, 0);
    rows.order[..m].copy_from_slice(&by_u.order[..m]);
    // T into the first columns of the gain, what is left of the other rows into the matrix of the second factors.
    let height = by_x.a.nrows();
    for i in 0..m {
        let (above, row) = (by_u.a.column(i), rows.order[i]);
        let (t_x, new) = own.gain.as_mut_slice().split_at_mut(i.min(r) * ndx);
        let to = if i < r { &mut new[..ndx] } else { &mut by_x.a.as_mut_slice()[(i - r) * height..][..ndx] };
        to.copy_from_slice(&x.column(row).as_slice()[..ndx]);
        let mut value = right[row];
        for (j, t_x) in t_x.chunks_exact(ndx.max(1)).enumerate() {
            add(-above[j], t_x, to);
            value -= above[j] * t[j];
        }
        if i < r {
            to.iter_mut().for_each(|x| *x /= above[i]);
            t[i] = value / above[i];
        } else {
            left[i - r] = value;
        }
    }
    keep_triangle(by_u, m, rows);
    policy(q, by_u, &t[..r], here, rows, own).ok_or(Wrong::Indefinite)?;
    let largest = right[..m].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    pass_on(by_x, &left[..m - r], AGREE * largest + AGREE_STEP, ndx, rows)
}

/// The rows of a node and those behind it, side by side as columns, divided by their lengths.
fn gather(
    lq: &Quadratic,
    eq: &DVector<f64>,
    behind: Option<&Rows>,
    rows: &mut Rows,
    scratch: &mut Scratch,
) -> Result<(), Wrong> {
    let (ndx, nu, own) = (lq.lx.len(), lq.lu.len(), lq.eq.len());
    let Scratch { by_u, x, right, .. } = scratch;
    for i in 0..own {
        let (c, d) = (lq.eq_x.row(i), lq.eq_u.row(i));
        let length = (c.norm_squared() + d.norm_squared()).sqrt();
        let scale = if length > 0.0 { length } else { 1.0 };
        by_u.a.column_mut(i).iter_mut().zip(d.iter()).for_each(|(to, d)| *to = d / scale);
        x.column_mut(i).iter_mut().zip(c.iter()).for_each(|(to, c)| *to = c / scale);
        right[i] = eq[i] / scale;
        rows.scale[i] = scale;
        if !(length.is_finite() && right[i].is_finite()) {
            return Err(Wrong::Indefinite);
        }
    }
    (rows.m, rows.own) = (own, own);
    let Some(behind) = behind.filter(|behind| behind.rank > 0) else { return Ok(()) };
    let length = (lq.a.norm_squared() + lq.b.norm_squared()).sqrt();
    let scale = if length > 0.0 { length } else { 1.0 };
    if !length.is_finite() {
        return Err(Wrong::Indefinite);
    }
    for i in 0..behind.rank {
        let e = behind.e_x.column(i);
        let e = e.as_slice();
        for (to, b) in by_u.a.column_mut(own + i).iter_mut().take(nu).zip(lq.b.column_iter()) {
            *to = dot(b.as_slice(), e) / scale;
        }
        for (to, a) in x.column_mut(own + i).iter_mut().take(ndx).zip(lq.a.column_iter()) {
            *to = dot(a.as_slice(), e) / scale;
        }
        right[own + i] = behind.e[i] / scale;
        rows.scale[own + i] = scale;
    }
    rows.m = own + behind.rank;
    Ok(())
}

/// Keeps R, and makes `R⁻¹ S` of what stands beside it.
fn keep_triangle(by_u: &Qr, m: usize, rows: &mut Rows) {
    let (r, height) = (by_u.rank, rows.r.nrows());
    for j in 0..m {
        rows.r.column_mut(j).as_mut_slice()[..r].copy_from_slice(&by_u.a.column(j).as_slice()[..r]);
    }
    let (triangle, beside) = rows.r.as_mut_slice().split_at_mut(r * height);
    for column in beside.chunks_exact_mut(height.max(1)).take(m - r) {
        for i in (0..r).rev() {
            let x = column[i] / triangle[i * height + i];
            column[i] = x;
            add(-x, &triangle[i * height..][..i], &mut column[..i]);
        }
    }
}

/// `k`, `K` and the value function, from `a = −t − T δx`; T stands in the first columns of the gain.
fn policy(
    q: &Quadratics,
    by_u: &mut Qr,
    t: &[f64],
    here: &mut Stagewise,
    rows: &mut Rows,
    own: &mut Sized,
) -> Option<()> {
    let (ndx, nu, r) = (own.ndx, own.nu, t.len());
    let Sized { xu, uu, before, gain, k, u, .. } = own;
    // Qₓᵤ [Y Z], [Y Z]ᵀ Qᵤᵤ [Y Z], [Y Z]ᵀ Qᵤ
    xu.copy_from(&q.xu);
    by_u.times(xu);
    uu.copy_from(&q.uu);
    by_u.times(uu);
    uu.transpose_mut();
    by_u.times(uu);
    u.copy_from_slice(q.u.as_slice());
    by_u.transposed_times(u);
    // What a has settled: gradients of b, and beside them of a.
    before.copy_from(xu);
    for (column, to) in uu.column_iter().zip(xu.as_mut_slice().chunks_exact_mut(ndx.max(1))) {
        for (x, t_x) in column.iter().take(r).zip(gain.as_slice().chunks_exact(ndx.max(1))) {
            add(-x, t_x, to);
        }
    }
    for (t, column) in t.iter().zip(uu.column_iter()) {
        add(-t, column.as_slice(), u);
    }
    k[..r].copy_from_slice(t);
    k[r..].copy_from_slice(&u[r..]);
    gain.columns_mut(r, nu - r).copy_from(&xu.columns(r, nu - r));
    // Factors in place of Zᵀ Qᵤᵤ Z: the block beside it stays.
    reference::cholesky(&mut uu.view_mut((r, r), (nu - r, nu - r)))?;
    let factor = uu.view((r, r), (nu - r, nu - r));
    reference::solve(&factor, &mut k[r..]);
    reference::solve_columns(&factor, &mut gain.as_mut_slice()[r * ndx..], ndx);

    here.qu.copy_from(&q.u);
    here.vx.copy_from(&q.x);
    here.vxx.copy_from(&q.xx);
    for i in 0..nu {
        let (x, x_settled, k_x) = (before.column(i), xu.column(i), gain.column(i));
        add(-u[i], k_x.as_slice(), here.vx.as_mut_slice());
        if i < r {
            add(-k[i], x.as_slice(), here.vx.as_mut_slice());
        }
        for (j, to) in here.vxx.as_mut_slice().chunks_exact_mut(ndx.max(1)).enumerate() {
            add(-x_settled[j], k_x.as_slice(), to);
            if i < r {
                add(-k_x[j], x.as_slice(), to);
            }
        }
    }
    reference::symmetrize(&mut here.vxx);
    // R n = gradient of a, and so with N.
    for i in 0..r {
        let n_x = &mut rows.n_x.as_mut_slice()[i * ndx..][..ndx];
        n_x.copy_from_slice(xu.column(i).as_slice());
        rows.n[i] = u[i];
        for j in r..nu {
            add(-uu[(i, j)], gain.column(j).as_slice(), n_x);
            rows.n[i] -= uu[(i, j)] * k[j];
        }
    }
    for i in (0..r).rev() {
        let (own, later) = rows.n_x.as_mut_slice()[i * ndx..].split_at_mut(ndx);
        for (j, later) in (i + 1..r).zip(later.chunks_exact(ndx.max(1))) {
            add(-rows.r[(i, j)], later, own);
            rows.n[i] -= rows.r[(i, j)] * rows.n[j];
        }
        own.iter_mut().for_each(|x| *x /= rows.r[(i, i)]);
        rows.n[i] /= rows.r[(i, i)];
    }
    by_u.apply(k);
    by_u.times_transposed(gain);
    here.k.as_mut_slice().copy_from_slice(k);
    gain.transpose_to(&mut here.gain);
    here.quu_k.gemv(1.0, &q.uu, &here.k, 0.0);
    Some(())
}

/// Rows without a pivot become `E δx + e = 0`; those that depend on others must agree with them.
fn pass_on(by_x: &mut Qr, right: &[f64], tolerance: f64, ndx: usize, rows: &mut Rows) -> Result<(), Wrong> {
    let m = right.len();
    by_x.factor(ndx, m, RANK);
    let rank = by_x.rank;
    rows.left_order[..m].copy_from_slice(&by_x.order[..m]);
    for j in 0..m {
        let above = by_x.a.column(j);
        let above = &above.as_slice()[..rank];
        rows.left.column_mut(j).as_mut_slice()[..rank].copy_from_slice(above);
        let known = &rows.e[..rank.min(j)];
        let value = right[by_x.order[j]] - dot(&above[..known.len()], known);
        if j < rank {
            rows.e[j] = value / above[j];
        } else if value.is_nan() || value.abs() > tolerance {
            rows.rank = rank;
            return Err(Wrong::Infeasible(j));
        }
    }
    for (j, to) in rows.e_x.as_mut_slice().chunks_exact_mut(ndx.max(1)).take(rank).enumerate() {
        to.fill(0.0);
        to[j] = 1.0;
        by_x.apply(to);
    }
    rows.rank = rank;
    Ok(())
}
