//! Analytical derivatives of inverse dynamics (IDSVA): `∂τ/∂q`, `∂τ/∂v` and the mass matrix, O(n d).
//! Page: `dynamics/rnea_derivatives.rs`. Test: `dynamics_as_on_the_page::derivatives_are_those_by_dual_numbers`.
//!
//! S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body dynamics using spatial vector
//! algebra*, 2022. Eight rows of a column at a time: rows that carry the column's body, and rows of its descendants.

use crate::formulas::external_wrench::{ExternalWrench, WrenchFrame};
use crate::kernels::by_joint::matrix::{of_lane, vectors_of_lane};
use crate::kernels::by_joint::matrix_entries::{plus_angular, product};
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::quantities::{Columns, Six, load_motion};
use crate::kernels::by_joint::{JointsMemory, floating_base, inward, matrix_entries, outward, poses, read, rnea};
use crate::kernels::results::Results;
use crate::kernels::rows::store_left;
use crate::kernels::{Outcome, finite};
use crate::plan::{Floating, JointConstants, JointsLayout, Pair};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

/// What the last sweep has left, at the same configuration.
#[derive(Clone, Copy)]
pub(crate) enum Reuse<'a> {
    Nothing,
    /// Poses.
    Poses,
    /// Poses, velocities, and inertias summed up over subtrees: that of forward dynamics. Of the bodies that float
    /// here, columns that [`Floating`] knows are not asked for.
    Velocities(&'a [Floating]),
}

/// Torques and derivatives at a state in the field of some gravity under the wrenches of `memory`. Lengths have been
/// checked. Returns whether all are certainly finite.
pub(crate) fn derivatives(
    gravity: Vector3<f64>,
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v, a): (&[f64], &[f64], &[f64]),
    results: &mut Results<'_>,
    reuse: Reuse<'_>,
) -> Outcome {
    memory.size_columns(layout);
    let nv = layout.nv;
    let lanes = layout.dof.len();
    let finite = if layout.direct {
        run(gravity, constants, layout, memory, (q, v, a), results, nv, reuse)
    } else {
        let mut scratch = std::mem::take(&mut memory.scratch);
        scratch.resize(3 * lanes * lanes, 0.0);
        let (dq, rest) = scratch.split_at_mut(lanes * lanes);
        let (dv, da) = rest.split_at_mut(lanes * lanes);
        let room = if results.dtau_da.is_empty() { 0 } else { da.len() };
        let mut all = Results { tau: &mut [], dtau_dq: &mut *dq, dtau_dv: &mut *dv, dtau_da: &mut da[..room] };
        let finite = run(gravity, constants, layout, memory, (q, v, a), &mut all, lanes, reuse);
        matrix_entries::fold(layout, |column, row| dq[column * lanes + row], results.dtau_dq, nv);
        matrix_entries::fold(layout, |column, row| dv[column * lanes + row], results.dtau_dv, nv);
        if room > 0 {
            matrix_entries::fold(layout, |column, row| da[column * lanes + row], results.dtau_da, nv);
            matrix_entries::mirror(results.dtau_da, nv);
        }
        memory.scratch = scratch;
        finite
    };
    rnea::collect(constants, layout, memory, v, a, results.tau);
    for entry in &layout.more_joints {
        let at = entry.index * (nv + 1);
        if let Some(m) = results.dtau_da.get_mut(at) {
            *m += entry.mass();
        }
        if constants.joint_friction {
            results.dtau_dv[at] += entry.friction_slope(v[entry.index], constants.friction_width);
        }
    }
    finite
}

/// Into matrices of so many rows.
#[expect(clippy::too_many_arguments, reason = "what a kernel takes")]
fn run(
    gravity: Vector3<f64>,
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v, a): (&[f64], &[f64], &[f64]),
    results: &mut Results<'_>,
    nv: usize,
    reuse: Reuse<'_>,
) -> Outcome {
    if matches!(reuse, Reuse::Velocities(_)) {
        derivatives_in_lanes::<true>(gravity, constants, layout, memory, q, v, a, results, nv, reuse)
    } else {
        derivatives_in_lanes::<false>(gravity, constants, layout, memory, q, v, a, results, nv, reuse)
    }
}

