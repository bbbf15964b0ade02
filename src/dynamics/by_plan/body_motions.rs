//! Poses and motions of bodies, copied from lanes to bodies.

use crate::dynamics::placed::Placed;
use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::matrix::{by_lane, of_lane};
use crate::kernels::by_joint::rnea::{origin, pose};
use crate::kernels::macros::kernel;
use crate::plan::{JointsLayout, Row};
use crate::spatial::Motion;
use gradyn_derivatives::{Register, WIDTH};
use nalgebra::Vector3;

/// Poses, velocities and accelerations of some bodies as they are in `memory`, and the origins of their trees; and the
/// columns of all joints if asked for.
pub(crate) fn body_states(
    layout: &JointsLayout,
    memory: &JointsMemory,
    bodies: impl Iterator<Item = usize>,
    columns: bool,
    placed: &mut Placed<f64>,
) {
    if columns {
        copy_columns(layout, memory, &mut placed.columns);
    }
    for i in bodies {
        placed.pose[i] = pose(layout, memory, i);
        placed.set_origin(i, origin(layout, memory, i));
        let lane = layout.bodies[i].lane;
        placed.velocity[i] = of_lane(&memory.velocity, lane);
        placed.acceleration[i] = of_lane(&memory.acceleration, lane);
    }
}

kernel!(
    memory.level,
    fn copy_columns<'a, R: Register>(layout: &'a JointsLayout, memory: &'a JointsMemory, to: &'a mut [Motion<f64>]) {
        let mut bodies = layout.bodies.iter().peekable();
        let mut to = to.iter_mut();
        for (g, s) in memory.s.iter().enumerate() {
            let columns = by_lane::<R>(s);
            while let Some(step) = bodies.next_if(|step| step.lane / WIDTH == g) {
                let last = step.lane % WIDTH;
                for (column, to) in columns[last + 1 - step.v.len()..=last].iter().zip(to.by_ref()) {
                    *to = motion(column);
                }
            }
        }
    }
);

#[inline(always)]
fn motion(row: &Row) -> Motion<f64> {
    let [a, b, c, d, e, f, ..] = row.0;
    Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
}
