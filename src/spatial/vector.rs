//! Products of 3-vectors and 3×3 matrices, written by component.
//!
//! nalgebra's types are the storage and what users hold. Its arithmetic is not used on numbers that may be dual: it
//! takes shortcuts on the value alone (`if angle == 0`) and drops derivatives, and its closures do not inline into code
//! compiled for wider registers. These few functions are the one place where components are spelled out; the first
//! factor may be of a simpler type `P` than the second, `T: Scalar<P>`.

use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// `a + b`
#[inline(always)]
pub fn add<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(b.x + a.x, b.y + a.y, b.z + a.z)
}

/// `a - b`
#[inline(always)]
pub fn sub<T: Real>(a: Vector3<T>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(a.x - b.x, a.y - b.y, a.z - b.z)
}

/// `-a`
#[inline(always)]
pub fn neg<T: Real>(a: Vector3<T>) -> Vector3<T> {
    Vector3::new(-a.x, -a.y, -a.z)
}

/// `s a`, by a factor of a simpler type.
#[inline(always)]
pub fn scale<P: Real, T: Scalar<P>>(s: P, a: Vector3<T>) -> Vector3<T> {
    Vector3::new(a.x * s, a.y * s, a.z * s)
}

/// `s a`, for a vector of a simpler type.
#[inline(always)]
pub fn times<P: Real, T: Scalar<P>>(a: Vector3<P>, s: T) -> Vector3<T> {
    Vector3::new(s * a.x, s * a.y, s * a.z)
}

/// `s a + b`, by a factor of a simpler type.
#[inline(always)]
pub fn scale_plus<P: Real, T: Scalar<P>>(s: P, a: Vector3<T>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(a.x.mul_plus(s, b.x), a.y.mul_plus(s, b.y), a.z.mul_plus(s, b.z))
}

/// `s a + b`, for a vector of a simpler type.
#[inline(always)]
pub fn times_plus<P: Real, T: Scalar<P>>(a: Vector3<P>, s: T, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(s.mul_plus(a.x, b.x), s.mul_plus(a.y, b.y), s.mul_plus(a.z, b.z))
}

/// `a · b`
#[inline(always)]
pub fn dot<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>) -> T {
    b.x.mul_plus(a.x, b.y.mul_plus(a.y, b.z * a.z))
}

/// `a · b + c`
#[inline(always)]
pub fn dot_plus<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>, c: T) -> T {
    b.x.mul_plus(a.x, b.y.mul_plus(a.y, b.z.mul_plus(a.z, c)))
}

/// `|a|²`
#[inline(always)]
pub fn norm_squared<T: Real>(a: Vector3<T>) -> T {
    dot(a, a)
}

/// `a × b`
#[inline(always)]
pub fn cross<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(b.z.mul_minus(a.y, b.y * a.z), b.x.mul_minus(a.z, b.z * a.x), b.y.mul_minus(a.x, b.x * a.y))
}

/// `a × b + c`
#[inline(always)]
pub fn cross_plus<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>, c: Vector3<T>) -> Vector3<T> {
    // a.y b.z − (a.z b.y − c.x), …
    Vector3::new(
        b.z.mul_minus(a.y, b.y.mul_minus(a.z, c.x)),
        b.x.mul_minus(a.z, b.z.mul_minus(a.x, c.y)),
        b.y.mul_minus(a.x, b.x.mul_minus(a.y, c.z)),
    )
}

/// `R a`
#[inline(always)]
pub fn rotate<P: Real, T: Scalar<P>>(r: &Matrix3<P>, a: Vector3<T>) -> Vector3<T> {
    Vector3::new(
        a.x.mul_plus(r.m11, a.y.mul_plus(r.m12, a.z * r.m13)),
        a.x.mul_plus(r.m21, a.y.mul_plus(r.m22, a.z * r.m23)),
        a.x.mul_plus(r.m31, a.y.mul_plus(r.m32, a.z * r.m33)),
    )
}

/// `R a + b`
#[inline(always)]
pub fn rotate_plus<P: Real, T: Scalar<P>>(r: &Matrix3<P>, a: Vector3<T>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(
        a.x.mul_plus(r.m11, a.y.mul_plus(r.m12, a.z.mul_plus(r.m13, b.x))),
        a.x.mul_plus(r.m21, a.y.mul_plus(r.m22, a.z.mul_plus(r.m23, b.y))),
        a.x.mul_plus(r.m31, a.y.mul_plus(r.m32, a.z.mul_plus(r.m33, b.z))),
    )
}

/// `Rᵀ a`
#[inline(always)]
pub fn rotate_back<P: Real, T: Scalar<P>>(r: &Matrix3<P>, a: Vector3<T>) -> Vector3<T> {
    Vector3::new(
        a.x.mul_plus(r.m11, a.y.mul_plus(r.m21, a.z * r.m31)),
        a.x.mul_plus(r.m12, a.y.mul_plus(r.m22, a.z * r.m32)),
        a.x.mul_plus(r.m13, a.y.mul_plus(r.m23, a.z * r.m33)),
    )
}

