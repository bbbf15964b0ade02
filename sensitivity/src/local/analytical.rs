//! The formulas, output by output.

use super::Output;
use crate::error::SensitivityError;
use crate::parameters::{Chain, Parameters};
use gradyn::dynamics::{
    FrameRef, aba_parameter_gradient, constraint_dynamics, frame_pose, potential_energy_regressor,
    rnea_parameter_gradient,
};
use gradyn::joint::{Elementary, Joint, JointKind};
use gradyn::partials::constraint_dynamics_derivatives;
use gradyn::{Constraint, DerivativeWorkspace, Method, Model, Motion, Transform, Workspace};
use nalgebra::{DMatrix, DVector, Vector3};

/// `∂(output)/∂p` of the robot that has these values.
pub(super) fn jacobian(
    parameters: &Parameters,
    values: &[f64],
    model: &Model,
    output: &Output<'_>,
) -> Result<DMatrix<f64>, SensitivityError> {
    let chain = parameters.chain(values)?;
    let n = parameters.len();
    match output {
        Output::Torques { q, v, a } => torques(&chain, model, n, (q, v, a)),
        Output::Accelerations { q, v, tau } => {
            let ws = &mut Workspace::new(model);
            let mut jacobian = DMatrix::zeros(model.nv(), n);
            for (i, unit) in units(model.nv()).enumerate() {
                let by = aba_parameter_gradient(model, ws, q, v, tau, &unit, &[])?;
                write_row(&mut jacobian, i, &chain, by.dp);
            }
            Ok(jacobian)
        }
        Output::MassMatrix { q } => mass_matrix(&chain, model, n, q),
        Output::Energy { q, v } => energy(parameters, &chain, model, (q, v)),
        Output::Pose { q, frame } => pose(parameters, values, model, q, *frame),
        Output::ContactForces { q, v, tau, constraints } => {
            if parameters.moves_geometry() {
                return Err(SensitivityError::Other(
                    "contact forces by placements, axes and joints' constants have no closed form here: ask for dual numbers"
                        .into(),
                ));
            }
            contact_forces(&chain, model, n, (q, v, tau), constraints)
        }
    }
}

fn units(n: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..n).map(move |i| (0..n).map(|k| f64::from(u8::from(k == i))).collect())
}

fn write_row(jacobian: &mut DMatrix<f64>, row: usize, chain: &Chain, gradient: &[f64]) {
    let mut of_row = vec![0.0; jacobian.ncols()];
    chain.add_to(gradient, &mut of_row);
    jacobian.row_mut(row).iter_mut().zip(of_row).for_each(|(to, x)| *to = x);
}

