//! What the runs leave, brought to matrices.

use super::reach::Chunk;
use gradyn_derivatives::{Register, VectorDual, WIDTH};
use nalgebra::DMatrix;

/// One column a lane: rows that follow each other, eight at a time, are turned into pieces of columns. Returns `zero` plus all
/// entries times zero, which is not a number if one is not finite.
#[inline(always)]
pub(super) fn store<R: Register>(chunk: &Chunk, tau: &[VectorDual<R>], matrix: &mut DMatrix<f64>, mut zero: R) -> R {
    let (nv, start, width) = (matrix.nrows(), chunk.dofs.start, chunk.dofs.len());
    let entries = &mut matrix.as_mut_slice()[start * nv..(start + width) * nv];
    for rows in &chunk.runs {
        let mut block = [R::splat(0.0); WIDTH];
        for (to, tau) in block.iter_mut().zip(&tau[rows.clone()]) {
            *to = tau.eps.0;
            zero = to.mul_add(R::splat(0.0), zero);
        }
        let block = R::transpose(block);
        for lane in 0..width {
            block[lane].store_first(&mut entries[lane * nv..][rows.clone()]);
        }
    }
    zero
}
