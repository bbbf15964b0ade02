//! The step of one body in inverse dynamics, in its own axes: one source for any contents of the lanes.
//! Page: `dynamics/step.rs`. Source: RBDA, table 5.1. Test: `batch::batches_of_hinges_and_slides_equal_single_states`.

use crate::spatial::vector as v3;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// How a body moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<T> {
    /// `ω`, `ω̇`
    pub(crate) angular: Vector3<T>,
    pub(crate) angular_rate: Vector3<T>,
    /// The acceleration of a point, less gravity: of the origin, or of where a joint is mounted.
    pub(crate) acceleration: Vector3<T>,
}

/// Behind a hinge whose mount moves like that, in axes of the parent:
///
/// ```text
/// ω = Rᵀ ω_λ + z q̇    ω̇ = Rᵀ ω̇_λ + z q̈ + Rᵀ ω_λ × z q̇    a = Rᵀ (a_λ + K_λ p)
/// ```
#[inline(always)]
pub(crate) fn hinged<T: Real + Scalar<T>>(rotation: &Matrix3<T>, mount: &Motion<T>, (v, a): (T, T)) -> Motion<T> {
    let w = v3::rotate_back(rotation, mount.angular);
    let e = v3::rotate_back(rotation, mount.angular_rate);
    Motion {
        angular: Vector3::new(w.x, w.y, w.z + v),
        angular_rate: Vector3::new(w.y.mul_plus(v, e.x), e.y - w.x * v, e.z + a),
        acceleration: v3::rotate_back(rotation, mount.acceleration),
    }
}

/// Behind a hinge on the world, with what stands there accelerating at `up`.
#[inline(always)]
pub(crate) fn hinged_to_world<T: Real + Scalar<T>>(rotation: &Matrix3<T>, up: Vector3<T>, (v, a): (T, T)) -> Motion<T> {
    let o = T::zero();
    Motion {
        angular: Vector3::new(o, o, v),
        angular_rate: Vector3::new(o, o, a),
        acceleration: v3::rotate_back(rotation, up),
    }
}

/// Of a free body: `a = Rᵀ a_0 + v̇ + ω × v`, with velocity and acceleration of its joint in its own axes.
#[inline(always)]
pub(crate) fn free<T: Real + Scalar<T>>(
    rotation: &Matrix3<T>,
    up: Vector3<T>,
    v: [Vector3<T>; 2],
    a: [Vector3<T>; 2],
) -> Motion<T> {
    let ([linear, angular], [rate, angular_rate]) = (v, a);
    let moving = v3::cross_plus(angular, linear, rate);
    Motion { angular, angular_rate, acceleration: v3::rotate_back_plus(rotation, up, moving) }
}

/// A force and its moment about the origin of a body that stands at `position`, in axes of the parent, the moment about
/// the parent's origin and added to another one there: `R f`, `R n + p × R f + n'`.
#[inline(always)]
pub(crate) fn to_parent<P: Real, T: Scalar<P> + Scalar<T>>(
    rotation: &Matrix3<T>,
    position: Vector3<P>,
    (force, moment): (Vector3<T>, Vector3<T>),
    onto: Vector3<T>,
) -> (Vector3<T>, Vector3<T>) {
    let force = v3::rotate(rotation, force);
    (force, v3::cross_plus(position, force, v3::rotate_plus(rotation, moment, onto)))
}
