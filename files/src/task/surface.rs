//! The ground under a contact: its normal, and axes on it.

use super::contacts::HeldContact;
use super::source::Item;
use super::start::Start;
use crate::error::Error;
use gradyn::dynamics::{Workspace, frame_pose};
use nalgebra::{Matrix3, Vector3};

/// A direction that is nearer to the normal than this, rad, has none on the ground: its projection turns a thousand
/// times as fast as it does.
const ALONG: f64 = 1e-3;

/// The normal of level ground.
pub(super) fn level() -> Vector3<f64> {
    Vector3::z()
}

/// `normal = [x, y, z]`, of any length but zero; away from the ground.
pub(super) fn normal(item: &Item<'_>) -> Result<Vector3<f64>, Error> {
    let n = item.vector("x, y, z of a direction away from the ground")?;
    // The largest entry first: squares of large or small ones are infinite or zero.
    let size = n.amax();
    if size <= 0.0 {
        return Err(item.refuse("expected a direction away from the ground, found the zero vector"));
    }
    Ok((n / size).normalize())
}

/// Axes on the ground, as columns: z the normal, x along a direction, projected. `None` where it is along the normal.
pub(super) fn axes_along(normal: Vector3<f64>, x: Vector3<f64>) -> Option<Matrix3<f64>> {
    let across = x - normal * normal.dot(&x);
    let length = across.norm();
    let x = across / length;
    (length > ALONG).then(|| Matrix3::from_columns(&[x, normal.cross(&x), normal]))
}

/// Axes on the ground, x along that of the world, or y where x has no direction there.
pub(super) fn any_axes(normal: Vector3<f64>) -> Matrix3<f64> {
    let axes = axes_along(normal, Vector3::x()).or_else(|| axes_along(normal, Vector3::y()));
    // A normal is not along both.
    axes.unwrap_or_else(Matrix3::identity)
}

/// Axes of the frame of a contact at the start.
pub(super) fn frame_axes(held: &HeldContact, start: &Start) -> Option<Matrix3<f64>> {
    let pose = frame_pose(&start.model, &mut Workspace::new(&start.model), &start.q, held.frame);
    pose.ok().map(|pose| pose.rotation)
}