kernel!(
    memory.level,
    /// After [`Reuse::Velocities`] bodies are `MOVING`.
    fn derivatives_in_lanes<'a, 'r, R: Register, const MOVING: bool>(
        gravity: Vector3<f64>,
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
        results: &'a mut Results<'r>,
        /// Rows of a matrix.
        nv: usize,
        reuse: Reuse<'a>,
    ) -> Outcome {
        read::dofs::<R>(layout, &mut memory.qd, v);
        read::dofs::<R>(layout, &mut memory.qdd, a);
        let known = MOVING && matches!(reuse, Reuse::Velocities(bases) if !bases.is_empty());
        if matches!(reuse, Reuse::Nothing) {
            read::configuration::<R>(layout, memory, q);
            poses::all::<R>(layout, memory, q);
        }
        if layout.first > 0 {
            floating_base::base_motion(memory, v, a);
            floating_base::base_columns(layout, memory);
        }
        for g in 0..layout.groups.len() {
            outward::motions_in_field::<R, { Keep::Derivatives as u8 }>(gravity, layout, memory, g, MOVING);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        let mut zero = finite::zero_if_finite::<R>(q);
        for g in (0..layout.groups.len()).rev() {
            zero = zero.add(inward::columns::<R>(constants, layout, memory, g, MOVING));
        }
        if layout.first > 0 {
            floating_base::base_derivatives::<R>(gravity, layout, memory);
            zero = zero.add(R::splat(floating_base::base_torques(memory)));
        }
        // Rows of a base come first: they write over some of the next.
        let base = layout.pairs.len() - layout.groups.len();
        for n in 0..layout.pairs.len() {
            let g = if n < base { layout.groups.len() } else { n - base };
            let rows = Rows::<R>::load(&memory.s[g], &memory.columns[g]);
            for pair in &layout.pairs[g] {
                let (group, lane) = (pair.column / WIDTH, pair.column % WIDTH);
                let (at, left) = (pair.to * nv + layout.row(g), nv - layout.row(g));
                if known && pair.floating {
                    // Nobody asks for them, but looks whether they are finite.
                    store_left(results.dtau_dq, at, left, R::splat(0.0));
                    store_left(results.dtau_dv, at, left, R::splat(0.0));
                    continue;
                }
                let sum = of_column(&rows, pair, &memory.s[group], &memory.columns[group], lane, results, at, left);
                zero = sum.mul_add(R::splat(0.0), zero);
            }
            if g < layout.groups.len() {
                diagonal::<R>(constants, layout, memory, g, results, nv);
            }
        }
        own_blocks(layout, memory, results, nv, known);
        if layout.first > 0 {
            floating_base::mirror(results.dtau_da, nv);
        }
        if !memory.wrenches.is_empty() {
            standing(layout, memory, results, nv);
        }
        Outcome::of(zero)
    }
);

/// Adds what armature, damping and friction of eight joints contribute.
#[inline(always)]
fn diagonal<R: Register>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &JointsMemory,
    g: usize,
    results: &mut Results<'_>,
    nv: usize,
) {
    let rows = &layout.joints[g];
    if !rows.some {
        return;
    }
    let joint = inward::joint_dynamics::<R>(rows);
    let mass = joint.mass().to_array();
    let slope = inward::friction_slope::<R>(constants, rows, memory.qd[g].load()).to_array();
    let mut k = 0;
    let first = layout.row(g);
    while k < WIDTH && first + k < nv {
        let at = (first + k) * (nv + 1);
        if let Some(m) = results.dtau_da.get_mut(at) {
            *m += mass[k];
        }
        if constants.joint_friction {
            results.dtau_dv[at] += slope[k];
        }
        k += 1;
    }
}

/// What eight rows contribute.
struct Rows<R: Register> {
    s: Motion<Lanes<R>>,
    a: Motion<Lanes<R>>,
    t: Vector3<Lanes<R>>,
}

impl<R: Register> Rows<R> {
    #[inline(always)]
    fn load(s: &Six, columns: &Columns) -> Self {
        let t = Vector3::new(columns.t[0].load(), columns.t[1].load(), columns.t[2].load());
        Self { s: load_motion(s), a: load_motion(&columns.a), t }
    }
}

/// Eight rows of one column of each matrix; returns their sum:
///
/// ```text
/// rows i that carry the column's body:  τ_q[i, j] = S_iᵀ Q_j               τ_v[i, j] = S_iᵀ V_j                    M[i, j] = S_iᵀ A_j
/// rows i of its descendants:            τ_q[i, j] = A_iᵀ Ψ̈_j + T_iᵀ Ψ̇_j   τ_v[i, j] = A_iᵀ (Ψ̇ + Ṡ)_j + T_iᵀ S_j   M[i, j] = A_iᵀ S_j
/// ```
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one step of a loop")]
fn of_column<R: Register>(
    rows: &Rows<R>,
    pair: &Pair,
    s: &Six,
    columns: &Columns,
    lane: usize,
    results: &mut Results<'_>,
    at: usize,
    left: usize,
) -> R {
    let zero = R::splat(0.0);
    let (mut q, mut v) = (zero, zero);
    if pair.below != 0 {
        q = plus_angular(&rows.t, &columns.psi_d, lane, product(&rows.a, &columns.psi_dd, lane));
        v = plus_angular(&rows.t, s, lane, product(&rows.a, &columns.psi_s, lane));
        q = q.where_else(pair.below, zero);
        v = v.where_else(pair.below, zero);
    }
    if pair.above != 0 {
        q = product(&rows.s, &columns.q, lane).where_else(pair.above, q);
        v = product(&rows.s, &columns.v, lane).where_else(pair.above, v);
    }
    store_left(results.dtau_dq, at, left, q);
    store_left(results.dtau_dv, at, left, v);
    if results.dtau_da.is_empty() {
        return q.add(v);
    }
    let m = matrix_entries::mass(&rows.s, &rows.a, pair, s, &columns.a, lane);
    store_left(results.dtau_da, at, left, m);
    q.add(v).add(m)
}

