//! What [`forward_kinematics`] and [`center_of_mass`](dynamics::center_of_mass()) know of one frame, or one center of
//! mass.

use crate::dynamics::reference::{Attached, check_body};
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
    let pose = |kinematics: &Kinematics<'_, P, T>, frame| match frame {
        FrameRef::Body(body) => kinematics.pose(body),
        FrameRef::Frame(frame) => kinematics.frame_pose(frame),
    };
    of_frame(model, (q, &rest, &rest), frame.into(), "pose", pose, Transform::is_finite)
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
    motion(model, (q, v, &rest), frame, "velocity", |kinematics, frame| kinematics.velocity_in(frame, reference))
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
    motion(model, (q, v, a), frame, "acceleration", |kinematics, frame| kinematics.acceleration_in(frame, reference))
}

/// Classical acceleration of a frame or a body, in the reference, gravity left out: the linear part is that of the
/// point whose velocity is [`frame_velocity`]'s. `q`: nq, `v`, `a`: nv. O(n). [`Kinematics::classical_acceleration_in`]
/// in memory of its own.
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
    let ask = |kinematics: &Kinematics<'_, P, T>, frame| kinematics.classical_acceleration_in(frame, reference);
    motion(model, (q, v, a), frame, "acceleration", ask)
}

/// The center of mass in the world, its velocity and acceleration, of the robot or of a subtree. `q`: nq, `v`, `a`: nv;
/// `subtree`: its root, `None` for the robot. O(n).
/// [`dynamics::center_of_mass`](dynamics::center_of_mass()) in memory of its own.
///
/// # Errors
/// Those of the form with a workspace; [`InputError::OtherModel`] and [`InputError::Massless`] of a subtree.
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
            let com = centers.subtree(body).ok_or_else(|| InputError::Massless { body: name() })?;
            let finite = com.is_finite();
            if finite { Ok(com) } else { Err(model.overflow_of("center of mass", 0, format!("body {}", name()))) }
        }
    }
}

fn motion<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    state: (&[T], &[T], &[T]),
    frame: impl Into<FrameRef>,
    what: &'static str,
    ask: impl FnOnce(&Kinematics<'_, P, T>, FrameRef) -> Option<Motion<T>>,
) -> Result<Motion<T>, InputError> {
    of_frame(model, state, frame.into(), what, ask, |m| m.is_finite())
}

fn of_frame<P: Real, T: Scalar<P>, R>(
    model: &Model<P>,
    (q, v, a): (&[T], &[T], &[T]),
    frame: FrameRef,
    what: &'static str,
    ask: impl FnOnce(&Kinematics<'_, P, T>, FrameRef) -> Option<R>,
    is_finite: impl Fn(&R) -> bool,
) -> Result<R, InputError> {
    let mut ws = Workspace::new(model);
    let kinematics = forward_kinematics(model, &mut ws, q, v, a)?;
    Attached::of(model, frame)?;
    // There is something to be found: the frame is one of the model's.
    let found = ask(&kinematics, frame);
    if let Some(found) = found.filter(is_finite) {
        return Ok(found);
    }
    let owner = match frame {
        FrameRef::Body(body) => format!("body {}", model.bodies()[body.index()].name()),
        FrameRef::Frame(frame) => format!("frame {}", model.frames()[frame.index()].name()),
    };
    Err(model.overflow_of(what, 0, owner))
}
