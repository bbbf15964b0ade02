//! Errors that are linear in the pose of one body in another, `e = G·X` up to a constant.

use gradyn::Transform;
use nalgebra::{Matrix4, Vector3};

/// The weights of the error of a constraint, of its rate and of its acceleration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    pub(super) error: f64,
    pub(super) rate: f64,
    pub(super) acceleration: f64,
}

/// `G` of `n·p` up to a constant, n fixed in one body and p the origin of a frame in the other.
pub(super) fn along(n: Vector3<f64>, x_b: &Transform<f64>) -> Matrix4<f64> {
    n.push(0.0) * x_b.translation.push(1.0).transpose()
}

/// `G` of `n·u` up to a constant, n fixed in one body and u in the other.
pub(super) fn angle(n: Vector3<f64>, u: Vector3<f64>) -> Matrix4<f64> {
    n.push(0.0) * u.push(0.0).transpose()
}
