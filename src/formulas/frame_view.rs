//! How the motion of a frame, and what it varies with, look in each reference.

use super::reference_frame::ReferenceFrame;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// A frame F of a body, in axes of the world about the origin of its tree, and the reference that its motion is asked for in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameView<T> {
    /// Pose of F.
    x_of: Transform<T>,
    /// Origin of the world.
    world: Vector3<T>,
    reference: ReferenceFrame,
}

impl<T: Real> FrameView<T> {
    /// From the pose of F and the origin of the world.
    #[inline(always)]
    pub(crate) fn at(x_of: Transform<T>, world: Vector3<T>, reference: ReferenceFrame) -> Self {
        Self { x_of, world, reference }
    }

    /// Pose of F in the world.
    #[inline(always)]
    pub(crate) fn in_world(&self) -> Transform<T> {
        Transform::new(self.x_of.rotation, v3::sub(self.x_of.translation, self.world))
    }

    /// The same in a wider number type.
    #[inline(always)]
    pub(crate) fn lift<U: Scalar<T>>(&self) -> FrameView<U> {
        FrameView::at(self.x_of.lift(), v3::lift(self.world), self.reference)
    }

    /// A motion in the reference.
    #[inline(always)]
    pub(crate) fn motion(&self, m: Motion<T>) -> Motion<T> {
        match self.reference {
            ReferenceFrame::World => m.shifted::<T>(self.world),
            _ => self.reference.motion_from_world(&self.x_of, m),
        }
    }

    /// A pose in the reference: what takes motions from its coordinates there.
    #[inline(always)]
    pub(crate) fn pose(&self, x: Transform<T>) -> Transform<T>
    where
        T: Scalar<T>,
    {
        match self.reference {
            ReferenceFrame::Local => self.x_of.inv_mul(&x),
            ReferenceFrame::World => Transform::new(x.rotation, v3::sub(x.translation, self.world)),
            ReferenceFrame::LocalWorldAligned => {
                Transform::new(x.rotation, v3::sub(x.translation, self.x_of.translation))
            }
        }
    }

    /// A wrench given in the reference.
    #[inline(always)]
    pub(crate) fn force(&self, f: Force<T>) -> Force<T> {
        match self.reference {
            ReferenceFrame::World => f.shifted::<T>(v3::neg(self.world)),
            _ => self.reference.force_to_world(&self.x_of, f),
        }
    }

    /// Velocity of the origin of F along the motion `by`.
    #[inline(always)]
    pub(crate) fn origin_along(&self, by: Motion<T>) -> Vector3<T> {
        by.velocity_at::<T>(self.x_of.translation)
    }

    /// How the coordinates of `m` in the reference vary when F moves along `by`, if `m` seen from F varies by `change`, so
    /// that `dm = change + by × m`.
    #[inline(always)]
    pub(crate) fn vary(&self, change: Motion<T>, by: Motion<T>, m: Motion<T>) -> Motion<T> {
        match self.reference {
            ReferenceFrame::Local => self.motion(change),
            ReferenceFrame::World => self.motion(change + by.cross(m)),
            // The axes stay, the origin moves along: of by × m only the turning is left.
            ReferenceFrame::LocalWorldAligned => {
                let (w, m) = (by.angular, self.motion(m));
                let turned = Motion::new(v3::cross(w, m.linear), v3::cross(w, m.angular));
                self.motion(change) + turned
            }
        }
    }
}