/// `Rᵀ a + b`
#[inline(always)]
pub fn rotate_back_plus<P: Real, T: Scalar<P>>(r: &Matrix3<P>, a: Vector3<T>, b: Vector3<T>) -> Vector3<T> {
    Vector3::new(
        a.x.mul_plus(r.m11, a.y.mul_plus(r.m21, a.z.mul_plus(r.m31, b.x))),
        a.x.mul_plus(r.m12, a.y.mul_plus(r.m22, a.z.mul_plus(r.m32, b.y))),
        a.x.mul_plus(r.m13, a.y.mul_plus(r.m23, a.z.mul_plus(r.m33, b.z))),
    )
}

/// Whether all three numbers are finite.
pub(crate) fn is_finite<T: Real>(a: Vector3<T>) -> bool {
    a.x.is_finite() && a.y.is_finite() && a.z.is_finite()
}

/// Column `k` of a matrix; the last one for `k > 2`.
#[inline(always)]
pub fn column<T: Real>(m: &Matrix3<T>, k: usize) -> Vector3<T> {
    match k {
        0 => Vector3::new(m.m11, m.m21, m.m31),
        1 => Vector3::new(m.m12, m.m22, m.m32),
        _ => Vector3::new(m.m13, m.m23, m.m33),
    }
}

/// The matrix with these columns.
#[inline(always)]
pub fn from_columns<T: Real>(a: Vector3<T>, b: Vector3<T>, c: Vector3<T>) -> Matrix3<T> {
    Matrix3::new(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z)
}

/// `A B`
#[inline(always)]
pub fn product<P: Real, T: Scalar<P>>(a: &Matrix3<P>, b: &Matrix3<T>) -> Matrix3<T> {
    from_columns(rotate(a, column(b, 0)), rotate(a, column(b, 1)), rotate(a, column(b, 2)))
}

/// `Aᵀ B`
#[inline(always)]
pub fn product_tr<P: Real, T: Scalar<P>>(a: &Matrix3<P>, b: &Matrix3<T>) -> Matrix3<T> {
    from_columns(rotate_back(a, column(b, 0)), rotate_back(a, column(b, 1)), rotate_back(a, column(b, 2)))
}

/// `a bᵀ`
#[inline(always)]
pub fn outer<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<T>) -> Matrix3<T> {
    from_columns(times(a, b.x), times(a, b.y), times(a, b.z))
}

/// `A + B`
#[inline(always)]
pub fn add_matrix<P: Real, T: Scalar<P>>(a: &Matrix3<P>, b: &Matrix3<T>) -> Matrix3<T> {
    from_columns(add(column(a, 0), column(b, 0)), add(column(a, 1), column(b, 1)), add(column(a, 2), column(b, 2)))
}

/// `-A`
#[inline(always)]
pub fn neg_matrix<T: Real>(a: &Matrix3<T>) -> Matrix3<T> {
    from_columns(neg(column(a, 0)), neg(column(a, 1)), neg(column(a, 2)))
}

/// `s A`, by a factor of a simpler type.
#[inline(always)]
pub fn scale_matrix<P: Real, T: Scalar<P>>(s: P, a: &Matrix3<T>) -> Matrix3<T> {
    from_columns(scale(s, column(a, 0)), scale(s, column(a, 1)), scale(s, column(a, 2)))
}

/// `[a]×`, the matrix with `[a]× b = a × b`.
#[inline(always)]
pub fn skew<T: Real>(a: Vector3<T>) -> Matrix3<T> {
    let o = T::zero();
    Matrix3::new(o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o)
}

/// The zero vector.
#[inline(always)]
pub fn zero<T: Real>() -> Vector3<T> {
    Vector3::new(T::zero(), T::zero(), T::zero())
}

/// The zero matrix.
#[inline(always)]
pub fn zero_matrix<T: Real>() -> Matrix3<T> {
    from_columns(zero(), zero(), zero())
}

/// The unit matrix.
#[inline(always)]
pub fn identity<T: Real>() -> Matrix3<T> {
    let (o, i) = (T::zero(), T::one());
    Matrix3::new(i, o, o, o, i, o, o, o, i)
}

/// The same vector in a wider number type.
#[inline(always)]
pub fn lift<P: Real, T: Scalar<P>>(a: Vector3<P>) -> Vector3<T> {
    Vector3::new(T::from(a.x), T::from(a.y), T::from(a.z))
}

/// The same matrix in a wider number type.
#[inline(always)]
pub fn lift_matrix<P: Real, T: Scalar<P>>(m: &Matrix3<P>) -> Matrix3<T> {
    from_columns(lift(column(m, 0)), lift(column(m, 1)), lift(column(m, 2)))
}