/// Within one joint of several degrees of freedom the force does not turn with the column: `S_iᵀ (f_C ×̄* S_j)` is
/// taken back.
#[inline(never)]
fn own_blocks(layout: &JointsLayout, memory: &JointsMemory, results: &mut Results<'_>, nv: usize, known: bool) {
    for (body, step) in layout.bodies.iter().enumerate().filter(|(_, step)| step.columns > 1) {
        if known && layout.floating.iter().any(|base| base.is(body)) {
            continue;
        }
        let lanes = step.lane + 1 - step.columns..step.lane + 1;
        let (group, last) = (step.lane / WIDTH, step.lane % WIDTH);
        let [linear, angular] = vectors_of_lane(&memory.sums[group], last);
        let f = Force::new(linear, angular);
        for j in lanes.clone() {
            let turned = f.bar_cross(of_lane(&memory.s, j));
            for i in lanes.start..j {
                // Antisymmetric: S_iᵀ (f ×̄* S_j) = S_iᵀ (S_j ×* f) = −S_jᵀ (S_i ×* f)
                let x = of_lane(&memory.s, i).power(turned);
                let (i, j) = (layout.first + i, layout.first + j);
                results.dtau_dq[j * nv + i] -= x;
                results.dtau_dq[i * nv + j] += x;
                // Both orders of a product are equal but for rounding.
                if !results.dtau_da.is_empty() {
                    results.dtau_da[i * nv + j] = results.dtau_da[j * nv + i];
                }
            }
        }
    }
}

/// Wrenches that stand still in the world do not turn with the columns, for any two joints between body and root:
/// `τ_q[i, k] += S_iᵀ (φ ×̄* S_k)`. (`Q` has taken them along, and its descendants have not.)
#[inline(never)]
fn standing(layout: &JointsLayout, memory: &JointsMemory, results: &mut Results<'_>, nv: usize) {
    for w in memory.wrenches.iter().filter(|w| w.frame == WrenchFrame::World) {
        let f = w.wrench.shifted(rnea::origin(layout, memory, w.body.index()));
        for k in path(layout, w.body.index()) {
            let turned = f.bar_cross(of_lane(&memory.s, k));
            for i in path(layout, w.body.index()) {
                results.dtau_dq[layout.to(k) * nv + layout.to(i)] += of_lane(&memory.s, i).power(turned);
            }
        }
    }
}

/// `∂τ/∂φ = −Jᵀ` of one wrench, nv × 6 column by column, after a run at the same state.
pub(crate) fn by_wrench(layout: &JointsLayout, memory: &JointsMemory, nv: usize, w: &ExternalWrench, to: &mut [f64]) {
    let b = w.body.index();
    to.fill(0.0);
    for lane in path(layout, b) {
        let s = of_lane(&memory.s, lane);
        let s = match w.frame {
            WrenchFrame::Body => rnea::pose(layout, memory, b).inv_act(s),
            WrenchFrame::World => s.shifted(v3::neg(rnea::origin(layout, memory, b))),
        };
        // Columns of a base stand after the lanes.
        if let Some(dof) = layout.dof.get(lane).copied().unwrap_or_else(|| Some(layout.to(lane))) {
            for (k, x) in s.linear.iter().chain(s.angular.iter()).enumerate() {
                to[k * nv + dof] -= x;
            }
        }
    }
}

/// The lanes of columns between a body and the root.
fn path(layout: &JointsLayout, body: usize) -> impl Iterator<Item = usize> {
    let base = layout.groups.len() * WIDTH;
    let of_base = if layout.first > 0 { base..base + 6 } else { base..base };
    let steps = std::iter::successors(Some(&layout.bodies[body]), |step| {
        layout.bodies.iter().find(|parent| parent.lane == step.parent)
    });
    let lanes = steps.flat_map(|step| step.lane + 1 - step.columns..step.lane + 1);
    lanes.filter(|lane| layout.first == 0 || *lane > 0).chain(of_base)
}
