//! Quaternions, stored x y z w, and their exponential and logarithm.

use super::{Motion, PoseError, vector as v3};
use gradyn_derivatives::scalar::smooth::{atan_ratio, half_cotangent_ratio, stumpff};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::{Mul, Range};

/// A quaternion `x i + y j + z k + w`, in this order in memory and in configurations.
///
/// As a rotation `q_ab` it has length one, and `q_ab ⊗ (u_b, 0) ⊗ q_ab⁻¹ = (u_a, 0)`; letters cancel as for poses. `q` and
/// `−q` are the same rotation. The length is not checked: see [`to_unit`](Self::to_unit).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Quaternion<T> {
    /// `x`, `y`, `z`: for a rotation by `θ` about the unit axis `u`, `u sin(θ/2)`.
    pub vector: Vector3<T>,
    /// Scalar part: `cos(θ/2)`.
    pub w: T,
}

impl<T: Real> Quaternion<T> {
    /// From the imaginary part `x`, `y`, `z` and the real part `w`.
    #[inline(always)]
    pub fn new(vector: Vector3<T>, w: T) -> Self {
        Self { vector, w }
    }

    /// From `x y z w`; the slice has at least four entries.
    #[inline(always)]
    pub(crate) fn from_slice(q: &[T]) -> Self {
        Self::from_array([q[0], q[1], q[2], q[3]])
    }

    /// From `[x, y, z, w]`.
    #[inline(always)]
    pub fn from_array([x, y, z, w]: [T; 4]) -> Self {
        Self::new(Vector3::new(x, y, z), w)
    }

    /// As `[x, y, z, w]`.
    #[inline(always)]
    pub fn to_array(self) -> [T; 4] {
        [self.vector.x, self.vector.y, self.vector.z, self.w]
    }

