//! A body while the joints of its subtree give way: what forward dynamics and the inverse of the mass matrix are made of
//! (RBDA, section 7.3), one degree of freedom after the other.

use super::singular;
use crate::model::DofDynamics;
use crate::slice_ops::fill;
use crate::spatial::{ArticulatedInertia, Force, InertiaAboutOrigin, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// `I^A`, in coordinates of the body, and what its pivots are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArticulatedBody<T> {
    pub(crate) inertia: ArticulatedInertia<T>,
    extent: Extent<T>,
}

/// The subtree of the body as one rigid body.
#[derive(Clone, Copy, Debug)]
struct Extent<T> {
    mass: T,
    /// First moment of mass, and trace of the moment of inertia, about the body's origin.
    first_moment: Vector3<T>,
    trace: T,
}

/// A degree of freedom that has given way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eliminated<T> {
    /// `U = I^A S`
    pub(crate) u: Force<T>,
    /// `D⁻¹`, `D = Sᵀ U + armature`
    pub(crate) reciprocal: T,
}

impl<T: Real> ArticulatedBody<T> {
    /// No body.
    pub(crate) fn zero() -> Self {
        Self {
            inertia: ArticulatedInertia::zero(),
            extent: Extent { mass: T::zero(), first_moment: v3::zero(), trace: T::zero() },
        }
    }

    /// `I^A −= U D⁻¹ Uᵀ`; a pivot `D` that is lost is the error.
    #[inline(always)]
    pub(crate) fn eliminate(&mut self, s: Motion<T>, armature: T) -> Result<Eliminated<T>, T> {
        let u = self.inertia.times::<T>(s);
        let d = s.power(u) + armature;
        if singular::is_lost(d, singular::scale_of(self.extent.mass, self.extent.trace, s) + armature) {
            return Err(d);
        }
        let reciprocal = d.recip();
        self.inertia = self.inertia.without(u, reciprocal);
        Ok(Eliminated { u, reciprocal })
    }
}

impl<T: Real> From<InertiaAboutOrigin<T>> for ArticulatedBody<T> {
    /// Without children.
    #[inline(always)]
    fn from(y: InertiaAboutOrigin<T>) -> Self {
        let (mass, trace) = singular::extent(&y);
        Self { inertia: y.into(), extent: Extent { mass, first_moment: y.first_moment, trace } }
    }
}

impl<T: Real> ArticulatedBody<T> {
    /// Adds the subtree of a child at `x_pb`, all of whose degrees of freedom have given way.
    #[inline(always)]
    pub(crate) fn carry(&mut self, below: &Self, x_pb: &Transform<T>) {
        let (Extent { mass, first_moment, trace }, p) = (below.extent, x_pb.translation);
        let at_joint = v3::rotate(&x_pb.rotation, first_moment);
        let first_moment = v3::times_plus(p, mass, at_joint);
        self.inertia += below.inertia.transformed::<T>(x_pb);
        self.extent.mass += mass;
        self.extent.first_moment = v3::add(self.extent.first_moment, first_moment);
        // Σ 2 m ((r + p)² − r²) = 2 p · (2 h + m p)
        self.extent.trace += v3::dot_plus(v3::add(p, p), v3::add(at_joint, first_moment), trace);
    }
}

/// The armature of each degree of freedom.
#[inline(always)]
pub(crate) fn armature<P: Real, T: Scalar<P>>(dofs: &[DofDynamics<P>], to: &mut [T]) {
    fill(to, T::zero());
    for dof in dofs {
        to[dof.index] += T::from(dof.mass());
    }
}
