//! From the leaves to the root: torques, and what is handed on to parents.

use super::Common;
use super::base::ColumnValues;
use super::frame::add_force;
use super::numbers::{StateDual, dual_force};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Scalar};

/// The sweep to the root along directions that leave joints where they are: `τ = Sᵀ Σ φ`.
pub(super) struct Inward<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) force: &'a mut [Force<Lanes<R>>],
    pub(super) tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Inward<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { values, chunk, .. }, force, tau } = self;
        // What the last body hands on to this one stays in registers.
        let (mut sum, mut follows) = (Force::zero(), false);
        for step in &chunk.returned {
            if step.acts {
                let f = force[step.body];
                sum = if follows { f + sum } else { f };
            }
            project(&values.columns[step.columns.clone()], sum, &mut tau[step.dof..], chunk.shares);
            follows = step.goes_on;
            if let (false, Some(p)) = (follows, step.parent) {
                force[p] += sum;
            }
        }
    }
}

/// The sweep to the root along configurations: forces vary on their way over a joint that moves.
pub(super) struct InwardByConfiguration<'a, R: Register> {
    pub(super) common: Common<'a>,
    /// Columns that depend on `q`.
    pub(super) varied: &'a [Motion<StateDual<R>>],
    pub(super) force: &'a mut [Force<Lanes<R>>],
    pub(super) tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for InwardByConfiguration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { base, values, chunk, .. }, varied, force, tau } = self;
        let (mut sum, mut follows) = (Force::zero(), false);
        for step in &chunk.returned {
            if step.acts {
                let f = force[step.body];
                sum = if follows { f + sum } else { f };
            }
            let tau = &mut tau[step.dof..];
            if step.varies {
                let f = dual_force(&base.force[step.body], sum);
                for (column, tau) in varied[step.columns.clone()].iter().zip(tau) {
                    put(column.power(f).eps, tau, chunk.shares);
                }
            } else {
                project(&values.columns[step.columns.clone()], sum, tau, chunk.shares);
            }
            for (k, column) in values.columns[step.driven.clone()].iter().enumerate() {
                add_force(step.lane + k, &column.force, &mut sum);
            }
            follows = step.goes_on;
            if let (false, Some(p)) = (follows, step.parent) {
                force[p] += sum;
            }
        }
    }
}

/// `τ = Sᵀ f`, or if it is a sum `τ += Sᵀ f`.
#[inline(always)]
pub(super) fn project<T: Scalar>(columns: &[ColumnValues], f: Force<T>, tau: &mut [T], is_sum: bool) {
    for (column, tau) in columns.iter().zip(tau) {
        put(column.s.power(f), tau, is_sum);
    }
}

/// No zero is negative, like those that nobody writes.
#[inline(always)]
fn put<T: Scalar>(x: T, to: &mut T, is_sum: bool) {
    *to = if is_sum { *to + x } else { T::zero() + x };
}
