//! Centroidal momentum, its matrices and their derivatives: the equations of
//! [`centroidal`](crate::dynamics::centroidal) and [`centroidal_derivatives`](crate::dynamics::centroidal_derivatives),
//! eight columns at a time.
//! Page: `dynamics/centroidal.rs`, `dynamics/centroidal_derivatives.rs`, `dynamics/com.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::formulas::mass_moments::{MomentumColumn, PointMass, Tree, Whole, about_moving, matrix_rate};
use crate::kernels::Outcome;
use crate::kernels::by_joint::matrix::{begin, end, end_all, of_force, of_vector, only, store};
use crate::kernels::by_joint::poses::{of_tree, splat};
use crate::kernels::by_joint::quantities::{
    FORCE, INERTIA, Sums, load_coriolis, load_inertia, load_motion, load_sum_force,
};
use crate::kernels::by_joint::subtree::Subtree;
use crate::kernels::by_joint::{JointsMemory, first_moments, subtree};
use crate::plan::JointsLayout;
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

kernel!(
    memory.level,
    /// The centroidal momentum matrix, from the inertias of subtrees and the center of mass. Returns whether it is finite.
    pub(crate) fn momentum_matrix<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        to: &'a mut [f64],
    ) -> Outcome {
        begin(layout, to);
        let mut zero = R::splat(0.0);
        for g in 0..layout.groups.len() {
            let momentum: Force<Lanes<R>> = load_inertia::<R>(&memory.sums[g]) * load_motion::<R>(&memory.s[g]);
            let about = momentum.shifted::<Lanes<R>>(of_tree(layout, &memory.centers, g));
            store::<R, 6>(layout, g, of_force(about), to, &mut zero);
        }
        end(layout, Outcome::of(zero), to)
    }
);

/// The robot as a whole, from inertias, velocities and forces of bodies.
pub(crate) fn total(layout: &JointsLayout, memory: &JointsMemory) -> Whole<f64> {
    let trees = layout.roots.iter().enumerate().map(|(tree, (root, _))| {
        let part = Subtree::of(layout, Some(*root));
        let [f, h, y, more] = total_of_tree(memory, &part);
        Tree {
            first: v3::sub(memory.origins[0], memory.origins[tree]),
            inertia: InertiaAboutOrigin {
                mass: y[0],
                first_moment: Vector3::new(y[1], y[2], y[3]),
                moment: Symmetric3::new(y[4], y[5], more[0], more[1], more[2], more[3]),
            }
            .into(),
            momentum: Force::new(Vector3::new(h[0], h[1], h[2]), Vector3::new(h[3], h[4], h[5])),
            force: Force::new(Vector3::new(f[0], f[1], f[2]), Vector3::new(f[3], f[4], f[5])),
        }
    });
    Whole::of(memory.origins[0], trees)
}

kernel!(
    memory.level,
    /// Force, momentum and inertia of a tree, six numbers each, and the four that are left of the inertia.
    fn total_of_tree<'a, R: Register>(memory: &'a JointsMemory, part: &'a Subtree) -> [[f64; 6]; 4] {
        let mut sums = [[R::splat(0.0); 6]; 4];
        for (g, lanes) in part.groups() {
            let rows = &memory.sums[g];
            let momentum: Force<Lanes<R>> = load_inertia::<R>(rows) * load_motion::<R>(&memory.velocity[g]);
            let h = of_force(momentum);
            let mut k = 0;
            while k < 6 {
                sums[0][k] = sums[0][k].add(rows[k].load::<R>().0.where_else(lanes, R::splat(0.0)));
                sums[1][k] = sums[1][k].add(h[k].where_else(lanes, R::splat(0.0)));
                sums[2][k] = sums[2][k].add(rows[FORCE + k].load::<R>().0.where_else(lanes, R::splat(0.0)));
                k += 1;
            }
            let mut k = 0;
            while k < INERTIA - 6 {
                sums[3][k] = sums[3][k].add(rows[FORCE + 6 + k].load::<R>().0.where_else(lanes, R::splat(0.0)));
                k += 1;
            }
        }
        let mut totals = [[0.0; 6]; 4];
        for (totals, sums) in totals.iter_mut().zip(&sums) {
            for (total, sum) in totals.iter_mut().zip(sums) {
                *total = sum.to_array().iter().sum();
            }
        }
        totals
    }
);

/// The robot as a whole, and the center of mass, from everything summed up over subtrees.
pub(crate) fn whole(layout: &JointsLayout, memory: &mut JointsMemory) -> Whole<f64> {
    first_moments::center(layout, memory);
    let trees = layout.roots.iter().enumerate().map(|(tree, (root, _))| {
        let first = v3::sub(memory.origins[0], memory.origins[tree]);
        of_lane(memory, layout.bodies[*root].lane, first)
    });
    Whole::of(memory.origins[0], trees)
}

/// The subtree of a lane.
fn of_lane(memory: &JointsMemory, lane: usize, first: Vector3<f64>) -> Tree<f64> {
    let (sums, lane) = (&memory.sums[lane / WIDTH], lane % WIDTH);
    let x = |row: usize| sums[row].0[lane];
    let vector = |row: usize| Vector3::new(x(row), x(row + 1), x(row + 2));
    let inertia = InertiaAboutOrigin {
        mass: x(6),
        first_moment: vector(7),
        moment: Symmetric3::new(x(10), x(11), x(12), x(13), x(14), x(15)),
    };
    let angular = Matrix3::from_row_iterator((19..28).map(x));
    Tree {
        first,
        inertia: inertia.into(),
        momentum: BodyCoriolis { momentum: vector(16), angular }.whole_momentum(),
        force: Force::new(vector(0), vector(3)),
    }
}

