//! The mass matrix: composite rigid bodies, eight rows of a column at a time.
//! Page: `dynamics/crba.rs`. Source: RBDA, table 6.2. Test:
//! `dynamics_as_on_the_page::the_mass_matrix_and_what_comes_of_it_are_those_of_the_plain_forms`.

use crate::kernels::blocks::{self, place};
use crate::kernels::by_joint::quantities::{INERTIA, Row, Six, load_motion};
use crate::kernels::by_joint::{JointsMemory, inward, matrix_entries, outward, poses, read};
use crate::kernels::{Outcome, finite};
use crate::plan::joints::{Carried, JointRows, JointsLayout};
use crate::spatial::Motion;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::DMatrix;

/// The mass matrix of all lanes into `memory.mass`, of which blocks right of the diagonal are left out, and what its
/// pivots are compared with into `memory.scale`. Lengths have been checked.
pub(crate) fn of_lanes(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64]) {
    memory.size_mass(layout);
    let _ = mass_matrix_in_lanes(layout, memory, q, true, &mut []); // factors look at pivots
}

/// The mass matrix. Entries that the tree makes zero may not be written. Lengths have been checked.
/// Returns whether it and the state are certainly finite.
#[inline]
pub(crate) fn mass_matrix(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    q: &[f64],
    to: &mut DMatrix<f64>,
) -> Outcome {
    if !layout.direct {
        of_lanes(layout, memory, q);
        collect(layout, memory, to);
        return Outcome::Unknown;
    }
    memory.size_mass(layout);
    let finite = mass_matrix_in_lanes(layout, memory, q, false, to.as_mut_slice());
    add_more_joints(layout, to);
    finite.and(layout.more_joints.is_empty())
}

/// From `memory.mass` to degrees of freedom, where lanes are not these.
pub(crate) fn collect(layout: &JointsLayout, memory: &JointsMemory, to: &mut DMatrix<f64>) {
    let (nv, groups) = (to.nrows(), layout.groups.len());
    let of_lanes = |column: usize, row: usize| {
        let (low, high) = if row / WIDTH > column / WIDTH { (row, column) } else { (column, row) };
        memory.mass[place(groups, low, high / WIDTH)].0[high % WIDTH]
    };
    matrix_entries::fold(layout, of_lanes, to.as_mut_slice(), nv);
    matrix_entries::mirror(to.as_mut_slice(), nv);
    add_more_joints(layout, to);
}

/// What lanes have no room for.
fn add_more_joints(layout: &JointsLayout, to: &mut DMatrix<f64>) {
    for entry in &layout.more_joints {
        to[(entry.index, entry.index)] += entry.mass();
    }
}

kernel!(
    memory.level,
    /// Whether the state and the diagonal blocks, which include every moving body, are finite.
    fn mass_matrix_in_lanes<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        /// Whether `memory.scale` is needed.
        scales: bool,
        /// Where lanes are degrees of freedom: the matrix, nv × nv, if it is asked for there and not in `memory.mass`.
        to: &'a mut [f64],
    ) -> Outcome {
        read::configuration::<R>(layout, memory, q);
        poses::all::<R>(layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::inertias::<R, INERTIA>(layout, memory, g);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::momenta::<R>(layout, memory, g, scales);
        }
        let mut zero = finite::zero_if_finite::<R>(q);
        zero = zero.add(fill::<R>(layout, memory, layout.nv, to));
        Outcome::of(zero)
    }
);

/// The matrix from the momenta of all columns, `m_ij = S_iᵀ A_j` where `i` carries the body of `j`: into `to`, or if it
/// is empty into `memory.mass`. Returns zero if sums of the blocks on the diagonal are finite.
#[inline(always)]
pub(crate) fn fill<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, nv: usize, to: &mut [f64]) -> R {
    let mut zero = R::splat(0.0);
    let groups = layout.groups.len();
    let (mass, _) = memory.mass.as_chunks_mut::<WIDTH>();
    for (g, carried) in layout.carried.iter().enumerate() {
        let s = load_motion::<R>(&memory.s[g]);
        for Carried { group, above } in carried {
            let mut columns = block::<R>(&s, &memory.columns[*group].a, above);
            if *group == g {
                complete(&mut columns, &layout.joints[g]);
                let [a, b, c, d, e, f, g, h] = columns;
                let sum = (a.add(b).add(c.add(d))).add(e.add(f).add(g.add(h)));
                zero = sum.mul_add(R::splat(0.0), zero);
            }
            if to.is_empty() {
                blocks::store(&mut mass[group * groups + g], &columns);
            } else {
                let (column, row) = (group * WIDTH, g * WIDTH);
                blocks::write_at(&columns, (column, row), to, (nv, nv));
                if *group != g {
                    blocks::write_at(&R::transpose(columns), (row, column), to, (nv, nv));
                }
            }
        }
    }
    zero
}

/// Eight rows of eight columns.
#[inline(always)]
fn block<R: Register>(s: &Motion<Lanes<R>>, a: &Six, above: &[u8; WIDTH]) -> [R; WIDTH] {
    let mut columns = [R::splat(0.0); WIDTH];
    let mut k = 0;
    while k < WIDTH {
        if above[k] != 0 {
            columns[k] = matrix_entries::product(s, a, k).where_else(above[k], R::splat(0.0));
        }
        k += 1;
    }
    columns
}

/// On the diagonal one triangle is there, since whoever carries a body stands before it: the other is its mirror image.
/// And the diagonal has what joints add.
#[inline(always)]
fn complete<R: Register>(columns: &mut [R; WIDTH], joints: &JointRows) {
    let rows = R::transpose(*columns);
    let mut k = 0;
    while k < WIDTH {
        columns[k] = columns[k].where_else(UP_TO[k], rows[k]);
        k += 1;
    }
    if joints.some {
        let mass = inward::joint_dynamics::<R>(joints).mass().0;
        let mut k = 0;
        while k < WIDTH {
            columns[k] = mass.mul_add(Lanes::<R>::unit(k).0, columns[k]);
            k += 1;
        }
    }
}

/// The lanes up to each one.
const UP_TO: [u8; WIDTH] = [0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff];

/// What the pivots of the degrees of freedom are compared with.
pub(crate) fn scales(layout: &JointsLayout, memory: &JointsMemory, to: &mut [Row]) {
    if layout.direct {
        for (to, scale) in to.iter_mut().zip(&memory.scale) {
            *to = *scale;
        }
        return;
    }
    to.fill(Row::ZERO);
    for (lane, dof) in layout.dof.iter().enumerate() {
        if let Some(dof) = *dof {
            to[dof / WIDTH].0[dof % WIDTH] += memory.scale[lane / WIDTH].0[lane % WIDTH];
        }
    }
}
