//! Hessians of torques.

use crate::dynamics::by_plan::{Kernels, State};
use crate::kernels::by_joint::torque_hessian::{self, Results};
use crate::plan::JointConstants;
use nalgebra::Vector3;

impl Kernels<'_> {
    /// `λᵀ τ` under the wrenches that [`under`](Self::under) took, its gradient and its Hessian in the field of some
    /// gravity, without what joints add by themselves. Whether all are certainly finite.
    pub(crate) fn torque_hessian(
        self,
        gravity: Vector3<f64>,
        state: State<'_>,
        lambda: &[f64],
        to: Results<'_>,
    ) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let constants = JointConstants { gravity, ..JointConstants::of(model) };
        Some(torque_hessian::hessian(&constants, layout, memory, state, lambda, to).is_finite())
    }
}
