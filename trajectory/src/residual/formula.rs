//! Residuals with formulas for their derivatives, which are quantities as well: dual numbers check the formulas.

use super::own::ByDuals;
use super::{Jacobian, Quantity, ResidualPoint};
use crate::fault::{Reason, memory_of};
use gradyn::Scalar;
use std::any::Any;

/// `r = x − x*`
#[inline(always)]
pub(crate) fn less_goal<T: Scalar>(x: impl IntoIterator<Item = T>, goal: &[f64], r: &mut [T]) {
    for ((r, x), goal) in r.iter_mut().zip(x).zip(goal) {
        *r = x - T::from(*goal);
    }
}

/// Memory of residuals with formulas: of dual numbers, which [`check`](crate::Problem::check) asks for, and of second
/// derivatives.
#[derive(Default)]
pub(crate) struct FormulaMemory<M> {
    duals: ByDuals,
    pub(crate) own: M,
}

/// What residuals with formulas take from being a [`Quantity`] as well: a second opinion. With the type of their
/// memory, and, where rows and values are those of the quantity too, the number of rows.
macro_rules! second_opinion {
    ($memory:ty, rows $rows:expr) => {
        fn rows(&self) -> usize {
            $rows
        }
        fn depends(&self) -> Depends {
            Quantity::depends(self)
        }
        fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
            $crate::residual::own::value_of(on, self, r)
        }
        $crate::residual::formula::second_opinion!($memory);
    };
    ($memory:ty) => {
        fn memory(&self) -> Box<dyn std::any::Any + Send> {
            Box::new($crate::residual::formula::FormulaMemory::<$memory>::default())
        }
        fn jacobian_by_duals(
            &self,
            on: &mut ResidualPoint<'_>,
            r: &mut [f64],
            out: &mut Jacobian,
        ) -> Result<bool, Reason> {
            $crate::residual::formula::jacobian_by_duals::<$memory, Self>(self, on, r, out)
        }
    };
}
pub(crate) use second_opinion;

/// The Jacobian of a residual with [`FormulaMemory`], by dual numbers.
pub(crate) fn jacobian_by_duals<M: 'static, Q: Quantity>(
    quantity: &Q,
    on: &mut ResidualPoint<'_>,
    r: &mut [f64],
    out: &mut Jacobian,
) -> Result<bool, Reason> {
    let mut duals = std::mem::take(&mut memory_of::<FormulaMemory<M>>(on.own)?.duals);
    let done = duals.plain_jacobian(on, quantity, r, out);
    memory_of::<FormulaMemory<M>>(on.own)?.duals = duals;
    done.map(|()| true)
}

/// What a residual with [`FormulaMemory`] keeps for second derivatives.
pub(crate) fn own_memory<M: 'static>(own: &mut dyn Any) -> Result<&mut M, Reason> {
    Ok(&mut memory_of::<FormulaMemory<M>>(own)?.own)
}
