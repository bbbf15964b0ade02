//! From the leaves to the root: torques, and what is handed on to parents.

use super::Common;
use super::base::ColumnValues;
use super::frame::add_force;
use super::numbers::{StateDual, dual_force};
use crate::partials::plan::Moved;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Scalar};

/// The inward step at one body that moves with the configuration: the force varies on its way to the parent.
pub(super) struct Returned<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) moved: &'a Moved,
    /// Columns that depend on `q`.
    pub(super) varied: &'a [Motion<StateDual<R>>],
    pub(super) force: &'a mut [Force<Lanes<R>>],
    pub(super) tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Returned<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, values, .. }, moved, varied, force, tau } = self;
        let (i, body) = (moved.body, &model.bodies[moved.body]);
        let own = base.first[i]..base.first[i] + body.v.len();
        let mut f = force[i];
        if body.subspace_varies {
            let f = dual_force(&base.force[i], f);
            for (column, tau) in varied[own].iter().zip(&mut tau[body.v.clone()]) {
                *tau += column.power(f).eps;
            }
        } else {
            project(&values.columns[own], f, &mut tau[body.v.clone()]);
        }
        if let Some(p) = body.parent {
            for (k, column) in values.columns[moved.driven.clone()].iter().enumerate() {
                add_force(moved.lane + k, &column.force, &mut f);
            }
            force[p] += f;
        }
    }
}

/// The sweep to the root over bodies whose joints stand still.
pub(super) struct Carried<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) order: &'a [usize],
    pub(super) force: &'a mut [Force<Lanes<R>>],
    pub(super) tau: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Carried<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common: Common { model, base, values, .. }, order, force, tau } = self;
        for &i in order {
            let (body, f) = (&model.bodies[i], force[i]);
            project(&values.columns[base.first[i]..][..body.v.len()], f, &mut tau[body.v.clone()]);
            if let Some(p) = body.parent {
                force[p] += f;
            }
        }
    }
}

/// `τ += Sᵀ f`
#[inline(always)]
pub(super) fn project<T: Scalar>(columns: &[ColumnValues], f: Force<T>, tau: &mut [T]) {
    for (column, tau) in columns.iter().zip(tau) {
        *tau += column.s.power(f);
    }
}
