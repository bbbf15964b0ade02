//! What the runs leave, brought to matrices.

use crate::model::Model;
use crate::partials::plan::Chunk;
use crate::partials::result::RneaDerivatives;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Register, WIDTH};
use nalgebra::DMatrix;

/// One column a lane: rows that follow each other, eight at a time, are turned into pieces of columns. Returns `zero` plus all
/// entries times zero, which is not a number if one is not finite.
#[inline(always)]
pub(super) fn store<R: Register>(chunk: &Chunk, tau: &[Lanes<R>], matrix: &mut DMatrix<f64>, mut zero: R) -> R {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for rows in &chunk.runs {
        let mut block = [R::splat(0.0); WIDTH];
        for (to, tau) in block.iter_mut().zip(&tau[rows.clone()]) {
            *to = tau.0;
            zero = to.mul_add(R::splat(0.0), zero);
        }
        let block = R::transpose(block);
        for lane in 0..width {
            block[lane].store_first(&mut entries[lane * nv..][rows.clone()]);
        }
    }
    zero
}

/// Armature, damping and friction: on the diagonal, each by its own formula. Returns the sum of what it has changed of the
/// derivatives times zero.
pub(super) fn joint_dynamics(model: &Model, v: &[f64], result: &mut RneaDerivatives) -> f64 {
    let mut zero = 0.0;
    for dof in &model.dofs {
        let i = dof.index;
        result.dtau_da[(i, i)] += dof.mass();
        if model.joint_friction {
            let friction = dof.friction_torque(Dual64::new(v[i], 1.0), model.friction_width);
            result.dtau_dv[(i, i)] += friction.eps;
        }
        zero += (result.dtau_da[(i, i)] + result.dtau_dv[(i, i)]) * 0.0;
    }
    zero
}
