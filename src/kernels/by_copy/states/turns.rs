//! Sines and cosines of all hinges.
//! Serves: `kernels/by_copy/states/mod.rs`. Test: `batch::batches_of_hinges_and_slides_equal_single_states`.

use crate::kernels::by_copy::states::Numbers;
use crate::plan::states::{LinkKind, StatesLayout};
use gradyn_derivatives::{Lanes, Real, Register};

/// Sine and cosine of a hinge; of other joints nobody asks for them.
pub(crate) type Turn<R> = (Lanes<R>, Lanes<R>);

piece!(
    /// All of them, by bodies: before the sweep along the tree, since they need not wait for each other.
    pub(crate) fn turns<'a, R: Register>(layout: &'a StatesLayout, q: Numbers<'a, R>, to: &'a mut [Turn<R>]) {
        for (step, to) in layout.steps.iter().zip(to) {
            if step.link.kind == LinkKind::Hinge {
                let (sin, cos) = q[step.q].sin_cos();
                to.0 = sin;
                to.1 = cos;
            }
        }
    }
);
