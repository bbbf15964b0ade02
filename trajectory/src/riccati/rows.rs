//! Nodes with equalities: `C δx + D δu + c = 0`, and the equations that later nodes require, `E δx⁺ + e = 0`.
//!
//! **Hard**, `δ_c = 0`. The rows by the controls, `M = [D; E⁺ B]`, are factored, `Mᵀ Π = [Y Z] [R S; 0 0]`, and
//! `δu = Y a + Z b`:
//!
//! ```text
//! a = −t − T δx ,   Rᵀ T = first rows of Πᵀ [C; E⁺ A] ,   Rᵀ t = first rows of Πᵀ [c; e⁺]
//! b = −(Zᵀ Qᵤᵤ Z)⁻¹ Zᵀ (Qᵤ + Qᵤₓ δx + Qᵤᵤ Y a)
//! ```
//!
//! The other rows have no pivot: `(rest) − Sᵀ T` and `(rest) − Sᵀ t` go back as `E δx + e = 0`, factored once more, so
//! that the rows of E are orthonormal. Dependent rows must agree with them. Multipliers follow in the forward pass:
//! `Mᵀ w = −(Qᵤᵤ δu + Qᵤₓ δx + Qᵤ)` for rows with a pivot, and for the others the multipliers that the node before has
//! found for E. L. Vanroye, J. De Schutter, W. Decré, *A generalization of the Riccati recursion for
//! equality-constrained linear quadratic optimal control*, Optim. Control Appl. Meth. (2023); F. Laine, C. Tomlin,
//! *Efficient computation of feedback control for equality-constrained LQR*, ICRA 2019.
//!
//! **Soft**, `δ_c > 0`, `C δx + D δu + c = δ_c ν`: `δu` and `ν` together,
//!
//! ```text
//! [Qᵤᵤ  Dᵀ ] [δu]     [Qᵤ]   [Qᵤₓ]
//! [D   −δ_c] [ν ] = − [c ] − [C  ] δx
//! ```
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP*, IEEE T-RO 41 (2025), section
//! III.

use super::{Quadratics, Stagewise, dense};
use crate::dense::{Ldl, Qr, add, dot};
use crate::quadratic::{Dims, Quadratic};
use nalgebra::{DMatrix, DVector};

/// A row has no pivot if no more than this share of its length is left. Rounding leaves some 1e-14 of a row that
/// depends on others, sixty nodes further on.
const RANK: f64 = 1e-11;

/// Rows that depend on others must agree with them to this share of the largest right-hand side,
const AGREE: f64 = 1e-9;
/// or to this length of a step: where a solver has converged, right-hand sides are nothing but rounding errors.
const AGREE_STEP: f64 = 1e-10;

/// A certificate's entries above this share of the largest one name the nodes that cannot hold together.
const NAMED: f64 = 1e-8;

/// The equalities of a node and those behind it, as the sweep leaves them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Rows of E.
    pub(super) rank: usize,
    /// `Eᵀ`, its first columns.
    e_x: DMatrix<f64>,
    /// `e`, with the gap.
    pub(super) e: Vec<f64>,
    /// Rows here: the node's own, and those of E behind it.
    m: usize,
    own: usize,
    /// Rows with a pivot; of a soft node all of its own.
    pivots: usize,
    /// Lengths by which rows have been divided.
    scale: Vec<f64>,
    /// Which row stands where: those with a pivot first.
    order: Vec<usize>,
    /// Multipliers of rows with a pivot are `−n − N δx − R⁻¹ S w₂`: `Nᵀ`,
    n_x: DMatrix<f64>,
    /// n,
    pub(super) n: Vec<f64>,
    /// and R with `R⁻¹ S` beside it.
    r: DMatrix<f64>,
    /// The triangle of the factors of E.
    left: DMatrix<f64>,
    left_order: Vec<usize>,
}

/// Memory for the node with the most rows.
#[derive(Debug)]
pub(super) struct Scratch {
    by_u: Qr,
    by_x: Qr,
    ldl: Ldl,
    /// `[C; E⁺ A]`, transposed.
    x: DMatrix<f64>,
    /// `[c; e⁺]`, and what the elimination leaves of it.
    right: Vec<f64>,
    t: Vec<f64>,
    left: Vec<f64>,
    sizes: Vec<Sized>,
    /// Multipliers on the way.
    pub(super) w: Vec<f64>,
    pub(super) mu: [Vec<f64>; 2],
}

