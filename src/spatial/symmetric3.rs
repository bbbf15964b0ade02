//! Symmetric 3×3 matrices: rotational inertia and its relatives.

use super::vector as v3;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::{Add, Sub};

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[expect(missing_docs, reason = "the six entries, by row and column")]
pub struct Symmetric3<T> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

impl<T: Real> Symmetric3<T> {
    /// From the six entries of the upper triangle, row by row.
    #[inline(always)]
    pub fn new(xx: T, xy: T, xz: T, yy: T, yz: T, zz: T) -> Self {
        Self { xx, xy, xz, yy, yz, zz }
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        let o = T::zero();
        Self::new(o, o, o, o, o, o)
    }

    /// From a diagonal.
    #[inline(always)]
    pub fn diagonal(xx: T, yy: T, zz: T) -> Self {
        let o = T::zero();
        Self::new(xx, o, o, yy, o, zz)
    }

    /// The symmetric part of a matrix.
    #[inline(always)]
    pub fn from_matrix(m: &Matrix3<T>) -> Self {
        Self::new(m.m11, (m.m12 + m.m21) * 0.5, (m.m13 + m.m31) * 0.5, m.m22, (m.m23 + m.m32) * 0.5, m.m33)
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn matrix(&self) -> Matrix3<T> {
        Matrix3::new(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)
    }

    /// Product with a vector.
    #[inline(always)]
    pub fn times<U: Scalar<T>>(&self, a: Vector3<U>) -> Vector3<U> {
        Vector3::new(
            a.x.mul_plus(self.xx, a.y.mul_plus(self.xy, a.z * self.xz)),
            a.x.mul_plus(self.xy, a.y.mul_plus(self.yy, a.z * self.yz)),
            a.x.mul_plus(self.xz, a.y.mul_plus(self.yz, a.z * self.zz)),
        )
    }

    /// Product with a vector, plus `b`.
    #[inline(always)]
    pub fn times_plus<U: Scalar<T>>(&self, a: Vector3<U>, b: Vector3<U>) -> Vector3<U> {
        Vector3::new(
            a.x.mul_plus(self.xx, a.y.mul_plus(self.xy, a.z.mul_plus(self.xz, b.x))),
            a.x.mul_plus(self.xy, a.y.mul_plus(self.yy, a.z.mul_plus(self.yz, b.y))),
            a.x.mul_plus(self.xz, a.y.mul_plus(self.yz, a.z.mul_plus(self.zz, b.z))),
        )
    }

    /// The same matrix in a wider number type.
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(&self) -> Symmetric3<U> {
        Symmetric3::new(self.xx.into(), self.xy.into(), self.xz.into(), self.yy.into(), self.yz.into(), self.zz.into())
    }

    /// `a aᵀ`
    #[inline(always)]
    pub fn square_of(a: Vector3<T>) -> Self {
        Self::new(a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z)
    }

    /// `−[a]×² = |a|² 1 − a aᵀ`: the rotational inertia, about the origin, of a unit mass at `a`.
    #[inline(always)]
    pub fn minus_skew_squared(a: Vector3<T>) -> Self {
        let (xx, yy, zz) = (a.x * a.x, a.y * a.y, a.z * a.z);
        Self::new(yy + zz, -(a.x * a.y), -(a.x * a.z), xx + zz, -(a.y * a.z), xx + yy)
    }

    /// `a bᵀ + b aᵀ`
    #[inline(always)]
    pub fn sym_outer<U: Scalar<T>>(a: Vector3<T>, b: Vector3<U>) -> Symmetric3<U> {
        Symmetric3::new(
            b.x * a.x * 2.0,
            b.y.mul_plus(a.x, b.x * a.y),
            b.z.mul_plus(a.x, b.x * a.z),
            b.y * a.y * 2.0,
            b.z.mul_plus(a.y, b.y * a.z),
            b.z * a.z * 2.0,
        )
    }

    /// `s A`, by a factor of a simpler type.
    #[inline(always)]
    pub fn scale<P: Real>(&self, s: P) -> Self
    where
        T: Scalar<P>,
    {
        Self::new(self.xx * s, self.xy * s, self.xz * s, self.yy * s, self.yz * s, self.zz * s)
    }

    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> T {
        self.xx + self.yy + self.zz
    }

    /// `tr(A) 1 − A`. Turns second moments of mass into rotational inertia; [`half_trace_minus`](Self::half_trace_minus)
    /// turns back.
    #[inline(always)]
    pub fn trace_minus(&self) -> Self {
        Self::new(self.yy + self.zz, -self.xy, -self.xz, self.xx + self.zz, -self.yz, self.xx + self.yy)
    }

    /// `½ tr(A) 1 − A`. Turns rotational inertia into second moments of mass.
    #[inline(always)]
    pub fn half_trace_minus(&self) -> Self {
        let half = self.trace() * 0.5;
        Self::new(half - self.xx, -self.xy, -self.xz, half - self.yy, -self.yz, half - self.zz)
    }

    /// `R A Rᵀ`: the matrix in coordinates of A, for a rotation `r_ab` and `self` in coordinates of B.
    #[inline(always)]
    pub fn rotated<P: Real>(&self, r: &Matrix3<P>) -> Self
    where
        T: Scalar<P>,
    {
        let a = v3::product(r, &self.matrix()); // R A, then its rows times the rows of R
        let [ax, ay, az] = rows(&a);
        let [rx, ry, rz] = rows(r);
        Self::new(v3::dot(rx, ax), v3::dot(ry, ax), v3::dot(rz, ax), v3::dot(ry, ay), v3::dot(rz, ay), v3::dot(rz, az))
    }

    /// `Rᵀ A R`: the inverse of [`rotated`](Self::rotated).
    #[inline(always)]
    pub fn rotated_back<P: Real>(&self, r: &Matrix3<P>) -> Self
    where
        T: Scalar<P>,
    {
        let a = v3::product_tr(r, &self.matrix()); // Rᵀ A, then its rows times the columns of R
        let [ax, ay, az] = rows(&a);
        let (rx, ry, rz) = (v3::column(r, 0), v3::column(r, 1), v3::column(r, 2));
        Self::new(v3::dot(rx, ax), v3::dot(ry, ax), v3::dot(rz, ax), v3::dot(ry, ay), v3::dot(rz, ay), v3::dot(rz, az))
    }

    /// The six entries `[xx, xy, xz, yy, yz, zz]`.
    #[inline(always)]
    pub fn to_array(self) -> [T; 6] {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
    }
}

/// The rows of a matrix.
#[inline(always)]
fn rows<T: Real>(m: &Matrix3<T>) -> [Vector3<T>; 3] {
    [Vector3::new(m.m11, m.m12, m.m13), Vector3::new(m.m21, m.m22, m.m23), Vector3::new(m.m31, m.m32, m.m33)]
}

impl<P: Real, T: Scalar<P>> Add<Symmetric3<T>> for Symmetric3<P> {
    type Output = Symmetric3<T>;
    /// The left side may be of a simpler type.
    #[inline(always)]
    fn add(self, b: Symmetric3<T>) -> Symmetric3<T> {
        Symmetric3::new(b.xx + self.xx, b.xy + self.xy, b.xz + self.xz, b.yy + self.yy, b.yz + self.yz, b.zz + self.zz)
    }
}

impl<T: Real> Sub for Symmetric3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.xx - b.xx, self.xy - b.xy, self.xz - b.xz, self.yy - b.yy, self.yz - b.yz, self.zz - b.zz)
    }
}

