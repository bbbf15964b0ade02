//! Which frame is asked about, and the coordinates that its motion is given in.

use super::Workspace;
use crate::model::{BodyId, FrameId, InputError, Model};
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::fmt;

/// A frame that moves with the robot: a body's own, or one of [`Model::frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameRef {
    /// The frame of a body, which its joint moves.
    Body(BodyId),
    /// A frame of the model, fixed to a body or to the world.
    Frame(FrameId),
}

impl From<BodyId> for FrameRef {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

impl From<FrameId> for FrameRef {
    fn from(frame: FrameId) -> Self {
        Self::Frame(frame)
    }
}

/// The coordinates of the motion of a frame F, and of wrenches on it. As in Pinocchio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"))]
pub enum ReferenceFrame {
    /// Axes of F; the linear part is that of F's origin.
    Local,
    /// Axes of the world; the linear part is that of the point of F's body that passes the world's origin.
    World,
    /// Axes of the world; the linear part is that of F's origin.
    LocalWorldAligned,
}

impl ReferenceFrame {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Local, Self::World, Self::LocalWorldAligned];

    /// The name, as the command line takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::World => "world",
            Self::LocalWorldAligned => "local-world-aligned",
        }
    }

    /// A motion in coordinates of the world, in these, for the frame with the pose `x_wf`.
    #[inline(always)]
    pub fn motion_from_world<P: Real, T: Scalar<P>>(self, x_wf: &Transform<P>, m_w: Motion<T>) -> Motion<T> {
        match self {
            Self::Local => x_wf.inv_act(m_w),
            Self::World => m_w,
            Self::LocalWorldAligned => m_w.shifted(x_wf.translation),
        }
    }

    /// The reference whose linear part is the motion of a point itself: axes of the body, or of the world.
    #[inline(always)]
    pub(crate) fn of_point(self) -> Self {
        match self {
            Self::Local => Self::Local,
            Self::World | Self::LocalWorldAligned => Self::LocalWorldAligned,
        }
    }

    /// A motion in coordinates of the frame with the pose `x_wf`, in these.
    #[inline(always)]
    pub fn motion_from_local<P: Real, T: Scalar<P>>(self, x_wf: &Transform<P>, m_f: Motion<T>) -> Motion<T> {
        match self {
            Self::Local => m_f,
            Self::World => x_wf.act(m_f),
            Self::LocalWorldAligned => Motion::new(x_wf.vector(m_f.linear), x_wf.vector(m_f.angular)),
        }
    }

    /// A pose in coordinates of the frame with the pose `x_wf`, in these: its columns of motion go to the same place.
    #[inline(always)]
    pub(crate) fn pose_from_local<T: Scalar<T>>(self, x_wf: &Transform<T>, x_f: Transform<T>) -> Transform<T> {
        match self {
            Self::Local => x_f,
            Self::World => *x_wf * x_f,
            Self::LocalWorldAligned => Transform::new(x_wf.rotation, v3::zero()) * x_f,
        }
    }

    /// A wrench in these coordinates, for the frame with the pose `x_wf`, in coordinates of the world.
    #[inline(always)]
    pub fn force_to_world<P: Real, T: Scalar<P>>(self, x_wf: &Transform<P>, f: Force<T>) -> Force<T> {
        match self {
            Self::Local => x_wf.act(f),
            Self::World => f,
            Self::LocalWorldAligned => f.shifted(v3::neg(x_wf.translation)),
        }
    }
}

impl fmt::Display for ReferenceFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The body that a frame is fixed to, `None` for the world, and its pose there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached<P> {
    pub(crate) body: Option<usize>,
    pub(crate) placement: Transform<P>,
}

impl<P: Real> Attached<P> {
    /// Where a frame is fixed.
    ///
    /// # Errors
    /// [`InputError::OtherModel`]
    pub(crate) fn of(model: &Model<P>, frame: FrameRef) -> Result<Self, InputError> {
        match frame {
            FrameRef::Body(body) => Ok(Self { body: Some(model.check_body(body)?), placement: Transform::identity() }),
            FrameRef::Frame(frame) => {
                let frame = &model.frames[model.check_frame(frame)?];
                Ok(Self { body: frame.body, placement: frame.placement })
            }
        }
    }

    /// A frame at a point of a body, its axes parallel to the body's.
    pub(crate) fn at_point(body: BodyId, point: Vector3<P>) -> Self {
        Self { body: Some(body.index()), placement: Transform::new(v3::identity(), point) }
    }

    /// Its pose in the world, `x_wf`, once the bodies have been placed.
    #[inline(always)]
    pub(crate) fn pose<T: Scalar<P>>(&self, ws: &Workspace<T>) -> Transform<T> {
        let placement: Transform<T> = self.placement.lift();
        match self.body {
            Some(b) => ws.x_wb[b] * placement,
            None => placement,
        }
    }
}

/// Is this one of the model's bodies?
pub(crate) fn check_body<P: Real>(model: &Model<P>, body: BodyId) -> Result<(), InputError> {
    model.check_body(body).map(|_| ())
}
