//! From the leaves to the root: sums over subtrees, and what they give.

use super::layout::Group;
use super::memory::{ALL, FORCE, Sums, load_coriolis, load_inertia, load_motion, load_sum_force, store_force};
use super::{Layout, Memory};
use crate::spatial::Force;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::Register;

/// Each lane's own number plus those of all lanes that hang from it; groups after this one hold their sums already.
#[inline(always)]
fn sum_subtrees<R: Register>(group: &Group, sums: &mut [Sums], g: usize, count: usize) {
    let (here, after) = sums.split_at_mut(g + 1);
    let here = &mut here[g];
    let mut k = 0;
    while k < count {
        let mut x = here[k].load::<R>().0;
        for (source, places) in &group.subtree_after {
            x = x.add(after[*source - g - 1][k].load::<R>().0.permute(places));
        }
        for places in &group.subtree {
            x = x.add(x.permute(places));
        }
        here[k].store(Lanes(x));
        k += 1;
    }
}

/// Sums of forces, and torques `τ = Sᵀ f_C`.
#[inline(always)]
pub(super) fn torques<R: Register>(layout: &Layout, memory: &mut Memory, g: usize) {
    sum_subtrees::<R>(&layout.groups[g], &mut memory.sums, g, FORCE);
    project::<R>(memory, g);
}

#[inline(always)]
fn project<R: Register>(memory: &mut Memory, g: usize) -> Force<Lanes<R>> {
    let f = load_sum_force::<R>(&memory.sums[g]);
    memory.tau[g].store(load_motion::<R>(&memory.s[g]).power(f));
    f
}

/// Sums of everything, torques, and the columns that derivatives are made of:
///
/// ```text
/// A = I_C S     Q = B_C Ψ̇ + I_C Ψ̈ + f_C ×̄* S     V = B_C S + I_C (Ψ̇ + Ṡ)     T = B_Cᵀ S
/// ```
#[inline(always)]
pub(super) fn columns<R: Register>(layout: &Layout, memory: &mut Memory, g: usize) {
    sum_subtrees::<R>(&layout.groups[g], &mut memory.sums, g, ALL);
    let f = project::<R>(memory, g);
    let s = load_motion::<R>(&memory.s[g]);
    let (inertia, coriolis) = (load_inertia::<R>(&memory.sums[g]), load_coriolis::<R>(&memory.sums[g]));
    let to = &mut memory.columns[g];
    store_force(&mut to.a, inertia * s);
    let t = coriolis.tr_times(s).angular;
    to.t[0].store(t.x);
    to.t[1].store(t.y);
    to.t[2].store(t.z);
    let q = coriolis.times(load_motion::<R>(&to.psi_d)) + inertia * load_motion::<R>(&to.psi_dd);
    store_force(&mut to.q, q + f.bar_cross(s));
    store_force(&mut to.v, coriolis.times(s) + inertia * load_motion::<R>(&to.psi_s));
}
