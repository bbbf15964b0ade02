//! The joint-torque regressor, eight rows of a column at a time, and the regressor of the center of mass, eight bodies
//! at a time.
//! Page: `dynamics/regressor/torque.rs`, `dynamics/regressor/com.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::Outcome;
use crate::kernels::by_joint::matrix::{begin, end};
use crate::kernels::by_joint::quantities::{Row, load_matrix, load_motion};
use crate::kernels::by_joint::{JointsMemory, poses};
use crate::kernels::rows::store_left;
use crate::plan::JointsLayout;
use crate::spatial::{Motion, Transform, power_regressor, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};

kernel!(
    memory.level,
    /// The regressor, nv × 10 n, of bodies whose poses and motions are kept. Entries that the tree makes zero are not
    /// written. Returns whether it is finite.
    pub(crate) fn torques<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        nv: usize,
        to: &'a mut [f64],
    ) -> Outcome {
        begin(layout, to);
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
                        store_left(to, (10 * b + k) * nv + g * WIDTH, nv - g * WIDTH, y);
                    } else {
                        add(layout, g, y.to_array(), &mut to[(10 * b + k) * nv..]);
                    }
                    k += 1;
                }
            }
        }
        end(layout, Outcome::of(sum.mul(R::splat(0.0))), to)
    },
    /// The regressor of the center of mass, 3 × 4 n, of bodies that have been placed, by one over the mass of the
    /// robot.
    pub(crate) fn com<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        share: f64,
        to: &'a mut [f64],
    ) {
        let share = R::splat(share);
        let mut bodies = layout.bodies.iter().zip(to.as_chunks_mut::<12>().0).peekable();
        for (g, group) in layout.groups.iter().enumerate() {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let r = v3::product(&x.rotation, &load_matrix::<R>(&group.axes));
            let p = v3::add(x.translation, poses::of_tree::<R>(layout, &memory.origins, g));
            let first = R::transpose([p.x.0, p.y.0, p.z.0, r.m11.0, r.m21.0, r.m31.0, r.m12.0, r.m22.0]);
            let zero = R::splat(0.0);
            let last = R::transpose([r.m32.0, r.m13.0, r.m23.0, r.m33.0, zero, zero, zero, zero]);
            let (mut eight, mut four) = ([Row::ZERO; WIDTH], [Row::ZERO; WIDTH]);
            let mut k = 0;
            while k < WIDTH {
                eight[k].store(Lanes(first[k].mul(share)));
                four[k].store(Lanes(last[k].mul(share)));
                k += 1;
            }
            while let Some((step, to)) = bodies.next_if(|(step, _)| step.lane / WIDTH == g) {
                let lane = step.lane % WIDTH;
                to[..WIDTH].copy_from_slice(&eight[lane].0);
                to[WIDTH..].copy_from_slice(&four[lane].0[..4]);
            }
        }
    }
);

/// Adds to rows of a column what their lanes hold.
#[inline(never)]
fn add(layout: &JointsLayout, g: usize, x: [f64; WIDTH], to: &mut [f64]) {
    for (x, dof) in x.into_iter().zip(&layout.dof[g * WIDTH..]) {
        if let Some(dof) = *dof {
            to[dof] += x;
        }
    }
}
