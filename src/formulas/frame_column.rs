//! What one column of a link changes of the motion of a frame.
//!
//! The equations are those of [`frame_derivatives`](crate::dynamics::frame_derivatives()).

use super::frame_view::FrameView;
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

/// What a column of a link changes, in the reference.
pub(crate) struct FrameColumn<T> {
    /// `∂v/∂q_k`
    pub(crate) velocity_q: Motion<T>,
    /// `∂a/∂q_k`
    pub(crate) acceleration_q: Motion<T>,
    /// `∂a/∂q̇_k`
    pub(crate) acceleration_v: Motion<T>,
    /// `∂v/∂q̇_k = ∂a/∂q̈_k = S_k`
    pub(crate) subspace: Motion<T>,
}

impl<T: Real> FrameColumn<T> {
    /// Of the column `s`, on a body of this velocity and acceleration.
    #[inline(always)]
    pub(crate) fn new(
        seen: &FrameView<T>,
        (v, a): (Motion<T>, Motion<T>),
        s: Motion<T>,
        psi_dot: Motion<T>,
        psi_ddot: Motion<T>,
        psi_s_dot: Motion<T>,
    ) -> Self {
        Self {
            velocity_q: seen.vary(psi_dot, s, v), //                                     (1)
            acceleration_q: seen.vary(psi_ddot - v.cross(psi_dot), s, a), //             (2)
            acceleration_v: seen.motion(psi_s_dot - v.cross(s)),
            subspace: seen.motion(s),
        }
    }

    /// With the classical acceleration, at this velocity in the reference, in place of the spatial one.
    #[inline(always)]
    pub(crate) fn classical(mut self, velocity: Motion<T>) -> Self {
        self.acceleration_q.linear = classical(velocity, self.acceleration_q, self.velocity_q);
        self.acceleration_v.linear = classical(velocity, self.acceleration_v, self.subspace);
        self
    }
}

/// The variation of the classical acceleration `a + ω × u` of a point, from those of acceleration and velocity.
#[inline(always)]
pub(crate) fn classical<T: Real>(velocity: Motion<T>, da: Motion<T>, dv: Motion<T>) -> Vector3<T> {
    let turned = v3::add(v3::cross(dv.angular, velocity.linear), v3::cross(velocity.angular, dv.linear));
    v3::add(da.linear, turned)
}

/// How the column `s` of a frame varies as it is seen, from its rate `Ṡ` in the world and the velocity of the frame's body.
#[inline(always)]
pub(crate) fn variation<T: Real>(seen: &FrameView<T>, v_b: Motion<T>, s: Motion<T>, s_dot: Motion<T>) -> Motion<T> {
    seen.vary(s_dot - v_b.cross(s), v_b, s)
}
