//! The Hessian of `λᵀ τ` in closed form, O(n d): eight rows of a column at a time.
//! Page: `partials/hessian/page.rs`. Test: `contractions::levels_agree_and_nothing_stays_behind`.
//!
//! The equations are in [`torque_hessian`](crate::formulas::torque_hessian). The quantities shared with first
//! derivatives, `A`, `U` and `P`, come from the [sweeps](inward::columns) of these.

use crate::formulas::torque_hessian::{Bodies, ColumnForces, ColumnMotions};
use crate::kernels::by_joint::contraction::{Scratch, Weighted, load_weighted};
use crate::kernels::by_joint::hessian_entries::{Matrices, entries, scatter_by_lane};
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::quantities::{
    Columns, Six, Sums, load_coriolis, load_inertia, load_motion, load_sum_force, store_force, store_motion,
    store_vector,
};
use crate::kernels::by_joint::{JointsMemory, State, inward, matrix_entries, outward, poses, read, rnea};
use crate::kernels::rows::from_rows;
use crate::kernels::{Outcome, finite};
use crate::plan::{Group, JointConstants, JointsLayout};
use gradyn_derivatives::{Lanes, Register, WIDTH};

/// Where the results go, without what joints add by themselves. Entries of the matrices that the structure of the tree
/// makes zero are not written.
pub(crate) struct Results<'a> {
    pub(crate) value: &'a mut f64,
    pub(crate) dq: &'a mut [f64],
    pub(crate) dv: &'a mut [f64],
    pub(crate) da: &'a mut [f64],
    /// nv × nv, column by column.
    pub(crate) matrices: Matrices<'a>,
}

/// An even number of rows of [`Scratch::sums`] that holds all.
const ROWS: usize = 16;

/// Value, gradient and Hessian under the wrenches of `memory`. Lengths have been checked.
pub(crate) fn hessian(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    state: State<'_>,
    lambda: &[f64],
    results: Results<'_>,
) -> Outcome {
    memory.size_columns(layout);
    let mut own = memory.weighted.take().unwrap_or_else(|| Box::new(Scratch::new(layout)));
    let Results { value, dq, dv, da, mut matrices } = results;
    let swept = sweep(constants, layout, memory, &mut own, state, lambda, value);
    let (nv, lanes) = (layout.nv, layout.dof.len());
    let filled = if layout.direct {
        entries(layout, memory, &own, nv, &mut matrices)
    } else {
        let mut scratch = std::mem::take(&mut memory.scratch);
        scratch.resize(4 * lanes * lanes, 0.0);
        // Sums over lanes may not be finite where these are.
        let in_lanes = entries(layout, memory, &own, lanes, &mut Matrices::of(&mut scratch)).and(false);
        for (from, to) in Matrices::of(&mut scratch).all().into_iter().zip(matrices.all()) {
            matrix_entries::fold(layout, |column, row| from[column * lanes + row], to, nv);
        }
        memory.scratch = scratch;
        in_lanes
    };
    scatter_by_lane(layout, memory, &mut own);
    for (k, to) in [dq, dv, da].into_iter().enumerate() {
        collect(layout, &own, k, to);
    }
    memory.weighted = Some(own);
    swept.and(filled.is_finite())
}

/// Row `k` of the gradient, from lanes to degrees of freedom.
fn collect(layout: &JointsLayout, own: &Scratch, k: usize, to: &mut [f64]) {
    if layout.direct {
        for (own, to) in own.weighted.iter().zip(to.chunks_mut(WIDTH)) {
            from_rows(&own.gradient[k..=k], to);
        }
    } else {
        to.fill(0.0);
        for (lane, dof) in layout.dof.iter().enumerate() {
            if let Some(dof) = *dof {
                to[dof] += own.weighted[lane / WIDTH].gradient[k].0[lane % WIDTH];
            }
        }
    }
}

