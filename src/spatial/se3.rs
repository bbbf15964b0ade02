//! Rigid displacements: exponential, logarithm, and their Jacobians.
//!
//! A [`Motion`] `ξ = (v, ω)` kept up for one unit of time is a displacement `exp(ξ)`. With `W = [ω]×`, `V = [v]×`,
//! `s = v·ω`, and Stumpff's functions `C_k` at `θ² = |ω|²`:
//!
//! | | formula |
//! |---|---|
//! | [`exp6`] | `(exp(ω), J_l(ω) v)` |
//! | [`log6`], [`log6_of`] | `(J_l⁻¹(ω) p, ω)`, `ω = log R` |
//! | [`jexp6`] | `J_r = [[J, Q], [0, J]]`, `J = 1 − C₂ W + C₃ W²` (1) |
//! | | `Q = −C₂ V + C₃ (W V + V W) + s (C₃ − 2 C₄) W − s (C₄ − 3 C₅) W²` (2) |
//! | [`jlog6`] | `J_r⁻¹ = [[J⁻¹, −J⁻¹ Q J⁻¹], [0, J⁻¹]]` (3) |
//!
//! `Q` is the derivative of `J` at `ω` along `v`, since a motion is a rotation over the dual numbers `ω + ε v`, and
//! `dC_k/dx = (k C_{k+2} − C_{k+1})/2`. It is the block of T. Barfoot, *State Estimation for Robotics*, 2017, section 7.1.5, with
//! `W V W = −s W` and `W²V + VW² = −[θ² v + s ω]×` put in. The inverse does not exist at `θ = 2π k`, `k ≥ 1`, where it comes
//! out huge or not finite; logarithms stay below, at `θ ≤ π`.

use super::matrix6::Triangular;
use super::so3::{exp3_by, jexp3_by, jlog3_by};
use super::{Motion, Quaternion, Transform, vector as v3};
use gradyn_derivatives::Real;
use gradyn_derivatives::scalar::smooth::stumpff;
use nalgebra::{Matrix3, Matrix6, Vector3};

/// The displacement by the motion `ξ` during one unit of time: `x_ab = exp(ξ)`, B having left A with the constant body
/// velocity `ξ`.
#[inline(always)]
pub fn exp6<T: Real>(xi: Motion<T>) -> Transform<T> {
    Exponential::new(xi).displacement()
}

/// The motion with `exp(ξ) = x`, its angular part of length at most π: the inverse of [`exp6`].
///
/// All derivatives are right at the identity and up to π.
#[inline(always)]
pub fn log6<T: Real>(x: &Transform<T>) -> Motion<T> {
    log6_of(Quaternion::from_rotation(&x.rotation), x.translation)
}

/// The [`log6`] of a pose given by a unit quaternion and the translation `p`:
/// `(J_l⁻¹(w) p, w)`, `J_l⁻¹ p = p − ½ w×p + κ w×(w×p)`, `κ = (1 − (θ/2) cot(θ/2))/θ²`.
#[inline(always)]
pub fn log6_of<T: Real>(rotation: Quaternion<T>, p: Vector3<T>) -> Motion<T> {
    let (w, kappa) = rotation.log_and_kappa();
    let wp = v3::cross(w, p);
    let half = v3::scale(T::from(-0.5), wp);
    Motion::new(v3::scale_plus(kappa, v3::cross(w, wp), v3::add(half, p)), w)
}

/// Right Jacobian of [`exp6`], 6×6, linear part first: `x⁻¹ ẋ = J_r(ξ) ξ̇`, the body velocity. Equations (1) and (2).
/// The left one is `J_l(ξ) = J_r(−ξ)`.
#[inline(always)]
pub fn jexp6<T: Real>(xi: Motion<T>) -> Matrix6<T> {
    Exponential::new(xi).jacobian().to_matrix()
}

/// Inverse of [`jexp6`], 6×6: `ξ̇ = J_r⁻¹(ξ) ν` with the body velocity `ν`, for `|ω| < 2π`. Equation (3).
#[inline(always)]
pub fn jlog6<T: Real>(xi: Motion<T>) -> Matrix6<T> {
    Exponential::new(xi).inverse_jacobian().to_matrix()
}

/// A motion and Stumpff's functions at its `θ²`: evaluated once for all that is made of them.
pub(crate) struct Exponential<T> {
    xi: Motion<T>,
    c: [T; 6],
}

impl<T: Real> Exponential<T> {
    #[inline(always)]
    pub(crate) fn new(xi: Motion<T>) -> Self {
        Self { xi, c: stumpff(v3::norm_squared(xi.angular)) }
    }

