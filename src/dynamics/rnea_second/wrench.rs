//! Second derivatives by wrenches that stand still in the world.
//!
//! `τ_i = −S_iᵀ φ` for every joint that carries the body, and moving a joint `k` at or above `i` carries `S_i` along:
//! `∂S_i/∂q_k = S_k × S_i`. So `∂²τ_i/∂q_k ∂q_l = −φᵀ ((∂S_k/∂q_l) × S_i + S_k × (S_l × S_i))`.

use super::Memory;
use crate::dynamics::Workspace;
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::{Real, Scalar};

/// Adds them, for the forces in [`Memory::still`] on each body alone, which become sums over subtrees.
pub(super) fn add<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &Workspace<T>, memory: &mut Memory<T>) {
    let nv = model.nv;
    let qq = memory.result.d2tau_dqdq.as_mut_slice();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        let phi: Force<T> = memory.still[i];
        if let Some(p) = body.parent {
            memory.still[p] += phi;
        }
        let up = |i: usize| std::iter::successors(Some(i), |i| model.bodies[*i].parent);
        let columns = |i: usize| {
            let own = &ws.world.columns[ws.first[i]..];
            model.bodies[i].v.clone().zip(own)
        };
        for (row, s) in columns(i) {
            for j in up(i) {
                for (dof_j, s_j) in columns(j) {
                    for k in up(i) {
                        // Only joints at or above j carry S_j along; bodies above come first.
                        let carries = k <= j;
                        for (dof_k, s_k) in columns(k) {
                            let mut second = s_j.cross(s_k.cross(*s));
                            if carries {
                                second += s_k.cross(*s_j).cross(*s);
                            }
                            qq[(row * nv + dof_j) * nv + dof_k] -= second.power(phi);
                        }
                    }
                }
            }
        }
    }
}
