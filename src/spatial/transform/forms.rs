//! Poses from and to positions, quaternions, angles.

use super::{PoseError, Transform};
use crate::spatial::{Quaternion, so3, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::{Matrix3, Vector3};

impl<T: Real> Transform<T> {
    /// Parallel axes, the origin at `p`, m.
    #[inline(always)]
    pub fn from_translation(p: Vector3<T>) -> Self {
        Self::new(v3::identity(), p)
    }

    /// The same origin, turned by the rotation matrix `r_ab` (not checked).
    #[inline(always)]
    pub fn from_rotation(r: Matrix3<T>) -> Self {
        Self::new(r, v3::zero())
    }

    /// From a **unit** quaternion `q_ab` (not checked, see [`Quaternion::to_unit`]) and the position, m.
    #[inline(always)]
    pub fn from_quaternion(q: Quaternion<T>, p: Vector3<T>) -> Self {
        Self::new(q.rotation(), p)
    }

    /// The unit quaternion `q_ab`; its sign is unspecified.
    #[inline(always)]
    pub fn quaternion(&self) -> Quaternion<T> {
        Quaternion::from_rotation(&self.rotation)
    }

    /// From roll, pitch, yaw, rad, and the position, m, as URDF's `origin` has them: `R = R_z(yaw) R_y(pitch) R_x(roll)`.
    #[inline(always)]
    pub fn from_rpy([roll, pitch, yaw]: [T; 3], p: Vector3<T>) -> Self {
        Self::new(so3::rpy3(roll, pitch, yaw), p)
    }

    /// One step of Newton's method toward the nearest rotation: `R (3 − RᵀR)/2`. An error `ε` of orthonormality becomes
    /// `3ε²/4`; it converges from errors below one. Use it against drift; [`validity`](Transform::validity) tells how
    /// large the error is.
    #[inline(always)]
    pub fn orthonormalized(&self) -> Self {
        let minus = v3::scale_matrix(-0.5, &v3::product_tr(&self.rotation, &self.rotation));
        let factor = v3::add_matrix(&v3::scale_matrix(1.5, &v3::identity::<T>()), &minus);
        Self::new(v3::product(&self.rotation, &factor), self.translation)
    }
}

impl Transform<f64> {
    /// From an axis of any length, an angle, rad, and the position, m.
    ///
    /// # Errors
    /// [`PoseError::Axis`] for an axis that is zero or not finite; [`PoseError::NotFinite`] for an angle or position that
    /// is not finite.
    pub fn from_axis_angle(axis: Vector3<f64>, angle: f64, p: Vector3<f64>) -> Result<Self, PoseError> {
        let largest = axis.amax();
        if !axis.iter().all(|x| x.is_finite()) || largest <= 0.0 {
            return Err(PoseError::Axis { axis: axis.into() });
        }
        let axis = axis / largest; // no overflow in the norm
        let x = Self::new(so3::about_axis(axis / axis.norm(), angle), p);
        x.finite()?;
        Ok(x)
    }

    /// Axis of unit length and angle in `[0, π]`, rad. The axis of no rotation is `x`.
    pub fn axis_angle(&self) -> (Vector3<f64>, f64) {
        let v = so3::log3(&self.rotation);
        let angle = v.norm();
        // below this the square root of the squares is no longer the length
        if angle < 1e-150 { (Vector3::x(), 0.0) } else { (v / angle, angle) }
    }

    /// `[roll, pitch, yaw]`, rad, with `R = R_z(yaw) R_y(pitch) R_x(roll)`; roll and yaw in (−π, π], pitch in
    /// [−π/2, π/2]. At a pitch of ±π/2, where only the sum or difference of the other two is determined, the roll is zero.
    pub fn rpy(&self) -> [f64; 3] {
        let r = &self.rotation;
        let cos_pitch = r.m11.hypot(r.m21);
        let pitch = (-r.m31).atan2(cos_pitch);
        // 1e-15: what is left of both is rounding
        if cos_pitch < 1e-15 {
            return [0.0, pitch, (-r.m12).atan2(r.m22)];
        }
        // The roll of R_z(−yaw) R: however little of the yaw is known, the three together make R.
        let (cos, sin) = (r.m11 / cos_pitch, r.m21 / cos_pitch);
        let roll = (sin * r.m13 - cos * r.m23).atan2(cos * r.m22 - sin * r.m12);
        [roll, pitch, r.m21.atan2(r.m11)]
    }
}
