//! Torques of inverse dynamics, from the inertial parameters of bodies.

use super::{RegressorMemory, finite};
use crate::dynamics::jacobian::clear;
use crate::dynamics::placed::{Placed, update};
use crate::dynamics::rnea::{base_acceleration, check_finite};
use crate::dynamics::{Workspace, by_plan};
use crate::level::at_level;
use crate::model::{InputError, Model, room};
use crate::spatial::power_regressor;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// `Y(q, v, a)` with `τ = Y π`: joint torques of inverse dynamics from the inertial parameters, nv × 10 n.
///
/// `q`: nq, `v`, `a`: nv; `π`: [`Model::inertial_parameters`]. Gravity is included; armature, damping, friction and
/// springs of the joints are not ([`standard_regressor`](super::standard_regressor()) has them), nor wrenches from outside.
/// Entries of bodies that a joint does not carry are exactly zero. Cost O(n d); a second call allocates nothing.
/// Pinocchio's `computeJointTorqueRegressor`.
///
/// ```
/// use gradyn::dynamics::{rnea, torque_regressor};
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # use nalgebra::DVector;
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model.with_joint_friction(false);
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
/// let mut workspace = Workspace::new(&model);
/// let parameters = DVector::from_vec(model.inertial_parameters());
/// let tau = torque_regressor(&model, &mut workspace, &q, &v, &a)? * parameters;
/// let expected = rnea(&model, &mut workspace, &q, &v, &a, &[])?;
/// # assert!(model.joint_dynamics().iter().all(|dof| dof.armature == 0.0));
/// assert!((tau[3] - expected[3]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias = "computeJointTorqueRegressor")]
pub fn torque_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let shape = (model.nv, 10 * model.bodies.len());
    if ws.regressor.torque.shape() != shape {
        room::<T>("the regressor of torques", &[shape.0, shape.1])?;
    }
    if by_plan::of(model, ws).and_then(|kernels| kernels.torque_regressor(by_plan::state((q, v, a))?)).is_some() {
        return Ok(&ws.regressor.torque);
    }
    check_finite(model, q, v, a)?;
    update(model, ws, base_acceleration(model), (q, v, a));
    let Workspace { regressor: RegressorMemory { torque, .. }, placed, .. } = &mut *ws;
    if torque.shape() != shape {
        clear(torque, shape.0, shape.1); // what the tree makes zero is never written to
    }
    let surely = torques(placed, torque);
    if !surely {
        finite(model, "torque_regressor", torque)?;
    }
    Ok(&ws.regressor.torque)
}

/// `Y(q)` with `g = Y π`: the joint torques that hold the robot at rest, from the inertial parameters, nv × 10 n:
/// [`torque_regressor`] without motion.
///
/// # Errors
/// As [`torque_regressor`].
#[doc(alias = "computeStaticRegressor")]
pub fn static_torque_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    let mut zeros = std::mem::take(&mut ws.zeros);
    zeros.resize(model.nv, T::zero());
    let done = torque_regressor(model, ws, q, &zeros, &zeros).map(|_| ());
    ws.zeros = zeros;
    done.map(|()| &ws.regressor.torque)
}

at_level! {
    /// The columns of each body: the power of its wrenches on all columns of motion from there to the root, in its
    /// coordinates. Returns whether all entries are certainly finite.
    #[inline(always)]
    fn torques<T: Real + Scalar<T>>(placed: &Placed<T>, torque: &mut DMatrix<T>) -> bool {
        let (rows, torque) = (torque.nrows(), torque.as_mut_slice());
        let mut sum = T::zero();
        for (b, pose) in placed.pose.iter().enumerate() {
            let (v, a) = (pose.inv_act(placed.velocity[b]), pose.inv_act(placed.acceleration[b]));
            let of_body = &mut torque[10 * b * rows..][..10 * rows];
            for link in placed.path(placed.carrier[b]) {
                for column in link.columns.clone() {
                    let dof = placed.dof[column];
                    for k in 0..10 {
                        of_body[k * rows + dof] = T::zero();
                    }
                }
            }
            for link in placed.path(placed.carrier[b]) {
                for column in link.columns.clone() {
                    let (s, dof) = (pose.inv_act(placed.columns[column]), placed.dof[column]);
                    for (k, x) in power_regressor(s, v, a).into_iter().enumerate() {
                        of_body[k * rows + dof] += x;
                        sum += x;
                    }
                }
            }
        }
        sum.is_finite()
    }
}
