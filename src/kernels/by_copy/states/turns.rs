//! Sines and cosines of all hinges.

use crate::kernels::by_copy::states::Numbers;
use crate::plan::states::{Kind, Table};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Real};

/// Sine and cosine of a hinge; of other joints nobody asks for them.
pub(crate) type Turn<R> = (Lanes<R>, Lanes<R>);

/// All of them, by bodies: before the sweep along the tree, since they need not wait for each other.
pub(crate) struct Turns<'a, R: Register> {
    pub(crate) table: &'a Table,
    pub(crate) q: Numbers<'a, R>,
    pub(crate) to: &'a mut [Turn<R>],
}

impl<R: Register> Piece for Turns<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { table, q, to } = self;
        for (step, to) in table.steps.iter().zip(to) {
            if step.link.kind == Kind::Hinge {
                let (sin, cos) = q[step.q].sin_cos();
                to.0 = sin;
                to.1 = cos;
            }
        }
    }
}
