//! The frames that a file has to name: not those of the bodies, and not those that its reader makes of joints.

use crate::model::{Frame, Model};
use crate::spatial::Transform;

/// The frames to write, by their bodies.
pub(super) struct Frames<'m> {
    frames: &'m [Frame],
    of_world: Vec<usize>,
    of_body: Vec<Vec<usize>>,
}

impl<'m> Frames<'m> {
    /// `is_joint`: whether the file has a joint of this name that leads to this body, and whose frame is the body's own.
    pub(super) fn of(model: &'m Model, is_joint: impl Fn(usize, &str) -> bool) -> Self {
        let frames = model.frames();
        let (mut of_world, mut of_body) = (Vec::new(), vec![Vec::new(); model.bodies().len()]);
        for (i, frame) in frames.iter().enumerate().skip(model.bodies().len()) {
            match frame.body() {
                None => of_world.push(i),
                Some(body) => {
                    let is_own = *frame.placement() == Transform::identity() && is_joint(body.index(), frame.name());
                    if let (false, Some(list)) = (is_own, of_body.get_mut(body.index())) {
                        list.push(i);
                    }
                }
            }
        }
        Self { frames, of_world, of_body }
    }

    /// Those of the world.
    pub(super) fn of_world(&self) -> impl Iterator<Item = &'m Frame> {
        self.of_world.iter().filter_map(|i| self.frames.get(*i))
    }

    /// Those of a body but its own.
    pub(super) fn of_body(&self, body: usize) -> impl Iterator<Item = &'m Frame> {
        self.of_body.get(body).into_iter().flatten().filter_map(|i| self.frames.get(*i))
    }
}
