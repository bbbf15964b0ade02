//! Poses and Jacobians of frames, of eight states at a time.

use super::memory::{BatchMemory, Single};
use super::quantity::{InLanes, Input, Output, Quantity, Results, Sizes, sizes};
use crate::dynamics::jacobian::fill_frame;
use crate::dynamics::reference::Attached;
use crate::dynamics::{FrameRef, ReferenceFrame, Workspace, world};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::slice_ops::all_finite;
use crate::spatial::Transform;
use gradyn_derivatives::{Lanes, Real, Register};

/// Numbers of a pose: the axes of the frame, then its origin.
const POSE: usize = 12;

pub(super) struct Poses<'f> {
    pub(super) frames: &'f [FrameRef],
}

impl Quantity for Poses<'_> {
    fn sizes(&self, _model: &Model) -> Sizes {
        sizes([POSE * self.frames.len()])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        5 * model.bodies.len() + 5 * self.frames.len()
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, ..]: Input<'_>, [to, ..]: Output<'_>) -> bool {
        let ws = single.workspace(model);
        model.check_q(q).is_ok() && all_finite(q) && poses(model, ws, self.frames, q, to).is_ok() && all_finite(to)
    }
}

impl InLanes for Poses<'_> {
    const IN_HALVES: bool = false;
    const OF_MASS: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, input: [q, ..], frames: to, .. } = memory;
        to.resize(POSE * self.frames.len(), Lanes::zero());
        poses(model, ws, self.frames, q, to)?;
        Ok([to, &[], &[], &[]])
    }
}

at_level! {
    /// The pose of each frame.
    fn poses<T: Real>(
        model: &Model,
        ws: &mut Workspace<T>,
        frames: &[FrameRef],
        q: &[T],
        to: &mut [T],
    ) -> Result<(), InputError> {
        world::place(model, ws, q);
        for (frame, to) in frames.iter().zip(to.chunks_exact_mut(POSE)) {
            let x_wf: Transform<T> = Attached::of(model, *frame)?.pose(ws);
            for (to, x) in to.iter_mut().zip(x_wf.rotation.iter().chain(x_wf.translation.iter())) {
                *to = *x;
            }
        }
        Ok(())
    }
}

pub(super) struct Jacobians<'f> {
    pub(super) frames: &'f [FrameRef],
    pub(super) reference: ReferenceFrame,
}

impl Quantity for Jacobians<'_> {
    fn sizes(&self, model: &Model) -> Sizes {
        sizes([6 * model.nv * self.frames.len()])
    }
    fn nanoseconds(&self, model: &Model) -> usize {
        5 * model.bodies.len() + 10 * model.nv * self.frames.len()
    }
    fn alone(&self, model: &Model, single: &mut Single, [q, ..]: Input<'_>, [to, ..]: Output<'_>) -> bool {
        let (ws, of) = (single.workspace(model), (self.frames, self.reference));
        model.check_q(q).is_ok() && all_finite(q) && jacobians(model, ws, of, q, to).is_ok() && all_finite(to)
    }
}

impl InLanes for Jacobians<'_> {
    const IN_HALVES: bool = false;
    const OF_MASS: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &'m Model, memory: &'m mut BatchMemory<R>) -> Results<'m, R> {
        let BatchMemory { ws, input: [q, ..], frames: to, .. } = memory;
        to.resize(6 * model.nv * self.frames.len(), Lanes::zero());
        jacobians(model, ws, (self.frames, self.reference), q, to)?;
        Ok([to, &[], &[], &[]])
    }
}

at_level! {
    /// The Jacobian of each frame.
    fn jacobians<T: Real>(
        model: &Model,
        ws: &mut Workspace<T>,
        of: (&[FrameRef], ReferenceFrame),
        q: &[T],
        to: &mut [T],
    ) -> Result<(), InputError> {
        world::place(model, ws, q);
        let (frames, reference) = of;
        for (frame, to) in frames.iter().zip(to.chunks_exact_mut((6 * model.nv).max(1))) {
            fill_frame(model, ws, &Attached::of(model, *frame)?, reference);
            to.copy_from_slice(ws.jacobian.frame.as_slice());
        }
        Ok(())
    }
}
