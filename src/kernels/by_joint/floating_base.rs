//! A robot on one floating base, whose six columns cost almost nothing: only the last of them has a lane.
//! Page: `dynamics/rnea.rs`, `dynamics/rnea_derivatives.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.
//!
//! In coordinates with their origin at the base, the columns of its joint are the axes of the base, and nothing else
//! moves it. Its velocity and acceleration are therefore the rotated rates of the joint,
//!
//! ```text
//! v₀ = (R ν, R ω)        a₀ = (R ν̇, R ω̇)        as v₀ × v₀ = 0 ,
//! ```
//!
//! and its torques are the force on the whole robot, rotated back. The remaining lane carries the body, and represents
//! the last column, the rotation about the z axis of the base, like that of a hinge without a rate: its share is in
//! `v₀` and `a₀`. The inputs of derivatives for all six columns are in a group after the others, which no sum includes.
//!
//! This form is used for inverse dynamics and their derivatives, if it saves a group of eight lanes. For a quadruped
//! with twelve joints, inverse dynamics under wrenches takes a quarter less time with registers of four numbers, and
//! derivatives take a sixth less at all levels. The mass matrix and forward dynamics keep all lanes, in which their
//! factors are.

use crate::kernels::by_joint::matrix::{of_lane, vectors_of_lane};
use crate::kernels::by_joint::quantities::{
    Six, coriolis_of_lane, inertia_of_lane, load_motion, store_force, store_motion, store_vector,
};
use crate::kernels::by_joint::{JointsMemory, poses};
use crate::plan::JointsLayout;
use crate::plan::base_lanes::LEFT_OUT;
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::Register;
use nalgebra::{Matrix3, Vector3};

/// The lanes without those of the base, and memory for them with the wrenches of this call; all lanes and their memory
/// if the robot has no such form.
#[inline(always)]
pub(crate) fn without_base_lanes<'l, 'm>(
    all_lanes: &'l JointsLayout,
    memory: &'m mut JointsMemory,
) -> (&'l JointsLayout, &'m mut JointsMemory) {
    match all_lanes.without_base_lanes.as_deref() {
        Some(fewer_lanes) => (fewer_lanes, memory.without_base_lanes(fewer_lanes)),
        None => (all_lanes, memory),
    }
}

/// Motion of the base, once it has been placed, into the rows that the first group adds to what its lanes hold.
#[inline(always)]
pub(crate) fn base_motion(memory: &mut JointsMemory, v: &[f64], a: &[f64]) {
    let axes = poses::of_lane(memory, 0).rotation;
    // The lane's own rate is in there.
    (memory.qd[0].0[0], memory.qdd[0].0[0]) = (0.0, 0.0);
    turn(&axes, v, &mut memory.base[0]);
    turn(&axes, a, &mut memory.base[1]);
}

/// Six rates of the base as a motion in the first lane.
#[inline(always)]
fn turn(axes: &Matrix3<f64>, rates: &[f64], to: &mut Six) {
    let Some(&[x, y, z, a, b, c]) = rates.first_chunk() else { return };
    let linear: Vector3<f64> = v3::rotate(axes, Vector3::new(x, y, z));
    let angular: Vector3<f64> = v3::rotate(axes, Vector3::new(a, b, c));
    (to[0].0[0], to[1].0[0], to[2].0[0]) = (linear.x, linear.y, linear.z);
    (to[3].0[0], to[4].0[0], to[5].0[0]) = (angular.x, angular.y, angular.z);
}

/// Torques of the base, from the force on the whole robot. Returns torques times zero.
#[inline(always)]
pub(crate) fn base_torques(memory: &mut JointsMemory) -> f64 {
    let [linear, angular] = vectors_of_lane(&memory.sums[0], 0);
    let axes = poses::of_lane(memory, 0).rotation;
    let f: Vector3<f64> = v3::rotate_back(&axes, linear);
    let n: Vector3<f64> = v3::rotate_back(&axes, angular);
    memory.base_torques = [f.x, f.y, f.z, n.x, n.y, n.z];
    (f.x + f.y + f.z + n.x + n.y + n.z) * 0.0
}

