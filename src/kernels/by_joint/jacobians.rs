//! Jacobians and their rates, and derivatives of the motion of a frame: the equations of
//! [`jacobian_rate`](crate::dynamics::jacobian_rate) and [`frame_derivatives`](crate::dynamics::frame_derivatives),
//! eight columns at a time.
//! Page: `dynamics/jacobian.rs`, `dynamics/jacobian_rate.rs`, `dynamics/frame_derivatives.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::formulas::frame_column::{FrameColumn, variation};
use crate::formulas::frame_view::FrameView;
use crate::formulas::reference_frame::ReferenceFrame;
use crate::kernels::Outcome;
use crate::kernels::by_joint::matrix::{begin, end, end_all, of_lane, of_motion, only, store};
use crate::kernels::by_joint::poses::of_tree;
use crate::kernels::by_joint::quantities::load_motion;
use crate::kernels::by_joint::{JointsMemory, outward, poses, rnea};
use crate::plan::JointsLayout;
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};

kernel!(
    memory.level,
    /// Columns of all joints in coordinates of the world, of bodies that have been placed. Returns whether they are finite.
    pub(crate) fn joints<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        to: &'a mut [f64],
    ) -> Outcome {
        begin(layout, to);
        let mut zero = R::splat(0.0);
        for (g, group) in layout.groups.iter().enumerate() {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let world = v3::neg(of_tree::<R>(layout, &memory.origins, g));
            let s = outward::subspace(group, &x).shifted::<Lanes<R>>(world);
            store::<R, 6>(layout, g, of_motion(s), to, &mut zero);
        }
        end(layout, Outcome::of(zero), to)
    },
    /// The Jacobian of a frame of body `b`, of bodies that have been placed: its first rows. Returns whether it is finite.
    pub(crate) fn of_frame<'a, R: Register, const ROWS: usize>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        b: usize,
        seen: FrameView<f64>,
        to: &'a mut [f64],
    ) -> Outcome {
        begin_path::<ROWS>(layout, b, to);
        let seen: FrameView<Lanes<R>> = seen.lift();
        let mut zero = R::splat(0.0);
        for (g, lanes) in layout.path(b) {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let s = seen.motion(outward::subspace(&layout.groups[g], &x));
            store::<R, ROWS>(layout, g, only(lanes, of_motion(s)), to, &mut zero);
        }
        end(layout, Outcome::of(zero), to)
    }
);

/// A frame as it is asked for, of bodies that have been placed.
pub(crate) fn seen(
    layout: &JointsLayout,
    memory: &JointsMemory,
    b: usize,
    placement: &Transform<f64>,
    reference: ReferenceFrame,
) -> FrameView<f64> {
    let world = v3::neg(rnea::origin(layout, memory, b));
    FrameView::at(rnea::pose(layout, memory, b) * *placement, world, reference)
}

/// How a frame of body `b` moves by small errors of the placements of joints, six columns a body.
pub(crate) fn placements(layout: &JointsLayout, memory: &JointsMemory, b: usize, seen: FrameView<f64>, to: &mut [f64]) {
    to.fill(0.0);
    placements_in_lanes(layout, memory, b, seen, to);
}

kernel!(
    memory.level,
    fn placements_in_lanes<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        b: usize,
        seen: FrameView<f64>,
        to: &'a mut [f64],
    ) {
        for i in layout.bodies_to_root(b) {
            let body = &layout.bodies[i];
            let mounting = match body.above {
                Some(parent) => rnea::pose(layout, memory, parent) * body.placement,
                None => {
                    let x = &body.placement;
                    Transform::new(x.rotation, v3::sub(x.translation, rnea::origin(layout, memory, i)))
                }
            };
            to[36 * i..][..36].copy_from_slice(seen.pose(mounting).action().as_slice());
        }
    },
    /// The rate of the Jacobian of a frame of body `b`; velocities are known. Returns whether it is finite.
    pub(crate) fn rate<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        b: usize,
        seen: FrameView<f64>,
        to: &'a mut [f64],
    ) -> Outcome {
        begin_path::<6>(layout, b, to);
        let seen: FrameView<Lanes<R>> = seen.lift();
        let v_b: Motion<Lanes<R>> = of_lane(&memory.velocity, layout.bodies[b].lane).lift();
        let mut zero = R::splat(0.0);
        for (g, lanes) in layout.path(b) {
            let (group, s) = (&layout.groups[g], load_motion::<R>(&memory.s[g]));
            let v = load_motion::<R>(&memory.velocity[g]);
            let v = if group.single { v } else { outward::permuted(v, &group.own) };
            let rate = variation(&seen, v_b, s, v.cross(s));
            store::<R, 6>(layout, g, only(lanes, of_motion(rate)), to, &mut zero);
        }
        end(layout, Outcome::of(zero), to)
    }
);