/// The center of mass of the subtree of a body, from everything summed up over subtrees.
pub(crate) fn com_of(layout: &JointsLayout, memory: &JointsMemory, body: usize) -> PointMass<f64> {
    let step = &layout.bodies[body];
    Whole::of(memory.origins[step.tree], std::iter::once(of_lane(memory, step.lane, v3::zero()))).com
}

kernel!(
    memory.level,
    /// Derivatives of the center of mass of a part, from everything summed up over subtrees and one over its mass. Returns
    /// whether they are finite.
    pub(crate) fn center_of_mass_derivatives<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        part: &'a Subtree,
        share: f64,
        to: [&'a mut [f64]; 6],
    ) -> Outcome {
        let [c_q, v_q, v_v, a_q, a_v, a_a] = to;
        for to in [&mut *c_q, v_q, a_q, a_v] {
            begin(layout, to);
        }
        let share = Lanes(R::splat(share));
        let (mut zero, mut mixed) = (R::splat(0.0), subtree::NONE);
        for g in 0..layout.groups.len() {
            let (lanes, sums) = part.sums::<R>(layout, memory, g, &mut mixed);
            let by = column::<R>(memory, g, sums);
            for (f, to) in [(by.subspace, &mut *c_q), (by.momentum_q, v_q), (by.rate_q, a_q), (by.rate_v, a_v)] {
                let u = v3::scale::<Lanes<R>, Lanes<R>>(share, f.linear);
                store::<R, 3>(layout, g, only(lanes, of_vector(u)), to, &mut zero);
            }
        }
        v_v.copy_from_slice(c_q);
        a_a.copy_from_slice(c_q);
        end_all(layout, Outcome::of(zero), [c_q, v_q, v_v, a_q, a_v, a_a])
    }
);

/// What the columns of a group change of what they move, which these are the sums of.
#[inline(always)]
fn column<R: Register>(memory: &JointsMemory, g: usize, sums: &Sums) -> MomentumColumn<Lanes<R>> {
    let (s, columns) = (load_motion::<R>(&memory.s[g]), &memory.columns[g]);
    let (inertia, coriolis) = (load_inertia::<R>(sums), load_coriolis::<R>(sums));
    let (psi_dot, psi_ddot) = (load_motion::<R>(&columns.psi_d), load_motion::<R>(&columns.psi_dd));
    let forces = (coriolis.whole_momentum(), load_sum_force::<R>(sums));
    MomentumColumn::new(inertia, &coriolis, forces, s, (psi_dot, psi_ddot, load_motion::<R>(&columns.psi_s)))
}

kernel!(
    memory.level,
    /// The centroidal momentum matrix and its rate, from everything summed up over subtrees. Returns whether they are
    /// finite.
    pub(crate) fn matrices<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        /// Of the center of mass.
        velocity: Vector3<f64>,
        to: (&'a mut [f64], &'a mut [f64]),
    ) -> Outcome {
        let (matrix, matrix_dot) = to;
        begin(layout, matrix);
        begin(layout, matrix_dot);
        let velocity = splat::<R>(velocity);
        let mut zero = R::splat(0.0);
        for g in 0..layout.groups.len() {
            let (s, sums, columns) = (load_motion::<R>(&memory.s[g]), &memory.sums[g], &memory.columns[g]);
            let (inertia, coriolis) = (load_inertia::<R>(sums), load_coriolis::<R>(sums));
            let c = of_tree::<R>(layout, &memory.centers, g);
            let momentum: Force<Lanes<R>> = inertia * s;
            store::<R, 6>(layout, g, of_force(momentum.shifted::<Lanes<R>>(c)), matrix, &mut zero);
            let s_dot: Motion<Lanes<R>> = load_motion::<R>(&columns.psi_s) - load_motion::<R>(&columns.psi_d);
            let rate = matrix_rate(inertia, &coriolis, coriolis.whole_momentum(), s, s_dot);
            let rate = about_moving(rate, c, velocity, momentum.linear);
            store::<R, 6>(layout, g, of_force(rate), matrix_dot, &mut zero);
        }
        end_all(layout, Outcome::of(zero), [matrix, matrix_dot])
    },
    /// Derivatives of the momentum of the robot, from everything summed up over subtrees. Returns whether they are finite.
    pub(crate) fn derivatives<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        whole: &'a Whole<f64>,
        to: [&'a mut [f64]; 5],
    ) -> Outcome {
        let [h_q, h_v, f_q, f_v, f_a] = to;
        let share = Lanes(R::splat(1.0 / whole.com.mass));
        let (momentum, force) = (splat::<R>(whole.momentum.linear), splat::<R>(whole.force.linear));
        let mut zero = R::splat(0.0);
        for to in [&mut *h_q, h_v, f_q, f_v] {
            begin(layout, to);
        }
        for g in 0..layout.groups.len() {
            let by = column::<R>(memory, g, &memory.sums[g]);
            let c = of_tree::<R>(layout, &memory.centers, g);
            let moved = v3::scale::<Lanes<R>, Lanes<R>>(share, by.subspace.linear);
            store::<R, 6>(layout, g, of_force(about_moving(by.momentum_q, c, moved, momentum)), h_q, &mut zero);
            store::<R, 6>(layout, g, of_force(by.subspace.shifted::<Lanes<R>>(c)), h_v, &mut zero);
            store::<R, 6>(layout, g, of_force(about_moving(by.rate_q, c, moved, force)), f_q, &mut zero);
            store::<R, 6>(layout, g, of_force(by.rate_v.shifted::<Lanes<R>>(c)), f_v, &mut zero);
        }
        f_a.copy_from_slice(h_v);
        end_all(layout, Outcome::of(zero), [h_q, h_v, f_q, f_v, f_a])
    }
);
