//! The joint-torque regressor, eight rows of a column at a time.

use super::entries::store;
use super::memory::load_motion;
use super::{Layout, Memory};
use crate::spatial::{Motion, Transform, power_regressor};
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};

/// The regressor, nv × 10 n, of bodies whose poses and motions are kept. Entries that the tree makes zero are not written. Is
/// it finite?
pub(super) fn torques(layout: &Layout, memory: &Memory, nv: usize, to: &mut [f64]) -> bool {
    if !layout.direct {
        to.fill(0.0);
    }
    memory.level.run(Torques { layout, memory, nv, to })
}

struct Torques<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    nv: usize,
    to: &'a mut [f64],
}

impl Kernel for Torques<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, nv, to } = self;
        let mut sum = R::splat(0.0);
        for (b, step) in layout.bodies.iter().enumerate() {
            let (bodies, lane) = (&memory.bodies[step.lane / WIDTH], step.lane % WIDTH);
            let x: Transform<Lanes<R>> = bodies.pose_of(lane);
            let (v, a) = (bodies.velocity_of(lane), bodies.acceleration_of(lane));
            for (g, lanes) in layout.path(b) {
                let s: Motion<Lanes<R>> = x.inv_act(load_motion::<R>(&memory.s[g]));
                let y: [Lanes<R>; 10] = power_regressor(s, v, a);
                let mut k = 0;
                while k < 10 {
                    let y = y[k].0.where_else(lanes, R::splat(0.0));
                    sum = sum.add(y);
                    if layout.direct {
                        store(to, (10 * b + k) * nv + g * WIDTH, nv - g * WIDTH, y);
                    } else {
                        add(layout, g, y.to_array(), &mut to[(10 * b + k) * nv..]);
                    }
                    k += 1;
                }
            }
        }
        sum.mul(R::splat(0.0)).all_lt(R::splat(1.0))
    }
}

/// Adds to rows of a column what their lanes hold.
#[inline(never)]
fn add(layout: &Layout, g: usize, x: [f64; WIDTH], to: &mut [f64]) {
    for (x, dof) in x.into_iter().zip(&layout.dof[g * WIDTH..]) {
        if let Some(dof) = *dof {
            to[dof] += x;
        }
    }
}
