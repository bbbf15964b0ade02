//! The linear least squares problem of one iteration: weighted rows of residuals, then rows of the regularizer.

use super::identifiable::lengths;
use super::{Loss, Regularizer};
use gradyn_derivatives::difference::{Manifold, Method, jacobian};
use nalgebra::{DMatrix, DVector};

/// A regularizer that is not a quadratic form, at a point; `None` where it is infinite.
pub(crate) type Own<'a> = &'a dyn Fn(&[f64]) -> Option<OwnRows>;

/// Its value there: its cost c, and rows A at b, so that `Aᵀb` is its gradient and `AᵀA` a Hessian for steps.
pub(crate) struct OwnRows {
    pub(crate) cost: f64,
    pub(crate) rows: DVector<f64>,
    pub(crate) jacobian: DMatrix<f64>,
}

/// A regularizer, with its root computed once.
pub(super) struct Rows<'a, M> {
    pub(super) space: &'a M,
    pub(super) loss: Loss,
    pub(super) pull: Option<(&'a Regularizer, DMatrix<f64>)>,
    pub(super) own: Option<Own<'a>>,
}

impl<M: Manifold> Rows<'_, M> {
    /// `S (p ⊖ p₀)`, then rows of another regularizer; empty without one.
    fn pulled(&self, p: &[f64]) -> DVector<f64> {
        let quadratic = self.quadratic(p);
        let Some(own) = self.own.and_then(|own| own(p)) else { return quadratic };
        DVector::from_iterator(quadratic.len() + own.rows.len(), quadratic.iter().chain(own.rows.iter()).copied())
    }

    fn quadratic(&self, p: &[f64]) -> DVector<f64> {
        match &self.pull {
            None => DVector::zeros(0),
            Some((pull, root)) => {
                let mut apart = DVector::zeros(self.space.directions());
                self.space.difference(&pull.at, p, apart.as_mut_slice());
                root * apart
            }
        }
    }

    /// `Σ ρ(r) + ½ |S (p ⊖ p₀)|²`, plus the cost of another regularizer: infinite where it has no rows, so that no step
    /// goes there.
    pub(super) fn cost(&self, p: &[f64], r: &[f64]) -> f64 {
        let costs: Vec<f64> = r.iter().map(|r| self.loss.value(*r)).collect();
        let own = self.own.map_or(0.0, |own| own(p).map_or(f64::INFINITY, |own| own.cost));
        crate::statistics::sum(&costs) + 0.5 * self.quadratic(p).norm_squared() + own
    }

    /// The Jacobian of all rows of regularizers.
    pub(super) fn pull_jacobian(&self, p: &[f64]) -> DMatrix<f64> {
        let quadratic = self.quadratic_jacobian(p);
        let Some(OwnRows { jacobian: own, .. }) = self.own.and_then(|own| own(p)) else { return quadratic };
        let (above, k) = (quadratic.nrows(), quadratic.ncols());
        let mut all = quadratic.resize(above + own.nrows(), k, 0.0);
        all.rows_mut(above, own.nrows()).copy_from(&own);
        all
    }

    /// `∂ S (p ⊕ δ ⊖ p₀)/∂δ`, by central differences: in a vector space this is S, up to rounding.
    fn quadratic_jacobian(&self, p: &[f64]) -> DMatrix<f64> {
        let k = self.space.directions();
        let Some((pull, root)) = &self.pull else { return DMatrix::zeros(0, k) };
        let apart = |p: &[f64], out: &mut [f64]| self.space.difference(&pull.at, p, out);
        let outputs = gradyn_derivatives::difference::Euclidean(k);
        match jacobian(Method::ridders(), self.space, &outputs, apart, p) {
            Ok(d) => root * DMatrix::from_row_slice(k, k, &d.value),
            // If the point cannot be subtracted, the tangent spaces are taken as the same.
            Err(_) => root.clone(),
        }
    }

    /// Rows `√w J` and `√w r`, then those of the regularizer; at least k of them.
    pub(super) fn stack(&self, p: &[f64], r: &[f64], j: &DMatrix<f64>) -> (DMatrix<f64>, DVector<f64>) {
        let (pulled, pull) = (self.pulled(p), self.pull_jacobian(p));
        let (m, k) = (r.len(), j.ncols());
        let rows = (m + pulled.len()).max(k);
        let (mut a, mut b) = (DMatrix::zeros(rows, k), DVector::zeros(rows));
        let root: Vec<f64> = r.iter().map(|r| self.loss.weight(*r).sqrt()).collect();
        for (mut to, from) in a.column_iter_mut().zip(j.column_iter()) {
            to.iter_mut().zip(from.iter()).zip(&root).for_each(|((to, from), root)| *to = root * from);
        }
        b.iter_mut().zip(r).zip(&root).for_each(|((b, r), root)| *b = root * r);
        a.rows_mut(m, pulled.len()).copy_from(&pull);
        b.rows_mut(m, pulled.len()).copy_from(&pulled);
        (a, b)
    }
}

/// `A = Q R`, `Qᵀb`, and the scales of the columns.
#[derive(Debug)]
pub(super) struct Triangle {
    r: DMatrix<f64>,
    qtb: DVector<f64>,
    /// The largest cosine between a column and b.
    pub(super) cosine: f64,
}

impl Triangle {
    pub(super) fn new(a: DMatrix<f64>, mut b: DVector<f64>) -> Self {
        let k = a.ncols();
        let length = b.norm();
        let (columns, gradient) = (lengths(&a), a.tr_mul(&b));
        let cosine = |(g, column): (&f64, &f64)| if length > 0.0 { g.abs() / column / length } else { 0.0 };
        let cosine = gradient.iter().zip(&columns).map(cosine).fold(0.0_f64, f64::max);
        let qr = a.qr();
        qr.q_tr_mul(&mut b);
        Self { r: qr.unpack_r(), qtb: b.rows(0, k).into_owned(), cosine }
    }

    /// The lengths of the columns.
    pub(super) fn lengths(&self) -> Vec<f64> {
        lengths(&self.r)
    }

    /// `min |R δ + Qᵀb|² + λ |D δ|²`, and the decrease of `½ |R δ + Qᵀb|²`. `None` if there is no finite solution.
    pub(super) fn step(&self, damping: f64, scale: &[f64]) -> Option<(DVector<f64>, f64)> {
        let k = self.r.ncols();
        let mut a = DMatrix::zeros(2 * k, k);
        a.rows_mut(0, k).copy_from(&self.r);
        scale.iter().enumerate().for_each(|(j, scale)| a[(k + j, j)] = damping.sqrt() * scale);
        let mut b = DVector::zeros(2 * k);
        b.rows_mut(0, k).copy_from(&-&self.qtb);
        let qr = a.qr();
        qr.q_tr_mul(&mut b);
        let step = qr.unpack_r().solve_upper_triangular(&b.rows(0, k).into_owned())?;
        let left = &self.r * &step + &self.qtb;
        // |b|² − |c|² = (b − c)·(b + c), which does not cancel.
        let fall = 0.5 * (&self.qtb - &left).dot(&(&self.qtb + &left));
        step.iter().all(|x| x.is_finite()).then_some((step, fall))
    }
}
