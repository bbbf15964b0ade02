//! The components of matrix entries, and how they are written to their places.
//! Serves: `kernels/by_joint/derivatives.rs`, `kernels/by_joint/mass_matrix.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

use crate::kernels::by_joint::quantities::Six;
use crate::plan::joints::{JointsLayout, Pair};
use crate::spatial::Motion;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

/// `rowsᵀ x` for lane `lane` of `x`.
#[inline(always)]
pub(crate) fn product<R: Register>(rows: &Motion<Lanes<R>>, x: &Six, lane: usize) -> R {
    let lane = lane & (WIDTH - 1);
    let y = rows.linear.x.0.mul(R::splat(x[0].0[lane]));
    let y = rows.linear.y.0.mul_add(R::splat(x[1].0[lane]), y);
    let y = rows.linear.z.0.mul_add(R::splat(x[2].0[lane]), y);
    let y = rows.angular.x.0.mul_add(R::splat(x[3].0[lane]), y);
    let y = rows.angular.y.0.mul_add(R::splat(x[4].0[lane]), y);
    rows.angular.z.0.mul_add(R::splat(x[5].0[lane]), y)
}

/// `y + rowsᵀ x` for the angular part of lane `lane` of `x`.
#[inline(always)]
pub(crate) fn plus_angular<R: Register>(rows: &Vector3<Lanes<R>>, x: &Six, lane: usize, y: R) -> R {
    let lane = lane & (WIDTH - 1);
    let y = rows.x.0.mul_add(R::splat(x[3].0[lane]), y);
    let y = rows.y.0.mul_add(R::splat(x[4].0[lane]), y);
    rows.z.0.mul_add(R::splat(x[5].0[lane]), y)
}

/// Eight rows of one column of the mass matrix, from motions `S` and momenta `A = I_C S`: `S_iᵀ A_j` where row `i`
/// carries the column's body, `A_iᵀ S_j` where it descends from it: the same products in the same order, so that the
/// matrix is symmetric to the bit.
#[inline(always)]
pub(crate) fn mass<R: Register>(
    s: &Motion<Lanes<R>>,
    a: &Motion<Lanes<R>>,
    pair: &Pair,
    column_s: &Six,
    column_a: &Six,
    lane: usize,
) -> R {
    let mut m = R::splat(0.0);
    if pair.below != 0 {
        m = product(a, column_s, lane).where_else(pair.below, m);
    }
    if pair.above != 0 {
        m = product(s, column_a, lane).where_else(pair.above, m);
    }
    m
}

/// From lanes to degrees of freedom, nv × nv: those of a mimic joint are its leader's. `from` gives the entry of a
/// column and a row of lanes.
pub(crate) fn fold(layout: &JointsLayout, from: impl Fn(usize, usize) -> f64, to: &mut [f64], nv: usize) {
    to.fill(0.0);
    for (rows, pairs) in layout.pairs.iter().enumerate() {
        for pair in pairs {
            let Some(column) = layout.dof[pair.column] else { continue };
            for lane in rows * WIDTH..(rows + 1) * WIDTH {
                if let Some(row) = layout.dof[lane]
                    && (pair.above | pair.below) >> (lane % WIDTH) & 1 == 1
                {
                    to[column * nv + row] += from(pair.column, lane);
                }
            }
        }
    }
}

/// One triangle from the other: the sums of a fold come in two orders.
pub(crate) fn mirror(m: &mut [f64], nv: usize) {
    for column in 0..nv {
        for row in 0..column {
            m[row * nv + column] = m[column * nv + row];
        }
    }
}
