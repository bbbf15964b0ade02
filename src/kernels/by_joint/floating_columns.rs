//! The columns of a [floating base](crate::formulas::floating_base), after a sweep.
//! Page: `formulas/floating_base.rs`. Test: `aba_derivatives::columns_of_a_floating_base`.

use crate::formulas::floating_base::fill;
use crate::kernels::by_joint::{JointsMemory, rnea};
use crate::plan::{Floating, JointsLayout};
use nalgebra::{DMatrix, Vector3};

impl Floating {
    /// They, after a sweep at the state.
    pub(crate) fn fill(
        &self,
        gravity: Vector3<f64>,
        layout: &JointsLayout,
        memory: &JointsMemory,
        v: &[f64],
        [dq, dv]: [&mut DMatrix<f64>; 2],
    ) {
        let pose = rnea::pose(layout, memory, self.body);
        fill(pose.rotation, gravity, self.v, v, [dq, dv]);
    }
}
