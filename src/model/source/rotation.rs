//! Rotations and directions as robot files give them.

use crate::spatial::Quaternion;
use crate::spatial::so3::rpy3;
use nalgebra::{Matrix3, Vector3};

/// Files round their numbers: a quaternion whose length is nearer to one is not noted.
pub(in crate::model) const NEAR_ONE: f64 = 1e-3;

/// The rotation of a quaternion `x y z w`, and its length; none of that of length zero.
pub(in crate::model) fn of_quaternion(q: [f64; 4]) -> Option<(Matrix3<f64>, f64)> {
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
pub(in crate::model) fn of_rpy(rpy: Vector3<f64>) -> Matrix3<f64> {
    rpy3(rpy.x, rpy.y, rpy.z)
}

/// The unit vector along an axis; none along zero.
pub(in crate::model) fn unit(axis: Vector3<f64>) -> Option<Vector3<f64>> {
    let (x, y, z) = (axis.x, axis.y, axis.z);
    // Scaled before it is squared, so that neither 1e-200 nor 1e200 is lost.
    let largest = x.abs().max(y.abs()).max(z.abs());
    if largest <= 0.0 {
        return None;
    }
    let (x, y, z) = (x / largest, y / largest, z / largest);
    let norm = (x * x + y * y + z * z).sqrt();
    Some(Vector3::new(x / norm, y / norm, z / norm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::vector as v3;

    #[test]
    fn rotation_is_roll_then_pitch_then_yaw_about_fixed_axes() {
        let (r, p, y) = (0.4, -0.7, 1.9);
        let x = Matrix3::new(1.0, 0.0, 0.0, 0.0, f64::cos(r), -f64::sin(r), 0.0, f64::sin(r), f64::cos(r));
        let v = Matrix3::new(f64::cos(p), 0.0, f64::sin(p), 0.0, 1.0, 0.0, -f64::sin(p), 0.0, f64::cos(p));
        let z = Matrix3::new(f64::cos(y), -f64::sin(y), 0.0, f64::sin(y), f64::cos(y), 0.0, 0.0, 0.0, 1.0);
        let difference = of_rpy(Vector3::new(r, p, y)) - z * v * x;
        assert!(difference.abs().max() < 1e-15, "{difference}"); // a few roundings of numbers below 1
        assert_eq!(of_rpy(v3::zero()), v3::identity());
    }
}
