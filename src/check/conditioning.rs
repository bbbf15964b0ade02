//! The effect of rounding on accelerations and their derivatives, however they are computed.
//!
//! A program that multiplies by a computed inverse has `M⁻¹ R` to `|M⁻¹| |M| |M⁻¹| |R|` times some roundings, entry by
//! entry (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 14.1). A program that solves
//! `M X = R` is more accurate, but how a claim was computed is unknown. The bound is large where a joint moves very
//! little mass, or where two joints move the same.

use super::Scale;
use super::functions::By;
use crate::dynamics::{Workspace, bias};
use crate::model::{InputError, Model};
use crate::once;
use crate::partials::{DerivativeWorkspace, Method, State, rnea_derivatives};
use nalgebra::{DMatrix, DVector};

/// The number of roundings: those of the factors, of the torques' derivatives and of the solution.
const ROUNDINGS: f64 = 10.0;

/// The effect on the derivative `exact` of accelerations `ddq`.
pub(super) fn of_derivative(
    model: &Model,
    state: State<'_>,
    by: By,
    ddq: &DVector<f64>,
    exact: &DMatrix<f64>,
) -> Result<DMatrix<f64>, InputError> {
    let mut ws = DerivativeWorkspace::new(model);
    let torques =
        rnea_derivatives(model, &mut ws, Method::Analytical, state.q, state.v, ddq.as_slice(), state.wrenches)?;
    let right = match by {
        By::Q => torques.dtau_dq.clone(),
        By::V => torques.dtau_dv.clone(),
        By::U => DMatrix::identity(model.nv(), model.nv()),
        By::Wrench(k) => torques.dtau_df_ext.get(k).cloned().unwrap_or_else(|| DMatrix::zeros(model.nv(), 6)),
    };
    let scale = Scale::new(model, state.q, state.v, state.wrenches)?;
    let cancels = match by {
        By::Q => scale.torque(ddq.as_slice()),
        By::V => scale.mass * scale.velocity,
        By::U | By::Wrench(_) => 0.0,
    };
    propagated(model, state.q, exact, &right, cancels)
}

/// The effect on the accelerations themselves, nv × 1.
pub(super) fn of_accelerations(model: &Model, state: State<'_>, ddq: &[f64]) -> Result<DMatrix<f64>, InputError> {
    let bias = bias(model, &mut Workspace::new(model), state.q, state.v, state.wrenches)?.to_vec();
    let right = DMatrix::from_fn(model.nv(), 1, |i, _| bias[i].abs() + state.u[i].abs());
    let loads = Scale::new(model, state.q, state.v, state.wrenches)?.torque(&[]);
    propagated(model, state.q, &DMatrix::from_column_slice(model.nv(), 1, ddq), &right, loads)
}

/// `right` itself has an error of some roundings of its largest entry, or of the terms that cancel in it.
fn propagated(
    model: &Model,
    q: &[f64],
    x: &DMatrix<f64>,
    right: &DMatrix<f64>,
    cancels: f64,
) -> Result<DMatrix<f64>, InputError> {
    let (mass, inverse) = (once::crba(model, q)?.abs(), once::minv(model, q)?.abs());
    let x = x.abs().sup(&(&inverse * right.abs()));
    let right = right.map(|x| x.abs() + right.amax().max(cancels));
    let roundings = ROUNDINGS * f64::EPSILON;
    Ok(inverse * (mass * x + right) * roundings)
}
