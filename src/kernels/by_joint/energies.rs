//! Energies from inertial parameters, and the motion of the mass of subtrees, eight bodies at a time.
//! Page: `dynamics/regressor/energy.rs`, `dynamics/com.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::formulas::mass_moments::MovingMass;
use crate::kernels::Outcome;
use crate::kernels::by_joint::matrix::by_lane;
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::poses::{of_tree, splat};
use crate::kernels::by_joint::quantities::{FORCE, Row, load_matrix, store_motion};
use crate::kernels::by_joint::{JointsMemory, State, inward, outward, poses, read, sweeps};
use crate::plan::{JointConstants, JointsLayout};
use crate::spatial::{Motion, Transform, kinetic_energy_regressor, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

/// Force, momentum, mass and first moment of mass of all subtrees, without gravity. Returns whether the state is
/// finite.
pub(crate) fn masses(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    state: State<'_>,
    to: &mut [MovingMass<f64>],
) -> Outcome {
    let finite = sweeps::bodies::<{ Keep::MovingMasses as u8 }>(v3::zero(), layout, memory, state);
    masses_in_lanes(layout, memory, to);
    finite
}

kernel!(
    memory.level,
    fn masses_in_lanes<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        to: &'a mut [MovingMass<f64>],
    ) {
        for g in (0..layout.groups.len()).rev() {
            inward::sum_subtrees::<R, { FORCE + 4 }>(&layout.groups[g], &mut memory.sums, g, 0);
        }
        let mut bodies = layout.bodies.iter().zip(to).peekable();
        for (g, sums) in memory.sums.iter().enumerate() {
            let rows = by_lane::<R>(&sums[..WIDTH]);
            while let Some((step, to)) = bodies.next_if(|(step, _)| step.lane / WIDTH == g) {
                let lane = step.lane % WIDTH;
                let [a, b, c, d, e, f, mass, x] = rows[lane].0;
                *to = MovingMass {
                    force: Vector3::new(a, b, c),
                    momentum: Vector3::new(d, e, f),
                    mass,
                    moment: Vector3::new(x, sums[8].0[lane], sums[9].0[lane]),
                };
            }
        }
    },
    /// Regressors of energies, ten numbers a body, of bodies that have been placed: of the kinetic one at the velocity
    /// `v`, or of the potential one if there is none.
    pub(crate) fn regressor<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        v: Option<&'a [f64]>,
        to: &'a mut [f64],
    ) {
        if let Some(v) = v {
            read::dofs::<R>(layout, &mut memory.qd, v);
        }
        let up = v3::neg(splat::<R>(constants.gravity));
        let mut bodies = layout.bodies.iter().peekable();
        let (mut to, _) = to.as_chunks_mut::<10>();
        for (g, group) in layout.groups.iter().enumerate() {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let in_body = v3::product(&x.rotation, &load_matrix::<R>(&group.axes));
            let zero = Lanes(R::splat(0.0));
            let mut y = [zero; 10];
            if v.is_some() {
                let own = outward::subspace(group, &x).times(memory.qd[g].load::<R>());
                let v = outward::sum_from_root(group, &mut memory.velocity, g, own);
                store_motion(&mut memory.velocity[g], v);
                let of_body: Motion<Lanes<R>> = Transform::new(in_body, x.translation).inv_act(v);
                y = kinetic_energy_regressor(of_body);
            } else {
                let place = v3::add(x.translation, of_tree::<R>(layout, &memory.origins, g));
                let first = v3::rotate_back::<Lanes<R>, Lanes<R>>(&in_body, up);
                (y[0], y[1], y[2], y[3]) = (v3::dot::<Lanes<R>, Lanes<R>>(up, place), first.x, first.y, first.z);
            }
            let columns = R::transpose([y[0].0, y[1].0, y[2].0, y[3].0, y[4].0, y[5].0, y[6].0, y[7].0]);
            let (mut first, last) = ([Row::ZERO; WIDTH], [y[8].to_array(), y[9].to_array()]);
            let mut k = 0;
            while k < WIDTH {
                first[k].store(Lanes(columns[k]));
                k += 1;
            }
            while let Some(step) = bodies.next_if(|step| step.lane / WIDTH == g) {
                let lane = step.lane % WIDTH;
                let Some((own, rest)) = std::mem::take(&mut to).split_first_mut() else { return };
                own[..WIDTH].copy_from_slice(&first[lane].0);
                (own[8], own[9]) = (last[0][lane], last[1][lane]);
                to = rest;
            }
        }
    }
);
