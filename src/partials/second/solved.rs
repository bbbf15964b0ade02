//! First derivatives of accelerations for second ones, by solutions instead of products with the inverse.
//!
//! Second derivatives are `M⁻¹ (… + ∂M/∂q ∂q̈/∂q + …)`. A product with `M⁻¹` is off by roundings in any direction, which the second
//! `M⁻¹` multiplies by its size; a solution `x` is off where `M` is small, so that `M x` is right, and hardly more is lost: on
//! light bases with heavy limbs (condition 10⁵) three digits and more.

use super::super::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use crate::dynamics::ExternalWrench;
use crate::dynamics::ltl::Factors;
use crate::kernels::blocks::transpose::transpose;
use crate::kernels::macros::kernel;
use crate::model::{InputError, Model};
use gradyn_derivatives::{Lanes, Real, Register, WIDTH};
use nalgebra::DMatrix;
use std::any::Any;

/// `∂q̈/∂q` and `∂q̈/∂v` of one state after the other, and what solves for more.
pub(super) struct Solved {
    torques: DerivativeWorkspace,
    factors: Factors<f64>,
    /// Eight columns; the type depends on the level.
    columns: Option<Box<dyn Any + Send + Sync>>,
    /// Transposed: row by row.
    pub(super) ddq_dq: DMatrix<f64>,
    pub(super) ddq_dv: DMatrix<f64>,
}

impl Solved {
    pub(super) fn new(model: &Model) -> Self {
        let rows = || DMatrix::zeros(model.nv, model.nv);
        Self {
            torques: DerivativeWorkspace::new(model),
            factors: Factors::default(),
            columns: None,
            ddq_dq: rows(),
            ddq_dv: rows(),
        }
    }

    /// At the accelerations `ddq` that forward dynamics has found.
    pub(super) fn differentiate(
        &mut self,
        model: &Model,
        (q, v, ddq): (&[f64], &[f64], &[f64]),
        wrenches: &[ExternalWrench],
    ) -> Result<(), InputError> {
        let Self { torques, factors, columns, ddq_dq, ddq_dv } = self;
        let by = rnea_derivatives(model, torques, Method::Analytical, q, v, ddq, wrenches)?;
        let RneaDerivatives { dtau_dq, dtau_dv, dtau_da, .. } = by;
        factors.size(model);
        // Pivots have been looked at on the way to the accelerations.
        factors.factorize(dtau_da).map_err(|index| model.singular(index))?;
        for (from, to) in [(dtau_dq, ddq_dq), (dtau_dv, ddq_dv)] {
            transpose(from.as_slice(), model.nv, to.as_mut_slice());
            solve(factors, columns, to.as_mut_slice());
        }
        Ok(())
    }

    /// `rows := −M⁻¹ rows`, row by row, of any number of columns; after [`Self::differentiate`].
    pub(super) fn solve(&mut self, rows: &mut [f64]) {
        solve(&self.factors, &mut self.columns, rows);
    }

    /// `to := M⁻¹`
    pub(super) fn inverse(&mut self, to: &mut [f64]) {
        let nv = self.factors.dofs();
        to.fill(0.0);
        to.iter_mut().step_by(nv + 1).for_each(|x| *x = -1.0);
        self.solve(to);
    }
}

kernel!(
    active,
    /// `−M⁻¹` times eight columns at a time.
    fn solve<'a, R: Register>(
        factors: &'a Factors<f64>,
        columns: &'a mut Option<Box<dyn Any + Send + Sync>>,
        rows: &'a mut [f64],
    ) {
        let nv = factors.dofs();
        if !columns.as_ref().is_some_and(|x| x.is::<Vec<Lanes<R>>>()) {
            *columns = Some(Box::new(vec![Lanes::<R>::zero(); nv]));
        }
        let Some(x) = columns.as_mut().and_then(|x| x.downcast_mut::<Vec<Lanes<R>>>()) else { return };
        let size = rows.len() / nv.max(1);
        for start in (0..size).step_by(WIDTH) {
            let width = WIDTH.min(size - start);
            for (i, x) in x.iter_mut().enumerate() {
                let mut lanes = [0.0; WIDTH];
                lanes[..width].copy_from_slice(&rows[i * size + start..][..width]);
                *x = -Lanes::from_array(lanes);
            }
            factors.solve(x);
            for (i, x) in x.iter().enumerate() {
                rows[i * size + start..][..width].copy_from_slice(&x.to_array()[..width]);
            }
        }
    }
);
