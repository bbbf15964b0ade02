//! Torques by parameters, one matrix for each state.

use crate::error::SensitivityError;
use crate::parameters::Chain;
use gradyn::dynamics::{rnea_parameter_gradient, standard_regressor};
use gradyn::{Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// `∂τ/∂p`: by the regressor where all parameters are inertias and numbers of joints, else row by row.
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
    let (nv, np) = to.shape();
    let mut lambda = vec![0.0; nv];
    for i in 0..nv {
        lambda[i] = 1.0;
        let by = rnea_parameter_gradient(model, ws, q, v, a, &lambda, &[])?;
        lambda[i] = 0.0;
        let mut row = DVector::zeros(np);
        chain.add_to(by.dp, row.as_mut_slice());
        to.row_mut(i).tr_copy_from(&row);
    }
    Ok(())
}