    /// No rotation: `[0, 0, 0, 1]`.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::new(v3::zero(), T::one())
    }

    /// The same quaternion in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(self) -> Quaternion<U> {
        Quaternion::new(v3::lift(self.vector), U::from(self.w))
    }

    /// `(−x, −y, −z, w)`: the inverse of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self::new(v3::neg(self.vector), self.w)
    }

    /// `x² + y² + z² + w²`
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.w.mul_plus(self.w, v3::norm_squared(self.vector))
    }

    /// `s q`
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Self::new(v3::scale(s, self.vector), self.w * s)
    }

    /// `q (3 − |q|²)/2`: a quaternion of length `1 + ε` brought to `1 − 3ε²/2`, without square root. After each
    /// integration step it keeps the length at one to rounding; its derivatives are those of `q/|q|` at length one.
    #[inline(always)]
    pub fn renormalized(self) -> Self {
        self.scale((T::from(3.0) - self.norm_squared()) * 0.5)
    }

    /// `q̇ = ½ q ⊗ (ω, 0)`: rate of change of the four coefficients at the angular velocity `ω` of B in A, in B, rad/s.
    #[inline(always)]
    #[must_use]
    pub fn rate(self, w: Vector3<T>) -> Self {
        let h = Vector3::new(w.x * 0.5, w.y * 0.5, w.z * 0.5);
        Self::new(v3::cross_plus(self.vector, h, v3::scale(self.w, h)), -v3::dot(self.vector, h))
    }

    /// `R u`, for a unit quaternion: `u + 2 w (r×u) + 2 r×(r×u)`, with `r = (x, y, z)`.
    #[inline(always)]
    pub fn rotate<U: Scalar<T>>(self, u: Vector3<U>) -> Vector3<U> {
        let twice = v3::scale(2.0, v3::cross(self.vector, u));
        v3::cross_plus(self.vector, twice, v3::add(u, v3::scale(self.w, twice)))
    }

    /// Rotation matrix of a unit quaternion, 3×3: `R = 1 + 2 w [r]× + 2 [r]×²`, with `r = (x, y, z)`.
    #[inline(always)]
    pub fn rotation(self) -> Matrix3<T> {
        let Self { vector: u, w } = self;
        let d = Vector3::new(u.x + u.x, u.y + u.y, u.z + u.z);
        let (xx, xy, xz) = (u.x * d.x, u.x * d.y, u.x * d.z);
        let (yy, yz, zz) = (u.y * d.y, u.y * d.z, u.z * d.z);
        let (wx, wy, wz) = (w * d.x, w * d.y, w * d.z);
        let i = T::one();
        Matrix3::new(i - (yy + zz), xy - wz, xz + wy, xy + wz, i - (xx + zz), yz - wx, xz - wy, yz + wx, i - (xx + yy))
    }

    /// The unit quaternion of a rotation matrix; which of the two (`±q`) is unspecified.
    ///
    /// Each row of `4 q qᵀ` is linear in the entries of `R`. Taken is one whose diagonal entry is at least one (Shepperd,
    /// *Quaternion from rotation matrix*, 1978), so nothing divides by a small number and every derivative is finite
    /// everywhere. Chosen in each lane separately.
    #[inline(always)]
    pub fn from_rotation(r: &Matrix3<T>) -> Self {
        let (one, trace) = (T::one(), r.m11 + r.m22 + r.m33);
        let (px, py, pz) = (r.m32 + r.m23, r.m13 + r.m31, r.m21 + r.m12); // 4yz, 4xz, 4xy
        let (mx, my, mz) = (r.m32 - r.m23, r.m13 - r.m31, r.m21 - r.m12); // 4xw, 4yw, 4zw
        let row_w = ([mx, my, mz, one + trace], one + trace);
        let (dx, dy, dz) = (one - trace + r.m11 * 2.0, one - trace + r.m22 * 2.0, one - trace + r.m33 * 2.0);
        let row_x = ([dx, pz, py, mx], dx);
        let row_y = ([pz, dy, px, my], dy);
        let row_z = ([py, px, dz, mz], dz);

        let xy = choose(dx - dy, row_y, row_x);
        let xyz = choose(xy.1 - dz, row_z, xy);
        let (row, diagonal) = choose(-trace, row_w, xyz); // a trace above zero: 4w² > 1
        Self::from_array(row).scale(diagonal.sqrt().recip() * 0.5)
    }

    /// The rotation vector, rad, of length at most π: the inverse of [`exp`]. The length of the quaternion does
    /// not matter; that of the zero quaternion is not finite.
    ///
    /// `r/a` with `a = |q| + w` has length `tan(θ/4)`, for `w ≥ 0`, and by the same formula `t = r/(a + √(a² + r²))` has
    /// length `tan(θ/8)`; then `8 atan|t|/|t| t`. No branch near zero, no root of a small number: all derivatives are right
    /// at the identity and up to π. At π itself, both `v` and `−v` are right, and the sign of `w` decides.
    #[inline(always)]
    pub fn log(self) -> Vector3<T> {
        let (factor, square) = self.eighth();
        v3::scale(atan_ratio(square) * 8.0 * factor, self.vector)
    }

    /// The [logarithm](Self::log) `v` and `κ = (1 − (θ/2) cot(θ/2))/θ²`, of which `J_r⁻¹(v)` is made ([`jlog3`](super::jlog3)).
    #[inline(always)]
    pub(super) fn log_and_kappa(self) -> (Vector3<T>, T) {
        let (factor, square) = self.eighth();
        let ratio = atan_ratio(square) * 8.0;
        (v3::scale(ratio * factor, self.vector), half_cotangent_ratio(square) / (ratio * ratio))
    }

    /// The vector `t = factor (x, y, z)` of length `tan(θ/8)`, for `θ ≤ π`: the factor, and the square of the length.
    #[inline(always)]
    fn eighth(self) -> (T, T) {
        let w = self.w.select_lt(0.0, -self.w, self.w);
        let sign = self.w.select_lt(0.0, -T::one(), T::one());
        let square = v3::norm_squared(self.vector);
        let quarter = self.w.mul_plus(self.w, square).sqrt() + w;
        let eighth = (quarter.mul_plus(quarter, square).sqrt() + quarter).recip();
        (sign * eighth, square * (eighth * eighth))
    }

    /// The rotation at the fraction `t` of the way from this one to `to`, the shorter way round: `q₀ exp(t log(q₀⁻¹ q₁))`
    /// ("slerp"). Any `t` will do; for equal rotations, too, all derivatives are right.
    #[inline(always)]
    pub fn interpolate(self, to: Self, t: T) -> Self {
        self * exp(v3::scale::<T, T>(t, (self.conjugate() * to).log()))
    }
}

/// A row of `4 q qᵀ` and its entry on the diagonal.
type Row<T> = ([T; 4], T);