    /// `exp(ω)`
    #[inline(always)]
    pub(crate) fn rotation(&self) -> Matrix3<T> {
        exp3_by(self.xi.angular, &self.c)
    }

    /// [`jexp3`](super::jexp3) of `ω`.
    #[inline(always)]
    pub(crate) fn rotation_jacobian(&self) -> Matrix3<T> {
        jexp3_by(self.xi.angular, &self.c)
    }

    /// [`jlog3`](super::jlog3) of `ω`.
    #[inline(always)]
    pub(crate) fn inverse_rotation_jacobian(&self) -> Matrix3<T> {
        jlog3_by(self.xi.angular, &self.c)
    }

    /// [`exp6`]
    #[inline(always)]
    pub(crate) fn displacement(&self) -> Transform<T> {
        let (v, w, [_, _, c2, c3, ..]) = (self.xi.linear, self.xi.angular, self.c);
        let wv = v3::cross(w, v);
        // J_l v = v + C₂ ω×v + C₃ ω×(ω×v)
        let p = v3::scale_plus(c3, v3::cross(w, wv), v3::scale_plus(c2, wv, v));
        Transform::new(self.rotation(), p)
    }

    /// [`jexp6`] by blocks.
    #[inline(always)]
    pub(crate) fn jacobian(&self) -> Triangular<T> {
        Triangular { diagonal: self.rotation_jacobian(), corner: self.coupling() }
    }

    /// [`jlog6`] by blocks. `J_r⁻¹(−ξ)` has the transposed ones.
    #[inline(always)]
    pub(crate) fn inverse_jacobian(&self) -> Triangular<T> {
        let inverse = self.inverse_rotation_jacobian();
        let corner = v3::product(&inverse, &v3::product(&self.coupling(), &inverse));
        Triangular { diagonal: inverse, corner: v3::neg_matrix(&corner) }
    }

    /// `Q` of equation (2).
    #[inline(always)]
    fn coupling(&self) -> Matrix3<T> {
        let (v, w, [_, _, c2, c3, c4, c5]) = (self.xi.linear, self.xi.angular, self.c);
        let s = v3::dot(v, w);

        // the skew part −C₂ V + s (C₃ − 2 C₄) W
        let skew = v3::scale_plus(s * (c3 - c4 * 2.0), w, v3::scale(-c2, v));
        // W V + V W = v ωᵀ + ω vᵀ − 2 s 1 and W² = ω ωᵀ − θ² 1, as v̂ ωᵀ + ω v̂ᵀ − 2 (v̂·ω) 1 with one vector v̂
        let v_hat = v3::scale_plus(s * (c5 * 3.0 - c4) * 0.5, w, v3::scale(c3, v));
        let diagonal = v3::dot(v_hat, w) * -2.0;
        let (xy, xz, yz) = (
            v_hat.x.mul_plus(w.y, v_hat.y * w.x),
            v_hat.x.mul_plus(w.z, v_hat.z * w.x),
            v_hat.y.mul_plus(w.z, v_hat.z * w.y),
        );
        Matrix3::new(
            (v_hat.x * w.x).mul_plus(2.0, diagonal),
            xy - skew.z,
            xz + skew.y,
            xy + skew.z,
            (v_hat.y * w.y).mul_plus(2.0, diagonal),
            yz - skew.x,
            xz - skew.y,
            yz + skew.x,
            (v_hat.z * w.z).mul_plus(2.0, diagonal),
        )
    }
}

/// `ξ = log(x_ab)` and its rate `ξ̇ = J_r⁻¹(ξ) ν`, from the velocity `ν` of B in A, expressed in B.
#[inline(always)]
pub fn log6_with_time_derivative<T: Real>(x: &Transform<T>, velocity: Motion<T>) -> (Motion<T>, Motion<T>) {
    let xi = log6(x);
    let exponential = Exponential::new(xi);
    let inverse = exponential.inverse_rotation_jacobian();
    let angular = v3::rotate(&inverse, velocity.angular);
    // J⁻¹ (ν_v − Q J⁻¹ ν_ω)
    let linear = v3::rotate(&inverse, v3::sub(velocity.linear, v3::rotate(&exponential.coupling(), angular)));
    (xi, Motion::new(linear, angular))
}

impl<T: Real> Transform<T> {
    /// The pose at the fraction `t` of the way from this one to `to`, along the screw between them:
    /// `x₀ exp(t log(x₀⁻¹ x₁))`. Any `t` will do; the way turns by at most π.
    #[inline(always)]
    pub fn interpolate(&self, to: &Self, t: T) -> Self {
        *self * exp6(log6(&self.inv_mul(to)).scale::<T>(t))
    }
}
