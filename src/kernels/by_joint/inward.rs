//! From the leaves to the root: sums over subtrees, and the results from them.
//! Page: `dynamics/rnea.rs`, `dynamics/crba.rs`, `dynamics/rnea_derivatives.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

use crate::formulas::singular;
use crate::kernels::by_joint::quantities::{
    ALL, FORCE, INERTIA, Sums, load_coriolis, load_inertia, load_motion, load_sum_force, store_force, store_vector,
};
use crate::kernels::by_joint::{JointsMemory, by_lane};
use crate::model::DofDynamics;
use crate::plan::{Group, JointConstants, JointRows, JointsLayout};
use crate::spatial::Force;
use gradyn_derivatives::{Lanes, Level, Register};

/// Each lane's own number plus those of all its descendants; groups after this one hold their sums already.
#[inline(always)]
pub(crate) fn sum_subtrees<R: Register, const ROWS: usize>(group: &Group, sums: &mut [Sums], g: usize, first: usize) {
    if R::HALVES {
        by_lane::sum_subtrees::<R, ROWS>(group, sums, g, first);
        return;
    }
    // As many rows at a time as stay in registers.
    match ROWS {
        14 if R::LEVEL != Level::Avx512 => {
            sum_rows::<R, 7>(group, sums, g, first);
            sum_rows::<R, 7>(group, sums, g, first + 7);
        }
        12 if R::LEVEL != Level::Avx512 => {
            sum_rows::<R, 6>(group, sums, g, first);
            sum_rows::<R, 6>(group, sums, g, first + 6);
        }
        10 if R::LEVEL != Level::Avx512 => {
            sum_rows::<R, 5>(group, sums, g, first);
            sum_rows::<R, 5>(group, sums, g, first + 5);
        }
        _ => sum_rows::<R, ROWS>(group, sums, g, first),
    }
}

#[inline(always)]
fn sum_rows<R: Register, const ROWS: usize>(group: &Group, sums: &mut [Sums], g: usize, first: usize) {
    let (here, after) = sums.split_at_mut(g + 1);
    let here = &mut here[g];
    let mut x = [R::splat(0.0); ROWS];
    let mut k = 0;
    while k < ROWS {
        x[k] = here[first + k].load::<R>().0;
        k += 1;
    }
    for (source, places) in &group.subtree_after {
        let after = &after[*source - g - 1];
        let mut k = 0;
        while k < ROWS {
            x[k] = x[k].add(after[first + k].load::<R>().0.permute(places));
            k += 1;
        }
    }
    for places in &group.subtree {
        let mut k = 0;
        while k < ROWS {
            x[k] = x[k].add(x[k].permute(places));
            k += 1;
        }
    }
    let mut k = 0;
    while k < ROWS {
        here[first + k].store(Lanes(x[k]));
        k += 1;
    }
}

/// Sums of forces, and torques `τ = Sᵀ f_C`, with armature and friction. Returns torques times zero.
#[inline(always)]
pub(crate) fn torques<R: Register>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
) -> R {
    sum_subtrees::<R, FORCE>(&layout.groups[g], &mut memory.sums, g, 0);
    project::<R>(constants, layout, memory, g);
    memory.tau[g].load::<R>().0.mul(R::splat(0.0))
}

/// Torques, and the force that they carry.
#[inline(always)]
fn project<R: Register>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
) -> Force<Lanes<R>> {
    let f = load_sum_force::<R>(&memory.sums[g]);
    let mut tau = load_motion::<R>(&memory.s[g]).power(f);
    let joints = &layout.joints[g];
    if joints.some {
        let (joint, qd) = (joint_dynamics::<R>(joints), memory.qd[g].load::<R>());
        tau += memory.qdd[g].load::<R>() * joint.mass();
        if constants.joint_friction {
            tau += match joints.rub {
                true => joint.friction_torque(qd, Lanes(R::splat(constants.friction_width))),
                false => joint.damping_torque(qd),
            };
        }
    }
    memory.tau[g].store(tau);
    f
}

#[inline(always)]
pub(crate) fn joint_dynamics<R: Register>(rows: &JointRows) -> DofDynamics<Lanes<R>> {
    DofDynamics {
        index: 0,
        multiplier: rows.multiplier.load(),
        armature: rows.armature.load(),
        damping: rows.damping.load(),
        friction: rows.friction.load(),
    }
}

