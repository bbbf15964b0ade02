//! Rotations in three dimensions: exponential, logarithm, and their Jacobians.
//!
//! A rotation vector `v` (rad) stands for the rotation by `θ = |v|` about `v`. Everything is a function of `θ²` by Stumpff's
//! functions `C_k`, so that all derivatives are right at zero. With `V = [v]×`:
//!
//! | | formula |
//! |---|---|
//! | [`exp3`] | `R = 1 + C₁ V + C₂ V²` |
//! | [`jexp3`] | `J_r = 1 − C₂ V + C₃ V²` |
//! | [`jlog3`] | `J_r⁻¹ = 1 + ½ V + κ V²`, `κ = (1 − C₁/(2 C₂))/θ² = (C₃ − 2 C₄)/(2 C₂)` |
//!
//! The left ones change the sign of `V`. `J_r` is singular at `θ = 2π k`, `k ≥ 1`, where `J_r⁻¹` comes out huge or not
//! finite; a logarithm is never longer than π. The square of the length has to be finite. Source: J. Solà et al., *A micro Lie theory*, 2018, eq. 132, 143–146.

use super::{Quaternion, vector as v3};
use crate::level::at_level;
use gradyn_derivatives::scalar::smooth::stumpff;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// `1 + a [v]× + b [v]×²`, 3×3: the shape of all matrices here.
#[inline(always)]
pub(super) fn one_plus<T: Real>(a: T, b: T, v: Vector3<T>) -> Matrix3<T> {
    let (av, bv) = (v3::scale(a, v), v3::scale(b, v));
    let (xx, yy, zz) = (bv.x * v.x, bv.y * v.y, bv.z * v.z);
    let (xy, xz, yz) = (bv.x * v.y, bv.x * v.z, bv.y * v.z);
    let one = T::one();
    Matrix3::new(
        one - (yy + zz),
        xy - av.z,
        xz + av.y,
        xy + av.z,
        one - (xx + zz),
        yz - av.x,
        xz - av.y,
        yz + av.x,
        one - (xx + yy),
    )
}

/// `c E + [s]× + u vᵀ`, the shape that rotations have in Rodrigues' formula; `v` may be of a simpler type.
#[inline(always)]
pub(crate) fn rodrigues<P: Real, T: Scalar<P>>(c: T, s: Vector3<T>, u: Vector3<T>, v: Vector3<P>) -> Matrix3<T> {
    Matrix3::new(
        u.x.mul_plus(v.x, c),
        u.x.mul_minus(v.y, s.z),
        u.x.mul_plus(v.z, s.y),
        u.y.mul_plus(v.x, s.z),
        u.y.mul_plus(v.y, c),
        u.y.mul_minus(v.z, s.x),
        u.z.mul_minus(v.x, s.y),
        u.z.mul_plus(v.y, s.x),
        u.z.mul_plus(v.z, c),
    )
}

/// Rotation matrix of a rotation vector, 3×3: `R = C₀ 1 + C₁ V + C₂ v vᵀ` (Rodrigues).
#[inline(always)]
pub fn exp3<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    exp3_by(v, &stumpff(v3::norm_squared(v)))
}

/// [`exp3`] by Stumpff's functions at `|v|²`.
#[inline(always)]
pub(super) fn exp3_by<T: Real>(v: Vector3<T>, &[c0, c1, c2, ..]: &[T; 6]) -> Matrix3<T> {
    rodrigues::<T, T>(c0, v3::scale::<T, T>(c1, v), v3::scale::<T, T>(c2, v), v)
}

/// Rotation vector of a rotation matrix, rad, of length at most π: the inverse of [`exp3`], by the quaternion.
///
/// All derivatives are right at the identity and up to π. At π itself both `v` and `−v` are right.
#[inline(always)]
pub fn log3<T: Real>(r: &Matrix3<T>) -> Vector3<T> {
    Quaternion::from_rotation(r).log()
}

/// Right Jacobian of [`exp3`], 3×3: `Rᵀ Ṙ = [J_r(v) v̇]×`, the angular velocity in the rotated frame's coordinates.
#[inline(always)]
pub fn jexp3<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    jexp3_by(v, &stumpff(v3::norm_squared(v)))
}

/// [`jexp3`] by Stumpff's functions at `|v|²`.
#[inline(always)]
pub(super) fn jexp3_by<T: Real>(v: Vector3<T>, &[_, _, c2, c3, ..]: &[T; 6]) -> Matrix3<T> {
    one_plus(-c2, c3, v)
}

/// Left Jacobian of [`exp3`], 3×3: `Ṙ Rᵀ = [J_l(v) v̇]×`, the angular velocity in the fixed frame's coordinates.
/// `J_l(v) = J_r(−v) = J_r(v)ᵀ = R J_r(v)`.
#[inline(always)]
pub fn jexp3_left<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    let [_, _, c2, c3, ..] = stumpff(v3::norm_squared(v));
    one_plus(c2, c3, v)
}

/// Inverse of [`jexp3`], 3×3: `v̇ = J_r⁻¹(v) ω` with `ω` in the rotated frame's coordinates. For `|v| < 2π`.
#[inline(always)]
pub fn jlog3<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    jlog3_by(v, &stumpff(v3::norm_squared(v)))
}

/// [`jlog3`] by Stumpff's functions at `|v|²`.
#[inline(always)]
pub(super) fn jlog3_by<T: Real>(v: Vector3<T>, c: &[T; 6]) -> Matrix3<T> {
    one_plus(T::from(0.5), kappa(c), v)
}

/// Inverse of [`jexp3_left`], 3×3: `v̇ = J_l⁻¹(v) ω` with `ω` in the fixed frame's coordinates. For `|v| < 2π`.
#[inline(always)]
pub fn jlog3_left<T: Real>(v: Vector3<T>) -> Matrix3<T> {
    one_plus(T::from(-0.5), kappa(&stumpff(v3::norm_squared(v))), v)
}

