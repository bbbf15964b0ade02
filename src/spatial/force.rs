//! Force vectors: wrenches and spatial momenta.

use super::vector as v3;
use super::{Transform, Transformable};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
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
pub struct Force<T> {
    /// Force, or linear momentum.
    pub linear: Vector3<T>,
    /// Moment, or angular momentum, about the frame's origin.
    pub angular: Vector3<T>,
}

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
        let p = x.translation;
        let (f, n) = (self.linear, self.angular);
        let angular = Vector3::new(
            f.y.mul_plus(p.z, n.x) - f.z * p.y,
            f.z.mul_plus(p.x, n.y) - f.x * p.z,
            f.x.mul_plus(p.y, n.z) - f.y * p.x,
        );
        Self::new(v3::rotate_back(&x.rotation, f), v3::rotate_back(&x.rotation, angular))
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
