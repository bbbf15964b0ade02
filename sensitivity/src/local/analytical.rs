//! The formulas, output by output.

use super::joint_geometry::JointGeometry;
use super::torques::{torques_by_parameters, write_row};
use super::{StateOutput, contact, energy};
use crate::error::SensitivityError;
use crate::parameters::{Chain, Motor, Parameters, scaled};
use gradyn::dynamics::{FrameRef, aba_parameter_gradient, frame_pose, rnea_parameter_gradient};
use gradyn::{Model, Transform, Workspace};
use nalgebra::{DMatrix, DVector, Vector3};

/// `∂(output)/∂p` of the robot that has these values.
pub(super) fn jacobian(
    parameters: &Parameters,
    values: &[f64],
    model: &Model,
    output: &StateOutput<'_>,
) -> Result<DMatrix<f64>, SensitivityError> {
    let chain = parameters.chain(values)?;
    let n = parameters.len();
    match output {
        StateOutput::Torques { q, v, a } => {
            let mut jacobian = DMatrix::zeros(model.nv(), n);
            torques_by_parameters(model, &mut Workspace::new(model), &chain, false, (q, v, a), &mut jacobian)?;
            Ok(jacobian)
        }
        StateOutput::Accelerations { q, v, tau } => {
            let ws = &mut Workspace::new(model);
            let driven = scaled(tau.to_vec(), &parameters.torque_factors(values)?);
            let (motors, mut jacobian) = (parameters.motors(), DMatrix::zeros(model.nv(), n));
            for (i, unit) in units(model.nv()).enumerate() {
                let by = aba_parameter_gradient(model, ws, q, v, &driven, &unit, &[])?;
                write_row(&mut jacobian, i, &chain, by.dp);
                for Motor { dof, parameter, nominal } in &motors {
                    jacobian[(i, *parameter)] += by.state.dtau[*dof] * tau[*dof] / nominal;
                }
            }
            Ok(jacobian)
        }
        StateOutput::MassMatrix { q } => mass_matrix(&chain, model, n, q),
        StateOutput::Energy { q, v } => energy::energy(parameters, &chain, model, (q, v)),
        StateOutput::Pose { q, frame } => pose(parameters, &chain, values, model, (q, *frame)),
        StateOutput::ContactForces { q, v, tau, constraints } => {
            contact::forces(parameters, values, &chain, model, (q, v, tau), constraints)
        }
    }
}

fn units(n: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..n).map(move |i| (0..n).map(|k| f64::from(u8::from(k == i))).collect())
}

/// `M e_j` is inverse dynamics of the acceleration `e_j` at rest, without gravity and springs.
fn mass_matrix(chain: &Chain, model: &Model, n: usize, q: &[f64]) -> Result<DMatrix<f64>, SensitivityError> {
    let (nv, free) = (model.nv(), model.clone().with_gravity(Vector3::zeros()).without_springs());
    let (ws, rest) = (&mut Workspace::new(&free), vec![0.0; nv]);
    let mut jacobian = DMatrix::zeros(nv * nv, n);
    for (j, unit) in units(nv).enumerate() {
        for (i, row) in units(nv).enumerate() {
            let by = rnea_parameter_gradient(&free, ws, q, &rest, &unit, &row, &[])?;
            // Its derivatives by gravity and stiffness are not M's, which does not depend on them.
            let mut dp = by.dp.to_vec();
            dp[free.parameter_layout().gravity.clone()].fill(0.0);
            dp[free.parameter_layout().stiffness.clone()].fill(0.0);
            write_row(&mut jacobian, j * nv + i, chain, &dp);
        }
    }
    Ok(jacobian)
}

/// Motions of a frame, in axes of the world about its origin.
fn pose(
    parameters: &Parameters,
    chain: &Chain,
    values: &[f64],
    model: &Model,
    (q, frame): (&[f64], FrameRef),
) -> Result<DMatrix<f64>, SensitivityError> {
    let layout = model.parameter_layout();
    let end = frame_pose(model, &mut Workspace::new(model), q, frame)?;
    let at_end = Transform::from_translation(end.translation);
    let (carrier, own) = match frame {
        FrameRef::Body(body) => (Some(body.index()), None),
        FrameRef::Frame(id) => (model.frames()[id.index()].body().map(|body| body.index()), Some(id.index())),
    };
    let rest = vec![0.0; model.nv()];
    let places = JointGeometry::new(model, (q, &rest, &rest));
    let carrying = places.of(carrier).pose;
    let mut by_all = DMatrix::zeros(6, layout.len());
    for change in places.changes(carrier) {
        let moved = at_end.inv_act(carrying.act(change.pose));
        let six = DVector::from_iterator(6, moved.linear.iter().chain(moved.angular.iter()).copied());
        by_all.column_mut(change.at).zip_apply(&six, |to, x| *to += x);
    }
    let mut jacobian = DMatrix::zeros(6, parameters.len());
    chain.times(&by_all, &mut jacobian);
    if let Some(place) = own {
        for (k, columns) in parameters.frame_columns(values, place) {
            let moved = at_end.inv_act(end.act(columns));
            let six = DVector::from_iterator(6, moved.linear.iter().chain(moved.angular.iter()).copied());
            jacobian.column_mut(k).zip_apply(&six, |to, x| *to += x);
        }
    }
    Ok(jacobian)
}
