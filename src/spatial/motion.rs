//! Motion vectors: spatial velocities and accelerations.

use super::{Force, Transform, Transformable, matrix6, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix6, Vector3};

/// A motion vector: spatial velocity, or spatial acceleration, of one body.
///
/// Plücker coordinates, linear part first, `[v_O; ω]`. Both parts are expressed in one frame, and `v_O` belongs to the
/// body-fixed point passing that frame's origin. The frame is not stored: the binding's name says it.
///
/// | field     | velocity | acceleration |
/// |-----------|----------|--------------|
/// | `linear`  | m/s      | m/s²         |
/// | `angular` | rad/s    | rad/s²       |
///
/// As an acceleration, `linear` is the spatial one; [`Motion::classical`] adds `ω × v_O` to obtain the acceleration of
/// that point (Featherstone, *Rigid Body Dynamics Algorithms*, section 2.11).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[doc(alias("twist", "SpatialVelocity", "SpatialAcceleration", "screw"))]
pub struct Motion<T> {
    /// Linear part, at the frame's origin.
    pub linear: Vector3<T>,
    /// Angular part.
    pub angular: Vector3<T>,
}

impl<T: Real> Motion<T> {
    /// Whether all six numbers are finite.
    pub(crate) fn is_finite(self) -> bool {
        v3::is_finite(self.linear) && v3::is_finite(self.angular)
    }

    /// `self × m`, the rate of change of `m` when carried along by `self`:
    /// `(v₁×ω₂ + ω₁×v₂, ω₁×ω₂)` (RBDA, section 2.9).
    #[inline(always)]
    #[doc(alias("crm", "ad"))]
    pub fn cross<U: Scalar<T>>(self, m: Motion<U>) -> Motion<U> {
        Motion::new(
            v3::cross_plus(self.linear, m.angular, v3::cross(self.angular, m.linear)),
            v3::cross(self.angular, m.angular),
        )
    }

    /// `self × m + b`
    #[inline(always)]
    pub fn cross_plus<U: Scalar<T>>(self, m: Motion<U>, b: Motion<U>) -> Motion<U> {
        Motion::new(
            v3::cross_plus(self.linear, m.angular, v3::cross_plus(self.angular, m.linear, b.linear)),
            v3::cross_plus(self.angular, m.angular, b.angular),
        )
    }

    /// `self ×* f`, the rate of change of `f` when carried along by `self`:
    /// `(ω×f, ω×n + v×f)` (RBDA, section 2.9).
    #[inline(always)]
    #[doc(alias = "crf")]
    pub fn cross_force<U: Scalar<T>>(self, f: Force<U>) -> Force<U> {
        Force::new(
            v3::cross(self.angular, f.linear),
            v3::cross_plus(self.angular, f.angular, v3::cross(self.linear, f.linear)),
        )
    }

    /// Power of a force acting on a body that moves like this: `v·f + ω·n`, in W if `self` is a velocity.
    #[inline(always)]
    #[doc(alias = "dot")]
    pub fn power<U: Scalar<T>>(self, f: Force<U>) -> U {
        v3::dot_plus(self.linear, f.linear, v3::dot(self.angular, f.angular))
    }

    /// `[m]×`, 6×6, with `[m]× b = m × b`: `[[W, V], [0, W]]`, `W = [ω]×`, `V = [v]×` (RBDA, section 2.9).
    #[inline(always)]
    #[doc(alias("crm", "toActionMatrix"))]
    pub fn cross_matrix(self) -> Matrix6<T> {
        let (v, w) = (v3::skew(self.linear), v3::skew(self.angular));
        matrix6::from_blocks(&w, &v, &v3::zero_matrix(), &w)
    }

    /// `[m]×*`, 6×6, with `[m]×* f = m ×* f`: `[[W, 0], [V, W]] = −([m]×)ᵀ` (RBDA, section 2.9).
    #[inline(always)]
    #[doc(alias("crf", "toDualActionMatrix"))]
    pub fn cross_force_matrix(self) -> Matrix6<T> {
        let (v, w) = (v3::skew(self.linear), v3::skew(self.angular));
        matrix6::from_blocks(&w, &v3::zero_matrix(), &v, &w)
    }

    /// The same motion with its linear part at the point `p` of this frame, the axes staying parallel: `v + ω×p`.
    ///
    /// For velocities and for spatial accelerations alike. Drake's `Shift`, for velocities.
    #[inline(always)]
    pub fn shifted<P: Real>(self, p: Vector3<P>) -> Self
    where
        T: Scalar<P>,
    {
        Self::new(self.velocity_at(p), self.angular)
    }

    /// Of a velocity: that of the body-fixed point passing `p`, m/s: `v + ω×p`.
    #[inline(always)]
    pub fn velocity_at<P: Real>(self, p: Vector3<P>) -> Vector3<T>
    where
        T: Scalar<P>,
    {
        // ω×p + v with the factors of a simpler type on the right
        let (w, v) = (self.angular, self.linear);
        Vector3::new(
            w.y.mul_plus(p.z, v.x) - w.z * p.y,
            w.z.mul_plus(p.x, v.y) - w.x * p.z,
            w.x.mul_plus(p.y, v.z) - w.y * p.x,
        )
    }

