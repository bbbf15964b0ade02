//! Quantities that have no form for eight states: one state after the other, eight joints at a time.

use super::memory::Single;
use super::quantity::{Input, Output, Quantity, Sizes, sizes, store};
use crate::dynamics::constraints::rows_of;
use crate::dynamics::{Constraint, constraint_dynamics};
use crate::model::Model;
use crate::partials::{Method, aba_derivatives, constraint_dynamics_derivatives};

/// Accelerations and their derivatives by configurations, velocities and torques.
pub(super) struct AbaDerivatives;

impl Quantity for AbaDerivatives {
    fn sizes(&self, model: &Model) -> Sizes {
        let nv = model.nv;
        sizes([nv, nv * nv, nv * nv, nv * nv])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        60 * model.nv + 4 * model.nv * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, tau, _]: Input<'_>, output: Output<'_>) -> bool {
        let ws = single.derivatives(model);
        let Ok(by) = aba_derivatives(model, ws, Method::Analytical, q, v, tau, &[]) else { return false };
        let matrices = [&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau];
        store([by.ddq.as_slice()].into_iter().chain(matrices.map(|m| m.as_slice())), output);
        true
    }
}

/// Accelerations and multipliers under constraints, and what is left of their equations.
pub(super) struct ConstraintDynamics<'c> {
    pub(super) constraints: &'c [Constraint],
}

impl Quantity for ConstraintDynamics<'_> {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([model.nv, rows_of(self.constraints), 1])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        (80 + 15 * rows_of(self.constraints)) * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, tau, _]: Input<'_>, output: Output<'_>) -> bool {
        let by = constraint_dynamics(model, single.workspace(model), q, v, tau, self.constraints, &[]);
        by.map(|by| store([by.ddq, by.lambda, &[by.residual]], output)).is_ok()
    }
}

/// Accelerations and multipliers under constraints, and the derivatives of both.
pub(super) struct ConstraintDynamicsDerivatives<'c> {
    pub(super) constraints: &'c [Constraint],
}

impl Quantity for ConstraintDynamicsDerivatives<'_> {
    fn sizes(&self, model: &Model) -> Sizes {
        let (nv, rows) = (model.nv, rows_of(self.constraints));
        [nv, rows, nv * nv, nv * nv, nv * nv, rows * nv, rows * nv, rows * nv]
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        (200 + 15 * rows_of(self.constraints)) * model.nv + 10 * model.nv * model.nv
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, v, tau, _]: Input<'_>, output: Output<'_>) -> bool {
        let (ws, method) = (single.derivatives(model), Method::Analytical);
        let by = constraint_dynamics_derivatives(model, ws, method, q, v, tau, self.constraints, &[]);
        let Ok(by) = by else { return false };
        let vectors = [by.ddq.as_slice(), by.lambda.as_slice()];
        store(vectors.into_iter().chain(by.matrices().map(|(_, m)| m.as_slice())), output);
        true
    }
}
