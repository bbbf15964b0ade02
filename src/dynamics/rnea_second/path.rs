//! The columns from the world to a link, side by side.

use super::RneaSecondMemory;
use super::column::MOTIONS;
use super::memory::Step;
use super::pack::Pack;
use crate::dynamics::placed::Placed;
use crate::level::at_level;
use gradyn_derivatives::{Real, WIDTH};

at_level! {
    /// Puts them into their places, in blocks of a pack; blocks of which all are there, from the leaf before, stay as they are.
    #[inline(always)]
    pub(super) fn gather<T: Real, L: Pack<T>>(placed: &Placed<T>, memory: &mut RneaSecondMemory<T>, leaf: usize) {
        let RneaSecondMemory { steps, path, motions, depth, moves, .. } = memory;
        let steps = &mut steps[..depth[leaf]];
        let n = memory.result.d2tau_dqdq.dims()[0];
        let (mut next, mut first) = (Some(leaf), steps.len());
        while let Some(index) = next {
            let link = &placed.links[index];
            let end = depth[index];
            let start = end - link.columns.len();
            if start < end && steps[start].column == link.columns.start {
                break;
            }
            for (step, column) in steps[start..end].iter_mut().zip(link.columns.clone()) {
                let dof = placed.dof[column];
                let moves = moves[column];
                *step = Step { column, dof, row: dof * n, slab: dof * n * n, start, end, moves };
            }
            (next, first) = (link.parent, start);
        }
        for block in first / L::WIDTH..steps.len().div_ceil(L::WIDTH) {
            // The last column fills up the last pack: what else stood there might be no number.
            let mut columns = [0; WIDTH];
            for (k, column) in columns.iter_mut().enumerate() {
                *column = steps[(block * L::WIDTH + k).min(steps.len() - 1)].column;
            }
            L::gather(columns, motions, &mut path[block * MOTIONS * L::WIDTH..][..MOTIONS * L::WIDTH]);
        }
    }
}
