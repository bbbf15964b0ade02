//! What springs of joints add to torques: forces of the configuration alone.
//!
//! Kernels do not know them: they are added to torques that come out, or taken from torques that go in. A robot without springs has an
//! empty list.

use crate::model::JointSpring;
use gradyn_derivatives::{Real, Scalar};

/// `τ += k stiffness (u − reference)` of each.
#[inline(always)]
pub(crate) fn add_torques<P: Real, T: Scalar<P>>(springs: &[JointSpring<P>], q: &[T], tau: &mut [T]) {
    for spring in springs {
        tau[spring.index] += spring.torque(q[spring.coordinate]);
    }
}

/// Takes their torques from those that drive the joints.
#[inline(always)]
pub(crate) fn subtract_torques<P: Real, T: Scalar<P>>(springs: &[JointSpring<P>], q: &[T], tau: &mut [T]) {
    for spring in springs {
        tau[spring.index] -= spring.torque(q[spring.coordinate]);
    }
}

/// Adds their torques, and the derivatives of these by the configuration, nv × nv.
#[inline(always)]
pub(crate) fn add_derivatives<P: Real, T: Scalar<P>>(
    springs: &[JointSpring<P>],
    q: &[T],
    (tau, dtau_dq): (&mut [T], &mut [T]),
) {
    let nv = tau.len();
    add_torques(springs, q, tau);
    for spring in springs {
        dtau_dq[spring.index * (nv + 1)] += T::from(spring.slope());
    }
}

/// Adds `λᵀ τ` of theirs, and its derivatives by the configuration, nv.
#[inline(always)]
pub(crate) fn add_gradient<P: Real, T: Scalar<P>>(
    springs: &[JointSpring<P>],
    q: &[T],
    lambda: &[T],
    (value, dq): (&mut T, &mut [T]),
) {
    for spring in springs {
        let i = spring.index;
        *value += lambda[i] * spring.torque(q[spring.coordinate]);
        dq[i] += lambda[i] * spring.slope();
    }
}

/// `Σ ½ stiffness (u − reference)²`
#[inline(always)]
pub(crate) fn energy<P: Real, T: Scalar<P>>(springs: &[JointSpring<P>], q: &[T]) -> T {
    let mut sum = T::zero();
    for spring in springs {
        sum += spring.energy(q[spring.coordinate]);
    }
    sum
}
