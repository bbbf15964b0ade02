//! Centroidal momentum, its matrices and their derivatives: the equations of
//! [`centroidal`](crate::dynamics::centroidal) and [`centroidal_derivatives`](crate::dynamics::centroidal_derivatives),
//! eight columns at a time.

use super::matrix::{begin, of_force, store};
use super::memory::{load_coriolis, load_inertia, load_motion, load_sum_force};
use super::outward::{of_tree, splat};
use super::{Layout, Memory, weights};
use crate::dynamics::CentroidalDerivatives;
use crate::dynamics::centroidal::{Tree, Whole, about_moving, matrix_rate};
use crate::dynamics::centroidal_derivatives::Column;
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// The centroidal momentum matrix, from the inertias of subtrees and the centre of mass. Is it finite?
pub(super) fn momentum_matrix(layout: &Layout, memory: &Memory, to: &mut [f64]) -> bool {
    begin(layout, to);
    memory.level.run(MomentumMatrix { layout, memory, to })
}

struct MomentumMatrix<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    to: &'a mut [f64],
}

impl Kernel for MomentumMatrix<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, to } = self;
        let mut zero = R::splat(0.0);
        for g in 0..layout.groups.len() {
            let momentum: Force<Lanes<R>> = load_inertia::<R>(&memory.sums[g]) * load_motion::<R>(&memory.s[g]);
            let about = momentum.shifted::<Lanes<R>>(of_tree(layout, &memory.centers, g));
            store::<R, 6>(layout, g, of_force(about), to, &mut zero);
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// The robot as a whole, and the centre of mass, from everything summed up over subtrees.
pub(super) fn whole(layout: &Layout, memory: &mut Memory) -> Whole<f64> {
    weights::center(layout, memory);
    let trees = layout.roots.iter().enumerate().map(|(tree, (root, _))| {
        let (sums, lane) = (&memory.sums[layout.bodies[*root].lane / WIDTH], layout.bodies[*root].lane % WIDTH);
        let x = |row: usize| sums[row].0[lane];
        let vector = |row: usize| Vector3::new(x(row), x(row + 1), x(row + 2));
        let inertia = InertiaAboutOrigin {
            mass: x(6),
            first_moment: vector(7),
            moment: Symmetric3::new(x(10), x(11), x(12), x(13), x(14), x(15)),
        };
        let angular = Matrix3::from_row_iterator((19..28).map(x));
        Tree {
            first: v3::sub(memory.origins[0], memory.origins[tree]),
            inertia: inertia.into(),
            momentum: BodyCoriolis { momentum: vector(16), angular }.whole_momentum(),
            force: Force::new(vector(0), vector(3)),
        }
    });
    Whole::of(memory.origins[0], trees)
}

/// The centroidal momentum matrix and its rate, from everything summed up over subtrees. Are they finite?
pub(super) fn matrices(layout: &Layout, memory: &Memory, velocity: Vector3<f64>, to: (&mut [f64], &mut [f64])) -> bool {
    begin(layout, to.0);
    begin(layout, to.1);
    memory.level.run(Matrices { layout, memory, velocity, to })
}

struct Matrices<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    /// Of the centre of mass.
    velocity: Vector3<f64>,
    to: (&'a mut [f64], &'a mut [f64]),
}

impl Kernel for Matrices<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, velocity, to: (matrix, matrix_dot) } = self;
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
        zero.all_lt(R::splat(1.0))
    }
}

/// Derivatives of the momentum of the robot, from everything summed up over subtrees. Are they finite?
pub(super) fn derivatives(
    layout: &Layout,
    memory: &Memory,
    whole: &Whole<f64>,
    out: &mut CentroidalDerivatives,
) -> bool {
    let to = [
        out.dmomentum_dq.as_mut_slice(),
        out.dmomentum_dv.as_mut_slice(),
        out.drate_dq.as_mut_slice(),
        out.drate_dv.as_mut_slice(),
        out.drate_da.as_mut_slice(),
    ];
    memory.level.run(Derivatives { layout, memory, whole, to })
}

struct Derivatives<'a> {
    layout: &'a Layout,
    memory: &'a Memory,
    whole: &'a Whole<f64>,
    to: [&'a mut [f64]; 5],
}

impl Kernel for Derivatives<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { layout, memory, whole, to: [h_q, h_v, f_q, f_v, f_a] } = self;
        let share = Lanes(R::splat(1.0 / whole.com.mass));
        let (momentum, force) = (splat::<R>(whole.momentum.linear), splat::<R>(whole.force.linear));
        let mut zero = R::splat(0.0);
        for to in [&mut *h_q, h_v, f_q, f_v] {
            begin(layout, to);
        }
        for g in 0..layout.groups.len() {
            let (s, sums, columns) = (load_motion::<R>(&memory.s[g]), &memory.sums[g], &memory.columns[g]);
            let (inertia, coriolis) = (load_inertia::<R>(sums), load_coriolis::<R>(sums));
            let (psi_dot, psi_ddot) = (load_motion::<R>(&columns.psi_d), load_motion::<R>(&columns.psi_dd));
            let forces = (coriolis.whole_momentum(), load_sum_force::<R>(sums));
            let by = Column::new(inertia, &coriolis, forces, s, (psi_dot, psi_ddot, load_motion::<R>(&columns.psi_s)));
            let c = of_tree::<R>(layout, &memory.centers, g);
            let moved = v3::scale::<Lanes<R>, Lanes<R>>(share, by.subspace.linear);
            store::<R, 6>(layout, g, of_force(about_moving(by.momentum_q, c, moved, momentum)), h_q, &mut zero);
            store::<R, 6>(layout, g, of_force(by.subspace.shifted::<Lanes<R>>(c)), h_v, &mut zero);
            store::<R, 6>(layout, g, of_force(about_moving(by.rate_q, c, moved, force)), f_q, &mut zero);
            store::<R, 6>(layout, g, of_force(by.rate_v.shifted::<Lanes<R>>(c)), f_v, &mut zero);
        }
        f_a.copy_from_slice(h_v);
        zero.all_lt(R::splat(1.0))
    }
}
