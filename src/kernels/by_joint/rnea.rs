//! Inverse dynamics (RBDA, table 5.1), eight joints at a time.
//! Page: `dynamics/rnea.rs`. Test: `dynamics_as_on_the_page::torques_are_those_of_the_plain_form`.

use crate::formulas::external_wrench::WrenchFrame;
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::{JointsMemory, floating_base, inward, outward, poses, read};
use crate::kernels::rows::from_rows;
use crate::kernels::{Outcome, finite};
use crate::plan::{JointConstants, JointsLayout};
use crate::spatial::{Force, Transform, vector as v3};
use gradyn_derivatives::{Register, WIDTH};
use nalgebra::Vector3;

/// Writes the torques of a state under the wrenches of `memory` to `tau`. Returns whether they are surely finite.
/// Lengths have been checked.
pub(crate) fn rnea(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v, a): (&[f64], &[f64], &[f64]),
    tau: &mut [f64],
) -> Outcome {
    let (used_lanes, their_memory) = floating_base::without_base_lanes(layout, memory);
    let finite = rnea_in_lanes(constants, used_lanes, their_memory, q, v, a);
    collect(constants, used_lanes, their_memory, v, a, tau);
    finite.and(as_lanes(used_lanes))
}

/// Whether the torque of each degree of freedom is that of one lane. Otherwise sums may overflow where lanes are
/// finite.
#[inline(always)]
pub(crate) fn as_lanes(layout: &JointsLayout) -> bool {
    layout.direct && layout.more_joints.is_empty()
}

/// Torques from lanes to degrees of freedom, and those of joints that no lane has room for.
#[inline(always)]
pub(crate) fn collect(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &JointsMemory,
    v: &[f64],
    a: &[f64],
    tau: &mut [f64],
) {
    of_lanes(layout, memory, tau);
    constants.joints(&layout.more_joints).add_torques(v, a, tau);
}

/// Torques from lanes to degrees of freedom.
#[inline(always)]
pub(crate) fn of_lanes(layout: &JointsLayout, memory: &JointsMemory, tau: &mut [f64]) {
    if layout.direct {
        from_rows(&memory.tau, &mut tau[layout.first..]);
        if layout.first > 0
            && let Some(to) = tau.first_chunk_mut()
        {
            *to = memory.base_torques;
        }
    } else {
        tau.fill(0.0);
        for (lane, dof) in layout.dof.iter().enumerate() {
            if let Some(dof) = *dof {
                tau[dof] += memory.tau[lane / WIDTH].0[lane % WIDTH];
            }
        }
    }
}

kernel!(
    memory.level,
    fn rnea_in_lanes<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
    ) -> Outcome {
        read::state::<R>(layout, memory, q, v, a);
        poses::all::<R>(layout, memory, q);
        if layout.first > 0 {
            floating_base::base_motion(memory, v, a);
        }
        for g in 0..layout.groups.len() {
            outward::motions::<R, { Keep::Forces as u8 }>(constants, layout, memory, g);
        }
        if !memory.wrenches.is_empty() {
            subtract(layout, memory);
        }
        // Torques do not depend on the pose of the base.
        let mut zero = finite::zero_if_finite::<R>(q);
        for g in (0..layout.groups.len()).rev() {
            zero = zero.add(inward::torques::<R>(constants, layout, memory, g));
        }
        if layout.first > 0 {
            zero = zero.add(R::splat(floating_base::base_torques(memory)));
        }
        Outcome::of(zero)
    }
);

/// Pose of a body in its tree: axes of the world, origin at the root body.
#[inline(always)]
pub(crate) fn pose(layout: &JointsLayout, memory: &JointsMemory, body: usize) -> Transform<f64> {
    let step = &layout.bodies[body];
    let x = poses::of_lane(memory, step.lane);
    Transform::new(v3::product(&x.rotation, &step.axes.transpose()), x.translation)
}

/// The origin of a body's tree in the world, once the body has been placed.
#[inline(always)]
pub(crate) fn origin(layout: &JointsLayout, memory: &JointsMemory, body: usize) -> Vector3<f64> {
    memory.origins[layout.bodies[body].tree]
}

/// Subtracts the wrenches of `memory` from the forces that the bodies need.
#[inline(never)]
pub(crate) fn subtract(layout: &JointsLayout, memory: &mut JointsMemory) {
    for k in 0..memory.wrenches.len() {
        let w = memory.wrenches[k];
        let b = w.body.index();
        let f: Force<f64> = match w.frame {
            WrenchFrame::Body => pose(layout, memory, b).act(w.wrench),
            WrenchFrame::World => w.wrench.shifted(origin(layout, memory, b)),
        };
        let lane = layout.bodies[b].lane;
        let numbers = f.linear.iter().chain(f.angular.iter());
        for (row, x) in memory.sums[lane / WIDTH].iter_mut().zip(numbers) {
            row.0[lane % WIDTH] -= x;
        }
    }
}
