//! The center of mass, from masses and first moments of bodies.

use super::{RegressorMemory, finite};
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::com::share;
use crate::dynamics::jacobian::{check_sizes, clear};
use crate::dynamics::rnea::check_finite;
use crate::dynamics::{Workspace, world};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::Transform;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// `Y(q)` with `c = Y p`: the center of mass in the world, m, from the masses and first moments of the bodies, 3 × 4 n.
///
/// `q`: nq; `p`: of each body the first four of its [`inertial parameters`](Model::inertial_parameters), kg and kg m.
/// Columns `4 b .. 4 b + 4`: the position of body `b`, m/kg, then its rotation, 1/kg, both over the mass of the model;
/// so `c = Y p` holds for `p` whose masses sum up to that. Cost O(n); a second call allocates nothing. Pinocchio's
/// `computeStaticRegressor`.
///
/// # Errors
/// As [`torque_regressor`](super::torque_regressor), and if the robot has no mass.
pub fn com_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    let mass = model.bodies.iter().fold(P::zero(), |sum, body| sum + body.inertia.mass);
    let share = share(model, mass, None)?;
    let quick = |kernels: Kernels<'_>| kernels.com_regressor(T::as_f64s(q)?, *by_plan::same(&share)?);
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.regressor.com);
    }
    check_finite(model, q, &[], &[])?;
    world::place(model, ws, q);
    let Workspace { regressor: RegressorMemory { com, .. }, x_wb, .. } = ws;
    clear(com, 3, 4 * model.bodies.len());
    com_rows(x_wb, share, com);
    finite(model, "com_regressor", com)?;
    Ok(&ws.regressor.com)
}

at_level! {
    /// Of each body its position and then its rotation, times a share.
    fn com_rows<P: Real, T: Scalar<P>>(x_wb: &[Transform<T>], share: P, com: &mut DMatrix<T>) {
        for (to, x) in com.as_mut_slice().chunks_exact_mut(12).zip(x_wb) {
            let (position, rotation) = to.split_at_mut(3);
            for (to, x) in position.iter_mut().zip(x.translation.as_slice()) {
                *to = *x * share;
            }
            for (to, x) in rotation.iter_mut().zip(x.rotation.as_slice()) {
                *to = *x * share;
            }
        }
    }
}