/// `J_r⁻ᵀ(v) w` and its derivative by `v`, 3×3, for `|v| ≤ π`, with `κ` and `κ' = dκ/dθ²` given:
///
/// ```text
/// w − ½ v × w + κ (v (v·w) − θ² w) ,   ½ [w]× + κ (v wᵀ + (v·w) 1 − 2 w vᵀ) + 2 κ' (v (v·w) − θ² w) vᵀ
/// ```
#[inline(always)]
pub(crate) fn jlog3_tr_times<T: Real>(
    v: Vector3<T>,
    w: Vector3<T>,
    [kappa, slope, _]: [T; 3],
) -> (Vector3<T>, Matrix3<T>) {
    let (square, along) = (v3::norm_squared(v), v3::dot::<T, T>(v, w));
    let twice = v3::sub(v3::scale::<T, T>(along, v), v3::scale::<T, T>(square, w)); // V² w
    let half = v3::scale::<T, T>(T::from(0.5), w);
    let value = v3::scale_plus::<T, T>(kappa, twice, v3::cross_plus::<T, T>(half, v, w));
    let by_v = v3::sub(v3::scale::<T, T>(slope * 2.0, twice), v3::scale::<T, T>(kappa * 2.0, w));
    let matrix = rodrigues::<T, T>(kappa * along, half, v3::scale::<T, T>(kappa, v), w);
    (value, v3::add_matrix::<T, T>(&v3::outer::<T, T>(by_v, v), &matrix))
}

/// The derivative of the matrix of [`jlog3_tr_times`] as `v` moves along `p`:
///
/// ```text
/// κ (p wᵀ + (p·w) 1 − 2 w pᵀ) + 2 κ' (v·p) (v wᵀ + (v·w) 1 − 2 w vᵀ)
///   + 2 κ' (p (v·w) + v (p·w) − 2 w (v·p)) vᵀ + (v (v·w) − θ² w) (2 κ' p + 4 κ'' (v·p) v)ᵀ
/// ```
#[inline(always)]
pub(crate) fn jlog3_tr_bend<T: Real>(
    v: Vector3<T>,
    w: Vector3<T>,
    p: Vector3<T>,
    [kappa, slope, bend]: [T; 3],
) -> Matrix3<T> {
    let [vp, vw, pw] = [(v, p), (v, w), (p, w)].map(|(a, b)| v3::dot::<T, T>(a, b));
    let sum = |parts: [(T, Vector3<T>); 3]| {
        parts.into_iter().fold(v3::zero(), |sum, (s, x)| v3::scale_plus::<T, T>(s, x, sum))
    };
    let (once, two) = (slope * 2.0, kappa * 2.0);
    let by_w = sum([(kappa, p), (once * vp, v), (T::zero(), w)]);
    let by_p = sum([(-two, w), (once * vw, v), (-(once * v3::norm_squared(v)), w)]);
    let by_v = sum([(once * vw, p), (once * pw, v), (-(once * vp * 4.0), w)]);
    let twice = sum([(vw, v), (-v3::norm_squared(v), w), (T::zero(), v)]);
    let by_v = v3::scale_plus::<T, T>(bend * vp * 4.0, twice, by_v);
    let first = rodrigues::<T, T>(kappa * pw + once * vp * vw, v3::zero(), by_w, w);
    let others = v3::add_matrix::<T, T>(&v3::outer::<T, T>(by_p, p), &v3::outer::<T, T>(by_v, v));
    v3::add_matrix::<T, T>(&first, &others)
}

/// `κ = (C₃ − 2 C₄)/(2 C₂)`, which is `(1 − C₁/(2 C₂))/θ²` with `C₁ = 1 − θ² C₃` and `2 C₂ = 1 − 2 θ² C₄` put in.
#[inline(always)]
fn kappa<T: Real>(&[_, _, c2, c3, c4, _]: &[T; 6]) -> T {
    (c3 - c4 * 2.0) / (c2 * 2.0)
}

/// Rotation matrix of a rotation by `angle`, rad, about a **unit** axis (not checked), 3×3:
/// `R = 1 + sin θ [u]× + (1 − cos θ) [u]×²` (Rodrigues).
#[inline(always)]
pub fn about_axis<T: Real>(axis: Vector3<T>, angle: T) -> Matrix3<T> {
    let (sin, cos) = angle.sin_cos();
    one_plus(sin, T::one() - cos, axis)
}

/// Rotation matrix of roll, pitch and yaw as URDF means them, rad, 3×3: `R = R_z(yaw) R_y(pitch) R_x(roll)`, about fixed
/// axes.
#[inline]
pub fn rpy3<T: Real>(roll: T, pitch: T, yaw: T) -> Matrix3<T> {
    let ((sr, cr), (sp, cp), (sy, cy)) = (sin_cos(roll), sin_cos(pitch), sin_cos(yaw));
    Matrix3::new(
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    )
}

at_level! {
    /// Sine and cosine where there are several: over numbers made of registers each is a page of code.
    #[inline(never)]
    pub(crate) fn sin_cos<T: Real>(angle: T) -> (T, T) {
        angle.sin_cos()
    }
}

/// The rotation vector `v` of `r_ab` and its rate `v̇ = J_r⁻¹(v) ω`, from the angular velocity `ω` of B in A, in B, rad/s.
#[inline(always)]
pub fn log3_with_time_derivative<T: Real>(r: &Matrix3<T>, omega: Vector3<T>) -> (Vector3<T>, Vector3<T>) {
    let v = log3(r);
    (v, v3::rotate(&jlog3(v), omega))
}
