//! Measured torques minus those of the robot, sample by sample, with derivatives by its parameters.

use super::filter::Filter;
use super::{Compared, Data};
use crate::error::SensitivityError;
use crate::local::torques_by_parameters;
use crate::parameters::{Motor, Parameters};
use gradyn::{Workspace, rnea};
use nalgebra::DMatrix;
use std::ops::Range;

/// One sample of measured torques and residuals.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) sample: usize,
    pub(super) error: Vec<f64>,
    pub(super) tau: Vec<f64>,
    /// The torques that errors are relative to.
    pub(super) size: Vec<f64>,
}

impl Row {
    pub(super) fn compared(self) -> Compared {
        let predicted = self.tau.iter().zip(&self.error).map(|(tau, error)| tau - error).collect();
        Compared { sample: self.sample, measured: self.tau, predicted }
    }
}

/// The torques that errors are relative to, by joint and sample: the measured ones; if all measured ones are zero, as
/// of a robot in free flight, those that gravity and motion require of the given robot.
pub(super) fn sizes(parameters: &Parameters, data: &Data) -> Result<Vec<Vec<f64>>, SensitivityError> {
    let model = parameters.robot();
    let dofs = data.rows(model.nv());
    let of = |j: &usize| data.tau.iter().map(|row| row[*j]).collect::<Vec<f64>>();
    let mut sizes: Vec<Vec<f64>> = dofs.iter().map(of).collect();
    if sizes.iter().flatten().any(|size| *size != 0.0) {
        return Ok(sizes);
    }
    let (ws, none) = (&mut Workspace::new(model), vec![0.0; model.nv()]);
    for (i, q) in data.q.iter().enumerate() {
        let weight = rnea(model, ws, q, &none, &none, &[])?.to_vec();
        let all = rnea(model, ws, q, &data.v[i], &data.a[i], &[])?;
        for (sizes, j) in sizes.iter_mut().zip(&dofs) {
            sizes[i] = weight[*j].hypot(all[*j] - weight[*j]);
        }
    }
    Ok(sizes)
}

/// `τ − τ(p)` of all samples that the filter keeps.
pub(super) fn errors(
    parameters: &Parameters,
    data: &Data,
    filter: &Filter,
    p: &[f64],
) -> Result<Vec<Row>, SensitivityError> {
    let (model, offsets) = (parameters.robot_at(p)?, parameters.torque_offsets(p)?);
    let factors = parameters.torque_factors(p)?;
    let ws = &mut Workspace::new(&model);
    let dofs = data.rows(offsets.len());
    let nv = dofs.len();
    let mut predicted = vec![vec![0.0; data.len()]; nv];
    for (i, q) in data.q.iter().enumerate() {
        let tau = rnea(&model, ws, q, &data.v[i], &data.a[i], &[])?;
        dofs.iter().enumerate().for_each(|(row, j)| predicted[row][i] = told(&factors, *j, tau[*j]) + offsets[*j]);
    }
    let mut measured: Vec<Vec<f64>> = dofs.iter().map(|j| data.tau.iter().map(|row| row[*j]).collect()).collect();
    let sizes = sizes(parameters, data)?;
    for (predicted, measured) in predicted.iter_mut().zip(&mut measured) {
        filter.late(predicted);
        filter.smooth(predicted);
        filter.smooth(measured);
    }
    let still = measured.iter().flatten().all(|tau| *tau == 0.0);
    let row = |i: &usize| Row {
        sample: *i,
        error: (0..nv).map(|j| measured[j][*i] - predicted[j][*i]).collect(),
        tau: (0..nv).map(|j| measured[j][*i]).collect(),
        size: (0..nv).map(|j| if still { sizes[j][*i] } else { measured[j][*i] }).collect(),
    };
    Ok(filter.kept.iter().map(row).collect())
}

/// From derivatives of torques by the robot's parameters those of what is measured of these torques, which depends on motors and sensors too.
pub(super) fn told_by_parameters(parameters: &Parameters, factors: &[f64], torques: &[f64], by: &mut DMatrix<f64>) {
    for Motor { dof, parameter, nominal } in parameters.motors() {
        by.row_mut(dof).scale_mut(factors[dof].recip());
        by[(dof, parameter)] = -told(factors, dof, torques[dof]) / (factors[dof] * nominal);
    }
    parameters.of_torque_sensors().iter().for_each(|(dof, k)| by[(*dof, *k)] = 1.0);
}

