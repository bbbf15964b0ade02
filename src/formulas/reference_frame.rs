//! The coordinates that the motion of a frame is given in.

use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use std::fmt;

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