/// Memory of nodes of one size.
#[derive(Debug)]
struct Sized {
    ndx: usize,
    nu: usize,
    xu: DMatrix<f64>,
    uu: DMatrix<f64>,
    before: DMatrix<f64>,
    /// `Kᵀ`
    gain: DMatrix<f64>,
    k: Vec<f64>,
    u: Vec<f64>,
}

/// What [`Rows`] have to be for each node.
pub(super) fn rows(dims: &[Dims]) -> Vec<Rows> {
    let mut behind = 0;
    let mut rows: Vec<_> = dims
        .iter()
        .rev()
        .map(|d| {
            let rows = Rows::new(d, behind);
            behind = rows.e.len();
            rows
        })
        .collect();
    rows.reverse();
    rows
}

impl Rows {
    fn new(dims: &Dims, behind: usize) -> Self {
        let Dims { ndx, nu, n_eq, .. } = *dims;
        let m = n_eq + behind;
        let (pivots, rank) = (nu.min(m).max(n_eq), ndx.min(m));
        Self {
            e_x: DMatrix::zeros(ndx, rank),
            e: vec![0.0; rank],
            scale: vec![1.0; m],
            order: vec![0; m],
            n_x: DMatrix::zeros(ndx, pivots),
            n: vec![0.0; pivots],
            r: DMatrix::zeros(pivots, m),
            left: DMatrix::zeros(rank, m),
            left_order: vec![0; m],
            ..Self::default()
        }
    }

    /// None here.
    pub(super) fn clear(&mut self) {
        (self.m, self.own, self.pivots, self.rank) = (0, 0, 0, 0);
    }

    /// Moves them by the gap.
    pub(super) fn move_by(&mut self, gap: &[f64]) {
        for (e, column) in self.e.iter_mut().zip(self.e_x.column_iter()).take(self.rank) {
            *e += dot(column.as_slice(), gap);
        }
    }

    /// Whether `E δx + e = 0` holds at the start of the trajectory, where `δx` is only the gap.
    pub(super) fn hold_at_start(&self, gap: &[f64]) -> bool {
        let rows = self.e_x.column_iter().zip(&self.e).take(self.rank);
        let largest = gap.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        rows.fold(true, |hold, (_, e)| hold && e.abs() <= AGREE * largest + AGREE_STEP)
    }

    /// `out += Eᵀ μ`
    pub(super) fn add_to_costate(&self, mu: &[f64], out: &mut [f64]) {
        for (mu, column) in mu.iter().zip(self.e_x.column_iter()).take(self.rank) {
            add(*mu, column.as_slice(), out);
        }
    }

    /// Multipliers w of all rows here, divided by their lengths, from those of E. Without `dx` all right-hand sides
    /// count as zero.
    fn spread(&self, mu: &[f64], dx: Option<&[f64]>, w: &mut [f64]) {
        let (r, left) = (self.pivots, &self.left);
        let (with, without) = w[..self.m].split_at_mut(r);
        for i in (0..self.rank).rev() {
            let later: f64 = (i + 1..self.rank).map(|j| left[(i, j)] * without[self.left_order[j]]).sum();
            without[self.left_order[i]] = (mu[i] - later) / left[(i, i)];
        }
        for (i, with) in with.iter_mut().enumerate() {
            *with = dx.map_or(0.0, |dx| -self.n[i] - dot(self.n_x.column(i).as_slice(), dx));
        }
        for (j, w) in without.iter().enumerate() {
            add(-w, &self.r.column(r + j).as_slice()[..r], with);
        }
    }

    /// Multipliers of the node's own rows and of those of E behind it, from those of E here.
    pub(super) fn forward(&self, mu: &[f64], dx: &[f64], w: &mut [f64], nu: &mut [f64], behind: &mut [f64]) {
        w[..self.m].fill(0.0);
        self.spread(mu, Some(dx), w);
        for (w, row) in w.iter().zip(&self.order[..self.m]) {
            let value = w / self.scale[*row];
            if *row < self.own { nu[*row] = value } else { behind[*row - self.own] = value }
        }
    }
}

