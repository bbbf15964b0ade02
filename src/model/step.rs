//! The step of one joint along its tangent space, and the blocks of its derivatives.

use crate::joint::Geometry;
use crate::level::at_level;
use crate::slice_ops::{are_finite, first_not_finite};
use crate::spatial::matrix6::Triangular;
use crate::spatial::se3::Exponential;
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::{DMatrix, Matrix3, SMatrix, Vector3};
use std::ops::Range;

/// A step along a joint's tangent space, as a motion in space: rotations and poses in the plane are poses.
pub(super) struct Step<T> {
    geometry: Geometry,
    exponential: Exponential<T>,
}

at_level! {
    pub(super) fn step<T: Real>(geometry: Geometry, v: &[T]) -> Step<T> {
        Step { geometry, exponential: Exponential::new(motion(geometry, v)) }
    }

    /// `Ad(exp v)⁻¹`
    pub(super) fn transport<T: Real>(step: &Step<T>) -> Triangular<T> {
        match step.geometry {
            Geometry::So3 => Triangular::from_diagonal(step.exponential.rotation().transpose()),
            _ => step.exponential.displacement().inv_action_blocks(),
        }
    }

    /// `J_r(v)`
    pub(super) fn jacobian<T: Real>(step: &Step<T>) -> Triangular<T> {
        match step.geometry {
            Geometry::So3 => Triangular::from_diagonal(step.exponential.rotation_jacobian()),
            _ => step.exponential.jacobian(),
        }
    }

    /// `J_r(v)⁻¹`; that of `−v` has the transposed blocks.
    pub(super) fn inverse_jacobian<T: Real>(step: &Step<T>) -> Triangular<T> {
        match step.geometry {
            Geometry::So3 => Triangular::from_diagonal(step.exponential.inverse_rotation_jacobian()),
            _ => step.exponential.inverse_jacobian(),
        }
    }

    /// `x := B x`. Returns whether it is finite.
    fn multiply6<T: Real>(block: &Triangular<T>, x: &mut [T]) -> bool {
        x.copy_from_slice(&block.times(motion(Geometry::Se3, x)).to_array());
        are_finite(x)
    }

    /// `x := M x`. Returns whether it is finite.
    fn multiply3<T: Real>(m: &Matrix3<T>, x: &mut [T]) -> bool {
        let product = v3::rotate(m, Vector3::new(x[0], x[1], x[2]));
        x.copy_from_slice(&[product.x, product.y, product.z]);
        are_finite(x)
    }
}

impl<T: Real> Step<T> {
    /// Writes the block to its place `at` on the diagonal. Returns whether it is finite.
    #[inline(always)]
    pub(super) fn put(&self, block: &Triangular<T>, at: Range<usize>, to: &mut DMatrix<T>) -> bool {
        let i = at.start;
        match self.geometry {
            Geometry::Flat => true,
            Geometry::Se2 => put(&in_plane(block), i, to),
            Geometry::So3 => put(&block.diagonal, i, to),
            Geometry::Se3 => put(&block.to_matrix(), i, to),
        }
    }

    /// Multiplies the rows `at` by the block. Returns whether they are then finite.
    #[inline(always)]
    pub(super) fn multiply(&self, block: &Triangular<T>, at: Range<usize>, x: &mut DMatrix<T>) -> bool {
        match self.geometry {
            Geometry::Flat => true,
            Geometry::Se2 => multiply_all3(&in_plane(block), at, x),
            Geometry::So3 => multiply_all3(&block.diagonal, at, x),
            Geometry::Se3 => {
                let mut finite = true;
                for x in pieces(x, at) {
                    finite &= multiply6(block, x);
                }
                finite
            }
        }
    }
}

/// Writes a square block to its place on the diagonal. Returns whether it is finite.
#[inline(always)]
fn put<T: Real, const N: usize>(block: &SMatrix<T, N, N>, i: usize, to: &mut DMatrix<T>) -> bool {
    to.fixed_view_mut::<N, N>(i, i).copy_from(block);
    first_not_finite(block.as_slice()).is_none()
}

/// The motion in space of a velocity; rotations in the plane are about z.
#[inline(always)]
fn motion<T: Real>(geometry: Geometry, v: &[T]) -> Motion<T> {
    let o = T::zero();
    match geometry {
        Geometry::Flat => Motion::zero(),
        Geometry::Se2 => Motion::from_array([v[0], v[1], o, o, o, v[2]]),
        Geometry::So3 => Motion::from_array([o, o, o, v[0], v[1], v[2]]),
        Geometry::Se3 => Motion::from_array([v[0], v[1], v[2], v[3], v[4], v[5]]),
    }
}

/// The rows and columns x, y and rotation about z of a block in space.
#[inline(always)]
fn in_plane<T: Real>(block: &Triangular<T>) -> Matrix3<T> {
    let (a, b, o) = (&block.diagonal, &block.corner, T::zero());
    Matrix3::new(a.m11, a.m12, b.m13, a.m21, a.m22, b.m23, o, o, a.m33)
}

/// Multiplies the three rows `at` by a matrix. Returns whether they are then finite.
#[inline(always)]
fn multiply_all3<T: Real>(m: &Matrix3<T>, at: Range<usize>, x: &mut DMatrix<T>) -> bool {
    let mut finite = true;
    for x in pieces(x, at) {
        finite &= multiply3(m, x);
    }
    finite
}

/// The rows `at` of each column.
#[inline(always)]
fn pieces<T>(x: &mut DMatrix<T>, at: Range<usize>) -> impl Iterator<Item = &mut [T]> {
    let rows = x.nrows();
    x.as_mut_slice().chunks_exact_mut(rows).map(move |column| &mut column[at.clone()])
}