    /// Of a spatial acceleration, with the velocity `v` of the same body in the same frame: the acceleration of the
    /// body-fixed point passing `p`, m/s²: `a + α×p + ω×(v + ω×p)`.
    ///
    /// It is the rate of change of [`velocity_at`](Self::velocity_at) for a point moving with the body, seen from the
    /// frame the velocity is measured in.
    #[inline(always)]
    pub fn acceleration_at<P: Real>(self, p: Vector3<P>, v: Self) -> Vector3<T>
    where
        T: Scalar<P>,
    {
        v3::add(self.velocity_at(p), v3::cross(v.angular, v.velocity_at(p)))
    }

    /// Of a spatial acceleration, with the velocity `v` of the same body in the same frame: the classical one, whose
    /// linear part is the acceleration of the body-fixed point passing the origin: `(a + ω×v, α)` (RBDA, section 2.11).
    #[inline(always)]
    #[doc(alias("classicAcceleration", "CalcClassicalAcceleration"))]
    pub fn classical<P: Real>(self, v: Motion<P>) -> Self
    where
        T: Scalar<P>,
    {
        let wv = v3::lift(v3::cross(v.angular, v.linear));
        Self::new(v3::add(self.linear, wv), self.angular)
    }

    /// Of a classical acceleration, with the velocity `v` of the same body in the same frame: the spatial one,
    /// `(a − ω×v, α)`. The inverse of [`classical`](Self::classical).
    #[inline(always)]
    pub fn from_classical<P: Real>(classical: Self, v: Motion<P>) -> Self
    where
        T: Scalar<P>,
    {
        let wv = v3::lift(v3::cross(v.angular, v.linear));
        Self::new(v3::sub(classical.linear, wv), classical.angular)
    }

    /// Of a classical acceleration, with the angular velocity of the same body in the same frame: the classical one at the point `p` of this
    /// frame, the axes staying parallel: `(a + α×p + ω×(ω×p), α)`. Drake's `SpatialAcceleration::Shift`.
    #[inline(always)]
    pub fn shifted_classical<P: Real>(self, p: Vector3<P>, angular_velocity: Vector3<T>) -> Self
    where
        T: Scalar<P>,
    {
        let turning = Self::new(v3::zero(), angular_velocity).velocity_at(p); // ω×p
        Self::new(v3::add(self.velocity_at(p), v3::cross(angular_velocity, turning)), self.angular)
    }

    /// Spatial acceleration of C in a body B that moves, from `self`, that of C in W expressed in C, the velocity and the acceleration of B in
    /// W expressed in B, and the velocity of C in B expressed in C: `a_bc = a_wc − x_bc⁻¹ a_wb − (x_bc⁻¹ v_wb) × v_bc`, expressed in C. The
    /// inverse of [`composed_acceleration`](Self::composed_acceleration).
    #[inline(always)]
    pub fn acceleration_in_moving_frame<P: Real>(self, a_wb: Self, v_wb: Self, x_bc: &Transform<P>, v_bc: Self) -> Self
    where
        T: Scalar<P>,
    {
        self - x_bc.inv_act(a_wb) - x_bc.inv_act(v_wb).cross(v_bc)
    }

    /// Velocity of C in W from `self`, that of B in W expressed in B, and that of C in B expressed in C:
    /// `v_wc = x_bc⁻¹ v_wb + v_bc`, expressed in C. Drake's `ComposeWithMovingFrameVelocity`.
    #[inline(always)]
    pub fn composed<P: Real>(self, x_bc: &Transform<P>, v_bc: Self) -> Self
    where
        T: Scalar<P>,
    {
        x_bc.inv_act(self) + v_bc
    }

    /// Spatial acceleration of C in W from `self`, that of B in W expressed in B, the velocity of B in W, and the motion
    /// of C in B expressed in C: `a_wc = x_bc⁻¹ a_wb + a_bc + (x_bc⁻¹ v_wb) × v_bc`, expressed in C. Drake's
    /// `ComposeWithMovingFrameAcceleration`, for spatial accelerations.
    #[inline(always)]
    pub fn composed_acceleration<P: Real>(self, v_wb: Self, x_bc: &Transform<P>, v_bc: Self, a_bc: Self) -> Self
    where
        T: Scalar<P>,
    {
        x_bc.inv_act(self) + a_bc + x_bc.inv_act(v_wb).cross(v_bc)
    }
}

impl<P: Real, T: Scalar<P>> Transformable<P> for Motion<T> {
    /// `(R v + p×(R ω), R ω)`
    #[inline(always)]
    fn transformed(self, x: &Transform<P>) -> Self {
        let angular = v3::rotate(&x.rotation, self.angular);
        Self::new(v3::rotate_plus(&x.rotation, self.linear, v3::cross(x.translation, angular)), angular)
    }
    /// `(Rᵀ(v − p×ω), Rᵀω)`
    #[inline(always)]
    fn transformed_back(self, x: &Transform<P>) -> Self {
        let linear = v3::cross_plus(v3::neg(x.translation), self.angular, self.linear);
        Self::new(v3::rotate_back(&x.rotation, linear), v3::rotate_back(&x.rotation, self.angular))
    }
}
