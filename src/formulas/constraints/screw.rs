//! How far B has turned about an axis fixed in A.
//!
//! With e and f across the axis, fixed in A, and e fixed in B, the angle is that of `(c, s) = (e_a · e_b, f_a · e_b)`:
//!
//! ```text
//! θ̇ = (c ṡ − s ċ)/(c² + s²) = (ω_b − ω_a) · w ,   w = e_b × g/(c² + s²) ,   g = c f_a − s e_a
//! ```

use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// A thread: its axis n, two directions across it with `n = e × f`, and the pitch, m/rad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screw<P> {
    pub(crate) n: Vector3<P>,
    pub(crate) e: Vector3<P>,
    pub(crate) f: Vector3<P>,
    pub(crate) pitch: P,
}

/// `e_a`, `f_a` and `e_b`, in axes of the world, with c and s.
struct Directions<T> {
    e_a: Vector3<T>,
    f_a: Vector3<T>,
    e_b: Vector3<T>,
    c: T,
    s: T,
}

impl<P: Real> Screw<P> {
    /// The same in a wider number type.
    pub(crate) fn lift<T: Scalar<P>>(&self) -> Screw<T> {
        Screw { n: v3::lift(self.n), e: v3::lift(self.e), f: v3::lift(self.f), pitch: T::from(self.pitch) }
    }

    #[inline(always)]
    fn directions<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>) -> Directions<T> {
        let e_a: Vector3<T> = a.vector(v3::lift(self.e));
        let f_a: Vector3<T> = a.vector(v3::lift(self.f));
        let e_b: Vector3<T> = b.vector(v3::lift(self.e));
        Directions { e_a, f_a, e_b, c: v3::dot::<T, T>(e_a, e_b), s: v3::dot::<T, T>(f_a, e_b) }
    }

    /// `along − h θ`; of all θ that differ by whole turns, that which leaves least.
    #[inline(always)]
    pub(crate) fn error<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>, along: T) -> T {
        let (Directions { c, s, .. }, h) = (self.directions(a, b), self.pitch);
        if h == P::zero() {
            return along - s.atan2(c) * h;
        }
        // h (φ − θ), with along = h φ.
        let (sin, cos) = (along * h.recip()).sin_cos();
        (sin * c - cos * s).atan2(cos * c + sin * s) * h
    }

    /// `w`
    #[inline(always)]
    pub(crate) fn turning<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>) -> Vector3<T> {
        let Directions { e_a, f_a, e_b, c, s } = self.directions(a, b);
        let g = v3::sub(v3::scale::<T, T>(c, f_a), v3::scale::<T, T>(s, e_a));
        v3::scale::<T, T>((c * c + s * s).recip(), v3::cross::<T, T>(e_b, g))
    }

    /// `ẇ`, for A and B that turn.
    #[inline(always)]
    pub(crate) fn turning_rate<T: Scalar<P>>(
        &self,
        (a, w_a): (&Transform<T>, Vector3<T>),
        (b, w_b): (&Transform<T>, Vector3<T>),
    ) -> Vector3<T> {
        let Directions { e_a, f_a, e_b, c, s } = self.directions(a, b);
        let faster = v3::sub(w_b, w_a);
        let c_dot = v3::dot::<T, T>(faster, v3::cross::<T, T>(e_b, e_a));
        let s_dot = v3::dot::<T, T>(faster, v3::cross::<T, T>(e_b, f_a));
        let g = v3::sub(v3::scale::<T, T>(c, f_a), v3::scale::<T, T>(s, e_a));
        let g_seen = v3::sub(v3::scale::<T, T>(c_dot, f_a), v3::scale::<T, T>(s_dot, e_a));
        let g_dot = v3::add::<T, T>(g_seen, v3::cross::<T, T>(w_a, g));
        let e_dot = v3::cross::<T, T>(w_b, e_b);
        // (c² + s²) w = e_b × g
        let change = v3::add::<T, T>(v3::cross::<T, T>(e_dot, g), v3::cross::<T, T>(e_b, g_dot));
        let (squares, half) = (c * c + s * s, c * c_dot + s * s_dot);
        let w = self.turning(a, b);
        v3::scale::<T, T>(squares.recip(), v3::sub(change, v3::scale::<T, T>(half + half, w)))
    }
}
