//! Second derivatives by wrenches that are fixed in the world.
//!
//! `τ_i = −S_iᵀ φ` for every joint that carries the body, and moving a joint `k` at or above `i` carries `S_i` along:
//! `∂S_i/∂q_k = S_k × S_i`. Therefore `∂²τ_i/∂q_j ∂q_k = −φᵀ ((∂S_j/∂q_k) × S_i + S_j × (S_k × S_i))`. As a power of
//! `S_j` that is `S_jᵀ (S_i ×* (S_k ×* φ))` if `k` carries `S_j` along, and `S_jᵀ ((S_i × S_k) ×* φ)` elsewhere.

use super::RneaSecondMemory;
use crate::dynamics::placed::Placed;
use crate::level::at_level;
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::{Real, Scalar};

at_level! {
    /// Adds them, after columns have been made, for the forces in [`RneaSecondMemory::still`] on each body alone, which become
    /// sums over subtrees. Returns zero if what has been added to is finite.
    pub(super) fn add<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, memory: &mut RneaSecondMemory<T>) -> T {
        let (nv, mut waste) = (model.nv, T::zero());
        let RneaSecondMemory { columns: made, still, result, .. } = memory;
        let qq = result.d2tau_dqdq.as_mut_slice();
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let phi: Force<T> = still[i];
            if let Some(p) = body.parent {
                still[p] += phi;
            }
            for link in placed.of_body[i].clone() {
                for c in placed.links[link].columns.clone() {
                    let (row, s) = (placed.dof[c], made[c].s());
                    for (at_k, k) in columns(placed, link) {
                        let s_k = made[k].s();
                        let carried = s.cross_force(s_k.cross_force(phi));
                        let beyond = s.cross(s_k).cross_force(phi);
                        for (at_j, j) in columns(placed, link) {
                            // Only columns of the same link, or above, carry S_j along.
                            let by = if at_k <= at_j { &carried } else { &beyond };
                            let entry = &mut qq[(row * nv + placed.dof[j]) * nv + placed.dof[k]];
                            *entry += made[j].s().power(*by);
                            waste += *entry * T::zero();
                        }
                    }
                }
            }
        }
        waste
    }
}

/// The columns of a link and of those to the root, each with the first one of its own link.
fn columns<T: Real>(placed: &Placed<T>, link: usize) -> impl Iterator<Item = (usize, usize)> {
    placed.path(Some(link)).flat_map(|link| link.columns.clone().map(|k| (link.columns.start, k)))
}
