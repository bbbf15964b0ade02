//! The frame of a query, and the coordinates that its motion is returned in.

use super::Workspace;
use super::placed::Placed;
use crate::formulas::frame_view::FrameView;
pub use crate::formulas::reference_frame::ReferenceFrame;
use crate::model::{BodyId, FrameId, InputError, Model};
use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

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

/// Whether this is one of the model's bodies.
pub(crate) fn check_body<P: Real>(model: &Model<P>, body: BodyId) -> Result<(), InputError> {
    model.check_body(body).map(|_| ())
}

/// A frame at this place of the body `b`, and the reference that its motion is asked for in.
#[inline(always)]
pub(crate) fn view<P: Real, T: Scalar<P>>(
    placed: &Placed<T>,
    b: usize,
    at: &Attached<P>,
    reference: ReferenceFrame,
) -> FrameView<T> {
    let placement: Transform<T> = at.placement.lift();
    FrameView::at(placed.pose[b] * placement, v3::neg(placed.origin(b)), reference)
}
