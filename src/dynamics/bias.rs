//! Torques without acceleration: bias, gravity, and static torques.

use super::external::{self, ExternalWrench};
use super::rnea::{Sweep, check_finite, not_finite};
use super::{Workspace, first_not_finite, placed};
use crate::dynamics::by_plan;
use crate::formulas::joint_forces::JointForces;
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Force, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// The bias `c(q, v) − Σ Jᵀ φ` of `M(q) a + c(q, v) = τ + Σ Jᵀ φ`: torques that leave no joint acceleration.
///
/// Coriolis, centrifugal and gravity terms, springs, and damping and friction if the model has them switched on:
/// inverse dynamics at `a = 0`. `q`: nq, `v`: nv; returns nv torques, which borrow from the workspace. Cost O(n); a second call
/// allocates nothing.
///
/// # Errors
/// As [`rnea`](super::rnea).
#[inline(never)]
#[doc(alias("nonLinearEffects", "nle", "dynamics_bias", "CalcBiasTerm", "qfrc_bias"))]
pub fn bias<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    model.check_q(q)?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    // Moved out, so that the sweep can have the workspace; no allocation.
    let mut zeros = std::mem::take(&mut ws.zeros);
    zeros.resize(model.nv, T::zero());
    let finite = match by_plan::of(model, ws)
        .and_then(|kernels| kernels.under(wrenches).rnea(by_plan::state((q, v, &zeros))?))
    {
        Some(finite) => finite,
        None => T::call(Sweep { model, ws: &mut *ws, q, v, a: &zeros, wrenches }),
    };
    ws.zeros = zeros;
    if finite { Ok(&ws.tau) } else { Err(not_finite(model, q, v, &[], wrenches, &ws.tau)) }
}

/// Torques that hold the robot still against gravity, `g(q)`: the gradient of its potential energy in the gravitational
/// field. [`static_torque`] holds it against its springs too.
///
/// `q`: nq; returns nv torques, which borrow from the workspace. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias("computeGeneralizedGravity", "CalcGravityGeneralizedForces"))]
pub fn generalized_gravity<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w [T], InputError> {
    at_rest(model, ws, q, JointForces::none(), &[])
}

/// Torques that hold the robot still against gravity, springs and wrenches from outside: `g(q) + springs − Σ Jᵀ φ`, inverse
/// dynamics at rest. Without wrenches it is the gradient of the [potential energy](super::potential_energy), `∂U/∂q`.
///
/// `q`: nq; returns nv torques, which borrow from the workspace. Cost O(n); a second call allocates nothing.
///
/// ```text
/// φ_i = (−m g, −m c × g) − φ_ext ;  τ_i = S_iᵀ Σ φ over the subtree + springs           about the root of each tree
/// ```
///
/// # Errors
/// As [`generalized_gravity`], and [`InputError::OtherModel`] for a wrench on a body of another model.
#[doc(alias = "computeStaticTorque")]
pub fn static_torque<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    at_rest(model, ws, q, JointForces { curves: &[], ..JointForces::of(model) }, wrenches)
}

/// Torques against gravity, these forces of joints at rest, and wrenches.
fn at_rest<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    joints: JointForces<'_, P>,
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    model.check_q(q)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    let quick =
        wrenches.is_empty() && by_plan::of(model, ws).and_then(|kernels| kernels.gravity(T::as_f64s(q)?)).is_some();
    if quick && joints.is_empty() {
        return Ok(&ws.tau);
    }
    if !quick {
        check_finite(model, q, &[], &[])?;
        placed::place(model, ws, q);
        weigh(model, ws, wrenches);
        placed::carry_forces(model, ws);
    }
    joints.add_torques(q, &[], &mut ws.tau);
    match first_not_finite(&ws.tau).is_none() {
        true => Ok(&ws.tau),
        false => Err(not_finite(model, q, &[], &[], wrenches, &ws.tau)),
    }
}

at_level! {
    /// The force that each placed body needs: against its weight, and against wrenches from outside.
    fn weigh<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, wrenches: &[ExternalWrench<T>]) {
        let up: Vector3<P> = v3::neg(model.gravity);
        for (i, body) in model.bodies.iter().enumerate() {
            let weight: Vector3<P> = v3::scale::<P, P>(body.inertia.mass, up);
            let com = ws.placed.pose[i].point(v3::lift::<P, T>(body.inertia.com));
            // Constant but for the place that it acts at.
            ws.force[i] = Force::new(v3::lift(weight), v3::neg(v3::cross(weight, com)));
        }
        ws.placed.subtract(wrenches, &mut ws.force);
    }
}
