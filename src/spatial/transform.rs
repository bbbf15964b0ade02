//! Poses, and changes of coordinates by them.

use super::vector as v3;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::Mul;

/// The pose of a frame B in a frame A, written `x_ab`: rotation and position of B, in coordinates of A.
///
/// Letters cancel: `x_ac = x_ab * x_bc`, `m_a = x_ab.act(m_b)`, `m_b = x_ab.inv_act(m_a)`. The inverse actions need no
/// inverse and are the cheaper ones for motions; a tree therefore stores the pose of each body in its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform<T> {
    /// Columns: the axes of B in coordinates of A. Orthonormal, determinant +1; not checked.
    pub rotation: Matrix3<T>,
    /// Origin of B in coordinates of A, m.
    pub translation: Vector3<T>,
}

/// What a pose carries from one frame's coordinates to another's: motions, forces, inertias.
pub trait Transformable<P> {
    /// From coordinates of B to coordinates of A, by `x_ab`.
    fn transformed(self, x: &Transform<P>) -> Self;
    /// From coordinates of A to coordinates of B, by `x_ab`.
    fn transformed_back(self, x: &Transform<P>) -> Self;
}

impl<T: Real> Transform<T> {
    /// From the rotation matrix and the position.
    #[inline(always)]
    pub fn new(rotation: Matrix3<T>, translation: Vector3<T>) -> Self {
        Self { rotation, translation }
    }

    /// The pose of a frame in itself.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::new(v3::identity(), v3::zero())
    }

    /// The same pose in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(&self) -> Transform<U> {
        Transform::new(v3::lift_matrix(&self.rotation), v3::lift(self.translation))
    }

    /// `x_ba`: `(Rᵀ, −Rᵀ p)`.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Self::new(self.rotation.transpose(), v3::neg(v3::rotate_back(&self.rotation, self.translation)))
    }

    /// `x_ab⁻¹ x_ac = x_bc`, without the inverse.
    #[inline(always)]
    pub fn inv_mul<U: Scalar<T>>(&self, x_ac: &Transform<U>) -> Transform<U> {
        let p = Vector3::new(
            x_ac.translation.x - self.translation.x,
            x_ac.translation.y - self.translation.y,
            x_ac.translation.z - self.translation.z,
        );
        Transform::new(v3::product_tr(&self.rotation, &x_ac.rotation), v3::rotate_back(&self.rotation, p))
    }

    /// A motion, force or inertia in coordinates of B, in coordinates of A.
    #[inline(always)]
    pub fn act<M: Transformable<T>>(&self, m_b: M) -> M {
        m_b.transformed(self)
    }

    /// A motion, force or inertia in coordinates of A, in coordinates of B.
    #[inline(always)]
    pub fn inv_act<M: Transformable<T>>(&self, m_a: M) -> M {
        m_a.transformed_back(self)
    }
}

impl<P: Real, T: Scalar<P>> Mul<Transform<T>> for Transform<P> {
    type Output = Transform<T>;
    /// `x_ac = x_ab x_bc`; the left side may be of a simpler type.
    #[inline(always)]
    fn mul(self, x_bc: Transform<T>) -> Transform<T> {
        let p = v3::rotate(&self.rotation, x_bc.translation);
        Transform::new(v3::product(&self.rotation, &x_bc.rotation), v3::add(self.translation, p))
    }
}
