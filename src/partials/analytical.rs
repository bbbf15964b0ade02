//! Derivatives of inverse dynamics in closed form: those of [`dynamics`](crate::dynamics::rnea_derivatives), over `f64`.

use super::DerivativeWorkspace;
use super::result::RneaDerivatives;
use crate::dynamics::by_plan::Kernels;
use crate::dynamics::rnea_derivatives::{self, analytical_from};
use crate::dynamics::{ExternalWrench, by_plan};
use crate::formulas::force_field::ForceField;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::results::Results;
use crate::model::Model;
use crate::spatial::Motion;
use nalgebra::Vector3;

/// Fills in the derivatives, at a state in some field. Returns whether all are surely finite. Lengths
/// have been checked.
///
/// Eight joints at a time where the joints allow it, else by the plain form. Who goes on where another
/// call has `reuse`, eight joints at a time at the same configuration, does not ask for the mass matrix: it is left out.
pub(super) fn rnea_derivatives(
    field: ForceField<'_>,
    model: &Model,
    ws: &mut DerivativeWorkspace,
    state: (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
    reuse: Reuse<'_>,
) -> bool {
    let result = &mut ws.result;
    let mut into = Results {
        tau: result.tau.as_mut_slice(),
        dtau_dq: result.dtau_dq.as_mut_slice(),
        dtau_dv: result.dtau_dv.as_mut_slice(),
        dtau_da: if matches!(reuse, Reuse::Nothing) { result.dtau_da.as_mut_slice() } else { &mut [] },
    };
    let by_wrench = &mut result.dtau_df_ext;
    let quick = |kernels: Kernels<'_>| kernels.rnea_derivatives(field, state, wrenches, &mut into, by_wrench, reuse);
    if let Some(finite) = by_plan::of(model, &mut ws.base).and_then(quick) {
        return finite;
    }
    let falling = Motion::new(-field.gravity, Vector3::zeros());
    let by = analytical_from(model, &mut ws.base, (falling, field.joints), state, wrenches);
    result.tau.as_mut_slice().copy_from_slice(by.tau);
    store(&by, result);
    false
}

fn store(by: &rnea_derivatives::RneaDerivatives<'_, f64>, result: &mut RneaDerivatives) {
    result.dtau_dq.as_mut_slice().copy_from_slice(by.dtau_dq);
    result.dtau_dv.as_mut_slice().copy_from_slice(by.dtau_dv);
    result.dtau_da.as_mut_slice().copy_from_slice(by.dtau_da);
    let each = by.dtau_df_ext.chunks_exact((6 * result.tau.len()).max(1));
    for (to, from) in result.dtau_df_ext.iter_mut().zip(each) {
        to.as_mut_slice().copy_from_slice(from);
    }
}
