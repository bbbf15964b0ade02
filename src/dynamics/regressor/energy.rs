//! Energies, from the inertial parameters of bodies.

use super::finite;
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::energy::drive;
use crate::dynamics::jacobian::{check as check_state, check_sizes, clear};
use crate::dynamics::{Workspace, world};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Motion, Transform, kinetic_energy_regressor as of_kinetic_energy, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// `w(q, v)` with `½ vᵀ M v = w π`, J: kinetic energy from the inertial parameters, 1 × 10 n. That of rotors (armature) is
/// not included.
///
/// `q`: nq, `v`: nv. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// As [`torque_regressor`](super::torque_regressor).
#[doc(alias = "computeKineticEnergyRegressor")]
pub fn kinetic_energy_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| kernels.energy_regressor(T::as_f64s(q)?, Some(T::as_f64s(v)?));
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.regressor.energy);
    }
    check_state(model, ws, q, v)?;
    drive(model, ws, q, v);
    let energy = &mut ws.regressor.energy;
    clear(energy, 1, 10 * model.bodies.len());
    kinetic_row(&ws.velocity, energy);
    finite(model, "kinetic_energy_regressor", energy)?;
    Ok(&ws.regressor.energy)
}

/// `w(q)` with `−Σ m g·c = w π`, J: potential energy in the gravitational field from the inertial parameters, 1 × 10 n.
///
/// `q`: nq. `−g·p` multiplies the mass of a body with its origin at `p`, `−Rᵀ g` its first moment. Cost O(n); a second
/// call allocates nothing.
///
/// # Errors
/// As [`torque_regressor`](super::torque_regressor).
#[doc(alias = "computePotentialEnergyRegressor")]
pub fn potential_energy_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    if by_plan::of(model, ws).and_then(|kernels| kernels.energy_regressor(T::as_f64s(q)?, None)).is_some() {
        return Ok(&ws.regressor.energy);
    }
    check_state(model, ws, q, &[])?;
    world::place(model, ws, q);
    let energy = &mut ws.regressor.energy;
    clear(energy, 1, 10 * model.bodies.len());
    potential_row(model, &ws.x_wb, energy);
    finite(model, "potential_energy_regressor", energy)?;
    Ok(&ws.regressor.energy)
}

at_level! {
    /// The row of kinetic energy, from the velocities of the bodies in their coordinates.
    fn kinetic_row<T: Real>(velocities: &[Motion<T>], energy: &mut DMatrix<T>) {
        for (b, velocity) in velocities.iter().enumerate() {
            energy.as_mut_slice()[10 * b..][..10].copy_from_slice(&of_kinetic_energy(*velocity));
        }
    }

    /// The row of potential energy, from the poses of the bodies.
    fn potential_row<P: Real, T: Scalar<P>>(model: &Model<P>, x_wb: &[Transform<T>], energy: &mut DMatrix<T>) {
        for (b, x_wb) in x_wb.iter().enumerate() {
            let first = x_wb.inv_vector(v3::neg(v3::lift::<P, T>(model.gravity)));
            let row = [-v3::dot(model.gravity, x_wb.translation), first.x, first.y, first.z];
            energy.as_mut_slice()[10 * b..][..4].copy_from_slice(&row);
        }
    }
}
