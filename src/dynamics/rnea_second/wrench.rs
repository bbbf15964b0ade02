//! Second derivatives by wrenches that stand still in the world.
//!
//! `τ_i = −S_iᵀ φ` for every joint that carries the body, and moving a joint `k` at or above `i` carries `S_i` along:
//! `∂S_i/∂q_k = S_k × S_i`. So `∂²τ_i/∂q_k ∂q_l = −φᵀ ((∂S_k/∂q_l) × S_i + S_k × (S_l × S_i))`.

use super::Memory;
use crate::dynamics::links::Links;
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::{Real, Scalar};

/// Adds them, after columns have been made, for the forces in [`Memory::still`] on each body alone, which become sums over subtrees.
/// Returns zero if what has been added to is finite.
pub(super) fn add<P: Real, T: Scalar<P>>(model: &Model<P>, links: &Links<T>, memory: &mut Memory<T>) -> T {
    let (nv, mut waste) = (model.nv, T::zero());
    let columns_made = &memory.columns;
    let column = |k: usize| columns_made[k].s();
    let qq = memory.result.d2tau_dqdq.as_mut_slice();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        let phi: Force<T> = memory.still[i];
        if let Some(p) = body.parent {
            memory.still[p] += phi;
        }
        for link in links.of_body[i].clone() {
            for c in links.links[link].columns.clone() {
                let (row, s) = (links.dof[c], column(c));
                for (at_j, j) in columns(links, link) {
                    let s_j = column(j);
                    for (at_k, k) in columns(links, link) {
                        let s_k = column(k);
                        let mut second = s_j.cross(s_k.cross(s));
                        // Only columns of the same link, or above, carry S_j along.
                        if at_k <= at_j {
                            second += s_k.cross(s_j).cross(s);
                        }
                        let entry = &mut qq[(row * nv + links.dof[j]) * nv + links.dof[k]];
                        *entry -= second.power(phi);
                        waste += *entry * T::zero();
                    }
                }
            }
        }
    }
    waste
}

/// The columns of a link and of those to the root, each with the first one of its own link.
fn columns<T: Real>(links: &Links<T>, link: usize) -> impl Iterator<Item = (usize, usize)> {
    links.path(Some(link)).flat_map(|link| link.columns.clone().map(|k| (link.columns.start, k)))
}