kernel!(
    memory.level,
    /// The sweeps out and in.
    fn sweep<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        own: &'a mut Scratch,
        state: State<'a>,
        lambda: &'a [f64],
        value: &'a mut f64,
    ) -> Outcome {
        let (q, v, a) = state;
        read::state::<R>(layout, memory, q, v, a);
        read_lambda::<R>(layout, own, lambda);
        poses::all::<R>(layout, memory, q);
        for (g, group) in layout.groups.iter().enumerate() {
            outward::motions::<R, { Keep::Derivatives as u8 }>(constants, layout, memory, g);
            weigh::<R>(group, memory, own, g);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        let mut zero = finite::zero_if_finite::<R>(q).add(finite::zero_if_finite::<R>(lambda));
        let mut sum = R::splat(0.0);
        for (g, group) in layout.groups.iter().enumerate().rev() {
            zero = zero.add(inward::columns::<R>(constants, layout, memory, g, false));
            inward::sum_subtrees::<R, ROWS>(group, &mut own.sums, g, 0);
            let sums = &own.sums[g];
            lane_by_lane!(columns::<R>(&memory.s[g], &memory.columns[g], &memory.sums[g], sums, &mut own.weighted[g]));
            let own = &own.weighted[g];
            let force = load_sum_force::<R>(&memory.sums[g]);
            sum = own.lambda.load::<R>().0.mul_add(load_motion::<R>(&memory.s[g]).power(force).0, sum);
            for row in own.gradient {
                zero = row.load::<R>().0.mul_add(R::splat(0.0), zero);
            }
        }
        *value = sum.to_array().iter().sum();
        zero = sum.mul_add(R::splat(0.0), zero);
        Outcome::of(zero)
    }
);

/// `λ`, by lanes.
#[inline(always)]
fn read_lambda<R: Register>(layout: &JointsLayout, own: &mut Scratch, lambda: &[f64]) {
    if layout.direct {
        for (own, x) in own.weighted.iter_mut().zip(lambda.chunks(WIDTH)) {
            own.lambda.store(Lanes(R::load_first(x)));
        }
        return;
    }
    for (lane, dof) in layout.dof.iter().enumerate() {
        if let Some(dof) = *dof {
            own.weighted[lane / WIDTH].lambda.0[lane % WIDTH] = lambda[dof];
        }
    }
}

/// `w` and `Ω` of a group that has been driven, and what its bodies bring to the sums.
#[inline(always)]
fn weigh<R: Register>(group: &Group, memory: &JointsMemory, own: &mut Scratch, g: usize) {
    let s = load_motion::<R>(&memory.s[g]);
    let w = outward::sum_from_root(group, &mut own.w, g, s.times(own.weighted[g].lambda.load::<R>()));
    store_motion(&mut own.w[g], w);
    // For a joint with one degree of freedom `w_λ × S = w × S`.
    let w_parent = if group.single { w } else { outward::gather(g, &group.parent, &own.w, w) };
    store_motion(&mut own.weighted[g].omega, w_parent.cross(s));
    lane_by_lane!(bring::<R>(&memory.sums[g], &own.w[g], &mut own.sums[g]));
}

/// `W` and `z` of the bodies of a group.
#[inline(always)]
fn bring<R: Register>(bodies: &Sums, w: &Six, to: &mut Sums) {
    let (w, inertia) = (load_motion::<R>(w), load_inertia::<R>(bodies));
    let weighted = inertia.body_coriolis(w, inertia * w);
    let z = load_coriolis::<R>(bodies).tr_times(w).angular;
    to[0].store(weighted.momentum.x);
    to[1].store(weighted.momentum.y);
    to[2].store(weighted.momentum.z);
    let mut row = 0;
    while row < 3 {
        let mut column = 0;
        while column < 3 {
            to[3 + 3 * row + column].store(weighted.angular[(row, column)]);
            column += 1;
        }
        row += 1;
    }
    to[12].store(z.x);
    to[13].store(z.y);
    to[14].store(z.z);
}

/// `R`, `G`, `T` and the gradient of eight columns, from sums over subtrees.
#[inline(always)]
fn columns<R: Register>(s: &Six, from: &Columns, sums: &Sums, weighted: &Sums, to: &mut Weighted) {
    let by = ColumnMotions {
        s: load_motion::<R>(s),
        psi_dot: load_motion(&from.psi_d),
        psi_ddot: load_motion(&from.psi_dd),
        psi_s_dot: load_motion(&from.psi_s),
        omega: load_motion(&to.omega),
    };
    let (weighted, z) = load_weighted::<R>(weighted);
    let bodies =
        Bodies { inertia: load_inertia(sums), coriolis: load_coriolis(sums), force: load_sum_force(sums), weighted, z };
    let [dq, dv, da] = bodies.gradient(&by);
    to.gradient[0].store(dq);
    to.gradient[1].store(dv);
    to.gradient[2].store(da);
    let ColumnForces { r, g, t, .. } = ColumnForces::weighted(&by, &bodies);
    store_force(&mut to.r, r);
    store_vector(&mut to.g, g);
    store_vector(&mut to.t, t);
}
