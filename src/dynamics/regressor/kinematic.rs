//! The motion of a frame under small errors of placements.

use super::finite;
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::jacobian::{check_sizes, clear, place_path};
use crate::dynamics::reference::Attached;
use crate::dynamics::rnea::check_finite;
use crate::dynamics::{FrameRef, ReferenceFrame, Workspace};
use crate::level::at_level;
use crate::model::{InputError, Model, path};
use crate::spatial::Transform;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// How a frame moves by small errors of the joints' placements: geometric calibration, 6 × 6 n, linear rows first.
///
/// `q`: nq. Columns `6 b .. 6 b + 6`: the motion of the frame, in the reference, when the placement of body `b`'s joint
/// becomes `placement ∘ exp(ε e_k)` ([`Model::with_placement`]): small displacements along, then rotations about the
/// axes of the joint's mounting frame. Zero for joints that do not carry the frame. Cost O(n); a second call allocates
/// nothing. Pinocchio's `computeFrameKinematicRegressor`.
///
/// # Errors
/// As [`torque_regressor`](super::torque_regressor), and if the model has no such frame.
#[doc(alias = "computeFrameKinematicRegressor")]
pub fn kinematic_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| kernels.kinematic_regressor(T::as_f64s(q)?, by_plan::same(&at)?, reference);
    if by_plan::of(model, ws).and_then(quick).is_none() {
        check_finite(model, q, &[], &[])?;
        of_placements(model, ws, q, &at, reference);
        finite(model, "kinematic_regressor", &ws.regressor.kinematic)?;
    }
    Ok(&ws.regressor.kinematic)
}

at_level! {
    /// The columns of [`kinematic_regressor`].
    fn of_placements<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        at: &Attached<P>,
        reference: ReferenceFrame,
    ) {
        place_path(model, ws, q, at.body);
        let x_wf: Transform<T> = at.pose(ws);
        let kinematic = &mut ws.regressor.kinematic;
        clear(kinematic, 6, 6 * model.bodies.len());
        // Joint by joint, not by way of the world, as Jacobians.
        let mut x_bf: Transform<T> = at.placement.lift();
        for (b, body) in path(&model.bodies, at.body) {
            x_bf = ws.x_pb[b] * x_bf;
            let x_fm = x_bf.inv_mul(&body.placement.lift::<T>());
            let columns = reference.pose_from_local(&x_wf, x_fm).action();
            kinematic.as_mut_slice()[36 * b..][..36].copy_from_slice(columns.as_slice());
        }
    }
}
