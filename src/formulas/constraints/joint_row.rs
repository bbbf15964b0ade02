//! One row of a joint that holds two frames together: its error, rate and acceleration, and the wrenches of its multiplier.

use super::screw::Screw;
use super::side::Side;
use crate::spatial::{Force, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// A scalar of the pose of B relative to A.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<P> {
    /// `n · (p_b − p_a)`, n fixed in A.
    Along(Vector3<P>),
    /// `n · u − cos`, n fixed in A and u in B.
    Angle { n: Vector3<P>, u: Vector3<P>, cos: P },
    /// `n · (p_b − p_a) − h θ`, n fixed in A, θ the angle that B has turned about it.
    Screw(Screw<P>),
}

impl<P: Real> Row<P> {
    pub(super) fn lift<T: Scalar<P>>(&self) -> Row<T> {
        match self {
            Self::Along(n) => Row::Along(v3::lift(*n)),
            Self::Angle { n, u, cos } => Row::Angle { n: v3::lift(*n), u: v3::lift(*u), cos: T::from(*cos) },
            Self::Screw(screw) => Row::Screw(screw.lift()),
        }
    }
}

impl<P: Real> Row<P> {
    #[inline(always)]
    pub(super) fn error<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>) -> T {
        match self {
            Self::Along(n) => offset(v3::lift(*n), a, b),
            Self::Angle { n, u, cos } => v3::dot::<T, T>(a.vector(v3::lift(*n)), b.vector(v3::lift(*u))) - *cos,
            Self::Screw(screw) => screw.error(a, b, offset(v3::lift(screw.n), a, b)),
        }
    }

    #[inline(always)]
    pub(super) fn rate<T: Scalar<P>>(&self, a: &Side<T>, b: &Side<T>) -> T {
        let [f_a, f_b] = self.wrenches(&a.pose, &b.pose);
        f_a.power(a.velocity) + f_b.power(b.velocity)
    }

    #[inline(always)]
    pub(super) fn acceleration<T: Scalar<P>>(&self, a: &Side<T>, b: &Side<T>) -> T {
        self.acceleration_by(self.wrenches(&a.pose, &b.pose), a, b)
    }

    /// The same, with its wrenches.
    #[inline(always)]
    pub(super) fn acceleration_by<T: Scalar<P>>(&self, [f_a, f_b]: [Force<T>; 2], a: &Side<T>, b: &Side<T>) -> T {
        let (w_a, w_b) = (a.velocity.angular, b.velocity.angular);
        let still = f_a.power(a.acceleration) + f_b.power(b.acceleration);
        match self {
            Self::Along(_) => still + carried(a, b, f_b.linear),
            Self::Screw(screw) => {
                let faster = v3::dot::<T, T>(v3::sub(w_b, w_a), screw.turning_rate((&a.pose, w_a), (&b.pose, w_b)));
                still + carried(a, b, f_b.linear) - faster * screw.pitch
            }
            // (ω_b − ω_a) · d/dt (u × n)
            Self::Angle { n, u, .. } => {
                let (n, u): (Vector3<T>, Vector3<T>) = (a.pose.vector(v3::lift(*n)), b.pose.vector(v3::lift(*u)));
                let by_u = v3::cross::<T, T>(v3::cross::<T, T>(w_b, u), n);
                let by_n = v3::cross::<T, T>(u, v3::cross::<T, T>(w_a, n));
                still + v3::dot::<T, T>(v3::sub(w_b, w_a), v3::add::<T, T>(by_u, by_n))
            }
        }
    }

    /// Of a multiplier of one: `ė = f_a · v_a + f_b · v_b`.
    #[inline(always)]
    pub(crate) fn wrenches<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>) -> [Force<T>; 2] {
        match self {
            Self::Along(n) => along(v3::lift(*n), a, b),
            // (ω_b − ω_a) · (u × n)
            Self::Angle { n, u, .. } => {
                let m = v3::cross::<T, T>(b.vector(v3::lift(*u)), a.vector(v3::lift(*n)));
                [Force::new(v3::zero(), v3::neg(m)), Force::new(v3::zero(), m)]
            }
            // n · (ṗ_b − ṗ_a − ω_a × d) − h (ω_b − ω_a) · w
            Self::Screw(screw) => {
                let [f_a, f_b] = along(v3::lift(screw.n), a, b);
                let m = v3::scale::<T, T>(T::from(screw.pitch), screw.turning(a, b));
                [f_a + Force::new(v3::zero(), m), f_b - Force::new(v3::zero(), m)]
            }
        }
    }
}

/// `n · (p_b − p_a)`, n fixed in A
#[inline(always)]
fn offset<T: Real>(n: Vector3<T>, a: &Transform<T>, b: &Transform<T>) -> T {
    v3::dot::<T, T>(a.vector(n), v3::sub(b.translation, a.translation))
}

/// The wrenches of its rate, `n · (ṗ_b − ṗ_a − ω_a × d)`
#[inline(always)]
fn along<T: Real>(n: Vector3<T>, a: &Transform<T>, b: &Transform<T>) -> [Force<T>; 2] {
    let n: Vector3<T> = a.vector(n);
    let d = v3::sub(b.translation, a.translation);
    [Force::new(v3::neg(n), v3::cross::<T, T>(n, d)), Force::new(n, v3::zero())]
}

/// Along n, of `d̈` as A sees it: `d̈ − α×d − 2 ω×ḋ + ω×(ω×d)`
#[inline(always)]
fn carried<T: Real>(a: &Side<T>, b: &Side<T>, n: Vector3<T>) -> T {
    let w_a = a.velocity.angular;
    let d = v3::sub(b.pose.translation, a.pose.translation);
    let d_dot = v3::sub(b.velocity.linear, a.velocity.linear);
    let turned = v3::sub(v3::cross::<T, T>(w_a, d), v3::add::<T, T>(d_dot, d_dot));
    v3::dot::<T, T>(n, v3::cross::<T, T>(w_a, turned))
}
