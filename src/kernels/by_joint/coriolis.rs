//! The Coriolis matrix: the equations of [`coriolis`](crate::dynamics::coriolis_matrix), eight rows of a column at a time.
//! Page: `dynamics/coriolis.rs`. Test:
//! `dynamics_as_on_the_page::the_mass_matrix_and_what_comes_of_it_are_those_of_the_plain_forms`.

use crate::kernels::by_joint::matrix_entries::{fold, plus_angular, product};
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::quantities::{
    load_coriolis, load_inertia, load_motion, store_force, store_motion, store_vector,
};
use crate::kernels::by_joint::{JointsMemory, inward, outward, poses, read};
use crate::kernels::rows::store_left;
use crate::plan::{JointConstants, JointsLayout};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{DMatrix, Vector3};

/// The Coriolis matrix into `to`, nv × nv. Entries that the tree makes zero are not written. Lengths have been checked.
pub(crate) fn coriolis(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v): (&[f64], &[f64]),
    zeros: &[f64],
    to: &mut DMatrix<f64>,
) {
    memory.size_mass(layout);
    let (nv, lanes) = (layout.nv, layout.dof.len());
    if layout.direct {
        coriolis_in_lanes(constants, layout, memory, q, v, zeros, to.as_mut_slice(), nv);
    } else {
        let mut scratch = std::mem::take(&mut memory.scratch);
        scratch.resize(3 * lanes * lanes, 0.0);
        let of_lanes = &mut scratch[..lanes * lanes];
        coriolis_in_lanes(constants, layout, memory, q, v, zeros, &mut *of_lanes, lanes);
        fold(layout, |column, row| of_lanes[column * lanes + row], to.as_mut_slice(), nv);
        memory.scratch = scratch;
    }
}

kernel!(
    memory.level,
    fn coriolis_in_lanes<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        v: &'a [f64],
        zeros: &'a [f64],
        to: &'a mut [f64],
        /// Rows of the matrix.
        nv: usize,
    ) {
        read::state::<R>(layout, memory, q, v, zeros);
        poses::all::<R>(layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::motions::<R, { Keep::Derivatives as u8 }>(constants, layout, memory, g);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::composites::<R>(layout, memory, g);
            lane_by_lane!(columns::<R>(memory, g));
        }
        let zero = R::splat(0.0);
        for (g, pairs) in layout.pairs.iter().enumerate() {
            let own = &memory.columns[g];
            let (s, a) = (load_motion::<R>(&memory.s[g]), load_motion::<R>(&own.a));
            let t = Vector3::new(own.t[0].load::<R>(), own.t[1].load(), own.t[2].load());
            for pair in pairs {
                let (group, lane) = (pair.column / WIDTH, pair.column % WIDTH);
                let columns = &memory.columns[group];
                let mut c = zero;
                if pair.below != 0 {
                    c = plus_angular(&t, &memory.s[group], lane, product(&a, &columns.psi_s, lane));
                    c = c.where_else(pair.below, zero);
                }
                if pair.above != 0 {
                    c = product(&s, &columns.v, lane).where_else(pair.above, c);
                }
                store_left(to, pair.column * nv + g * WIDTH, nv - g * WIDTH, c);
            }
        }
    }
);

/// What the entries are made of: `Ṡ`, `I_C S`, `½ B_C S + I_C Ṡ` and `½ B_Cᵀ S`, whose linear part is zero.
#[inline(always)]
fn columns<R: Register>(memory: &mut JointsMemory, g: usize) {
    let s = load_motion::<R>(&memory.s[g]);
    let (y, b) = (load_inertia::<R>(&memory.sums[g]), load_coriolis::<R>(&memory.sums[g]).halved());
    let to = &mut memory.columns[g];
    let s_dot: Motion<Lanes<R>> = load_motion::<R>(&to.psi_s) - load_motion::<R>(&to.psi_d);
    store_motion(&mut to.psi_s, s_dot);
    let (a, v): (Force<Lanes<R>>, Force<Lanes<R>>) = (y * s, b.times(s) + y * s_dot);
    store_force(&mut to.a, a);
    store_force(&mut to.v, v);
    let t = b.tr_times(s).angular;
    store_vector(&mut to.t, t);
}
