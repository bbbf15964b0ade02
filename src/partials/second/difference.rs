//! Second derivatives by differences of the first ones, extrapolated to step zero (Ridders).

use super::super::difference::{Configurations, input_error};
use super::At;
use crate::dynamics::rnea_derivatives::analytical;
use crate::dynamics::{RneaSecondDerivatives, Tensor3, Workspace};
use crate::model::{InputError, Model};
use gradyn_derivatives::difference::{Euclidean, Method, jacobian};

/// Fills in the tensors; returns the estimated error of each entry.
pub(super) fn rnea_second_derivatives(
    model: &Model,
    base: &mut Workspace<f64>,
    at: At<'_>,
) -> Result<RneaSecondDerivatives, InputError> {
    let At { q, v, a, wrenches } = at;
    let (nv, method) = (model.nv(), Method::ridders());
    let size = nv * nv;
    let mend = |error| input_error(model, error);
    // ∂τ/∂q and M along q, ∂τ/∂q and ∂τ/∂v along v.
    let values = Euclidean(2 * size);
    let along_q = |q: &[f64], out: &mut [f64]| {
        let by = analytical(model, base, q, v, a, wrenches);
        out[..size].copy_from_slice(by.dtau_dq);
        out[size..].copy_from_slice(by.dtau_da);
        Ok::<(), InputError>(())
    };
    let by_q = jacobian(method, &Configurations(model), &values, along_q, q).map_err(mend)?;
    let along_v = |v: &[f64], out: &mut [f64]| {
        let by = analytical(model, base, q, v, a, wrenches);
        out[..size].copy_from_slice(by.dtau_dq);
        out[size..].copy_from_slice(by.dtau_dv);
        Ok::<(), InputError>(())
    };
    let by_v = jacobian(method, &Euclidean(nv), &values, along_v, v).map_err(mend)?;

    let mut errors = RneaSecondDerivatives::zeros(nv);
    let memory = base.second(model);
    memory.sparse = false;
    for (result, by_q, by_v) in
        [(&mut memory.result, &by_q.value, &by_v.value), (&mut errors, &by_q.error, &by_v.error)]
    {
        fill(&by_q[..size * nv], &mut result.d2tau_dqdq);
        fill(&by_q[size * nv..], &mut result.d2tau_dadq);
        fill(&by_v[..size * nv], &mut result.d2tau_dqdv);
        fill(&by_v[size * nv..], &mut result.d2tau_dvdv);
    }
    Ok(errors)
}

/// From nv directions of each entry of a matrix in column-major order.
fn fill(directions: &[f64], tensor: &mut Tensor3) {
    let nv = tensor.dims()[0];
    for (at, from) in directions.chunks_exact(nv.max(1)).enumerate() {
        let (row, column) = (at % nv, at / nv);
        tensor.as_mut_slice()[(row * nv + column) * nv..][..nv].copy_from_slice(from);
    }
}
