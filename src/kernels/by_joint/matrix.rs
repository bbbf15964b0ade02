//! From lanes to matrices with one column per degree of freedom.
//! Serves: `kernels/by_joint/jacobians.rs`, `kernels/by_joint/centroidal.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::Outcome;
use crate::kernels::by_joint::quantities::{Row, Six};
use crate::kernels::finite::all_finite;
use crate::plan::JointsLayout;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{DMatrix, Vector3};

/// Brings a matrix to this shape; what it holds is to be written over.
pub(crate) fn shape(m: &mut DMatrix<f64>, rows: usize, columns: usize) -> &mut [f64] {
    if m.shape() != (rows, columns) {
        *m = DMatrix::zeros(rows, columns);
    }
    m.as_mut_slice()
}

/// Before columns of all lanes are stored, where several lanes may have one degree of freedom.
pub(crate) fn begin(layout: &JointsLayout, to: &mut [f64]) {
    if !layout.direct {
        to.fill(0.0);
    }
}

/// After that: whether the sums are finite if the lanes were.
pub(crate) fn end(layout: &JointsLayout, outcome: Outcome, to: &[f64]) -> Outcome {
    outcome.and(layout.direct || all_finite(to))
}

/// The same of several matrices.
pub(crate) fn end_all<const N: usize>(layout: &JointsLayout, outcome: Outcome, to: [&mut [f64]; N]) -> Outcome {
    Outcome::when(to.iter().all(|to| end(layout, outcome, to).is_finite()))
}

/// The rows of a column each; those beyond its length are zero.
pub(crate) type Rows<R> = [R; WIDTH];

#[inline(always)]
pub(crate) fn of_motion<R: Register>(m: Motion<Lanes<R>>) -> Rows<R> {
    of_vectors(m.linear, m.angular)
}
#[inline(always)]
pub(crate) fn of_force<R: Register>(f: Force<Lanes<R>>) -> Rows<R> {
    of_vectors(f.linear, f.angular)
}
#[inline(always)]
pub(crate) fn of_vector<R: Register>(x: Vector3<Lanes<R>>) -> Rows<R> {
    let zero = Lanes(R::splat(0.0));
    of_vectors(x, Vector3::new(zero, zero, zero))
}
#[inline(always)]
pub(crate) fn of_vectors<R: Register>(a: Vector3<Lanes<R>>, b: Vector3<Lanes<R>>) -> Rows<R> {
    [a.x.0, a.y.0, a.z.0, b.x.0, b.y.0, b.z.0, R::splat(0.0), R::splat(0.0)]
}

/// The lanes of a mask; zero elsewhere.
#[inline(always)]
pub(crate) fn only<R: Register>(mask: u8, mut rows: Rows<R>) -> Rows<R> {
    let mut k = 0;
    while k < WIDTH {
        rows[k] = rows[k].where_else(mask, R::splat(0.0));
        k += 1;
    }
    rows
}

/// Columns of length `LENGTH` of the group `g` into a matrix. Adds to `zero` what is zero if all numbers are finite.
#[inline(always)]
pub(crate) fn store<R: Register, const LENGTH: usize>(
    layout: &JointsLayout,
    g: usize,
    rows: Rows<R>,
    to: &mut [f64],
    zero: &mut R,
) {
    let mut k = 0;
    while k < LENGTH {
        *zero = rows[k].mul_add(R::splat(0.0), *zero);
        k += 1;
    }
    let columns = R::transpose(rows);
    if layout.direct {
        let mut to = &mut to[g * WIDTH * LENGTH..];
        let mut lane = 0;
        while lane < WIDTH {
            let Some((column, rest)) = std::mem::take(&mut to).split_first_chunk_mut::<LENGTH>() else { return };
            columns[lane].store_first(column);
            to = rest;
            lane += 1;
        }
    } else {
        let mut numbers = [Row::ZERO; WIDTH];
        let mut lane = 0;
        while lane < WIDTH {
            numbers[lane].store(Lanes(columns[lane]));
            lane += 1;
        }
        add::<LENGTH>(layout, g, &numbers, to);
    }
}

/// Adds columns to those of their degrees of freedom.
#[inline(never)]
fn add<const LENGTH: usize>(layout: &JointsLayout, g: usize, columns: &[Row; WIDTH], to: &mut [f64]) {
    for (column, dof) in columns.iter().zip(&layout.dof[g * WIDTH..]) {
        if let Some(dof) = *dof {
            for (to, x) in to[dof * LENGTH..][..LENGTH].iter_mut().zip(column.0) {
                *to += x;
            }
        }
    }
}

/// Adds the first numbers of each lane to the columns of their degrees of freedom.
#[inline(always)]
pub(crate) fn scatter<R: Register>(
    layout: &JointsLayout,
    g: usize,
    lanes: u8,
    rows: Rows<R>,
    count: usize,
    to: &mut [f64],
    height: usize,
) {
    let columns = R::transpose(rows);
    let mut lane = 0;
    while lane < WIDTH {
        if lanes >> lane & 1 == 1
            && let Some(dof) = layout.dof[g * WIDTH + lane]
        {
            let to = &mut to[dof * height..][..count];
            R::load_first(to).add(columns[lane]).store_first(to);
        }
        lane += 1;
    }
}

/// The motion in one lane.
#[inline(always)]
pub(crate) fn of_lane(rows: &[Six], lane: usize) -> Motion<f64> {
    let [linear, angular] = vectors_of_lane(&rows[lane / WIDTH], lane % WIDTH);
    Motion::new(linear, angular)
}

/// The first two vectors in one lane of a group.
#[inline(always)]
pub(crate) fn vectors_of_lane(rows: &[Row], lane: usize) -> [Vector3<f64>; 2] {
    let vector = |k: usize| Vector3::new(rows[k].0[lane], rows[k + 1].0[lane], rows[k + 2].0[lane]);
    [vector(0), vector(3)]
}

/// Up to eight quantities of eight lanes: those of each lane side by side.
#[inline(always)]
pub(crate) fn by_lane<R: Register>(quantities: &[Row]) -> [Row; WIDTH] {
    let mut rows = [R::splat(0.0); WIDTH];
    for (to, from) in rows.iter_mut().zip(quantities) {
        *to = from.load::<R>().0;
    }
    let lanes = R::transpose(rows);
    let mut found = [Row::ZERO; WIDTH];
    let mut k = 0;
    while k < WIDTH {
        found[k] = Row(lanes[k].to_array());
        k += 1;
    }
    found
}