impl Symmetric3<f64> {
    /// Eigenvalues in ascending order, and the unit eigenvectors as columns of a rotation matrix (determinant +1).
    ///
    /// Cyclic Jacobi rotations (Golub & Van Loan, *Matrix Computations*, section 8.5). Entries that are not finite give
    /// eigenvalues that are not finite.
    pub fn eigen(&self) -> ([f64; 3], Matrix3<f64>) {
        let scale = self.to_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut v = Matrix3::identity();
        if scale <= 0.0 || !scale.is_finite() {
            return ([self.xx, self.yy, self.zz], v);
        }
        let mut a = self.matrix() / scale; // no overflow or underflow in the squares below
        for _ in 0..SWEEPS {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                rotate_away(&mut a, &mut v, p, q);
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| a[(i, i)].total_cmp(&a[(j, j)]));
        let axes = Matrix3::from_columns(&order.map(|i| v.column(i).into_owned()));
        let hand = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
        (order.map(|i| a[(i, i)] * scale), axes * hand)
    }
}

/// Jacobi's method converges quadratically: five sweeps suffice for 3×3, two more cost nothing.
const SWEEPS: usize = 7;

/// One Jacobi rotation: `a ← Gᵀ a G` with zero in `(p, q)`, `v ← v G`.
fn rotate_away(a: &mut Matrix3<f64>, v: &mut Matrix3<f64>, p: usize, q: usize) {
    let off = a[(p, q)];
    if off.abs() < f64::MIN_POSITIVE {
        return;
    }
    // t = tan of the angle, the smaller root of t² + 2 τ t − 1 = 0
    let tau = (a[(q, q)] - a[(p, p)]) / (2.0 * off);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = t.hypot(1.0).recip();
    let s = t * c;
    let mut g = Matrix3::identity();
    (g[(p, p)], g[(q, q)], g[(p, q)], g[(q, p)]) = (c, c, s, -s);
    *a = g.transpose() * *a * g;
    (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
    *v *= g;
}
