//! The sweeps that several results begin with. Each is compiled once, not into every result.
//! Serves: `dynamics/by_plan/motions.rs`. Test: `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::quantities::{FORCE, store_motion};
use crate::kernels::by_joint::{JointsMemory, State, bodies, inward, outward, poses, read};
use crate::kernels::{Outcome, finite};
use crate::plan::JointsLayout;
use gradyn_derivatives::{Register, WIDTH};
use nalgebra::Vector3;

kernel!(
    memory.level,
    /// Poses of bodies at `q`: of all, or of those from the root to one. Returns whether `q` is finite.
    pub(crate) fn poses<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        to: Option<usize>,
    ) -> Outcome {
        let (end, last) = to.map_or((layout.bodies.len(), 0), |body| (body + 1, body));
        poses::of_roots(layout, memory);
        read::angles(layout, memory, q);
        for (k, angles) in layout.angles.iter().enumerate() {
            if to.is_none_or(|body| layout.turns(body, k)) {
                read::cos_sin_of_angles::<R>(memory, q, k, angles.as_ref());
            }
        }
        read::cos_sin(layout, memory, q);
        let mut placed = poses::Last::world(layout, memory);
        for i in 0..end {
            // Its subtree goes on to the last of them.
            if layout.bodies[i].subtree_end > last {
                poses::of_body::<R>(layout, memory, q, i, &mut placed);
            }
        }
        Outcome::of(finite::zero_if_finite::<R>(q))
    },
    /// Poses and motions of all bodies in the field of some gravity, and what is to be kept of them says
    /// [`motions`](outward::motions_in_field). Returns whether the state is finite, and the stored quantities of
    /// bodies.
    pub(crate) fn bodies<'a, R: Register, const KEPT: u8>(
        gravity: Vector3<f64>,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        state: State<'a>,
    ) -> Outcome {
        let (q, v, a) = state;
        let zero = finite::zero_if_finite::<R>(q);
        let zero = zero.add(read::dofs::<R>(layout, &mut memory.qd, v));
        let mut zero = zero.add(read::dofs::<R>(layout, &mut memory.qdd, a));
        read::configuration::<R>(layout, memory, q);
        poses::all::<R>(layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::motions_in_field::<R, KEPT>(gravity, layout, memory, g, false);
        }
        if Keep::is(KEPT, Keep::Bodies) {
            for g in 0..layout.groups.len() {
                zero = zero.add(bodies::zero_if_finite(layout, memory, g));
            }
        }
        Outcome::of(zero)
    },
    /// Columns of bodies that have been placed.
    pub(crate) fn columns<'a, R: Register>(layout: &'a JointsLayout, memory: &'a mut JointsMemory) {
        for (g, group) in layout.groups.iter().enumerate() {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            store_motion(&mut memory.s[g], outward::subspace(group, &x));
        }
    }
);

/// Mass and first moment.
pub(crate) const WEIGHTS: usize = 4;

kernel!(
    memory.level,
    /// Columns of bodies that have been placed, and the first numbers of their inertias, summed up over subtrees:
    /// [`WEIGHTS`] or [`INERTIA`] of them.
    pub(crate) fn subtree_inertias<'a, R: Register, const ROWS: usize>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
    ) {
        for g in 0..layout.groups.len() {
            outward::inertias::<R, ROWS>(layout, memory, g);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::sum_subtrees::<R, ROWS>(&layout.groups[g], &mut memory.sums, g, FORCE);
        }
    }
);

/// Motions of bodies that have been placed, in the field of some gravity: of all, or of those from the root to one,
/// with others in their groups. What is kept of them says [`motions`](outward::motions_in_field), with sums over
/// subtrees where there are columns. `a` is empty where accelerations are not kept. Returns whether `v` and `a` are
/// finite.
pub(crate) fn motions<const KEPT: u8>(
    gravity: Vector3<f64>,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    v: &[f64],
    a: &[f64],
    to: Option<usize>,
) -> Outcome {
    if Keep::reaches(KEPT, Keep::Derivatives) {
        memory.size_columns(layout);
    }
    motions_in_lanes::<KEPT>(gravity, layout, memory, v, a, to)
}

kernel!(
    memory.level,
    fn motions_in_lanes<'a, R: Register, const KEPT: u8>(
        gravity: Vector3<f64>,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        v: &'a [f64],
        a: &'a [f64],
        to: Option<usize>,
    ) -> Outcome {
        let mut zero = read::dofs::<R>(layout, &mut memory.qd, v);
        if !Keep::is(KEPT, Keep::Velocities) {
            zero = zero.add(read::dofs::<R>(layout, &mut memory.qdd, a));
        }
        for g in 0..layout.groups.len() {
            if to.is_none_or(|body| layout.passes(body, g)) {
                outward::motions_in_field::<R, KEPT>(gravity, layout, memory, g, false);
            }
        }
        if Keep::reaches(KEPT, Keep::Derivatives) {
            for g in (0..layout.groups.len()).rev() {
                inward::everything::<R>(layout, memory, g, false);
            }
        }
        Outcome::of(zero)
    }
);
