//! Mechanical energy.

use super::jacobian::check_sizes;
use super::{Workspace, check_finite, step, world};
use crate::dynamics::by_plan;
use crate::formulas::joint_forces;
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Kinetic energy, J: `½ vᵀ M(q) v`, that of the rotors (armature) included.
///
/// `q`: nq, `v`: nv. Cost O(n); allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias = "computeKineticEnergy")]
pub fn kinetic_energy<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<T, InputError> {
    Ok(energies(model, ws, q, v)?.0)
}

/// Potential energy, J: `−Σ m g·c` in the gravitational field, zero for a center of mass at the world's origin, and
/// `Σ ½ stiffness (u − reference)²` of the [springs](Model::springs), those of [spherical and floating joints](crate::model::PoseSpring)
/// included.
///
/// `q`: nq. Cost O(n); allocates nothing.
///
/// # Errors
/// As [`kinetic_energy`].
#[doc(alias("computePotentialEnergy", "gravitational_potential_energy"))]
#[inline(never)]
pub fn potential_energy<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
) -> Result<T, InputError> {
    check_sizes(model, ws, q)?;
    if let Some(energy) = by_plan::of(model, ws).and_then(|kernels| kernels.potential_energy(T::as_f64s(q)?)) {
        return finite(model, "potential_energy", T::from(energy) + joint_forces::energy(model, q));
    }
    check_finite(model, q, &[], &[])?;
    world::place(model, ws, q);
    finite(model, "potential_energy", potential(model, ws) + joint_forces::energy(model, q))
}

/// Kinetic and potential energy, J. It changes at the rate `τᵀ v`, less what friction dissipates.
///
/// `q`: nq, `v`: nv. Cost O(n); allocates nothing.
///
/// # Errors
/// As [`kinetic_energy`].
#[doc(alias = "computeMechanicalEnergy")]
pub fn mechanical_energy<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<T, InputError> {
    let (kinetic, potential) = energies(model, ws, q, v)?;
    finite(model, "mechanical_energy", kinetic + potential)
}

/// Kinetic and potential energy; the kinetic one is finite.
#[inline(never)]
fn energies<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<(T, T), InputError> {
    check_sizes(model, ws, q)?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    let quick = by_plan::of(model, ws).and_then(|kernels| kernels.energies(T::as_f64s(q)?, T::as_f64s(v)?));
    if let Some((kinetic, potential)) = quick {
        return Ok((T::from(kinetic), T::from(potential) + joint_forces::energy(model, q)));
    }
    check_finite(model, q, v, &[])?;
    drive(model, ws, q, v);
    let kinetic = finite(model, "kinetic_energy", kinetic(model, ws, v))?;
    world::compose(model, ws);
    Ok((kinetic, potential(model, ws) + joint_forces::energy(model, q)))
}

fn finite<P: Real, T: Real>(model: &Model<P>, what: &'static str, energy: T) -> Result<T, InputError> {
    if energy.is_finite() {
        return Ok(energy);
    }
    Err(model.overflow_of(what, 0, model.whole_label()))
}

at_level! {
    /// Poses of all bodies in their parents, and their velocities in their own coordinates.
    pub(super) fn drive<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T], v: &[T]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
            let (q, trig, x_pb) = (&q[body.q.clone()], &mut ws.trig[i], &mut ws.x_pb[i]);
            T::call(step::Pose { body, q, columns: &mut *columns, trig, x_pb: &mut *x_pb });
            let mut sum = match body.parent {
                Some(p) => x_pb.inv_act(ws.velocity[p]),
                None => Motion::zero(),
            };
            for (column, v) in columns.iter().zip(&v[body.v.clone()]) {
                sum = column.times_plus(*v, sum);
            }
            ws.velocity[i] = sum;
        }
    }

    /// Of bodies that move: `Σ ½ ⟨ν, Y ν⟩ + Σ ½ armature v²`.
    fn kinetic<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &Workspace<T>, v: &[T]) -> T {
        let mut sum = T::zero();
        for (velocity, body) in ws.velocity.iter().zip(&model.bodies) {
            sum += body.inertia.kinetic_energy(*velocity);
        }
        for dof in &model.dofs {
            let v = v[dof.index];
            sum += v * v * dof.mass() * 0.5;
        }
        sum
    }

    /// Of bodies that have been placed.
    fn potential<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &Workspace<T>) -> T {
        let mut sum = T::zero();
        for (i, body) in model.bodies.iter().enumerate() {
            let com = ws.x_wb[i].point(v3::lift::<P, T>(body.inertia.com));
            sum -= v3::dot(model.gravity, com) * body.inertia.mass;
        }
        sum
    }
}
