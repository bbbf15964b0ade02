//! Which derivatives of weighted rows are asked for, and where they are added.

use super::side_frames::Field;
use nalgebra::{DMatrix, DVector};

/// `J x`, weighted.
pub(super) struct Rate<'a> {
    pub(super) x: &'a Field,
    pub(super) weights: &'a [f64],
    /// Where to add second derivatives by `x` and `q`, if they are asked for.
    pub(super) to: Option<&'a mut DMatrix<f64>>,
    /// Where to add first ones of the rows, without weights, by `q`.
    pub(super) by_place: Option<RowsByPlace<'a>>,
}

/// Derivatives of rows, from a row of a matrix on.
pub(super) struct RowsByPlace<'a> {
    pub(super) to: &'a mut DMatrix<f64>,
    pub(super) first: usize,
}

/// Where to add second derivatives, nv × nv: rows by the first, columns by the second.
pub(super) struct Curvature<'a> {
    pub(super) dqq: &'a mut DMatrix<f64>,
    pub(super) dvq: &'a mut DMatrix<f64>,
    pub(super) daq: &'a mut DMatrix<f64>,
    pub(super) dvv: &'a mut DMatrix<f64>,
    /// Where to add first ones, if they are asked for.
    pub(super) slope: Option<Slope<'a>>,
}

/// The value, and first derivatives by q, v and `a`.
pub(super) struct Slope<'a> {
    pub(super) value: &'a mut f64,
    pub(super) dq: &'a mut DVector<f64>,
    pub(super) dv: &'a mut DVector<f64>,
    pub(super) da: &'a mut DVector<f64>,
}
