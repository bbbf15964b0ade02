//! Columns and their rates, and the products of second derivatives with them and with sums over subtrees, copied from
//! lanes to columns.

use crate::dynamics::placed::Placed;
use crate::dynamics::rnea_second::{self, Column, Motions, RneaSecondMemory};
use crate::kernels::by_joint::quantities::{load_coriolis, load_inertia, load_motion, load_sum_force};
use crate::kernels::by_joint::{JointsMemory, rnea};
use crate::kernels::macros::kernel;
use crate::plan::JointsLayout;
use gradyn_derivatives::{Lanes, Register, WIDTH};

/// From lanes that have been driven with all that derivatives need.
pub(crate) fn copy_columns(layout: &JointsLayout, memory: &JointsMemory, second: &mut RneaSecondMemory<f64>) {
    let RneaSecondMemory { columns, motions, .. } = second;
    columns_in_lanes(layout, memory, columns, motions);
}

kernel!(
    memory.level,
    /// What second derivatives have of each column, made eight at a time.
    fn columns_in_lanes<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        columns: &'a mut [Column<f64>],
        motions: &'a mut [Motions<f64>],
    ) {
        for (g, of_lanes) in layout.column.chunks_exact(WIDTH).enumerate() {
            let (from, sums) = (&memory.columns[g], &memory.sums[g]);
            let s = load_motion::<R>(&memory.s[g]);
            let (psi_d, psi_dd) = (load_motion::<R>(&from.psi_d), load_motion::<R>(&from.psi_dd));
            let rates = [s, psi_d, psi_dd, load_motion::<R>(&from.psi_s)];
            let all = Column::new(rates, load_inertia(sums), &load_coriolis(sums), load_sum_force(sums));
            to_columns(of_lanes, &rnea_second::motions(&rates), motions, |motions| motions);
            to_columns(of_lanes, &all.0, columns, |column| &mut column.0);
        }
    }
);

/// Numbers of eight lanes to the columns of these lanes.
#[inline(always)]
fn to_columns<R: Register, C, const N: usize>(
    lanes: &[Option<usize>],
    from: &[Lanes<R>; N],
    to: &mut [C],
    numbers: fn(&mut C) -> &mut [f64; N],
) {
    for (k, eight) in from.as_chunks::<WIDTH>().0.iter().enumerate() {
        let [a, b, c, d, e, f, g, h] = *eight;
        let rows = R::transpose([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
        for (lane, row) in lanes.iter().zip(rows) {
            if let Some(column) = *lane {
                numbers(&mut to[column]).as_chunks_mut().0[k] = row.to_array();
            }
        }
    }
    const { assert!(N.is_multiple_of(WIDTH)) }
}

/// Poses of bodies and origins of trees, for wrenches.
pub(crate) fn copy_poses(layout: &JointsLayout, memory: &JointsMemory, placed: &mut Placed<f64>) {
    for (i, body) in layout.bodies.iter().enumerate() {
        placed.pose[i] = rnea::pose(layout, memory, i);
        if body.above.is_none() {
            placed.set_origin(i, rnea::origin(layout, memory, i));
        }
    }
}
