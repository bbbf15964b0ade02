//! Energies by parameters.
//!
//! `T = Σ ½ vᵀ I v + Σ ½ armature (k v)²`, `V = −Σ m g·c + Σ ½ stiffness (k q + b − reference)²`: linear in inertias, armature, gravity
//! and stiffness. Parameters that
//! move a body change these by `δT = (I v)ᵀ δv` and `δV = −m g·δc`; the ratio `k` of a mimic joint also affects its
//! rotor.

use super::joint_geometry::JointGeometry;
use super::torques::write_row;
use crate::error::SensitivityError;
use crate::parameters::{Chain, Parameters};
use gradyn::dynamics::{kinetic_energy_regressor, potential_energy, potential_energy_regressor};
use gradyn::joint::Joint;
use gradyn::{Model, Workspace};
use nalgebra::{DMatrix, Vector3};

/// Two rows, one column per parameter.
///
/// # Errors
/// Input that the engine rejects.
pub(super) fn energy(
    parameters: &Parameters,
    chain: &Chain,
    model: &Model,
    (q, v): (&[f64], &[f64]),
) -> Result<DMatrix<f64>, SensitivityError> {
    let (layout, ws) = (model.parameter_layout(), &mut Workspace::new(model));
    let mut rows = [vec![0.0; layout.len()], vec![0.0; layout.len()]];
    let [kinetic, potential] = &mut rows;
    kinetic[layout.inertial.clone()].copy_from_slice(kinetic_energy_regressor(model, ws, q, v)?.as_slice());
    let standard = model.standard_parameters();
    let mut mimic = layout.multiplier.clone();
    for (j, (body, dof)) in layout.joint_parameters().enumerate() {
        let (mut k, armature) = (1.0, layout.armature.start + j);
        if let Some(Joint::Mimic(joint)) = body.map(|b| model.bodies()[b].joint()) {
            k = joint.multiplier();
            if let Some(at) = mimic.next() {
                kinetic[at] = standard[armature] * k * v[dof] * v[dof];
            }
        }
        kinetic[armature] = 0.5 * (k * v[dof]).powi(2);
    }
    potential[layout.inertial.clone()].copy_from_slice(potential_energy_regressor(model, ws, q)?.as_slice());
    // The derivative by gravity along each axis is minus the first moments, which the energy under unit gravity gives.
    for k in 0..3 {
        let mut unit = Vector3::zeros();
        unit[k] = 1.0;
        let along = model.clone().with_gravity(unit).without_springs();
        potential[layout.gravity.start + k] = potential_energy(&along, ws, q)?;
    }
    for (j, (b, k)) in layout.springs().enumerate() {
        // A spring without stiffness stores nothing, but what it would store with some is the derivative.
        let Some(body) = model.body_id(b) else { continue };
        if let Some((spring, i)) = model.pose_spring_or_none(body, k) {
            let Some(at) = spring.at(q) else { continue };
            let (by_stiffness, by_reference) = at.energy_by_constants();
            potential[layout.stiffness.start + j] = by_stiffness[i];
            potential[layout.spring_reference.start + j] = by_reference[i];
            continue;
        }
        let Some(spring) = model.spring_or_none(body, k) else { continue };
        let displacement = spring.displacement(q[spring.coordinate]);
        let own = spring.stiffness * displacement;
        potential[layout.stiffness.start + j] = 0.5 * displacement * displacement;
        potential[layout.spring_reference.start + j] = -own;
        if let Some(m) = layout.mimics().position(|mimic| mimic == b) {
            potential[layout.multiplier.start + m] = own * q[spring.coordinate];
            potential[layout.offset.start + m] = own;
        }
    }
    if parameters.moves_geometry() {
        let places = JointGeometry::new(model, (q, v, &vec![0.0; model.nv()]));
        for (b, body) in model.bodies().iter().enumerate() {
            let (place, inertia) = (places.of(Some(b)), body.inertia());
            let momentum = inertia.momentum(place.velocity);
            let weight = place.pose.inv_vector(model.gravity()) * inertia.mass;
            for change in places.changes(Some(b)) {
                kinetic[change.at] += change.velocity.power(momentum);
                potential[change.at] -= weight.dot(&change.pose.velocity_at(inertia.com));
            }
        }
    }
    let mut jacobian = DMatrix::zeros(2, parameters.len());
    rows.iter().enumerate().for_each(|(i, row)| write_row(&mut jacobian, i, chain, row));
    Ok(jacobian)
}
