//! 6×6 matrices by their 3×3 blocks, linear part first; 6-vectors as arrays.
//!
//! Storage and exchange only: the algorithms never multiply 6×6 matrices.

use super::{Force, Motion, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// `[[a, b], [c, d]]`
#[inline(always)]
pub fn from_blocks<T: Real>(a: &Matrix3<T>, b: &Matrix3<T>, c: &Matrix3<T>, d: &Matrix3<T>) -> Matrix6<T> {
    #[rustfmt::skip]
    let m = Matrix6::new(
        a.m11, a.m12, a.m13, b.m11, b.m12, b.m13,
        a.m21, a.m22, a.m23, b.m21, b.m22, b.m23,
        a.m31, a.m32, a.m33, b.m31, b.m32, b.m33,
        c.m11, c.m12, c.m13, d.m11, d.m12, d.m13,
        c.m21, c.m22, c.m23, d.m21, d.m22, d.m23,
        c.m31, c.m32, c.m33, d.m31, d.m32, d.m33,
    );
    m
}

/// `[a, b, c, d]` of `[[a, b], [c, d]]`.
#[inline(always)]
pub fn to_blocks<T: Real>(m: &Matrix6<T>) -> [Matrix3<T>; 4] {
    [
        Matrix3::new(m.m11, m.m12, m.m13, m.m21, m.m22, m.m23, m.m31, m.m32, m.m33),
        Matrix3::new(m.m14, m.m15, m.m16, m.m24, m.m25, m.m26, m.m34, m.m35, m.m36),
        Matrix3::new(m.m41, m.m42, m.m43, m.m51, m.m52, m.m53, m.m61, m.m62, m.m63),
        Matrix3::new(m.m44, m.m45, m.m46, m.m54, m.m55, m.m56, m.m64, m.m65, m.m66),
    ]
}

/// `[[A, B], [0, A]]`: the shape of actions on motions and of Jacobians of displacements.
#[derive(Clone, Copy)]
pub(crate) struct Triangular<T> {
    /// `A`
    pub(crate) diagonal: Matrix3<T>,
    /// `B`
    pub(crate) corner: Matrix3<T>,
}

impl<T: Real> Triangular<T> {
    /// `[[A, 0], [0, A]]`
    #[inline(always)]
    pub(crate) fn from_diagonal(diagonal: Matrix3<T>) -> Self {
        Self { diagonal, corner: v3::zero_matrix() }
    }

    /// As a full matrix.
    #[inline(always)]
    pub(crate) fn to_matrix(self) -> Matrix6<T> {
        from_blocks(&self.diagonal, &self.corner, &v3::zero_matrix(), &self.diagonal)
    }

    /// `−[[Aᵀ, Bᵀ], [0, Aᵀ]]`: each block transposed where it stands.
    #[inline(always)]
    pub(crate) fn minus_transposed_blocks(&self) -> Self {
        let minus_transposed = |m: &Matrix3<T>| v3::neg_matrix(&m.transpose());
        Self { diagonal: minus_transposed(&self.diagonal), corner: minus_transposed(&self.corner) }
    }

    /// The product with a motion.
    #[inline(always)]
    pub(crate) fn times(&self, m: Motion<T>) -> Motion<T> {
        let coupled = v3::rotate(&self.corner, m.angular);
        Motion::new(v3::rotate_plus(&self.diagonal, m.linear, coupled), v3::rotate(&self.diagonal, m.angular))
    }
}

macro_rules! six_numbers {
    ($($type:ident: $linear:literal, $angular:literal;)*) => { $(
        impl<T: Real> $type<T> {
            #[doc = concat!("From six numbers, linear part first: `[", $linear, ", ", $angular, "]`.")]
            #[inline(always)]
            pub fn from_array(x: [T; 6]) -> Self {
                Self::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]))
            }

            #[doc = concat!("As six numbers, linear part first: `[", $linear, ", ", $angular, "]`.")]
            #[inline(always)]
            pub fn to_array(self) -> [T; 6] {
                let (l, a) = (self.linear, self.angular);
                [l.x, l.y, l.z, a.x, a.y, a.z]
            }

            #[doc = concat!("From a column, linear part first: `[", $linear, ", ", $angular, "]`.")]
            #[inline(always)]
            pub fn from_vector6(x: &Vector6<T>) -> Self {
                Self::from_array([x.x, x.y, x.z, x.w, x.a, x.b])
            }

            #[doc = concat!("As a column, linear part first: `[", $linear, ", ", $angular, "]`.")]
            #[inline(always)]
            pub fn to_vector6(self) -> Vector6<T> {
                let (l, a) = (self.linear, self.angular);
                Vector6::new(l.x, l.y, l.z, a.x, a.y, a.z)
            }

            #[doc = concat!("From the order of RBDA, Drake and RigidBodyDynamics.jl, angular part first: `[", $angular, ", ", $linear, "]`.")]
            #[inline(always)]
            pub fn from_angular_first(x: [T; 6]) -> Self {
                Self::new(Vector3::new(x[3], x[4], x[5]), Vector3::new(x[0], x[1], x[2]))
            }

            #[doc = concat!("To the order of RBDA, Drake and RigidBodyDynamics.jl, angular part first: `[", $angular, ", ", $linear, "]`.")]
            #[inline(always)]
            pub fn to_angular_first(self) -> [T; 6] {
                let (l, a) = (self.linear, self.angular);
                [a.x, a.y, a.z, l.x, l.y, l.z]
            }
        }
    )* };
}
six_numbers! {
    Motion: "v", "ω";
    Force: "f", "n";
}
