//! Poses and Jacobians of frames, of eight states at a time.

use super::memory::Memory;
use super::quantity::{InLanes, Quantity, Results, Sizes, sizes};
use crate::dynamics::jacobian::fill_frame;
use crate::dynamics::reference::Attached;
use crate::dynamics::{FrameRef, ReferenceFrame, world};
use crate::model::{InputError, Model};
use crate::spatial::Transform;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Piece, Register};

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
}

impl InLanes for Poses<'_> {
    const IN_HALVES: bool = false;
    const OF_MASS: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &Model, memory: &'m mut Memory<R>) -> Result<Results<'m, R>, InputError> {
        R::call(RunPoses { frames: self.frames, model, memory })
    }
}

struct RunPoses<'a, 'm, R: Register> {
    frames: &'a [FrameRef],
    model: &'a Model,
    memory: &'m mut Memory<R>,
}

impl<'m, R: Register> Piece for RunPoses<'_, 'm, R> {
    type Output = Result<Results<'m, R>, InputError>;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { frames, model, memory } = self;
        let Memory { ws, input: [q, ..], frames: to, .. } = memory;
        world::place(model, ws, q);
        to.clear();
        for frame in frames {
            let x_wf: Transform<Lanes<R>> = Attached::of(model, *frame)?.pose(ws);
            to.extend(x_wf.rotation.iter().chain(x_wf.translation.iter()));
        }
        Ok([to, &[], &[], &[]])
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
}

impl InLanes for Jacobians<'_> {
    const IN_HALVES: bool = false;
    const OF_MASS: bool = false;
    #[inline(always)]
    fn run<'m, R: Register>(&self, model: &Model, memory: &'m mut Memory<R>) -> Result<Results<'m, R>, InputError> {
        let Self { frames, reference } = *self;
        R::call(RunJacobians { frames, reference, model, memory })
    }
}

struct RunJacobians<'a, 'm, R: Register> {
    frames: &'a [FrameRef],
    reference: ReferenceFrame,
    model: &'a Model,
    memory: &'m mut Memory<R>,
}

impl<'m, R: Register> Piece for RunJacobians<'_, 'm, R> {
    type Output = Result<Results<'m, R>, InputError>;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { frames, reference, model, memory } = self;
        let Memory { ws, input: [q, ..], frames: to, .. } = memory;
        world::place(model, ws, q);
        to.clear();
        for frame in frames {
            fill_frame(model, ws, &Attached::of(model, *frame)?, reference);
            to.extend_from_slice(ws.jacobian.frame.as_slice());
        }
        Ok([to, &[], &[], &[]])
    }
}
