//! Derivatives of inverse dynamics in closed form: those of [`dynamics`](crate::dynamics::rnea_derivatives), over `f64`.

use super::DerivativeWorkspace;
use super::dual::joint_dynamics;
use crate::dynamics::rnea::add_joint_dynamics;
use crate::dynamics::{ExternalWrench, rnea_derivatives::analytical, wide};
use crate::model::Model;

/// Fills in the derivatives; lengths have been checked.
///
/// Eight joints at a time where the joints allow it, else by the plain form.
pub(super) fn rnea_derivatives(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) {
    let result = &mut ws.result;
    let mut into = wide::Results {
        tau: result.tau.as_mut_slice(),
        dtau_dq: result.dtau_dq.as_mut_slice(),
        dtau_dv: result.dtau_dv.as_mut_slice(),
        dtau_da: result.dtau_da.as_mut_slice(),
    };
    let by_wrench = &mut result.dtau_df_ext;
    if wide::rnea_derivatives(model, &mut ws.base, (q, v, a), wrenches, &mut into, by_wrench).is_some() {
        add_joint_dynamics(model, v, a, into.tau);
        joint_dynamics(model, v, result);
        return;
    }
    let by = analytical(model, &mut ws.base, q, v, a, wrenches);
    result.tau.as_mut_slice().copy_from_slice(by.tau);
    result.dtau_dq.as_mut_slice().copy_from_slice(by.dtau_dq);
    result.dtau_dv.as_mut_slice().copy_from_slice(by.dtau_dv);
    result.dtau_da.as_mut_slice().copy_from_slice(by.dtau_da);
    let each = by.dtau_df_ext.chunks_exact((6 * model.nv()).max(1));
    for (to, from) in result.dtau_df_ext.iter_mut().zip(each) {
        to.as_mut_slice().copy_from_slice(from);
    }
}
