//! `origin`: where a frame stands in another.

use super::error::UrdfError;
use super::text::Owner;
use super::xml::Reader;
use crate::spatial::so3::rpy3;
use crate::spatial::{Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};
use roxmltree::Node;

/// The pose that an `origin` element gives; without one, or without one of its attributes, zero.
pub(super) fn read(reader: &mut Reader, origin: Option<Node>, owner: &Owner) -> Result<Transform<f64>, UrdfError> {
    let Some(origin) = origin else { return Ok(Transform::identity()) };
    let [xyz, rpy] = reader.leaf(origin, owner, ["xyz", "rpy"])?;
    let translation = xyz.map_or(Ok(v3::zero()), |xyz| xyz.vector())?;
    let rotation = rpy.map_or(Ok(v3::identity()), |rpy| rpy.vector().map(rotation))?;
    Ok(Transform::new(rotation, translation))
}

/// Roll, pitch and yaw about fixed axes: `R_z(yaw) R_y(pitch) R_x(roll)`.
fn rotation(rpy: Vector3<f64>) -> Matrix3<f64> {
    rpy3(rpy.x, rpy.y, rpy.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_is_roll_then_pitch_then_yaw_about_fixed_axes() {
        let (r, p, y) = (0.4, -0.7, 1.9);
        let x = Matrix3::new(1.0, 0.0, 0.0, 0.0, f64::cos(r), -f64::sin(r), 0.0, f64::sin(r), f64::cos(r));
        let v = Matrix3::new(f64::cos(p), 0.0, f64::sin(p), 0.0, 1.0, 0.0, -f64::sin(p), 0.0, f64::cos(p));
        let z = Matrix3::new(f64::cos(y), -f64::sin(y), 0.0, f64::sin(y), f64::cos(y), 0.0, 0.0, 0.0, 1.0);
        let difference = rotation(Vector3::new(r, p, y)) - z * v * x;
        assert!(difference.abs().max() < 1e-15, "{difference}"); // a few roundings of numbers below 1
        assert_eq!(rotation(v3::zero()), v3::identity());
    }
}