/// Before columns of the lanes between a body and the root are stored: the others are zero.
fn begin_path<const ROWS: usize>(layout: &JointsLayout, b: usize, to: &mut [f64]) {
    if layout.direct {
        for (g, to) in to.chunks_mut(ROWS * WIDTH).enumerate() {
            if !layout.passes(b, g) {
                to.fill(0.0);
            }
        }
    } else {
        to.fill(0.0);
    }
}

/// Velocity and acceleration of the body `b`; motions are known.
pub(crate) fn motions(layout: &JointsLayout, memory: &JointsMemory, b: usize) -> (Motion<f64>, Motion<f64>) {
    let lane = layout.bodies[b].lane;
    (of_lane(&memory.velocity, lane), of_lane(&memory.acceleration, lane))
}

kernel!(
    memory.level,
    /// The derivatives of the motion of a frame of body `b`, their first rows, with its classical acceleration if asked
    /// for; motions are known. Returns whether all are finite.
    pub(crate) fn derivatives<'a, R: Register, const ROWS: usize>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        b: usize,
        seen: FrameView<f64>,
        is_classical: bool,
        to: [&'a mut [f64]; 5],
    ) -> Outcome {
        memory.size_columns(layout);
        let [v_q, v_v, a_q, a_v, a_a] = to;
        for to in [&mut *v_q, v_v, a_q, a_v] {
            begin_path::<ROWS>(layout, b, to);
        }
        let velocity: Motion<Lanes<R>> = seen.motion(motions(layout, memory, b).0).lift();
        let seen = OfBody::<R>::new(layout, memory, b, seen);
        let mut zero = R::splat(0.0);
        for (g, lanes) in layout.path(b) {
            let mut by = seen.column(layout, memory, g);
            if is_classical {
                by = by.classical(velocity);
            }
            store::<R, ROWS>(layout, g, only(lanes, of_motion(by.velocity_q)), v_q, &mut zero);
            store::<R, ROWS>(layout, g, only(lanes, of_motion(by.subspace)), v_v, &mut zero);
            store::<R, ROWS>(layout, g, only(lanes, of_motion(by.acceleration_q)), a_q, &mut zero);
            store::<R, ROWS>(layout, g, only(lanes, of_motion(by.acceleration_v)), a_v, &mut zero);
        }
        a_a.copy_from_slice(v_v);
        end_all(layout, Outcome::of(zero), [v_q, v_v, a_q, a_v, a_a])
    }
);

/// A frame that is looked at, and how its body moves.
pub(crate) struct OfBody<R> {
    seen: FrameView<Lanes<R>>,
    moving: (Motion<Lanes<R>>, Motion<Lanes<R>>),
}

impl<R: Register> OfBody<R> {
    #[inline(always)]
    pub(crate) fn new(layout: &JointsLayout, memory: &JointsMemory, b: usize, seen: FrameView<f64>) -> Self {
        let (v, a) = motions(layout, memory, b);
        Self { seen: seen.lift(), moving: (v.lift(), a.lift()) }
    }

    /// What the columns of a group change.
    #[inline(always)]
    pub(crate) fn column(&self, layout: &JointsLayout, memory: &mut JointsMemory, g: usize) -> FrameColumn<Lanes<R>> {
        let s = load_motion::<R>(&memory.s[g]);
        let (v, a) = (load_motion::<R>(&memory.velocity[g]), load_motion::<R>(&memory.acceleration[g]));
        outward::keep_columns::<R>(layout, memory, g, Motion::zero(), s, v, a);
        let rows = &memory.columns[g];
        let (psi_dot, psi_ddot) = (load_motion::<R>(&rows.psi_d), load_motion::<R>(&rows.psi_dd));
        FrameColumn::new(&self.seen, self.moving, s, psi_dot, psi_ddot, load_motion::<R>(&rows.psi_s))
    }
}
