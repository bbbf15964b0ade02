//! Motion vectors: spatial velocities and accelerations.

use super::vector as v3;
use super::{Force, Transform, Transformable};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

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
pub struct Motion<T> {
    /// Linear part, at the frame's origin.
    pub linear: Vector3<T>,
    /// Angular part.
    pub angular: Vector3<T>,
}

impl<T: Real> Motion<T> {
    /// From the linear and the angular part.
    #[inline(always)]
    pub fn new(linear: Vector3<T>, angular: Vector3<T>) -> Self {
        Self { linear, angular }
    }

    /// No motion.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(v3::zero(), v3::zero())
    }

    /// The same motion in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(self) -> Motion<U> {
        Motion::new(v3::lift(self.linear), v3::lift(self.angular))
    }

    /// `self × m`, the rate of change of `m` when carried along by `self`:
    /// `(v₁×ω₂ + ω₁×v₂, ω₁×ω₂)` (RBDA, eq. 2.33).
    #[inline(always)]
    pub fn cross<U: Scalar<T>>(self, m: Motion<U>) -> Motion<U> {
        Motion::new(
            v3::cross_plus(self.linear, m.angular, v3::cross(self.angular, m.linear)),
            v3::cross(self.angular, m.angular),
        )
    }

    /// `self ×* f`, the rate of change of `f` when carried along by `self`:
    /// `(ω×f, ω×n + v×f)` (RBDA, eq. 2.34).
    #[inline(always)]
    pub fn cross_force<U: Scalar<T>>(self, f: Force<U>) -> Force<U> {
        Force::new(
            v3::cross(self.angular, f.linear),
            v3::cross_plus(self.angular, f.angular, v3::cross(self.linear, f.linear)),
        )
    }

    /// Power of a force acting on a body that moves like this: `v·f + ω·n`, in W if `self` is a velocity.
    #[inline(always)]
    pub fn power<U: Scalar<T>>(self, f: Force<U>) -> U {
        v3::dot(self.linear, f.linear) + v3::dot(self.angular, f.angular)
    }

    /// `s m`, by a factor of a simpler type.
    #[inline(always)]
    pub fn scale<P: Real>(self, s: P) -> Self
    where
        T: Scalar<P>,
    {
        Self::new(v3::scale(s, self.linear), v3::scale(s, self.angular))
    }

    /// `s m`, by a factor of a wider type.
    #[inline(always)]
    pub fn times<U: Scalar<T>>(self, s: U) -> Motion<U> {
        Motion::new(v3::times(self.linear, s), v3::times(self.angular, s))
    }

    /// `s m + b`, by a factor of a wider type.
    #[inline(always)]
    pub fn times_plus<U: Scalar<T>>(self, s: U, b: Motion<U>) -> Motion<U> {
        Motion::new(v3::times_plus(self.linear, s, b.linear), v3::times_plus(self.angular, s, b.angular))
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
        // −p×ω + v, with the products of p×ω in the other order
        let p = x.translation;
        let (w, v) = (self.angular, self.linear);
        let linear = Vector3::new(
            w.y.mul_plus(p.z, v.x) - w.z * p.y,
            w.z.mul_plus(p.x, v.y) - w.x * p.z,
            w.x.mul_plus(p.y, v.z) - w.y * p.x,
        );
        Self::new(v3::rotate_back(&x.rotation, linear), v3::rotate_back(&x.rotation, w))
    }
}

impl<P: Real, T: Scalar<P>> Add<Motion<T>> for Motion<P> {
    type Output = Motion<T>;
    /// The left side may be of a simpler type.
    #[inline(always)]
    fn add(self, m: Motion<T>) -> Motion<T> {
        Motion::new(v3::add(self.linear, m.linear), v3::add(self.angular, m.angular))
    }
}

impl<T: Real> AddAssign for Motion<T> {
    #[inline(always)]
    fn add_assign(&mut self, m: Self) {
        *self = *self + m;
    }
}

impl<T: Real> Sub for Motion<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, m: Self) -> Self {
        Self::new(v3::sub(self.linear, m.linear), v3::sub(self.angular, m.angular))
    }
}

impl<T: Real> SubAssign for Motion<T> {
    #[inline(always)]
    fn sub_assign(&mut self, m: Self) {
        *self = *self - m;
    }
}

impl<T: Real> Neg for Motion<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(v3::neg(self.linear), v3::neg(self.angular))
    }
}

impl<T: Real> Mul<T> for Motion<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        self.scale::<T>(s)
    }
}
