//! Exponential and logarithm of motions.

use super::vector as v3;
use super::{Motion, Transform};
use gradyn_derivatives::Real;
use gradyn_derivatives::scalar::smooth::stumpff;
use nalgebra::{Matrix3, Vector3};

/// `exp` of a rotation vector: `E + C₁ [v]× + C₂ [v]×²`, Stumpff functions at `|v|²` (Rodrigues).
#[inline(always)]
pub fn exp3<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    let [c0, c1, c2, ..] = stumpff(v3::norm_squared(v));
    // C₀ E + C₁ [v]× + C₂ v vᵀ
    let (u, s) = (v3::scale(c2, v), v3::scale(c1, v));
    Matrix3::new(
        u.x.mul_plus(v.x, c0),
        u.x.mul_minus(v.y, s.z),
        u.x.mul_plus(v.z, s.y),
        u.y.mul_plus(v.x, s.z),
        u.y.mul_plus(v.y, c0),
        u.y.mul_minus(v.z, s.x),
        u.z.mul_minus(v.x, s.y),
        u.z.mul_plus(v.y, s.x),
        u.z.mul_plus(v.z, c0),
    )
}

/// The pose reached by moving with the constant body velocity `m` for unit time: rotation `exp3(ω)`, translation
/// `(E + C₂ [ω]× + C₃ [ω]×²) v`, Stumpff functions at `|ω|²`.
#[inline(always)]
pub fn exp6<T: Real>(m: Motion<T>) -> Transform<T> {
    let (v, w) = (m.linear, m.angular);
    let [_, _, c2, c3, ..] = stumpff(v3::norm_squared(w));
    let wv = v3::cross(w, v);
    let p = v3::scale_plus(c3, v3::cross(w, wv), v3::scale_plus(c2, wv, v));
    Transform::new(exp3(w), p)
}

/// The motion whose [`exp6`] has the rotation vector `w` and the translation `p`:
/// `v = (E − ½ [w]× + κ [w]×²) p`, `κ = (C₃ − 2C₄)/(2C₂)` at `|w|²`.
#[inline(always)]
pub fn log6_of<T: Real>(w: Vector3<T>, p: Vector3<T>) -> Motion<T> {
    let [_, _, c2, c3, c4, _] = stumpff(v3::norm_squared(w));
    let kappa = (c3 - c4 * 2.0) / (c2 * 2.0);
    let wp = v3::cross(w, p);
    let half = v3::scale(T::from(-0.5), wp);
    let v = v3::scale_plus(kappa, v3::cross(w, wp), v3::add(half, p));
    Motion::new(v, w)
}
