//! Spatial inertia of one rigid body.

use super::vector as v3;
use super::{Force, Motion, Transform, Transformable};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::Mul;

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[expect(missing_docs, reason = "the six entries, by row and column")]
pub struct Symmetric3<T> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

impl<T: Real> Symmetric3<T> {
    /// From the six entries of the upper triangle, row by row.
    #[inline(always)]
    pub fn new(xx: T, xy: T, xz: T, yy: T, yz: T, zz: T) -> Self {
        Self { xx, xy, xz, yy, yz, zz }
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        let o = T::zero();
        Self::new(o, o, o, o, o, o)
    }

    /// From a diagonal.
    #[inline(always)]
    pub fn diagonal(xx: T, yy: T, zz: T) -> Self {
        let o = T::zero();
        Self::new(xx, o, o, yy, o, zz)
    }

    /// The symmetric part of a matrix.
    #[inline(always)]
    pub fn from_matrix(m: &Matrix3<T>) -> Self {
        Self::new(m.m11, (m.m12 + m.m21) * 0.5, (m.m13 + m.m31) * 0.5, m.m22, (m.m23 + m.m32) * 0.5, m.m33)
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn matrix(&self) -> Matrix3<T> {
        Matrix3::new(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)
    }

    /// Product with a vector.
    #[inline(always)]
    pub fn times<U: Scalar<T>>(&self, a: Vector3<U>) -> Vector3<U> {
        Vector3::new(
            a.x.mul_plus(self.xx, a.y.mul_plus(self.xy, a.z * self.xz)),
            a.x.mul_plus(self.xy, a.y.mul_plus(self.yy, a.z * self.yz)),
            a.x.mul_plus(self.xz, a.y.mul_plus(self.yz, a.z * self.zz)),
        )
    }

    /// Product with a vector, plus `b`.
    #[inline(always)]
    pub fn times_plus<U: Scalar<T>>(&self, a: Vector3<U>, b: Vector3<U>) -> Vector3<U> {
        Vector3::new(
            a.x.mul_plus(self.xx, a.y.mul_plus(self.xy, a.z.mul_plus(self.xz, b.x))),
            a.x.mul_plus(self.xy, a.y.mul_plus(self.yy, a.z.mul_plus(self.yz, b.y))),
            a.x.mul_plus(self.xz, a.y.mul_plus(self.yz, a.z.mul_plus(self.zz, b.z))),
        )
    }
}

/// The spatial inertia of a rigid body: mass, mass centre, and rotational inertia **about the mass centre**.
///
/// | field | unit | what |
/// |---|---|---|
/// | `mass` | kg | |
/// | `com` | m | mass centre, in the frame's coordinates |
/// | `rotational` | kg m² | about the mass centre, in the frame's axes |
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Inertia<T> {
    /// Mass, kg.
    pub mass: T,
    /// Mass centre, m.
    pub com: Vector3<T>,
    /// Rotational inertia about the mass centre, kg m².
    pub rotational: Symmetric3<T>,
}

impl<T: Real> Inertia<T> {
    /// From mass, mass centre and rotational inertia about the mass centre.
    #[inline(always)]
    pub fn new(mass: T, com: Vector3<T>, rotational: Symmetric3<T>) -> Self {
        Self { mass, com, rotational }
    }

    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(T::zero(), v3::zero(), Symmetric3::zero())
    }

    /// The same inertia in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(&self) -> Inertia<U> {
        let r = self.rotational;
        Inertia::new(
            U::from(self.mass),
            v3::lift(self.com),
            Symmetric3::new(r.xx.into(), r.xy.into(), r.xz.into(), r.yy.into(), r.yz.into(), r.zz.into()),
        )
    }

    /// `Y a + v ×* (Y v)`: the wrench that gives the body the spatial acceleration `a` at velocity `v` (RBDA, eq. 2.65).
    #[inline(always)]
    pub fn newton_euler<V: Scalar<T>, A: Scalar<T> + Scalar<V>>(&self, v: Motion<V>, a: Motion<A>) -> Force<A> {
        v.cross_force(*self * v) + *self * a
    }
}

impl<P: Real, T: Scalar<P>> Mul<Motion<T>> for Inertia<P> {
    type Output = Force<T>;
    /// `f = m (v − c×ω)`, `n = I ω + c×f`: momentum of a velocity, wrench of an acceleration.
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Force<T> {
        let (c, w, v) = (self.com, m.angular, m.linear);
        let at_com = Vector3::new(
            w.y.mul_plus(c.z, v.x) - w.z * c.y,
            w.z.mul_plus(c.x, v.y) - w.x * c.z,
            w.x.mul_plus(c.y, v.z) - w.y * c.x,
        );
        let linear = v3::scale(self.mass, at_com);
        Force::new(linear, self.rotational.times_plus(w, v3::cross(c, linear)))
    }
}

impl<P: Real, T: Scalar<P>> Transformable<P> for Inertia<T> {
    /// `(m, R c + p, R I Rᵀ)`
    #[inline(always)]
    fn transformed(self, x: &Transform<P>) -> Self {
        let rows = v3::product(&x.rotation, &self.rotational.matrix()).transpose(); // (R I)ᵀ = I Rᵀ
        let com = v3::rotate(&x.rotation, self.com);
        Self::new(self.mass, v3::add(x.translation, com), Symmetric3::from_matrix(&v3::product(&x.rotation, &rows)))
    }
    /// `(m, Rᵀ(c − p), Rᵀ I R)`
    #[inline(always)]
    fn transformed_back(self, x: &Transform<P>) -> Self {
        let rows = v3::product_tr(&x.rotation, &self.rotational.matrix()).transpose();
        let c = Vector3::new(self.com.x - x.translation.x, self.com.y - x.translation.y, self.com.z - x.translation.z);
        Self::new(
            self.mass,
            v3::rotate_back(&x.rotation, c),
            Symmetric3::from_matrix(&v3::product_tr(&x.rotation, &rows)),
        )
    }
}
