//! Costs of nodes to second order, kept while constraints are added to them.

use crate::quadratic::{Dims, Quadratic};
use nalgebra::{DMatrix, DVector};

/// A node's cost to second order, without what constraints add.
#[derive(Debug)]
pub(super) struct CostModel {
    lx: DVector<f64>,
    lu: DVector<f64>,
    lxx: DMatrix<f64>,
    lxu: DMatrix<f64>,
    luu: DMatrix<f64>,
    eq: DVector<f64>,
}

impl CostModel {
    pub(super) fn new(dims: &Dims) -> Self {
        let Dims { ndx, nu, n_eq, .. } = *dims;
        Self {
            lx: DVector::zeros(ndx),
            lu: DVector::zeros(nu),
            lxx: DMatrix::zeros(ndx, ndx),
            lxu: DMatrix::zeros(ndx, nu),
            luu: DMatrix::zeros(nu, nu),
            eq: DVector::zeros(n_eq),
        }
    }
    /// Equalities.
    pub(super) fn eq(&self) -> &DVector<f64> {
        &self.eq
    }
    /// What the cost does along a direction, to first order.
    pub(super) fn slope(&self, dx: &DVector<f64>, du: &DVector<f64>) -> f64 {
        self.lx.dot(dx) + self.lu.dot(du)
    }
    pub(super) fn save(&mut self, node: &Quadratic) {
        self.lx.copy_from(&node.lx);
        self.lu.copy_from(&node.lu);
        self.lxx.copy_from(&node.lxx);
        self.lxu.copy_from(&node.lxu);
        self.luu.copy_from(&node.luu);
        self.eq.copy_from(&node.eq);
    }
    /// Puts the cost back, scaled, with the curvature of the Lagrangian if it is exact.
    pub(super) fn restore(&self, scale: f64, exact: bool, node: &mut Quadratic) {
        node.lx.axpy(scale, &self.lx, 0.0);
        node.lu.axpy(scale, &self.lu, 0.0);
        node.eq.copy_from(&self.eq);
        let Quadratic { lxx, lxu, luu, curvature, .. } = node;
        for (to, from, more) in
            [(lxx, &self.lxx, &curvature.xx), (lxu, &self.lxu, &curvature.xu), (luu, &self.luu, &curvature.uu)]
        {
            let (to, from) = (to.as_mut_slice(), from.as_slice());
            if exact {
                for ((to, from), more) in to.iter_mut().zip(from).zip(more.as_slice()) {
                    *to = scale * (from + more);
                }
            } else {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = scale * from);
            }
        }
    }
}
