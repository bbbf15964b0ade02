//! `origin`: where a frame stands in another.

use super::error::UrdfError;
use super::note::NoteKind;
use super::text::Owner;
use super::xml::{Attribute, Reader};
use crate::spatial::so3::rpy3;
use crate::spatial::{Quaternion, Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};
use roxmltree::Node;

/// Files round their numbers: a quaternion whose length is nearer to one is not noted.
const NEAR_ONE: f64 = 1e-3;

/// The pose that an `origin` element gives; without one, or without one of its attributes, zero. `quat_xyzw` is that of URDF
/// 1.1: the vector part first.
pub(super) fn read(reader: &mut Reader, origin: Option<Node>, owner: &Owner) -> Result<Transform<f64>, UrdfError> {
    let Some(origin) = origin else { return Ok(Transform::identity()) };
    let [xyz, rpy, quat] = reader.leaf(origin, owner, ["xyz", "rpy", "quat_xyzw"])?;
    let translation = xyz.map_or(Ok(v3::zero()), |xyz| xyz.vector())?;
    let rotation = match (rpy, quat) {
        (None, None) => v3::identity(),
        (Some(rpy), None) => rotation(rpy.vector()?),
        (None, Some(quat)) => turn(reader, &quat, owner)?,
        (Some(_), Some(_)) => {
            return Err(UrdfError::TwoRotations { line: reader.line(origin), owner: owner.clone() });
        }
    };
    Ok(Transform::new(rotation, translation))
}

/// The rotation of a quaternion of any length but zero.
fn turn(reader: &mut Reader, quat: &Attribute, owner: &Owner) -> Result<Matrix3<f64>, UrdfError> {
    let q: [f64; 4] = quat.numbers()?;
    let (line, owner) = (quat.line, owner.clone());
    let Some((rotation, length)) = of_quaternion(q) else { return Err(UrdfError::ZeroQuaternion { line, owner }) };
    if (length - 1.0).abs() > NEAR_ONE {
        reader.report.push(line, NoteKind::QuaternionLength { owner, length });
    }
    Ok(rotation)
}

/// The rotation of a quaternion `x y z w`, and its length; none of that of length zero.
pub(super) fn of_quaternion(q: [f64; 4]) -> Option<(Matrix3<f64>, f64)> {
    // Scaled before it is squared, so that neither 1e-200 nor 1e200 is lost.
    let largest = q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest <= 0.0 {
        return None;
    }
    let scaled = q.map(|x| x / largest);
    let norm = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some((Quaternion::from_array(scaled.map(|x| x / norm)).rotation(), norm * largest))
}

/// Roll, pitch and yaw about fixed axes: `R_z(yaw) R_y(pitch) R_x(roll)`.
pub(super) fn rotation(rpy: Vector3<f64>) -> Matrix3<f64> {
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
