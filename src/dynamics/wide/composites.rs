//! Columns and their rates, and what second derivatives make of them and of sums over subtrees, brought from lanes to links.

use super::memory::{Six, load_coriolis, load_inertia, load_motion, load_sum_force};
use super::{Layout, Memory, rnea};
use crate::dynamics::links::Links;
use crate::dynamics::rnea_second::{self, Column, NUMBERS};
use crate::model::Model;
use crate::spatial::Motion;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use nalgebra::Vector3;

/// From lanes that have been driven with all that derivatives need.
pub(super) fn bring(layout: &Layout, memory: &Memory, links: &mut Links<f64>, second: &mut rnea_second::Memory<f64>) {
    for (lane, column) in layout.column.iter().enumerate() {
        if let Some(column) = *column {
            let (g, k) = (lane / WIDTH, lane % WIDTH);
            let from = &memory.columns[g];
            links.columns[column] = motion(&memory.s[g], k);
            links.psi_dot[column] = motion(&from.psi_d, k);
            links.psi_ddot[column] = motion(&from.psi_dd, k);
            links.psi_s_dot[column] = motion(&from.psi_s, k);
        }
    }
    memory.level.run(Bring { layout, memory, columns: &mut second.columns });
}

/// What the equations of second derivatives have of each column, eight at a time.
struct Bring<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    columns: &'a mut [Column<f64>],
}

impl Kernel for Bring<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { layout, memory, columns } = self;
        for (g, of_lanes) in layout.column.chunks_exact(WIDTH).enumerate() {
            let (from, sums) = (&memory.columns[g], &memory.sums[g]);
            let motions = [&memory.s[g], &from.psi_d, &from.psi_dd, &from.psi_s].map(load_motion::<R>);
            let all =
                Column::new(motions, load_inertia::<R>(sums), &load_coriolis::<R>(sums), load_sum_force::<R>(sums));
            let mut of_lane = [[0.0; NUMBERS]; WIDTH];
            for (k, eight) in all.numbers().as_chunks::<WIDTH>().0.iter().enumerate() {
                let [a, b, c, d, e, f, g, h] = *eight;
                for (lane, row) in R::transpose([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]).into_iter().enumerate() {
                    of_lane[lane].as_chunks_mut::<WIDTH>().0[k] = row.to_array();
                }
            }
            for (numbers, column) in of_lane.iter().zip(of_lanes) {
                if let Some(column) = *column {
                    columns[column] = Column::from_numbers(numbers);
                }
            }
        }
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
