//! Rows that are affine in those of another residual: a matrix times it, and an offset.

use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, ProblemPlace, Reason, memory_of};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::ops::Range;

/// `M r + m` of another residual `r`, as many numbers as M has rows, in units of `M r`.
///
/// Second-order cones are built of it: `(t, w)` from any controls, velocities or forces. The goal is that of r.
///
/// ```
/// use gradyn_trajectory::PathConstraint;
/// use gradyn_trajectory::residual::{Affine, Control};
/// use nalgebra::{DMatrix, DVector};
/// // Of three controls the last is at least half of what the others are together: (2 u₂, u₀, u₁) in the cone.
/// let m = DMatrix::from_row_slice(3, 3, &[0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
/// let tilt = Affine::new(Control::zero(), m, DVector::zeros(3));
/// let cone = PathConstraint::second_order_cone("tilt", tilt);
/// # let _ = cone;
/// ```
#[derive(Debug)]
pub struct Affine {
    residual: Box<dyn Residual>,
    matrix: DMatrix<f64>,
    offset: DVector<f64>,
    /// Of a ball, whose matrix is known once r has its rows.
    radius: Option<f64>,
    /// How many columns by what the state has beside configuration and velocity are not zero at each call.
    remembered: usize,
}

/// Of the residual inside: its own, its numbers, its Jacobian, and weights that go through the matrix.
struct AffineMemory {
    own: Box<dyn Any + Send>,
    r: Vec<f64>,
    lambda: Vec<f64>,
    by: Option<Jacobian>,
}

impl Affine {
    /// Of a residual, M with a column for each of its rows, and m with an entry for each row of M.
    #[must_use]
    pub fn new(residual: impl Residual + 'static, matrix: DMatrix<f64>, offset: DVector<f64>) -> Self {
        Self::boxed(Box::new(residual), matrix, offset)
    }
    /// [`new`](Self::new), of a residual whose kind is not known when the program is compiled.
    #[must_use]
    pub fn boxed(residual: Box<dyn Residual>, matrix: DMatrix<f64>, offset: DVector<f64>) -> Self {
        Self { residual, matrix, offset, radius: None, remembered: 0 }
    }
    /// `(radius, r)`, which is in the second-order cone where `|r| ≤ radius`.
    pub(crate) fn ball(residual: Box<dyn Residual>, radius: f64) -> Self {
        let (matrix, offset) = (DMatrix::zeros(0, 0), DVector::zeros(0));
        let mut ball = Self { radius: Some(radius), ..Self::boxed(residual, matrix, offset) };
        ball.fit(radius);
        ball
    }
    /// `M = [0; 1]`, `m = (radius, 0 …)`
    fn fit(&mut self, radius: f64) {
        let n = self.residual.rows();
        self.matrix = DMatrix::zeros(n + 1, n);
        self.matrix.rows_mut(1, n).fill_with_identity();
        self.offset = DVector::zeros(n + 1);
        self.offset[0] = radius;
    }

    fn put(&self, inner: &[f64], r: &mut [f64]) {
        r.copy_from_slice(self.offset.as_slice());
        for (column, x) in self.matrix.column_iter().zip(inner) {
            r.iter_mut().zip(column.iter()).for_each(|(r, m)| *r += m * x);
        }
    }

    /// `Mᵀ λ`
    fn weigh(&self, lambda: &[f64], inner: &mut [f64]) {
        for (to, column) in inner.iter_mut().zip(self.matrix.column_iter()) {
            *to = column.iter().zip(lambda).map(|(m, l)| m * l).sum();
        }
    }

    /// Runs with the view of the residual inside, and its memory.
    fn inside<R>(
        &self,
        on: &mut ResidualPoint<'_>,
        run: impl FnOnce(&dyn Residual, &mut ResidualPoint<'_>, Inside<'_>) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        let AffineMemory { own, r, lambda, by } = memory_of(&mut *on.own)?;
        let ResidualPoint { model, q, v, w, u, a, f, time, dt, goal, .. } = *on;
        let (workspace, derivatives) = (&mut *on.workspace, &mut *on.derivatives);
        let mut on = ResidualPoint { model, q, v, w, u, a, f, time, dt, goal, workspace, derivatives, own: &mut **own };
        run(&*self.residual, &mut on, Inside { r, lambda, by })
    }

