//! What [`forward_kinematics`] and [`center_of_mass`](dynamics::center_of_mass()) know of one frame, or one centre of mass.

use crate::dynamics::reference::{check_body, unknown};
use crate::dynamics::{self, FrameRef, Kinematics, PointMass, ReferenceFrame, Workspace, forward_kinematics};
use crate::model::{BodyId, InputError, Model};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Pose `x_wf` of a frame or a body in the world. `q`: nq. O(n).
/// [`Kinematics::frame_pose`] and [`Kinematics::pose`] in memory of their own.
///
/// # Errors
/// Those of [`forward_kinematics`], and if the model has no such frame.
pub fn frame_pose<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    q: &[T],
    frame: impl Into<FrameRef>,
) -> Result<Transform<T>, InputError> {
    let rest = vec![T::zero(); model.nv()];
    of_frame(model, (q, &rest, &rest), frame.into(), |kinematics, frame| match frame {
        FrameRef::Body(body) => kinematics.pose(body),
        FrameRef::Frame(frame) => kinematics.frame_pose(frame),
    })
}

/// Spatial velocity of a frame or a body, in the reference. `q`: nq, `v`: nv. O(n).
/// [`Kinematics::velocity_in`] in memory of its own.
///
/// # Errors
/// As [`frame_pose`].
pub fn frame_velocity<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    q: &[T],
    v: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<Motion<T>, InputError> {
    let rest = vec![T::zero(); model.nv()];
    of_frame(model, (q, v, &rest), frame.into(), |kinematics, frame| kinematics.velocity_in(frame, reference))
}

/// Spatial acceleration of a frame or a body, in the reference, gravity left out. `q`: nq, `v`, `a`: nv. O(n).
/// [`Kinematics::acceleration_in`] in memory of its own.
///
/// # Errors
/// As [`frame_pose`].
pub fn frame_acceleration<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<Motion<T>, InputError> {
    of_frame(model, (q, v, a), frame.into(), |kinematics, frame| kinematics.acceleration_in(frame, reference))
}

/// Classical acceleration of a frame or a body, in the reference, gravity left out: the linear part is that of the point whose
/// velocity is [`frame_velocity`]'s. `q`: nq, `v`, `a`: nv. O(n).
/// [`Kinematics::classical_acceleration_in`] in memory of its own.
///
/// # Errors
/// As [`frame_pose`].
pub fn classical_frame_acceleration<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<Motion<T>, InputError> {
    of_frame(model, (q, v, a), frame.into(), |kinematics, frame| kinematics.classical_acceleration_in(frame, reference))
}

/// The centre of mass in the world, its velocity and acceleration, of the robot or of a subtree. `q`: nq, `v`, `a`: nv;
/// `subtree`: the body it hangs from, `None` for the robot. O(n).
/// [`dynamics::center_of_mass`](dynamics::center_of_mass()) in memory of its own.
///
/// # Errors
/// Those of the form with a workspace; [`InputError::UnknownBody`] and [`InputError::Massless`] of a subtree.
pub fn center_of_mass<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    q: &[T],
    v: &[T],
    a: &[T],
    subtree: Option<BodyId>,
) -> Result<PointMass<T>, InputError> {
    subtree.map_or(Ok(()), |body| check_body(model, body))?;
    let mut ws = Workspace::new(model);
    let centers = dynamics::center_of_mass(model, &mut ws, q, v, a)?;
    match subtree {
        None => Ok(centers.whole),
        Some(body) => {
            let name = || model.bodies()[body.index()].name().to_owned();
            centers.subtree(body).ok_or_else(|| InputError::Massless { body: name() })
        }
    }
}

fn of_frame<P: Real, T: Scalar<P>, R>(
    model: &Model<P>,
    (q, v, a): (&[T], &[T], &[T]),
    frame: FrameRef,
    ask: impl FnOnce(&Kinematics<'_, P, T>, FrameRef) -> Option<R>,
) -> Result<R, InputError> {
    let mut ws = Workspace::new(model);
    let kinematics = forward_kinematics(model, &mut ws, q, v, a)?;
    ask(&kinematics, frame).ok_or_else(|| unknown(model, frame))
}
