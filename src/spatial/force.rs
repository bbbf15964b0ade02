//! Force vectors: wrenches and spatial momenta.

use super::{Motion, Transform, Transformable, matrix6, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix6, Vector3};

/// A force vector: a wrench, or the spatial momentum, of one body.
///
/// Plücker coordinates, linear part first, `[f; n_O]`. Both parts are expressed in one frame; `n_O` is the moment about
/// that frame's origin. The frame is not stored: the binding's name says it.
///
/// | field     | wrench | momentum |
/// |-----------|--------|----------|
/// | `linear`  | N      | N s      |
/// | `angular` | N m    | N m s    |
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[doc(alias("wrench", "SpatialForce"))]
pub struct Force<T> {
    /// Force, or linear momentum.
    pub linear: Vector3<T>,
    /// Moment, or angular momentum, about the frame's origin.
    pub angular: Vector3<T>,
}

/// Spatial momentum: a force vector with N s and N m s for units. It transforms, shifts and pairs with motions exactly as
/// a wrench does, and its rate of change is one; so it is the same type, and this name only says what is meant.
#[doc(alias = "SpatialMomentum")]
pub type Momentum<T> = Force<T>;

impl<T: Real> Force<T> {
    /// `f ×̄* m = m ×* f`: the same product as [`Motion::cross_force`], read as a linear map of the motion:
    /// `(−f×ω, −n×ω − f×v)`.
    #[inline(always)]
    pub fn bar_cross<U: Scalar<T>>(self, m: Motion<U>) -> Force<U> {
        let minus_f = v3::neg(self.linear);
        Force::new(
            v3::cross(minus_f, m.angular),
            v3::cross_plus(v3::neg(self.angular), m.angular, v3::cross(minus_f, m.linear)),
        )
    }

    /// `[f]×̄*`, 6×6, with `[f]×̄* m = m ×* f`: `[[0, −[f]×], [−[f]×, −[n]×]]`.
    #[inline(always)]
    pub fn bar_cross_matrix(self) -> Matrix6<T> {
        let (f, n) = (v3::skew(v3::neg(self.linear)), v3::skew(v3::neg(self.angular)));
        matrix6::from_blocks(&v3::zero_matrix(), &f, &f, &n)
    }

    /// Power on a body that moves like `m`: `v·f + ω·n`, in W if `m` is a velocity. As [`Motion::power`], for a motion of
    /// a wider type.
    #[inline(always)]
    pub fn power<U: Scalar<T>>(self, m: Motion<U>) -> U {
        v3::dot_plus(self.linear, m.linear, v3::dot(self.angular, m.angular))
    }

    /// The same force with its moment about the point `p` of this frame, the axes staying parallel: `n − p×f`. Drake's
    /// `Shift`.
    #[inline(always)]
    pub fn shifted<P: Real>(self, p: Vector3<P>) -> Self
    where
        T: Scalar<P>,
    {
        let (f, n) = (self.linear, self.angular);
        Self::new(
            f,
            Vector3::new(
                f.y.mul_plus(p.z, n.x) - f.z * p.y,
                f.z.mul_plus(p.x, n.y) - f.x * p.z,
                f.x.mul_plus(p.y, n.z) - f.y * p.x,
            ),
        )
    }

    /// A pure force `f` along a line through the point `p`: `(f, p×f)`.
    #[inline(always)]
    pub fn at_point<P: Real>(f: Vector3<T>, p: Vector3<P>) -> Self
    where
        T: Scalar<P>,
    {
        Self::new(f, v3::cross(p, f))
    }
}

impl<P: Real, T: Scalar<P>> Transformable<P> for Force<T> {
    /// `(R f, R n + p×(R f))`
    #[inline(always)]
    fn transformed(self, x: &Transform<P>) -> Self {
        let linear = v3::rotate(&x.rotation, self.linear);
        Self::new(linear, v3::rotate_plus(&x.rotation, self.angular, v3::cross(x.translation, linear)))
    }
    /// `(Rᵀ f, Rᵀ(n − p×f))`
    #[inline(always)]
    fn transformed_back(self, x: &Transform<P>) -> Self {
        let angular = v3::cross_plus(v3::neg(x.translation), self.linear, self.angular);
        Self::new(v3::rotate_back(&x.rotation, self.linear), v3::rotate_back(&x.rotation, angular))
    }
}