    /// Runs something that writes values and a Jacobian inside, and multiplies both.
    fn through<R>(
        &self,
        on: &mut ResidualPoint<'_>,
        r: &mut [f64],
        out: &mut Jacobian,
        run: impl FnOnce(&dyn Residual, &mut ResidualPoint<'_>, &mut [f64], &mut Jacobian) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        self.inside(on, |residual, on, inside| {
            let Inside { r: inner, by, .. } = inside;
            let fits = |by: &Jacobian| blocks(by).iter().zip(blocks(out)).all(|(a, b)| a.ncols() == b.ncols());
            if !by.as_ref().is_some_and(fits) {
                let block = |m: &DMatrix<f64>| DMatrix::zeros(inner.len(), m.ncols());
                let [dq, dv, du, da, df, dw, dh] = blocks(out).map(block);
                *by = Some(Jacobian { dq, dv, du, da, df, dw, dh });
            }
            let Some(by) = by else { return Err(Reason::ForeignMemory) };
            let kept = self.remembered.min(by.dw.ncols());
            by.dw.columns_range_mut(kept..).fill(0.0);
            let done = run(residual, on, inner, by)?;
            self.put(inner, r);
            let Jacobian { dq, dv, du, da, df, dw, dh } = out;
            for (to, from) in [dq, dv, du, da, df, dw, dh].into_iter().zip(blocks(by)) {
                for (mut to, from) in to.column_iter_mut().zip(from.column_iter()) {
                    to.gemv(1.0, &self.matrix, &from, 0.0);
                }
            }
            Ok(done)
        })
    }
}

/// Memory as [`AffineMemory`] has it, without the inner residual's own.
struct Inside<'a> {
    r: &'a mut Vec<f64>,
    lambda: &'a mut Vec<f64>,
    by: &'a mut Option<Jacobian>,
}

fn blocks(by: &Jacobian) -> [&DMatrix<f64>; 7] {
    [&by.dq, &by.dv, &by.du, &by.da, &by.df, &by.dw, &by.dh]
}

impl Residual for Affine {
    fn rows(&self) -> usize {
        self.matrix.nrows()
    }
    fn depends(&self) -> Depends {
        self.residual.depends()
    }
    fn goal(&self) -> Vec<f64> {
        self.residual.goal()
    }
    fn check_goal(&self, goal: &[f64]) -> Result<(), String> {
        self.residual.check_goal(goal)
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        self.residual.bind(phase)?;
        self.remembered = phase.remembered;
        let place = || phase.place.clone();
        let number = |what, value, rule| Err(ProblemError::Number { place: place(), what, value, rule });
        if let Some(radius) = self.radius {
            if !(radius.is_finite() && radius > 0.0) {
                return number("the greatest norm of a residual", radius, "it must be finite and positive");
            }
            self.fit(radius);
        }
        let rows = self.residual.rows();
        let lengths = [
            ("the list of columns of an affine residual's matrix", rows, self.matrix.ncols()),
            ("the offset of an affine residual", self.matrix.nrows(), self.offset.len()),
        ];
        lengths.into_iter().try_for_each(|(what, expected, found)| phase.place.check_length(what, expected, found))?;
        match self.matrix.iter().chain(self.offset.iter()).find(|x| !x.is_finite()) {
            Some(x) => number("an entry of an affine residual's matrix or offset", *x, "it must be finite"),
            None => Ok(()),
        }
    }
    fn bind_parameters(
        &mut self,
        parameters: &[(String, Range<usize>)],
        place: &ProblemPlace,
    ) -> Result<(), ProblemError> {
        self.residual.bind_parameters(parameters, place)
    }
    fn sees_robot(&self) -> bool {
        self.residual.sees_robot()
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        let zeros = || vec![0.0; self.residual.rows()];
        Box::new(AffineMemory { own: self.residual.memory(), r: zeros(), lambda: zeros(), by: None })
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.inside(on, |residual, on, Inside { r: inner, .. }| {
            residual.value(on, inner)?;
            self.put(inner, r);
            Ok(())
        })
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.through(on, r, out, |residual, on, r, out| residual.jacobian(on, r, out))
    }
    fn jacobian_by_duals(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<bool, Reason> {
        self.through(on, r, out, |residual, on, r, out| residual.jacobian_by_duals(on, r, out))
    }
    fn has_hessian(&self) -> bool {
        self.residual.has_hessian()
    }
    fn is_linear(&self) -> bool {
        self.residual.is_linear()
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        self.inside(on, |residual, on, Inside { lambda: inner, .. }| {
            self.weigh(lambda, inner);
            residual.add_hessian(on, inner, out)
        })
    }
    fn length_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], to: &mut [f64]) -> Result<bool, Reason> {
        self.inside(on, |residual, on, Inside { lambda: inner, .. }| {
            self.weigh(lambda, inner);
            residual.length_hessian(on, inner, to)
        })
    }
}
