//! Derivatives of inverse dynamics in closed form: those of [`dynamics`](crate::dynamics::rnea_derivatives), over `f64`.

use super::DerivativeWorkspace;
use crate::dynamics::{ExternalWrench, rnea_derivatives::analytical};
use crate::model::Model;

/// Fills in the derivatives.
pub(super) fn rnea_derivatives(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) {
    let by = analytical(model, &mut ws.base, q, v, a, wrenches);
    let result = &mut ws.result;
    result.dtau_dq.as_mut_slice().copy_from_slice(by.dtau_dq);
    result.dtau_dv.as_mut_slice().copy_from_slice(by.dtau_dv);
    result.dtau_da.as_mut_slice().copy_from_slice(by.dtau_da);
    let each = by.dtau_df_ext.chunks_exact((6 * model.nv()).max(1));
    for (to, from) in result.dtau_df_ext.iter_mut().zip(each) {
        to.as_mut_slice().copy_from_slice(from);
    }
}
