//! Results from mass and first moment of subtrees: gravity, the Jacobian of the center of mass. And energies.
//! Page: `dynamics/bias.rs`, `dynamics/com.rs`, `dynamics/energy.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::formulas::mass_moments::moved;
use crate::kernels::Outcome;
use crate::kernels::by_joint::matrix::{begin, end, of_vector, only, store};
use crate::kernels::by_joint::poses::{of_tree, splat};
use crate::kernels::by_joint::quantities::{load_motion, load_vector, load_weight, store_motion};
use crate::kernels::by_joint::subtree::Subtree;
use crate::kernels::by_joint::{JointsMemory, inward, outward, poses, read, subtree};
use crate::plan::{JointConstants, JointsLayout};
use crate::spatial::{Force, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

kernel!(
    memory.level,
    /// Torques that hold the robot still into `memory.tau`, from the weights of subtrees. Returns whether they are
    /// finite.
    pub(crate) fn gravity<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
    ) -> Outcome {
        let up = v3::neg(splat::<R>(constants.gravity));
        let mut zero = R::splat(0.0);
        for g in 0..layout.groups.len() {
            let (mass, first_moment) = load_weight::<R>(&memory.sums[g]);
            let f = Force::new(v3::scale(mass, up), v3::cross(first_moment, up));
            let tau = load_motion::<R>(&memory.s[g]).power(f);
            zero = tau.0.mul_add(R::splat(0.0), zero);
            memory.tau[g].store(tau);
        }
        Outcome::of(zero)
    }
);

/// Mass of the robot; puts the center of mass, in coordinates of each tree, into `memory.centers`. From the weights of
/// subtrees.
pub(crate) fn center(layout: &JointsLayout, memory: &mut JointsMemory) -> f64 {
    let apart = |origins: &[Vector3<f64>], tree: usize| v3::sub(origins[tree], origins[0]);
    let (mut mass, mut moment) = (0.0, v3::zero());
    for (tree, (root, _)) in layout.roots.iter().enumerate() {
        let lane = layout.bodies[*root].lane;
        let [m, x, y, z] = [6, 7, 8, 9].map(|row| memory.sums[lane / WIDTH][row].0[lane % WIDTH]);
        mass += m;
        moment = v3::add(moment, v3::scale_plus(m, apart(&memory.origins, tree), Vector3::new(x, y, z)));
    }
    for tree in 0..layout.roots.len() {
        memory.centers[tree] = v3::sub(v3::scale(1.0 / mass, moment), apart(&memory.origins, tree));
    }
    mass
}

kernel!(
    memory.level,
    /// The Jacobian of the center of mass of a part, from the weights of subtrees and one over its mass. Returns whether it
    /// is finite.
    pub(crate) fn com_jacobian<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        part: &'a Subtree,
        share: f64,
        to: &'a mut [f64],
    ) -> Outcome {
        begin(layout, to);
        let (mut zero, mut mixed) = (R::splat(0.0), subtree::NONE);
        for g in 0..layout.groups.len() {
            let (lanes, sums) = part.sums::<R>(layout, memory, g, &mut mixed);
            let (mass, first_moment) = load_weight::<R>(sums);
            let u = moved(load_motion::<R>(&memory.s[g]), mass, first_moment);
            let u = v3::scale(Lanes(R::splat(share)), u);
            store::<R, 3>(layout, g, only(lanes, of_vector(u)), to, &mut zero);
        }
        end(layout, Outcome::of(zero), to)
    }
);

/// Potential energy of bodies that have been placed.
pub(crate) fn potential(constants: &JointConstants, layout: &JointsLayout, memory: &JointsMemory) -> f64 {
    potential_in_lanes(constants, layout, memory).iter().sum()
}

kernel!(
    memory.level,
    fn potential_in_lanes<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
    ) -> [f64; WIDTH] {
        let gravity = splat::<R>(constants.gravity);
        let mut potential = Lanes(R::splat(0.0));
        for (g, group) in layout.groups.iter().enumerate() {
            let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
            let mass = group.mass.load::<R>();
            let first_moment = v3::scale(mass, x.point(load_vector::<R>(&group.com)));
            potential -= against::<R>(gravity, layout, memory, g, mass, first_moment);
        }
        potential.to_array()
    }
);

/// `g·Σ m c` of each lane, from mass and first moment in coordinates of its tree.
#[inline(always)]
fn against<R: Register>(
    gravity: Vector3<Lanes<R>>,
    layout: &JointsLayout,
    memory: &JointsMemory,
    g: usize,
    mass: Lanes<R>,
    first_moment: Vector3<Lanes<R>>,
) -> Lanes<R> {
    let origin = of_tree::<R>(layout, &memory.origins, g);
    v3::dot(gravity, v3::scale_plus(mass, origin, first_moment))
}

/// Kinetic and potential energy of bodies that have been placed, at the velocity `v`.
pub(crate) fn energy(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    v: &[f64],
) -> (f64, f64) {
    let (kinetic, potential) = energy_in_lanes(constants, layout, memory, v);
    let sum = |x: [f64; WIDTH]| x.iter().sum();
    let more = layout.more_joints.iter().map(|joint| v[joint.index] * v[joint.index] * joint.mass() * 0.5);
    (sum(kinetic) + more.sum::<f64>(), sum(potential))
}

kernel!(
    memory.level,
    fn energy_in_lanes<'a, R: Register>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        v: &'a [f64],
    ) -> ([f64; WIDTH], [f64; WIDTH]) {
        read::dofs::<R>(layout, &mut memory.qd, v);
        let gravity = splat::<R>(constants.gravity);
        let (mut kinetic, mut potential) = (Lanes(R::splat(0.0)), Lanes(R::splat(0.0)));
        for g in 0..layout.groups.len() {
            let (group, qd) = (&layout.groups[g], memory.qd[g].load::<R>());
            let (s, inertia) =
                outward::column_and_inertia::<R>(group, &poses::load(&memory.poses[g * WIDTH..(g + 1) * WIDTH]));
            let v = outward::sum_from_root(group, &mut memory.velocity, g, s.times(qd));
            store_motion(&mut memory.velocity[g], v);
            kinetic += v.power(inertia * v);
            potential -= against::<R>(gravity, layout, memory, g, inertia.mass, inertia.first_moment);
            let joints = &layout.joints[g];
            if joints.some {
                kinetic += qd * qd * inward::joint_dynamics::<R>(joints).mass();
            }
        }
        ((kinetic * 0.5).to_array(), potential.to_array())
    }
);
