//! Articulated-body inertia.

use super::InertiaAboutOrigin;
use crate::spatial::{Force, Motion, Symmetric3, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::AddAssign;

/// The inertia that a body shows while the joints of its subtree give way: `f = I^A a + p` (RBDA, section 7.1).
///
/// Symmetric, and no rigid body's: `[[A, H], [Hᵀ, I]]`, linear part first, twenty-one numbers. About the frame's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ArticulatedInertia<T> {
    /// `A`: force by linear acceleration, kg.
    pub linear: Symmetric3<T>,
    /// `H`: force by angular acceleration, kg m.
    pub coupling: Matrix3<T>,
    /// `I`: moment by angular acceleration, kg m².
    pub angular: Symmetric3<T>,
}

impl<T: Real> ArticulatedInertia<T> {
    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { linear: Symmetric3::zero(), coupling: v3::zero_matrix(), angular: Symmetric3::zero() }
    }

    /// `I^A m = (A v + H ω, Hᵀ v + I ω)`
    #[inline(always)]
    pub fn times<U: Scalar<T>>(&self, m: Motion<U>) -> Force<U> {
        Force::new(
            self.linear.times_plus(m.linear, v3::rotate(&self.coupling, m.angular)),
            self.angular.times_plus(m.angular, v3::rotate_back(&self.coupling, m.linear)),
        )
    }

    /// `I^A − u uᵀ s`: what is left when the motion that needs the force `u` gives way (RBDA, equation 7.23).
    #[inline(always)]
    #[must_use]
    pub fn without(&self, u: Force<T>, s: T) -> Self {
        let w = u.scale::<T>(-s);
        let ((a, b), (x, y)) = ((u.linear, u.angular), (w.linear, w.angular));
        let (l, h, i) = (&self.linear, &self.coupling, &self.angular);
        Self {
            linear: Symmetric3::new(
                a.x.mul_plus(x.x, l.xx),
                a.x.mul_plus(x.y, l.xy),
                a.x.mul_plus(x.z, l.xz),
                a.y.mul_plus(x.y, l.yy),
                a.y.mul_plus(x.z, l.yz),
                a.z.mul_plus(x.z, l.zz),
            ),
            coupling: Matrix3::new(
                a.x.mul_plus(y.x, h.m11),
                a.x.mul_plus(y.y, h.m12),
                a.x.mul_plus(y.z, h.m13),
                a.y.mul_plus(y.x, h.m21),
                a.y.mul_plus(y.y, h.m22),
                a.y.mul_plus(y.z, h.m23),
                a.z.mul_plus(y.x, h.m31),
                a.z.mul_plus(y.y, h.m32),
                a.z.mul_plus(y.z, h.m33),
            ),
            angular: Symmetric3::new(
                b.x.mul_plus(y.x, i.xx),
                b.x.mul_plus(y.y, i.xy),
                b.x.mul_plus(y.z, i.xz),
                b.y.mul_plus(y.y, i.yy),
                b.y.mul_plus(y.z, i.yz),
                b.z.mul_plus(y.z, i.zz),
            ),
        }
    }
}

impl<T: Real> ArticulatedInertia<T> {
    /// In coordinates of B, in coordinates of A: `X* I^A X⁻¹` for the pose `x_ab`, turned and then [shifted](Self::shifted).
    #[inline(always)]
    #[must_use]
    pub fn transformed<P: Real>(&self, x_ab: &Transform<P>) -> Self
    where
        T: Scalar<P>,
    {
        let r = &x_ab.rotation;
        let h = v3::product(r, &self.coupling);
        // Not by a closure: that would not be compiled for the level of the numbers.
        let x = v3::rotate(r, Vector3::new(h.m11, h.m12, h.m13));
        let y = v3::rotate(r, Vector3::new(h.m21, h.m22, h.m23));
        let z = v3::rotate(r, Vector3::new(h.m31, h.m32, h.m33));
        #[rustfmt::skip]
        let coupling = Matrix3::new(
            x.x, x.y, x.z,
            y.x, y.y, y.z,
            z.x, z.y, z.z,
        );
        Self { linear: self.linear.rotated(r), coupling, angular: self.angular.rotated(r) }.shifted(x_ab.translation)
    }

    /// About a point from which the origin is seen at `p`, in the same axes:
    ///
    /// ```text
    /// H := H − A [p]×      I := I + [p]× H' − Hᵀ [p]×      with the new H' and the old H
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn shifted<P: Real>(&self, p: Vector3<P>) -> Self
    where
        T: Scalar<P>,
    {
        let (m, h, j, zero) = (self.linear, &self.coupling, self.angular, T::zero());
        let x = v3::cross_plus(p, Vector3::new(m.xx, m.xy, m.xz), Vector3::new(h.m11, h.m12, h.m13));
        let y = v3::cross_plus(p, Vector3::new(m.xy, m.yy, m.yz), Vector3::new(h.m21, h.m22, h.m23));
        let z = v3::cross_plus(p, Vector3::new(m.xz, m.yz, m.zz), Vector3::new(h.m31, h.m32, h.m33));
        // Rows of I − Hᵀ [p]×, then columns of [p]× H', of which the symmetric sum needs half.
        let row_x = v3::cross_plus(p, v3::column(h, 0), Vector3::new(j.xx, j.xy, j.xz));
        let row_y = v3::cross_plus(p, v3::column(h, 1), Vector3::new(zero, j.yy, j.yz));
        let row_z = v3::cross_plus(p, v3::column(h, 2), Vector3::new(zero, zero, j.zz));
        let a = v3::cross_plus(p, Vector3::new(x.x, y.x, z.x), Vector3::new(row_x.x, zero, zero));
        let b = v3::cross_plus(p, Vector3::new(x.y, y.y, z.y), Vector3::new(row_x.y, row_y.y, zero));
        let c = v3::cross_plus(p, Vector3::new(x.z, y.z, z.z), Vector3::new(row_x.z, row_y.z, row_z.z));
        #[rustfmt::skip]
        let coupling = Matrix3::new(
            x.x, x.y, x.z,
            y.x, y.y, y.z,
            z.x, z.y, z.z,
        );
        Self { linear: m, coupling, angular: Symmetric3::new(a.x, b.x, c.x, b.y, c.y, c.z) }
    }
}

impl<T: Real> From<InertiaAboutOrigin<T>> for ArticulatedInertia<T> {
    /// Of a rigid body: `A = m 1`, `H = −[m c]×`, `I` about the origin.
    #[inline(always)]
    fn from(y: InertiaAboutOrigin<T>) -> Self {
        Self {
            linear: Symmetric3::diagonal(y.mass, y.mass, y.mass),
            coupling: v3::skew(v3::neg(y.first_moment)),
            angular: y.moment,
        }
    }
}

impl<T: Real> AddAssign for ArticulatedInertia<T> {
    /// Of two bodies, both in the coordinates of one frame.
    #[inline(always)]
    fn add_assign(&mut self, y: Self) {
        self.linear = self.linear + y.linear;
        self.coupling = v3::add_matrix(&self.coupling, &y.coupling);
        self.angular = self.angular + y.angular;
    }
}
