//! Articulated-body inertia.

use super::InertiaAboutOrigin;
use crate::spatial::{Force, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Matrix3;
use std::ops::AddAssign;

/// The inertia that a body shows while others hang from it by joints that give way: `f = I^A a + p` (RBDA, section 7.1).
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
