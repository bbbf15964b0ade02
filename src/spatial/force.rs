//! Force vectors: wrenches and spatial momenta.

use super::vector as v3;
use super::{Motion, Transform, Transformable, matrix6};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix6, Vector3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

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
    /// From the linear and the angular part.
    #[inline(always)]
    pub fn new(linear: Vector3<T>, angular: Vector3<T>) -> Self {
        Self { linear, angular }
    }

    /// No force.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(v3::zero(), v3::zero())
    }

    /// The same force in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(self) -> Force<U> {
        Force::new(v3::lift(self.linear), v3::lift(self.angular))
    }

    /// `s f`, by a factor of a simpler type.
    #[inline(always)]
    pub fn scale<P: Real>(self, s: P) -> Self
    where
        T: Scalar<P>,
    {
        Self::new(v3::scale(s, self.linear), v3::scale(s, self.angular))
    }

    /// `s f`, by a factor of a wider type.
    #[inline(always)]
    pub fn times<U: Scalar<T>>(self, s: U) -> Force<U> {
        Force::new(v3::times(self.linear, s), v3::times(self.angular, s))
    }

    /// `s f + b`, by a factor of a wider type.
    #[inline(always)]
    pub fn times_plus<U: Scalar<T>>(self, s: U, b: Force<U>) -> Force<U> {
        Force::new(v3::times_plus(self.linear, s, b.linear), v3::times_plus(self.angular, s, b.angular))
    }

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

impl<P: Real, T: Scalar<P>> Add<Force<T>> for Force<P> {
    type Output = Force<T>;
    /// The left side may be of a simpler type.
    #[inline(always)]
    fn add(self, f: Force<T>) -> Force<T> {
        Force::new(v3::add(self.linear, f.linear), v3::add(self.angular, f.angular))
    }
}

impl<T: Real> AddAssign for Force<T> {
    #[inline(always)]
    fn add_assign(&mut self, f: Self) {
        *self = *self + f;
    }
}

impl<T: Real> Sub for Force<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, f: Self) -> Self {
        Self::new(v3::sub(self.linear, f.linear), v3::sub(self.angular, f.angular))
    }
}

impl<T: Real> SubAssign for Force<T> {
    #[inline(always)]
    fn sub_assign(&mut self, f: Self) {
        *self = *self - f;
    }
}

impl<T: Real> Neg for Force<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(v3::neg(self.linear), v3::neg(self.angular))
    }
}

impl<T: Real> Mul<T> for Force<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        self.scale::<T>(s)
    }
}
