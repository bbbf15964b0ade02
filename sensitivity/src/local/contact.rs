//! Forces of contacts and closed loops by parameters.
//!
//! `M q̈ + c = τ + Jᵀ λ`, `J q̈ = −γ`. With `E₁`, `E₂` the derivatives of `id(q, v, q̈) − Jᵀ λ` and of `J q̈ + γ` at
//! held `q̈` and `λ`, and `D = ∂λ/∂τ = −G⁺ J M⁻¹`, `G = J M⁻¹ Jᵀ`:
//!
//! ```text
//! G⁺ = D M Dᵀ ,   1 − P = 1 + J Dᵀ ,   r = −(J q̈ + γ)
//! dλ = −D E₁ − G⁺ E₂ − G⁺ D dJᵀ r − (1 − P) dJ Dᵀ λ                                                    (1)
//! ```
//!
//! The last two terms are for linearly dependent rows (G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10(2), 1973), if
//! their rank is constant: to first order, if `(1 − P) dJ` vanishes on motions that `J` leaves free, `1 + Dᵀ J`.

use super::constraint_rows::{accelerations_by_geometry, constraint_rows, rates_by_geometry};
use super::torques::torques_by_parameters;
use crate::error::SensitivityError;
use crate::parameters::{Chain, Motor, Parameters, scaled};
use gradyn::dynamics::{constraint_bias, constraint_jacobian, crba};
use gradyn::partials::constraint_dynamics_derivatives;
use gradyn::{Constraint, DerivativeWorkspace, Method, Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// One row per multiplier, one column per parameter.
///
/// # Errors
/// Input that the engine rejects; [`SensitivityError::Other`] if a parameter moves the robot and a constraint is [of
/// another kind](held), or if the rank of the rows changes with it.
pub(super) fn forces(
    parameters: &Parameters,
    values: &[f64],
    chain: &Chain,
    model: &Model,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    constraints: &[Constraint],
) -> Result<DMatrix<f64>, SensitivityError> {
    let (nv, n) = (model.nv(), parameters.len());
    let mut derivatives = DerivativeWorkspace::new(model);
    let driven = scaled(tau.to_vec(), &parameters.torque_factors(values)?);
    let by =
        constraint_dynamics_derivatives(model, &mut derivatives, Method::Analytical, q, v, &driven, constraints, &[])?;
    let (ddq, d) = (by.ddq.as_slice(), &by.dlambda_dtau);
    let ws = &mut Workspace::new(model);
    let mut by_torques = DMatrix::zeros(nv, n);
    torques_by_parameters(model, ws, chain, false, (q, v, ddq), &mut by_torques)?;
    // E₁ is of what the torques of motors leave.
    for Motor { dof, parameter, nominal } in parameters.motors() {
        by_torques[(dof, parameter)] -= tau[dof] / nominal;
    }
    if !parameters.moves_geometry() {
        return Ok(-(d * by_torques));
    }
    let held = constraint_rows(constraints)?;
    let mass = crba(model, ws, q)?.clone();
    let jacobian = constraint_jacobian(model, ws, q, constraints)?.clone();
    let bias = DVector::from_column_slice(constraint_bias(model, ws, q, v, constraints)?);
    let inverse = d * mass * d.transpose();
    let mut by_rows = DMatrix::zeros(by.lambda.len(), n);
    chain.times(&accelerations_by_geometry(model, &held, (q, v, ddq)), &mut by_rows);
    // The change of each column of J.
    let mut by_jacobian = Vec::with_capacity(nv);
    for k in 0..nv {
        let mut unit = vec![0.0; nv];
        unit[k] = 1.0;
        let mut of_column = DMatrix::zeros(by.lambda.len(), n);
        chain.times(&rates_by_geometry(model, &held, (q, &unit)), &mut of_column);
        let mut torque = by_torques.row_mut(k);
        torque -= of_column.tr_mul(&by.lambda).transpose();
        by_jacobian.push(of_column);
    }
    let mut forces = -(d * by_torques) - &inverse * by_rows;
    if by.rank < by.lambda.len() {
        let out_of_reach = DMatrix::identity(by.lambda.len(), by.lambda.len()) + &jacobian * d.transpose();
        let free = DMatrix::identity(nv, nv) + d.transpose() * &jacobian;
        check_rank(parameters, &by_jacobian, &out_of_reach, &free, jacobian.amax())?;
        let contradiction = -(&jacobian * &by.ddq + bias);
        let again = d.tr_mul(&by.lambda);
        let mut turned = DMatrix::zeros(nv, n);
        for (k, of_column) in by_jacobian.iter().enumerate() {
            turned.row_mut(k).copy_from(&of_column.tr_mul(&contradiction).transpose());
            forces -= &out_of_reach * of_column * again[k];
        }
        forces -= inverse * (d * turned);
    }
    Ok(forces)
}

/// Checks that the rank of `J`, of entries of this size, is constant to first order.
fn check_rank(
    parameters: &Parameters,
    by_jacobian: &[DMatrix<f64>],
    out_of_reach: &DMatrix<f64>,
    free: &DMatrix<f64>,
    size: f64,
) -> Result<(), SensitivityError> {
    for p in 0..parameters.len() {
        let columns: Vec<_> = by_jacobian.iter().map(|of_column| of_column.column(p)).collect();
        if columns.is_empty() {
            continue;
        }
        let changed = DMatrix::from_columns(&columns);
        let new = out_of_reach * &changed * free;
        // Projections are accurate to rounding times the condition of `G`; a new direction changes by as much as `J`
        // does.
        if new.amax() > 1e-6 * (size + changed.amax()) * (1.0 + free.amax()) {
            let name = &parameters.names()[p];
            return Err(SensitivityError::Other(format!(
                "contact forces have no derivative by `{name}`: rows are linearly dependent, and their rank changes with it"
            )));
        }
    }
    Ok(())
}
