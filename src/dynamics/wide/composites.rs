//! Columns, their rates, and sums over subtrees, brought from lanes to the links that second derivatives are made of.

use super::memory::{FORCE, INERTIA, Six};
use super::{Layout, Memory, rnea};
use crate::dynamics::links::Links;
use crate::dynamics::rnea_second;
use crate::model::Model;
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3};
use gradyn_derivatives::simd::WIDTH;
use nalgebra::{Matrix3, Vector3};

/// From lanes that have been driven with all that derivatives need.
pub(super) fn bring(
    model: &Model,
    layout: &Layout,
    memory: &Memory,
    links: &mut Links<f64>,
    second: &mut rnea_second::Memory<f64>,
) {
    let mut column = 0;
    for (i, (body, step)) in model.bodies.iter().zip(&layout.bodies).enumerate() {
        for lane in step.lane + 1 - body.v.len()..=step.lane {
            let (g, k) = (lane / WIDTH, lane % WIDTH);
            let from = &memory.columns[g];
            links.columns[column] = motion(&memory.s[g], k);
            links.psi_dot[column] = motion(&from.psi_d, k);
            links.psi_ddot[column] = motion(&from.psi_dd, k);
            links.psi_s_dot[column] = motion(&from.psi_s, k);
            column += 1;
        }
        let (sums, k) = (&memory.sums[step.lane / WIDTH], step.lane % WIDTH);
        let at = |row: usize| sums[row].0[k];
        let vector = |row: usize| Vector3::new(at(row), at(row + 1), at(row + 2));
        second.force[i] = Force::new(vector(0), vector(3));
        const M: usize = FORCE + 4;
        second.inertia[i] = InertiaAboutOrigin {
            mass: at(FORCE),
            first_moment: vector(FORCE + 1),
            moment: Symmetric3::new(at(M), at(M + 1), at(M + 2), at(M + 3), at(M + 4), at(M + 5)),
        };
        const B: usize = FORCE + INERTIA;
        let (a, b, c) = (vector(B + 3), vector(B + 6), vector(B + 9));
        second.coriolis[i] =
            BodyCoriolis { momentum: vector(B), angular: Matrix3::new(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z) };
    }
}

/// Poses of bodies and origins of trees, for wrenches.
pub(super) fn poses(model: &Model, layout: &Layout, memory: &Memory, links: &mut Links<f64>) {
    for (i, body) in model.bodies.iter().enumerate() {
        links.pose[i] = rnea::pose(layout, memory, i);
        if body.parent.is_none() {
            links.origin[i] = rnea::origin(layout, memory, i);
        }
    }
}

#[inline(always)]
fn motion(m: &Six, k: usize) -> Motion<f64> {
    Motion::new(Vector3::new(m[0].0[k], m[1].0[k], m[2].0[k]), Vector3::new(m[3].0[k], m[4].0[k], m[5].0[k]))
}
