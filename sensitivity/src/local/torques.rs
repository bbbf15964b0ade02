//! Torques by parameters, one matrix for each state.

use crate::error::SensitivityError;
use crate::parameters::Chain;
use gradyn::dynamics::{rnea_parameter_gradient, standard_regressor};
use gradyn::{Model, Workspace};
use nalgebra::DMatrix;

/// `∂τ/∂p`: by the regressor if all parameters are inertias and numbers of joints, otherwise row by row.
pub(crate) fn torques_by_parameters(
    model: &Model,
    ws: &mut Workspace,
    chain: &Chain,
    by_regressor: bool,
    (q, v, a): (&[f64], &[f64], &[f64]),
    to: &mut DMatrix<f64>,
) -> Result<(), SensitivityError> {
    if by_regressor {
        chain.times(standard_regressor(model, ws, q, v, a)?, to);
        return Ok(());
    }
    let mut lambda = vec![0.0; to.nrows()];
    for i in 0..to.nrows() {
        lambda[i] = 1.0;
        let by = rnea_parameter_gradient(model, ws, q, v, a, &lambda, &[])?;
        lambda[i] = 0.0;
        write_row(to, i, chain, by.dp);
    }
    Ok(())
}

/// Writes a gradient by all parameters of the engine as a row by the selected ones.
pub(super) fn write_row(jacobian: &mut DMatrix<f64>, row: usize, chain: &Chain, gradient: &[f64]) {
    let mut of_row = vec![0.0; jacobian.ncols()];
    chain.add_to(gradient, &mut of_row);
    jacobian.row_mut(row).iter_mut().zip(of_row).for_each(|(to, x)| *to = x);
}
