//! Inertia about the frame's origin: the form that adds by plain sums.

use super::{BodyCoriolis, Inertia};
use crate::spatial::{Force, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{Add, AddAssign, Mul};

/// The spatial inertia of one body or of many, as ten numbers that are linear in the bodies: mass, first moment of mass
/// and moment of inertia, both **about the origin** of the frame.
///
/// Bodies far from the origin lose accuracy in this form; [`Inertia`] does not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct InertiaAboutOrigin<T> {
    /// Mass, kg.
    pub mass: T,
    /// `h = m c`, kg m.
    pub first_moment: Vector3<T>,
    /// `I_O = I − m [c]×²`, kg m².
    pub moment: Symmetric3<T>,
}

impl<T: Real> InertiaAboutOrigin<T> {
    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { mass: T::zero(), first_moment: v3::zero(), moment: Symmetric3::zero() }
    }

    /// `Y v + …` for the velocity and the acceleration of a body: `f = Y a + v ×* Y v` (RBDA, section 2.14), from the
    /// momentum `Y v`.
    #[inline(always)]
    pub fn newton_euler<U: Scalar<T>>(&self, v: Motion<U>, momentum: Force<U>, a: Motion<U>) -> Force<U> {
        self.times_plus(a, v.cross_force(momentum))
    }

    /// `Y m + f`
    #[inline(always)]
    pub(crate) fn times_plus<U: Scalar<T>>(&self, m: Motion<U>, f: Force<U>) -> Force<U> {
        let h = self.first_moment;
        Force::new(
            v3::cross_plus(v3::neg(h), m.angular, v3::scale_plus(self.mass, m.linear, f.linear)),
            self.moment.times_plus(m.angular, v3::cross_plus(h, m.linear, f.angular)),
        )
    }

    /// `B = v×* Y − Y v× + (Y v) ×̄*`, from the momentum `Y v`: see [`Inertia::body_coriolis`].
    #[inline(always)]
    pub fn body_coriolis(&self, v: Motion<T>, momentum: Force<T>) -> BodyCoriolis<T> {
        super::rate::coriolis_of(&self.moment, self.first_moment, v, momentum)
    }
}

impl<T: Real> From<Inertia<T>> for InertiaAboutOrigin<T> {
    #[inline(always)]
    fn from(y: Inertia<T>) -> Self {
        Self { mass: y.mass, first_moment: y.first_moment(), moment: y.moment_about_origin() }
    }
}

impl<T: Real> From<InertiaAboutOrigin<T>> for Inertia<T> {
    /// Without mass, the center of mass is the origin.
    #[inline(always)]
    fn from(y: InertiaAboutOrigin<T>) -> Self {
        let com = v3::scale(super::one_if_zero(y.mass).recip(), y.first_moment);
        Self::about_origin(y.mass, com, y.moment)
    }
}

impl<T: Real> Add for InertiaAboutOrigin<T> {
    type Output = Self;
    /// Of two bodies, both in the coordinates of one frame.
    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self {
            mass: self.mass + y.mass,
            first_moment: v3::add(self.first_moment, y.first_moment),
            moment: self.moment + y.moment,
        }
    }
}

impl<T: Real> AddAssign for InertiaAboutOrigin<T> {
    #[inline(always)]
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<P: Real, T: Scalar<P>> Mul<Motion<T>> for InertiaAboutOrigin<P> {
    type Output = Force<T>;
    /// `Y m = (m v − h×ω, h×v + I_O ω)`
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Force<T> {
        let h = self.first_moment;
        Force::new(
            v3::cross_plus(v3::neg(h), m.angular, v3::scale(self.mass, m.linear)),
            self.moment.times_plus(m.angular, v3::cross(h, m.linear)),
        )
    }
}
