//! Unit quaternions, for rotations.

use super::vector as v3;
use gradyn_derivatives::Real;
use gradyn_derivatives::scalar::smooth::{atan_ratio, stumpff};
use nalgebra::{Matrix3, Vector3};
use std::ops::Mul;

/// A quaternion `x i + y j + z k + w`; of length one, a rotation. `q` and `−q` are the same rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Quaternion<T> {
    /// Imaginary part.
    pub vector: Vector3<T>,
    /// Real part.
    pub w: T,
}

impl<T: Real> Quaternion<T> {
    /// From the imaginary and the real part.
    #[inline(always)]
    pub fn new(vector: Vector3<T>, w: T) -> Self {
        Self { vector, w }
    }

    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::new(v3::zero(), T::one())
    }

    /// From `x y z w`; the slice has at least four entries.
    #[inline(always)]
    pub(crate) fn from_slice(q: &[T]) -> Self {
        Self::from_array([q[0], q[1], q[2], q[3]])
    }

    /// From `x y z w`.
    #[inline(always)]
    pub fn from_array([x, y, z, w]: [T; 4]) -> Self {
        Self::new(Vector3::new(x, y, z), w)
    }

    /// `x y z w`
    #[inline(always)]
    pub fn to_array(self) -> [T; 4] {
        [self.vector.x, self.vector.y, self.vector.z, self.w]
    }

    /// The inverse rotation, of a unit quaternion.
    #[inline(always)]
    #[must_use]
    pub fn conjugate(self) -> Self {
        Self::new(v3::neg(self.vector), self.w)
    }

    /// `|q|²`
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.w.mul_plus(self.w, v3::norm_squared(self.vector))
    }

    /// `q (3 − |q|²)/2`: brought back to length one, to first order in what is missing, without a square root.
    #[inline(always)]
    #[must_use]
    pub fn renormalized(self) -> Self {
        let k = (T::from(3.0) - self.norm_squared()) * 0.5;
        Self::new(v3::scale(k, self.vector), self.w * k)
    }

    /// Rate of change at body angular velocity `w`: `½ q ⊗ (w, 0)`.
    #[inline(always)]
    #[must_use]
    pub fn rate(self, w: Vector3<T>) -> Self {
        let h = Vector3::new(w.x * 0.5, w.y * 0.5, w.z * 0.5);
        Self::new(v3::cross_plus(self.vector, h, v3::scale(self.w, h)), -v3::dot(self.vector, h))
    }

    /// The rotation matrix: `E + 2 w [u]× + 2 [u]×²` for `q = (u, w)`.
    #[inline(always)]
    pub fn rotation(self) -> Matrix3<T> {
        let Self { vector: u, w } = self;
        let d = Vector3::new(u.x + u.x, u.y + u.y, u.z + u.z);
        let (xx, xy, xz) = (u.x * d.x, u.x * d.y, u.x * d.z);
        let (yy, yz, zz) = (u.y * d.y, u.y * d.z, u.z * d.z);
        let (wx, wy, wz) = (w * d.x, w * d.y, w * d.z);
        let i = T::one();
        Matrix3::new(
            i - (yy + zz),
            xy - wz,
            xz + wy,
            xy + wz,
            i - (xx + zz),
            yz - wx,
            xz - wy,
            yz + wx,
            i - (xx + yy),
        )
    }

    /// The rotation vector `v` with `exp(v) = q`, of length at most π.
    ///
    /// With `t = tan(θ/8) = |r|`, `r = n / (1 + √(1 + |n|²))`, `n = u / (|q| + w)` for `w ≥ 0`: `v = 8 (atan t / t) r`.
    /// Neither branches near zero nor takes a root there, so derivatives of every order are right. Half a turn away the
    /// result jumps between `v` and `−v`, as it must.
    #[inline(always)]
    pub fn log(self) -> Vector3<T> {
        let w = self.w.select_lt(0.0, -self.w, self.w);
        let sign = self.w.select_lt(0.0, -T::one(), T::one());
        let norm = self.norm_squared().sqrt();
        let n = v3::scale(sign / (norm + w), self.vector);
        let r = v3::scale((T::one() + (T::one() + v3::norm_squared(n)).sqrt()).recip(), n);
        v3::scale(atan_ratio(v3::norm_squared(r)) * 8.0, r)
    }
}

impl Quaternion<f64> {
    /// The length.
    #[must_use]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// At length one; no rotation, if the length is zero or not finite.
    #[must_use]
    pub fn normalized(self) -> Self {
        let n = self.norm();
        if n > 0.0 && n.is_finite() { Self::new(v3::scale(1.0 / n, self.vector), self.w / n) } else { Self::identity() }
    }
}

impl<T: Real> Mul for Quaternion<T> {
    type Output = Self;
    /// Hamilton's product: the rotation `self` after `other`.
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let cross = v3::cross_plus(self.vector, o.vector, v3::scale(self.w, o.vector));
        Self::new(v3::scale_plus(o.w, self.vector, cross), self.w.mul_minus(o.w, v3::dot(self.vector, o.vector)))
    }
}

/// The rotation by the rotation vector `v`: `(½ C₁ v, C₀)`, Stumpff functions at `|v|²/4`.
#[inline(always)]
pub fn exp<T: Real>(v: Vector3<T>) -> Quaternion<T> {
    let [c0, c1, ..] = stumpff(v3::norm_squared(v) * 0.25);
    Quaternion::new(v3::scale(c1 * 0.5, v), c0)
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
