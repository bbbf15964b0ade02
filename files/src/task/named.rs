//! Joints and frames of the robot by name.

use super::source::Item;
use crate::error::Error;
use gradyn::model::{Body, FrameId, Model};

/// The joints that have coordinates of their own.
pub(super) fn joints(model: &Model) -> impl Iterator<Item = &Body> + Clone {
    model.bodies().iter().filter(|body| body.owns_coordinates() && !body.v_range().is_empty())
}

/// The joint of this name.
pub(super) fn joint<'m>(item: &Item<'_>, name: &str, model: &'m Model) -> Result<&'m Body, Error> {
    let found = joints(model).find(|body| body.joint_name() == name);
    found.ok_or_else(|| item.unknown("joint", name, joints(model).map(Body::joint_name)))
}

/// The frame of this name.
pub(super) fn frame(item: &Item<'_>, name: &str, model: &Model) -> Result<FrameId, Error> {
    let names = model.frames().iter().map(|frame| frame.name());
    model.find_frame(name).ok_or_else(|| item.unknown("link or joint", name, names))
}
