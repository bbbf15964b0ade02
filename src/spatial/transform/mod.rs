//! Poses, and changes of coordinates by them.

mod forms;
mod matrices;
mod validity;

pub use validity::PoseError;

use super::vector as v3;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Matrix3xX, Point3, Vector3};
use std::ops::Mul;

/// The pose of a frame B in a frame A, written `x_ab`: rotation and position of B, in coordinates of A.
///
/// Letters cancel: `x_ac = x_ab * x_bc`, `m_a = x_ab.act(m_b)`, `m_b = x_ab.inv_act(m_a)`. The inverse actions need no
/// inverse and are the cheaper ones for motions; a tree therefore stores the pose of each body in its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[doc(alias(
    "SE3",
    "Transform3D",
    "RigidTransform",
    "Isometry",
    "Isometry3",
    "pose",
    "homogeneous transform",
    "Xform"
))]
pub struct Transform<T> {
    /// Columns: the axes of B in coordinates of A. Orthonormal, determinant +1; not checked.
    pub rotation: Matrix3<T>,
    /// Origin of B in coordinates of A, m.
    pub translation: Vector3<T>,
}

/// What a pose carries from one frame's coordinates to another's: motions, forces, inertias, and points.
///
/// A bare `Vector3` is not among them, as it does not say whether it is a point or a direction: see
/// [`Transform::point`] and [`Transform::vector`].
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
    #[doc(alias = "actInv")]
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
    #[doc(alias = "adjoint")]
    pub fn act<M: Transformable<T>>(&self, m_b: M) -> M {
        m_b.transformed(self)
    }

    /// A motion, force or inertia in coordinates of A, in coordinates of B.
    #[inline(always)]
    #[doc(alias = "actInv")]
    pub fn inv_act<M: Transformable<T>>(&self, m_a: M) -> M {
        m_a.transformed_back(self)
    }

    /// A point, its position in coordinates of B, in coordinates of A, m: `p_a = R p_b + p`.
    #[inline(always)]
    pub fn point<U: Scalar<T>>(&self, p_b: Vector3<U>) -> Vector3<U> {
        v3::add(self.translation, v3::rotate(&self.rotation, p_b))
    }

    /// A point, its position in coordinates of A, in coordinates of B, m: `p_b = Rᵀ(p_a − p)`.
    #[inline(always)]
    pub fn inv_point<U: Scalar<T>>(&self, p_a: Vector3<U>) -> Vector3<U> {
        let p = self.translation;
        v3::rotate_back(&self.rotation, Vector3::new(p_a.x - p.x, p_a.y - p.y, p_a.z - p.z))
    }

    /// Several points at once, a column each: `R p_b + p`. (`colwise` elsewhere.)
    #[doc(alias = "colwise")]
    pub fn points<U: Scalar<T>>(&self, p_b: &Matrix3xX<U>) -> Matrix3xX<U> {
        each_column(p_b, |p| self.point(p))
    }

    /// Several points at once, a column each, back: `Rᵀ(p_a − p)`.
    pub fn inv_points<U: Scalar<T>>(&self, p_a: &Matrix3xX<U>) -> Matrix3xX<U> {
        each_column(p_a, |p| self.inv_point(p))
    }

    /// Several free vectors at once, a column each: `R u_b`.
    pub fn vectors<U: Scalar<T>>(&self, u_b: &Matrix3xX<U>) -> Matrix3xX<U> {
        each_column(u_b, |u| self.vector(u))
    }

    /// Several free vectors at once, a column each, back: `Rᵀ u_a`.
    pub fn inv_vectors<U: Scalar<T>>(&self, u_a: &Matrix3xX<U>) -> Matrix3xX<U> {
        each_column(u_a, |u| self.inv_vector(u))
    }

    /// A free vector (a direction, a difference of points) in coordinates of B, in coordinates of A: `R u_b`.
    #[inline(always)]
    pub fn vector<U: Scalar<T>>(&self, u_b: Vector3<U>) -> Vector3<U> {
        v3::rotate(&self.rotation, u_b)
    }

    /// A free vector in coordinates of A, in coordinates of B: `Rᵀ u_a`.
    #[inline(always)]
    pub fn inv_vector<U: Scalar<T>>(&self, u_a: Vector3<U>) -> Vector3<U> {
        v3::rotate_back(&self.rotation, u_a)
    }
}

impl<P: Real, T: Scalar<P>> Transformable<P> for Point3<T> {
    /// `R p_b + p`
    #[inline(always)]
    fn transformed(self, x: &Transform<P>) -> Self {
        x.point(self.coords).into()
    }
    /// `Rᵀ(p_a − p)`
    #[inline(always)]
    fn transformed_back(self, x: &Transform<P>) -> Self {
        x.inv_point(self.coords).into()
    }
}

impl<P: Real, T: Scalar<P>> Mul<Point3<T>> for Transform<P> {
    type Output = Point3<T>;
    /// `p_a = x_ab p_b`
    #[inline(always)]
    fn mul(self, p_b: Point3<T>) -> Point3<T> {
        p_b.transformed(&self)
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

/// The same of each column.
fn each_column<T: Real>(of: &Matrix3xX<T>, f: impl Fn(Vector3<T>) -> Vector3<T>) -> Matrix3xX<T> {
    let mut to = of.clone();
    for (mut to, from) in to.column_iter_mut().zip(of.column_iter()) {
        to.copy_from(&f(from.into()));
    }
    to
}
