//! Spatial inertia of one rigid body.

mod articulated;
mod forms;
mod log_cholesky;
mod origin;
mod rate;
pub(super) mod regressor;
mod shapes;
mod validity;

pub use articulated::ArticulatedInertia;
pub use log_cholesky::{LogCholesky, ParameterJacobian};
pub use origin::InertiaAboutOrigin;
pub use rate::BodyCoriolis;
pub use validity::{InertiaError, Principal};

use super::{Force, Momentum, Motion, Symmetric3, Transform, Transformable, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{Add, AddAssign, Mul};

/// The spatial inertia of a rigid body: mass, center of mass, and rotational inertia **about the center of mass**.
///
/// | field | unit | what |
/// |---|---|---|
/// | `mass` | kg | |
/// | `com` | m | center of mass, in the frame's coordinates |
/// | `rotational` | kg m² | about the center of mass, in the frame's axes |
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[doc(alias("SpatialInertia", "RigidBodyInertia", "mcI"))]
pub struct Inertia<T> {
    /// Mass, kg.
    pub mass: T,
    /// Center of mass, m.
    pub com: Vector3<T>,
    /// Rotational inertia about the center of mass, kg m².
    pub rotational: Symmetric3<T>,
}

impl<T: Real> Inertia<T> {
    /// From mass, center of mass and rotational inertia about the center of mass.
    #[inline(always)]
    pub fn new(mass: T, com: Vector3<T>, rotational: Symmetric3<T>) -> Self {
        Self { mass, com, rotational }
    }

    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(T::zero(), v3::zero(), Symmetric3::zero())
    }

    /// The same inertia in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(&self) -> Inertia<U> {
        Inertia::new(U::from(self.mass), v3::lift(self.com), self.rotational.lift())
    }

    /// `Y a + v ×* (Y v)`: the wrench that gives the body the spatial acceleration `a` at velocity `v` (RBDA, section
    /// 2.14).
    ///
    /// Formed about the center of mass, where it is Newton's and Euler's law and takes the fewest products:
    ///
    /// ```text
    /// f = m (a_C + ω × v_C)          with  v_C = v − c×ω,  a_C = a − c×α
    /// n = I α + ω × I ω + c × f
    /// ```
    #[inline(always)]
    pub fn newton_euler<V: Scalar<T>, A: Scalar<T> + Scalar<V>>(&self, v: Motion<V>, a: Motion<A>) -> Force<A> {
        let v_c: Vector3<V> = v3::cross_plus(v3::neg(self.com), v.angular, v.linear);
        let a_c: Vector3<A> = v3::cross_plus(v3::neg(self.com), a.angular, a.linear);
        let f = v3::scale(self.mass, v3::add(v3::cross(v.angular, v_c), a_c));
        let gyroscopic = v3::cross(v.angular, self.rotational.times(v.angular));
        let n_c = self.rotational.times_plus(a.angular, v3::cross(self.com, f));
        Force::new(f, v3::add(gyroscopic, n_c))
    }

    /// `Y v`: the spatial momentum at the velocity `v`, about the frame's origin.
    #[inline(always)]
    pub fn momentum<U: Scalar<T>>(&self, v: Motion<U>) -> Momentum<U> {
        *self * v
    }

    /// `½ ⟨v, Y v⟩`, J.
    #[inline(always)]
    pub fn kinetic_energy<U: Scalar<T>>(&self, v: Motion<U>) -> U {
        v.power(*self * v) * 0.5
    }

    /// The same body in axes parallel to this frame's, about the point `p` of this frame: `c − p`.
    #[inline(always)]
    pub fn shifted(&self, p: Vector3<T>) -> Self {
        Self::new(self.mass, v3::sub(self.com, p), self.rotational)
    }

    /// Rotational inertia about the point `p`, kg m²: `I − m [c − p]×²` (parallel axis theorem; RBDA, section 2.13).
    #[inline(always)]
    pub fn rotational_about(&self, p: Vector3<T>) -> Symmetric3<T> {
        self.rotational + Symmetric3::minus_skew_squared(v3::sub(self.com, p)).scale::<T>(self.mass)
    }

    /// Rotational inertia about the frame's origin, kg m²: `I − m [c]×²`.
    #[inline(always)]
    pub fn moment_about_origin(&self) -> Symmetric3<T> {
        self.rotational + Symmetric3::minus_skew_squared(self.com).scale::<T>(self.mass)
    }

    /// From mass, center of mass, and rotational inertia about the frame's **origin**, kg m²: `I = I_O + m [c]×²`.
    #[inline(always)]
    pub fn about_origin(mass: T, com: Vector3<T>, moment: Symmetric3<T>) -> Self {
        Self::new(mass, com, moment - Symmetric3::minus_skew_squared(com).scale::<T>(mass))
    }

    /// First moment of mass about the frame's origin, kg m: `m c`.
    #[inline(always)]
    pub fn first_moment(&self) -> Vector3<T> {
        v3::scale(self.mass, self.com)
    }

    /// Rotational inertia about the center of mass for one kilogram, m²: `I / m`; `I` itself, which should be zero,
    /// for a massless body. Drake's unit inertia.
    #[inline(always)]
    pub fn unit_rotational(&self) -> Symmetric3<T> {
        self.rotational.scale::<T>(one_if_zero(self.mass).recip())
    }

    /// From mass, center of mass, and rotational inertia about the center of mass for one kilogram: `I = m G`.
    #[inline(always)]
    pub fn from_unit(mass: T, com: Vector3<T>, unit: Symmetric3<T>) -> Self {
        Self::new(mass, com, unit.scale::<T>(mass))
    }
}

