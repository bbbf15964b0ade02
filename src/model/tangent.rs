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
//! All nv × nv and block diagonal; unit blocks for joints whose coordinates are numbers or angles. Forms that write into
//! given matrices write every entry, exact zeros off the blocks: what they held before does not matter. Blocks that would not be
//! finite are errors that name the joint.

use super::step::{Step, inverse_jacobian, jacobian, step, transport};
use super::{InputError, Model, Run};
use crate::joint::{Elementary, Geometry, JointKind, value};
use crate::slice_ops::first_not_finite;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;
use std::ops::Range;

/// What errors call the rows and the columns of a matrix.
type Names = [&'static str; 2];
const OUT: Names = ["rows of out", "columns of out"];

impl<P: Real> Model<P> {
    /// `∂(q ⊕ v)/∂q`, nv × nv, into `out`. It depends on `v` (nv) alone.
    ///
    /// Blocks `Ad(exp v)⁻¹`. Cost O(n), and nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotFinite`], [`InputError::Overflow`] of `v`; [`InputError::Length`] of `v`, or of the rows or columns of `out`
    pub fn integrate_dq_into<T: Scalar<P>>(&self, v: &[T], out: &mut DMatrix<T>) -> Result<(), InputError> {
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_square(OUT, out)?;
        set_diagonal(out, T::one());
        self.each_step(v, |step, at| step.put(&transport(step), at, out))
    }

    /// `∂(q ⊕ v)/∂q`, as a new matrix; see [`integrate_dq_into`](Self::integrate_dq_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dIntegrate")]
    pub fn integrate_dq<T: Scalar<P>>(&self, v: &[T]) -> Result<DMatrix<T>, InputError> {
        self.new_matrix(|out| self.integrate_dq_into(v, out))
    }

    /// `∂(q ⊕ v)/∂v`, nv × nv, into `out`. It depends on `v` (nv) alone.
    ///
    /// Blocks `J_r(v)`. Cost O(n), and nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotFinite`], [`InputError::Overflow`] of `v`; [`InputError::Length`] of `v`, or of the rows or columns of `out`
    pub fn integrate_dv_into<T: Scalar<P>>(&self, v: &[T], out: &mut DMatrix<T>) -> Result<(), InputError> {
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_square(OUT, out)?;
        set_diagonal(out, T::one());
        self.each_step(v, |step, at| step.put(&jacobian(step), at, out))
    }

    /// `∂(q ⊕ v)/∂v`, as a new matrix; see [`integrate_dv_into`](Self::integrate_dv_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dIntegrate")]
    pub fn integrate_dv<T: Scalar<P>>(&self, v: &[T]) -> Result<DMatrix<T>, InputError> {
        self.new_matrix(|out| self.integrate_dv_into(v, out))
    }

    /// Both derivatives of `q ⊕ v`, each nv × nv: `dq` as [`integrate_dq_into`](Self::integrate_dq_into) writes it, `dv` as
    /// [`integrate_dv_into`](Self::integrate_dv_into) does. The functions of `v` (nv) that they share are evaluated once.
    ///
    /// Cost O(n), and 2 nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotFinite`], [`InputError::Overflow`] of `v`; [`InputError::Length`] of `v`, or of the rows or columns of a matrix
    #[doc(alias = "dIntegrate")]
    pub fn integrate_derivatives_into<T: Scalar<P>>(
        &self,
        v: &[T],
        dq: &mut DMatrix<T>,
        dv: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_square(["rows of dq", "columns of dq"], dq)?;
        self.check_square(["rows of dv", "columns of dv"], dv)?;
        set_diagonal(dq, T::one());
        set_diagonal(dv, T::one());
        self.each_step(v, |step, at| step.put(&transport(step), at.clone(), dq) && step.put(&jacobian(step), at, dv))
    }

    /// `∂(q₁ ⊖ q₀)/∂q₀`, nv × nv, into `out`. `q0`, `q1`: nq.
    ///
    /// Blocks `−J_r(−d)⁻¹`, `d = q₁ ⊖ q₀`. Cost O(n), and nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotNormalized`], [`InputError::NotFinite`] of `q0`, `q1`; [`InputError::Overflow`] where they are too far apart;
    /// [`InputError::Length`] of `q0`, `q1`, or of the rows or columns of `out`
    pub fn difference_dq0_into<T: Scalar<P>>(
        &self,
        q0: &[T],
        q1: &[T],
        out: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.check_configurations(q0, q1)?;
        self.check_square(OUT, out)?;
        set_diagonal(out, -T::one());
        self.each_step_between(q0, q1, |step, at| step.put(&inverse_jacobian(step).minus_transposed_blocks(), at, out))
    }

    /// `∂(q₁ ⊖ q₀)/∂q₀`, as a new matrix; see [`difference_dq0_into`](Self::difference_dq0_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dDifference")]
    pub fn difference_dq0<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<DMatrix<T>, InputError> {
        self.new_matrix(|out| self.difference_dq0_into(q0, q1, out))
    }

    /// `∂(q₁ ⊖ q₀)/∂q₁`, nv × nv, into `out`. `q0`, `q1`: nq.
    ///
    /// Blocks `J_r(d)⁻¹`, `d = q₁ ⊖ q₀`. Cost O(n), and nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotNormalized`], [`InputError::NotFinite`] of `q0`, `q1`; [`InputError::Overflow`] where they are too far apart;
    /// [`InputError::Length`] of `q0`, `q1`, or of the rows or columns of `out`
    pub fn difference_dq1_into<T: Scalar<P>>(
        &self,
        q0: &[T],
        q1: &[T],
        out: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.check_configurations(q0, q1)?;
        self.check_square(OUT, out)?;
        set_diagonal(out, T::one());
        self.each_step_between(q0, q1, |step, at| step.put(&inverse_jacobian(step), at, out))
    }

    /// `∂(q₁ ⊖ q₀)/∂q₁`, as a new matrix; see [`difference_dq1_into`](Self::difference_dq1_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dDifference")]
    pub fn difference_dq1<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<DMatrix<T>, InputError> {
        self.new_matrix(|out| self.difference_dq1_into(q0, q1, out))
    }

    /// Both derivatives of `q₁ ⊖ q₀`, each nv × nv: `dq0` as [`difference_dq0_into`](Self::difference_dq0_into) writes it,
    /// `dq1` as [`difference_dq1_into`](Self::difference_dq1_into) does. `q0`, `q1`: nq. The blocks of one are made of those
    /// of the other.
    ///
    /// Cost O(n), and 2 nv² zeros to write; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotNormalized`], [`InputError::NotFinite`] of `q0`, `q1`; [`InputError::Overflow`] where they are too far apart;
    /// [`InputError::Length`] of `q0`, `q1`, or of the rows or columns of a matrix
    #[doc(alias = "dDifference")]
    pub fn difference_derivatives_into<T: Scalar<P>>(
        &self,
        q0: &[T],
        q1: &[T],
        dq0: &mut DMatrix<T>,
        dq1: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.check_configurations(q0, q1)?;
        self.check_square(["rows of dq0", "columns of dq0"], dq0)?;
        self.check_square(["rows of dq1", "columns of dq1"], dq1)?;
        set_diagonal(dq0, -T::one());
        set_diagonal(dq1, T::one());
        self.each_step_between(q0, q1, |step, at| {
            let inverse = inverse_jacobian(step);
            step.put(&inverse.minus_transposed_blocks(), at.clone(), dq0) && step.put(&inverse, at, dq1)
        })
    }

    /// `∂(q ⊕ v)/∂q x`, into `out`: a variation `x` of the start of a step, as it is seen at the end. `v`: nv; `x`, `out`:
    /// nv × any number of columns.
    ///
    /// Block by block: rows of joints with unit blocks are copied. Cost O(nv) a column; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotFinite`], [`InputError::Overflow`] of `v`; [`InputError::Length`] of `v`, or of the rows of `x` or `out`; [`InputError::Columns`] of `out`
    pub fn transport_dq_into<T: Scalar<P>>(
        &self,
        v: &[T],
        x: &DMatrix<T>,
        out: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.copy_checked(v, x, out)?;
        self.each_step(v, |step, at| step.multiply(&transport(step), at, out))
    }

    /// `∂(q ⊕ v)/∂q x`, as a new matrix; see [`transport_dq_into`](Self::transport_dq_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dIntegrateTransport")]
    pub fn transport_dq<T: Scalar<P>>(&self, v: &[T], x: &DMatrix<T>) -> Result<DMatrix<T>, InputError> {
        let mut out = DMatrix::from_element(x.nrows(), x.ncols(), T::zero());
        self.transport_dq_into(v, x, &mut out)?;
        Ok(out)
    }

    /// `∂(q ⊕ v)/∂v x`, into `out`: a variation `x` of the velocity of a step, as it is seen at the end. `v`: nv; `x`, `out`:
    /// nv × any number of columns.
    ///
    /// Block by block: rows of joints with unit blocks are copied. Cost O(nv) a column; no allocation.
    ///
    /// # Errors
    /// [`InputError::NotFinite`], [`InputError::Overflow`] of `v`; [`InputError::Length`] of `v`, or of the rows of `x` or `out`; [`InputError::Columns`] of `out`
    pub fn transport_dv_into<T: Scalar<P>>(
        &self,
        v: &[T],
        x: &DMatrix<T>,
        out: &mut DMatrix<T>,
    ) -> Result<(), InputError> {
        self.copy_checked(v, x, out)?;
        self.each_step(v, |step, at| step.multiply(&jacobian(step), at, out))
    }

    /// `∂(q ⊕ v)/∂v x`, as a new matrix; see [`transport_dv_into`](Self::transport_dv_into).
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "dIntegrateTransport")]
    pub fn transport_dv<T: Scalar<P>>(&self, v: &[T], x: &DMatrix<T>) -> Result<DMatrix<T>, InputError> {
        let mut out = DMatrix::from_element(x.nrows(), x.ncols(), T::zero());
        self.transport_dv_into(v, x, &mut out)?;
        Ok(out)
    }

    /// A matrix of nv × nv that is written by `write`.
    fn new_matrix<T: Real>(
        &self,
        write: impl FnOnce(&mut DMatrix<T>) -> Result<(), InputError>,
    ) -> Result<DMatrix<T>, InputError> {
        let mut out = DMatrix::from_element(self.nv, self.nv, T::zero());
        write(&mut out)?;
        Ok(out)
    }

    fn check_square<T>(&self, [rows, columns]: Names, m: &DMatrix<T>) -> Result<(), InputError> {
        self.check_length(rows, "nv", m.nrows(), self.nv)?;
        self.check_length(columns, "nv", m.ncols(), self.nv)
    }

    /// Checks what transport is given, and copies `x`.
    fn copy_checked<T: Real>(&self, v: &[T], x: &DMatrix<T>, out: &mut DMatrix<T>) -> Result<(), InputError> {
        self.check_length("rows of x", "nv", x.nrows(), self.nv)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("rows of out", "nv", out.nrows(), self.nv)?;
        if out.ncols() != x.ncols() {
            return Err(InputError::Columns { what: "out", like: "x", expected: x.ncols(), found: out.ncols() });
        }
        if let Some(at) = first_not_finite(x.as_slice()) {
            let (index, value) = (at % self.nv.max(1), value(x[at]));
            return Err(InputError::NotFinite { what: "rows of x", index, joint: self.dof_label(index), value });
        }
        out.as_mut_slice().copy_from_slice(x.as_slice());
        Ok(())
    }

    /// Calls with the step that `v` is of each joint whose tangent space is not flat, and where it stands in `v`. Where a call says
    /// that what it made is not finite, `v` is too large.
    #[inline]
    fn each_step<T: Scalar<P>>(
        &self,
        v: &[T],
        mut call: impl FnMut(&Step<T>, Range<usize>) -> bool,
    ) -> Result<(), InputError> {
        // Of flat joints, too, whose blocks are those of any number.
        if let Some(index) = first_not_finite(v) {
            let (joint, value) = (self.dof_label(index), value(v[index]));
            return Err(InputError::NotFinite { what: "v", index, joint, value });
        }
        let mut lost = None;
        self.each_curved(|joint, _, at| {
            let start = at.start;
            if !call(&step(joint.geometry(), &v[at.clone()]), at) {
                lost = lost.or(Some(start));
            }
        });
        match lost {
            None => Ok(()),
            Some(index) => Err(InputError::Overflow { what: "out", index, joint: self.dof_label(index) }),
        }
    }

    /// The same for the step `q₁ ⊖ q₀`.
    #[inline]
    fn each_step_between<T: Scalar<P>>(
        &self,
        q0: &[T],
        q1: &[T],
        mut call: impl FnMut(&Step<T>, Range<usize>) -> bool,
    ) -> Result<(), InputError> {
        let mut lost = [q0, q1].into_iter().any(|q| first_not_finite(q).is_some()).then_some(0);
        self.each_curved(|joint, q, at| {
            let mut d = [T::zero(); 6];
            let (d, start) = (&mut d[..at.len()], at.start);
            joint.difference(&q0[q.clone()], &q1[q], d);
            if !call(&step(joint.geometry(), d), at) {
                lost = lost.or(Some(start));
            }
        });
        lost.map_or(Ok(()), |dof| Err(self.no_difference([("q0", q0), ("q1", q1)], "out", dof)))
    }

    /// Calls with each elementary joint whose tangent space is not flat, and where it stands in `q` and in `v`.
    #[inline]
    fn each_curved(&self, mut call: impl FnMut(&Elementary<P>, Range<usize>, Range<usize>)) {
        for run in &self.runs {
            if let Run::Joint(i) = *run {
                self.bodies[i].each_part(|joint, q, v| {
                    if joint.geometry() != Geometry::Flat {
                        call(joint, q, v);
                    }
                });
            }
        }
    }
}

/// A multiple of the unit matrix.
fn set_diagonal<T: Real>(m: &mut DMatrix<T>, x: T) {
    let rows = m.nrows();
    let m = m.as_mut_slice();
    m.fill(T::zero());
    for entry in m.iter_mut().step_by(rows + 1) {
        *entry = x;
    }
}