/// What is measured of a torque: the controls that make it, times the constants of the given robot.
fn told(factors: &[f64], dof: usize, torque: f64) -> f64 {
    factors.get(dof).map_or(torque, |factor| torque / factor)
}

pub(super) fn residuals(
    parameters: &Parameters,
    data: &Data,
    range: Range<usize>,
    sigma: &[f64],
    p: &[f64],
    r: &mut [f64],
    jacobian: &mut DMatrix<f64>,
) -> Result<(), SensitivityError> {
    let model = parameters.robot_at(p)?;
    let chain = parameters.chain(p)?;
    let by_regressor = parameters.are_standard();
    let (ws, dofs) = (&mut Workspace::new(&model), data.rows(model.nv()));
    let nv = dofs.len();
    let (offsets, factors) = (parameters.torque_offsets(p)?, parameters.torque_factors(p)?);
    let mut by = DMatrix::zeros(model.nv(), p.len());
    for (row, i) in range.enumerate() {
        let (q, v, a) = (&data.q[i], &data.v[i], &data.a[i]);
        let tau = rnea(&model, ws, q, v, a, &[])?.to_vec();
        for (k, (j, sigma)) in dofs.iter().zip(sigma).enumerate() {
            r[row * nv + k] = (told(&factors, *j, tau[*j]) + offsets[*j] - data.tau[i][*j]) / sigma;
        }
        torques_by_parameters(&model, ws, &chain, by_regressor, (q, v, a), &mut by)?;
        told_by_parameters(parameters, &factors, &tau, &mut by);
        let mut to = jacobian.rows_mut(row * nv, nv);
        for (k, (j, sigma)) in dofs.iter().zip(sigma).enumerate() {
            to.row_mut(k).copy_from(&(by.row(*j) / *sigma));
        }
    }
    without_rounding(jacobian);
    Ok(())
}

/// Columns below this share of the longest are rounding: for a joint that is upright to the last bit but one, or for
/// axes written with ten digits.
const NOTHING: f64 = 1e-9;

/// Sets columns that are rounding to zero: scaled to unit length they would look like the others.
pub(crate) fn without_rounding(jacobian: &mut DMatrix<f64>) {
    let lengths: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    for (k, length) in lengths.iter().enumerate() {
        if *length <= NOTHING * longest {
            jacobian.column_mut(k).fill(0.0);
        }
    }
}

/// Residuals after the filter, and their derivatives, of the first `seen` samples.
#[expect(clippy::too_many_arguments, reason = "what is fitted, and where it is written")]
pub(super) fn filtered(
    parameters: &Parameters,
    data: &Data,
    seen: usize,
    filter: &Filter,
    sigma: &[f64],
    p: &[f64],
    r: &mut [f64],
    jacobian: &mut DMatrix<f64>,
) -> Result<(), SensitivityError> {
    if filter.is_nothing() {
        return residuals(parameters, data, 0..seen, sigma, p, r, jacobian);
    }
    let (nv, np, dofs) = (sigma.len(), p.len(), data.rows(parameters.robot().nv()));
    let (mut all, mut by) = (vec![0.0; seen * nv], DMatrix::zeros(seen * nv, np));
    residuals(parameters, data, 0..seen, sigma, p, &mut all, &mut by)?;
    for j in 0..nv {
        let measured = |i: usize| data.tau[i][dofs[j]] / sigma[j];
        let mut series: Vec<f64> = (0..seen).map(|i| all[i * nv + j] + measured(i)).collect();
        filter.late(&mut series);
        series.iter_mut().enumerate().for_each(|(i, x)| *x -= measured(i));
        filter.smooth(&mut series);
        filter.kept.iter().enumerate().for_each(|(row, i)| r[row * nv + j] = series[*i]);
        for k in 0..np {
            let mut series: Vec<f64> = (0..seen).map(|i| by[(i * nv + j, k)]).collect();
            filter.late(&mut series);
            filter.smooth(&mut series);
            filter.kept.iter().enumerate().for_each(|(row, i)| jacobian[(row * nv + j, k)] = series[*i]);
        }
    }
    Ok(())
}
