//! A body while the joints of what hangs from it give way: what forward dynamics and the inverse of the mass matrix are made of
//! (RBDA, section 7.3), one degree of freedom after the other.

use super::singular;
use super::slices::fill;
use crate::model::Model;
use crate::spatial::{ArticulatedInertia, Force, InertiaAboutOrigin, Motion};
use gradyn_derivatives::{Real, Scalar};
use std::ops::AddAssign;

/// `I^A`, and what its pivots are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArticulatedBody<T> {
    pub(crate) inertia: ArticulatedInertia<T>,
    /// Mass and trace of the moment of inertia of all that hangs from the body, itself included.
    extent: (T, T),
}

/// A degree of freedom that has given way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenWay<T> {
    /// `U = I^A S`
    pub(crate) u: Force<T>,
    /// `D⁻¹`, `D = Sᵀ U + armature`
    pub(crate) reciprocal: T,
}

impl<T: Real> ArticulatedBody<T> {
    /// No body.
    pub(crate) fn zero() -> Self {
        Self { inertia: ArticulatedInertia::zero(), extent: (T::zero(), T::zero()) }
    }

    /// `I^A −= U D⁻¹ Uᵀ`; a pivot `D` that is lost is the error.
    #[inline(always)]
    pub(crate) fn give_way(&mut self, s: Motion<T>, armature: T) -> Result<GivenWay<T>, T>
    where
        T: Scalar<T>,
    {
        let u = self.inertia.times(s);
        let d = s.power(u) + armature;
        if singular::is_lost(d, singular::scale_of(self.extent.0, self.extent.1, s) + armature) {
            return Err(d);
        }
        let reciprocal = d.recip();
        self.inertia = self.inertia.without(u, reciprocal);
        Ok(GivenWay { u, reciprocal })
    }
}

impl<T: Real> From<InertiaAboutOrigin<T>> for ArticulatedBody<T> {
    /// From which nothing hangs.
    #[inline(always)]
    fn from(y: InertiaAboutOrigin<T>) -> Self {
        Self { inertia: y.into(), extent: singular::extent(&y) }
    }
}

impl<T: Real> AddAssign for ArticulatedBody<T> {
    /// What hangs from the body, all of whose degrees of freedom have given way.
    #[inline(always)]
    fn add_assign(&mut self, below: Self) {
        self.inertia += below.inertia;
        self.extent = (self.extent.0 + below.extent.0, self.extent.1 + below.extent.1);
    }
}

/// The armature of each degree of freedom.
#[inline(always)]
pub(crate) fn armature<P: Real, T: Scalar<P>>(model: &Model<P>, to: &mut [T]) {
    fill(to, T::zero());
    for dof in &model.dofs {
        to[dof.index] += T::from(dof.mass());
    }
}
