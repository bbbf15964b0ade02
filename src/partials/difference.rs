//! Derivatives of inverse dynamics by differences: the witness that knows nothing of dual numbers.
//!
//! Differences of torques along `q ⊕ t e_k`, `v + t e_k`, …, extrapolated to `t = 0` (Ridders), with an estimate of
//! each entry's error. Some twenty evaluations a column: for checking, not for use.

use super::DerivativeWorkspace;
use super::result::DerivativeErrors;
use crate::dynamics::{ExternalWrench, rnea};
use crate::joint::JointKind;
use crate::model::{InputError, Model};
use crate::spatial::Force;
use gradyn_derivatives::difference::{DifferenceError, Estimate, Euclidean, Manifold, Method, jacobian};
use nalgebra::{DMatrix, Vector3};

/// The configurations of a model, to be moved along by `q ⊕ v`.
#[derive(Clone, Copy, Debug)]
pub struct Configurations<'m>(pub &'m Model);

impl Manifold for Configurations<'_> {
    fn coordinates(&self) -> usize {
        self.0.nq()
    }
    fn directions(&self) -> usize {
        self.0.nv()
    }
    fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for body in self.0.bodies().iter().filter(|body| body.owns_coordinates()) {
            let (rq, rv) = (body.q_range(), body.v_range());
            body.joint().integrate(&q[rq.clone()], &v[rv], &mut out[rq]);
        }
    }
    fn difference(&self, q0: &[f64], q1: &[f64], out: &mut [f64]) {
        for body in self.0.bodies().iter().filter(|body| body.owns_coordinates()) {
            let (rq, rv) = (body.q_range(), body.v_range());
            body.joint().difference(&q0[rq.clone()], &q1[rq], &mut out[rv]);
        }
    }
    /// One: torques vary over radians and meters, however far a joint has turned or a robot has gone.
    fn magnitude(&self, _q: &[f64], _direction: usize) -> f64 {
        1.0
    }
}

/// Fills in the derivatives and the estimates of their errors.
pub(super) fn rnea_derivatives(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    let nv = model.nv();
    let (torques, base) = (Euclidean(nv), &mut ws.base);
    let mut tau = |q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench], out: &mut [f64]| {
        out.copy_from_slice(rnea(model, base, q, v, a, wrenches)?);
        Ok::<(), InputError>(())
    };
    let method = Method::ridders();
    let mend = |error| input_error(model, error);

    let configurations = Configurations(model);
    let by_q = jacobian(method, &configurations, &torques, |q, out| tau(q, v, a, wrenches, out), q).map_err(mend)?;
    let by_v = jacobian(method, &torques, &torques, |v, out| tau(q, v, a, wrenches, out), v).map_err(mend)?;
    let by_a = jacobian(method, &torques, &torques, |a, out| tau(q, v, a, wrenches, out), a).map_err(mend)?;
    let mut errors_f_ext = Vec::with_capacity(wrenches.len());
    let mut varied = wrenches.to_vec();
    for (k, wrench) in wrenches.iter().enumerate() {
        let (f, n) = (wrench.wrench.linear, wrench.wrench.angular);
        let along = |x: &[f64], out: &mut [f64]| {
            varied[k].wrench = Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
            tau(q, v, a, &varied, out)
        };
        let x = [f.x, f.y, f.z, n.x, n.y, n.z];
        let by_wrench = jacobian(method, &Euclidean(6), &torques, along, &x).map_err(mend)?;
        varied[k] = *wrench;
        fill(&mut ws.result.dtau_df_ext[k], &by_wrench.value);
        let mut error = DMatrix::zeros(nv, 6);
        fill(&mut error, &by_wrench.error);
        errors_f_ext.push(error);
    }

    let result = &mut ws.result;
    fill(&mut result.dtau_dq, &by_q.value);
    fill(&mut result.dtau_dv, &by_v.value);
    fill(&mut result.dtau_da, &by_a.value);
    let error = |estimate: &Estimate| DMatrix::from_row_slice(nv, nv, &estimate.error);
    result.errors = Some(Box::new(DerivativeErrors {
        dtau_dq: error(&by_q),
        dtau_dv: error(&by_v),
        dtau_da: error(&by_a),
        dtau_df_ext: errors_f_ext,
    }));
    Ok(())
}

/// Row by row.
pub(super) fn fill(matrix: &mut DMatrix<f64>, rows: &[f64]) {
    let columns = matrix.ncols();
    for (index, x) in rows.iter().enumerate() {
        matrix[(index / columns, index % columns)] = *x;
    }
}

/// The model's own error, or that the torques of a neighboring state are not finite.
pub(super) fn input_error(model: &Model, error: DifferenceError<InputError>) -> InputError {
    match error {
        DifferenceError::Function { error, .. } => error,
        DifferenceError::NotFinite { output, .. } => model.overflow("tau", output),
        _ => model.overflow("tau", 0),
    }
}