/// One of two rows, by the sign of `x`.
#[inline(always)]
fn choose<T: Real>(x: T, negative: Row<T>, otherwise: Row<T>) -> Row<T> {
    let ([a, b, c, d], s) = negative;
    let ([e, f, g, h], t) = otherwise;
    let row = [x.select_lt(0.0, a, e), x.select_lt(0.0, b, f), x.select_lt(0.0, c, g), x.select_lt(0.0, d, h)];
    (row, x.select_lt(0.0, s, t))
}

/// Squares of lengths so far from overflow and underflow that their roots are the lengths.
pub(crate) const SAFE_SQUARES: Range<f64> = 1e-200..1e200;

impl Quaternion<f64> {
    /// The length.
    #[must_use]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// `q/|q|`; no rotation, if the length is zero or not finite. See [`to_unit`](Self::to_unit) to be told.
    #[must_use]
    pub fn normalized(self) -> Self {
        self.to_unit().unwrap_or_else(|_| Self::identity())
    }

    /// `q/|q|`, checked.
    ///
    /// # Errors
    /// [`PoseError::Quaternion`] for coefficients that are not finite, or all zero.
    pub fn to_unit(self) -> Result<Self, PoseError> {
        let square = self.norm_squared();
        if SAFE_SQUARES.contains(&square) {
            return Ok(self.scale(square.sqrt().recip()));
        }
        let quaternion = self.to_array();
        let largest = quaternion.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !quaternion.iter().all(|x| x.is_finite()) || largest <= 0.0 {
            return Err(PoseError::Quaternion { quaternion });
        }
        // divided first, so that no square overflows or vanishes
        let q = Self::from_array(quaternion.map(|x| x / largest));
        Ok(q.scale(q.norm().recip()))
    }
}

impl<P: Real, T: Scalar<P>> Mul<Quaternion<T>> for Quaternion<P> {
    type Output = Quaternion<T>;
    /// Hamilton's product `q_ac = q_ab ⊗ q_bc`; the left side may be of a simpler type.
    #[inline(always)]
    fn mul(self, q: Quaternion<T>) -> Quaternion<T> {
        let plain = v3::scale_plus(self.w, q.vector, v3::times(self.vector, q.w));
        let vector = v3::cross_plus(self.vector, q.vector, plain);
        Quaternion::new(vector, q.w.mul_minus(self.w, v3::dot(self.vector, q.vector)))
    }
}

/// `exp(v/2)`: the unit quaternion of a rotation by `|v|` about `v` (rotation vector, rad).
///
/// `(v sin(θ/2)/θ, cos(θ/2)) = (½ C₁ v, C₀)` by Stumpff's functions at `θ²/4`: exact with all derivatives at zero.
#[inline(always)]
pub fn exp<T: Real>(v: Vector3<T>) -> Quaternion<T> {
    let [c0, c1, ..] = stumpff(v3::norm_squared(v) * 0.25);
    Quaternion::new(v3::scale(c1 * 0.5, v), c0)
}

/// The displacement [`exp6`](super::exp6) of a motion: its rotation as [`exp`] gives it, and its translation.
///
/// By Stumpff's functions at `θ²/4` alone: `C₂(4x) = C₁(x)²/2` and `C₃(4x) = (C₂(x) + C₀(x) C₃(x))/4`.
#[inline(always)]
pub(crate) fn exp_with_translation<T: Real>(xi: Motion<T>) -> (Quaternion<T>, Vector3<T>) {
    let (v, w) = (xi.linear, xi.angular);
    let [c0, c1, c2, c3, ..] = stumpff(v3::norm_squared(w) * 0.25);
    let rotation = Quaternion::new(v3::scale(c1 * 0.5, w), c0);
    let (second, third) = (c1 * c1 * 0.5, (c2 + c0 * c3) * 0.25);
    let wv = v3::cross(w, v);
    // J_l v = v + C₂ ω×v + C₃ ω×(ω×v)
    (rotation, v3::scale_plus(third, v3::cross(w, wv), v3::scale_plus(second, wv, v)))
}

/// A rotation spread evenly over all, from three numbers in [0, 1) (Shoemake, *Uniform random rotations*, Graphics
/// Gems III, 1992).
#[must_use]
pub fn uniform(u1: f64, u2: f64, u3: f64) -> Quaternion<f64> {
    let (a, b) = ((1.0 - u1).sqrt(), u1.sqrt());
    let (s1, c1) = (std::f64::consts::TAU * u2).sin_cos();
    let (s2, c2) = (std::f64::consts::TAU * u3).sin_cos();
    Quaternion::new(Vector3::new(a * s1, a * c1, b * s2), b * c2)
}