/// The value itself, or one where it is zero: a denominator for numerators that are zero there too.
#[inline(always)]
fn one_if_zero<T: Real>(x: T) -> T {
    x.select_lt(0.0, x, (-x).select_lt(0.0, x, T::one()))
}

impl<P: Real, T: Scalar<P>> Add<Inertia<T>> for Inertia<P> {
    type Output = Inertia<T>;
    /// The inertia of two bodies joined rigidly, both in the coordinates of one frame; the left side may be of a
    /// simpler type.
    ///
    /// `m = m₁ + m₂`, `c = c₁ + (m₂/m)(c₂ − c₁)`, `I = I₁ + I₂ − (m₁ m₂/m) [c₂ − c₁]×²`. If the total mass is zero, the
    /// center of mass is that of the left side.
    #[inline(always)]
    fn add(self, y: Inertia<T>) -> Inertia<T> {
        let mass = y.mass + self.mass;
        // Not a quotient: dual numbers divide by multiplying with the reciprocal, and values must keep their bits.
        let share = y.mass * one_if_zero(mass).recip();
        let d = Vector3::new(y.com.x - self.com.x, y.com.y - self.com.y, y.com.z - self.com.z);
        let com = Vector3::new(
            share.mul_plus(d.x, T::from(self.com.x)),
            share.mul_plus(d.y, T::from(self.com.y)),
            share.mul_plus(d.z, T::from(self.com.z)),
        );
        let apart = Symmetric3::minus_skew_squared(d).scale::<T>(share * self.mass);
        Inertia::new(mass, com, self.rotational + (y.rotational + apart))
    }
}

impl<T: Real> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<P: Real, T: Scalar<P>> Mul<Motion<T>> for Inertia<P> {
    type Output = Force<T>;
    /// `f = m (v − c×ω)`, `n = I ω + c×f`: momentum of a velocity, wrench of an acceleration.
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Force<T> {
        let at_com = v3::cross_plus(v3::neg(self.com), m.angular, m.linear);
        let linear = v3::scale(self.mass, at_com);
        Force::new(linear, self.rotational.times_plus(m.angular, v3::cross(self.com, linear)))
    }
}

impl<P: Real, T: Scalar<P>> Transformable<P> for Inertia<T> {
    /// `(m, R c + p, R I Rᵀ)`
    #[inline(always)]
    fn transformed(self, x: &Transform<P>) -> Self {
        let com = v3::rotate(&x.rotation, self.com);
        Self::new(self.mass, v3::add(x.translation, com), self.rotational.rotated(&x.rotation))
    }
    /// `(m, Rᵀ(c − p), Rᵀ I R)`
    #[inline(always)]
    fn transformed_back(self, x: &Transform<P>) -> Self {
        let c = Vector3::new(self.com.x - x.translation.x, self.com.y - x.translation.y, self.com.z - x.translation.z);
        Self::new(self.mass, v3::rotate_back(&x.rotation, c), self.rotational.rotated_back(&x.rotation))
    }
}
