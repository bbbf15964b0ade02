//! The pose of a frame, from the configuration alone.

use super::jacobian::{check_sizes, place_path};
use super::reference::Attached;
use super::{FrameRef, ReferenceFrame, Workspace, check_finite, frame_jacobian};
use crate::dynamics::by_plan::{self, Kernels};
use crate::model::{InputError, Model};
use crate::spatial::Transform;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// Pose `x_wf` of a frame or a body in the world.
///
/// `q`: nq. Cost O(depth); allocates nothing. For many frames at one configuration, and for their motions, there is
/// [`forward_kinematics`](super::forward_kinematics()).
///
/// ```
/// use gradyn::dynamics::frame_pose;
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let flange = model.find_frame("panda_link8").expect("is there");
/// let mut workspace = Workspace::new(&model);
/// let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
/// println!("{} m", frame_pose(&model, &mut workspace, &q, flange)?.translation);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the model has no such frame, or a number is
/// not finite.
#[inline(never)]
pub fn frame_pose<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
) -> Result<Transform<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    check_sizes(model, ws, q)?;
    let quick =
        |mut kernels: Kernels<'_>| by_plan::same(&kernels.frame_pose(T::as_f64s(q)?, by_plan::same(&at)?)?).copied();
    let pose = match by_plan::of(model, ws).and_then(quick) {
        Some(pose) => pose,
        None => {
            check_finite(model, q, &[], &[])?;
            place_path(model, ws, q, at.body);
            at.pose(ws)
        }
    };
    checked(model, pose)
}

/// [Pose](frame_pose) of a frame or a body in the world, and its [Jacobian](frame_jacobian), 6 × nv, with the bodies
/// placed once.
///
/// `q`: nq; the reference is that of the Jacobian. Cost O(depth); a second call allocates nothing.
///
/// ```
/// use gradyn::dynamics::{ReferenceFrame, frame_pose_jacobian};
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let flange = model.find_frame("panda_link8").expect("is there");
/// # let mut workspace = Workspace::new(&model);
/// # let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
/// let reference = ReferenceFrame::LocalWorldAligned;
/// let (pose, jacobian) = frame_pose_jacobian(&model, &mut workspace, &q, flange, reference)?;
/// assert_eq!((pose.translation.len(), jacobian.shape()), (3, (6, model.nv())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`frame_pose`].
pub fn frame_pose_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<(Transform<T>, &'w DMatrix<T>), InputError> {
    let frame = frame.into();
    let at = Attached::of(model, frame)?;
    frame_jacobian(model, ws, q, frame, reference)?;
    // It has placed the bodies, in one of two memories.
    let quick = |kernels: Kernels<'_>| by_plan::same(&kernels.placed_pose(by_plan::same(&at)?)?).copied();
    let pose = match by_plan::of(model, ws).and_then(quick) {
        Some(pose) => pose,
        None => at.pose(ws),
    };
    Ok((checked(model, pose)?, &ws.jacobian.frame))
}

fn checked<P: Real, T: Real>(model: &Model<P>, pose: Transform<T>) -> Result<Transform<T>, InputError> {
    if pose.is_finite() { Ok(pose) } else { Err(model.overflow_of("frame_pose", 0, model.whole_label())) }
}
