//! Derivatives of `q ⊕ v` and `q₁ ⊖ q₀`, block by block, and transport of tangent vectors along a step.
//!
//! Tangent vectors at a configuration are in its own body coordinates, so a variation of the start of a step is seen in
//! other coordinates at its end:
//!
//! | derivative | block |
//! |---|---|
//! | of `q ⊕ v` by `q` | `Ad(exp v)⁻¹` |
//! | of `q ⊕ v` by `v` | `J_r(v)` |
//! | of `d = q₁ ⊖ q₀` by `q₁` | `J_r(d)⁻¹` |
//! | of `d = q₁ ⊖ q₀` by `q₀` | `−J_r(−d)⁻¹` |
//!
//! All nv × nv and block diagonal; unit blocks for joints whose coordinates are numbers or angles.

use super::{InputError, Model};
use crate::joint::{Geometry, Joint, JointKind};
use crate::spatial::{Motion, exp3, exp6, jexp3, jexp6, jlog3, jlog6};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Matrix3, Matrix6, Vector3};
use std::ops::Range;

/// Which derivative.
#[derive(Clone, Copy)]
enum Block {
    /// `Ad(exp v)⁻¹`
    Transport,
    /// `J_r(v)`
    Right,
    /// `J_r(v)⁻¹`
    RightInverse,
    /// `−J_r(−v)⁻¹`
    MinusLeftInverse,
}

impl<P: Real> Model<P> {
    /// `∂(q ⊕ v)/∂q`, nv × nv. It depends on `v` alone.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn integrate_dq<T: Scalar<P>>(&self, v: &[T]) -> Result<DMatrix<T>, InputError> {
        self.blocks("v", v, Block::Transport)
    }

    /// `∂(q ⊕ v)/∂v`, nv × nv. It depends on `v` alone.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn integrate_dv<T: Scalar<P>>(&self, v: &[T]) -> Result<DMatrix<T>, InputError> {
        self.blocks("v", v, Block::Right)
    }

    /// `∂(q₁ ⊖ q₀)/∂q₀`, nv × nv.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn difference_dq0<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<DMatrix<T>, InputError> {
        self.blocks("q1 - q0", &self.difference(q0, q1)?, Block::MinusLeftInverse)
    }

    /// `∂(q₁ ⊖ q₀)/∂q₁`, nv × nv.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn difference_dq1<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<DMatrix<T>, InputError> {
        self.blocks("q1 - q0", &self.difference(q0, q1)?, Block::RightInverse)
    }

    /// `∂(q ⊕ v)/∂q x`: a variation `x` of the start of a step, as it is seen at the end. `x`: nv × any.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn transport_dq<T: Scalar<P>>(&self, v: &[T], x: &DMatrix<T>) -> Result<DMatrix<T>, InputError> {
        self.check_length("x", "nv", x.nrows(), self.nv)?;
        Ok(product(&self.integrate_dq(v)?, x))
    }

    /// `∂(q ⊕ v)/∂v x`: a variation `x` of the velocity of a step, as it is seen at the end. `x`: nv × any.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn transport_dv<T: Scalar<P>>(&self, v: &[T], x: &DMatrix<T>) -> Result<DMatrix<T>, InputError> {
        self.check_length("x", "nv", x.nrows(), self.nv)?;
        Ok(product(&self.integrate_dv(v)?, x))
    }

    fn blocks<T: Scalar<P>>(&self, what: &'static str, v: &[T], block: Block) -> Result<DMatrix<T>, InputError> {
        self.check_length(what, "nv", v.len(), self.nv)?;
        let mut matrix = DMatrix::from_element(self.nv, self.nv, T::zero());
        for body in self.bodies.iter().filter(|body| body.owns_coordinates) {
            match &body.joint {
                Joint::Composite(joint) => {
                    for (part, _, rv) in joint.blocks() {
                        let rv = body.v.start + rv.start..body.v.start + rv.end;
                        fill(&mut matrix, rv, part.geometry(), v, block);
                    }
                }
                joint => fill(&mut matrix, body.v.clone(), joint.geometry(), v, block),
            }
        }
        Ok(matrix)
    }
}

/// One block of the diagonal.
fn fill<T: Real>(matrix: &mut DMatrix<T>, range: Range<usize>, geometry: Geometry, v: &[T], block: Block) {
    let (start, v) = (range.start, &v[range.clone()]);
    let sign = if let Block::MinusLeftInverse = block { -T::one() } else { T::one() };
    let mut put = |i: usize, j: usize, x: T| matrix[(start + i, start + j)] = x * sign;
    match geometry {
        Geometry::Flat => (0..range.len()).for_each(|i| put(i, i, T::one())),
        Geometry::So3 => {
            let m = rotation_block(Vector3::new(v[0], v[1], v[2]), block);
            (0..9).for_each(|k| put(k / 3, k % 3, m[(k / 3, k % 3)]));
        }
        Geometry::Se3 => {
            let m = pose_block(Motion::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5])), block);
            (0..36).for_each(|k| put(k / 6, k % 6, m[(k / 6, k % 6)]));
        }
        Geometry::Se2 => {
            // Poses in the plane among those in space: x, y and rotation about z.
            let o = T::zero();
            let m = pose_block(Motion::new(Vector3::new(v[0], v[1], o), Vector3::new(o, o, v[2])), block);
            let at = [0, 1, 5];
            (0..9).for_each(|k| put(k / 3, k % 3, m[(at[k / 3], at[k % 3])]));
        }
    }
}

fn rotation_block<T: Real>(v: Vector3<T>, block: Block) -> Matrix3<T> {
    match block {
        Block::Transport => exp3(v).transpose(),
        Block::Right => jexp3(v),
        Block::RightInverse => jlog3(v),
        Block::MinusLeftInverse => jlog3(crate::spatial::vector::neg(v)),
    }
}

fn pose_block<T: Real>(m: Motion<T>, block: Block) -> Matrix6<T> {
    match block {
        Block::Transport => exp6(m).inv_action(),
        Block::Right => jexp6(m),
        Block::RightInverse => jlog6(m),
        Block::MinusLeftInverse => jlog6(-m),
    }
}

fn product<T: Real>(a: &DMatrix<T>, x: &DMatrix<T>) -> DMatrix<T> {
    let entry = |i, j| (0..a.ncols()).fold(T::zero(), |sum: T, k| a[(i, k)].mul_plus(x[(k, j)], sum));
    DMatrix::from_fn(a.nrows(), x.ncols(), entry)
}