/// The nodes whose equalities contradict each other, from the node where it shows on: weights with which their rows add
/// up to zero, and their right-hand sides do not. `place`: of the row that has shown it; of the start, `None`.
pub(super) fn contradiction(all: &[Rows], node: usize, place: Option<usize>) -> Vec<usize> {
    let Some(rows) = all.get(node) else { return Vec::new() };
    let mut mu = match place {
        Some(place) => rows.left.column(place).iter().take(rows.rank).map(|x| -x).collect(),
        None => rows.e[..rows.rank].to_vec(),
    };
    let mut weights = Vec::new();
    for (k, rows) in all.iter().enumerate().skip(node) {
        let mut w = vec![0.0; rows.m];
        if let (Some(place), true) = (place, k == node) {
            w[rows.pivots + rows.left_order[place]] = 1.0;
        }
        rows.spread(&mu, None, &mut w);
        let mut behind = vec![0.0; rows.m - rows.own];
        let mut own: f64 = 0.0;
        for (w, row) in w.iter().zip(&rows.order) {
            if *row < rows.own { own = own.max(w.abs()) } else { behind[*row - rows.own] = w / rows.scale[*row] }
        }
        weights.push((k, own));
        if behind.is_empty() {
            break;
        }
        mu = behind;
    }
    let largest = weights.iter().fold(0.0, |most: f64, (_, own)| most.max(*own));
    weights.retain(|(_, own)| *own > NAMED * largest);
    weights.into_iter().map(|(k, _)| k).collect()
}

impl Scratch {
    pub(super) fn new(dims: &[Dims], rows: &[Rows]) -> Self {
        let most = |of: fn(&Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        let m = rows.iter().map(|rows| rows.order.len()).max().unwrap_or(0);
        let (ndx, nu, n_eq) = if m > 0 { (most(|d| d.ndx), most(|d| d.nu), most(|d| d.n_eq)) } else { (0, 0, 0) };
        let mut sizes: Vec<Sized> = Vec::new();
        for (&Dims { ndx, nu, .. }, rows) in dims.iter().zip(rows) {
            if !rows.order.is_empty() && !sizes.iter().any(|s| (s.ndx, s.nu) == (ndx, nu)) {
                sizes.push(Sized {
                    ndx,
                    nu,
                    xu: DMatrix::zeros(ndx, nu),
                    uu: DMatrix::zeros(nu, nu),
                    before: DMatrix::zeros(ndx, nu),
                    gain: DMatrix::zeros(ndx, nu),
                    k: vec![0.0; nu],
                    u: vec![0.0; nu],
                });
            }
        }
        Self {
            by_u: Qr::new(nu, m, ndx.max(nu)),
            by_x: Qr::new(ndx, m, 0),
            ldl: Ldl::new(if m > 0 { nu + n_eq } else { 0 }),
            x: DMatrix::zeros(ndx, m),
            right: vec![0.0; m.max(nu + n_eq)],
            t: vec![0.0; m],
            left: vec![0.0; m],
            sizes,
            w: vec![0.0; m],
            mu: [vec![0.0; m], vec![0.0; m]],
        }
    }
}

/// Why a node with equalities has no policy.
pub(super) enum Wrong {
    /// `Zᵀ Qᵤᵤ Z` is not positive definite, or a number is not finite.
    Indefinite,
    /// The row at this place depends on others, and does not agree with them.
    Infeasible(usize),
}

/// From the value function behind a hard node to the one before it.
pub(super) fn hard(
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
    dense::cholesky(&mut uu.view_mut((r, r), (nu - r, nu - r)))?;
    let factor = uu.view((r, r), (nu - r, nu - r));
    dense::solve(&factor, &mut k[r..]);
    dense::solve_columns(&factor, &mut gain.as_mut_slice()[r * ndx..], ndx);

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
    dense::symmetrize(&mut here.vxx);
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

/// From the value function behind a soft node, `δ_c > 0`, to the one before it.
pub(super) fn soft(
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
    dense::symmetrize(&mut here.vxx);
    (rows.m, rows.own, rows.pivots, rows.rank) = (own, own, own, 0);
    rows.scale[..own].fill(1.0);
    rows.order[..own].iter_mut().enumerate().for_each(|(i, order)| *order = i);
    Ok(())
}