/// The columns of the base, which are its axes, into rows of their own.
#[inline(always)]
pub(crate) fn base_columns(layout: &JointsLayout, memory: &mut JointsMemory) {
    let axes = poses::of_lane(memory, 0).rotation;
    let s = &mut memory.s[layout.groups.len()];
    let mut k = 0;
    while k < 3 {
        let mut row = 0;
        while row < 3 {
            s[row].0[k] = axes[(row, k)];
            s[3 + row].0[3 + k] = axes[(row, k)];
            row += 1;
        }
        k += 1;
    }
}

/// What derivatives need of these columns, from sums over the whole robot. Nothing that moves carries the base, so that
/// `Ψ̇ = 0` and `Ψ̈ = −g × S`; and as within one joint the force does not turn with the columns, `Q = I_C Ψ̈`.
#[inline(always)]
pub(crate) fn base_derivatives<R: Register>(gravity: Vector3<f64>, layout: &JointsLayout, memory: &mut JointsMemory) {
    let g = layout.groups.len();
    let (inertia, coriolis) = (inertia_of_lane(&memory.sums, 0), coriolis_of_lane(&memory.sums, 0));
    let fall: Motion<f64> = Motion::new(v3::neg(gravity), v3::zero());
    let s = load_motion::<R>(&memory.s[g]);
    let psi_s = of_lane(&memory.base, 0).cross(s);
    let psi_dd = fall.cross(s);
    let to = &mut memory.columns[g];
    store_motion(&mut to.psi_s, psi_s);
    store_motion(&mut to.psi_dd, psi_dd);
    store_force(&mut to.a, inertia * s);
    store_force(&mut to.q, inertia * psi_dd);
    store_force(&mut to.v, coriolis.times_plus(s.angular, inertia * psi_s));
    store_vector(&mut to.t, coriolis.tr_times(s).angular);
}

/// In the mass matrix, both orders of a product within the base are equal but for rounding.
pub(crate) fn mirror(mass: &mut [f64], nv: usize) {
    if !mass.is_empty() {
        for j in 0..=LEFT_OUT {
            for i in 0..j {
                mass[i * nv + j] = mass[j * nv + i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::joint::{Axis, FreeFlyer, Joint, Revolute};
    use crate::model::{BodyKey, ModelBuilder};
    use crate::plan::joints::JointsLayout;
    use crate::spatial::{Inertia, Symmetric3, Transform};
    use nalgebra::Vector3;

    /// A chain of hinges on a base, and the base.
    fn chain(base: Joint, hinges: usize) -> (ModelBuilder, BodyKey) {
        let mut builder = ModelBuilder::new("chain");
        let inertia = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.1, 0.1, 0.1));
        let x = Transform::from_translation(Vector3::new(0.0, 0.1, 0.2));
        let base = builder.add_body(None, "base", "root", x, base, inertia).expect("fits");
        let mut last = base;
        for k in 0..hinges {
            let hinge = Revolute { axis: Axis::Y };
            last =
                builder.add_body(Some(last), format!("body{k}"), format!("hinge{k}"), x, hinge, inertia).expect("fits");
        }
        (builder, base)
    }

    /// Groups of the fewer lanes, if there are such, and of all.
    fn groups(builder: ModelBuilder) -> (Option<usize>, usize) {
        let layout = JointsLayout::new(&builder.build().expect("builds")).expect("has constant columns");
        (layout.without_base_lanes.as_ref().map(|fewer| fewer.groups.len()), layout.groups.len())
    }

    #[test]
    fn only_a_free_base_that_saves_a_group_goes_without_lanes() {
        let of = |hinges| groups(chain(FreeFlyer.into(), hinges).0);
        assert_eq!([2, 3, 7, 8, 10, 11, 15].map(of), {
            let (one, two) = (Some(1), Some(2));
            [(None, 1), (one, 2), (one, 2), (None, 2), (None, 2), (two, 3), (two, 3)]
        });
        assert_eq!(groups(chain(Revolute { axis: Axis::X }.into(), 7).0), (None, 1));
    }

    #[test]
    fn a_base_that_is_held_or_has_company_keeps_its_lanes() {
        let (mut held, base) = chain(FreeFlyer.into(), 7);
        let mut two = held.clone();
        held.set_damping(base, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.1]).expect("fits");
        assert_eq!(groups(held), (None, 2));
        let y = Inertia::point_mass(1.0, Vector3::zeros()).expect("has mass");
        let hinge = Revolute { axis: Axis::X };
        two.add_body(None, "other", "another root", Transform::identity(), hinge, y).expect("fits");
        assert_eq!(groups(two), (None, 2));
    }
}