/// What torques vary with velocities by damping and friction.
#[inline(always)]
pub(crate) fn friction_slope<R: Register>(constants: &JointConstants, rows: &JointRows, qd: Lanes<R>) -> Lanes<R> {
    let joint = joint_dynamics::<R>(rows);
    match rows.rub {
        true => joint.friction_slope(qd, Lanes(R::splat(constants.friction_width))),
        false => joint.damping_slope(),
    }
}

/// Composite inertias, and the momenta of the columns.
#[inline(always)]
pub(crate) fn momenta<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, g: usize, scales: bool) {
    sum_subtrees::<R, INERTIA>(&layout.groups[g], &mut memory.sums, g, FORCE);
    lane_by_lane!(momenta_of::<R>(memory, g, scales));
}

/// Composite inertias and Coriolis matrices.
#[inline(always)]
pub(crate) fn composites<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, g: usize) {
    sum_subtrees::<R, INERTIA>(&layout.groups[g], &mut memory.sums, g, FORCE);
    sum_subtrees::<R, { ALL - FORCE - INERTIA }>(&layout.groups[g], &mut memory.sums, g, FORCE + INERTIA);
}

/// Sums of forces, inertias and Coriolis matrices, in parts that stay in registers; or without inertias, where these
/// have been summed up.
#[inline(always)]
pub(crate) fn everything<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, g: usize, weighed: bool) {
    if weighed {
        sum_subtrees::<R, FORCE>(&layout.groups[g], &mut memory.sums, g, 0);
        sum_subtrees::<R, { ALL - FORCE - INERTIA }>(&layout.groups[g], &mut memory.sums, g, FORCE + INERTIA);
        return;
    }
    sum_subtrees::<R, 14>(&layout.groups[g], &mut memory.sums, g, 0);
    sum_subtrees::<R, 14>(&layout.groups[g], &mut memory.sums, g, 14);
    const { assert!(ALL == 28) }
}

/// Sums of everything, torques, and the columns that derivatives are made of:
///
/// ```text
/// A = I_C S     Q = B_C Ψ̇ + I_C Ψ̈ + f_C ×̄* S     V = B_C S + I_C (Ψ̇ + Ṡ)     T = B_Cᵀ S
/// ```
#[inline(always)]
pub(crate) fn columns<R: Register>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
    weighed: bool,
) -> R {
    everything::<R>(layout, memory, g, weighed);
    lane_by_lane!(columns_of::<R>(constants, layout, memory, g));
    memory.tau[g].load::<R>().0.mul(R::splat(0.0))
}

/// The same after the sums, lane by lane.
#[inline(always)]
fn columns_of<R: Register>(constants: &JointConstants, layout: &JointsLayout, memory: &mut JointsMemory, g: usize) {
    let f = project::<R>(constants, layout, memory, g);
    let s = load_motion::<R>(&memory.s[g]);
    let (inertia, coriolis) = (load_inertia::<R>(&memory.sums[g]), load_coriolis::<R>(&memory.sums[g]));
    let to = &mut memory.columns[g];
    store_force(&mut to.a, inertia * s);
    let t = coriolis.tr_times(s).angular;
    store_vector(&mut to.t, t);
    let q = inertia.times_plus(load_motion::<R>(&to.psi_dd), f.bar_cross(s));
    store_force(&mut to.q, coriolis.times_plus(load_motion::<R>(&to.psi_d).angular, q));
    store_force(&mut to.v, coriolis.times_plus(s.angular, inertia * load_motion::<R>(&to.psi_s)));
}

/// Momenta `A = I_C S` of eight columns whose composite inertias stand in the sums, and what their pivots are compared
/// with if asked for: those in doubt count as lost.
#[inline(always)]
pub(crate) fn momenta_of<R: Register>(memory: &mut JointsMemory, g: usize, scales: bool) {
    let (s, y) = (load_motion::<R>(&memory.s[g]), load_inertia::<R>(&memory.sums[g]));
    let a: Force<Lanes<R>> = y * s;
    store_force(&mut memory.columns[g].a, a);
    if scales {
        memory.scale[g].store(singular::cautious(singular::scale(&y, s)));
    }
}