fn torques(
    chain: &Chain,
    model: &Model,
    n: usize,
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Result<DMatrix<f64>, SensitivityError> {
    let ws = &mut Workspace::new(model);
    let mut jacobian = DMatrix::zeros(model.nv(), n);
    for (i, unit) in units(model.nv()).enumerate() {
        let by = rnea_parameter_gradient(model, ws, q, v, a, &unit, &[])?;
        write_row(&mut jacobian, i, chain, by.dp);
    }
    Ok(jacobian)
}

/// `M e_j` is what inverse dynamics says of the acceleration `e_j` at rest, without gravity.
fn mass_matrix(chain: &Chain, model: &Model, n: usize, q: &[f64]) -> Result<DMatrix<f64>, SensitivityError> {
    let (nv, free) = (model.nv(), model.clone().with_gravity(Vector3::zeros()));
    let (ws, rest) = (&mut Workspace::new(&free), vec![0.0; nv]);
    let mut jacobian = DMatrix::zeros(nv * nv, n);
    for (j, unit) in units(nv).enumerate() {
        for (i, row) in units(nv).enumerate() {
            let by = rnea_parameter_gradient(&free, ws, q, &rest, &unit, &row, &[])?;
            // Its derivative by gravity is not M's, which has none in it.
            let mut dp = by.dp.to_vec();
            dp[free.parameter_layout().gravity.clone()].fill(0.0);
            write_row(&mut jacobian, j * nv + i, chain, &dp);
        }
    }
    Ok(jacobian)
}

/// Kinetic energy is linear in inertias and armature; potential energy is linear in inertias and gravity. By geometry, dual numbers would
/// be asked of both: torques of gravity at rest are no help for placements that gravity does no work on.
fn energy(
    parameters: &Parameters,
    chain: &Chain,
    model: &Model,
    (q, v): (&[f64], &[f64]),
) -> Result<DMatrix<f64>, SensitivityError> {
    if parameters.moves_geometry() {
        return Err(SensitivityError::Other(
            "energies by placements, axes and joints' constants have no closed form here: ask for dual numbers".into(),
        ));
    }
    let (layout, ws) = (model.parameter_layout(), &mut Workspace::new(model));
    let mut jacobian = DMatrix::zeros(2, parameters.len());
    let mut dp = vec![0.0; layout.len()];
    let kinetic = gradyn::dynamics::kinetic_energy_regressor(model, ws, q, v)?;
    dp[layout.inertial.clone()].copy_from_slice(kinetic.as_slice());
    let rotors = dp[layout.armature.clone()].iter_mut();
    for (to, (body, dof)) in rotors.zip(layout.joint_parameters()) {
        let k = match body.map(|b| model.bodies()[b].joint()) {
            Some(Joint::Mimic(joint)) => joint.multiplier(),
            _ => 1.0,
        };
        *to = 0.5 * (k * v[dof]).powi(2);
    }
    write_row(&mut jacobian, 0, chain, &dp);
    dp.fill(0.0);
    let potential = potential_energy_regressor(model, ws, q)?;
    dp[layout.inertial.clone()].copy_from_slice(potential.as_slice());
    // −Σ m g·c: by gravity along each axis minus the first moments, which the energy under unit gravity says.
    for k in 0..3 {
        let mut unit = Vector3::zeros();
        unit[k] = 1.0;
        let along = model.clone().with_gravity(unit);
        dp[layout.gravity.start + k] = gradyn::dynamics::potential_energy(&along, ws, q)?;
    }
    write_row(&mut jacobian, 1, chain, &dp);
    Ok(jacobian)
}

/// `M q̈ + c = τ + Jᵀ λ`, `J q̈ = −γ`: what does not move J or γ changes the first right-hand side alone, by `−∂τ/∂p` at `q̈`.
fn contact_forces(
    chain: &Chain,
    model: &Model,
    n: usize,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    constraints: &[Constraint],
) -> Result<DMatrix<f64>, SensitivityError> {
    let ws = &mut Workspace::new(model);
    let ddq = constraint_dynamics(model, ws, q, v, tau, constraints, &[])?.ddq.to_vec();
    let by_tau = torques(chain, model, n, (q, v, &ddq))?;
    let mut derivatives = DerivativeWorkspace::new(model);
    let by = constraint_dynamics_derivatives(model, &mut derivatives, Method::Analytical, q, v, tau, constraints, &[])?;
    Ok(-(&by.dlambda_dtau * by_tau))
}

/// Motions of a frame, in axes of the world about its origin.
fn pose(
    parameters: &Parameters,
    values: &[f64],
    model: &Model,
    q: &[f64],
    frame: FrameRef,
) -> Result<DMatrix<f64>, SensitivityError> {
    let layout = model.parameter_layout();
    let ws = &mut Workspace::new(model);
    let end = frame_pose(model, ws, q, frame)?;
    let at_end = Transform::from_translation(end.translation);
    let (carrier, own) = match frame {
        FrameRef::Body(body) => (Some(body.index()), None),
        FrameRef::Frame(id) => (model.frames()[id.index()].body().map(|body| body.index()), Some(id.index())),
    };
    // A row each of the six: gradients by all parameters of the engine.
    let mut rows = vec![vec![0.0; layout.len()]; 6];
    let mut put = |at: usize, x: Motion<f64>| {
        let six = [x.linear.x, x.linear.y, x.linear.z, x.angular.x, x.angular.y, x.angular.z];
        rows.iter_mut().zip(six).for_each(|(row, x)| row[at] = x);
    };
    let unit = |k: usize| {
        let mut six = [0.0; 6];
        six[k] = 1.0;
        Motion::new(Vector3::new(six[0], six[1], six[2]), Vector3::new(six[3], six[4], six[5]))
    };
    let mut on_path = carrier;
    while let Some(b) = on_path {
        let body = &model.bodies()[b];
        on_path = body.parent().map(|parent| parent.index());
        let parent = match body.parent() {
            Some(parent) => frame_pose(model, ws, q, parent)?,
            None => Transform::identity(),
        };
        let mount = parent * *body.placement();
        let seen = |x: &Transform<f64>, m: Motion<f64>| at_end.inv_act(x.act(m));
        for k in 0..6 {
            put(layout.placement.start + 6 * b + k, seen(&mount, unit(k)));
        }
        let q = &q[body.q_range()];
        let axes: Vec<usize> = layout.axes().enumerate().filter(|(_, at)| at.0 == b).map(|(place, _)| place).collect();
        let pitches: Vec<usize> =
            layout.pitches().enumerate().filter(|(_, at)| at.0 == b).map(|(place, _)| place).collect();
        let (mut axes, mut pitches) = (axes.into_iter(), pitches.into_iter());
        let mut here = mount;
        for (part, placement, q) in parts(body.joint(), q) {
            here = here * placement;
            let stages: Vec<Transform<f64>> = match &part {
                Elementary::Universal(joint) => {
                    let turn = |r| Transform::from_rotation(r);
                    vec![turn(joint.first.turn(q[0])), turn(joint.second.turn(q[1]))]
                }
                part => vec![JointKind::<f64>::pose(part, &q)],
            };
            let count = Joint::Elementary(part).axes().len();
            for (stage, step) in stages.into_iter().enumerate() {
                let behind = here * step;
                if stage < count
                    && let Some(place) = axes.next()
                {
                    for k in 0..3 {
                        let turned = seen(&here, unit(3 + k)) - seen(&behind, unit(3 + k));
                        put(layout.axis.start + 3 * place + k, turned);
                    }
                }
                if let Elementary::Helical(joint) = &part
                    && let Some(place) = pitches.next()
                {
                    let along = Motion::new(joint.axis.vector() * q[0], Vector3::zeros());
                    put(layout.pitch.start + place, seen(&here, along));
                }
                here = behind;
            }
        }
        if let (Joint::Mimic(joint), Some(place)) = (body.joint(), layout.mimics().position(|at| at == b)) {
            let leader = if joint.is_of_direction() { q[1].atan2(q[0]) } else { q[0] };
            let at = joint.multiplier() * leader + joint.offset();
            let mut s = [Motion::zero()];
            JointKind::<f64>::motion_subspace(joint.inner(), &[at], &mut s);
            let moved = seen(&here, s[0]);
            put(layout.multiplier.start + place, moved.scale(leader));
            put(layout.offset.start + place, moved);
        }
    }
    let chain = parameters.chain(values)?;
    let mut jacobian = DMatrix::zeros(6, parameters.len());
    for (i, row) in rows.iter().enumerate() {
        write_row(&mut jacobian, i, &chain, row);
    }
    if let Some(place) = own {
        for (k, columns) in parameters.frame_columns(values, place) {
            let moved = at_end.inv_act(end.act(columns));
            let six = DVector::from_iterator(6, moved.linear.iter().chain(moved.angular.iter()).copied());
            jacobian.column_mut(k).zip_apply(&six, |to, x| *to += x);
        }
    }
    Ok(jacobian)
}

/// The elementary joints of a joint, where each is mounted in the one before, and its coordinates.
fn parts(joint: &Joint, q: &[f64]) -> Vec<(Elementary<f64>, Transform<f64>, Vec<f64>)> {
    match joint {
        Joint::Elementary(kind) => vec![(*kind, Transform::identity(), q.to_vec())],
        Joint::Composite(kind) => {
            let mut at = 0;
            let part = |part: &gradyn::joint::Part| {
                let nq = JointKind::<f64>::nq(&part.joint);
                at += nq;
                (part.joint, part.placement, q[at - nq..at].to_vec())
            };
            kind.parts().iter().map(part).collect()
        }
        Joint::Mimic(kind) => {
            let leader = if kind.is_of_direction() { q[1].atan2(q[0]) } else { q[0] };
            vec![(*kind.inner(), Transform::identity(), vec![kind.multiplier() * leader + kind.offset()])]
        }
    }
}
