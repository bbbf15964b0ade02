//! Jacobians and their rates, and derivatives of the motion of a frame: the equations of
//! [`jacobian_rate`](crate::dynamics::jacobian_rate) and [`frame_derivatives`](crate::dynamics::frame_derivatives), eight
//! columns at a time.

use super::matrix::{begin, of_lane, of_motion, only, shape, store};
use super::memory::load_motion;
use super::outward::{self, of_tree};
use super::{Layout, Memory, rnea};
use crate::dynamics::frame_derivatives::Column;
use crate::dynamics::jacobian_rate::variation;
use crate::dynamics::reference::Attached;
use crate::dynamics::seen::Seen;
use crate::dynamics::{FrameDerivatives, ReferenceFrame};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};

/// Columns of all joints in coordinates of the world, of bodies that have been placed. Are they finite?
pub(super) fn joints(layout: &Layout, memory: &Memory, to: &mut [f64]) -> bool {
    begin(layout, to);
    memory.level.run(Joints { layout, memory, to })
}

struct Joints<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    to: &'a mut [f64],
}

impl Kernel for Joints<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, to } = self;
        let mut zero = R::splat(0.0);
        for (g, group) in layout.groups.iter().enumerate() {
            let x = outward::poses::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let world = v3::neg(of_tree::<R>(layout, &memory.origins, g));
            let s = outward::subspace(group, &x).shifted::<Lanes<R>>(world);
            store::<R, 6>(layout, g, of_motion(s), to, &mut zero);
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// A frame as it is asked for, of bodies that have been placed.
pub(super) fn seen(
    layout: &Layout,
    memory: &Memory,
    b: usize,
    at: &Attached<f64>,
    reference: ReferenceFrame,
) -> Seen<f64> {
    let world = v3::neg(memory.origins[layout.bodies[b].tree]);
    Seen::at(rnea::pose(layout, memory, b) * at.placement, world, reference)
}

/// The rate of the Jacobian of a frame of body `b`; velocities are known. Is it finite?
pub(super) fn rate(layout: &Layout, memory: &Memory, b: usize, seen: Seen<f64>, to: &mut [f64]) -> bool {
    begin_path(layout, b, to);
    memory.level.run(Rate { layout, memory, b, seen, to })
}

struct Rate<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    b: usize,
    seen: Seen<f64>,
    to: &'a mut [f64],
}

impl Kernel for Rate<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, b, seen, to } = self;
        let seen: Seen<Lanes<R>> = seen.lift();
        let v_b: Motion<Lanes<R>> = of_lane(&memory.velocity, layout.bodies[b].lane).lift();
        let mut zero = R::splat(0.0);
        for (g, lanes) in layout.path(b) {
            let (group, s) = (&layout.groups[g], load_motion::<R>(&memory.s[g]));
            let v = load_motion::<R>(&memory.velocity[g]);
            let v = if group.single { v } else { outward::permuted(v, &group.own) };
            let rate = variation(&seen, v_b, s, v.cross(s));
            store::<R, 6>(layout, g, only(lanes, of_motion(rate)), to, &mut zero);
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// Before columns of the lanes between a body and the root are stored, six rows each: the others are zero.
fn begin_path(layout: &Layout, b: usize, to: &mut [f64]) {
    if layout.direct {
        for (g, to) in to.chunks_mut(6 * WIDTH).enumerate() {
            if !layout.passes(b, g) {
                to.fill(0.0);
            }
        }
    } else {
        to.fill(0.0);
    }
}

/// Motion of a frame of body `b`, and its derivatives; motions are known. Are all finite?
pub(super) fn frame(
    layout: &Layout,
    memory: &mut Memory,
    b: usize,
    seen: Seen<f64>,
    out: &mut FrameDerivatives,
    nv: usize,
) -> bool {
    memory.size_columns(layout);
    let lane = layout.bodies[b].lane;
    let (v, a) = (of_lane(&memory.velocity, lane), of_lane(&memory.acceleration, lane));
    (out.velocity, out.acceleration) = (seen.motion(v), seen.motion(a));
    let mut to = [
        &mut out.dvelocity_dq,
        &mut out.dvelocity_dv,
        &mut out.dacceleration_dq,
        &mut out.dacceleration_dv,
        &mut out.dacceleration_da,
    ]
    .map(|m| shape(m, 6, nv));
    for to in &mut to[..4] {
        begin_path(layout, b, to);
    }
    memory.level.run(Frame { layout, memory, b, seen, of_body: (v, a), to })
}

struct Frame<'a> {
    layout: &'a Layout,
    memory: &'a mut Memory,
    b: usize,
    seen: Seen<f64>,
    of_body: (Motion<f64>, Motion<f64>),
    to: [&'a mut [f64]; 5],
}

impl Kernel for Frame<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, b, seen, of_body, to: [v_q, v_v, a_q, a_v, a_a] } = self;
        let seen: Seen<Lanes<R>> = seen.lift();
        let (v_b, a_b): (Motion<Lanes<R>>, Motion<Lanes<R>>) = (of_body.0.lift(), of_body.1.lift());
        let mut zero = R::splat(0.0);
        for (g, lanes) in layout.path(b) {
            let s = load_motion::<R>(&memory.s[g]);
            let (v, a) = (load_motion::<R>(&memory.velocity[g]), load_motion::<R>(&memory.acceleration[g]));
            outward::keep_columns::<R>(layout, memory, g, Motion::zero(), s, v, a);
            let rows = &memory.columns[g];
            let (psi_dot, psi_ddot) = (load_motion::<R>(&rows.psi_d), load_motion::<R>(&rows.psi_dd));
            let by = Column::new(&seen, (v_b, a_b), s, psi_dot, psi_ddot, load_motion::<R>(&rows.psi_s));
            store::<R, 6>(layout, g, only(lanes, of_motion(by.velocity_q)), v_q, &mut zero);
            store::<R, 6>(layout, g, only(lanes, of_motion(by.subspace)), v_v, &mut zero);
            store::<R, 6>(layout, g, only(lanes, of_motion(by.acceleration_q)), a_q, &mut zero);
            store::<R, 6>(layout, g, only(lanes, of_motion(by.acceleration_v)), a_v, &mut zero);
        }
        a_a.copy_from_slice(v_v);
        zero.all_lt(R::splat(1.0))
    }
}
