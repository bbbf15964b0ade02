//! Sines and cosines of all hinges.

use super::table::Kind;
use super::{Numbers, Table};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Real};

/// Sine and cosine of a hinge; of other joints nobody asks for them.
pub(super) type Turn<R> = (Lanes<R>, Lanes<R>);

/// All of them, by bodies: before the sweep along the tree, since they need not wait for each other.
pub(super) struct Turns<'a, R: Register> {
    pub(super) table: &'a Table,
    pub(super) q: Numbers<'a, R>,
    pub(super) to: &'a mut [Turn<R>],
}

impl<R: Register> Piece for Turns<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { table, q, to } = self;
        for (step, to) in table.steps.iter().zip(to) {
            if step.kind == Kind::Hinge {
                let (sin, cos) = q[step.q].sin_cos();
                to.0 = sin;
                to.1 = cos;
            }
        }
    }
}
